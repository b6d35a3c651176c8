//! What rules need to know of programs besides their option tables: other names
//! of one program, other spellings of one subcommand, programs whose operands
//! are tasks. Data only; read when a rule names a program or a subcommand.

/// How the words of a program say what it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Words {
    /// The first ones, in order: `aws s3 rb`.
    Leading,
    /// The same, whatever their case: `redis-cli FLUSHALL`.
    AnyCase,
    /// Each is a task of its own: `make clean deploy`.
    Tasks,
}

/// Two spellings of a subcommand. `*` means the words that follow, and
/// a last word with a dash for an option that must be given.
pub(super) type Spelling = (&'static str, &'static str);

/// What is known of the subcommands of some programs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record {
    /// The programs, under the name [`identity`] gives them.
    pub(super) names: &'static [&'static str],
    /// How their words are read.
    pub(super) words: Words,
    /// Spellings of the same thing; the second is the one compared.
    pub(super) same: &'static [Spelling],
    /// The first does the second as well, but not the other way round.
    pub(super) also: &'static [Spelling],
    /// Options in front of the subcommand that take a value, and no option table names.
    pub(super) values: &'static [&'static str],
    /// Options that take none, where a table of a whole family says otherwise.
    pub(super) switches: &'static [&'static str],
    /// Words that are the same wherever they are: `doctl compute droplet rm`.
    pub(super) verbs: &'static [Spelling],
    /// `run NAME` is `NAME` where that is no command of the program.
    pub(super) scripts: bool,
    /// The word behind which several commands follow, with `,` or `+` between them.
    pub(super) several: Option<&'static str>,
}

const PLAIN: Record = Record {
    names: &[],
    words: Words::Leading,
    same: &[],
    also: &[],
    values: &[],
    switches: &[],
    verbs: &[],
    scripts: false,
    several: None,
};

/// Short names of deleting.
const DELETE: &[Spelling] = &[("rm", "delete"), ("del", "delete"), ("remove", "delete"), ("d", "delete")];

const NODE_RUN: &[Spelling] =
    &[("run test", "test"), ("run start", "start"), ("run stop", "stop"), ("run restart", "restart")];

