//! Package managers and environment tools that run a command for you:
//! `npx x`, `uv run x`, `poetry run x`, `bundle exec x`.

use super::{Inner, arguments};
use crate::name_filter::NameFilter;
use crate::options::{self, Spec};
use crate::programs::{self, is_named};
use crate::reading::{Command, Usage, Word};
use crate::stream::Stream;
use smol_str::format_smolstr;

/// A runner: program, subcommand (empty for none), options, operands to skip.
type Row = (&'static str, &'static str, &'static str, usize);

const UVX: &str = "from= with= p,python= q,quiet refresh isolated";

const MISE: &str = "c,command= C,cd= E,env= j,jobs= q,quiet v,verbose y,yes raw fresh-env no-deps";

const RUNNERS: &[Row] = &[
    (
        "npx",
        "",
        "p,package= c,call= y,yes q,quiet no no-install ignore-existing w,workspace= node-options=",
        0,
    ),
    ("bunx", "", "bun p,package=", 0),
    ("pnpx", "", "", 0),
    ("uvx", "", UVX, 0),
    ("pipx", "run", "spec= python= pip-args= no-cache verbose path pypackages", 0),
    ("npm", "exec", "p,package= c,call= y,yes w,workspace=", 0),
    ("npm", "x", "p,package= c,call= y,yes w,workspace=", 0),
    ("pnpm", "exec", "r,recursive c,shell-mode", 0),
    ("pnpm", "dlx", "package= s,silent", 0),
    ("yarn", "exec", "", 0),
    ("yarn", "dlx", "p,package= q,quiet", 0),
    ("bun", "x", "", 0),
    (
        "uv",
        "run",
        "with= p,python= extra= group= env-file= m,module= s,script project= directory= q,quiet frozen locked \
                   no-project no-sync isolated package= with-editable= with-requirements= all-extras dev no-dev active",
        0,
    ),
    ("poetry", "run", "", 0),
    ("pipenv", "run", "", 0),
    ("pdm", "run", "s,site-packages p,project=", 0),
    ("rye", "run", "", 0),
    ("hatch", "run", "", 0),
    ("conda", "run", "n,name= p,prefix= no-capture-output live-stream cwd=", 0),
    ("mamba", "run", "n,name= p,prefix=", 0),
    ("micromamba", "run", "n,name= p,prefix= cwd= e,env= attach= d,detach", 0),
    ("pixi", "run", "e,environment= manifest-path=", 0),
    ("pixi", "exec", "s,spec= c,channel= p,platform= w,with= force-reinstall list?", 0),
    ("tox", "exec", "e= c,conf= workdir= skip-pkg-install", 0),
    ("devbox", "run", "c,config= e,env= env-file= environment= q,quiet l,list", 0),
    ("distrobox", "enter", "n,name= r,root a,additional-flags= T,no-tty nw,no-workdir", 1),
    ("distrobox-enter", "", "n,name= r,root a,additional-flags= T,no-tty nw,no-workdir e,exec", 1),
    ("toolbox", "run", "c,container= d,distro= r,release= preserve-fds=", 0),
    (
        "reflex",
        "",
        "r,regex= R,inverse-regex= g,glob= G,inverse-glob= s,start-service e,sequential t,shutdown-timeout= \
     d,decoration= only-files only-dirs all c,config= substitute= v,verbose",
        0,
    ),
    ("bundle", "exec", "keep-file-descriptors gemfile=", 0),
    ("mise", "exec", MISE, 0),
    ("mise", "x", MISE, 0),
    ("rtx", "exec", MISE, 0),
    ("rtx", "x", MISE, 0),
    ("asdf", "exec", "", 0),
    ("direnv", "exec", "", 1),
    ("dotenv", "", "f,file= e= c", 0),
    ("op", "run", "env-file= no-masking", 0),
    (
        "dotenvx",
        "run",
        "f,env-file= e,env= fk,env-keys-file= o,overload q,quiet v,verbose d,debug convention= strict ignore=",
        0,
    ),
    (
        "infisical",
        "run",
        "e,env= c,command= path= projectId= token= recursive expand? include-imports? tags= w,watch",
        0,
    ),
    ("doppler", "run", "p,project= c,config= command=", 0),
    ("aws-vault", "exec", "d,duration= n,no-session region=", 1),
    ("chamber", "exec", "", 1),
    ("volta", "run", "node= npm= yarn=", 0),
    ("rbenv", "exec", "", 0),
    ("pyenv", "exec", "", 0),
    ("nodenv", "exec", "", 0),
    ("fnm", "exec", "using=", 0),
    ("rustup", "run", "install", 1),
    ("jenv", "exec", "", 0),
    ("nvm", "exec", "silent lts?", 0),
    ("rvm", "do", "", 0),
    ("nx", "exec", "", 0),
    ("lerna", "exec", "scope= ignore= concurrency= stream parallel no-bail since?", 0),
    ("guix", "shell", "m,manifest= f,file= D,development C,container pure", 0),
    ("rr", "record", "o,output-trace-dir= n h c= s,always-switch", 0),
    ("samply", "record", "o,output= s,save-only r,rate= n,no-open", 0),
    (
        "pueue",
        "add",
        "w,working-directory= e,escape i,immediate s,stashed d,delay= g,group= a,after= l,label= p,print-task-id",
        0,
    ),
    ("wezterm", "start", "cwd= class= workspace= domain= always-new-process", 0),
    ("cross-env", "", "", 0),
    ("foreman", "run", "f,procfile= e,env= d,root=", 0),
    ("honcho", "run", "f,procfile= e,env= d,app-root=", 0),
    ("gosu", "", "", 1),
    ("su-exec", "", "", 1),
    ("tini", "", "s g v p= e=", 0),
    ("dumb-init", "", "c,single-child r,rewrite= v,verbose", 0),
];

static HEADS: NameFilter = name_filter();

const fn name_filter() -> NameFilter {
    let (mut all, mut rows) = (NameFilter::NONE, RUNNERS);
    while let [row, more @ ..] = rows {
        all = all.with(row.0);
        rows = more;
    }
    let mut rows = CARRIERS;
    while let [row, more @ ..] = rows {
        all = all.with(row.0);
        rows = more;
    }
    all
}

/// Programs that bring others along, and which: `k3s kubectl …`. An empty list
/// is whatever follows; `*.phar` an archive that is named.
const CARRIERS: &[(&str, &[&str])] = &[
    ("k3s", &["kubectl", "crictl", "ctr"]),
    ("rke2", &["kubectl", "crictl", "ctr"]),
    ("k0s", &["kubectl", "ctr"]),
    ("microk8s", &["kubectl", "helm", "helm3", "istioctl", "linkerd", "ctr"]),
    ("minikube", &["kubectl"]),
    ("fvm", &["flutter", "dart"]),
    ("puro", &["flutter", "dart"]),
    ("corepack", &["npm", "pnpm", "yarn", "npx", "pnpx"]),
    ("rtk", &[]),
    ("php", &["*.phar"]),
];

/// `k3s kubectl delete pod x`, `corepack pnpm@9 publish`, `php composer.phar install`.
fn carried(words: &[Word], inner: &[&str]) -> Vec<Inner> {
    let Some(at) = words.iter().position(|word| !word.text.starts_with('-')) else { return Vec::new() };
    let mut words = words.get(at..).unwrap_or_default().to_vec();
    let Some(first) = words.first_mut() else { return Vec::new() };
    let name = programs::base_name(without_version(&first.text).unwrap_or(&first.text));
    let own = match inner {
        ["*.phar"] => name.strip_suffix(".phar"),
        [] => Some(name),
        names => names.contains(&name).then_some(name),
    };
    let Some(own) = own.map(str::to_string) else { return Vec::new() };
    let moved = first.text != own;
    first.text = own.into();
    // `minikube kubectl -- get pods`
    if words.get(1).is_some_and(|word| word.text == "--") {
        words.remove(1);
    }
    vec![if moved { Inner::made(words) } else { Inner::words(&words) }]
}

/// Packages whose program has another name.
const PACKAGES: &[(&str, &str)] = &[
    ("firebase-tools", "firebase"),
    ("netlify-cli", "netlify"),
    ("eas-cli", "eas"),
    ("expo-cli", "expo"),
    ("aws-cdk", "cdk"),
    ("@angular/cli", "ng"),
    ("@nestjs/cli", "nest"),
    ("@railway/cli", "railway"),
    ("@sentry/cli", "sentry-cli"),
    ("@redocly/cli", "redocly"),
    ("@shopify/cli", "shopify"),
    ("@cloudflare/wrangler", "wrangler"),
];

pub(super) fn open(command: &Command, _: Option<&Stream>) -> Option<Vec<Inner>> {
    let program = command.program.as_str();
    let words = arguments(command);
    match program {
        "nix-shell" => return Some(nix_shell(words)),
        "nix" => return Some(nix(words)),
        "nodemon" | "cargo" => return watcher(program, words),
        "uv" if words.first().is_some_and(|word| word.text == "tool") => {
            let rest = words.get(2..).unwrap_or_default();
            let runs = words.get(1).is_some_and(|word| word.text == "run");
            return Some(if runs { run("uvx", rest, UVX, 0) } else { Vec::new() });
        }
        _ => {}
    }
    if !HEADS.may_hold(program) {
        return None;
    }
    if let Some((_, inner)) = CARRIERS.iter().find(|(name, _)| is_named(name, program)) {
        let found = carried(words, inner);
        if !found.is_empty() {
            return Some(found);
        }
    }
    let mut known = false;
    for (name, subcommand, options, skip) in RUNNERS.iter().filter(|row| is_named(row.0, program)) {
        known = true;
        let at = if subcommand.is_empty() {
            Some(0)
        } else {
            words.iter().take(8).position(|word| word.text == *subcommand).map(|at| at + 1)
        };
        let Some(rest) = at.and_then(|at| words.get(at..)) else { continue };
        return Some(run(name, rest, options, *skip));
    }
    if let Some(words) = own_program(program, words) {
        return Some(vec![Inner::words(words)]);
    }
    // `bun -e` is for the languages.
    (known && program != "bun").then(Vec::new)
}

/// Programs of the project that matter here and have no model of their own.
const OWN_PROGRAMS: [&str; 10] =
    ["husky", "lefthook", "simple-git-hooks", "prek", "zx", "cross-env", "rimraf", "shx", "del", "del-cli"];

/// `pnpm prisma migrate reset` is `pnpm exec prisma …`: what is no verb of theirs is a
/// program of the project, or a script, which is none of these.
fn own_program<'a>(program: &str, words: &'a [Word]) -> Option<&'a [Word]> {
    let at = words.iter().position(|word| !word.text.starts_with('-'))?;
    let name = words.get(at).map(|word| word.text.as_str())?;
    let verbs = [
        "add", "install", "i", "link", "test", "node", "npm", "env", "import", "set", "start", "run", "pack",
        "rm", "ls", "patch", "fetch", "prune", "up", "info", "cache", "config", "version", "audit", "init",
        "create",
    ];
    let known = OWN_PROGRAMS.contains(&name) || programs::is_known(name) && !verbs.contains(&name);
    words.get(at..).filter(|_| matches!(program, "pnpm" | "yarn") && known)
}

