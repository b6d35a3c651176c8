//! Reads the layers of a policy from their files and joins them.

use crate::cursor_rules;
use crate::dirs::Dirs;
use crate::knowledge;
use crate::packs;
use crate::yaml::{
    ParsedFile, PolicyFault, SIZE_MAX, at_needle, empty_parts, of_notice, parse, parse_agent,
    parse_guardrails, parse_policy, rule_fault, sort, too_large, with_plain_ends,
};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use toolgate_core::lint::{Around, lint};
use toolgate_core::{
    KnowledgeEntry, Layer, Layered, Merged, Notice, Policy, RuleEntry, RuleFault, Source, compile, merge,
};

/// A policy with what a person should know about it.
#[derive(Debug)]
pub struct Loaded {
    /// The policy.
    pub policy: Policy,
    /// Notices about the layers.
    pub notices: Vec<Notice>,
    /// Rules that are off.
    pub off: Vec<RuleEntry>,
    /// The files it was read from.
    pub files: Vec<String>,
}

/// What a file is to the policy.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Part {
    /// One of its layers.
    Layer(Layer),
    /// Guardrails of a layer, in files of their own.
    Guardrails(Layer),
    /// One agent of a layer, in a file of its own.
    Agent(Layer),
    /// What the project knows about itself.
    Knowledge,
    /// A rule file of Cursor with a block for us.
    CursorRules,
}

/// Most files one folder of a layer may have.
const FOLDER_FILES_MAX: usize = 256;

/// One file of a policy as it lies on the disk.
#[derive(Debug, Clone)]
pub(crate) struct SourceFile {
    pub part: Part,
    pub path: PathBuf,
    /// `None` when there is no such file.
    pub bytes: Option<Vec<u8>>,
}

/// Reads the bytes of every layer.
pub(crate) fn read_files(dirs: &Dirs, project: &Path) -> Result<Vec<SourceFile>, Vec<PolicyFault>> {
    let (files, faults) = readable_files(dirs, project);
    if faults.is_empty() { Ok(files) } else { Err(faults) }
}

/// The files of every layer that can be read, and what is wrong with the others.
fn readable_files(dirs: &Dirs, project: &Path) -> (Vec<SourceFile>, Vec<PolicyFault>) {
    let layers = [Layer::Managed, Layer::User, Layer::Project].map(Part::Layer);
    let knowledge = Dirs::knowledge_files(project).into_iter().map(|path| (Part::Knowledge, path));
    let mut files = Vec::new();
    let mut faults = Vec::new();
    for (part, path) in layers.into_iter().zip(dirs.policy_files(project)).chain(knowledge) {
        // Most layers are not there at all; one look tells.
        if path.parent().is_some_and(is_absent) {
            files.push(SourceFile { part, path, bytes: None });
            continue;
        }
        let folders = [("guardrails", Part::Guardrails as fn(Layer) -> Part), ("agents", Part::Agent)];
        let folders = folders.map(|(name, part)| (path.with_file_name(name), part));
        if is_absent(&path) {
            files.push(SourceFile { part, path, bytes: None });
        } else {
            match read_plain(&path) {
                Ok(bytes) => files.push(SourceFile { part, path, bytes: Some(bytes) }),
                Err(error) => faults.push(unreadable(&path, &error)),
            }
        }
        let Part::Layer(layer) = part else { continue };
        for (folder, part) in folders {
            files.extend(read_folder(part(layer), &folder, &["yaml", "yml"], &mut faults));
        }
    }
    let cursor = read_folder(Part::CursorRules, &cursor_rules::folder(project), &["mdc"], &mut faults);
    let has_block =
        |file: &SourceFile| file.bytes.as_ref().is_some_and(|bytes| cursor_rules::has_block(bytes));
    files.extend(cursor.into_iter().filter(has_block));
    (files, faults)
}

fn unreadable(path: &Path, error: &std::io::Error) -> PolicyFault {
    let file = path.display().to_string();
    match error.kind() {
        ErrorKind::FileTooLarge => too_large(&file),
        _ => PolicyFault::of_file(
            &file,
            format!("the file cannot be read: {error}"),
            "make it readable for your user, or delete it",
        ),
    }
}

/// Every file of a folder with such an ending.
fn read_folder(
    part: Part,
    folder: &Path,
    endings: &[&str],
    faults: &mut Vec<PolicyFault>,
) -> Vec<SourceFile> {
    let mut files = Vec::new();
    match folder_files(folder, endings) {
        Err(error) => faults.push(unreadable(folder, &error)),
        Ok(found) => {
            for path in found {
                match read_plain(&path) {
                    Ok(bytes) => files.push(SourceFile { part, path, bytes: Some(bytes) }),
                    Err(error) => faults.push(unreadable(&path, &error)),
                }
            }
        }
    }
    files
}

