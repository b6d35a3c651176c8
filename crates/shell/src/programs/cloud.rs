//! Clouds and clusters from the command line: what is destroyed, what is
//! copied out.
//!
//! Which words destroy is data; one function reads them.

use super::{Deeds, Model, help, plain};
use crate::deed::Deed;
use crate::options::Spec;
use crate::reading::{Command, Word};

const OPTIONS: &str = "profile= region= output= query= project= zone= n,namespace= g,resource-group= subscription= account= \
     filter= format= y,yes q,quiet f,force recursive r R auto-approve destroy target= var= var-file= s,stack= a,app= team= t,token= all \
     context= cluster= name= org= chdir= key= bucket= no-wait dryrun dry-run visibility= exclude= include= acl=";

/// Programs with the words that destroy: each line is words in order, `*` for
/// any, a word ending in `-` for any that begins so.
const DESTROYERS: &[(&str, &[&str])] = &[
    (
        "terraform|tofu|terragrunt|cdktf|terramate",
        &["destroy", "run-all destroy", "run destroy", "state rm", "workspace delete"],
    ),
    ("pulumi", &["destroy", "down", "stack rm"]),
    ("cdk|sst|serverless|sls|copilot|sam", &["destroy", "remove", "delete", "app delete"]),
    (
        "aws",
        &[
            "s3 rb",
            "* delete-",
            "* terminate-",
            "* deregister-",
            "* purge-",
            "* destroy-",
            "* schedule-key-deletion",
        ],
    ),
    ("gcloud", &["delete", "* delete", "* * delete", "* * * delete", "* * * * delete"]),
    ("az", &["* delete", "* * delete", "* * * delete", "* purge", "* * purge"]),
    ("gh", &["repo delete", "repo archive", "release delete", "api"]),
    ("glab", &["repo delete", "project delete"]),
    ("helm", &["uninstall", "delete", "del", "un"]),
    ("eksctl", &["delete"]),
    ("heroku", &["apps:destroy", "pg:reset", "apps:delete", "addons:destroy"]),
    ("fly|flyctl", &["apps destroy", "destroy", "volumes destroy", "postgres destroy"]),
    ("doctl", &["* delete", "* * delete", "* * * delete"]),
    ("vercel|now", &["remove", "rm", "project rm", "projects rm"]),
    ("netlify", &["sites:delete"]),
    ("firebase", &["firestore:delete", "database:remove", "projects:delete", "hosting:disable"]),
    ("supabase", &["projects delete", "db reset"]),
    ("gsutil", &["rb"]),
    ("rclone", &["purge", "delete"]),
    ("s3cmd|mc", &["rb"]),
    ("linode-cli|hcloud|scw|ibmcloud|oci", &["* delete", "* * delete", "* terminate", "* * terminate"]),
    ("vault", &["delete", "kv metadata delete", "kv destroy", "secrets disable"]),
    ("ceph", &["osd pool delete", "fs rm"]),
    ("etcdctl", &["del"]),
    ("consul", &["kv delete"]),
    ("nomad", &["job stop", "system gc"]),
];

/// Programs whose long options have one dash.
const ONE_DASH: &[&str] = &["terraform", "tofu", "terragrunt", "cdktf", "terramate"];

/// Names of all of them.
pub(super) const MODELS: &[Model] = &[
    Model {
        names: ONE_DASH,
        spec: Spec { options: OPTIONS, leading: false, short_names: false, one_dash: true },
        subs: &[],
        groups: &[],
        effects,
    },
    plain(CLOUDS, OPTIONS, effects),
];

