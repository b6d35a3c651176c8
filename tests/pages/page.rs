//! How a test page is written.
//!
//! A page is Markdown. Prose is prose; these are read:
//!
//! - a list item `` - `COMMAND` → VERDICT (RULE, RULE) ``; a rewrite names the outcome:
//!   `` → rewrite (RULE): `NEW COMMAND` ``; `` – `` and a remark may follow; `` – after `LABEL` `` judges it in
//!   a session that earned the label;
//! - the same with a file tool in front: `` - Write `PATH` → … ``, also `Read` and `Edit`;
//! - the same with any other tool: `` - Call `TOOL {"ARGUMENT": "VALUE"}` → … ``;
//! - a fenced `sh` block followed by a line `→ VERDICT (RULE)`, for commands of several lines;
//! - a fenced `yaml policy` block: the project's policy for the cases up to the next heading;
//! - a heading `Not yet`: from there to the end, each case must still be wrong.
//!
//! The rules in parentheses are exactly those that decided. What looks like a case and cannot be read is a
//! fault, never skipped.

use std::collections::BTreeSet;
use std::fmt;

/// How sternly prose is told from cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// The page of a pack: every list item that starts with code is a case, and so is every `sh` block.
    Pack,
    /// Any other page: only what has an arrow is a case.
    Doc,
}

/// What a case says must come out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    pub verdict: String,
    pub ids: BTreeSet<String>,
    pub rewritten: Option<String>,
    /// What the session is remembered by beforehand.
    pub labels: Vec<String>,
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids: Vec<&str> = self.ids.iter().map(String::as_str).collect();
        write!(f, "{} ({})", self.verdict, ids.join(", "))?;
        self.rewritten.as_ref().map_or(Ok(()), |new| write!(f, ": {new}"))
    }
}

/// One case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// `page:line`.
    pub place: String,
    /// The last heading of level two above it.
    pub section: String,
    /// `Bash`, `Write`, `Read`, `Edit`, or `Call` for any other.
    pub tool: String,
    /// The command or the path; the tool and its input for any other.
    pub subject: String,
    /// The project's policy; the default pack alone if there is none.
    pub policy: Option<String>,
    pub expected: Expected,
    pub not_yet: bool,
}

impl Case {
    pub fn title(&self) -> String {
        if self.tool == "Bash" { self.subject.clone() } else { format!("{} {}", self.tool, self.subject) }
    }
}

/// One page.
#[derive(Debug, PartialEq, Eq)]
pub struct Page {
    pub name: String,
    pub cases: Vec<Case>,
}

const VERDICTS: &[&str] = &["allow", "warn", "rewrite", "delay", "ask", "check", "block"];
const FILE_TOOLS: &[&str] = &["Write", "Read", "Edit", "Call"];

/// Reads a page, or says everything that is wrong with it.
pub fn parse(name: &str, text: &str, strictness: Strictness) -> Result<Page, Vec<String>> {
    let mut reader = Reader { name, strictness, ..Reader::new() };
    for (at, line) in text.lines().enumerate() {
        reader.line(at + 1, line);
    }
    reader.end(text.lines().count());
    if reader.faults.is_empty() {
        Ok(Page { name: name.to_owned(), cases: reader.cases })
    } else {
        Err(reader.faults)
    }
}

struct Reader<'a> {
    name: &'a str,
    strictness: Strictness,
    section: String,
    policy: Option<String>,
    not_yet: bool,
    fence: Option<Fence>,
    /// A `sh` block that waits for its verdict.
    script: Option<(usize, String)>,
    cases: Vec<Case>,
    faults: Vec<String>,
}

struct Fence {
    mark: String,
    info: String,
    line: usize,
    body: Vec<String>,
}

