//! Addresses among the words of programs that have no other model for them:
//! clients, browsers, registries, indexes of packages, variables that name a server.
//!
//! Which word is an address is data; nothing here says what is done there.

use super::{Effects, is_named};
use crate::effect_kind::EffectKind;
use crate::name_filter::NameFilter;
use crate::reading::{Command, Effect, Word};
use smol_str::SmolStr;

/// Where a program names what it reaches.
enum Place {
    /// Every word that is a whole address.
    Addresses,
    /// The first word that looks like a host.
    FirstHost,
    /// The values of these options.
    Options(&'static [&'static str]),
    /// The operand behind this many verbs, if it names a registry.
    Image(usize),
}

use Place::{Addresses, FirstHost, Image, Options};

const NODE_OPTIONS: Place = Options(&["--registry"]);
const PIP_OPTIONS: Place =
    Options(&["-i", "--index-url", "--extra-index-url", "--find-links", "--index", "--default-index"]);

/// Programs, and where they name hosts.
const ROWS: &[(&[&str], &[Place])] = &[
    (
        &[
            "chromium",
            "chromium-browser",
            "google-chrome",
            "google-chrome-stable",
            "chrome",
            "firefox",
            "brave-browser",
            "microsoft-edge",
            "open",
            "xdg-open",
            "sensible-browser",
            "playwright",
            "lighthouse",
            "yt-dlp",
            "youtube-dl",
            "gallery-dl",
            "wscat",
            "websocat",
            "ab",
            "hey",
            "wrk",
            "oha",
            "bombardier",
            "autocannon",
            "vim",
            "nvim",
            "vi",
            "httpie",
            "newman",
            "kubectl",
            "oc",
            "helm",
            "terraform",
            "tofu",
        ],
        &[Addresses],
    ),
    (
        &["tftp", "smbclient", "sshfs", "grpcurl", "cqlsh", "mongosh", "mongo", "influx", "evans"],
        &[Addresses, FirstHost],
    ),
    (&["sqlcmd", "swaks"], &[Options(&["-S", "-s", "--server"])]),
    (&["mount", "mount.nfs", "mount.cifs"], &[FirstHost]),
    (&["skopeo", "crane", "oras", "regctl", "cosign"], &[Image(1)]),
    (&["gh", "glab"], &[Addresses, Options(&["--hostname"])]),
    (&["aws"], &[Options(&["--endpoint-url"])]),
    (&["npm", "pnpm", "yarn", "bun", "npx"], &[Addresses, NODE_OPTIONS]),
    (&["pip", "pip3", "pipx", "uv", "uvx", "poetry", "pdm"], &[Addresses, PIP_OPTIONS]),
    (&["gem", "bundle"], &[Addresses, Options(&["--source", "-s"])]),
    (&["cargo", "composer", "apt", "dnf", "brew", "luarocks"], &[Addresses]),
    (&["go"], &[Addresses, Image(1)]),
];

/// Variables in front of a program that name a server it asks.
const VARIABLES: &[(&str, &[&str])] = &[
    ("DOCKER_HOST", &["docker", "docker-compose", "podman", "nerdctl"]),
    ("CONTAINER_HOST", &["podman"]),
    ("PIP_INDEX_URL", &["pip", "pip3", "pipx", "python", "python3"]),
    ("PIP_EXTRA_INDEX_URL", &["pip", "pip3", "pipx", "python", "python3"]),
    ("UV_INDEX_URL", &["uv", "uvx"]),
    ("UV_DEFAULT_INDEX", &["uv", "uvx"]),
    ("GOPROXY", &["go"]),
    ("NPM_CONFIG_REGISTRY", &["npm", "pnpm", "yarn", "npx"]),
    ("npm_config_registry", &["npm", "pnpm", "yarn", "npx"]),
    ("AWS_ENDPOINT_URL", &["aws"]),
    (
        "DATABASE_URL",
        &[
            "prisma",
            "rails",
            "rake",
            "diesel",
            "sqlx",
            "mix",
            "knex",
            "dbmate",
            "sequelize",
            "typeorm",
            "alembic",
            "manage.py",
            "artisan",
            "drizzle-kit",
            "goose",
            "migrate",
        ],
    ),
    ("http_proxy", PROXIED),
    ("https_proxy", PROXIED),
    ("HTTPS_PROXY", PROXIED),
    ("HTTP_PROXY", PROXIED),
    ("ALL_PROXY", PROXIED),
    ("all_proxy", PROXIED),
];

const PROXIED: &[&str] = &["curl", "wget", "git", "pip", "pip3", "npm", "pnpm", "yarn", "go", "cargo", "uv"];

static NAMES: NameFilter = name_filter();