const CLOUDS: &[&str] = &[
    "pulumi",
    "cdk",
    "sst",
    "serverless",
    "sls",
    "copilot",
    "sam",
    "aws",
    "gcloud",
    "az",
    "gh",
    "glab",
    "helm",
    "eksctl",
    "heroku",
    "fly",
    "flyctl",
    "doctl",
    "vercel",
    "now",
    "netlify",
    "firebase",
    "supabase",
    "gsutil",
    "rclone",
    "s3cmd",
    "mc",
    "linode-cli",
    "hcloud",
    "scw",
    "ibmcloud",
    "oci",
    "vault",
    "ceph",
    "etcdctl",
    "consul",
    "nomad",
];

/// Does it print its help, or what it would do?
fn only_looks(command: &Command) -> bool {
    let usage = &command.usage;
    let one_dash = ONE_DASH.contains(&command.program.as_str());
    let spec = Spec { options: OPTIONS, leading: false, short_names: false, one_dash };
    // Before another word `-h` may be a host.
    let last = command.words.last().is_some_and(|word| word.text == "-h");
    let named = |word: Option<&Word>| word.is_some_and(|word| word.text == "help");
    help::asks(command, &spec, &["--help", "-help"])
        || last && help::asks(command, &spec, &["-h"])
        || ["--dryrun", "--dry-run", "-dry-run"].iter().any(|name| usage.has(name))
        || named(usage.operands.first())
        || command.program == "aws" && named(usage.operands.last())
}

fn is_destroy(word: &str) -> bool {
    matches!(word, "-destroy" | "--destroy" | "-destroy=true" | "--destroy=true")
}

fn effects(command: &Command, _: Option<&str>) -> Deeds {
    let mut deeds = copies(command);
    if command.program == "gh" {
        github(command, &mut deeds);
    }
    if only_looks(command) {
        return deeds;
    }
    let words: Vec<&str> = command.usage.operands.iter().map(|word| word.text.as_str()).collect();
    let lines = DESTROYERS
        .iter()
        .find(|(names, _)| names.split('|').any(|name| name == command.program))
        .map_or(&[][..], |(_, lines)| *lines);
    let named = lines.iter().any(|line| *line != "api" && begins(&words, line));
    // Terraform takes words from its environment as well.
    let from_outside = command.assignments.iter().filter(|one| one.name.starts_with("TF_CLI_ARGS"));
    let flagged = words.first() == Some(&"apply")
        && (command.words.iter().any(|word| is_destroy(&word.text))
            || from_outside.flat_map(|one| one.value.text.split(' ')).any(is_destroy));
    let emptied = matches!(
        (command.program.as_str(), words.as_slice()),
        ("aws", ["s3", "rm", ..])
            | ("gcloud", ["storage", "rm", ..])
            | ("gsutil" | "s3cmd" | "mc", ["rm" | "del", ..])
    ) && ["--recursive", "-r", "-R"].iter().any(|name| command.usage.has(name));
    let by_request = command.program == "gh"
        && words.first() == Some(&"api")
        && given(command, &["-X", "--method"]).iter().any(|word| word.text.eq_ignore_ascii_case("delete"));
    if named || flagged || emptied || by_request {
        match command.usage.operands.last() {
            Some(what) => deeds.on(Deed::DestroysInfrastructure, what),
            None => deeds.add(Deed::DestroysInfrastructure),
        }
    }
    if matches!(
        (command.program.as_str(), words.as_slice()),
        (
            "aws",
            ["cloudtrail", "stop-logging" | "delete-trail", ..]
                | ["guardduty", "delete-detector", ..]
                | ["logs", "delete-log-group" | "delete-log-stream", ..]
        )
    ) {
        deeds.add(Deed::WeakensDefence);
    }
    deeds
}