/// The files of a folder in the order of their names; none if there is no such
/// folder.
fn folder_files(folder: &Path, endings: &[&str]) -> std::io::Result<Vec<PathBuf>> {
    if is_absent(folder) {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| endings.iter().any(|one| ending == *one)) {
            found.push(path);
        }
        if found.len() > FOLDER_FILES_MAX {
            let why = format!("more than {FOLDER_FILES_MAX} files; combine some of them");
            return Err(std::io::Error::other(why));
        }
    }
    found.sort();
    Ok(found)
}

/// Reads a plain file that is not too large. A pipe in its place would hold the gate up, and so would
/// gigabytes of nothing.
fn read_plain(path: &Path) -> std::io::Result<Vec<u8>> {
    // Asked before it is opened: opening a pipe would wait for a writer.
    let about = std::fs::metadata(path)?;
    if !about.is_file() {
        return Err(std::io::Error::other("not a regular file"));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(about.len().min(SIZE_MAX)).unwrap_or_default());
    // It may have grown since.
    if about.len() <= SIZE_MAX {
        File::open(path)?.take(SIZE_MAX.saturating_add(1)).read_to_end(&mut bytes)?;
    }
    let is_read =
        about.len() <= SIZE_MAX && u64::try_from(bytes.len()).is_ok_and(|length| length <= SIZE_MAX);
    if is_read { Ok(bytes) } else { Err(ErrorKind::FileTooLarge.into()) }
}

/// There is no file – as opposed to a link that leads nowhere, which is a
/// policy that cannot be read.
fn is_absent(path: &Path) -> bool {
    let looked = std::fs::symlink_metadata(path);
    looked.is_err_and(|error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory))
}

/// Reads the policy from its files, without the cache.
///
/// # Errors
/// Everything wrong with the files.
pub fn load_uncached(dirs: &Dirs, project: &Path) -> Result<Loaded, Vec<PolicyFault>> {
    from_files(&read_files(dirs, project)?)
}

/// The policy as it would be if the project's own file held this text; nothing
/// is written.
///
/// # Errors
/// Everything wrong with the text or the other files.
pub fn load_with(dirs: &Dirs, project: &Path, text: &str) -> Result<Loaded, Vec<PolicyFault>> {
    let mut files = read_files(dirs, project)?;
    for file in files.iter_mut().filter(|file| matches!(file.part, Part::Layer(Layer::Project))) {
        file.bytes = Some(text.as_bytes().to_vec());
    }
    from_files(&files)
}

/// What can be read of a policy, and everything wrong with it: for pages and lists, which work all
/// the same. A call is never judged with it.
#[must_use]
pub fn load_readable(dirs: &Dirs, project: &Path) -> (Option<Loaded>, Vec<PolicyFault>) {
    let (files, mut faults) = readable_files(dirs, project);
    let (mut joined, found) = join(&files);
    faults.extend(found);
    if let Err(wrong) = compile(&joined.merged) {
        faults.extend(joined.located(&wrong, |file| text_of(&files, file)));
        let holds = |source: &Source| !wrong.iter().any(|(faulty, _)| faulty == source);
        joined.merged.rules.retain(|entry| holds(&entry.source));
        joined.merged.settings.guardrails.retain(|entry| holds(&entry.source));
    }
    let Joined { merged, files: names, .. } = joined;
    let loaded = compile(&merged).ok().map(|policy| {
        let Merged { notices, off, .. } = merged;
        Loaded { policy, notices, off, files: names }
    });
    (loaded, sorted(faults, &files))
}

pub(crate) fn from_files(files: &[SourceFile]) -> Result<Loaded, Vec<PolicyFault>> {
    let (joined, mut faults) = join(files);
    match compile(&joined.merged) {
        Ok(policy) if faults.is_empty() => {
            let Merged { notices, off, .. } = joined.merged;
            Ok(Loaded { policy, notices, off, files: joined.files })
        }
        Ok(_) => Err(sorted(faults, files)),
        Err(wrong) => {
            faults.extend(joined.located(&wrong, |file| text_of(files, file)));
            Err(sorted(faults, files))
        }
    }
}

fn sorted(mut faults: Vec<PolicyFault>, files: &[SourceFile]) -> Vec<PolicyFault> {
    let names: Vec<String> = files.iter().map(|file| file.path.display().to_string()).collect();
    sort(&mut faults, &names);
    faults
}

