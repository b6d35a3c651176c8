//! What each program's words mean and what it would do: one file per family.
//!
//! A model is data (option tables) and one function from the sorted words to
//! effects. A program without a model gets the generic reading. Adding one =
//! one file, one line in [`MODELS`], one case in the tests.

mod addresses;
mod aliases;
mod archive;
mod by_name;
mod cloud;
mod code_hosts;
mod connection;
mod container;
mod database;
mod disk;
mod dumps;
mod elsewhere;
pub(crate) mod fd;
mod files;
pub(crate) mod find;
mod formatters;
mod git;
mod git_work;
mod groups;
mod help;
mod lookup;
mod machine;
mod network;
mod outputs;
mod packages;
mod patches;
mod process;
mod reach;
mod readers;
mod records;
mod requests;
mod secret_stores;
mod socket;
pub(crate) mod sql;
mod sql_parsed;
mod subcommands;
mod user;

pub use aliases::canonical_sub;
pub use code_hosts::hosts_in_code;
pub use connection::{Connection, connection, given_port};
pub(crate) use files::{copies, moves};
pub use groups::{is_group, is_path};
pub use lookup::{
    canonical_flag, find_flag, has_other_spellings, is_subcommand, is_surely_subcommand, other_first_words,
};
pub use patches::patched_files;
pub use reach::{Reach, reach_of};
pub use readers::shows_files;
pub use records::identity;
use smol_str::SmolStr;
use std::collections::HashSet;
pub use subcommands::known_subcommands;

use crate::effect_kind::EffectKind;
use crate::options::{self, Spec};
use crate::reading::{Command, Effect, RedirectKind, Usage, Word};

/// How one family of programs is read.
pub(crate) struct Model {
    /// The programs, by base name.
    pub(crate) names: &'static [&'static str],
    /// Options in front of the subcommand, or all of them.
    pub(crate) spec: Spec,
    /// Subcommands with their option tables; several names with `|`. The name
    /// `*` represents every other. Empty: the program has none. A table that
    /// starts with `!` ends at the first operand (`docker exec web rm -r x`).
    pub(crate) subs: &'static [(&'static str, &'static str)],
    /// First words that need a second one: `compose` of `docker compose down`.
    pub(crate) groups: &'static [&'static str],
    /// What the command would do, beyond its redirects.
    /// The second argument is the text it reads on its input, if that is known.
    pub(crate) effects: fn(&Command, Option<&str>) -> Effects,
}

/// A model without subcommands.
const fn plain(
    names: &'static [&'static str],
    options: &'static str,
    effects: fn(&Command, Option<&str>) -> Effects,
) -> Model {
    let spec = Spec { options, leading: false, short_names: true, one_dash: false };
    Model { names, spec, subs: &[], groups: &[], effects }
}

/// Effects under collection.
#[derive(Debug, Default)]
pub(crate) struct Effects(pub(crate) Vec<Effect>);

impl Effects {
    pub(crate) fn none() -> Effects {
        Effects::default()
    }

    pub(crate) fn of<'a>(kind: EffectKind, targets: impl IntoIterator<Item = &'a Word>) -> Effects {
        let mut effects = Effects::none();
        effects.on_each(kind, targets);
        effects
    }

    pub(crate) fn add(&mut self, kind: EffectKind) {
        self.0.push(Effect { kind, target: None });
    }

    pub(crate) fn on(&mut self, kind: EffectKind, target: &Word) {
        self.0.push(Effect { kind, target: Some(target.clone()) });
    }

    pub(crate) fn on_each<'a>(&mut self, kind: EffectKind, targets: impl IntoIterator<Item = &'a Word>) {
        for target in targets {
            self.on(kind, target);
        }
    }
}

