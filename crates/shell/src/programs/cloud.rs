//! Clouds and clusters from the command line: what is destroyed, what is
//! copied out.
//!
//! Which words destroy is data; one function reads them.

use super::addresses::given;
use super::{Effects, Model, database, help, plain, requests};
use crate::effect_kind::EffectKind;
use crate::options::Spec;
use crate::reading::{Command, Word};
use smol_str::format_smolstr;

const OPTIONS: &str = "profile= region= output= query= project= zone= n,namespace= g,resource-group= subscription= account= \
     filter= format= y,yes q,quiet f,force recursive r R auto-approve destroy target= var= var-file= s,stack= a,app= team= t,token= all \
     context= cluster= name= org= chdir= key= bucket= no-wait dryrun dry-run visibility= exclude= include= acl= endpoint-url= X,method= hostname= \
     require-approval=";

/// Programs with the words that destroy: each line is words in order, `*` for
/// any, a word ending in `-` for any that begins so, `*` and more for any that
/// ends so.
const DESTROYERS: &[(&str, &[&str])] = &[
    (
        "terraform|tofu|terragrunt|cdktf|terramate",
        &[
            "destroy",
            "destroy-all",
            "run-all destroy",
            "run destroy",
            "state rm",
            "state push",
            "workspace delete",
        ],
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
            "s3api put-bucket-lifecycle-configuration",
            "s3api put-bucket-lifecycle",
            "route53 change-resource-record-sets",
            "organizations close-account",
        ],
    ),
    (
        "gcloud",
        &[
            "delete",
            "* delete",
            "* * delete",
            "* * * delete",
            "* * * * delete",
            "secrets versions destroy",
            "kms keys versions destroy",
        ],
    ),
    ("az", &["* delete", "* * delete", "* * * delete", "* purge", "* * purge", "storage blob delete-batch"]),
    ("azd", &["down"]),
    ("gh", &["repo delete", "repo archive", "release delete"]),
    ("glab", &["repo delete", "project delete"]),
    ("hub", &["delete"]),
    ("helm", &["uninstall", "delete", "del", "un"]),
    ("helmfile", &["destroy", "delete"]),
    ("argocd", &["app delete"]),
    ("flux", &["uninstall"]),
    ("velero", &["backup delete"]),
    ("kops", &["delete cluster"]),
    ("eksctl", &["delete"]),
    ("eb", &["terminate"]),
    ("vagrant", &["destroy"]),
    ("heroku", &["destroy", "apps:destroy", "pg:reset", "apps:delete", "addons:destroy"]),
    (
        "fly|flyctl",
        &[
            "apps destroy",
            "destroy",
            "volumes destroy",
            "volumes delete",
            "volumes rm",
            "machine destroy",
            "machines destroy",
            "postgres destroy",
        ],
    ),
    ("railway", &["down"]),
    ("dokku", &["*:destroy"]),
    (
        "wrangler",
        &[
            "delete",
            "d1 delete",
            "r2 bucket delete",
            "kv namespace delete",
            "queues delete",
            "hyperdrive delete",
        ],
    ),
    ("neonctl|neon", &["projects delete"]),
    ("pscale", &["database delete"]),
    ("doctl", &["* delete", "* * delete", "* * * delete"]),
    ("vercel|now|vc", &["remove", "rm", "project rm", "projects rm"]),
    ("netlify", &["sites:delete"]),
    ("firebase", &["firestore:delete", "database:remove", "projects:delete", "hosting:disable"]),
    ("supabase", &["projects delete", "db reset"]),
    ("gsutil", &["rb"]),
    ("rclone", &["purge", "delete"]),
    ("s3cmd|mc|s5cmd", &["rb"]),
    ("azcopy", &["remove", "rm"]),
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
    "azd",
    "hub",
    "helmfile",
    "argocd",
    "flux",
    "velero",
    "kops",
    "eb",
    "vagrant",
    "tilt",
    "railway",
    "dokku",
    "wrangler",
    "neonctl",
    "neon",
    "pscale",
    "vc",
    "s5cmd",
    "azcopy",
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

