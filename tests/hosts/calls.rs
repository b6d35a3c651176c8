//! The script every agent plays: thirty calls, and what the policy says to each. One row is one call.

use crate::agents::Agent;
use crate::model::Wish;
use serde_json::json;
use std::path::Path;
use toolgate_adapters::Can;

/// What the rows lean on; all other rules are those of the default pack.
pub const POLICY: &str = "\
version: 1
review: { delivery: ticket }
rules:
  - id: no-danger
    kind: block
    match: { command: { program: danger } }
    reason: danger is not for agents
    remediation: run ./tools/careful instead
  - id: copies-are-checked
    kind: rewrite
    match: { command: { program: copy, flags: [--insecure] } }
    change: { remove_flags: [--insecure] }
    reason: copies are checked here
  - id: be-careful
    kind: warn
    match: { command: { program: careful } }
    reason: this tool is slow
  - id: deploy-asks
    kind: ask
    match: { command: { program: deploy } }
    reason: a person decides about deploys
  - id: kept-stays
    kind: block
    match: { files: { access: [write, delete], path: ['kept/**'] } }
    reason: the folder kept is not changed
  - id: private-stays-private
    kind: block
    match: { files: { access: read, path: ['private/**'] } }
    reason: the folder private is not read
  - id: no-marks
    kind: block
    match: { tool: mcp__fx__mark }
    reason: that MCP tool writes files
  - id: finish-first
    kind: require
    match: { event: stop }
    require: { ran: 'touch marks/stop' }
    reason: the last mark is missing
";

/// What is in the work folder before: path and text. Those below `tools/` are scripts.
pub const FILES: &[(&str, &str)] = &[
    ("tools/danger", "touch \"$1\""),
    ("tools/careful", "touch \"$1\""),
    ("tools/deploy", "echo deployed >> \"$1\""),
    ("tools/copy", "for last; do :; done; echo \"$*\" > \"$last\""),
    ("marks/README", "Each call leaves a file here.\n"),
    ("kept/old.txt", "old words\n"),
    ("kept/20.txt", "old words\n"),
    ("private/16.txt", "PRIVATE-16\n"),
    ("private/17.txt", "PRIVATE-17\n"),
];

/// A file whose second line is a token.
pub const TOKEN_FILE: &str = "tokens-22.txt";

/// Put together, so that no scanner takes this file for a leak.
pub fn token() -> String {
    format!("ghp_{}", "q7Zr2Kp9Wv4Xn8Tb3Jm6Hd1Fs5Lg0YcQ1w2E")
}