/// Every model. A program has one (tested in `by_name`).
const MODELS: &[&[Model]] = &[
    git::MODELS,
    files::MODELS,
    readers::MODELS,
    find::MODELS,
    fd::MODELS,
    formatters::MODELS,
    outputs::MODELS,
    network::MODELS,
    socket::MODELS,
    packages::MODELS,
    user::MODELS,
    process::MODELS,
    database::MODELS,
    dumps::MODELS,
    archive::MODELS,
    disk::MODELS,
    container::MODELS,
    cloud::MODELS,
    elsewhere::MODELS,
    machine::MODELS,
    secret_stores::MODELS,
];

/// Every program with a model, and every subcommand with options of its own:
/// `git`, `git commit`, `docker compose down`.
#[must_use]
pub fn known_commands() -> Vec<String> {
    let mut all = Vec::new();
    for model in MODELS.iter().flat_map(|family| family.iter()) {
        for name in model.names {
            all.push((*name).to_string());
            let subs = model.subs.iter().flat_map(|(subs, _)| subs.split('|'));
            all.extend(subs.filter(|sub| *sub != "*").map(|sub| format!("{name} {sub}")));
        }
    }
    all
}

/// For programs no one described.
const GENERIC: Model = Model {
    names: &[],
    spec: Spec { options: "", leading: false, short_names: false, one_dash: false },
    subs: &[],
    groups: &[],
    effects: |_, _| Effects::none(),
};

/// `/usr/bin/rm` → `rm`; `git.exe` → `git`.
pub(crate) fn base_name(path: &str) -> &str {
    let from = path.bytes().rposition(|byte| byte == b'/').map_or(0, |at| at + 1);
    let name = path.get(from..).unwrap_or(path);
    name.strip_suffix(".exe").unwrap_or(name)
}

fn model_of(program: &str) -> &'static Model {
    // Asked of every command: two looks at the beginning cost less than a search for the dot.
    let program = if program.starts_with("mkfs.") {
        "mkfs"
    } else if program.starts_with("pip3.") {
        "pip"
    } else {
        program
    };
    by_name::find(program).unwrap_or(&GENERIC)
}

/// Is this a program someone described? What others do with their words no one knows.
#[must_use]
pub fn is_known(program: &str) -> bool {
    !model_of(program).names.is_empty()
}

/// Fills in `usage` and `effects`. `input` is the text the command reads from
/// a pipe, if it is known.
pub(crate) fn study(command: &mut Command, input: Option<&str>) {
    let model = model_of(&command.program);
    command.usage = usage_of(&command.program, command.words.get(1..).unwrap_or_default(), model);
    let mut effects = redirect_effects(command);
    if !command.program.is_empty() {
        let here = command
            .redirects
            .iter()
            .rev()
            .find(|one| matches!(one.kind, RedirectKind::HereDoc | RedirectKind::HereString));
        let input = here.map(|one| one.target.text.as_str()).or(input);
        let helps =
            help::is_named(command) && help::only(command, &sub_spec(model, &command.usage.subcommand));
        let own = if helps { Vec::new() } else { (model.effects)(command, input).0 };
        if effects.is_empty() {
            effects = own;
        } else {
            effects.extend(own);
        }
        secret_stores::reveal(command, &mut effects);
        addresses::reveal(command, &mut effects);
    } else {
        effects.extend(unnamed(command));
    }
    for effect in &mut effects {
        if effect.kind == EffectKind::WritesFile
            && effect.target.as_ref().is_some_and(|word| is_disk(&word.text))
        {
            effect.kind = EffectKind::WipesDevice;
        }
    }
    if !command.assignments.is_empty() && git::commits_past_hooks(command) {
        effects.push(Effect { kind: EffectKind::SkipsCommitHooks, target: None });
    }
    command.effects = without_repeats(effects);
}

/// So few effects are compared with each other.
const FEW: usize = 8;

fn is_same(one: &Effect, other: &Effect) -> bool {
    one.kind == other.kind
        && match (&one.target, &other.target) {
            (Some(one), Some(other)) => one.text == other.text && one.exact == other.exact,
            (one, other) => one.is_none() && other.is_none(),
        }
}

