//! Programs that tie streams to sockets: netcat, socat, `openssl s_client`.

use super::{Deeds, Model, is_stream, plain};
use crate::deed::Deed;
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

/// Does something come in that would be sent?
fn is_fed(command: &Command) -> bool {
    command.piped_from.is_some()
        || command.redirects.iter().any(|one| {
            matches!(one.kind, RedirectKind::Read | RedirectKind::HereString | RedirectKind::HereDoc)
        })
}

fn netcat(command: &Command, _: Option<&str>) -> Deeds {
    let usage = &command.usage;
    let host = usage.operands.first();
    let mut deeds = Deeds::none();
    if ["--exec", "--sh-exec", "--lua-exec"].iter().any(|name| usage.has(name)) {
        match host {
            Some(host) => deeds.on(Deed::GivesShell, host),
            None => deeds.add(Deed::GivesShell),
        }
    }
    if usage.has("--listen") {
        return deeds;
    }
    deeds.on_each(Deed::ReachesHost, host);
    if is_fed(command) {
        deeds.on_each(Deed::SendsData, host);
    }
    deeds
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

fn socat(command: &Command, _: Option<&str>) -> Deeds {
    let mut deeds = Deeds::none();
    let mut hosts = Vec::new();
    let mut files = false;
    let both = command.usage.operands.iter().flat_map(|word| {
        word.text.split("!!").map(|text| Word { text: text.into(), ..word.clone() }).collect::<Vec<_>>()
    });
    for word in both {
        let (kind, target) = address(&word);
        match kind.as_str() {
            "EXEC" | "SYSTEM" | "SHELL" => deeds.add(Deed::GivesShell),
            "OPEN" | "FILE" | "GOPEN" | "PIPE" | "FIFO" if !is_stream(&target.text) => {
                files = true;
                deeds.on(Deed::ReadsFile, &target);
            }
            "CREAT" | "CREATE" => deeds.on(Deed::WritesFile, &target),
            kind if kind.contains("LISTEN") || kind.contains("RECV") => {}
            kind if ["TCP", "UDP", "SSL", "OPENSSL", "SOCKS", "PROXY", "SCTP"]
                .iter()
                .any(|name| kind.starts_with(name)) =>
            {
                hosts.push(target);
            }
            _ if word.text.starts_with(['/', '.']) => {
                files = true;
                deeds.on(
                    Deed::ReadsFile,
                    &Word { text: word.text.split(',').next().unwrap_or("").into(), ..word.clone() },
                );
            }
            _ => {}
        }
    }
    deeds.on_each(Deed::ReachesHost, &hosts);
    if files || is_fed(command) {
        deeds.on_each(Deed::SendsData, &hosts);
    }
    deeds
}

fn openssl(command: &Command, _: Option<&str>) -> Deeds {
    let usage = &command.usage;
    let mut deeds = Deeds::none();
    deeds.on_each(Deed::ReachesHost, usage.value("-connect"));
    if is_fed(command) {
        deeds.on_each(Deed::SendsData, usage.value("-connect"));
    }
    let read = ["-in", "-inkey"].iter().filter_map(|name| usage.value(name));
    deeds.on_each(Deed::ReadsFile, read.filter(|word| !is_stream(&word.text)));
    // A key is made where there is none; the disk knows whether there is.
    let verb = usage.operands.first().map_or("", |word| word.text.as_str());
    let makes_key = matches!(verb, "genrsa" | "genpkey" | "gendsa" | "ecparam");
    let out = usage.value("-out").filter(|word| !is_stream(&word.text));
    deeds.on_each(if makes_key { Deed::CreatesFile } else { Deed::WritesFile }, out);
    deeds.on_each(Deed::CreatesFile, usage.value("-keyout").filter(|word| !is_stream(&word.text)));
    deeds
}
