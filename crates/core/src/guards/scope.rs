//! `builtin-003`: an agent stays within the files it was given.

use super::of_agent;
use crate::agent::{AgentEntry, Scope};
use crate::facts::{Access, FileFact};
use crate::finding::Finding;
use crate::guard::{Category, Guard, Seen};
use crate::places::Places;
use crate::rule::{Names, Pattern, is_like};

pub(crate) const ID: &str = "builtin-003";

pub(crate) const PAGE: &str = "\
builtin-003: agents stay within their files.

`scope.write` and `scope.read` list path patterns. Without a list every file is
allowed; an empty list allows none. `scope.deny` always wins. Symlinks and `..`
are resolved first, and a file with an unknown path matches no list.

  agents:
    implementer:
      scope:
        write: [src/**]
        deny: [src/vendor/**]
";

/// See the module.
pub(crate) struct InScope;

impl Guard for InScope {
    fn id(&self) -> &str {
        ID
    }

    fn priority(&self) -> u32 {
        3
    }

    fn category(&self) -> Category {
        Category::Scope
    }

    fn judge(&self, seen: &Seen<'_>) -> Option<Finding> {
        if !seen.event.kind.is_before() {
            return None;
        }
        seen.settings.agents_of(&seen.event.call).find_map(|entry| {
            let scope = entry.agent.scope.as_ref()?;
            let denied = |file: &FileFact| could_be_denied(scope, file, seen);
            let files = seen.facts.files.iter();
            let file = files.into_iter().find(|file| denied(file) || !is_within(scope, file, seen.places))?;
            Some(outside(entry, scope, file))
        })
    }
}

fn outside(entry: &AgentEntry, scope: &Scope, file: &FileFact) -> Finding {
    let message = format!(
        "`{}` is not one of the files `{}` may {}",
        file.written,
        entry.name,
        if file.access == Access::Read { "read" } else { "change" }
    );
    let open = list_for(scope, file.access).map(|names| names.iter().collect::<Vec<_>>().join(", "));
    let open = open.filter(|text| !text.is_empty()).unwrap_or_else(|| "none".to_owned());
    of_agent(ID, entry, message, format!("use only its files ({open}), or hand this step over"))
}

fn list_for(scope: &Scope, access: Access) -> Option<&Names> {
    if access == Access::Read { scope.read.as_ref() } else { scope.write.as_ref() }
}

pub(super) fn is_within(scope: &Scope, file: &FileFact, places: &Places) -> bool {
    let denied = file.targets().any(|path| any_like(&scope.deny, path, places));
    let Some(open) = list_for(scope, file.access) else { return !denied };
    !denied && file.exact && file.targets().all(|path| any_like(open, path, places))
}

/// Whether a pattern of the call, or all of a folder it looks through, may mean
/// a file that is denied: `cat *.txt`, `grep -r x .`.
fn could_be_denied(scope: &Scope, file: &FileFact, seen: &Seen<'_>) -> bool {
    let whole = reads_whole(file, seen);
    if scope.deny.is_empty() || !file.glob && !whole {
        return false;
    }
    let roots = &seen.places.workspace;
    let samples = scope.deny.iter().flat_map(|name| {
        let sample = move |root: &str| samples_of(name).map(|one| format!("{root}/{one}"));
        let anchored = name.starts_with('/');
        let below: Vec<String> = if anchored {
            samples_of(name).to_vec()
        } else {
            roots.iter().flat_map(|root| sample(root)).collect()
        };
        below
    });
    let mut samples = samples;
    samples.any(|denied| {
        file.targets().any(|path| {
            whole && crate::path::is_within(&denied, path)
                || file.glob && fast_glob::glob_match(path, &denied)
        })
    })
}

/// Two paths a pattern means.
fn samples_of(pattern: &str) -> [String; 2] {
    let plain = |text: String| text.replace("**", "x").replace(['*', '?'], "x");
    [plain(pattern.replace("**/", "")), plain(pattern.replace("**/", "x/"))]
}

/// Whether everything below the file is read or lost.
fn reads_whole(file: &FileFact, seen: &Seen<'_>) -> bool {
    if file.access == Access::DeleteTree {
        return true;
    }
    let Some(command) = file.command.and_then(|at| seen.facts.reading.commands.get(at)) else {
        return seen.event.call.tool == "Grep" && file.access == Access::Read;
    };
    let asked = ["--recursive", "--dereference-recursive", "--archive", "-r"]
        .iter()
        .any(|name| command.usage.has(name));
    file.access == Access::Read
        && (asked
            || matches!(
                command.program.as_str(),
                "rg" | "ripgrep" | "ag" | "ack" | "tar" | "gtar" | "bsdtar"
            ))
}

/// Patterns speak of the workspace unless they say otherwise: `src/**` is not
/// every `src` of the machine.
fn any_like(names: &Names, path: &str, places: &Places) -> bool {
    names.iter().any(|name| {
        let anchored = name.starts_with(['/', '~']) || name.starts_with("**");
        let within = |root: &String| {
            let rest = path.strip_prefix(root.as_str()).and_then(|rest| rest.strip_prefix('/'));
            let own = if rest.is_none() && path == root { Some(".") } else { rest };
            own.is_some_and(|rest| {
                let glob = Pattern::path(&format!("/{name}"));
                glob.is_ok_and(|glob| glob.is_match(&format!("/{rest}")))
            })
        };
        if anchored {
            Pattern::path(name).is_ok_and(|glob| is_like(&glob, path, places))
        } else {
            places.workspace.iter().any(within)
        }
    })
}