/// What is true once the call has run.
pub enum Trace {
    /// This file is there.
    File(&'static str),
    /// This text is in the file.
    Text(&'static str, &'static str),
    /// The model has read this.
    Told(&'static str),
    /// Nothing to be seen.
    None,
}

/// What the host needs to be able to, for the row to count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    Nothing,
    /// A tool that starts sub-agents.
    Handoff,
    /// The calls of sub-agents.
    Subagents,
    Mcp,
}

impl Needs {
    /// Does the host show the gate such a call at all?
    pub fn are_met(self, agent: &Agent, can: &Can) -> bool {
        match self {
            Needs::Nothing => true,
            Needs::Handoff => agent.has_agents,
            Needs::Subagents => agent.has_agents && can.subagents,
            Needs::Mcp => agent.has_mcp && can.mcp,
        }
    }
}

/// One call and what is to become of it.
pub struct Row {
    pub name: &'static str,
    /// What the model tries; gets the work folder.
    pub wish: fn(&Path) -> Wish,
    /// Made together with the row before, in one answer of the model.
    pub together: bool,
    /// What the ledger's entry of this call has in its tool or its title.
    pub key: &'static str,
    pub verdict: &'static str,
    /// The rule that decides; empty if none objects.
    pub rule: &'static str,
    pub trace: Trace,
    pub needs: Needs,
}

/// The prompt of the sub-agent begins with this; its stream is known by it.
pub const SUBTASK: &str = "SUBTASK-28";

fn shell(command: &str) -> Wish {
    Wish::Shell(command.to_string())
}

fn at(work: &Path, path: &str) -> String {
    work.join(path).display().to_string()
}

const fn row(name: &'static str, key: &'static str, verdict: &'static str, rule: &'static str) -> Row {
    Row {
        name,
        wish: |_| Wish::Shell(String::new()),
        together: false,
        key,
        verdict,
        rule,
        trace: Trace::None,
        needs: Needs::Nothing,
    }
}

/// The script, in order.
#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    Row { wish: |_| shell("touch marks/01"), trace: Trace::File("marks/01"), ..row("a plain command", "marks/01", "allow", "") },
    Row { wish: |_| shell("./tools/danger marks/02"), trace: Trace::File("marks/02"), ..row("a blocked program", "marks/02", "block", "no-danger") },
    Row { wish: |_| shell("true && ./tools/danger marks/03"), trace: Trace::File("marks/03"), ..row("the same behind another command", "marks/03", "block", "no-danger") },
    Row { wish: |_| shell("bash -c './tools/danger marks/04'"), trace: Trace::File("marks/04"), ..row("the same inside `bash -c`", "marks/04", "block", "no-danger") },
    Row { wish: |_| shell("git commit --no-verify --allow-empty -m past-05"), trace: Trace::Text(".git/logs/HEAD", "past-05"), ..row("a commit past the hooks (default pack)", "past-05", "block", "git-skip-hooks") },
    Row { wish: |_| shell("git push --force origin branch-06"), ..row("a forced push (default pack)", "branch-06", "ask", "git-force-push") },
    Row { wish: |_| shell("./tools/copy --insecure marks/07"), trace: Trace::File("marks/07"), ..row("a command that runs rewritten", "marks/07", "rewrite", "copies-are-checked") },
    Row { wish: |_| shell("./tools/careful marks/08"), trace: Trace::File("marks/08"), ..row("a command with a warning", "marks/08", "warn", "be-careful") },
    Row { wish: |_| shell("./tools/deploy marks/09"), trace: Trace::File("marks/09"), ..row("a command a person decides about", "marks/09", "ask", "deploy-asks") },
    Row { wish: |work| Wish::Write(at(work, "note-10.txt"), "first words\n".into()), trace: Trace::File("note-10.txt"), ..row("a new file", "note-10.txt", "allow", "") },
    Row { wish: |work| Wish::Read(at(work, "note-10.txt")), trace: Trace::Told("first words"), ..row("a look into it", "note-10.txt", "allow", "") },
    Row { wish: |work| Wish::Edit(at(work, "note-10.txt"), "first words".into(), "other words".into()), trace: Trace::Text("note-10.txt", "other words"), ..row("a change in it", "note-10.txt", "allow", "") },
    Row { wish: |work| Wish::Write(at(work, "kept/13.txt"), "words\n".into()), trace: Trace::File("kept/13.txt"), ..row("a new file in a protected folder", "kept/13.txt", "block", "kept-stays") },
    Row { wish: |work| Wish::Read(at(work, "kept/old.txt")), trace: Trace::Told("old words"), ..row("a look into that folder", "kept/old.txt", "allow", "") },
    Row { wish: |work| Wish::Edit(at(work, "kept/old.txt"), "old words".into(), "changed-15".into()), trace: Trace::Text("kept/old.txt", "changed-15"), ..row("a change in that folder", "kept/old.txt", "block", "kept-stays") },
    Row { wish: |work| Wish::Read(at(work, "private/16.txt")), trace: Trace::Told("PRIVATE-16"), ..row("a look at a private file", "private/16.txt", "block", "private-stays-private") },
    Row { wish: |_| shell("cat private/17.txt"), trace: Trace::Told("PRIVATE-17"), ..row("the same by `cat`", "private/17.txt", "block", "private-stays-private") },
    Row { wish: |_| shell("echo x > kept/18.txt"), trace: Trace::File("kept/18.txt"), ..row("a write by redirection", "kept/18.txt", "block", "kept-stays") },
    Row { wish: |_| shell("cp note-10.txt kept/19.txt"), trace: Trace::File("kept/19.txt"), ..row("a write by `cp`", "kept/19.txt", "block", "kept-stays") },
    Row { wish: |_| shell("sed -i s/old/changed-20/ kept/20.txt"), trace: Trace::Text("kept/20.txt", "changed-20"), ..row("a change by `sed -i`", "kept/20.txt", "block", "kept-stays") },
    Row { wish: |work| Wish::Write(at(work, ".toolgate/policy.yaml"), "version: 1\n# 21\n".into()), trace: Trace::Text(".toolgate/policy.yaml", "# 21"), ..row("the policy itself", ".toolgate/policy.yaml", "block", "gate-self-protection") },
    Row { wish: |_| shell("cat tokens-22.txt"), trace: Trace::Told("last line 22"), ..row("a file with a token", "tokens-22.txt", "allow", "") },
    Row { wish: |_| Wish::Mcp("fx".into(), "echo".into(), json!({"text": "words-23"})), trace: Trace::Told("echo: words-23"), needs: Needs::Mcp, ..row("a tool of an MCP server", "echo", "allow", "") },
    Row { wish: |_| shell("touch marks/24"), trace: Trace::File("marks/24"), ..row("three calls at once: the first", "marks/24", "allow", "") },
    Row { wish: |_| shell("./tools/danger marks/25"), trace: Trace::File("marks/25"), together: true, ..row("three calls at once: a blocked one", "marks/25", "block", "no-danger") },
    Row { wish: |_| shell("touch marks/26"), trace: Trace::File("marks/26"), together: true, ..row("three calls at once: the last", "marks/26", "allow", "") },
    Row { wish: |_| shell("ls nowhere-27"), ..row("a command that fails", "nowhere-27", "allow", "") },
    Row { wish: |_| Wish::Agent(format!("{SUBTASK}: use the tool danger"), String::new()), needs: Needs::Handoff, ..row("work handed to a sub-agent", "", "allow", "") },
    Row { wish: |_| shell("./tools/danger marks/29"), trace: Trace::File("marks/29"), needs: Needs::Subagents, ..row("a blocked program in the sub-agent", "marks/29", "block", "no-danger") },
    Row { wish: |work| Wish::Mcp("fx".into(), "mark".into(), json!({"path": at(work, "marks/30")})), trace: Trace::File("marks/30"), needs: Needs::Mcp, ..row("a blocked tool of an MCP server", "mark", "block", "no-marks") },
];
