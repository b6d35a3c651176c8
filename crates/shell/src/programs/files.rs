//! Programs that make, move, change and delete files.

use super::find::MOST;
use super::{Effects, Model, is_stream, plain};
use crate::effect_kind::EffectKind;
use crate::reading::{Command, Word};
use smol_str::format_smolstr;

const MOVERS: &[&str] = &["mv", "gmv"];
const COPIERS: &[&str] = &["cp", "gcp", "ditto"];
const INSTALLERS: &[&str] = &["install", "ginstall"];

/// Does this program give a file another name and keep what it holds?
pub(crate) fn moves(program: &str) -> bool {
    MOVERS.contains(&program)
}

/// Does this program put a copy in the place of a file?
pub(crate) fn copies(program: &str) -> bool {
    COPIERS.contains(&program) || INSTALLERS.contains(&program)
}

pub(super) const MODELS: &[Model] = &[
    plain(
        &["rm", "grm", "srm"],
        "r,recursive R>recursive f,force i I interactive? v,verbose d,dir one-file-system no-preserve-root preserve-root? P W x",
        remove,
    ),
    plain(&["rmdir"], "p,parents v,verbose ignore-fail-on-non-empty", delete_files),
    plain(&["unlink"], "", delete_files),
    plain(
        &["trash", "trash-put", "rimraf", "del", "del-cli", "rmtrash"],
        "r,recursive f,force g,glob",
        delete_trees,
    ),
    plain(
        &["gio"],
        "f,force empty list restore T,no-target-directory p,progress b,backup r,recursive",
        desktop,
    ),
    plain(
        &["shred"],
        "u? remove? f,force n,iterations= s,size= v,verbose x,exact z,zero random-source=",
        shred,
    ),
    plain(&["truncate"], "s,size= r,reference= c,no-create o,io-blocks", write_operands),
    plain(&["touch"], "a c,no-create d,date= f h,no-dereference m r,reference= t= time=", create_operands),
    plain(&["mkdir"], "m,mode= p,parents v,verbose Z context?", create_operands),
    plain(&["tee", "sponge"], "a,append i,ignore-interrupts p output-error?", write_operands),
    plain(&["mknod", "mkfifo"], "m,mode= Z context?", create_operands),
    plain(
        MOVERS,
        "b backup? f,force i,interactive n,no-clobber S,suffix= t,target-directory= T,no-target-directory u,update? v,verbose",
        relocate,
    ),
    plain(
        COPIERS,
        "a,archive b backup? d f,force i,interactive H l,link L,dereference n,no-clobber P,no-dereference p preserve? R,recursive \
         r>recursive s,symbolic-link S,suffix= t,target-directory= T,no-target-directory u,update? v,verbose x,one-file-system",
        copy,
    ),
    plain(
        &["ln"],
        "b backup? d f,force i,interactive L n,no-dereference P r,relative s,symbolic S,suffix= t,target-directory= T,no-target-directory v,verbose",
        link,
    ),
    plain(
        INSTALLERS,
        "b backup? C c D d,directory g,group= m,mode= o,owner= p s,strip S,suffix= t,target-directory= T v,verbose",
        install,
    ),
    plain(&["chmod"], "R,recursive c,changes f,silent v,verbose reference= no-preserve-root", access),
    plain(
        &["chown", "chgrp"],
        "R,recursive c,changes f,silent v,verbose reference= from= h,no-dereference H L P no-preserve-root",
        access,
    ),
    plain(&["setcap"], "r q v n=", |command, _| {
        Effects::of(EffectKind::GivesOwnerRights, command.usage.operands.get(1..).unwrap_or_default())
    }),
    plain(
        &["setfacl", "chattr", "xattr", "icacls"],
        "R,recursive m,modify= x,remove= b,remove-all d w= r",
        access,
    ),
    plain(
        &["patch"],
        "p,strip= i,input= o,output= R,reverse N,forward d,directory= E s,silent dry-run b,backup r,reject-file= t f,force",
        patch,
    ),
];

