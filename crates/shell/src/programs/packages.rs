//! Package managers: what they install.

use super::{Effects, Model};
use crate::effect_kind::EffectKind;
use crate::options::Spec;
use crate::reading::{Command, Word};
use smol_str::SmolStr;

const SPEC: Spec = Spec {
    options: "C= prefix= w,workspace= f,file= q,quiet y,yes v,verbose c= o= t= cwd= dir= F,filter= color=",
    leading: false,
    short_names: false,
    one_dash: false,
};

const NODE: &str = "g,global D,save-dev E,save-exact P,save-prod O,save-optional w,workspace= prefix= registry= tag= force legacy-peer-deps \
     ignore-scripts no-save F,filter= d,dev";

const NODE_PNPM: &str = "g,global D,save-dev E,save-exact P,save-prod O,save-optional w,workspace-root prefix= registry= tag= force \
     ignore-scripts no-save F,filter= d,dev C= dir= loglevel= reporter= access= otp=";

const NODE_SUBS: &[(&str, &str)] =
    &[("exec|x|dlx|run|test|start|create|init", "!p,package= c,call= w,workspace= y,yes"), ("*", NODE)];

const PIP: &str = "r,requirement= c,constraint= e,editable= t,target= i,index-url= extra-index-url= f,find-links= U,upgrade user pre q,quiet v,verbose \
     python= p= prefix= root= no-deps trusted-host= break-system-packages group= extra= optional= dev branch= tag= rev= y,yes";

const SYSTEM: &str = "y,yes assume-yes q,quiet t,target-release= o,option= no-install-recommends f force allow-downgrades d,download-only reinstall \
     s,simulate n cask formula HEAD u needed noconfirm r R i";

const fn manager(
    names: &'static [&'static str],
    subs: &'static [(&'static str, &'static str)],
    groups: &'static [&'static str],
) -> Model {
    Model { names, spec: SPEC, subs, groups, effects: installs }
}

pub(super) const MODELS: &[Model] = &[
    manager(&["npm", "yarn", "bun", "ni"], NODE_SUBS, &["global"]),
    Model {
        names: &["pnpm"],
        spec: Spec {
            options: "C= prefix= w,workspace-root dir= F,filter= r,recursive color= loglevel= reporter= config= store-dir=",
            ..SPEC
        },
        subs: &[
            ("exec|x|dlx|run|test|start|create|init", "!p,package= c,call= w,workspace-root y,yes"),
            ("*", NODE_PNPM),
        ],
        groups: &["global"],
        effects: installs,
    },
    manager(&["npx", "bunx", "pnpx", "uvx"], &[], &[]),
    manager(
        &["pip", "pip3", "pipx", "pipenv", "poetry", "pdm", "rye", "conda", "mamba", "micromamba"],
        &[("run", "!n,name= p,prefix="), ("*", PIP)],
        &[],
    ),
    manager(
        &["uv"],
        &[
            (
                "run|tool run",
                "!with= p,python= extra= group= env-file= m,module= project= directory= package=",
            ),
            ("*", PIP),
        ],
        &["pip", "tool"],
    ),
    manager(
        &[
            "apt",
            "apt-get",
            "aptitude",
            "dnf",
            "yum",
            "zypper",
            "brew",
            "apk",
            "port",
            "snap",
            "flatpak",
            "choco",
            "winget",
            "scoop",
            "nix-env",
            "emerge",
            "xbps-install",
            "pkg",
            "guix",
        ],
        &[("*", SYSTEM)],
        &[],
    ),
    manager(
        &["cargo"],
        &[
            (
                "install|add",
                "git= branch= tag= rev= path= version= F,features= root= locked f,force bin= example= all-features j,jobs= p,package= dev build \
              registry= target= optional rename= vers=",
            ),
            (
                "*",
                "p,package= F,features= j,jobs= target= manifest-path= bin= test= example= profile= message-format= r,release",
            ),
        ],
        &[],
    ),
    manager(&["nix"], &[("*", "")], &["profile"]),
    manager(&["go"], &[("*", "u t d modfile= o= tags= ldflags= run= count=")], &["mod"]),
    manager(&["gem"], &[("*", "v,version= N,no-document i,install-dir= s,source= g,file=")], &[]),
    manager(
        &[
            "composer", "bundle", "bundler", "luarocks", "cpan", "cpanm", "hex", "opam", "raco", "rustup",
            "asdf", "mise", "volta",
        ],
        &[("*", "dev global g")],
        &["component", "target", "toolchain", "global"],
    ),
    manager(
        &["pre-commit", "husky", "lefthook", "overcommit"],
        &[("*", "t,hook-type= f,force c,config=")],
        &[],
    ),
    Model {
        names: &["pacman", "yay", "paru", "dpkg", "rpm"],
        spec: Spec {
            options: "S,sync y,refresh u,sysupgrade R,remove Q,query U,upgrade i,install r,root= noconfirm needed F e,erase s n,nosave c d l a L",
            leading: false,
            short_names: false,
            one_dash: false,
        },
        subs: &[],
        groups: &[],
        effects: by_option,
    },
];

