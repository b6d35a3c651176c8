//! What a call would do, read from it: commands, files, what could not be
//! understood. A file written by a redirect, by `tee` or by the Write tool is
//! the same fact.
//!
//! Reading facts is pure. Where symlinks lead is filled in afterwards by
//! `toolgate-runtime` through [`FileFact::real`].

use crate::call::{Call, Kind};
use crate::lines::Lines;
use crate::path::{absolute, kept};
use crate::places::Places;
use crate::scratch::Scratch;
use crate::unsaved::Unsaved;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use toolgate_shell::{
    Command, EffectKind, Reach, ReadContext, Reading, SmolStr, Word, reach_of, read, read_powershell,
};

/// What happens to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Access {
    /// It is read.
    Read,
    /// It is made where there is none; what is there stays.
    Create,
    /// It is created or changed.
    Write,
    /// Only in rules: it is there and changes, or that cannot be told.
    Change,
    /// It is deleted.
    Delete,
    /// It is deleted with everything below it.
    DeleteTree,
}

impl Access {
    /// The name used in policies and texts.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Access::Read => "read",
            Access::Create => "create",
            Access::Write => "write",
            Access::Change => "change",
            Access::Delete => "delete",
            Access::DeleteTree => "delete-tree",
        }
    }

    /// Every access, for rules that name none.
    pub(crate) const ALL: [Access; 6] =
        [Access::Read, Access::Create, Access::Write, Access::Change, Access::Delete, Access::DeleteTree];

    /// The words of rules that speak of this fact: making a file is writing,
    /// but it changes none.
    pub(crate) fn words(self) -> &'static [Access] {
        match self {
            Access::Read => &[Access::Read],
            Access::Create => &[Access::Create, Access::Write],
            Access::Write | Access::Change => &[Access::Write, Access::Change],
            Access::Delete => &[Access::Delete],
            // With a folder every file in it is deleted.
            Access::DeleteTree => &[Access::DeleteTree, Access::Delete],
        }
    }

    fn of(kind: EffectKind) -> Option<Access> {
        match kind {
            EffectKind::ReadsFile | EffectKind::SendsFile | EffectKind::QuotesFile => Some(Access::Read),
            EffectKind::CreatesFile => Some(Access::Create),
            EffectKind::WritesFile | EffectKind::ChangesAccess => Some(Access::Write),
            EffectKind::DeletesFile | EffectKind::DeletesBelow => Some(Access::Delete),
            EffectKind::DeletesTree => Some(Access::DeleteTree),
            _ => None,
        }
    }
}

/// One file a call would touch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFact {
    /// What happens to it.
    pub access: Access,
    /// The path as the caller wrote it.
    pub written: SmolStr,
    /// The path made absolute and cleaned; for a pattern, with the pattern.
    pub path: SmolStr,
    /// The same with its `.` and `..` left in, where it has some: behind a
    /// symlink they mean another place than they seem to.
    pub raw: Option<String>,
    /// Where it really leads once symlinks are followed, if that differs.
    pub real: Option<String>,
    /// Where its name is once the links of its folder are followed, if that differs: the
    /// project under another name is the project.
    pub spelled: Option<String>,
    /// Whether it is there; `None` if no one looked or it could not be told.
    pub exists: Option<bool>,
    /// What of it is nowhere else and would be lost; filled in where files are deleted or
    /// replaced.
    pub unsaved: Option<Box<Unsaved>>,
    /// False when part of the path cannot be known.
    pub exact: bool,
    /// True when the path is a pattern.
    pub glob: bool,
    /// Whether the same happens to what lies below it.
    pub below: Reach,
    /// Index of the command in the reading, for shell calls.
    pub command: Option<usize>,
}

impl FileFact {
    /// Whether other files are touched as well: those below it, or those its pattern means.
    pub(crate) fn reaches_below(&self) -> bool {
        self.below != Reach::Itself || self.glob
    }