/// Folders that hold the hooks of a repository.
fn holds_hooks(path: &str) -> bool {
    path.contains(".git/hooks") || path.contains(".husky") || path == ".git" || path.ends_with("/.git")
}

/// Deleting or moving hooks lets commits pass without them.
pub(super) fn without_hooks(effects: &mut Effects, gone: &[Word]) {
    // Samples never run.
    let plain = |text: &str| text.ends_with(".git") || text.ends_with(".sample");
    if gone.iter().any(|word| holds_hooks(&word.text) && !plain(&word.text)) {
        effects.add(EffectKind::SkipsCommitHooks);
    }
}

fn remove(command: &Command, _: Option<&str>) -> Effects {
    let usage = &command.usage;
    let kind = if usage.has("--recursive") { EffectKind::DeletesTree } else { EffectKind::DeletesFile };
    let mut effects = Effects::of(kind, &usage.operands);
    without_hooks(&mut effects, &usage.operands);
    if usage.has("--recursive") && !usage.has("-i") && !usage.has("-I") {
        // `cd $X; rm -rf *`: without a value that is the home folder, or this one.
        let nowhere = command.dir.as_ref().is_some_and(is_unset);
        let unknown = |word: &&Word| is_unset(word) || nowhere && is_everything(&word.text);
        effects.on_each(EffectKind::DeletesUnknown, usage.operands.iter().filter(unknown));
    }
    // `find . -mtime +3 | xargs rm`
    for (word, folder) in usage.operands.iter().filter_map(|word| Some((word, most_of(word)?))) {
        let folder = Word { text: folder.into(), exact: true, glob: false, span: word.span };
        effects.on(EffectKind::DeletesBelow, &folder);
        effects.on(EffectKind::DeletesMost, &folder);
    }
    effects
}

/// The folder of which something lists the most.
fn most_of(word: &Word) -> Option<&str> {
    word.text.strip_suffix(MOST).filter(|_| !word.exact)?.strip_suffix('/')
}

/// Does it name all there is in a folder?
fn is_everything(text: &str) -> bool {
    matches!(
        text.strip_prefix("./").unwrap_or(text),
        "*" | ".*" | "*.*" | ".[!.]*" | "..?*" | "." | "" | "**" | "*/"
    )
}

/// Is all of this variables no one here has set? What a caller (`$1`) or a loop
/// gives is another matter. Where all are empty, `"$A/$B"` is the root.
pub(super) fn is_unset(word: &Word) -> bool {
    let mut rest = word.text.trim_end_matches(['/', '*']);
    let mut unset = !word.exact && !rest.is_empty();
    while unset && !rest.is_empty() {
        let (name, behind) = match rest.strip_prefix("${") {
            Some(braced) => braced.split_once('}').unwrap_or_default(),
            None => {
                let name = rest.strip_prefix('$').unwrap_or_default();
                let is_part = |found: char| found.is_ascii_alphanumeric() || found == '_';
                name.split_at(name.find(|found| !is_part(found)).unwrap_or(name.len()))
            }
        };
        unset = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && !matches!(name, "TMPDIR" | "TMP" | "TEMP");
        rest = behind.trim_start_matches('/');
    }
    unset
}

fn delete_files(command: &Command, _: Option<&str>) -> Effects {
    let mut effects = Effects::of(EffectKind::DeletesFile, &command.usage.operands);
    without_hooks(&mut effects, &command.usage.operands);
    effects
}

fn delete_trees(command: &Command, _: Option<&str>) -> Effects {
    Effects::of(EffectKind::DeletesTree, &command.usage.operands)
}

