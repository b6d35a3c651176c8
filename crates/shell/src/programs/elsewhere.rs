//! What is kept elsewhere and made once: backups, queues, releases, tunnels,
//! certificates, accounts. Which words take it away is data.

use super::{Effects, Model, help, plain};
use crate::effect_kind::EffectKind;
use crate::options::Spec;
use crate::reading::{Command, Word};

const BACKUP: &str = "r,repo= p,password-file= password-command= tag= host= path= keep-last= keep-daily= keep-weekly= keep-monthly= \
     keep-yearly= keep-within= H,keep-hourly= n,dry-run q,quiet v,verbose prune P,prefix= a,glob-archives= stats list force \
     cache-dir= archive= older-than=";

const SERVICE: &str = "n,namespace-id= api-key= project= account= cert-name= config= f,force y,yes live confirm h,help \
     p,vhost= H,host= P,port= u,username= topic= bootstrap-server= entity-type= entity-name= add-config= delete-config= command-config= \
     profiles-dir= target= t i,inventory= l,limit= e,extra-vars= tags= skip-tags= C,check D,diff list-tasks list-hosts syntax-check";

pub(super) const MODELS: &[Model] = &[
    plain(
        &["restic", "rustic", "borg", "kopia", "duplicity", "wal-g", "pgbackrest", "barman", "tmutil"],
        BACKUP,
        effects,
    ),
    plain(
        &[
            "stripe",
            "planetscale",
            "cloudflared",
            "certbot",
            "airflow",
            "fastlane",
            "rabbitmqctl",
            "rabbitmqadmin",
            "ansible-playbook",
            "nats",
            "rpk",
            "twilio",
            "auth0",
            "snyk",
            "sentry-cli",
            "turbo-cli",
            "ibmcloud-cf",
            "cf",
            "platform",
            "upsun",
            "render",
        ],
        SERVICE,
        effects,
    ),
    plain(&["kafka-configs", "kafka-configs.sh"], SERVICE, retention),
    plain(&["killall5"], "o= h", |_, _| {
        Effects::of(EffectKind::EndsProcess, &[Word { text: "-1".into(), exact: true, ..Word::default() }])
    }),
    plain(&["printenv"], "0,null", printed_variable),
];

/// Programs with the words that take something away: in order, `*` for any
/// word, a word with two dashes for an option that must be given.
const LINES: &[(&str, EffectKind, &[&str])] = &[
    ("restic|rustic", EffectKind::DestroysInfrastructure, &["forget --prune", "prune", "key remove"]),
    ("borg", EffectKind::DestroysInfrastructure, &["delete", "prune", "recreate"]),
    (
        "kopia",
        EffectKind::DestroysInfrastructure,
        &["snapshot delete", "snap delete", "policy remove", "maintenance run --force"],
    ),
    (
        "duplicity",
        EffectKind::DestroysInfrastructure,
        &["remove-older-than", "remove-all-but-n-full", "cleanup --force"],
    ),
    ("wal-g", EffectKind::DestroysInfrastructure, &["delete"]),
    ("pgbackrest", EffectKind::DestroysInfrastructure, &["stanza-delete", "expire"]),
    ("barman", EffectKind::DestroysInfrastructure, &["delete"]),
    ("tmutil", EffectKind::DestroysInfrastructure, &["delete", "deletelocalsnapshots", "disable"]),
    ("stripe", EffectKind::DestroysInfrastructure, &["* delete", "* cancel"]),
    ("planetscale", EffectKind::DestroysInfrastructure, &["database delete", "branch delete"]),
    ("cloudflared", EffectKind::DestroysInfrastructure, &["tunnel delete", "tunnel cleanup"]),
    ("certbot", EffectKind::DestroysInfrastructure, &["delete", "revoke", "unregister"]),
    (
        "airflow",
        EffectKind::DropsData,
        &["db reset", "db clean", "dags delete", "pools delete", "users delete"],
    ),
    ("fastlane", EffectKind::DestroysInfrastructure, &["nuke", "match nuke", "run match_nuke"]),
    (
        "rabbitmqctl|rabbitmqadmin",
        EffectKind::DropsData,
        &[
            "delete_queue",
            "purge_queue",
            "delete_vhost",
            "delete_user",
            "reset",
            "force_reset",
            "delete",
            "purge",
        ],
    ),
    (
        "nats",
        EffectKind::DropsData,
        &["stream rm", "stream delete", "stream purge", "kv del", "kv rm", "object rm"],
    ),
    ("rpk", EffectKind::DropsData, &["topic delete", "group delete"]),
    (
        "twilio|auth0|snyk|sentry-cli|cf|platform|upsun|render",
        EffectKind::DestroysInfrastructure,
        &[
            "delete",
            "* delete",
            "* remove",
            "delete-space",
            "delete-org",
            "delete-service",
            "environment:delete",
            "project:delete",
        ],
    ),
];