    /// The path as written and, if a symlink leads elsewhere, where it leads.
    pub fn targets(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.path.as_str()).chain(self.real.as_deref())
    }

    /// Where it lies, whatever its folder is called, and where it leads.
    pub(crate) fn locations(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.spelled.as_deref().unwrap_or(&self.path)).chain(self.real.as_deref())
    }
}

/// Everything read from one call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// The commands of a shell call, and what could not be read of it.
    pub reading: Reading,
    /// Each command in its normal form, same order: what patterns see.
    normal: Lines,
    /// Every file the call would touch.
    pub files: Vec<FileFact>,
    /// Addresses a tool that is no command would reach, whether it sends something there, and what
    /// else it does.
    pub reached: Vec<(EffectKind, SmolStr)>,
}

impl Facts {
    /// Reads a call.
    #[must_use]
    pub fn of(call: &Call, places: &Places) -> Facts {
        match &call.kind {
            Kind::Shell { command, .. } => {
                let mut facts = of_shell(command, call, places);
                // `mcp__ssh__exec { hostname, command }` runs it there.
                if call.tool.starts_with("mcp__") {
                    facts.reached = crate::mcp_hosts::of_input(&call.input);
                }
                facts
            }
            Kind::File { access, paths } => {
                let mut files: Vec<FileFact> =
                    paths.iter().map(|path| of_path(*access, path, &call.dir, places)).collect();
                // What searches reads every file below.
                if *access == Access::Read && call.tool == "Grep" {
                    files.iter_mut().for_each(|file| file.below = Reach::Some);
                }
                Facts { files, ..Facts::default() }
            }
            Kind::Files { files } => {
                let files =
                    files.iter().map(|(access, path)| of_path(*access, path, &call.dir, places)).collect();
                Facts { files, ..Facts::default() }
            }
            Kind::Mcp { server, tool } => {
                let text = crate::mcp_commands::of_input(server, tool, &call.input);
                let mut facts = text.map(|text| of_shell(&text, call, places)).unwrap_or_default();
                let named = crate::mcp_files::of_input(server, tool, &call.input);
                facts.files.extend(named.iter().map(|(access, below, path)| FileFact {
                    below: *below,
                    ..of_path(*access, path, &call.dir, places)
                }));
                facts.reached = crate::mcp_hosts::of_input(&call.input);
                // What is deleted here is known better than by a verb.
                let deletes =
                    named.iter().any(|(access, _, _)| matches!(access, Access::Delete | Access::DeleteTree));
                let effects = crate::mcp_cards::of_input(server, tool, &call.input);
                let is_more =
                    |(kind, _): &(EffectKind, SmolStr)| !deletes || *kind != EffectKind::DestroysRemote;
                facts.reached.extend(effects.into_iter().filter(is_more));
                facts
            }
            Kind::Fetch { url } => {
                let path = crate::mcp_files::local_file(url);
                let files: Vec<FileFact> =
                    path.iter().map(|path| of_path(Access::Read, path, &call.dir, places)).collect();
                let reached = (path.is_none() && !url.trim().is_empty())
                    .then(|| (EffectKind::ReachesHost, SmolStr::from(url.as_str())));
                Facts { files, reached: reached.into_iter().collect(), ..Facts::default() }
            }
            _ => Facts::default(),
        }
    }

    /// The normal form of a command.
    #[must_use]
    pub fn normal(&self, at: usize) -> &str {
        self.normal.get(at).unwrap_or_default()
    }

    /// The command that takes what git does not track, and whether it takes
    /// what git ignores as well.
    #[must_use]
    pub fn takes_untracked(&self) -> Option<(usize, bool)> {
        let takes =
            |command: &Command| command.effects.iter().any(|one| one.kind == EffectKind::TakesUntracked);
        let all = |command: &Command| {
            command.usage.flags.iter().any(|flag| flag.name == "-a" || flag.name.starts_with("--al"))
        };
        self.commands().find(|(_, command)| takes(command)).map(|(at, command)| (at, all(command)))
    }

