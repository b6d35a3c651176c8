//! `builtin-003`: an agent stays within the files it was given.

use super::of_agent;
use crate::agent::{AgentEntry, Scope};
use crate::facts::{Access, FileFact};
use crate::finding::Finding;
use crate::guard::{Category, Guard, Seen};
use crate::places::Places;
use crate::rule::{Names, Pattern, can_hold, is_like};
use toolgate_shell::Reach;

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
            let files = seen.facts.files.iter();
            let file = files.into_iter().find(|file| !is_within(scope, file, seen.places))?;
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
    let denied = file.targets().any(|path| any_like(&scope.deny, path, places))
        || scope.deny.iter().any(|name| could_mean(name, file, places));
    let Some(open) = list_for(scope, file.access) else { return !denied };
    !denied && file.exact && file.targets().all(|path| any_like(open, path, places))
}

/// Whether a pattern of the call, or all of a folder it deletes, moves or looks
/// through, may mean a file that is denied: `cat *.txt`, `grep -r x .`.
fn could_mean(name: &str, file: &FileFact, places: &Places) -> bool {
    if file.below == Reach::Itself && !file.glob {
        return false;
    }
    // A file an agent may not read may not be searched either.
    let file = match file.below {
        Reach::Itself => file.clone(),
        Reach::Some | Reach::All => {
            FileFact { below: Reach::All, access: Access::DeleteTree, ..file.clone() }
        }
    };
    let from_root = |root: &String| Pattern::path(&format!("{root}/{name}"));
    let anchored = name.starts_with(['/', '~']) || name.starts_with("**");
    let patterns: Vec<Pattern> = if anchored {
        Pattern::path(name).into_iter().collect()
    } else {
        places.workspace.iter().filter_map(|root| from_root(root).ok()).collect()
    };
    patterns.iter().any(|pattern| can_hold(pattern, &file, places) || pattern_means(pattern, &file))
}

/// `cat *.txt` may mean `notes.txt`.
fn pattern_means(pattern: &Pattern, file: &FileFact) -> bool {
    let Pattern::Path { glob, .. } = pattern else { return false };
    let sample = |text: String| text.replace("**", "x").replace(['*', '?'], "x");
    file.glob
        && [sample(glob.replace("**/", "")), sample(glob.replace("**/", "x/"))]
            .iter()
            .any(|denied| file.targets().any(|path| fast_glob::glob_match(path, denied)))
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
