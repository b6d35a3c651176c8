//! Programs that hand out what they keep secret: keyrings, password stores,
//! logins of other tools.
//!
//! Which words do that is data; one function reads them for every program, also
//! those with a model of their own.

use super::{Effects, Model, is_stream, plain};
use crate::effect_kind::EffectKind;
use crate::name_filter::NameFilter;
use crate::reading::{Command, Word};
use smol_str::SmolStr;

/// Programs, and the words in order behind which a secret is printed. A word
/// that begins with `-` must stand somewhere, one that begins with `*` is an ending.
const REVEALS: &[(&[&str], &[&str])] = &[
    (
        &["gh", "glab"],
        &["auth token", "auth status -t", "auth status --show-token", "auth git-credential get"],
    ),
    (
        &["gcloud"],
        &[
            "auth print-access-token",
            "auth print-identity-token",
            "auth application-default print-access-token",
            "config config-helper",
            "secrets versions access",
            "beta secrets versions access",
            "alpha secrets versions access",
        ],
    ),
    (
        &["kubectl", "oc", "kubecolor"],
        &["config view --raw", "whoami -t", "whoami --show-token", "create token"],
    ),
    (&["op"], &["read", "item get --reveal", "item get --fields"]),
    (&["pass"], &["show"]),
    (&["gopass"], &["show", "-o"]),
    (&["vault"], &["kv get", "read", "print token"]),
    (&["bw"], &["get password", "get item", "get notes", "get totp", "list items"]),
    (&["lpass"], &["show"]),
    (&["keyring"], &["get"]),
    (&["rclone"], &["config dump", "config show"]),
    (&["sops"], &["-d", "--decrypt", "decrypt"]),
    (&["doppler"], &["secrets download", "secrets get"]),
    (&["pulumi"], &["config --show-secrets", "stack output --show-secrets"]),
    (&["doctl"], &["auth token"]),
    (&["rails"], &["credentials:show"]),
    (&["fly", "flyctl"], &["auth token", "tokens create"]),
    (
        &["aws"],
        &[
            "configure export-credentials",
            "configure get *aws_secret_access_key",
            "configure get *aws_session_token",
            "sts get-session-token",
            "sts assume-role",
            "ecr get-login-password",
            "secretsmanager get-secret-value",
            "secretsmanager batch-get-secret-value",
            "ssm get-parameter --with-decryption",
            "ssm get-parameters --with-decryption",
            "ssm get-parameters-by-path --with-decryption",
        ],
    ),
    (
        &["az"],
        &[
            "account get-access-token",
            "keyvault secret show",
            "keyvault secret download",
            "storage account keys list",
        ],
    ),
    (&["heroku"], &["auth:token", "config", "config:get"]),
    (&["terraform", "tofu", "terragrunt"], &["state pull"]),
    (
        &["git"],
        &[
            "credential fill",
            "credential-store get",
            "credential-cache get",
            "credential-osxkeychain get",
            "credential-manager get",
        ],
    ),
    (
        &[
            "git-credential-manager",
            "docker-credential-desktop",
            "docker-credential-ecr-login",
            "docker-credential-gcloud",
            "docker-credential-gcr",
            "docker-credential-osxkeychain",
            "docker-credential-pass",
            "docker-credential-secretservice",
            "docker-credential-wincred",
        ],
        &["get"],
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

static HEADS: NameFilter = name_filter();

const fn name_filter() -> NameFilter {
    let (mut all, mut rows) = (NameFilter::NONE, REVEALS);
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

fn gpg(command: &Command, _: Option<&str>) -> Effects {
    let usage = &command.usage;
    let keys = usage.flags.iter().any(|flag| {
        ["--export", "--recv", "--list", "--import-", "--delete", "--edit", "--send", "--fingerprint"]
            .iter()
            .any(|head| flag.name.starts_with(head))
    });
    let files = usage.operands.iter().filter(|word| !keys && !is_stream(&word.text));
    let mut effects = Effects::of(EffectKind::ReadsFile, files);
    effects.on_each(EffectKind::WritesFile, usage.value("--output").filter(|word| !is_stream(&word.text)));
    effects
}

/// Adds that a command prints a secret, whatever its program.
pub(super) fn reveal(command: &Command, effects: &mut Vec<crate::reading::Effect>) {
    if !HEADS.may_hold(&command.program) {
        return;
    }
    let is_named = |names: &[&str]| names.iter().any(|name| super::is_named(name, &command.program));
    let Some((_, lines)) = REVEALS.iter().find(|(names, _)| is_named(names)) else { return };
    let words = command.words.get(1..).unwrap_or_default();
    // Before another word `-h` is a host: `gh auth token -h github.com`.
    let helps = command.usage.has("--help") || words.last().is_some_and(|word| word.text == "-h");
    if helps {
        return;
    }
    // Most commands have none of the words these begin with.
    let begins = |line: &&str| {
        let first = line.split(' ').next().unwrap_or_default();
        first.starts_with(['-', '*']) || words.iter().any(|word| word.text == first)
    };
    if !lines.iter().any(begins) && command.program != "pass" {
        return;
    }
    // Values of options stand among the words; where the options are known, they do not.
    let all: Vec<&str> =
        words.iter().map(|word| word.text.as_str()).filter(|text| !text.starts_with('-')).collect();
    let usage = &command.usage;
    let sorted: Vec<&str> = usage
        .subcommand
        .iter()
        .map(SmolStr::as_str)
        .chain(usage.operands.iter().map(|word| word.text.as_str()))
        .collect();
    let is_line = |line: &&str| has_line(&all, words, line) || has_line(&sorted, words, line);
    if lines.iter().any(is_line) || command.program == "pass" && names_entry(words) {
        effects.push(crate::reading::Effect { kind: EffectKind::RevealsSecret, target: None });
    }
}

/// `pass mail/me`: a single word that is none of its verbs is shown.
fn names_entry(words: &[Word]) -> bool {
    let verbs = [
        "init", "ls", "list", "find", "search", "grep", "insert", "add", "edit", "generate", "rm", "remove",
        "delete", "mv", "rename", "cp", "copy", "git", "help", "version", "otp", "show",
    ];
    matches!(words, [only] if !only.text.starts_with('-') && !verbs.contains(&only.text.as_str()))
}

/// Do the operands begin with the words of `line`, and do its options stand
/// somewhere?
fn has_line(operands: &[&str], words: &[Word], line: &str) -> bool {
    // Most times the first letter tells.
    let first = operands.first().and_then(|word| word.bytes().next());
    if !line.starts_with('-') && line.bytes().next() != first {
        return false;
    }
    let is_given = |word: &Word, wanted: &str| {
        let rest = word.text.strip_prefix(wanted);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('=') && rest != "=false")
    };
    let mut operands = operands.iter();
    line.split(' ').all(|wanted| {
        if wanted.starts_with('-') {
            return words.iter().any(|word| is_given(word, wanted));
        }
        let end = wanted.strip_prefix('*');
        operands.next().is_some_and(|word| *word == wanted || end.is_some_and(|end| word.ends_with(end)))
    })
}