/// `gio trash x` and its other verbs.
fn desktop(command: &Command, _: Option<&str>) -> Effects {
    let Some((verb, files)) = command.usage.operands.split_first() else { return Effects::none() };
    let mut effects = Effects::none();
    match verb.text.as_str() {
        "trash" if !command.usage.has("--restore") => effects.on_each(EffectKind::DeletesTree, files),
        "remove" => effects.on_each(EffectKind::DeletesFile, files),
        "cat" => effects.on_each(EffectKind::ReadsFile, files),
        "save" => effects.on_each(EffectKind::WritesFile, files),
        "copy" | "move" => {
            let Some((to, from)) = files.split_last() else { return effects };
            let kind = if verb.text == "move" { EffectKind::DeletesFile } else { EffectKind::ReadsFile };
            effects.on_each(kind, from);
            arrives(&mut effects, EffectKind::WritesFile, from, Some(to));
        }
        _ => {}
    }
    without_hooks(
        &mut effects,
        if matches!(verb.text.as_str(), "trash" | "remove" | "move") { files } else { &[] },
    );
    effects
}

fn shred(command: &Command, _: Option<&str>) -> Effects {
    let mut effects = Effects::none();
    for word in &command.usage.operands {
        let kind =
            if word.text.starts_with("/dev/") { EffectKind::WipesDevice } else { EffectKind::DeletesFile };
        effects.on(kind, word);
    }
    effects
}

fn write_operands(command: &Command, _: Option<&str>) -> Effects {
    Effects::of(EffectKind::WritesFile, command.usage.operands.iter().filter(|word| !is_stream(&word.text)))
}

fn create_operands(command: &Command, _: Option<&str>) -> Effects {
    Effects::of(EffectKind::CreatesFile, command.usage.operands.iter().filter(|word| !is_stream(&word.text)))
}

/// A file made from its template (`cp .env.example .env`) is a new one.
const TEMPLATES: [&str; 6] = [".example", ".sample", ".template", ".dist", ".tmpl", ".default"];

fn is_template(from: &[Word], to: &Word) -> bool {
    let name = super::base_name(&to.text);
    matches!(from, [only] if TEMPLATES.iter().any(|ending| {
        super::base_name(&only.text).strip_suffix(ending).is_some_and(|stem| stem == name || to.text.ends_with('/'))
    }))
}

/// The file each source becomes when the target is a folder.
pub(super) fn inside(from: &[Word], to: &Word) -> Vec<Word> {
    let joined = |source: &Word| {
        let name = source.text.rsplit('/').next().unwrap_or("");
        let text = match name {
            // All of a folder: `cp -r x/. y`, `rsync -r x/ y`.
            "" | "." | ".." | "*" => "*",
            name => name,
        };
        let folder = to.text.trim_end_matches('/');
        Word {
            text: format_smolstr!("{folder}/{text}"),
            exact: to.exact && source.exact,
            glob: to.glob || source.glob || text == "*",
            span: to.span,
        }
    };
    from.iter().take(64).map(joined).collect()
}

/// Sources and target of `cp a b dir` or `cp -t dir a b`.
fn ends(command: &Command) -> (&[Word], Option<&Word>) {
    let usage = &command.usage;
    if let Some(dir) = usage.value("--target-directory") {
        return (&usage.operands, Some(dir));
    }
    match usage.operands.split_last() {
        Some((last, rest)) if !rest.is_empty() => (rest, Some(last)),
        _ => (&usage.operands, None),
    }
}

fn relocate(command: &Command, _: Option<&str>) -> Effects {
    // It refuses options it does not know: nothing moves.
    let refused = |flag: &crate::reading::Flag| {
        flag.name.len() == 2 && !flag.name.ends_with(['b', 'f', 'i', 'n', 'v', 'u', 't', 'T', 'S', 'Z', 'h'])
    };
    if command.usage.flags.iter().any(refused) {
        return Effects::none();
    }
    let (from, to) = ends(command);
    // The folder it is in it cannot move, by that name.
    // `find … -exec mv {} {}.bak`: each gets another name next to the old one.
    let renamed = |word: &Word| {
        let end = to.and_then(|to| to.text.strip_prefix(word.text.as_str()));
        let here = !word.text.starts_with(['/', '~', '$']) && !word.text.starts_with("..");
        word.glob && here && end.is_some_and(|end| !end.is_empty() && !end.contains('/'))
    };
    let gone: Vec<Word> = from
        .iter()
        .filter(|word| !matches!(word.text.trim_end_matches('/'), "." | "..") && !renamed(word))
        .cloned()
        .collect();
    let mut effects = Effects::of(EffectKind::DeletesFile, &gone);
    arrives(&mut effects, EffectKind::WritesFile, from, to);
    arrives_whole(&mut effects, EffectKind::WritesFile, command, from, to);
    without_hooks(&mut effects, from);
    effects
}