/// Names of playbooks that take down what they speak of.
const TAKES_DOWN: [&str; 8] =
    ["teardown", "tear-down", "tear_down", "destroy", "decommission", "uninstall", "wipe", "purge"];

fn effects(command: &Command, _: Option<&str>) -> Effects {
    let usage = &command.usage;
    let mut found = Effects::none();
    let spec = Spec { options: SERVICE, leading: false, short_names: false, one_dash: false };
    let looks = ["--dry-run", "--check", "--list-tasks", "--list-hosts", "--syntax-check"]
        .iter()
        .any(|name| usage.has(name));
    if looks || help::asks(command, &spec, &["--help", "-help", "-h"]) {
        return found;
    }
    let program = command.program.as_str();
    let words: Vec<&str> = usage.operands.iter().map(|word| word.text.as_str()).collect();
    let known = LINES.iter().find(|(names, ..)| names.split('|').any(|name| name == program));
    if let Some((_, kind, lines)) = known
        && lines.iter().any(|line| is_line(command, &words, line))
    {
        match usage.operands.last() {
            Some(what) => found.on(*kind, what),
            None => found.add(*kind),
        }
    }
    if program == "ansible-playbook" {
        let books = usage.operands.iter().filter(|word| {
            let name = super::base_name(&word.text);
            TAKES_DOWN.iter().any(|sign| name.contains(sign))
        });
        found.on_each(EffectKind::DestroysInfrastructure, books);
    }
    found
}

fn is_line(command: &Command, words: &[&str], line: &str) -> bool {
    let mut rest = words.iter();
    line.split(' ').all(|wanted| match wanted.starts_with("--") {
        true => command.usage.has(wanted),
        false => rest.next().is_some_and(|word| wanted == "*" || *word == wanted),
    })
}

/// What a topic keeps for less than this is gone at once.
const KEPT_MS: u64 = 60_000;

/// `--add-config retention.ms=1000` empties a topic.
fn retention(command: &Command, _: Option<&str>) -> Effects {
    let added = command.usage.values("--add-config").flat_map(|word| word.text.split(','));
    let mut times = added.filter_map(|setting| setting.trim().strip_prefix("retention.ms="));
    let mut found = Effects::none();
    if times.any(|time| time.parse::<u64>().is_ok_and(|time| time < KEPT_MS)) {
        match command.usage.value("--entity-name") {
            Some(topic) => found.on(EffectKind::DropsData, topic),
            None => found.add(EffectKind::DropsData),
        }
    }
    found
}

/// `printenv AWS_SECRET_ACCESS_KEY`
fn printed_variable(command: &Command, _: Option<&str>) -> Effects {
    let is_secret = |word: &&Word| {
        let parts: Vec<&str> = word.text.split('_').collect();
        let last = parts.last().copied().unwrap_or_default();
        parts.iter().any(|part| matches!(*part, "SECRET" | "PASSWORD" | "PASSWD" | "TOKEN" | "PASSPHRASE"))
            || last == "KEY" && parts.len() > 1 && !parts.contains(&"PUBLIC")
    };
    let mut found = Effects::none();
    if command.usage.operands.iter().any(|word| is_secret(&word)) {
        found.add(EffectKind::RevealsSecret);
    }
    found
}