/// Everything there is to say about the files of a policy.
#[derive(Debug)]
pub struct Checked {
    /// By file and place: errors, warnings, notes.
    pub faults: Vec<PolicyFault>,
    /// Whether the gate can judge with this policy.
    pub holds: bool,
    /// How many rules could be read.
    pub rules: usize,
    /// How many guardrails.
    pub guardrails: usize,
    /// How many files, packs among them.
    pub files: usize,
    texts: BTreeMap<String, String>,
    order: Vec<String>,
}

impl Checked {
    /// Adds what was found out besides.
    pub fn add(&mut self, notices: Vec<Notice>) {
        let text = |file: &str| self.texts.get(file).map(String::as_str).unwrap_or_default();
        let found: Vec<PolicyFault> =
            notices.iter().map(|notice| of_notice(text(&notice.source.file), notice)).collect();
        self.faults.extend(found);
        let names: Vec<String> = self.order.clone();
        sort(&mut self.faults, &names);
    }
}

/// Checks every file of a policy, and tells all that is wrong with all of them.
#[must_use]
pub fn check(dirs: &Dirs, project: &Path) -> Checked {
    let (files, faults) = readable_files(dirs, project);
    checked(&files, faults)
}

/// The same of policies that are in no file.
#[cfg(test)]
pub(crate) fn check_files(files: &[(Layer, &str, &[u8])]) -> Checked {
    let file = |(layer, path, bytes): &(Layer, &str, &[u8])| SourceFile {
        part: Part::Layer(*layer),
        path: PathBuf::from(path),
        bytes: Some(bytes.to_vec()),
    };
    checked(&files.iter().map(file).collect::<Vec<_>>(), Vec::new())
}

