//! What this text itself puts into files, for a shell that runs them later.

use smol_str::SmolStr;

use super::Walker;
use super::flow::{CHAIN_MAX, brings_from_host, decodes};
use super::links::{is_errors, leaves};
use crate::effect_kind::EffectKind;
use crate::options::with_empty_unknowns;
use crate::programs::{base_name, is_known};
use crate::reading::{Command, Redirect, RedirectKind, Word};
use crate::stream::Stream;
use crate::tree::RawRedirect;

/// The program this reader belongs to: under another name it is the same.
const OWN_NAME: &str = "toolgate";

/// Unpacked downloads that are remembered.
const UNPACKED_MAX: usize = 16;

/// Files of `shared` that are remembered.
const SHARED_MAX: usize = 64;

/// Files printed by one command that are put together.
const JOINED_MAX: usize = 16;

/// Redirects of surrounding groups that are carried on.
const CARRIED_MAX: usize = 128;

impl Walker<'_> {
    /// Runs `inner` with the redirects of a group in force, whatever they may name.
    pub(super) fn redirected(
        &mut self,
        redirects: &[RawRedirect],
        stdin: Option<&Stream>,
        inner: impl Fn(&mut Self, Option<&Stream>) -> Stream,
    ) -> Stream {
        if redirects.is_empty() {
            return inner(self, stdin);
        }
        self.in_rounds(|walker| walker.redirected_once(redirects, stdin, &inner))
    }

    fn redirected_once(
        &mut self,
        redirects: &[RawRedirect],
        stdin: Option<&Stream>,
        inner: impl Fn(&mut Self, Option<&Stream>) -> Stream,
    ) -> Stream {
        let before = self.carried.len();
        let writing = self.writing.len();
        let mut own = None;
        let (mut written, mut spelled) = (None, None);
        let mut beside = Vec::new();
        let mut before_written = redirects.len();
        for (at, raw) in redirects.iter().enumerate() {
            let redirect = self.expand_redirect(raw);
            own = self.stream_of(&redirect, raw).or(own);
            if self.takes_output(&redirect, raw) {
                before_written = before_written.min(at);
                written = Some(redirect.clone()).filter(|redirect| redirect.target.exact);
                beside.extend(written.is_none().then(|| redirect.clone()));
                spelled = Some(redirect.target.clone()).filter(|target| !target.exact);
            } else if is_beside(raw) {
                beside.push(redirect.clone());
            }
            if self.carried.len() >= CARRIED_MAX {
                self.fail(redirect.target.span, "more redirects than are followed");
            } else if redirect.kind != RedirectKind::HereDoc {
                self.carried.push(redirect);
            }
        }
        let open = redirects.get(..before_written).unwrap_or_default();
        let (stream, sent) = self.with_sent(open, |walker| inner(walker, own.as_ref().or(stdin)));
        self.carried.truncate(before);
        self.writing.truncate(writing);
        for redirect in &beside {
            // Also where what is inside has written to the same file.
            self.doubt_file(redirect);
        }
        let mut stream = stream;
        if redirects.iter().any(is_errors) {
            stream.text = None;
        }
        if let Some(text) = redirects.iter().rev().find_map(leaves).filter(|_| written.is_none()) {
            if let Some(file) = self.descriptor_file.clone() {
                self.keep_written(&file, &stream, true);
            }
            (stream.text, stream.other) = (text, None);
        }
        if let Some(target) = &spelled {
            self.keep_spelled(target, &stream);
        }
        let Some(written) = written else {
            sent.into_iter().for_each(|sent| stream.append(sent));
            return stream;
        };
        self.keep_written(&written.target, &stream, written.kind == RedirectKind::Append);
        Stream { from: stream.from, ..sent.unwrap_or_else(Stream::silent) }
    }

    /// Notes what a redirect writes to. Tells whether that is where the output
    /// goes; what errors or other descriptors put into a file is not known.
    pub(super) fn takes_output(&mut self, redirect: &Redirect, raw: &RawRedirect) -> bool {
        let writes = self.note_writing(redirect);
        let both_ways = redirect.kind == RedirectKind::ReadWrite && raw.from.as_deref() != Some("0");
        if writes && is_beside(raw) || both_ways && raw.from.is_some() {
            self.doubt_file(redirect);
        }
        writes && !is_beside(raw)
    }

    fn doubt_file(&mut self, redirect: &Redirect) {
        let writes =
            matches!(redirect.kind, RedirectKind::Write | RedirectKind::Append | RedirectKind::ReadWrite);
        if writes && redirect.target.text != "/dev/null" {
            self.doubt_target(&redirect.target);
        }
    }

    /// Whatever is in this file is not known.
    fn doubt_target(&mut self, target: &Word) {
        if let Some(path) = self.meant_path(target) {
            self.touch(&path, target, true);
            self.files.insert(path, Stream::unknown());
        }
    }

    /// The file this names, or may name: in `$(x)f`, nothing may stand before the `f`.
    fn meant_path(&self, target: &Word) -> Option<SmolStr> {
        let behind_output = || {
            let (_, tail) = target.text.rsplit_once([')', '`'])?;
            (!target.exact && target.text.starts_with(['$', '`']) && !tail.is_empty()).then(|| tail.into())
        };
        match with_empty_unknowns(target).or_else(behind_output) {
            Some(text) => Some(self.path_key(&Word { text, ..target.clone() })),
            None => target.exact.then(|| self.path_key(target)),
        }
    }

    /// What runs next to the rest may put errors into the files that are open,
    /// however long.
    pub(super) fn share_open_files(&mut self) {
        let open: Vec<SmolStr> = self.writing.iter().filter_map(|file| self.meant_path(file)).collect();
        for path in open {
            self.share(path);
        }
    }

    /// What is in this file from now on is not known.
    pub(super) fn share(&mut self, path: SmolStr) {
        if self.shared.len() < SHARED_MAX && !self.shared.contains(&path) {
            self.shared.push(path);
        }
    }

    /// May the file be open for writing while it runs? One that is named by what
    /// is not known may be any.
    pub(super) fn is_open(&self, path: &str) -> bool {
        self.shared.len() >= SHARED_MAX
            || self.shared.iter().any(|file| file == path)
            || self.writing.iter().any(|file| !file.exact || self.path_key(file) == path)
    }

    /// `cat x` of a file this text wrote, and where the repository begins.
    pub(super) fn printed_file(&self, command: &Command) -> Option<Stream> {
        match command.words.as_slice() {
            [_, paths @ ..] if command.program == "cat" && !paths.is_empty() => self.joined_files(paths),
            [_, ..]
                if matches!(command.program.as_str(), "sed" | "gsed") && !command.usage.has("--in-place") =>
            {
                let given = command.usage.has("--expression");
                let [path] = command.usage.operands.get(usize::from(!given)..)? else { return None };
                let text = self.joined_files(std::slice::from_ref(path))?.text?;
                crate::edit::of(command, &text).map(Stream::known)
            }
            [_, rest @ ..]
                if command.program == "git"
                    && command.usage.sub() == "rev-parse"
                    && rest.iter().any(|word| word.text == "--show-toplevel") =>
            {
                let top = self.setting.project.as_ref()?;
                let here = self.here().filter(|here| here.exact)?;
                here.text.starts_with(top.as_str()).then(|| Stream::known(format!("{top}\n")))
            }
            [_, name] if command.program == "printenv" && name.exact => {
                let home = self.setting.home.as_ref().filter(|_| name.text == "HOME");
                home.map(|home| Stream::known(format!("{home}\n")))
            }
            [_, rest @ ..] if command.program == "git" && command.usage.sub() == "rev-parse" => {
                git_folder(rest).map(Stream::known)
            }
            _ => None,
        }
    }

    /// What files written here hold, one behind the other, if all are known.
    pub(super) fn joined_files(&self, paths: &[Word]) -> Option<Stream> {
        let text = |path: &Word| {
            let key = self.path_key(path);
            let behind = || self.behind_link(&key).and_then(|key| self.files.get(&key));
            self.streams.get(&path.text).or_else(|| self.file(&key)).or_else(behind).cloned()
        };
        if paths.len() > JOINED_MAX {
            return None;
        }
        // Each is asked for, also behind one that is not known.
        let mut texts = paths.iter().map(text).collect::<Vec<_>>().into_iter();
        let mut all = texts.next().flatten()?;
        for text in texts {
            all.append(text?);
        }
        Some(all)
    }

    /// Notes a file that is written to as long as what follows runs: more may be
    /// in it than was put there. Tells whether it is one.
    pub(super) fn note_writing(&mut self, redirect: &Redirect) -> bool {
        let writes = matches!(redirect.kind, RedirectKind::Write | RedirectKind::Append);
        if writes && redirect.target.text != "/dev/null" {
            self.writing.push(redirect.target.clone());
        }
        writes
    }

    /// A file this text writes. What was in it before is still there where
    /// this is added, or where the command is run once more with other values.
    pub(super) fn keep_written(&mut self, target: &Word, out: &Stream, adds: bool) {
        let path = self.path_key(target);
        self.touch(&path, target, true);
        if let Some(behind) = self.behind_link(&path) {
            self.touch(&behind, target, true);
            self.keep_or_add(behind, out, adds);
        }
        self.keep_or_add(path, out, adds);
    }

    /// The same for what gets there otherwise.
    pub(super) fn keep_at(&mut self, path: SmolStr, out: &Stream) {
        self.keep_or_add(path, out, false);
    }

    fn keep_or_add(&mut self, path: SmolStr, out: &Stream, adds: bool) {
        if adds {
            // What was there before is there still.
            let _ = self.file(&path);
        }
        let Some(known) = self.files.get_mut(&path) else {
            self.files.insert(path, out.settled());
            return;
        };
        if adds {
            known.append(out.settled());
        } else if known.text != out.text {
            *known =
                if !self.choice.is_first() { Stream { text: None, ..out.settled() } } else { out.settled() };
            self.overwritten.push(path);
        } else if known.text.is_none() {
            *known = out.settled();
        }
    }

    /// `> "$d/x"`: where no one knows what `d` is, the same spelling still means
    /// the same file, most times. So its text counts and its lack does not.
    fn keep_spelled(&mut self, target: &Word, out: &Stream) {
        if !target.glob && (out.text.is_some() || self.is_hidden(out)) {
            let path = self.path_key(target);
            self.files.insert(path, out.settled());
        }
    }

    /// Is it text that was decoded or came from elsewhere?
    pub(super) fn is_hidden(&self, stream: &Stream) -> bool {
        let mut at = stream.from;
        for _ in 0..CHAIN_MAX {
            let Some(command) = at.and_then(|at| self.commands.get(at)) else { break };
            if decodes(command) || brings_from_host(command) {
                return true;
            }
            at = command.piped_from;
        }
        stream.download.is_some()
    }

    /// Descriptors opened again since then are those of a shell that has ended.
    pub(super) fn doubt_descriptors(&mut self, since: usize) {
        for path in self.overwritten.iter().skip(since).filter(|path| path.starts_with("/dev/fd/")) {
            self.streams.insert(path.clone(), Stream::unknown());
        }
    }

    /// What was overwritten since then may also not have been.
    pub(super) fn doubt_written(&mut self, since: usize) {
        for path in self.overwritten.iter().skip(since) {
            if path.starts_with("/dev/fd/") {
                self.streams.insert(path.clone(), Stream::unknown());
            } else {
                // Text that is here, and no one knows which.
                let changed = self.files.get(path).is_some_and(|now| now.changed || now.text.is_some());
                self.files.insert(path.clone(), Stream { changed, ..Stream::unknown() });
            }
        }
        self.overwritten.truncate(since);
    }

    /// What comes in is put into these files.
    fn fill_files(&mut self, command: &Command, files: &[Word], out: &Stream) {
        let fed = command.piped_from.is_some() || !command.redirects.is_empty();
        let adds = command.usage.has("--append");
        for file in files {
            if !self.grow(out.text.as_ref().map_or(0, String::len)) {
                break;
            }
            let path = self.path_key(file);
            // Without anything that comes in, no one here knows the text.
            if fed {
                self.keep_or_add(path, out, adds);
            } else {
                self.files.remove(&path);
            }
        }
    }

    /// Keeps what a file would hold, for a shell that runs it later.
    pub(super) fn remember_writes(&mut self, command: &Command, out: &Stream, written: Option<&Word>) {
        if let Some(target) = written.filter(|_| command.program == "exec" && command.words.len() == 1) {
            // All that follows prints into it.
            self.writing.push(target.clone());
            self.share_open_files();
            self.writing.pop();
        }
        if let Some(target) = written.filter(|target| target.exact) {
            let adds = |one: &Redirect| one.kind == RedirectKind::Append && one.target == *target;
            self.keep_written(target, out, command.redirects.iter().any(adds));
        } else if let Some(target) = written {
            self.doubt_target(target);
            self.keep_spelled(target, out);
        }
        match (command.program.as_str(), command.usage.operands.as_slice()) {
            ("tee" | "sponge", files) => self.fill_files(command, files, out),
            ("cp" | "gcp" | "install" | "ginstall", [from, files @ ..]) if crate::output::is_input(from) => {
                self.fill_files(command, files, out);
            }
            ("mkfifo" | "mknod", pipes) => {
                // Anyone who reads it may come before anyone who writes it.
                for pipe in pipes {
                    let path = self.path_key(pipe);
                    self.files.insert(path, Stream::unknown());
                }
            }
            ("cp" | "gcp" | "mv" | "gmv" | "ln" | "install" | "ginstall" | "rsync" | "scp", _) => {
                self.carry_files(command);
            }
            ("dd", operands) => self.remember_copy(operands, out),
            _ => {
                self.edit_files(command, out);
                self.set_in_files(command);
                self.remember_unpacking(command, out);
            }
        }
        for effect in &command.effects {
            if let (EffectKind::WritesFile, Some(target)) = (effect.kind, &effect.target)
                && brings_download(command)
            {
                let host = command.effects.iter().find(|one| one.kind == EffectKind::ReachesHost);
                let download = host.and_then(|one| one.target.clone()).unwrap_or_default();
                let path = self.path_key(target);
                self.files.insert(path, Stream { download: Some(download), ..Stream::default() });
            }
        }
    }
}

