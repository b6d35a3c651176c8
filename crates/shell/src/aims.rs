//! What a command is aimed at besides its effects: the remote, database, cluster or account a
//! person checks before saying yes. Shown to people; no rule looks at it.

use crate::reading::Command;

/// Options that name such a thing, in their canonical spelling, and what it is.
const NAMING: &[(&str, &str)] = &[
    ("--account", "account"),
    ("--app", "app"),
    ("--cluster", "cluster"),
    ("--context", "context"),
    ("--database", "database"),
    ("--dbname", "database"),
    ("--environment", "environment"),
    ("--kube-context", "context"),
    ("--namespace", "namespace"),
    ("--profile", "profile"),
    ("--project", "project"),
    ("--region", "region"),
    ("--registry", "registry"),
    ("--resource-group", "resource group"),
    ("--stack", "stack"),
    ("--subscription", "subscription"),
    ("--zone", "zone"),
];

/// What a command is aimed at: what it is, and its name as written.
#[must_use]
pub fn aims(command: &Command) -> Vec<(&'static str, String)> {
    let named =
        |(option, what): &(&str, &'static str)| Some((*what, command.usage.value(option)?.text.to_string()));
    let mut all: Vec<_> = NAMING.iter().filter_map(named).collect();
    if command.program == "git" && command.usage.sub() == "push" {
        all.extend(pushed(command));
    }
    all
}

/// The remote and the branches of a push. Without words for them the settings of the repository say.
fn pushed(command: &Command) -> impl Iterator<Item = (&'static str, String)> {
    let operands = &command.usage.operands;
    let remote = operands.first().map_or("the default", |word| word.text.as_str()).to_owned();
    let branch = |refspec: &str| {
        let plain = refspec.trim_start_matches('+');
        plain.rsplit(':').next().unwrap_or(plain).to_owned()
    };
    let branches = operands.iter().skip(1).map(move |word| ("branch", branch(&word.text)));
    std::iter::once(("remote", remote)).chain(branches.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::aims;
    use crate::{ReadContext, read};

    #[track_caller]
    fn check(command: &str, expected: &str) {
        let reading = read(command, &ReadContext::default());
        let all =
            reading.commands.iter().flat_map(|one| aims(one)).map(|(what, name)| format!("{what} {name}"));
        assert_eq!(all.collect::<Vec<_>>().join(", "), expected, "{command}");
    }

    #[test]
    fn remote_branch_database_and_cluster_are_named() {
        check("git push --force origin main", "remote origin, branch main");
        check("git push -f origin +HEAD:release v1", "remote origin, branch release, branch v1");
        check("git push", "remote the default");
        check("git commit -m push", "");
        check("psql -h db.prod -d shop -c 'drop table users'", "database shop");
        check("kubectl --context prod delete -n web pod a", "context prod, namespace web");
        check("aws --profile live s3 rm s3://b/x --region eu-1", "profile live, region eu-1");
        check("cd x && sudo git push up dev", "remote up, branch dev");
    }
}