pub(super) const RECORDS: &[Record] = &[
    Record {
        names: &["docker", "podman", "nerdctl"],
        same: &[
            ("container ls", "ps"),
            ("container list", "ps"),
            ("container ps", "ps"),
            ("container prune", "container prune"),
            ("container *", "*"),
            ("image ls", "images"),
            ("image list", "images"),
            ("image rm", "rmi"),
            ("image remove", "rmi"),
            ("image push", "push"),
            ("image pull", "pull"),
            ("image build", "build"),
            ("image tag", "tag"),
            ("image save", "save"),
            ("image load", "load"),
            ("image import", "import"),
            ("image history", "history"),
            ("buildx build", "build"),
            ("buildx b", "build"),
            ("builder build", "build"),
            ("container remove", "rm"),
            ("stack down", "stack rm"),
        ],
        verbs: &[("remove", "rm")],
        also: &[
            ("compose push", "push"),
            ("compose pull", "pull"),
            ("manifest push", "push"),
            ("build --push", "push"),
            ("buildx bake --push", "push"),
        ],
        values: &[
            "--context",
            "-c",
            "-H",
            "--host",
            "-l",
            "--log-level",
            "--config",
            "--connection",
            "--url",
        ],
        ..PLAIN
    },
    Record { names: &["npm"], same: NODE_RUN, ..PLAIN },
    Record { names: &["pnpm"], switches: &["-w", "--workspace-root"], scripts: true, ..PLAIN },
    Record { names: &["bun", "lerna"], scripts: true, ..PLAIN },
    Record {
        names: &["yarn"],
        same: &[
            ("npm *", "*"),
            ("workspace ? npm *", "*"),
            ("workspace ? *", "*"),
            ("workspaces foreach npm *", "*"),
            ("workspaces foreach *", "*"),
            ("workspaces run *", "*"),
        ],
        values: &["--include", "--exclude", "--from", "--jobs", "-j"],
        switches: &["-A", "--all", "-R", "--since", "-p", "-i", "-t", "-W", "-v"],
        scripts: true,
        ..PLAIN
    },
    Record {
        names: &["turbo"],
        words: Words::Tasks,
        same: &[("run *", "*")],
        values: &[
            "--filter",
            "-F",
            "--concurrency",
            "--cache-dir",
            "--team",
            "--token",
            "--api",
            "--scope",
            "--output-logs",
            "--log-order",
            "--env-mode",
        ],
        ..PLAIN
    },
    Record {
        names: &["kubectl", "oc", "kubecolor"],
        verbs: &[
            ("po", "pod"),
            ("pods", "pod"),
            ("ns", "namespace"),
            ("namespaces", "namespace"),
            ("deploy", "deployment"),
            ("deployments", "deployment"),
            ("svc", "service"),
            ("services", "service"),
            ("no", "node"),
            ("nodes", "node"),
            ("secrets", "secret"),
            ("cm", "configmap"),
            ("configmaps", "configmap"),
            ("pvc", "persistentvolumeclaim"),
            ("persistentvolumeclaims", "persistentvolumeclaim"),
            ("pv", "persistentvolume"),
            ("persistentvolumes", "persistentvolume"),
        ],
        ..PLAIN
    },
    Record { names: &["wrangler"], same: &[("publish", "deploy")], ..PLAIN },
    Record { names: &["doctl"], verbs: DELETE, ..PLAIN },
    Record {
        names: &["nomad"],
        same: &[("stop", "job stop"), ("run", "job run"), ("status", "job status"), ("plan", "job plan")],
        ..PLAIN
    },
    Record { names: &["apt"], values: &["-a", "-c"], ..PLAIN },
    Record { names: &["flatpak"], verbs: &[("remove", "uninstall"), ("upgrade", "update")], ..PLAIN },
    Record { names: &["snap"], verbs: &[("rm", "remove")], ..PLAIN },
    Record {
        names: &["k3d", "kind"],
        verbs: &[("rm", "delete"), ("del", "delete"), ("remove", "delete"), ("clusters", "cluster")],
        ..PLAIN
    },
    Record {
        names: &["trivy"],
        same: &[
            ("i", "image"),
            ("fs", "filesystem"),
            ("conf", "config"),
            ("repo", "repository"),
            ("k", "kubernetes"),
            ("k8s", "kubernetes"),
        ],
        ..PLAIN
    },
    Record { names: &["rustup"], verbs: &[("remove", "uninstall"), ("add", "install")], ..PLAIN },
    Record {
        names: &["nats"],
        verbs: &[("delete", "rm"), ("del", "rm"), ("str", "stream"), ("con", "consumer")],
        values: &["-s"],
        ..PLAIN
    },
    Record { names: &["op"], verbs: &[("rm", "delete"), ("remove", "delete")], ..PLAIN },
    Record {
        names: &["pm2"],
        same: &[("del", "delete"), ("l", "list"), ("ls", "list"), ("ps", "list")],
        ..PLAIN
    },
    Record {
        names: &["nmcli"],
        verbs: &[
            ("c", "connection"),
            ("con", "connection"),
            ("conn", "connection"),
            ("d", "device"),
            ("dev", "device"),
            ("del", "delete"),
            ("r", "radio"),
            ("n", "networking"),
            ("g", "general"),
        ],
        ..PLAIN
    },
    Record { names: &["flux"], switches: &["-s", "--silent"], ..PLAIN },
    Record { names: &["mix"], several: Some("do"), ..PLAIN },
    Record {
        names: &["rake"],
        words: Words::Tasks,
        values: &["-f", "--rakefile", "-I", "-r", "-j", "--jobs", "-R", "-e", "-E", "-p"],
        switches: &["-t", "--trace", "-n", "-q", "-s", "-g", "-m", "-v"],
        ..PLAIN
    },
    Record {
        names: &["just"],
        words: Words::Tasks,
        values: &[
            "-f",
            "--justfile",
            "-d",
            "--working-directory",
            "-s",
            "--show",
            "-l",
            "--list",
            "--usage",
            "--shell",
            "--set",
        ],
        ..PLAIN
    },
    Record {
        names: &["mvn"],
        words: Words::Tasks,
        values: &[
            "-pl",
            "--projects",
            "-rf",
            "--resume-from",
            "-f",
            "--file",
            "-s",
            "-gs",
            "-P",
            "-T",
            "-l",
            "-b",
            "-t",
        ],
        switches: &[
            "-am", "-amd", "-q", "-X", "-o", "-U", "-B", "-e", "-ntp", "-fae", "-ff", "-fn", "-N", "-V",
        ],
        ..PLAIN
    },
    Record { names: &["terraform", "tofu"], also: &[("apply -destroy", "destroy")], ..PLAIN },
    Record {
        names: &["terragrunt"],
        also: &[("apply -destroy", "destroy"), ("run-all *", "*"), ("run *", "*")],
        ..PLAIN
    },
    Record { names: &["pulumi"], same: &[("down", "destroy"), ("update", "up")], ..PLAIN },
    Record {
        names: &["helm"],
        same: &[
            ("delete", "uninstall"),
            ("del", "uninstall"),
            ("un", "uninstall"),
            ("ls", "list"),
            ("fetch", "pull"),
        ],
        values: &[
            "--kube-context",
            "--kube-token",
            "--kube-apiserver",
            "--registry-config",
            "--repository-config",
        ],
        ..PLAIN
    },
    Record {
        names: &["gcloud"],
        same: &[("beta *", "*"), ("alpha *", "*"), ("preview *", "*")],
        values: &["--impersonate-service-account", "--configuration", "--verbosity"],
        ..PLAIN
    },
    Record { names: &["gh", "glab"], values: &["-R", "--repo", "--hostname"], ..PLAIN },
    Record {
        names: &["fly"],
        same: &[
            ("machines *", "machine *"),
            ("volume *", "volumes *"),
            ("apps destroy", "destroy"),
            ("apps create", "create"),
            ("volumes delete", "volumes destroy"),
            ("volumes rm", "volumes destroy"),
        ],
        ..PLAIN
    },
    Record {
        names: &["vercel"],
        same: &[("rm", "remove"), ("ls", "list"), ("projects *", "project *"), ("env remove", "env rm")],
        values: &["-S", "--scope", "-t", "-A", "--local-config", "-Q", "--global-config", "-T"],
        ..PLAIN
    },
    Record {
        names: &["systemctl", "loginctl", "machinectl", "journalctl"],
        values: &[
            "-H",
            "--host",
            "-M",
            "--machine",
            "-t",
            "--type",
            "-p",
            "--property",
            "--root",
            "-s",
            "--signal",
        ],
        ..PLAIN
    },
    Record {
        names: &["restic", "borg", "kopia"],
        values: &[
            "-r",
            "--password-command",
            "--cache-dir",
            "--key-hint",
            "--limit-upload",
            "--limit-download",
        ],
        ..PLAIN
    },
    Record { names: &["flutter", "dart"], same: &[("packages *", "pub *")], ..PLAIN },
    Record {
        names: &["brew"],
        same: &[("remove", "uninstall"), ("rm", "uninstall"), ("ls", "list"), ("dr", "doctor")],
        ..PLAIN
    },
    Record { names: &["conda", "mamba", "micromamba"], same: &[("uninstall", "remove")], ..PLAIN },
    Record {
        names: &["dnf", "yum"],
        same: &[("erase", "remove"), ("rm", "remove"), ("in", "install")],
        ..PLAIN
    },
    Record {
        names: &["zypper"],
        same: &[("rm", "remove"), ("in", "install"), ("dup", "dist-upgrade")],
        ..PLAIN
    },
    Record { names: &["composer"], same: &[("i", "install"), ("u", "update"), ("r", "require")], ..PLAIN },
    Record {
        names: &["svn"],
        same: &[
            ("ci", "commit"),
            ("co", "checkout"),
            ("rm", "delete"),
            ("del", "delete"),
            ("remove", "delete"),
            ("mv", "move"),
            ("up", "update"),
        ],
        ..PLAIN
    },
    Record { names: &["hg"], same: &[("ci", "commit"), ("co", "update"), ("up", "update")], ..PLAIN },
    Record {
        names: &["rails"],
        same: &[("g", "generate"), ("d", "destroy"), ("c", "console"), ("s", "server"), ("db", "dbconsole")],
        ..PLAIN
    },
    Record {
        names: &["redis-cli", "valkey-cli", "keydb-cli"],
        words: Words::AnyCase,
        values: &["-n", "-a", "-u", "--user", "--pass"],
        ..PLAIN
    },
    Record {
        names: &[
            "make", "gradle", "task", "ant", "sbt", "grunt", "gulp", "mage", "ninja", "invoke", "doit",
            "nox", "tox",
        ],
        words: Words::Tasks,
        values: &[
            "-C",
            "-f",
            "--file",
            "--makefile",
            "-I",
            "-o",
            "-W",
            "-b",
            "-P",
            "-s",
            "-t",
            "--justfile",
            "--working-directory",
            "-d",
        ],
        ..PLAIN
    },
];