impl<'a> Reader<'a> {
    fn new() -> Reader<'a> {
        Reader {
            name: "",
            strictness: Strictness::Pack,
            section: String::new(),
            policy: None,
            not_yet: false,
            fence: None,
            script: None,
            cases: Vec::new(),
            faults: Vec::new(),
        }
    }

    fn fault(&mut self, line: usize, what: &str) {
        self.faults.push(format!("{}:{line}: {what}", self.name));
    }

    fn line(&mut self, at: usize, line: &str) {
        if let Some(mut fence) = self.fence.take() {
            if line.trim() == fence.mark {
                self.fenced(&fence);
            } else {
                fence.body.push(line.to_owned());
                self.fence = Some(fence);
            }
            return;
        }
        let text = line.trim();
        if text.starts_with("```") {
            let mark: String = text.chars().take_while(|c| *c == '`').collect();
            let info = text.trim_start_matches('`').trim().to_owned();
            self.script_is_over();
            self.fence = Some(Fence { mark, info, line: at, body: Vec::new() });
        } else if let Some(expectation) = text.strip_prefix('→') {
            self.verdict_of_script(at, expectation);
        } else if !text.is_empty() {
            self.script_is_over();
            self.prose_or_case(at, line);
        }
    }

    fn prose_or_case(&mut self, at: usize, line: &str) {
        if line.starts_with('#') {
            self.heading(line);
        } else if self.looks_like_a_case(line) {
            match self.case(at, line) {
                Ok(case) => self.cases.push(case),
                Err(what) => self.fault(at, &what),
            }
        }
    }

    fn heading(&mut self, line: &str) {
        let level = line.chars().take_while(|c| *c == '#').count();
        let title = line.trim_start_matches('#').trim().trim_matches('`');
        self.policy = None;
        self.not_yet |= title == "Not yet";
        if level <= 2 {
            title.clone_into(&mut self.section);
        }
    }

    /// Any list item that begins like a case, whatever its bullet or indentation: better a fault than a
    /// case that is never run.
    fn looks_like_a_case(&self, line: &str) -> bool {
        let text = line.trim();
        let Some(item) = ["- ", "* ", "+ "].iter().find_map(|bullet| text.strip_prefix(bullet)) else {
            return false;
        };
        let item = item.trim_start();
        let first = item.split_whitespace().next().unwrap_or_default();
        let begins = item.starts_with('`') || FILE_TOOLS.contains(&first);
        let outside: String = item.split('`').step_by(2).collect();
        let has_arrow = ["→", "->", "=>"].iter().any(|arrow| outside.contains(arrow));
        has_arrow || begins && self.strictness == Strictness::Pack
    }

    fn case(&self, at: usize, line: &str) -> Result<Case, String> {
        let item = line.strip_prefix("- ").ok_or("a case starts with `- ` at the beginning of the line")?;
        let named =
            FILE_TOOLS.iter().find_map(|tool| Some((*tool, item.strip_prefix(tool)?.strip_prefix(' ')?)));
        let (tool, rest) = named.unwrap_or(("Bash", item));
        let (subject, rest) = code(rest).ok_or("a case begins with a command in backticks")?;
        if subject.trim().is_empty() {
            return Err("the command is empty".to_owned());
        }
        let expectation = rest.trim_start().strip_prefix('→').ok_or("after the command comes `→`")?;
        Ok(self.make(at, tool, &subject, expected(expectation)?))
    }

    fn make(&self, at: usize, tool: &str, subject: &str, expected: Expected) -> Case {
        Case {
            place: format!("{}:{at}", self.name),
            section: self.section.clone(),
            tool: tool.to_owned(),
            subject: subject.to_owned(),
            policy: self.policy.clone(),
            expected,
            not_yet: self.not_yet,
        }
    }

    fn fenced(&mut self, fence: &Fence) {
        let body = fence.body.join("\n");
        match fence.info.as_str() {
            "yaml policy" => self.policy = Some(body + "\n"),
            "sh" => self.script = Some((fence.line, body)),
            _ => {}
        }
    }

    /// Something else came where the verdict of a script should stand.
    fn script_is_over(&mut self) {
        if let Some((line, _)) = self.script.take()
            && self.strictness == Strictness::Pack
        {
            self.fault(line, "after this `sh` block comes a line `→ VERDICT (RULE)`");
        }
    }

    fn verdict_of_script(&mut self, at: usize, expectation: &str) {
        let Some((line, script)) = self.script.take() else {
            self.fault(at, "a verdict without a `sh` block before it");
            return;
        };
        match expected(expectation) {
            Ok(expected) => self.cases.push(self.make(line, "Bash", &script, expected)),
            Err(what) => self.fault(at, &what),
        }
    }

    fn end(&mut self, lines: usize) {
        self.script_is_over();
        if self.fence.is_some() {
            self.fault(lines, "a fenced block has no end");
        }
    }
}