fn copy(command: &Command, _: Option<&str>) -> Effects {
    let (from, to) = ends(command);
    let mut effects = Effects::of(EffectKind::ReadsFile, from.iter().filter(|word| !is_stream(&word.text)));
    let new = command.usage.has("--no-clobber") || to.is_some_and(|to| is_template(from, to));
    let kind = if new { EffectKind::CreatesFile } else { EffectKind::WritesFile };
    arrives(&mut effects, kind, from, to);
    if command.usage.has("--recursive") || command.usage.has("--archive") {
        arrives_whole(&mut effects, kind, command, from, to);
    }
    if command.usage.has("--link") {
        effects.on_each(EffectKind::ChangesAccess, from);
    }
    if let Some(to) = to.filter(|to| to.text.starts_with("/dev/") && !is_stream(&to.text)) {
        effects.on(EffectKind::WipesDevice, to);
    }
    effects
}

fn link(command: &Command, _: Option<&str>) -> Effects {
    let (from, to) = ends(command);
    let mut effects = Effects::of(EffectKind::ReadsFile, from);
    if !command.usage.has("--symbolic") {
        // A second name for the same file: anyone who writes to one writes to the other.
        effects.on_each(EffectKind::ChangesAccess, from);
    }
    let kind = if command.usage.has("--force") { EffectKind::WritesFile } else { EffectKind::CreatesFile };
    arrives(&mut effects, kind, from, to);
    effects
}

/// The target, and what it holds afterwards if it is a folder. Which it is
/// only the disk knows.
fn arrives(effects: &mut Effects, kind: EffectKind, from: &[Word], to: Option<&Word>) {
    effects.on_each(kind, to);
    if let Some(to) = to.filter(|to| !is_stream(&to.text)) {
        effects.on_each(kind, &inside(from, to));
    }
}

/// What a folder brings along: `cp -r x/.host .` writes whatever `x/.host`
/// holds. Only folders of settings, whose names begin with a dot, are told.
pub(super) fn arrives_whole(
    effects: &mut Effects,
    kind: EffectKind,
    command: &Command,
    from: &[Word],
    to: Option<&Word>,
) {
    let Some(to) = to.filter(|to| !is_stream(&to.text)) else { return };
    let dotted = |word: &&Word| {
        let name = super::base_name(word.text.trim_end_matches('/'));
        name.starts_with('.') && name.len() > 1 && name != ".."
    };
    let below = |word: &Word| Word { text: format_smolstr!("{}/*", word.text), glob: true, ..word.clone() };
    let source: Vec<Word> = from
        .iter()
        .filter(dotted)
        .map(|word| Word { text: word.text.trim_end_matches('/').into(), ..word.clone() })
        .collect();
    effects.on_each(kind, &inside(&source, to).iter().map(below).collect::<Vec<_>>());
    if command.usage.has("--no-target-directory") {
        effects.on(kind, &below(to));
    }
}

fn install(command: &Command, input: Option<&str>) -> Effects {
    if command.usage.has("--directory") { create_operands(command, input) } else { copy(command, input) }
}

/// Modes that leave a file to its owner alone.
const OWNER_ONLY: [&str; 12] =
    ["600", "0600", "400", "0400", "700", "0700", "go-rwx", "og-rwx", "go=", "og=", "u=rw,go=", "u=rwx,go="];

/// By its name a key or a login, which ought to be its owner's alone.
fn is_key(path: &str) -> bool {
    let name = super::base_name(path.trim_end_matches('/'));
    let ends = [".pem", ".key", ".p12", ".pfx", ".jks", ".env", ".ppk"];
    let named = [".ssh", ".gnupg", ".netrc", ".pgpass", ".npmrc", ".pypirc", ".env", ".git-credentials"];
    path.contains(".ssh/")
        || path.ends_with(".kube/config")
        || named.contains(&name)
        || name.starts_with("id_")
        || ends.iter().any(|end| name.ends_with(end))
}