/// The program a name is another name of, and the words it puts in front
/// of its own: `docker-compose down` is `docker compose down`.
#[must_use]
pub fn identity(program: &str) -> (&str, Option<&'static str>) {
    let same = match program {
        "docker-compose" => return ("docker", Some("compose")),
        "podman-compose" => return ("podman", Some("compose")),
        "flyctl" => "fly",
        "vc" | "now" => "vercel",
        "pip3" => "pip",
        "python3" => "python",
        "apt-get" => "apt",
        "bundler" => "bundle",
        "netlify-cli" | "ntl" => "netlify",
        "firebase-tools" => "firebase",
        "eas-cli" => "eas",
        "dotnet-ef" => return ("dotnet", Some("ef")),
        "nodejs" => "node",
        "gmake" => "make",
        "gradlew" => "gradle",
        "mvnw" => "mvn",
        "inv" => "invoke",
        "go-task" => "task",
        "sls" => "serverless",
        "grm" => "rm",
        "gmv" => "mv",
        "gcp" => "cp",
        "gfind" => "find",
        "gsed" => "sed",
        "gtar" | "bsdtar" => "tar",
        "wget2" => "wget",
        "curlie" => "curl",
        "mongo" => "mongosh",
        // `pip3.12`, `python3.12`
        other if other.starts_with("pip3.") => "pip",
        other if other.starts_with("python3.") => "python",
        other => other,
    };
    (same, None)
}

/// The record of a program, by the name [`identity`] gives it.
pub(super) fn record_of(program: &str) -> Option<&'static Record> {
    RECORDS.iter().find(|record| record.names.contains(&program))
}
