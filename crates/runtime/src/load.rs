//! Reads the layers of a policy from their files and joins them.

use crate::cursor_rules;
use crate::dirs::Dirs;
use crate::knowledge;
use crate::packs;
use crate::yaml::{PolicyFault, parse, parse_agent, parse_guardrails, rule_fault};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use toolgate_core::{
    KnowledgeEntry, Layer, Layered, Merged, Notice, Policy, RuleEntry, Source, compile, merge,
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
            files.extend(read_folder(part(layer), &folder, &["yaml", "yml"])?);
        }
    }
    let cursor = read_folder(Part::CursorRules, &cursor_rules::folder(project), &["mdc"])?;
    let has_block =
        |file: &SourceFile| file.bytes.as_ref().is_some_and(|bytes| cursor_rules::has_block(bytes));
    files.extend(cursor.into_iter().filter(has_block));
    if faults.is_empty() { Ok(files) } else { Err(faults) }
}

fn unreadable(path: &Path, error: &std::io::Error) -> PolicyFault {
    let file = path.display().to_string();
    PolicyFault::of_file(&file, format!("the file cannot be read: {error}"), "make it readable for your user")
}

/// Every file of a folder with such an ending.
fn read_folder(part: Part, folder: &Path, endings: &[&str]) -> Result<Vec<SourceFile>, Vec<PolicyFault>> {
    let found = folder_files(folder, endings).map_err(|error| vec![unreadable(folder, &error)])?;
    let read = |path: PathBuf| match read_plain(&path) {
        Ok(bytes) => Ok(SourceFile { part, path, bytes: Some(bytes) }),
        Err(error) => Err(vec![unreadable(&path, &error)]),
    };
    found.into_iter().map(read).collect()
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

/// Reads a plain file. A pipe in its place would hold the gate up.
fn read_plain(path: &Path) -> std::io::Result<Vec<u8>> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(std::io::Error::other("not a regular file"));
    }
    std::fs::read(path)
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

pub(crate) fn from_files(files: &[SourceFile]) -> Result<Loaded, Vec<PolicyFault>> {
    let Parsed { mut layers, added, knowledge, faults } = parse_all(files);
    if !faults.is_empty() {
        return Err(faults);
    }
    let mut all = packs_of(&layers)?;
    all.append(&mut layers);
    let outside = added.iter().map(|layer| layer.file.clone()).collect();
    let (added, taken) = cursor_rules::only_adding(&all, added);
    all.extend(added);
    let mut merged = merge(&all);
    merged.notices.extend(taken);
    merged.settings.knowledge = knowledge;
    merged.settings.outside = outside;
    let policy = compile(&merged).map_err(|faults| {
        faults
            .iter()
            .map(|(source, fault)| {
                rule_fault(&source.file, &text_of(files, &source.file), source.line, fault)
            })
            .collect::<Vec<_>>()
    })?;
    let Merged { notices, off, .. } = merged;
    let files = all.iter().map(|layer| layer.file.clone()).collect();
    Ok(Loaded { policy, notices, off, files })
}

/// What the files say.
#[derive(Default)]
struct Parsed {
    layers: Vec<Layered>,
    /// Of files that only add.
    added: Vec<Layered>,
    knowledge: Vec<KnowledgeEntry>,
    faults: Vec<PolicyFault>,
}

fn parse_all(files: &[SourceFile]) -> Parsed {
    let mut all = Parsed::default();
    for file in files {
        let Some(bytes) = &file.bytes else { continue };
        let name = file.path.display().to_string();
        let parsed = match file.part {
            Part::Layer(layer) => parse(layer, &name, bytes).map(|layer| all.layers.push(layer)),
            Part::Guardrails(layer) => {
                parse_guardrails(layer, &name, bytes).map(|layer| all.layers.push(layer))
            }
            Part::Knowledge => knowledge::parse(&name, bytes).map(|entry| all.knowledge.push(entry)),
            Part::CursorRules => cursor_rules::read(&name, bytes).map(|layer| all.added.push(layer)),
            Part::Agent(layer) => parse_agent(layer, &name, bytes).map(|layer| all.layers.push(layer)),
        };
        all.faults.extend(parsed.err());
    }
    all
}

/// The packs in force: what managed and user policies name (`default` if they
/// name none), and what the project adds. A repository can add rules to a
/// machine, not take away what its person chose.
fn packs_of(layers: &[Layered]) -> Result<Vec<Layered>, Vec<PolicyFault>> {
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
            return Err(vec![no_such_pack(layers, name)]);
        };
        let parsed = parse(Layer::Pack, &file, pack.text.as_bytes()).map_err(|fault| vec![fault])?;
        found.push(Layered { by: *by, ..parsed });
    }
    Ok(found)
}

fn no_such_pack(layers: &[Layered], name: &str) -> PolicyFault {
    let names = |layer: &&Layered| layer.policy.packs.iter().flatten().any(|pack| pack == name);
    let file = layers.iter().find(names).map_or("", |layer| layer.file.as_str());
    let known: Vec<&str> = packs::PACKS.iter().map(|pack| pack.name).collect();
    PolicyFault::of_file(file, format!("unknown pack `{name}`"), format!("known packs: {}", known.join(", ")))
}

fn pack_file(name: &str) -> String {
    Source::pack_file(name)
}

fn text_of(files: &[SourceFile], name: &str) -> String {
    let own =
        files.iter().find(|file| file.path.display().to_string() == name).and_then(|file| file.bytes.clone());
    let pack =
        || packs::PACKS.iter().find(|pack| pack_file(pack.name) == name).map(|pack| pack.text.to_owned());
    own.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).or_else(pack).unwrap_or_default()
}