    /// The commands with their index.
    pub fn commands(&self) -> impl Iterator<Item = (usize, &Command)> {
        self.reading.commands.iter().map(AsRef::as_ref).enumerate()
    }
}

fn of_shell(text: &str, call: &Call, places: &Places) -> Facts {
    let dir = call.dir.as_str();
    let project = places.workspace.first().cloned();
    let files = call.scripts.iter().map(|one| (one.path.as_str().into(), one.text.clone())).collect();
    let setting = ReadContext { home: places.home.clone(), pwd: Some(dir.to_owned()), project, files };
    let is_powershell = ["powershell", "pwsh"].iter().any(|name| name.eq_ignore_ascii_case(&call.tool));
    let mut reading = if is_powershell { read_powershell(text, &setting) } else { read(text, &setting) };
    drop_scratch_losses(&mut reading);
    let home = places.home.as_deref();
    let mut files: Vec<FileFact> = Vec::with_capacity(reading.commands.len().saturating_mul(2));
    // Commands that follow each other mostly run in the same folder.
    let mut base: Option<(SmolStr, String)> = None;
    let scratch = Scratch::of(&reading, places);
    for (at, command) in reading.commands.iter().enumerate() {
        let known = base.as_ref().map(|(written, _)| written);
        if let Some(word) = command.dir.as_ref().filter(|word| known != Some(&word.text)) {
            let made = scratch.folder(&word.text);
            base = Some((word.text.clone(), made.unwrap_or_else(|| absolute(&word.text, dir))));
        }
        let base = command.dir.as_ref().and(base.as_ref()).map_or(dir, |(_, base)| base);
        files.extend(files_of(at, command, base, home, &scratch));
    }
    let elsewhere = crate::path_aliases::of(&reading.commands, &files, dir);
    files.extend(elsewhere);
    let mut normal = Lines::with_room(reading.commands.len());
    for command in &reading.commands {
        normal.add(|line| command.add_normal(line));
    }
    Facts { reading, normal, files, reached: Vec::new() }
}

/// In a folder that was just made for throw-away files there is no work to lose:
/// `cd "$(mktemp -d)" && git init && … git reset --hard`. Others may be links.
fn drop_scratch_losses(reading: &mut Reading) {
    let loses = |kind: EffectKind| matches!(kind, EffectKind::DiscardsWork | EffectKind::DiscardsNamedWork);
    let made = |dir: &Word| {
        let here = ["$(mktemp", "`mktemp"].iter().any(|sign| dir.text.starts_with(sign));
        here && !dir.text.contains("..")
    };
    // Another repository may be named in the command itself.
    let elsewhere = |command: &Command| {
        command.usage.has("--git-dir")
            || command.usage.has("--work-tree")
            || command.assignments.iter().any(|one| one.name.starts_with("GIT_"))
    };
    for command in &mut reading.commands {
        let scratch = command.dir.as_ref().is_some_and(made) && !elsewhere(command);
        if scratch && command.effects.iter().any(|one| loses(one.kind)) {
            Arc::make_mut(command).effects.retain(|one| !loses(one.kind));
        }
    }
}

fn files_of<'a>(
    at: usize,
    command: &'a Command,
    base: &'a str,
    home: Option<&'a str>,
    scratch: &'a Scratch<'a>,
) -> impl Iterator<Item = FileFact> + use<'a> {
    command.effects.iter().filter_map(move |effect| {
        let access = Access::of(effect.kind)?;
        let target = effect.target.as_ref()?;
        let known = scratch.file(target, command.dir.as_ref()).or_else(|| home_of_user(target, home));
        let below = reach_of(command, effect);
        Some(file_fact(at, (access, below), known.as_ref().unwrap_or(target), command.dir.as_ref(), base))
    })
}

