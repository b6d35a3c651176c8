//! Words that only say what the next word is about: `s3` of `aws s3 rb`. Data only; read
//! when a rule lists subcommands.

use super::subcommands::is_own;

const GROUPS: &[(&str, &[&str])] = &[
    (
        "aws",
        &[
            "s3",
            "s3api",
            "ec2",
            "iam",
            "rds",
            "ecs",
            "eks",
            "lambda",
            "dynamodb",
            "route53",
            "cloudformation",
            "sqs",
            "sns",
        ],
    ),
    ("gcloud", &["compute", "sql", "container", "storage", "projects", "iam", "run", "functions"]),
    ("az", &["group", "vm", "storage", "aks", "sql", "keyvault", "ad"]),
    (
        "docker",
        &["compose", "container", "image", "volume", "network", "system", "buildx", "context", "stack"],
    ),
    ("gh", &["repo", "pr", "issue", "release", "workflow", "run", "secret", "gist", "auth"]),
    ("git", &["stash", "remote", "worktree", "submodule", "reflog", "bisect"]),
    ("terraform", &["state", "workspace"]),
    ("helm", &["repo", "plugin", "registry"]),
    ("kubectl", &["rollout", "config", "auth", "certificate"]),
    ("pulumi", &["stack", "config"]),
    ("doctl", &["compute", "databases", "kubernetes"]),
];

/// Does the word alone say nothing yet of what the program does?
#[must_use]
pub fn is_group(program: &str, word: &str) -> bool {
    GROUPS.iter().any(|(name, words)| *name == program && words.contains(&word))
}

/// Are these words of a list one subcommand in order, because but for the first none
/// is one of its own? `[s3, rb]` is, `[volume, rm]` is not: there is `docker rm`.
#[must_use]
pub fn is_path(program: &str, words: &[&str]) -> bool {
    let [first, rest @ ..] = words else { return false };
    let follows =
        |word: &&str| !word.contains([' ', '*', '?']) && !is_group(program, word) && !is_own(program, word);
    matches!(rest.len(), 1 | 2) && is_group(program, first) && rest.iter().all(follows)
}
