//! `filesystem_safety`: configuration is changed when someone meant it

use super::block;
use crate::event::EventKind;
use crate::evidence::Evidence;
use crate::facts::{Access, FileFact};
use crate::finding::Finding;
use crate::guard::{Category, Guard, Seen, Severity};
use crate::outcome::Outcome;
use crate::places::Places;
use crate::prerequisite::{Method, Prerequisite, in_order};
use crate::rule::{Pattern, is_like};
use crate::traps::FileTrap;

pub(crate) const ID: &str = "filesystem_safety";

pub(crate) const PAGE: &str = "\
filesystem_safety: changes to configuration are confirmed.

The bypass trap: instead of finding out why something fails, the agent changes
the configuration around it. If a policy turns this on, writing, deleting or
moving a configuration file (`.env…`, or a file or folder with `config` in its
name) needs approval. It is off by default.

Allowed instead: reading the configuration; files named in `except`; templates
such as `.env.example`.

  traps:
    filesystem_safety: { on: true, except: [tsconfig.json, test/**] }
";

/// Templates that configure nothing.
const TEMPLATES: &[&str] = &[".example", ".sample", ".template", ".dist", ".md"];

/// See the module.
pub(crate) struct FilesystemSafety;

impl Guard for FilesystemSafety {
    fn id(&self) -> &str {
        ID
    }

    fn priority(&self) -> u32 {
        31
    }

    fn category(&self) -> Category {
        Category::Quality
    }

    fn judge(&self, seen: &Seen<'_>) -> Option<Finding> {
        if seen.event.kind != EventKind::PreExecution {
            return None;
        }
        seen.settings.file_trap().into_iter().find_map(|(source, trap)| {
            let files: Vec<&FileFact> =
                seen.facts.files.iter().filter(|file| is_asked(&trap, file, seen.places)).collect();
            let first = files.first()?;
            let message = format!(
                "bypass trap: `{}` is configuration, and changing it may hide the real problem. {}",
                first.written,
                question_about(first)
            );
            let checks = files.iter().map(|file| question(file));
            let evidence =
                files.iter().filter_map(|file| Evidence::of_file(&seen.event.call, seen.facts, file));
            Some(Finding {
                source,
                category: Category::Quality,
                severity: Severity::Medium,
                outcome: Outcome::Check(in_order(checks)),
                alternatives: vec!["read the current configuration and say what is wrong with it".to_owned()],
                ..block(ID, message, "let a person confirm the change", evidence.collect())
            })
        })
    }
}

fn question_about(file: &FileFact) -> String {
    let deletes = matches!(file.access, Access::Delete | Access::DeleteTree);
    let verb = if deletes { "delete or move" } else { "modify" };
    format!("Should I {verb} {}? Have you verified the current config?", file.written)
}

fn question(file: &FileFact) -> Prerequisite {
    Prerequisite {
        description: "Review existing configuration".to_owned(),
        method: Method::UserConfirmation { question: question_about(file) },
        success_criteria: "User confirms config change is appropriate".to_owned(),
        priority: 8,
    }
}

fn is_asked(trap: &FileTrap, file: &FileFact, places: &Places) -> bool {
    if trap.literal {
        let names = file.path.contains("config") || file.path.contains("env");
        let writes = matches!(file.access, Access::Create | Access::Write);
        return writes && names && !is_excepted(trap, file, places);
    }
    let named = file.targets().any(|path| means_config(below(path, places)));
    file.access != Access::Read && named && !is_excepted(trap, file, places)
}

/// The part of a path that the project chose.
fn below<'a>(path: &'a str, places: &Places) -> &'a str {
    let roots = places.workspace.iter().chain(&places.home);
    let rest = roots.filter_map(|root| path.strip_prefix(root.as_str())?.strip_prefix('/'));
    rest.min_by_key(|rest| rest.len()).unwrap_or(path)
}

fn means_config(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    if TEMPLATES.iter().any(|end| name.ends_with(end)) {
        return false;
    }
    let is_env = name == ".env" || name.starts_with(".env.") || name.ends_with(".env") || name == ".envrc";
    is_env || path.split('/').any(|part| part.to_lowercase().contains("config"))
}

fn is_excepted(trap: &FileTrap, file: &FileFact, places: &Places) -> bool {
    let path = below(&file.path, places);
    let name = path.rsplit('/').next().unwrap_or(path);
    trap.except.iter().any(|wanted| {
        let whole = Pattern::path(wanted).is_ok_and(|glob| is_like(&glob, &file.path, places));
        whole || fast_glob::glob_match(wanted, path) || fast_glob::glob_match(wanted, name)
    })
}