fn run(name: &str, rest: &[Word], options: &'static str, skip: usize) -> Vec<Inner> {
    let spec = Spec { options, leading: true, short_names: false, one_dash: false };
    let mut usage = Usage::default();
    let mut at = options::sort(rest, &spec, &mut usage) + skip;
    if let Some(sign) = rest.iter().position(|word| word.text == "--").filter(|_| DASHED.contains(&name)) {
        at = sign + 1;
    }
    let mut found = from_address(name, &usage, rest.get(at));
    if let Some(text) = usage.value("--call").or(usage.value("--command")) {
        found.push(Inner::text(text.clone()));
        return found;
    }
    if let Some(module) = usage.value("--module") {
        let python = Word { text: "python".into(), exact: true, ..module.clone() };
        let flag = Word { text: "-m".into(), exact: true, ..module.clone() };
        let mut words = vec![python, flag, module.clone()];
        words.extend(rest.get(at..).unwrap_or_default().iter().cloned());
        return vec![Inner::made(words)];
    }
    if rest.get(at).is_some_and(|word| word.text == "--") {
        at += 1;
    }
    if name == "dotenv" && rest.get(at).is_some_and(|word| word.text == "run") {
        // That of Python has a verb.
        at += 1 + usize::from(rest.get(at + 1).is_some_and(|word| word.text == "--"));
    }
    // `nvm exec 20 command …`
    let version =
        |word: &Word| word.text.trim_start_matches('v').starts_with(|one: char| one.is_ascii_digit());
    at += usize::from(name == "nvm" && rest.get(at).is_some_and(version));
    let mut assignments = Vec::new();
    let sets = matches!(name, "cross-env" | "dotenv");
    while let Some((variable, value)) =
        rest.get(at).filter(|_| sets).and_then(|word| word.text.split_once('='))
    {
        let value = Word { text: value.into(), ..rest.get(at).cloned().unwrap_or_default() };
        assignments.push(crate::reading::Assignment { name: variable.into(), value });
        at += 1;
    }
    let mut words = rest.get(at..).unwrap_or_default().to_vec();
    let mut moved = false;
    if let Some(first) = words.first_mut().filter(|word| name == "hatch" && word.text.contains(':')) {
        // `hatch run dev:test`: the environment is before the command.
        first.text = first.text.rsplit(':').next().unwrap_or_default().into();
        moved = true;
    }
    if let Some(first) = words.first_mut().filter(|_| FETCHERS.contains(&name))
        && let Some(bare) = without_version(&first.text).map(str::to_string)
    {
        first.text = bare.into();
        moved = true;
    }
    if let Some(first) = words.first_mut().filter(|_| FETCHERS.contains(&name))
        && let Some((_, program)) = PACKAGES.iter().find(|(package, _)| *package == first.text)
    {
        first.text = (*program).into();
        moved = true;
    }
    if let [line] = words.as_slice()
        && line.text.contains(' ')
    {
        // No program has such a name: some of them give it to a shell.
        found.push(Inner::text(line.clone()));
        return found;
    }
    found.push(Inner::Words { words, assignments, dir: None, moved, same_shell: false });
    found
}

