//! Programs that hand out what they keep secret: keyrings, password stores,
//! logins of other tools.
//!
//! Which words do that is data; one function reads them for every program, also
//! those with a model of their own.

use super::{Deeds, Model, is_stream, plain};
use crate::deed::Deed;
use crate::heads::Heads;
use crate::reading::{Command, Word};

/// Programs, and the words in order behind which a secret is printed. A word
/// that begins with `-` must stand somewhere.
const REVEALS: &[(&[&str], &[&str])] = &[
    (&["gh", "glab"], &["auth token", "auth status -t", "auth status --show-token"]),
    (
        &["gcloud"],
        &[
            "auth print-access-token",
            "auth print-identity-token",
            "auth application-default print-access-token",
            "secrets versions access",
        ],
    ),
    (&["kubectl", "oc"], &["config view --raw", "whoami -t", "whoami --show-token"]),
    (&["op"], &["read", "item get --reveal"]),
    (&["pass", "gopass"], &["show"]),
    (&["vault"], &["kv get", "read", "print token"]),
    (&["bw"], &["get password", "get item", "get notes", "get totp"]),
    (&["fly", "flyctl"], &["auth token", "tokens create"]),
    (
        &["aws"],
        &[
            "configure export-credentials",
            "configure get aws_secret_access_key",
            "configure get aws_session_token",
            "sts get-session-token",
            "secretsmanager get-secret-value",
            "ssm get-parameter --with-decryption",
        ],
    ),
    (&["az"], &["account get-access-token", "keyvault secret show"]),
    (&["heroku"], &["auth:token"]),
    (&["terraform", "tofu", "terragrunt"], &["state pull"]),
    (
        &["git"],
        &["credential fill", "credential-store get", "credential-cache get", "credential-osxkeychain get"],
    ),
    (
        &["security"],
        &[
            "find-generic-password -w",
            "find-internet-password -w",
            "find-generic-password -g",
            "dump-keychain",
        ],
    ),
    (&["secret-tool"], &["lookup"]),
    (&["kwallet-query"], &["-r"]),
    (&["gpg", "gpg2"], &["--export-secret-keys", "--export-secret-key", "--export-secret-subkeys"]),
];

static HEADS: Heads = heads();

const fn heads() -> Heads {
    let (mut all, mut rows) = (Heads::NONE, REVEALS);
    while let [(names, _), more @ ..] = rows {
        let mut names = *names;
        while let [name, others @ ..] = names {
            all = all.with(name);
            names = others;
        }
        rows = more;
    }
    all
}

pub(super) const MODELS: &[Model] = &[plain(
    &["gpg", "gpg2"],
    "o,output= d,decrypt e,encrypt r,recipient= u,local-user= a,armor k,list-keys K,list-secret-keys batch yes homedir= keyserver= \
         passphrase= export export-secret-keys export-secret-key export-secret-subkeys import recv-keys s,sign b,detach-sign verify c,symmetric",
    gpg,
)];

fn gpg(command: &Command, _: Option<&str>) -> Deeds {
    let usage = &command.usage;
    let keys = usage.flags.iter().any(|flag| {
        ["--export", "--recv", "--list", "--import-", "--delete", "--edit", "--send", "--fingerprint"]
            .iter()
            .any(|head| flag.name.starts_with(head))
    });
    let files = usage.operands.iter().filter(|word| !keys && !is_stream(&word.text));
    let mut deeds = Deeds::of(Deed::ReadsFile, files);
    deeds.on_each(Deed::WritesFile, usage.value("--output").filter(|word| !is_stream(&word.text)));
    deeds
}

/// Adds that a command prints a secret, whatever its program.
pub(super) fn reveal(command: &Command, deeds: &mut Vec<crate::reading::Effect>) {
    if !HEADS.may_hold(&command.program) {
        return;
    }
    let is_named = |names: &[&str]| names.iter().any(|name| super::is_named(name, &command.program));
    let Some((_, lines)) = REVEALS.iter().find(|(names, _)| is_named(names)) else { return };
    let words = command.words.get(1..).unwrap_or_default();
    // Before another word `-h` is a host: `gh auth token -h github.com`.
    let helps = command.usage.has("--help") || words.last().is_some_and(|word| word.text == "-h");
    if !helps && lines.iter().any(|line| has_line(words, line)) {
        deeds.push(crate::reading::Effect { deed: Deed::RevealsSecret, target: None });
    }
}

/// Do the words that are no options begin with those of `line`, and do its
/// options stand somewhere?
fn has_line(words: &[Word], line: &str) -> bool {
    let mut operands = words.iter().filter(|word| !word.text.starts_with('-'));
    // Most times the first letter tells.
    let first = operands.clone().next().and_then(|word| word.text.bytes().next());
    if !line.starts_with('-') && line.bytes().next() != first {
        return false;
    }
    line.split(' ').all(|wanted| {
        if wanted.starts_with('-') {
            words.iter().any(|word| word.text == wanted)
        } else {
            operands.next().is_some_and(|word| word.text == wanted)
        }
    })
}
