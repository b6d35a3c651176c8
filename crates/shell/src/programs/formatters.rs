//! Programs that put files into another form, in place.

use super::socket::given_away;
use super::{Effects, Model, is_stream, plain};
use crate::effect_kind::EffectKind;
use crate::options::Spec;
use crate::reading::Command;

pub(super) const MODELS: &[Model] = &[
    plain(
        &["prettier"],
        "w,write c,check l,list-different config= parser= ignore-path= log-level= stdin-filepath= plugin=",
        formats,
    ),
    plain(
        &["eslint", "stylelint", "standard", "xo", "markdownlint", "markdownlint-cli2", "oxlint"],
        "fix f,format= c,config= ext= rule= ignore-path= ignore-pattern= max-warnings= o,output-file= quiet cache custom-syntax=",
        formats,
    ),
    plain(
        &["gofmt", "goimports", "gofumpt", "shfmt"],
        "w,write l d s e r= i= ln= bn ci sr kp local=",
        formats,
    ),
    plain(
        &["black", "isort", "rustfmt", "djlint"],
        "check diff q,quiet v,verbose l,line-length= t,target-version= config= edition= config-path= emit= exclude= include= \
         extend-exclude= profile= c= reformat",
        formats,
    ),
    plain(
        &["autopep8", "yapf", "clang-format"],
        "i,in-place r,recursive d,diff style= e,exclude= n,dry-run p,parallel a",
        formats,
    ),
    Model {
        names: &["ruff", "biome", "dprint", "taplo", "rome", "sqlfluff"],
        spec: Spec {
            options: "config= config-path= c=",
            leading: false,
            short_names: false,
            one_dash: false,
        },
        subs: &[(
            "*",
            "fix write apply check diff q,quiet select= ignore= config= config-path= line-length= target-version= exclude= dialect= \
             unsafe unsafe-fixes stdin-filename= output-format=",
        )],
        groups: &[],
        effects: formats,
    },
    Model {
        names: &["ruby"],
        spec: Spec {
            options: "e=~ i? n p l a F= I= r,require= W? w c v x? s S C= d E= K= T? U h",
            leading: true,
            short_names: false,
            one_dash: false,
        },
        subs: &[],
        groups: &[],
        effects: ruby,
    },
];

/// Options that say that files change, and programs that change them unless
/// told otherwise.
fn formats(command: &Command, _: Option<&str>) -> Effects {
    let usage = &command.usage;
    let asked =
        ["--write", "--fix", "--in-place", "--apply", "--reformat"].iter().any(|name| usage.has(name));
    let always = matches!(command.program.as_str(), "black" | "isort" | "rustfmt")
        || matches!(usage.sub(), "format" | "fmt" | "fix")
            && matches!(command.program.as_str(), "ruff" | "dprint" | "taplo" | "sqlfluff");
    let only_looks = ["--check", "--diff", "--dry-run"].iter().any(|name| usage.has(name));
    let files = usage.operands.iter().filter(|word| !is_stream(&word.text));
    if asked || always && !only_looks {
        Effects::of(EffectKind::WritesFile, files)
    } else {
        Effects::of(EffectKind::ReadsFile, files)
    }
}

/// `ruby -i -pe …` changes the files named; a script gets its words as it likes.
fn ruby(command: &Command, input: Option<&str>) -> Effects {
    let usage = &command.usage;
    let mut effects = given_away(command, input);
    if usage.has("-e") {
        let files = || usage.operands.iter().filter(|word| !is_stream(&word.text));
        effects.on_each(EffectKind::ReadsFile, files());
        if usage.has("-i") {
            effects.on_each(EffectKind::WritesFile, files());
        }
    }
    effects
}