/// A code span at the start of `text`, and what follows it. As in Markdown, a span may be fenced by several
/// backticks, and one blank on both sides is not part of it.
fn code(text: &str) -> Option<(String, &str)> {
    let mark: String = text.chars().take_while(|c| *c == '`').collect();
    if mark.is_empty() {
        return None;
    }
    let inner = text.strip_prefix(mark.as_str())?;
    let end = closing(inner, mark.len())?;
    let (content, rest) = inner.split_at_checked(end)?;
    let padded = content.strip_prefix(' ').and_then(|content| content.strip_suffix(' '));
    let content = padded.filter(|content| !content.trim().is_empty()).unwrap_or(content);
    Some((content.to_owned(), rest.strip_prefix(mark.as_str())?))
}

/// Where a run of exactly `length` backticks begins.
fn closing(text: &str, length: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text.get(at..)?.find('`') {
        let start = at + found;
        let run = text.get(start..)?.chars().take_while(|c| *c == '`').count();
        if run == length {
            return Some(start);
        }
        at = start + run;
    }
    None
}

/// `VERDICT (RULE, RULE): `NEW` – remark`.
fn expected(text: &str) -> Result<Expected, String> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(text.len());
    let (verdict, rest) = text.split_at(end);
    if !VERDICTS.contains(&verdict) {
        return Err(format!("`{text}` begins with no verdict; one of: {}", VERDICTS.join(", ")));
    }
    let (ids, rest) = ids(rest.trim_start())?;
    let (rewritten, rest) = match rest.strip_prefix(':') {
        Some(rest) => {
            let (new, rest) =
                code(rest.trim_start()).ok_or("after `:` comes the new command in backticks")?;
            (Some(new), rest)
        }
        None => (None, rest),
    };
    let rest = rest.trim_start();
    if !rest.is_empty() && !rest.starts_with("– ") {
        return Err(format!("`{rest}` is too much; a remark begins with `– `"));
    }
    if verdict != "allow" && ids.is_empty() {
        return Err(format!("`{verdict}` without the rule that says so, in parentheses"));
    }
    if (verdict == "rewrite") != rewritten.is_some() {
        return Err("`modify` and only `modify` names the new command after `:`".to_owned());
    }
    let labels = labels(rest);
    Ok(Expected { verdict: verdict.to_owned(), ids, rewritten, labels })
}

