//! `safety-002`: files that hold secrets are left alone.

use super::{Objection, Standard, any_path, no_path, parameters};
use crate::categories::Categories;
use crate::evidence::Evidence;
use crate::facts::{Access, FileFact};
use crate::guard::Seen;
use crate::guardrail::OnFail;
use crate::rule::{Names, Pattern, beginning};

const SECRETS: &[&str] = &[
    ".env",
    ".env.{local,production,prod,staging,development,dev,secret,secrets}",
    ".ssh/id_*",
    "id_{rsa,dsa,ecdsa,ed25519}",
    "?*.{key,p12,pfx,jks,keystore,kdbx,ppk}",
    "{key,*-key,*_key,privkey*,*private*}.pem",
    ".gnupg/**",
    "{credentials,credentials.json,service-account*.json}",
    ".config/{gcloud/*credentials*,gh/hosts.yml}",
    ".cargo/credentials{,.toml}",
    ".docker/config.json",
    ".kube/config",
    "{.netrc,.pgpass,.pypirc,.git-credentials,.vault-token,.boto}",
    "~/.npmrc",
    ".password-store/**",
    "/etc/{shadow,gshadow,sudoers}",
];

const NONE: &[&str] = &["**/*.pub", "**/{testdata,fixtures,node_modules,__tests__,tests,e2e}/**"];

parameters! {
    /// `safety-002`.
    ProtectedFiles {
        /// Path patterns of protected files.
        paths: Names = Names::of(SECRETS),
        /// Path patterns that are never meant.
        except: Names = Names::of(NONE),
        /// What may not be done with them: `read`, `write`, `delete`.
        access: Names = Names::of(&["read", "write", "delete"]),
    }
    patterns { paths: no_path, except: no_path, access: no_access }
}

fn no_access(text: &str) -> Option<String> {
    let known = ["read", "write", "delete"].contains(&text);
    (!known).then(|| "use `read`, `write` or `delete`".to_owned())
}

impl Standard for ProtectedFiles {
    const ID: &'static str = "safety-002";
    const ACTION: OnFail = OnFail::Block;
    const PAGE: &'static str = "\
safety-002: no access to files with secrets.

Blocks reading, writing and deleting `.env`, keys, credentials and login files, with any tool and through any link. Templates
such as `.env.example`, public keys and fixtures are allowed. `access: [write, delete]` allows reading.

Allowed instead: the names from `.env.example`; asking the user for the one value you need.

  category_guardrails:
    safety-002: { paths: [.env*, secrets/**], except: ['**/*.example'], access: [read, write, delete] }
";

    fn section(all: &Categories) -> Option<&ProtectedFiles> {
        all.safety_002.as_ref()
    }

    fn objection(&self, seen: &Seen<'_>) -> Option<Objection> {
        let file = seen.facts.files.iter().find(|file| self.is_protected(file, seen))?;
        let message = format!("`{}` is a protected file", file.written);
        let step = "use the names from its template, or ask the user for the one value you need";
        Some(Objection::new(message, step).because(Evidence::of_file(&seen.event.call, seen.facts, file)))
    }
}

impl ProtectedFiles {
    fn is_protected(&self, file: &FileFact, seen: &Seen<'_>) -> bool {
        let word = match file.access {
            Access::Read => "read",
            Access::Create | Access::Write | Access::Change => "write",
            Access::Delete | Access::DeleteTree => "delete",
        };
        if !self.access.iter().any(|name| name == word) {
            return false;
        }
        let own = |path: &str| {
            any_path(&self.paths, path, seen.places) && !any_path(&self.except, path, seen.places)
        };
        file.targets().any(own) || self.is_meant(file)
    }

    /// `cat .en*` means `.env`, too.
    fn is_meant(&self, file: &FileFact) -> bool {
        let Some((_, last, begin)) = beginning(file) else { return false };
        let names = self.paths.iter().filter_map(|path| Some(Pattern::path(path).ok()?.names())).flatten();
        names.into_iter().any(|name| name.starts_with(begin) && fast_glob::glob_match(last, &name))
    }
}