/// What `gh` puts on the network, and what it rewrites there.
fn github(command: &Command, deeds: &mut Deeds) {
    let operands = &command.usage.operands;
    let words: Vec<&str> = operands.iter().map(|word| word.text.as_str()).collect();
    match words.as_slice() {
        ["gist", "create" | "edit", ..] => {
            let added = given(command, &["-a", "--add"]);
            let files = operands.iter().skip(2).chain(&added);
            deeds.on_each(Deed::ReadsFile, files.filter(|word| word.text != "-"))
        }
        ["release", "upload" | "create", ..] => deeds.on_each(Deed::ReadsFile, operands.iter().skip(3)),
        ["api", rest @ ..] => {
            let forced = command.words.iter().any(|word| word.text.ends_with("force=true"));
            let branch = rest.iter().any(|word| word.contains("git/refs"));
            if forced && branch {
                deeds.add(Deed::RewritesRemote);
            }
            let inside = |word: &Word| {
                let (_, path) = word.text.split_once("=@")?;
                Some(Word { text: path.into(), ..word.clone() })
            };
            let fields: Vec<Word> = given(command, &["-F", "--field"]).iter().filter_map(inside).collect();
            let files = fields.into_iter().chain(given(command, &["--input"]));
            deeds.on_each(Deed::ReadsFile, &files.filter(|word| word.text != "-").collect::<Vec<_>>());
        }
        _ => {}
    }
    let short = if words.first() == Some(&"api") { "--body-file" } else { "-F" };
    let body = given(command, &["--body-file", "--notes-file", short]);
    deeds.on_each(Deed::ReadsFile, body.iter().filter(|word| word.text != "-"));
}

/// The values of an option, in every way they can be given: `-X a`, `-Xa`,
/// `--method a`, `--method=a`.
fn given(command: &Command, names: &[&str]) -> Vec<Word> {
    let mut found = Vec::new();
    for (at, word) in command.words.iter().enumerate() {
        if names.contains(&word.text.as_str()) {
            found.extend(command.words.get(at + 1).cloned());
            continue;
        }
        let attached = names.iter().find_map(|name| {
            let rest = word.text.strip_prefix(name)?;
            if name.starts_with("--") { rest.strip_prefix('=') } else { Some(rest.trim_start_matches('=')) }
        });
        found.extend(attached.map(|text| Word { text: text.into(), ..word.clone() }));
    }
    found
}

/// Do `words` begin with the words of `line`?
fn begins(words: &[&str], line: &str) -> bool {
    for (at, wanted) in line.split(' ').enumerate() {
        let Some(word) = words.get(at) else { return false };
        let fits = wanted == "*" || *word == wanted || wanted.ends_with('-') && word.starts_with(wanted);
        if !fits {
            return false;
        }
    }
    true
}

fn is_bucket(word: &Word) -> bool {
    ["s3://", "gs://", "az://", "https://"].iter().any(|scheme| word.text.starts_with(scheme))
}

/// `aws s3 cp file s3://x` sends the file.
fn copies(command: &Command) -> Deeds {
    let mut deeds = Deeds::none();
    let operands = &command.usage.operands;
    let skip = match command.program.as_str() {
        "aws" | "gcloud" => 2,
        "gsutil" | "s3cmd" | "mc" | "rclone" => 1,
        _ => return deeds,
    };
    let verb = operands.get(skip - 1).map_or("", |word| word.text.as_str());
    if !matches!(verb, "cp" | "mv" | "sync" | "rsync" | "put" | "copy" | "move" | "copyto") {
        return deeds;
    }
    let Some((to, from)) = operands.get(skip..).and_then(|rest| rest.split_last()) else { return deeds };
    let remote = is_bucket(to) || command.program == "rclone" && to.text.contains(':');
    if remote
        && from
            .iter()
            .any(|word| !(is_bucket(word) || command.program == "rclone" && word.text.contains(':')))
    {
        deeds.on(Deed::ReachesHost, to);
        deeds.on(Deed::SendsData, to);
        deeds.on_each(Deed::ReadsFile, from.iter().filter(|word| word.text != "-"));
    } else if !remote {
        deeds.on_each(Deed::ReachesHost, from.iter().filter(|word| is_bucket(word)));
        deeds.on(Deed::WritesFile, to);
    }
    deeds
}