const fn name_filter() -> NameFilter {
    let (mut all, mut rows) = (NameFilter::NONE, ROWS);
    while let [row, more @ ..] = rows {
        let mut names = row.0;
        while let [name, others @ ..] = names {
            all = all.with(name);
            names = others;
        }
        rows = more;
    }
    all
}

/// Adds the hosts a command names in these places.
pub(super) fn reveal(command: &Command, effects: &mut Vec<Effect>) {
    let program = command.program.as_str();
    let mut found = Effects::none();
    if !command.assignments.is_empty() {
        let meant = |name: &str| {
            VARIABLES.iter().any(|(known, programs)| *known == name && programs.contains(&program))
        };
        for one in command.assignments.iter().filter(|one| meant(&one.name)) {
            found.on(EffectKind::ReachesHost, &one.value);
        }
    }
    if NAMES.may_hold(program)
        && let Some((_, places)) =
            ROWS.iter().find(|(names, _)| names.iter().any(|name| is_named(name, program)))
    {
        for place in *places {
            named_in(command, place, &mut found);
        }
    }
    effects.extend(found.0);
}

fn named_in(command: &Command, place: &Place, found: &mut Effects) {
    let words = || command.words.iter().skip(1);
    match place {
        Addresses => {
            for word in words().filter(|word| word.text.contains("://") && !word.text.contains([' ', '\n'])) {
                let text = match word.text.split_once('=') {
                    Some((name, value)) if name.starts_with('-') => value,
                    _ => word.text.as_str(),
                };
                if is_far(text) {
                    found.on(EffectKind::ReachesHost, &with(word, text));
                }
            }
        }
        FirstHost => {
            let host = words().find(|word| looks_like_host(&word.text));
            found.on_each(EffectKind::ReachesHost, host);
        }
        Options(names) => {
            for value in given(command, names) {
                found.on(EffectKind::ReachesHost, &value);
            }
        }
        Image(verbs) => {
            let operands = command.words.iter().skip(1).filter(|word| !word.text.starts_with('-'));
            for word in operands.skip(*verbs).filter(|word| names_registry(&word.text)) {
                let bare = word.text.split_once("://").map_or(word.text.as_str(), |(_, rest)| rest);
                // `go install example.com/tool@latest` is a module, which is fetched from there.
                let text = if command.program == "go" {
                    format!("https://{bare}").into()
                } else {
                    SmolStr::from(bare)
                };
                found.on(EffectKind::ReachesHost, &with(word, &text));
            }
        }
    }
}

fn with(word: &Word, text: &str) -> Word {
    Word { text: text.into(), ..word.clone() }
}

/// Is it the address of another place than the disk?
fn is_far(text: &str) -> bool {
    let scheme = text.split_once("://").map_or("", |(scheme, _)| scheme);
    let known = |name: &str| {
        matches!(
            name,
            "http"
                | "https"
                | "ws"
                | "wss"
                | "ftp"
                | "ftps"
                | "sftp"
                | "ssh"
                | "git"
                | "oci"
                | "tcp"
                | "scp"
                | "mongodb"
                | "mongodb+srv"
                | "smb"
                | "nfs"
                | "redis"
                | "postgres"
                | "postgresql"
                | "mysql"
        )
    };
    known(scheme) || scheme.strip_prefix("git+").is_some_and(known)
}

/// `host:27017/db`, `user@host:/path`, `//host/share`, `db.example`.
fn looks_like_host(text: &str) -> bool {
    let text = text.strip_prefix("//").unwrap_or(text);
    if text.starts_with(['-', '.', '/', '{', '~'])
        || text.contains([' ', '=', '\n', '('])
        || text.contains("://")
    {
        return false;
    }
    let name = text.split(['/', ':']).next().unwrap_or(text);
    let name = name.rsplit('@').next().unwrap_or(name);
    let is_file = [".js", ".sql", ".proto", ".json", ".cql"].iter().any(|end| name.ends_with(end));
    let plain =
        name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'$'));
    plain && !name.is_empty() && !is_file && (name.contains('.') || text.contains(':'))
}

/// `registry.example/team/app:1`, `docker://registry.example/app`, `localhost:5000/app`.
pub(super) fn names_registry(text: &str) -> bool {
    let bare = match text.split_once("://") {
        Some(("docker" | "oci" | "https", rest)) => rest,
        Some(_) => return false,
        None => text,
    };
    if bare.starts_with(['.', '/', '~', '-']) {
        return false;
    }
    let first = bare.split_once('/').map_or("", |(first, _)| first);
    first == "localhost" || first.contains(['.', ':']) && !first.starts_with('.')
}

/// The values of an option, in every way they can be given: `-X a`, `-Xa`,
/// `--method a`, `--method=a`.
pub(super) fn given(command: &Command, names: &[&str]) -> Vec<Word> {
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
        found.extend(attached.map(|text| with(word, text)));
    }
    found
}
