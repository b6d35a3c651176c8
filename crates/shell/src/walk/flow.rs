//! Where data flows: through pipes, substitutions and descriptors, to a shell
//! or to another machine.
//!
//! A file counts as sent when a command that sends its input follows
//! one that reads the file, whatever is between. Nothing is judged here.

use std::rc::Rc;
use std::sync::Arc;

use super::Walker;
use super::simple::PendingCommand;
use crate::effect_kind::EffectKind;
use crate::reading::{Command, Effect, Redirect, RedirectKind, Unknown, Word};
use crate::scope::BUILT;
use crate::stream::Stream;

/// Commands looked at behind one another.
pub(super) const CHAIN_MAX: usize = 16;

/// Files one command can be seen to send.
const SENT_MAX: usize = 16;

/// Longer words are not searched for substitutions.
const WORD_MAX: usize = 64 << 10;

/// Programs that turn encoded or packed data into text.
const DECODERS: [&str; 20] = [
    "base64",
    "base32",
    "basenc",
    "openssl",
    "xxd",
    "uudecode",
    "gunzip",
    "zcat",
    "gzcat",
    "gzip",
    "bzcat",
    "bunzip2",
    "xzcat",
    "unxz",
    "zstdcat",
    "gpg",
    "rev",
    "unzip",
    "ccdecrypt",
    "tar",
];

/// Folders whose entries are descriptors.
const DESCRIPTORS: [&str; 3] = ["/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"];

/// Is this `<&3` or `>&$fd`, not one of the usual three?
pub(super) fn is_descriptor(redirect: &Redirect) -> bool {
    let target = redirect.target.text.trim_end_matches('-');
    redirect.kind == RedirectKind::Duplicate && !matches!(target, "0" | "1" | "2" | "")
}