fn checked(files: &[SourceFile], mut faults: Vec<PolicyFault>) -> Checked {
    let (joined, found) = join(files);
    faults.extend(found);
    let texts: BTreeMap<String, String> =
        joined.files.iter().map(|file| (file.clone(), text_of(files, file))).collect();
    let wrong = compile(&joined.merged).err().unwrap_or_default();
    faults.extend(joined.located(&wrong, |file| texts.get(file).cloned().unwrap_or_default()));
    let Joined { merged, files: names, unread, .. } = joined;
    let mut checked = Checked {
        holds: faults.is_empty(),
        faults,
        rules: merged.rules.len(),
        guardrails: merged.settings.guardrails.len(),
        files: names.len(),
        order: files.iter().map(|file| file.path.display().to_string()).collect(),
        texts,
    };
    let around = Around { root: names_in(Path::new("/")) };
    checked.add(lint(&merged, &around));
    checked.faults.extend(files.iter().filter(|file| matches!(file.part, Part::Layer(_))).flat_map(|file| {
        let bytes = file.bytes.as_deref().unwrap_or_default();
        empty_parts(&file.path.display().to_string(), bytes)
    }));
    // A rule that cannot be read is there all the same.
    checked.add(merged.notices.into_iter().filter(|notice| !unread.contains(&notice.needle)).collect());
    checked
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// What the files say together.
struct Joined {
    merged: Merged,
    files: Vec<String>,
    /// Ids of rules that are written and could not be read.
    unread: Vec<String>,
    /// Files and lines of rules that were read without some of their parts.
    partial: Vec<(String, u32)>,
}

/// Parts whose absence is a fault of a rule; where one was taken out, it is not absent.
const PARTS: [&str; 6] = ["match", "require", "transform", "delay", "label", "after"];

impl Joined {
    /// The faults of rules with their places.
    fn located(&self, wrong: &[(Source, RuleFault)], text: impl Fn(&str) -> String) -> Vec<PolicyFault> {
        let is_partial = |source: &Source| {
            self.partial.iter().any(|(file, line)| *file == source.file && *line == source.line)
        };
        let real = wrong
            .iter()
            .filter(|(source, fault)| !(PARTS.contains(&fault.needle.as_str()) && is_partial(source)));
        real.map(|(source, fault)| rule_fault(&source.file, &text(&source.file), source.line, fault))
            .collect()
    }
}

fn join(files: &[SourceFile]) -> (Joined, Vec<PolicyFault>) {
    let Parsed { mut layers, added, knowledge, mut faults, unread, partial } = parse_all(files);
    let mut all = packs_of(&layers, files, &mut faults);
    all.append(&mut layers);
    let outside = added.iter().map(|layer| layer.file.clone()).collect();
    let (added, taken) = cursor_rules::only_adding(&all, added);
    all.extend(added);
    let mut merged = merge(&all);
    merged.notices.extend(taken);
    merged.settings.knowledge = knowledge;
    merged.settings.outside = outside;
    let names = all.iter().map(|layer| layer.file.clone()).collect();
    (Joined { merged, files: names, unread, partial }, faults)
}

/// What the files say.
#[derive(Default)]
struct Parsed {
    layers: Vec<Layered>,
    /// Of files that only add.
    added: Vec<Layered>,
    knowledge: Vec<KnowledgeEntry>,
    faults: Vec<PolicyFault>,
    unread: Vec<String>,
    partial: Vec<(String, u32)>,
}

impl Parsed {
    fn take(&mut self, name: &str, parsed: ParsedFile, only_adds: bool) {
        let layers = if only_adds { &mut self.added } else { &mut self.layers };
        layers.extend(parsed.layer);
        self.faults.extend(parsed.faults);
        self.unread.extend(parsed.unread);
        self.partial.extend(parsed.partial.into_iter().map(|line| (name.to_owned(), line)));
    }
}

fn parse_all(files: &[SourceFile]) -> Parsed {
    let mut all = Parsed::default();
    for file in files {
        let Some(bytes) = &file.bytes else { continue };
        let name = file.path.display().to_string();
        match file.part {
            Part::Layer(layer) => all.take(&name, parse_policy(layer, &name, bytes), false),
            Part::Guardrails(layer) => all.take(&name, parse_guardrails(layer, &name, bytes), false),
            Part::Agent(layer) => all.take(&name, parse_agent(layer, &name, bytes), false),
            Part::CursorRules => all.take(&name, cursor_rules::read(&name, bytes), true),
            Part::Knowledge => match knowledge::parse(&name, bytes) {
                Ok(entry) => all.knowledge.push(entry),
                Err(fault) => all.faults.push(fault),
            },
        }
    }
    all
}

/// The packs in force: what managed and user policies name (`default` if they
/// name none), and what the project adds. A repository can add rules to a
/// machine, not take away what its person chose.
fn packs_of(layers: &[Layered], files: &[SourceFile], faults: &mut Vec<PolicyFault>) -> Vec<Layered> {
    let (project, higher): (Vec<&Layered>, Vec<&Layered>) =
        layers.iter().partition(|layer| layer.layer == Layer::Project);
    let said = higher.iter().rev().find_map(|layer| Some((layer.layer, layer.policy.packs.clone()?)));
    let (by, names) = said.unwrap_or_else(|| (Layer::Pack, vec!["default".to_owned()]));
    let mut wanted: Vec<(Layer, String)> = names.into_iter().map(|name| (by, name)).collect();
    let added = project.iter().filter_map(|layer| layer.policy.packs.clone()).flatten();
    wanted.extend(added.map(|name| (Layer::Project, name)));
    let mut found: Vec<Layered> = Vec::new();
    for (by, name) in &wanted {
        let file = pack_file(name);
        if found.iter().any(|known| known.file == file) {
            continue;
        }
        let Some(pack) = packs::pack(name) else {
            faults.push(no_such_pack(layers, files, name));
            continue;
        };
        match parse(Layer::Pack, &file, pack.text.as_bytes()) {
            Ok(parsed) => found.push(Layered { by: *by, ..parsed }),
            Err(fault) => faults.push(fault),
        }
    }
    found
}

fn no_such_pack(layers: &[Layered], files: &[SourceFile], name: &str) -> PolicyFault {
    let names = |layer: &&Layered| layer.policy.packs.iter().flatten().any(|pack| pack == name);
    let file = layers.iter().find(names).map_or("", |layer| layer.file.as_str());
    let known: Vec<&str> = packs::PACKS.iter().map(|pack| pack.name).collect();
    let help = match toolgate_core::nearest(name, known.iter().copied()) {
        Some(near) => format!("change `{name}` to `{near}`"),
        None => format!("known packs: {}", known.join(", ")),
    };
    at_needle(file, &text_of(files, file), 1, name, format!("unknown pack `{name}`"), &help)
}

fn pack_file(name: &str) -> String {
    Source::pack_file(name)
}

fn text_of(files: &[SourceFile], name: &str) -> String {
    let own =
        files.iter().find(|file| file.path.display().to_string() == name).and_then(|file| file.bytes.clone());
    let pack =
        || packs::PACKS.iter().find(|pack| pack_file(pack.name) == name).map(|pack| pack.text.to_owned());
    own.map(|bytes| with_plain_ends(&String::from_utf8_lossy(&bytes)).into_owned())
        .or_else(pack)
        .unwrap_or_default()
}