fn without_repeats(mut effects: Vec<Effect>) -> Vec<Effect> {
    if effects.len() <= FEW {
        let mut at = 1;
        while let Some((effect, known)) = effects.get(..=at).and_then(<[Effect]>::split_last) {
            if known.iter().any(|known| is_same(known, effect)) {
                effects.remove(at);
            } else {
                at += 1;
            }
        }
        return effects;
    }
    let mut seen: HashSet<(EffectKind, Option<(SmolStr, bool)>)> = HashSet::new();
    effects.retain(|effect| {
        let target = effect.target.as_ref().map(|word| (word.text.clone(), word.exact));
        seen.insert((effect.kind, target))
    });
    effects
}

/// A program no one knows the name of, given `-rf /`, may be `rm`.
fn unnamed(command: &Command) -> Vec<Effect> {
    let words = command.words.get(1..).unwrap_or_default();
    let deep = |word: &Word| {
        let letters = word.text.strip_prefix('-').unwrap_or("");
        word.text == "--recursive"
            || letters.contains(['r', 'R']) && letters.bytes().all(|byte| b"rRfvidI".contains(&byte))
    };
    if !words.iter().any(deep) {
        return Vec::new();
    }
    Effects::of(EffectKind::DeletesTree, words.iter().filter(|word| !word.text.starts_with('-'))).0
}

fn usage_of(program: &str, words: &[Word], model: &Model) -> Usage {
    let mut usage = Usage::default();
    // `cargo +nightly build`: the first word only says which cargo.
    let toolchain = program == "cargo" && words.first().is_some_and(|word| word.text.starts_with('+'));
    let words = words.get(usize::from(toolchain)..).unwrap_or_default();
    let kept = model.names.contains(&"find").then(|| find::without_runs(words));
    let words = kept.as_deref().unwrap_or(words);
    if model.subs.is_empty() {
        let used = options::sort(words, &model.spec, &mut usage);
        usage.operands.extend(words.get(used..).unwrap_or_default().iter().cloned());
        return usage;
    }
    let leading = Spec { leading: true, ..model.spec };
    let mut at = options::sort(words, &leading, &mut usage);
    usage.before_sub = usage.flags.len();
    while let Some(word) = words.get(at) {
        at += 1;
        // Without a value it is no word, and the next one says what to do.
        let next = words.get(at).filter(|next| next.exact && options::may_vanish(word));
        if next.is_some_and(|next| model.subs.iter().any(|(names, _)| holds_name(names, &next.text))) {
            usage.operands.push(word.clone());
            continue;
        }
        let text = options::with_empty_unknowns(word).unwrap_or_else(|| word.text.clone());
        usage.subcommand.push(aliases::canonical_sub(program, &text).into());
        if !(usage.subcommand.len() == 1 && model.groups.contains(&word.text.as_str())) {
            break;
        }
        at += options::sort(words.get(at..).unwrap_or_default(), &leading, &mut usage);
    }
    let spec = sub_spec(model, &usage.subcommand);
    let rest = words.get(at..).unwrap_or_default();
    let used = options::sort(rest, &spec, &mut usage);
    usage.operands.extend(rest.get(used..).unwrap_or_default().iter().cloned());
    usage
}

fn sub_spec(model: &Model, subcommand: &[SmolStr]) -> Spec {
    let joined;
    let name = match subcommand {
        [only] => only.as_str(),
        more => {
            joined = more.join(" ");
            &joined
        }
    };
    // A list of names is no shorter than the name, and most are one name.
    let matching = |names: &str| names.len() >= name.len() && holds_name(names, name);
    let found = model.subs.iter().find(|(names, _)| matching(names));
    let found = found.or_else(|| model.subs.iter().find(|(names, _)| *names == "*"));
    let options = found.map_or("", |(_, options)| *options);
    match options.strip_prefix('!') {
        Some(options) => Spec { options, leading: true, ..model.spec },
        None => Spec { options, leading: false, ..model.spec },
    }
}