/// `rimraf@5` is `rimraf`, `@scope/tool@latest` is `@scope/tool`.
fn without_version(text: &str) -> Option<&str> {
    let (name, version) = text.rsplit_once('@')?;
    (!name.is_empty() && !version.contains(['/', ':'])).then_some(name)
}

/// Runners whose command follows `--`, whatever is before it.
const DASHED: [&str; 7] = ["guix", "mise", "rtx", "tox", "distrobox", "distrobox-enter", "dotenvx"];

/// Runners that fetch the package they run, if it is not there.
const FETCHERS: [&str; 9] = ["npx", "bunx", "pnpx", "uvx", "npm", "pnpm", "yarn", "bun", "pipx"];

/// A package named by an address, not by its name in a registry.
fn from_address(name: &str, usage: &Usage, first: Option<&Word>) -> Vec<Inner> {
    if name == "uv" {
        // It runs a script straight from its address.
        let far = |word: &&Word| ["http://", "https://"].iter().any(|head| word.text.starts_with(head));
        return first.filter(far).cloned().map(Inner::Download).into_iter().collect();
    }
    if !FETCHERS.contains(&name) {
        return Vec::new();
    }
    let given =
        ["--package", "--from", "--spec", "--with"].into_iter().flat_map(|option| usage.values(option));
    given.chain(first).filter(|word| is_address(&word.text, name)).cloned().map(Inner::Download).collect()
}