fn access(command: &Command, _: Option<&str>) -> Effects {
    let usage = &command.usage;
    let by_reference = usage.has("--reference")
        || usage.has("--modify")
        || usage.has("--remove")
        || usage.has("--remove-all");
    // `chmod -x f`: the mode looks like an option.
    let mode_flag = command.words.get(1..).unwrap_or_default().iter().find(|word| {
        command.program == "chmod"
            && word.text.starts_with('-')
            && word.text.bytes().skip(1).all(|byte| b"rwxXst".contains(&byte))
    });
    let skip = usize::from(!by_reference && mode_flag.is_none());
    let paths = usage.operands.get(skip..).unwrap_or_default();
    let mode = mode_flag.or(usage.operands.first()).map_or("", |word| word.text.as_str());
    let closes = command.program == "chmod" && OWNER_ONLY.contains(&mode);
    // Anyone who makes a hook run guards more, not less.
    let runs = command.program == "chmod" && matches!(mode, "+x" | "a+x" | "u+x" | "ug+x" | "755" | "0755");
    let kept = |word: &&Word| closes && is_key(&word.text) || runs && word.text.contains(".git/hooks/");
    let mut effects = Effects::of(EffectKind::ChangesAccess, paths.iter().filter(|word| !kept(word)));
    let takes_run = mode.contains("-x")
        || mode.contains("a-")
        || matches!(mode, "644" | "0644" | "600" | "000" | "0" | "444" | "-rwx");
    if command.program == "chmod" && gives_owner_rights(mode) {
        effects.on_each(EffectKind::GivesOwnerRights, paths);
    }
    if command.program == "chmod" && takes_run {
        without_hooks(&mut effects, paths);
    }
    effects
}

/// `u+s`, `+s`, `4755`: anyone who runs the file gets its owner's or group's rights.
fn gives_owner_rights(mode: &str) -> bool {
    let digits = mode.trim_start_matches('0');
    if !mode.is_empty() && mode.bytes().all(|byte| byte.is_ascii_digit()) {
        return digits.len() == 4 && digits.starts_with(['2', '3', '4', '5', '6', '7']);
    }
    mode.split(',').any(|one| one.split_once(['+', '=']).is_some_and(|(_, rights)| rights.contains('s')))
}

fn patch(command: &Command, input: Option<&str>) -> Effects {
    let usage = &command.usage;
    let mut effects =
        Effects::of(EffectKind::WritesFile, usage.operands.iter().take(1).chain(usage.value("--output")));
    effects.on_each(EffectKind::ReadsFile, usage.operands.iter().skip(1).chain(usage.value("--input")));
    // What the patch names below the folder only the patch says.
    if let Some(folder) = usage.value("--directory").filter(|_| !usage.has("--dry-run")) {
        super::outputs::fills(&mut effects, EffectKind::WritesFile, folder);
    }
    if usage.has("--reverse") && command.piped_from.is_some() && !usage.has("--dry-run") {
        effects.add(EffectKind::DiscardsNamedWork);
    }
    if let Some(text) = input.filter(|_| !usage.has("--dry-run") && usage.operands.is_empty()) {
        effects.on_each(EffectKind::WritesFile, &named_by_patch(command, text, 0));
    }
    effects
}

/// The files a patch of this text changes when this command applies it.
pub(super) fn named_by_patch(command: &Command, text: &str, strip: usize) -> Vec<Word> {
    let usage = &command.usage;
    let given = usage.value("--strip").or(usage.value("-p")).and_then(|word| word.text.parse().ok());
    let folder = usage.value("--directory").map(|word| format!("{}/", word.text.trim_end_matches('/')));
    let word = |name: String| Word {
        text: format_smolstr!("{}{name}", folder.as_deref().unwrap_or("")),
        exact: true,
        glob: false,
        span: command.span,
    };
    super::patches::patched_files(text, given.unwrap_or(strip)).into_iter().map(word).collect()
}