/// `~root` and `~$USER`: the home of a user by name, which the reader leaves as
/// it is written. Homes lie next to each other.
fn home_of_user(target: &Word, home: Option<&str>) -> Option<Word> {
    let text = target.text.strip_prefix('~').filter(|_| !target.exact)?;
    let (user, rest) = text.split_at(text.find('/').unwrap_or(text.len()));
    if user == "+" {
        // The folder the command runs in.
        let exact = !rest.contains(['$', '`']);
        return Some(Word { text: format!(".{rest}").into(), exact, ..target.clone() });
    }
    let home = home?;
    let own = ["$USER", "${USER}", "$LOGNAME", "${LOGNAME}", "$(whoami)", "$(id -un)", "`whoami`"];
    let plain =
        !user.is_empty() && user.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
    let folder = match user {
        "root" => "/root".to_owned(),
        user if own.contains(&user) => home.to_owned(),
        user if plain && user.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') => {
            format!("{}/{user}", home.rsplit_once('/').map_or("", |(homes, _)| homes))
        }
        _ => return None,
    };
    Some(Word { text: format!("{folder}{rest}").into(), exact: !rest.contains(['$', '`']), ..target.clone() })
}

/// `base` is the folder the command runs in, `dir` how that was written.
fn file_fact(
    at: usize,
    (access, below): (Access, Reach),
    target: &Word,
    dir: Option<&Word>,
    base: &str,
) -> FileFact {
    let base_exact = dir.is_none_or(|word| word.exact);
    let exact = target.exact && (base_exact || target.text.starts_with('/'));
    let plain = target.glob.then(|| without_single_choices(&target.text));
    let text = plain.as_deref().unwrap_or(&target.text);
    // Every file below a folder, at any depth: nothing of it is left.
    let all = access == Access::Delete && target.text.ends_with("/**");
    let path = kept(text, base);
    // `cd .clau*; rm x`: the folder is one of those the pattern names.
    let in_pattern = dir.is_some_and(|word| word.glob) && !text.starts_with('/');
    FileFact {
        access: if all { Access::DeleteTree } else { access },
        written: target.text.clone(),
        raw: raw_of(text, base, &path),
        path,
        real: None,
        spelled: None,
        exists: None,
        unsaved: None,
        exact,
        glob: in_pattern || target.glob && (text == target.text || text.contains(['*', '?', '[', '{', '('])),
        below: if all { Reach::All } else { below },
        command: Some(at),
    }
}

/// A pattern without the choices that are none: `.[e]nv` is `.env`.
fn without_single_choices(pattern: &str) -> String {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('[') {
        out.push_str(before);
        let mut inside = after.chars();
        let only = inside.next().filter(|found| !matches!(found, '!' | '^' | ']' | '*' | '?' | '['));
        match (only, inside.next()) {
            (Some(only), Some(']')) => {
                out.push(only);
                rest = inside.as_str();
            }
            _ => {
                out.push('[');
                rest = after;
            }
        }
    }
    out + rest
}

fn of_path(access: Access, path: &str, dir: &str, places: &Places) -> FileFact {
    let full = match (path.strip_prefix("~/"), &places.home) {
        (Some(rest), Some(home)) => format!("{home}/{rest}"),
        _ => path.to_owned(),
    };
    let clean = kept(&full, dir);
    FileFact {
        access,
        written: path.into(),
        raw: raw_of(&full, dir, &clean),
        path: clean,
        real: None,
        spelled: None,
        exists: None,
        unsaved: None,
        exact: true,
        // Only what searches takes a pattern; a file is written by its name.
        glob: access == Access::Read && path.contains(['*', '?', '{', '[']),
        below: Reach::Itself,
        command: None,
    }
}

/// `path` seen from `dir` as it is, unless that is `clean`, which nothing was
/// taken out of then.
fn raw_of(path: &str, dir: &str, clean: &str) -> Option<String> {
    let rooted = path.starts_with('/');
    let length = if rooted { path.len() } else { dir.len() + 1 + path.len() };
    if length == clean.len() && (rooted || dir.starts_with('/')) {
        return None;
    }
    Some(if rooted { path.to_owned() } else { [dir, "/", path].concat() })
}
