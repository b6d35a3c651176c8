//! Drives one agent through everything and says what did not hold.

use crate::agents::Agent;
use crate::calls::{FILES, Needs, POLICY, ROWS, Row, SUBTASK, TOKEN_FILE, Trace, token};
use crate::failures::{self, FAILURES};
use crate::install::Program;
use crate::model::{Script, Turn, Wish, say, wish};
use crate::observed::{self, Observed};
use crate::process::poll;
use crate::stage::Stage;
use serde_json::Value;
use std::time::Duration;
use toolgate_adapters::{Can, Host};
use toolgate_core::HostAnswer;

const PASSPHRASE: &str = "correct horse battery staple\n";
const WAIT_MAX: Duration = Duration::from_secs(60);
const HOLD: &str = "\
version: 1
review: { delivery: hold, hold_seconds: 40 }
rules:
  - id: deploy-asks
    kind: ask
    match: { command: { program: deploy } }
    reason: a person decides about deploys
";

/// Everything that did not hold.
pub fn prove(agent: &Agent, host: &dyn Host, program: &Program) -> Vec<String> {
    let mut seen = Observed { version: agent.version.to_string(), ..Observed::default() };
    let mut faults = Vec::new();
    play_script(agent, host, program, &mut seen, &mut faults);
    hold(agent, program, &mut seen, &mut faults);
    for failure in FAILURES {
        let what = failures::observe(agent, host, program, failure);
        seen.failures.insert(failure.name.to_string(), what);
    }
    if faults.is_empty() {
        faults.extend(observed::settle(agent.host, &seen));
    }
    faults
}

/// The script with the calls of the rows, a stop that is refused, and the sub-agent's part.
fn script(stage_work: &std::path::Path, agent: &Agent) -> Script {
    let wish_of = |row: &Row| match (row.wish)(stage_work) {
        Wish::Agent(prompt, _) => Wish::Agent(prompt, agent.agent_kind.to_string()),
        wish => wish,
    };
    let mut answers: Vec<Vec<Wish>> = Vec::new();
    for row in ROWS.iter().filter(|row| row.needs != Needs::Subagents) {
        match answers.last_mut() {
            Some(last) if row.together => last.push(wish_of(row)),
            _ => answers.push(vec![wish_of(row)]),
        }
    }
    let mut turns: Vec<Turn> = answers.into_iter().map(wish).collect();
    turns.push(say("done"));
    turns.push(wish([Wish::Shell("touch marks/stop".into())]));
    turns.push(say("really done"));
    let inside = ROWS.iter().filter(|row| row.needs == Needs::Subagents);
    let inside: Vec<Turn> = inside.map(|row| wish([wish_of(row)])).chain([say("sub-agent done")]).collect();
    Script::of(turns).stream(SUBTASK, inside)
}