impl Walker<'_> {
    /// A line that is only redirects: `> file`, or `< file` in a substitution.
    pub(super) fn only_redirects(&mut self, mut call: PendingCommand) -> Stream {
        if call.redirects.is_empty() {
            return Stream::silent();
        }
        let read = call.redirects.iter().find(|one| one.kind == RedirectKind::Read).cloned();
        call.words = vec![Word { text: ":".into(), exact: true, glob: false, span: call.span }];
        call.moved = true;
        let out = self.call(call, None);
        let Some(read) = read else { return out };
        let known = self.file(&self.path_key(&read.target)).cloned();
        Stream { from: out.from, ..known.unwrap_or_default() }
    }

    pub(super) fn keep_descriptor(&mut self, stream: &Stream) {
        let download = self.descriptors.take().and_then(|old| old.download);
        let mut kept = stream.settled();
        kept.download = kept.download.or(download);
        self.descriptors = Some(kept);
    }

    /// What follows `/dev/fd/3`.
    pub(super) fn descriptor(&self, path: &str) -> Option<Stream> {
        self.descriptors.clone().filter(|_| DESCRIPTORS.iter().any(|folder| path.starts_with(folder)))
    }

    /// The file behind a `>&3` of `command`.
    pub(super) fn descriptor_file(&self, command: &Command) -> Option<Word> {
        self.descriptor_file.clone().filter(|_| command.redirects.iter().any(is_descriptor))
    }

    /// `exec 3< file` and `: {fd}> file` open descriptors for what follows.
    pub(super) fn open_descriptors(&mut self, command: &Command) {
        let opens = matches!(command.program.as_str(), "exec" | ":")
            && command.words.iter().skip(1).all(|word| word.text.starts_with('-'));
        if !opens {
            return;
        }
        for redirect in &command.redirects {
            let text = &redirect.target.text;
            match redirect.kind {
                RedirectKind::Read | RedirectKind::ReadWrite => {
                    let key = self.path_key(&redirect.target);
                    let known = self.streams.get(text).or_else(|| self.file(&key)).cloned();
                    self.keep_descriptor(&known.unwrap_or(Stream { is_file: true, ..Stream::default() }));
                }
                RedirectKind::HereDoc | RedirectKind::HereString if redirect.target.exact => {
                    self.keep_descriptor(&Stream::known(text.clone()));
                }
                RedirectKind::Write | RedirectKind::Append => {
                    self.descriptor_file = Some(redirect.target.clone()).filter(|word| word.exact);
                    if redirect.kind == RedirectKind::Write && redirect.target.exact {
                        let key = self.path_key(&redirect.target);
                        self.files.insert(key, Stream::silent());
                    }
                }
                _ => {}
            }
        }
    }

    /// Commands whose output is in the words of `command`.
    pub(super) fn quoted(&self, command: &Command) -> Vec<usize> {
        let mut found = Vec::new();
        if self.outputs.is_empty() {
            return found;
        }
        let here = command
            .redirects
            .iter()
            .filter(|one| matches!(one.kind, RedirectKind::HereDoc | RedirectKind::HereString))
            .map(|one| &one.target);
        for word in command.words.iter().chain(here).filter(|word| !word.exact && word.text.len() < WORD_MAX)
        {
            let inside = self.outputs.iter().filter(|(spelling, _)| word.text.contains(spelling.as_str()));
            found.extend(inside.map(|(_, from)| *from));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Options some programs take from the environment.
    pub(super) fn add_options(&self, command: &mut Command) {
        if !matches!(command.program.as_str(), "tar" | "gtar") {
            return;
        }
        let given =
            command.assignments.iter().filter(|one| one.name == "TAR_OPTIONS").map(|one| one.value.clone());
        let mut values: Vec<Word> = given.collect();
        for value in self.scope.get("TAR_OPTIONS").into_iter().flatten().flatten() {
            values.push(Word { text: value.text.clone(), exact: value.exact, ..Word::default() });
        }
        let span = command.words.first().map(|word| word.span).unwrap_or_default();
        let texts = values.iter().flat_map(|value| value.text.split_ascii_whitespace()).take(32);
        for (at, text) in (1..).zip(texts) {
            command.words.insert(at, Word { text: text.into(), exact: true, glob: false, span });
            command.in_place = false;
        }
    }

    /// Of what sort unknown text is that would be run.
    pub(super) fn kind_of_text(&self, text: &str) -> Unknown {
        match self.streams.get(text.trim()) {
            Some(stream) => self.kind_of_stream(stream),
            None => Unknown::Variable,
        }
    }

    pub(super) fn kind_of_stream(&self, stream: &Stream) -> Unknown {
        let commands = &self.commands;
        let mut at = stream.from;
        let mut kind = Unknown::Output;
        for _ in 0..CHAIN_MAX {
            let Some(command) = at.and_then(|at| commands.get(at)) else { break };
            if decodes(command) {
                return Unknown::Decoded;
            }
            if brings_from_host(command) {
                return Unknown::Decoded;
            }
            let prints = matches!(command.program.as_str(), "echo" | "printf");
            if prints && command.words.iter().any(|word| !word.exact) {
                kind = Unknown::Variable;
            } else if prints && at != stream.from {
                // Text that is here, made into something else on the way.
                return Unknown::Decoded;
            }
            at = command.piped_from;
        }
        if stream.download.is_some() { Unknown::Decoded } else { kind }
    }

    /// A name that was decoded hides more than one that is merely not known.
    pub(super) fn kind_of_name(&self, text: &str) -> Unknown {
        let from = self.streams.get(text.trim()).and_then(|stream| stream.from);
        let mut at = from;
        for _ in 0..CHAIN_MAX {
            let Some(command) = at.and_then(|at| self.commands.get(at)) else { break };
            let encodes = matches!(
                command.program.as_str(),
                "base64" | "base32" | "basenc" | "xxd" | "openssl" | "rev"
            );
            if encodes && decodes(command) {
                return Unknown::Decoded;
            }
            at = command.piped_from;
        }
        // Put together here, piece by piece: anyone who does that hides it.
        if text.ends_with(BUILT) && from.is_none() { Unknown::Variable } else { Unknown::Name }
    }

    /// `exec <x`: all that follows reads `x`.
    pub(super) fn keep_input(&mut self, command: &Command, stdin: Option<&Stream>) {
        let reads = |one: &Redirect| {
            matches!(one.kind, RedirectKind::Read | RedirectKind::HereDoc | RedirectKind::HereString)
        };
        let alone = command.program == "exec" && command.words.len() == 1;
        if alone && command.redirects.iter().any(reads) {
            self.input = stdin.cloned().map(Rc::new);
        }
    }

    /// `dd if=a of=b` copies, and without `if` it keeps what comes in.
    pub(super) fn remember_copy(&mut self, operands: &[Word], out: &Stream) {
        let named = |sign: &str| {
            operands.iter().find_map(|word| {
                let text = word.text.strip_prefix(sign)?;
                Some(Word { text: text.into(), ..word.clone() })
            })
        };
        let Some(to) = named("of=") else { return };
        let stream = match named("if=") {
            Some(from) => self.file(&self.path_key(&from)).cloned(),
            None => Some(out.clone()),
        };
        if let Some(stream) = stream {
            let key = self.path_key(&to);
            self.files.insert(key, stream);
        }
    }

    /// The host whose answer flows in here, through whatever is between.
    pub(super) fn downloaded(&self, stream: &Stream) -> Option<Word> {
        let mut at = stream.from;
        for _ in 0..CHAIN_MAX {
            let command = at.and_then(|at| self.commands.get(at))?;
            if brings_from_host(command) {
                let host = command.effects.iter().find(|effect| effect.kind == EffectKind::ReachesHost);
                return Some(host.and_then(|effect| effect.target.clone()).unwrap_or_default());
            }
            for word in command.words.iter().filter(|word| !word.exact) {
                let found = self.downloads.iter().find(|(spelling, _)| word.text.contains(spelling.as_str()));
                if let Some((_, url)) = found {
                    return Some(url.clone());
                }
            }
            at = command.piped_from;
        }
        None
    }

    /// Of what sort text is that flows into a shell. What tools make of text
    /// here is output; what other programs say is not known.
    pub(super) fn kind_of_input(&self, stream: &Stream) -> Unknown {
        let last = stream.from.and_then(|at| self.commands.get(at));
        match self.kind_of_stream(stream) {
            Unknown::Output if last.is_none_or(|command| !TEXT_TOOLS.contains(&command.program.as_str())) => {
                Unknown::Variable
            }
            kind => kind,
        }
    }
}

/// Does it print what another machine says?
pub(super) fn brings_from_host(command: &Command) -> bool {
    let program = command.program.as_str();
    matches!(program, "nc" | "ncat" | "netcat" | "socat" | "telnet") && command.words.len() > 1
        || matches!(program, "ssh" | "lynx" | "w3m" | "links" | "ftp" | "sftp" | "dig" | "nslookup" | "host")
            && command.effects.iter().any(|effect| effect.kind == EffectKind::ReachesHost)
}

/// Tools that make text of text.
const TEXT_TOOLS: [&str; 28] = [
    "awk", "gawk", "mawk", "nawk", "sed", "gsed", "perl", "find", "grep", "egrep", "cut", "sort", "uniq",
    "printf", "echo", "cat", "head", "tail", "tac", "jq", "yq", "ls", "xargs", "paste", "seq", "column",
    "tee", "envsubst",
];

pub(super) fn decodes(command: &Command) -> bool {
    let packs = matches!(
        command.program.as_str(),
        "base64" | "base32" | "basenc" | "gzip" | "openssl" | "gpg" | "xxd" | "tar" | "unzip"
    );
    let unpacking = command.words.iter().skip(1).any(|word| {
        word.text.starts_with("--d")
            || word.text.starts_with('-')
                && !word.text.starts_with("--")
                && word.text.contains(['d', 'D', 'r', 'O', 'p'])
    });
    DECODERS.contains(&command.program.as_str()) && (!packs || unpacking)
}

/// Adds what each command sends of files other commands read.
pub(super) fn mark_sent(commands: &mut [Arc<Command>]) {
    let socket = commands.iter().find_map(|command| {
        let opens = matches!(command.program.as_str(), "exec" | ":");
        let sends = command.effects.iter().find(|effect| effect.kind == EffectKind::SendsData && opens)?;
        sends.target.clone()
    });
    for at in 0..commands.len() {
        let Some(command) = commands.get(at) else { break };
        if command.via.iter().any(|via| via == "ssh") {
            // Its files are the other machine's.
            continue;
        }
        let Some(sender) = Sender::of(command, socket.as_ref()) else { continue };
        let mut new: Vec<Effect> = Vec::new();
        if let Some(socket) = &sender.socket {
            new.push(Effect { kind: EffectKind::SendsData, target: Some(socket.clone()) });
        }
        let mut sent = if sender.own { reads(command) } else { Vec::new() };
        let mut quoted = Vec::new();
        if sender.input {
            sent.extend(behind(commands, command.piped_from));
        }
        if MAILERS.contains(&command.program.as_str()) {
            quoted.append(&mut sent);
        }
        if command.words.iter().any(|word| word.text.contains("$stdin")) {
            quoted.extend(behind(commands, command.piped_from));
        }
        quoted.extend(secret_variable(command));
        for from in &command.quotes {
            quoted.extend(behind(commands, Some(*from)));
        }
        let effect = |kind: EffectKind| move |word: Word| Effect { kind, target: Some(word) };
        new.extend(sent.into_iter().take(SENT_MAX).map(effect(EffectKind::SendsFile)));
        new.extend(quoted.into_iter().take(SENT_MAX).map(effect(EffectKind::QuotesFile)));
        if let Some(command) = commands.get_mut(at).map(Arc::make_mut) {
            for effect in new {
                let same = |known: &Effect| known.kind == effect.kind && text_of(known) == text_of(&effect);
                if !command.effects.iter().any(same) {
                    command.effects.push(effect);
                }
            }
        }
    }
}

/// Variables that hold the key to an account, by the names their makers gave
/// them, and the host it is for. What goes into a header is how they are meant
/// to be used.
const SECRET_VARIABLES: [(&str, &str); 9] = [
    ("AWS_SECRET_ACCESS_KEY", "amazonaws.com"),
    ("AWS_SESSION_TOKEN", "amazonaws.com"),
    ("GITHUB_TOKEN", "github.com"),
    ("GH_TOKEN", "github.com"),
    ("NPM_TOKEN", "npmjs.org"),
    ("ANTHROPIC_API_KEY", "anthropic.com"),
    ("OPENAI_API_KEY", "openai.com"),
    ("SSH_PRIVATE_KEY", ""),
    ("DATABASE_URL", ""),
];

/// Where variables come from, if one of them is in what a request says to
/// a host it is not for.
fn secret_variable(command: &Command) -> Option<Word> {
    if !matches!(command.program.as_str(), "curl" | "wget") {
        return None;
    }
    let usage = &command.usage;
    let body = |flag: &&crate::reading::Flag| {
        ["--data", "--json", "--form", "--post", "--body", "--url"]
            .iter()
            .any(|head| flag.name.starts_with(head))
    };
    let meant = |own: &str| {
        let ends = |word: &Word| host_of(&word.text).ends_with(own);
        !own.is_empty() && !usage.operands.is_empty() && usage.operands.iter().all(ends)
    };
    let says = |word: &&Word| {
        let named =
            |name: &str| word.text.contains(&format!("${name}")) || word.text.contains(&format!("${{{name}"));
        !word.exact && SECRET_VARIABLES.iter().any(|(name, own)| named(name) && !meant(own))
    };
    let values = usage.flags.iter().filter(body).filter_map(|flag| flag.value.as_ref());
    let word = values.chain(&usage.operands).find(says)?;
    Some(Word { text: "/proc/self/environ".into(), exact: true, glob: false, span: word.span })
}

/// The host of an address.
fn host_of(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let rest = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    host.split(':').next().unwrap_or(host)
}

fn text_of(effect: &Effect) -> Option<&str> {
    effect.target.as_ref().map(|word| word.text.as_str())
}

/// Programs that send a letter: what it says is meant to be read.
const MAILERS: [&str; 4] = ["mail", "mailx", "sendmail", "mutt"];

/// How a command sends.
struct Sender {
    /// What it reads itself.
    own: bool,
    /// What comes in on its input.
    input: bool,
    /// Through a descriptor opened before.
    socket: Option<Word>,
}

impl Sender {
    fn of(command: &Command, socket: Option<&Word>) -> Option<Sender> {
        let to = |kind: EffectKind| {
            command.effects.iter().any(|effect| {
                effect.kind == kind && !effect.target.as_ref().is_some_and(|host| is_local(&host.text))
            })
        };
        let by_descriptor = || {
            command.redirects.iter().any(is_descriptor)
                || command.words.iter().any(|word| word.text.contains("/fd/") || word.text.contains("FD:"))
        };
        let socket = socket.filter(|_| by_descriptor()).cloned();
        let sends = to(EffectKind::SendsData) || socket.is_some();
        if !sends && !to(EffectKind::ReachesHost) {
            return None;
        }
        let input = socket.is_some() || sends_input(command);
        Some(Sender { own: sends, input, socket })
    }
}

/// Programs that reach a host and pass on what comes in.
fn sends_input(command: &Command) -> bool {
    let dash = |word: &Word| matches!(word.text.as_str(), "-" | "@-" | "/dev/stdin" | "@/dev/stdin");
    let by_redirect = command
        .redirects
        .iter()
        .any(|one| one.target.text.starts_with("/dev/tcp/") || one.target.text.starts_with("/dev/udp/"));
    by_redirect
        || match command.program.as_str() {
            "curl" | "wget" => command.usage.flags.iter().any(|flag| {
                let text = flag.value.as_ref().map_or("", |value| value.text.as_str());
                matches!(text, "-" | "@-" | "@/dev/stdin")
                    || text.ends_with("=@-")
                    || text.ends_with("=<-")
                    || text.ends_with("@/dev/stdin")
            }),
            "nc" | "ncat" | "netcat" | "socat" | "telnet" | "openssl" | "ssh" | "mail" | "mailx"
            | "sendmail" | "mutt" | "http" | "https" | "xh" | "xhs" | "ftp" | "lftp" | "pastebinit"
            | "wgetpaste" => true,
            "aws" | "gsutil" | "gcloud" | "rclone" | "s3cmd" | "mc" | "az" => {
                command.usage.operands.iter().any(dash)
                    || command.words.iter().any(|word| word.text == "rcat")
            }
            _ => false,
        }
}

/// Is this address on this machine?
fn is_local(target: &str) -> bool {
    let rest = target.split_once("://").map_or(target, |(_, rest)| rest);
    let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    let host = rest.split(['/', ':', '?']).next().unwrap_or(rest);
    matches!(host, "localhost" | "0.0.0.0" | "host.docker.internal")
        || rest.starts_with("[::1]")
        || host.starts_with("127.")
        || host.ends_with(".localhost")
}

fn reads(command: &Command) -> Vec<Word> {
    let files = command.effects.iter().filter(|effect| effect.kind == EffectKind::ReadsFile);
    files.filter_map(|effect| effect.target.clone()).collect()
}

/// Files read by the command at `at` and by those it reads from.
fn behind(commands: &[Arc<Command>], mut at: Option<usize>) -> Vec<Word> {
    let mut found = Vec::new();
    for _ in 0..CHAIN_MAX {
        let Some(command) = at.and_then(|at| commands.get(at)) else { break };
        found.extend(reads(command));
        let bare = command.words.len() == 1;
        if matches!(command.program.as_str(), "env" | "printenv") && bare
            || matches!(command.program.as_str(), "set" | "export" | "declare" | "compgen")
                && command.words.len() <= 2
        {
            let word = command.words.first().cloned().unwrap_or_default();
            found.push(Word { text: "/proc/self/environ".into(), exact: true, ..word });
        }
        at = command.piped_from;
    }
    found
}