impl Walker<'_> {
    /// An archive that came from the network: what lies in it came from there.
    fn remember_unpacking(&mut self, command: &Command, out: &Stream) {
        let unpacks = matches!(command.program.as_str(), "tar" | "gtar" | "bsdtar" | "unzip" | "7z" | "cpio");
        if !unpacks || self.unpacked.len() >= UNPACKED_MAX {
            return;
        }
        let from_file = command.effects.iter().filter(|effect| effect.kind == EffectKind::ReadsFile);
        let from_file = from_file.filter_map(|effect| effect.target.as_ref());
        let from = from_file
            .filter_map(|path| self.files.get(&self.path_key(path))?.download.clone())
            .next()
            .or_else(|| out.download.clone());
        let folder = command.effects.iter().find(|effect| effect.kind == EffectKind::WritesFile);
        if let (Some(from), Some(folder)) = (from, folder.and_then(|effect| effect.target.as_ref())) {
            let folder = self.path_key(folder);
            self.unpacked.push((folder, from));
        }
    }

    /// Where a file in a folder came from that a download was unpacked into.
    pub(super) fn unpacked_from(&self, path: &str) -> Option<Word> {
        let inside = |folder: &str| {
            path.strip_prefix(folder.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'))
        };
        self.unpacked.iter().find(|(folder, _)| inside(folder)).map(|(_, from)| from.clone())
    }

    /// The text of a patch this same text wrote to a file, for who applies it.
    pub(super) fn patch_text(&self, command: &Command) -> Option<&str> {
        let applies = |word: &Word| matches!(word.text.as_str(), "apply" | "am");
        let patches = command.program == "patch"
            || command.program == "git" && command.words.iter().take(8).any(applies);
        if !patches {
            return self.statements_text(command);
        }
        let named = command.words.iter().skip(1).take(32);
        let files = named.filter_map(|word| {
            let path =
                word.text.strip_prefix("--input=").or(word.text.strip_prefix("-i")).unwrap_or(&word.text);
            self.file(&self.path_key(&Word { text: path.into(), ..word.clone() }))
        });
        files.filter_map(|stream| stream.text.as_deref()).next()
    }

    /// The same of statements, for a client of a database.
    fn statements_text(&self, command: &Command) -> Option<&str> {
        let clients =
            ["psql", "pgcli", "usql", "sqlcmd", "clickhouse-client", "snowsql", "cqlsh", "mongosh", "mongo"];
        if !clients.contains(&command.program.as_str()) {
            return None;
        }
        let mut words = command.words.iter().skip(1).take(32);
        let named = words.by_ref().find_map(|word| match word.text.as_str() {
            "-f" | "--file" | "-i" => Some(None),
            text => text
                .strip_prefix("--file=")
                .or(text.strip_prefix("-f"))
                .map(|path| Some(Word { text: path.into(), ..word.clone() })),
        });
        let path = match named? {
            Some(path) => path,
            None => words.next()?.clone(),
        };
        let piped = self.streams.get(&path.text).and_then(|stream| stream.text.as_deref());
        piped.or_else(|| self.file(&self.path_key(&path))?.text.as_deref())
    }

    /// `ln -s /usr/bin/git g`: from here on `./g` is git.
    pub(super) fn rename_program(&mut self, from: &Word, to: &Word) {
        let (old, new) = (base_name(&from.text), base_name(&to.text));
        let program = from.text.contains("/bin/") || from.text.contains("/sbin/") || from.text == old;
        if from.exact
            && to.exact
            && program
            && old != new
            && !new.is_empty()
            && (is_known(old) || old == OWN_NAME)
        {
            self.scope.set_alias(new, old);
        }
    }
}