/// `git+https://…`, `https://….tgz`, `github:user/x`; for npm also `user/x`.
fn is_address(text: &str, name: &str) -> bool {
    let scheme = [
        "git+",
        "git://",
        "git@",
        "ssh://",
        "http://",
        "https://",
        "github:",
        "gitlab:",
        "bitbucket:",
        "gist:",
    ];
    let address = text.split_once(" @ ").map_or(text, |(_, address)| address);
    let npm = !matches!(name, "uvx" | "pipx");
    let short = npm
        && !text.starts_with(['.', '/', '@', '~', '$'])
        && text.matches('/').count() == 1
        && !text.contains(':');
    scheme.iter().any(|head| address.starts_with(head)) || short
}

fn nix_shell(words: &[Word]) -> Vec<Inner> {
    let at = words.iter().position(|word| matches!(word.text.as_str(), "--run" | "--command"));
    at.and_then(|at| words.get(at + 1)).cloned().map(Inner::text).into_iter().collect()
}

/// `nix develop .#x -c command …`, `nix shell x --command command …`.
fn nix(words: &[Word]) -> Vec<Inner> {
    let at = words.iter().position(|word| matches!(word.text.as_str(), "-c" | "--command"));
    let runs = words.iter().any(|word| matches!(word.text.as_str(), "develop" | "shell" | "env"));
    let run = at.filter(|_| runs).and_then(|at| words.get(at + 1..));
    run.map(Inner::words).into_iter().collect()
}

/// `cargo watch -x check -s 'text'`, `nodemon --exec text`.
fn watcher(program: &str, words: &[Word]) -> Option<Vec<Inner>> {
    if program == "cargo" && words.first().is_none_or(|word| word.text != "watch") {
        return None;
    }
    let mut found = Vec::new();
    for pair in words.windows(2) {
        if let [option, value] = pair
            && matches!(option.text.as_str(), "-s" | "--shell" | "--exec" | "-x")
        {
            let text = if program == "cargo" && option.text == "-x" {
                format_smolstr!("cargo {}", value.text)
            } else {
                value.text.clone()
            };
            found.push(Inner::text(Word { text, ..value.clone() }));
        }
    }
    if program == "cargo"
        && let Some(at) = words.iter().position(|word| word.text == "--")
    {
        found.push(Inner::words(words.get(at + 1..).unwrap_or_default()));
    }
    Some(found)
}