fn play_script(
    agent: &Agent,
    host: &dyn Host,
    program: &Program,
    seen: &mut Observed,
    faults: &mut Vec<String>,
) {
    let can = host.can();
    let mut stage = Stage::set(agent, program, POLICY, Script::default());
    stage.model.play(script(&stage.work, agent));
    for (path, text) in FILES {
        match path.starts_with("tools/") {
            true => stage.script(path, text),
            false => stage.write(path, text),
        }
    }
    stage.write(TOKEN_FILE, &format!("first line\ntoken {}\nlast line 22\n", token()));
    stage.play();
    let before = faults.len();
    let tells_before = tells_before(host);
    let mut entries = decisions(&stage);
    let mut turn = 0;
    for (n, row) in (1..).zip(ROWS) {
        if row.needs != Needs::Subagents && !row.together {
            turn += 1;
        }
        let verdict = take_verdict(&mut entries, row);
        let mut check = Check { agent, stage: &stage, can, row, turn, faults, n, tells_before };
        check.verdict(verdict.as_deref());
        check.trace();
        check.reason();
        seen.verdicts.insert(format!("{n:02}"), verdict.unwrap_or_else(|| "not seen".to_string()));
    }
    if let Some(entry) = entries
        .iter()
        .find(|entry| entry["entry"]["event"] == "pre_execution" && entry["entry"]["verdict"] != "allow")
    {
        let fine = ["marks/stop"];
        let title = entry["entry"]["title"].as_str().unwrap_or_default();
        if !fine.iter().any(|text| title.contains(text)) {
            faults.push(format!("a call nobody scripted was not allowed: {entry}"));
        }
    }
    if can.replace && stage.model.was_told(&token()) {
        faults.push("the model has read the token".to_string());
    }
    // Some hosts hide tokens themselves before the model reads them; then there is nothing to be said about it.
    let was_told = stage.model.was_told("safety-003");
    if can.tell && !was_told && (can.replace || stage.model.was_told(&token())) {
        faults.push("the agent was not told about the token".to_string());
    }
    let refuses = can.refuse_stop && agent.goes_on;
    if refuses && !stage.model.was_told("finish-first") {
        faults.push("the stop was not refused".to_string());
    }
    if refuses && !stage.has("marks/stop") {
        faults.push("the agent did not go on after the refused stop".to_string());
    }
    seen.held = held(agent, can, was_told || tells_before, faults.len() == before);
    if faults.len() > before {
        let kept = stage.keep();
        faults.push(format!("kept for a look: {kept:?}"));
    }
}

/// Whether the host has words for a remark on a call it lets run.
fn tells_before(host: &dyn Host) -> bool {
    let asked = host.decode(host.probe("touch a", "/p").as_bytes()).expect("the host's own message");
    let answer = HostAnswer::Warned { text: "WHY".to_string() };
    host.encode(&asked, &answer).stdout.contains("WHY")
}

/// The properties a run without a fault has proven.
fn held(agent: &Agent, can: &Can, was_told: bool, is_clean: bool) -> Vec<String> {
    let all = [
        ("deny", true),
        ("rewrite", can.rewrite),
        ("tell", can.tell && was_told),
        ("replace", can.replace),
        ("refuse stop", can.refuse_stop && agent.goes_on),
        ("sub-agents", can.subagents && agent.has_agents),
        ("MCP", can.mcp && agent.has_mcp),
        ("ticket", true),
    ];
    all.iter().filter(|(_, can)| *can && is_clean).map(|(name, _)| (*name).to_string()).collect()
}

/// The gate's decisions, in order.
fn decisions(stage: &Stage) -> Vec<Value> {
    let text = stage.toolgate(&["logs", "--json", "--all", "--limit", "1000"], "");
    let mut all: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    all.sort_by_key(|entry| entry["seq"].as_u64());
    all.retain(|entry| entry["entry"]["entry"] == "decided" && entry["entry"]["event"] == "pre_execution");
    all
}

/// The first decision about the row's call, taken out.
fn take_verdict(entries: &mut Vec<Value>, row: &Row) -> Option<String> {
    let is_it = |entry: &Value| {
        let text = |name: &str| entry["entry"][name].as_str().unwrap_or_default().contains(row.key);
        match row.needs {
            Needs::Mcp => text("tool"),
            Needs::Handoff => is_handoff(entry),
            _ => text("title"),
        }
    };
    let at = entries.iter().position(is_it)?;
    entries.remove(at)["entry"]["verdict"].as_str().map(String::from)
}

fn is_handoff(entry: &Value) -> bool {
    let tool = entry["entry"]["tool"].as_str().unwrap_or_default().to_lowercase();
    ["agent", "task", "delegate"].iter().any(|word| tool.contains(word))
}

/// The checks of one row.
struct Check<'a> {
    agent: &'a Agent,
    stage: &'a Stage<'a>,
    can: &'a Can,
    row: &'a Row,
    turn: usize,
    n: usize,
    /// The host can tell the agent something about a call that is allowed.
    tells_before: bool,
    faults: &'a mut Vec<String>,
}