/// Is it another descriptor than the output that this one opens?
fn is_beside(raw: &RawRedirect) -> bool {
    raw.from.as_deref().is_some_and(|from| from != "1")
}

/// `< /dev/tcp/host/port` reads what the host says.
pub(super) fn from_socket(target: &Word) -> Option<Stream> {
    let is_socket = target.text.starts_with("/dev/tcp/") || target.text.starts_with("/dev/udp/");
    is_socket.then(|| Stream { download: Some(target.clone()), ..Stream::default() })
}

/// Does it write what another machine sends?
fn brings_download(command: &Command) -> bool {
    matches!(command.program.as_str(), "curl" | "wget" | "scp" | "rsync" | "aria2c" | "axel" | "sftp" | "gh")
        && command.effects.iter().any(|effect| effect.kind == EffectKind::ReachesHost)
        && !command.effects.iter().any(|effect| effect.kind == EffectKind::SendsData)
}

/// `git rev-parse --git-dir` and `--git-path x`, as they are at the top.
fn git_folder(words: &[Word]) -> Option<String> {
    let plain = |words: &[Word]| -> Option<Vec<String>> {
        words.iter().map(|word| word.exact.then(|| word.text.to_string())).collect()
    };
    let words = plain(words)?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["rev-parse", "--git-dir" | "--git-common-dir" | "--absolute-git-dir"] => Some(".git\n".to_string()),
        ["rev-parse", "--git-path", path] => Some(format!(".git/{path}\n")),
        _ => None,
    }
}