/// Is `name` one of `names`, which stand with `|` between them?
fn holds_name(names: &str, name: &str) -> bool {
    let (mut rest, name) = (names.as_bytes(), name.as_bytes());
    loop {
        if rest.first() == name.first()
            && let Some(behind) = rest.strip_prefix(name)
            && behind.first().is_none_or(|next| *next == b'|')
        {
            return true;
        }
        let Some(at) = rest.iter().position(|byte| *byte == b'|') else { return false };
        rest = rest.get(at + 1..).unwrap_or_default();
    }
}

/// Are these the same? Names that are tried in turn differ in length or last
/// letter, most times.
pub(crate) fn is_named(name: &str, program: &str) -> bool {
    name.len() == program.len() && name.as_bytes().last() == program.as_bytes().last() && name == program
}

/// A disk or a part of one: writing to it destroys what is on it.
fn is_disk(path: &str) -> bool {
    path.strip_prefix("/dev/").is_some_and(|name| {
        [
            "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "mapper/", "md", "dm-", "loop",
            "mem", "kmem", "port",
        ]
        .iter()
        .any(|head| name.starts_with(head))
    })
}

/// Files that are no files: nothing is kept in them.
pub(crate) fn is_stream(path: &str) -> bool {
    matches!(
        path,
        "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty" | "/dev/stdin" | "/dev/zero" | "-"
    ) || ["/dev/fd/", "<(", ">("].iter().any(|sign| path.starts_with(sign))
}

fn redirect_effects(command: &Command) -> Vec<Effect> {
    let mut effects = Vec::new();
    for redirect in &command.redirects {
        let kinds: &[EffectKind] = match redirect.kind {
            RedirectKind::Read => &[EffectKind::ReadsFile],
            RedirectKind::Write | RedirectKind::Append => &[EffectKind::WritesFile],
            RedirectKind::ReadWrite => &[EffectKind::ReadsFile, EffectKind::WritesFile],
            _ => &[],
        };
        let target = &redirect.target;
        if is_stream(&target.text) {
            continue;
        }
        if let Some(host) =
            target.text.strip_prefix("/dev/tcp/").or_else(|| target.text.strip_prefix("/dev/udp/"))
        {
            let host = Word { text: host.replacen('/', ":", 1).into(), ..target.clone() };
            effects.push(Effect { kind: EffectKind::ReachesHost, target: Some(host.clone()) });
            if redirect.kind != RedirectKind::Read {
                effects.push(Effect { kind: EffectKind::SendsData, target: Some(host) });
            }
            continue;
        }
        effects.extend(kinds.iter().map(|kind| Effect { kind: *kind, target: Some(target.clone()) }));
    }
    effects
}

/// Do the options of this command end at its first operand?
pub(crate) fn is_wrapper(command: &Command) -> bool {
    let model = model_of(&command.program);
    if model.subs.is_empty() {
        model.spec.leading
    } else {
        sub_spec(model, &command.usage.subcommand).leading
    }
}

/// Is this operand free text, never a file or part of a command?
pub(crate) fn is_text(command: &Command, place: usize) -> bool {
    let given = |names: &[&str]| names.iter().any(|name| command.usage.has(name));
    match command.program.as_str() {
        "echo" | "printf" => true,
        "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" => {
            place == 0 && !given(&["--regexp", "--file", "--files"])
        }
        "sed" | "gsed" => place == 0 && !given(&["--expression", "--file"]),
        "awk" | "gawk" | "mawk" | "jq" | "yq" => place == 0 && !given(&["--file", "--from-file", "--source"]),
        "git" => place == 0 && command.usage.sub() == "grep",
        _ => false,
    }
}

/// The options the gate knows of `program` (and its subcommand), in their canonical spelling.
#[must_use]
pub fn known_flags(program: &str, subcommand: &[SmolStr]) -> Vec<SmolStr> {
    let model = model_of(base_name(program));
    let spec = if subcommand.is_empty() { model.spec } else { sub_spec(model, subcommand) };
    options::all_names(&spec)
}
