//! The packs that ship with the program. Adding one = one file in `policies/`
//! with its test page, one line here.

/// A set of rules that ships with the program.
#[derive(Debug, Clone, Copy)]
pub struct Pack {
    /// Its name in `packs:`.
    pub name: &'static str,
    /// Its text, a policy file.
    pub text: &'static str,
    /// Its test page: every rule with calls that match and calls that do not.
    page: &'static str,
}

/// A call on the page of a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackExample<'a> {
    /// The command.
    pub command: &'a str,
    /// What is decided about it.
    pub verdict: &'a str,
    /// Whether the rule is among those that decide.
    pub matches: bool,
    /// Labels the session has before the call, as on the page: `` after `secret` ``.
    pub after: Option<&'a str>,
}

/// The commands in the section of a rule. A case of the page is a line such as
/// ``- `COMMAND` → block (rule-id)``; the tests of the pages prove each one.
#[must_use]
pub fn pack_examples(pack: &str, rule: &str) -> Vec<PackExample<'static>> {
    let page = PACKS.iter().find(|one| one.name == pack).map_or("", |one| one.page);
    let Some((_, section)) = page.split_once(&format!("\n## {rule}\n")) else { return Vec::new() };
    let section = section.split("\n## ").next().unwrap_or_default();
    section.lines().filter_map(|line| example(line, rule)).collect()
}

fn example<'a>(line: &'a str, rule: &str) -> Option<PackExample<'a>> {
    let (command, decided) = line.strip_prefix("- `")?.split_once("` → ")?;
    let verdict = decided.split([' ', ':']).next()?;
    let by = decided.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or("", |(by, _)| by);
    let after = decided.split_once(" – ").map(|(_, remark)| remark).filter(|remark| is_labels(remark));
    Some(PackExample { command, verdict, matches: by.split(", ").any(|one| one == rule), after })
}

/// `` after `secret`, `untrusted` ``, and nothing else.
fn is_labels(remark: &str) -> bool {
    let is_label = |word: &str| {
        let name = word.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')).unwrap_or_default();
        name.starts_with(|c: char| c.is_ascii_lowercase()) && !name.contains(' ')
    };
    remark.strip_prefix("after ").is_some_and(|labels| labels.split(", ").all(is_label))
}

/// Every pack.
pub const PACKS: &[Pack] = &[
    Pack {
        name: "default",
        text: include_str!("../../../policies/default.yaml"),
        page: include_str!("../../../policies/default.md"),
    },
    Pack {
        name: "strict",
        text: include_str!("../../../policies/strict.yaml"),
        page: include_str!("../../../policies/strict.md"),
    },
    Pack {
        name: "relaxed",
        text: include_str!("../../../policies/relaxed.yaml"),
        page: include_str!("../../../policies/relaxed.md"),
    },
];

/// The pack of that name.
pub(crate) fn pack(name: &str) -> Option<&'static Pack> {
    PACKS.iter().find(|pack| pack.name == name)
}