/// Words that install, after the program and its groups.
const VERBS: [&str; 16] = [
    "install",
    "i",
    "add",
    "in",
    "ci",
    "isntall",
    "require",
    "get",
    "localinstall",
    "reinstall",
    "inject",
    "sync",
    "it",
    "install-test",
    "use",
    "tap",
];

fn installs(command: &Command, _: Option<&str>) -> Effects {
    let usage = &command.usage;
    let mut effects = Effects::none();
    let verb = usage.subcommand.last().map_or("", SmolStr::as_str);
    let program = command.program.as_str();
    if matches!(program, "pre-commit" | "husky" | "lefthook" | "overcommit") {
        if verb == "uninstall" || usage.flags.iter().any(|flag| flag.name == "--uninstall") {
            effects.add(EffectKind::SkipsCommitHooks);
        }
        return effects;
    }
    if matches!(program, "npx" | "bunx" | "pnpx" | "uvx") {
        // With this it asks no one before it fetches the package it runs.
        let package = usage.operands.first().filter(|_| usage.has("--yes"));
        effects.on_each(EffectKind::InstallsPackage, package);
        return effects;
    }
    let installs = match (program, verb) {
        ("brew", "tap" | "install" | "reinstall" | "upgrade") => true,
        ("go", "get" | "install") => true,
        ("cargo", "install" | "add") => true,
        ("rustup" | "asdf" | "mise" | "volta", verb) => matches!(verb, "install" | "add" | "use"),
        ("yarn" | "bun", "") => program == "yarn",
        (_, "ci" | "sync" | "it" | "install-test" | "isntall" | "i") => {
            let other = matches!(program, "cargo" | "go" | "apt" | "apt-get");
            !other && (verb != "sync" || program == "uv")
        }
        (_, verb) => VERBS.contains(&verb) && verb != "tap" && verb != "get" && verb != "use",
    };
    if !installs {
        return effects;
    }
    // `npm install` alone installs what the project already names.
    let sources: Vec<&Word> =
        usage.values("--git").chain(usage.values("--editable")).chain(usage.values("--path")).collect();
    let packages: Vec<&Word> = usage.operands.iter().chain(sources).collect();
    if packages.is_empty() {
        effects.add(EffectKind::InstallsPackage);
    }
    effects.on_each(EffectKind::InstallsPackage, packages);
    effects.on_each(EffectKind::ReadsFile, usage.values("--requirement"));
    effects
}

fn by_option(command: &Command, _: Option<&str>) -> Effects {
    let usage = &command.usage;
    let installs = match command.program.as_str() {
        "dpkg" => usage.has("--install"),
        "rpm" => usage.has("--install") || usage.has("--upgrade"),
        _ => usage.has("--sync") && !usage.has("-s") || usage.has("--upgrade"),
    };
    if installs { Effects::of(EffectKind::InstallsPackage, &usage.operands) } else { Effects::none() }
}
