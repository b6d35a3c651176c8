//! Archives and compression.

use super::{Effects, Model, is_stream, plain};
use crate::effect_kind::EffectKind;
use crate::reading::{Command, Word};

pub(super) const MODELS: &[Model] = &[
    plain(
        &["tar", "gtar", "bsdtar"],
        "x,extract get>extract c,create t,list r,append u,update A,catenate d,diff delete f,file= C,directory= v,verbose z,gzip j,bzip2 J,xz zstd \
         a,auto-compress p,preserve-permissions k,keep-old-files O,to-stdout T,files-from= X,exclude-from= exclude= strip-components= \
         I,use-compress-program= to-command= checkpoint-action= checkpoint? remove-files h,dereference m o,no-same-owner s= transform= P,absolute-names \
         W S g= K= N= L= V= b= wildcards overwrite one-top-level? force-local F,info-script= new-volume-script>info-script label= no-recursion rsh-command=",
        tar,
    ),
    plain(&["unzip", "7z", "7za", "7zz", "7zr", "unrar", "unar"], "d= o n q l v t j x= P=", unpack),
    plain(&["zip", "rar"], "r q 9 x= i= m j u d e P= b= O= T TT=", pack),
    plain(
        &["gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "unzstd", "lz4", "compress"],
        "d,decompress k,keep c,stdout f,force q,quiet r,recursive t,test l,list o= T,threads= S= v,verbose rm ultra long? D=",
        compress,
    ),
];

fn tar(command: &Command, _: Option<&str>) -> Effects {
    let usage = &command.usage;
    let mut effects = Effects::none();
    // `tar xzf a.tgz`: the first word may be options without a dash.
    let old = command.words.get(1).filter(|word| !word.text.starts_with('-')).map(|word| word.text.as_str());
    let does =
        |name: &str, letter: char| usage.has(name) || old.is_some_and(|letters| letters.contains(letter));
    let old_file = old.filter(|letters| letters.contains('f')).and_then(|_| usage.operands.get(1));
    let archive = usage.value("--file").or(old_file).filter(|word| !is_stream(&word.text));
    // `host:path` is a file on another machine.
    let remote = archive
        .filter(|word| {
            word.text.split_once(':').is_some_and(|(host, _)| !host.is_empty() && !host.contains('/'))
        })
        .filter(|_| !usage.has("--force-local"));
    let archive = archive.filter(|_| remote.is_none());
    let skip = usize::from(old.is_some()) + usize::from(old_file.is_some());
    let members = usage.operands.get(skip..).unwrap_or_default();
    let members: Vec<Word> = members.iter().map(|word| below(usage.value("--directory"), word)).collect();
    let here = Word { text: ".".into(), exact: true, glob: false, span: command.span };
    if does("--extract", 'x') {
        effects.on_each(EffectKind::ReadsFile, archive);
        let renames =
            ["--transform", "--strip-components", "--one-top-level"].iter().any(|name| usage.has(name));
        if !usage.has("--to-stdout") && (members.is_empty() || renames) {
            fills(&mut effects, usage.value("--directory").unwrap_or(&here));
        } else if !usage.has("--to-stdout") {
            members.iter().for_each(|member| fills(&mut effects, &as_pattern(member)));
        }
    } else if does("--create", 'c') || does("--append", 'r') || does("--update", 'u') {
        effects.on_each(EffectKind::WritesFile, archive);
        effects.on_each(EffectKind::ReachesHost, remote);
        effects.on_each(EffectKind::SendsData, remote);
        effects.on_each(EffectKind::ReadsFile, &members);
        effects.on_each(
            EffectKind::ReadsFile,
            usage.values("--files-from").filter(|word| !is_stream(&word.text)),
        );
        effects.on_each(
            EffectKind::ReadsFile,
            usage.values("--exclude-from").filter(|word| !is_stream(&word.text)),
        );
        if usage.has("--remove-files") {
            // What went into an archive is moved, not lost.
            let kept = archive.is_some() || remote.is_some();
            effects.on_each(if kept { EffectKind::DeletesFile } else { EffectKind::DeletesTree }, &members);
        }
    } else {
        effects.on_each(EffectKind::ReadsFile, archive);
    }
    effects
}

/// A member in the folder `tar -C` goes to first.
fn below(folder: Option<&Word>, member: &Word) -> Word {
    let Some(folder) = folder.filter(|_| !member.text.starts_with(['/', '-', '@'])) else {
        return member.clone();
    };
    let head = folder.text.trim_end_matches('/');
    let text = match member.text.trim_start_matches("./") {
        "" | "." => folder.text.to_string(),
        name => format!("{head}/{name}"),
    };
    Word {
        text: text.into(),
        exact: folder.exact && member.exact,
        glob: folder.glob || member.glob,
        span: member.span,
    }
}

/// Archives have patterns of their own.
fn as_pattern(member: &Word) -> Word {
    Word { glob: member.glob || member.text.contains(['*', '?']), ..member.clone() }
}

/// Whatever the archive holds is written into the folder.
fn fills(effects: &mut Effects, folder: &Word) {
    effects.on(EffectKind::WritesFile, folder);
    let text = format!("{}/*", folder.text.trim_end_matches('/'));
    effects.on(EffectKind::WritesFile, &Word { text: text.into(), glob: true, ..folder.clone() });
}

fn unpack(command: &Command, input: Option<&str>) -> Effects {
    let usage = &command.usage;
    let verb = usage.operands.first().map_or("", |word| word.text.as_str());
    if command.program.starts_with("7z") && matches!(verb, "a" | "u") {
        return pack(command, input);
    }
    let skip = usize::from(command.program.starts_with("7z"));
    let mut effects = Effects::of(EffectKind::ReadsFile, usage.operands.get(skip));
    if !usage.has("-l") && !usage.has("-t") {
        let here = Word { text: ".".into(), exact: true, glob: false, span: command.span };
        // `7z x -ofolder`
        let attached =
            command.words.iter().skip(2).filter(|_| command.program.starts_with("7z")).find_map(|word| {
                let folder = word.text.strip_prefix("-o").filter(|folder| !folder.is_empty())?;
                Some(Word { text: folder.into(), ..word.clone() })
            });
        let folder = usage.value("-d").or(attached.as_ref());
        let members = usage.operands.get(1..).unwrap_or_default();
        if command.program == "unzip" && !members.is_empty() {
            members.iter().for_each(|member| fills(&mut effects, &as_pattern(&below(folder, member))));
        } else {
            fills(&mut effects, folder.unwrap_or(&here));
        }
    }
    effects
}

fn pack(command: &Command, _: Option<&str>) -> Effects {
    let seven = command.program.starts_with("7z");
    let operands = command.usage.operands.get(usize::from(seven)..).unwrap_or_default();
    let mut effects = Effects::of(EffectKind::WritesFile, operands.iter().take(1));
    effects.on_each(EffectKind::ReadsFile, operands.iter().skip(1));
    let moves = seven && command.words.iter().any(|word| word.text == "-sdel");
    if moves || !seven && command.usage.has("-m") {
        effects.on_each(EffectKind::DeletesFile, operands.iter().skip(1));
    }
    effects
}

fn compress(command: &Command, _: Option<&str>) -> Effects {
    let usage = &command.usage;
    let mut effects = Effects::of(EffectKind::ReadsFile, &usage.operands);
    if !usage.has("--stdout") && !usage.has("--test") && !usage.has("--list") {
        // Without `-r`, folders are passed over.
        let deep = usage.has("--recursive");
        effects.on_each(
            EffectKind::WritesFile,
            usage.operands.iter().filter(|word| deep || !is_folder(&word.text)),
        );
    }
    effects
}

/// Is this a folder on every machine?
fn is_folder(path: &str) -> bool {
    const FOLDERS: [&str; 9] = ["/etc", "/usr", "/var", "/bin", "/lib", "/opt", "/home", "/root", "/tmp"];
    path.ends_with('/') || matches!(path, "." | "..") || FOLDERS.contains(&path)
}