/// The labels a remark names: `` – after `untrusted` and `secret` ``.
fn labels(remark: &str) -> Vec<String> {
    let Some(list) = remark.strip_prefix("– after ") else { return Vec::new() };
    list.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn ids(text: &str) -> Result<(BTreeSet<String>, &str), String> {
    let Some(inner) = text.strip_prefix('(') else { return Ok((BTreeSet::new(), text)) };
    let (list, rest) = inner.split_once(')').ok_or("the parenthesis is not closed")?;
    let ids: BTreeSet<String> = list.split(',').map(|id| id.trim().to_owned()).collect();
    let is_id = |id: &String| {
        !id.is_empty()
            && id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c))
    };
    match ids.iter().find(|id| !is_id(id)) {
        Some(odd) => Err(format!("`{odd}` is not a valid rule id")),
        None => Ok((ids, rest)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Case, Strictness, parse};

    fn cases(text: &str) -> Vec<Case> {
        parse("p.md", text, Strictness::Pack).expect("a page").cases
    }

    #[track_caller]
    fn fault(text: &str, wanted: &str) {
        let faults = parse("p.md", text, Strictness::Pack).expect_err(text);
        assert!(faults.iter().any(|fault| fault.contains(wanted)), "{text}: {faults:?}");
    }

    #[test]
    fn a_line_is_a_case() {
        let all = cases("# Page\n\n## `a-rule`\nprose → prose\n\n- `rm -rf /` → block (a, b-2) – because\n");
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].place, "p.md:6");
        assert_eq!(all[0].section, "a-rule");
        assert_eq!(all[0].title(), "rm -rf /");
        assert_eq!(all[0].expected.to_string(), "block (a, b-2)");
        assert_eq!(all[0].policy, None);
    }

    #[test]
    fn file_tools_and_rewrites_and_backticks_are_read() {
        let all = cases("- Write `a b` → allow\n- `x -n` → rewrite (r): `x`\n- `` echo `id` `` → allow\n");
        assert_eq!(all[0].title(), "Write a b");
        assert_eq!(all[1].expected.rewritten.as_deref(), Some("x"));
        assert_eq!(all[2].subject, "echo `id`");
    }

    #[test]
    fn a_script_takes_its_verdict_from_the_line_below() {
        let all = cases("```sh\ncd x\nrm y\n```\n\n→ ask (r)\n");
        assert_eq!(all[0].subject, "cd x\nrm y");
        assert_eq!(all[0].place, "p.md:1");
    }

    #[test]
    fn a_policy_holds_up_to_the_next_heading() {
        let all = cases("```yaml policy\nversion: 1\n```\n- `a` → allow\n### B\n- `b` → allow\n");
        assert_eq!(all[0].policy.as_deref(), Some("version: 1\n"));
        assert_eq!(all[1].policy, None);
    }

    #[test]
    fn not_yet_holds_to_the_end() {
        let all = cases("- `a` → allow\n## Not yet\n- `b` → allow\n### More\n- `c` → allow\n");
        assert_eq!(all.iter().map(|case| case.not_yet).collect::<Vec<_>>(), [false, true, true]);
    }

    #[test]
    fn what_cannot_be_read_is_a_fault() {
        fault("- `a` -> block (r)\n", "comes `→`");
        fault("- `a`\n", "comes `→`");
        fault("- `a → block (r)\n", "in backticks");
        fault("- a → block (r)\n", "in backticks");
        fault("- `` → block (r)\n", "in backticks");
        fault("- ` ` → allow\n", "empty");
        fault("* `a` → allow\n", "starts with `- `");
        fault("  - `a` → allow\n", "starts with `- `");
        fault("- Delete `a` → allow\n", "in backticks");
        fault("- Write a → allow\n", "in backticks");
        fault("- `a` → forbid (r)\n", "no verdict");
        fault("- `a` →\n", "no verdict");
        fault("- `a` → block\n", "without the rule");
        fault("- `a` → block (r\n", "not closed");
        fault("- `a` → block (R!)\n", "not a valid rule id");
        fault("- `a` → block ()\n", "not a valid rule id");
        fault("- `a` → block (r) oops\n", "too much");
        fault("- `a` → rewrite (r)\n", "names the new command");
        fault("- `a` → rewrite (r): b\n", "in backticks");
        fault("- `a` → allow: `b`\n", "names the new command");
    }

    #[test]
    fn blocks_that_hang_in_the_air_are_faults() {
        fault("```sh\na\n```\n\nprose\n", "after this `sh` block");
        fault("```sh\na\n```\n", "after this `sh` block");
        fault("→ allow\n", "without a `sh` block");
        fault("```sh\na\n", "no end");
    }

    #[test]
    fn every_fault_is_told() {
        let faults =
            parse("p.md", "- `a` → x\n- `b` → allow\n- `c` → y\n", Strictness::Pack).expect_err("faults");
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(faults[1].starts_with("p.md:3: "));
    }

    #[test]
    fn other_pages_may_list_code() {
        let page = parse("d.md", "- `mode`: how\n```sh\nls\n```\n- `ls` → allow\n", Strictness::Doc)
            .expect("a page");
        assert_eq!(page.cases.len(), 1);
    }
}
