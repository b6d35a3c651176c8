//! Programs that tie streams to sockets: netcat, socat, `openssl s_client`.

use super::{Effects, Model, code_hosts, is_stream, plain};
use crate::effect_kind::EffectKind;
use crate::options::Spec;
use crate::reading::{Command, RedirectKind, Word};

pub(super) const MODELS: &[Model] = &[
    plain(
        &["nc", "ncat", "netcat", "nc.traditional", "nc.openbsd"],
        "l,listen k,keep-open e,exec= c,sh-exec= lua-exec= p= w,wait= s= x,proxy= X,proxy-type= i= q= u,udp v,verbose z n ssl",
        netcat,
    ),
    plain(&["socat"], "d u U v x b= t= T= lf= L= W= 4 6 h", socat),
    Model {
        names: &["openssl"],
        spec: Spec {
            options: "in= out= inkey= key= connect= config= CA= CAkey= cert= passin= passout= k= K= iv= pass= e d a base64 \
                      encrypt decrypt pubin pubout text noout nodes newkey= keyout= days= subj= salt pbkdf2 md= sign= verify= \
                      servername= export certfile= name= inform= outform= engine= rand= writerand= extensions= extfile=",
            leading: false,
            short_names: false,
            one_dash: true,
        },
        subs: &[],
        groups: &[],
        effects: openssl,
    },
];

/// Calls that open a connection to elsewhere; a bare `connect` needs a socket next to it, since databases have one too.
const CONNECTS: &[&str] = &[
    "fsockopen(",
    "TCPSocket.",
    "IO::Socket::INET",
    "net.Socket(",
    "net.connect(",
    "net.createConnection(",
    "(\"net\").",
    "('net').",
    "stream_socket_client(",
];

/// Calls that lay the streams of a process onto something else.
const STREAMS: &[&str] = &["dup2(", "pty.spawn", "STDIN,\">&", "STDIN,'>&"];

/// Words that start a shell or what the other side says.
const SHELLS: &[&str] = &["/bin/sh", "/bin/bash", "'sh'", "\"sh\"", "sh -i", "IO.popen(", "cmd.exe"];

/// A program in another language, on the line or on its input, that ties a shell to a connection. Both halves must
/// stand in it: a client has one of them, a runner of commands the other. A longer text on the input may name a shell
/// for many reasons; there the streams must be laid over.
pub(super) fn given_away(command: &Command, input: Option<&str>) -> Effects {
    let has = |text: &str, signs: &[&str]| signs.iter().any(|sign| text.contains(sign));
    let connects = |text: &str| {
        has(text, CONNECTS)
            || text.contains("connect(") && (text.contains("socket") || text.contains("Socket"))
    };
    // A word without a bracket is no program.
    let texts = command.words.iter().skip(1).map(|word| word.text.as_str()).filter(|text| text.contains('('));
    let mut on_line = texts.filter(|text| has(text, STREAMS) || has(text, SHELLS));
    let mut effects = Effects::none();
    if on_line.any(connects) || input.is_some_and(|text| has(text, STREAMS) && connects(text)) {
        effects.add(EffectKind::GivesShell);
    }
    code_hosts::reveal(command, input, &mut effects);
    effects
}

/// Does something come in that would be sent?
fn is_fed(command: &Command) -> bool {
    command.piped_from.is_some()
        || command.redirects.iter().any(|one| {
            matches!(one.kind, RedirectKind::Read | RedirectKind::HereString | RedirectKind::HereDoc)
        })
}

fn netcat(command: &Command, _: Option<&str>) -> Effects {
    let usage = &command.usage;
    let host = usage.operands.first();
    let mut effects = Effects::none();
    if ["--exec", "--sh-exec", "--lua-exec"].iter().any(|name| usage.has(name)) {
        match host {
            Some(host) => effects.on(EffectKind::GivesShell, host),
            None => effects.add(EffectKind::GivesShell),
        }
    }
    if usage.has("--listen") {
        return effects;
    }
    effects.on_each(EffectKind::ReachesHost, host);
    if is_fed(command) {
        effects.on_each(EffectKind::SendsData, host);
    }
    effects
}

/// `TYPE:rest,option,…`, quotes taken off.
fn address(word: &Word) -> (String, Word) {
    let (kind, rest) = word.text.split_once(':').unwrap_or((&word.text, ""));
    let (path, options) = rest.split_once(',').unwrap_or((rest, ""));
    let folder =
        options.split(',').find_map(|option| option.strip_prefix("chdir=").or(option.strip_prefix("cd=")));
    let path = path.trim_matches(['"', '\'']);
    let path = folder.map_or_else(|| path.to_string(), |folder| format!("{folder}/{path}"));
    (kind.to_ascii_uppercase(), Word { text: path.into(), ..word.clone() })
}

fn socat(command: &Command, _: Option<&str>) -> Effects {
    let mut effects = Effects::none();
    let mut hosts = Vec::new();
    let mut files = false;
    let both = command.usage.operands.iter().flat_map(|word| {
        word.text.split("!!").map(|text| Word { text: text.into(), ..word.clone() }).collect::<Vec<_>>()
    });
    for word in both {
        let (kind, target) = address(&word);
        match kind.as_str() {
            "EXEC" | "SYSTEM" | "SHELL" => effects.add(EffectKind::GivesShell),
            "OPEN" | "FILE" | "GOPEN" | "PIPE" | "FIFO" if !is_stream(&target.text) => {
                files = true;
                effects.on(EffectKind::ReadsFile, &target);
            }
            "CREAT" | "CREATE" => effects.on(EffectKind::WritesFile, &target),
            kind if kind.contains("LISTEN") || kind.contains("RECV") => {}
            kind if ["TCP", "UDP", "SSL", "OPENSSL", "SOCKS", "PROXY", "SCTP"]
                .iter()
                .any(|name| kind.starts_with(name)) =>
            {
                hosts.push(target);
            }
            _ if word.text.starts_with(['/', '.']) => {
                files = true;
                effects.on(
                    EffectKind::ReadsFile,
                    &Word { text: word.text.split(',').next().unwrap_or("").into(), ..word.clone() },
                );
            }
            _ => {}
        }
    }
    effects.on_each(EffectKind::ReachesHost, &hosts);
    if files || is_fed(command) {
        effects.on_each(EffectKind::SendsData, &hosts);
    }
    effects
}

fn openssl(command: &Command, _: Option<&str>) -> Effects {
    let usage = &command.usage;
    let mut effects = Effects::none();
    effects.on_each(EffectKind::ReachesHost, usage.value("-connect"));
    if is_fed(command) {
        effects.on_each(EffectKind::SendsData, usage.value("-connect"));
    }
    let read = ["-in", "-inkey"].iter().filter_map(|name| usage.value(name));
    effects.on_each(EffectKind::ReadsFile, read.filter(|word| !is_stream(&word.text)));
    // A key is made where there is none; the disk knows whether there is.
    let verb = usage.operands.first().map_or("", |word| word.text.as_str());
    let makes_key = matches!(verb, "genrsa" | "genpkey" | "gendsa" | "ecparam");
    let out = usage.value("-out").filter(|word| !is_stream(&word.text));
    effects.on_each(if makes_key { EffectKind::CreatesFile } else { EffectKind::WritesFile }, out);
    effects.on_each(EffectKind::CreatesFile, usage.value("-keyout").filter(|word| !is_stream(&word.text)));
    effects
}