impl Check<'_> {
    fn fault(&mut self, text: &str) {
        self.faults.push(format!("call {:02} ({}): {text}", self.n, self.row.name));
    }

    /// Does the host show the gate this call at all?
    fn is_shown(&self) -> bool {
        self.row.needs.are_met(self.agent, self.can)
    }

    fn verdict(&mut self, verdict: Option<&str>) {
        match (self.is_shown(), verdict) {
            (true, Some(verdict)) if verdict == self.row.verdict => {}
            (false, None) => {}
            (_, verdict) => self.fault(&format!("verdict {verdict:?} instead of {:?}", self.row.verdict)),
        }
    }

    fn ran(&self) -> bool {
        match &self.row.trace {
            Trace::File(path) => self.stage.has(path),
            Trace::Text(path, text) => self.stage.read(path).contains(text),
            Trace::Told(text) => self.stage.model.was_told(text),
            Trace::None => false,
        }
    }

    fn trace(&mut self) {
        if matches!(self.row.trace, Trace::None) {
            return;
        }
        let should = match self.row.verdict {
            _ if !self.is_shown() => return,
            "allow" | "warn" => true,
            "rewrite" => self.can.rewrite,
            _ => false,
        };
        match (should, self.ran()) {
            (true, false) => self.fault("did not run"),
            (false, true) => self.fault("ran"),
            _ => {}
        }
        if let ("rewrite", Trace::File(path)) = (self.row.verdict, &self.row.trace)
            && self.stage.read(path).contains("--insecure")
        {
            self.fault("ran as it was");
        }
    }

    /// What the model reads together with the result: of an objection the rule, of nothing else.
    fn reason(&mut self) {
        let told = match self.row.needs {
            Needs::Subagents => {
                self.stage.model.asked(SUBTASK).get(1).map(|asked| asked.told()).unwrap_or_default()
            }
            _ => self.stage.model.told(self.turn),
        };
        let should = match self.row.verdict {
            _ if !self.is_shown() => false,
            _ if self.row.needs == Needs::Mcp && !self.agent.says_why_of_mcp => false,
            "warn" => self.tells_before,
            "rewrite" if self.can.rewrite => self.tells_before,
            verdict => verdict != "allow",
        };
        if should && !told.contains(self.row.rule) {
            self.fault(&format!("the model was not told of {}: {told}", self.row.rule));
        }
    }
}

/// A call is held, a person approves it, and it runs; the model hears nothing of it.
fn hold(agent: &Agent, program: &Program, seen: &mut Observed, faults: &mut Vec<String>) {
    let script = Script::of([wish([Wish::Shell("./tools/deploy live.txt".into())]), say("bye")]);
    let mut stage = Stage::set(agent, program, HOLD, script);
    stage.toolgate(&["approver", "set", "--passphrase-stdin"], PASSPHRASE);
    stage.script("tools/deploy", "echo deployed >> \"$1\"");
    let running = stage.start();
    let Some(id) = poll(WAIT_MAX, || pending(&stage)) else {
        drop(running);
        faults.push(format!("nothing was held: {:?}", stage.keep()));
        return;
    };
    let early = stage.has("live.txt");
    stage.toolgate(&["inbox", "approve", &id, "--passphrase-stdin"], PASSPHRASE);
    running.finish();
    stage.sweep();
    match (early, stage.read("live.txt").as_str()) {
        (false, "deployed\n") => seen.held.push("hold".to_string()),
        (early, text) => {
            let kept = stage.keep();
            faults.push(format!("the held call: ran early {early}, then {text:?}; {kept:?}"));
        }
    }
}

/// The id of the request that waits.
fn pending(stage: &Stage) -> Option<String> {
    let list: Value = serde_json::from_str(&stage.toolgate(&["inbox", "list", "--json"], "")).expect("JSON");
    let requests = list.get("requests").unwrap_or(&list).as_array()?;
    let request = requests.iter().find(|request| request["state"] == "pending")?;
    request["id"].as_str().map(String::from)
}