fn effects(command: &Command, _: Option<&str>) -> Effects {
    let mut effects = copies(command);
    if command.program == "gh" {
        github(command, &mut effects);
    }
    if only_looks(command) || is_stand_in(command) {
        return effects;
    }
    let words: Vec<&str> = command.usage.operands.iter().map(|word| word.text.as_str()).collect();
    let lines = DESTROYERS
        .iter()
        .find(|(names, _)| names.split('|').any(|name| name == command.program))
        .map_or(&[][..], |(_, lines)| *lines);
    // The database on this machine is made again by its migrations.
    let local = command.program == "supabase" && command.usage.has("--local");
    let named = !local && lines.iter().any(|line| begins(&words, line));
    // Terraform takes words from its environment as well.
    let from_outside = command.assignments.iter().filter(|one| one.name.starts_with("TF_CLI_ARGS"));
    // A plan that is kept is carried out without a question.
    let kept = || command.words.iter().any(|word| word.text.trim_start_matches('-').starts_with("out"));
    let carried_out = match words.first() {
        Some(&"apply") => true,
        Some(&"plan") => kept(),
        _ => false,
    };
    let flagged = carried_out
        && (command.words.iter().any(|word| is_destroy(&word.text))
            || from_outside.flat_map(|one| one.value.text.split(' ')).any(is_destroy));
    asks_database(command, &words, &mut effects);
    if named || flagged || empties(command, &words) || is_deleting_request(command, &words) {
        match command.usage.operands.last() {
            Some(what) => effects.on(EffectKind::DestroysInfrastructure, what),
            None => effects.add(EffectKind::DestroysInfrastructure),
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
        effects.add(EffectKind::WeakensDefence);
    }
    // A door is open to everyone.
    let opens = command.program == "aws" && words.starts_with(&["ec2", "authorize-security-group-ingress"]);
    if opens && command.words.iter().any(|word| matches!(word.text.as_str(), "0.0.0.0/0" | "::/0")) {
        effects.add(EffectKind::WeakensDefence);
    }
    // A token that may do everything.
    let is_root = |word: &Word| matches!(word.text.as_str(), "-policy=root" | "--policy=root");
    let named_root = || given(command, &["-policy", "--policy"]).iter().any(|word| word.text == "root");
    if command.program == "vault"
        && words.starts_with(&["token", "create"])
        && (command.words.iter().any(is_root) || named_root())
    {
        effects.add(EffectKind::RevealsSecret);
    }
    effects
}

/// Does an address say that a stand-in on this machine is meant (LocalStack)?
fn is_stand_in(command: &Command) -> bool {
    if command.program != "aws" {
        return false;
    }
    let named = command.assignments.iter().filter(|one| one.name.starts_with("AWS_ENDPOINT_URL"));
    let mut addresses = given(command, &["--endpoint-url"]);
    // What is in the command counts more than its environment.
    if addresses.is_empty() {
        addresses.extend(named.map(|one| one.value.clone()));
    }
    !addresses.is_empty() && addresses.iter().all(|word| word.exact && is_here(&word.text))
}

fn is_here(address: &str) -> bool {
    let rest = address.strip_prefix("http://").or_else(|| address.strip_prefix("https://")).unwrap_or("");
    let host = rest.split(['/', ':', '?', '#']).next().unwrap_or("");
    matches!(host, "localhost" | "127.0.0.1") && !rest.contains('@')
}

/// Is a store emptied, or does that go from it which is not here?
fn empties(command: &Command, words: &[&str]) -> bool {
    let usage = &command.usage;
    let has = |name: &str| usage.has(name);
    let deep = has("--recursive") || has("-r") || has("-R");
    let broad = words.iter().any(|word| word.contains("://") && word.contains('*'));
    let to_bucket = usage.operands.last().is_some_and(is_bucket);
    match (command.program.as_str(), words) {
        ("aws", ["s3", "rm", ..]) | ("s3cmd" | "mc", ["rm" | "del", ..]) => deep,
        ("gcloud", ["storage", "rm", ..]) | ("gsutil", ["rm" | "del", ..]) => deep || broad,
        ("s5cmd", ["rm", ..]) => broad,
        ("aws", ["s3", "mv", from, ..]) => deep && from.starts_with("s3://"),
        ("aws", ["s3", "sync", ..]) => has("--delete") && to_bucket,
        // `-n` only shows what would be done.
        ("gsutil", ["rsync", ..]) => has("-d") && !has("--namespace") && to_bucket,
        ("mc", ["mirror", ..]) => has("--remove"),
        ("gh", ["codespace" | "cs", "delete", ..]) => has("--all"),
        // A service that runs zero times is off.
        ("aws", ["ecs", "update-service", ..]) => {
            given(command, &["--desired-count"]).iter().any(|word| word.text == "0")
        }
        ("tilt", ["down", ..]) => has("--delete-namespaces"),
        ("az", ["deployment", "group", "create", ..]) => {
            given(command, &["--mode"]).iter().any(|word| word.text.eq_ignore_ascii_case("complete"))
        }
        _ => false,
    }
}

/// Is it a request made by hand that deletes something?
fn is_deleting_request(command: &Command, words: &[&str]) -> bool {
    let (verb, names) = match command.program.as_str() {
        "gh" | "glab" | "hub" => ("api", ["-X", "--method"]),
        "az" => ("rest", ["-m", "--method"]),
        _ => return false,
    };
    if command.program == "gh" && words.starts_with(&["api", "graphql"]) {
        let fields = given(command, &["-f", "-F", "--field", "--raw-field"]);
        return fields.iter().any(|word| requests::deletes_by_query(&word.text));
    }
    words.first() == Some(&verb)
        && given(command, &names).iter().any(|word| word.text.eq_ignore_ascii_case("delete"))
        && !(command.program == "gh" && is_small(words))
}

/// Is it about something small?
fn is_small(words: &[&str]) -> bool {
    let path = words.iter().find(|word| word.contains('/') && !word.contains(' ')).copied().unwrap_or("");
    requests::is_small(path.strip_prefix("https://api.github.com").unwrap_or(path))
}

/// Statements that go to a database of the cloud.
fn asks_database(command: &Command, words: &[&str], effects: &mut Effects) {
    let names: &[&str] = match (command.program.as_str(), words) {
        ("wrangler", ["d1", "execute", ..]) => &["--command"],
        ("heroku", ["pg:psql", ..]) => &["-c", "--command"],
        ("aws", ["rds-data", "execute-statement", ..]) => &["--sql"],
        _ => return,
    };
    let texts = given(command, names);
    let texts: Vec<&Word> = texts.iter().collect();
    effects.0.extend(database::drop_statements(&texts, None, false).0);
}

/// What `gh` puts on the network, and what it rewrites there.
fn github(command: &Command, effects: &mut Effects) {
    let operands = &command.usage.operands;
    let words: Vec<&str> = operands.iter().map(|word| word.text.as_str()).collect();
    match words.as_slice() {
        ["repo", "sync", ..] if command.usage.has("--force") => effects.add(EffectKind::RewritesRemote),
        ["gist", "create" | "edit", ..] => {
            let added = given(command, &["-a", "--add"]);
            let files = operands.iter().skip(2).chain(&added);
            effects.on_each(EffectKind::ReadsFile, files.filter(|word| word.text != "-"))
        }
        // What third parties put there lands in files of those names.
        ["release", "download", ..] => {
            let folder = given(command, &["-D", "--dir"]);
            let below = |name: &Word| match folder.first() {
                Some(folder) => {
                    Word { text: format_smolstr!("{}/{}", folder.text, name.text), ..name.clone() }
                }
                None => name.clone(),
            };
            let named = given(command, &["-p", "--pattern", "-O", "--output"]);
            effects.on(
                EffectKind::ReachesHost,
                &Word { text: "github.com".into(), exact: true, glob: false, span: command.span },
            );
            effects.on_each(EffectKind::WritesFile, &named.iter().map(below).collect::<Vec<Word>>());
        }
        ["release", "upload" | "create", ..] => {
            effects.on_each(EffectKind::ReadsFile, operands.iter().skip(3))
        }
        ["api", rest @ ..] => {
            let forced = command.words.iter().any(|word| word.text.ends_with("force=true"));
            let branch = rest.iter().any(|word| word.contains("git/refs"));
            if forced && branch {
                effects.add(EffectKind::RewritesRemote);
            }
            let inside = |word: &Word| {
                let (_, path) = word.text.split_once("=@")?;
                Some(Word { text: path.into(), ..word.clone() })
            };
            let fields: Vec<Word> = given(command, &["-F", "--field"]).iter().filter_map(inside).collect();
            let files = fields.into_iter().chain(given(command, &["--input"]));
            effects
                .on_each(EffectKind::ReadsFile, &files.filter(|word| word.text != "-").collect::<Vec<_>>());
        }
        _ => {}
    }
    let short = if words.first() == Some(&"api") { "--body-file" } else { "-F" };
    let body = given(command, &["--body-file", "--notes-file", short]);
    effects.on_each(EffectKind::ReadsFile, body.iter().filter(|word| word.text != "-"));
}

/// Do `words` begin with the words of `line`?
fn begins(words: &[&str], line: &str) -> bool {
    for (at, wanted) in line.split(' ').enumerate() {
        let Some(word) = words.get(at) else { return false };
        let fits = *word == wanted
            || wanted.ends_with('-') && word.starts_with(wanted)
            || wanted.strip_prefix('*').is_some_and(|end| word.ends_with(end));
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
fn copies(command: &Command) -> Effects {
    let mut effects = Effects::none();
    let operands = &command.usage.operands;
    let skip = match command.program.as_str() {
        "aws" | "gcloud" => 2,
        "gsutil" | "s3cmd" | "mc" | "rclone" => 1,
        _ => return effects,
    };
    let verb = operands.get(skip - 1).map_or("", |word| word.text.as_str());
    if !matches!(verb, "cp" | "mv" | "sync" | "rsync" | "put" | "copy" | "move" | "copyto") {
        return effects;
    }
    let Some((to, from)) = operands.get(skip..).and_then(|rest| rest.split_last()) else { return effects };
    let remote = is_bucket(to) || command.program == "rclone" && to.text.contains(':');
    if remote
        && from
            .iter()
            .any(|word| !(is_bucket(word) || command.program == "rclone" && word.text.contains(':')))
    {
        effects.on(EffectKind::ReachesHost, to);
        effects.on(EffectKind::SendsData, to);
        effects.on_each(EffectKind::ReadsFile, from.iter().filter(|word| word.text != "-"));
    } else if !remote {
        effects.on_each(EffectKind::ReachesHost, from.iter().filter(|word| is_bucket(word)));
        effects.on(EffectKind::WritesFile, to);
    }
    effects
}
