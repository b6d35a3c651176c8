//! A repository can add packs to a machine, not take them away.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

use std::path::{Path, PathBuf};
use toolgate_runtime::{Dirs, load_uncached};

fn rules(home: &Path, user: Option<&str>, project: &str) -> Result<usize, String> {
    let folder = home.join("project");
    std::fs::create_dir_all(folder.join(".toolgate")).unwrap();
    std::fs::write(folder.join(".toolgate/policy.yaml"), project).unwrap();
    let config = home.join("config");
    std::fs::create_dir_all(&config).unwrap();
    if let Some(user) = user {
        std::fs::write(config.join("policy.yaml"), user).unwrap();
    }
    let dirs = Dirs {
        home: Some(home.to_path_buf()),
        managed: PathBuf::from("/nowhere"),
        config,
        state: home.join("state"),
        cache: home.join("cache"),
    };
    load_uncached(&dirs, &folder)
        .map(|loaded| loaded.policy.image().len())
        .map_err(|faults| faults[0].render())
}

#[track_caller]
fn check(user: Option<&str>, project: &str, expected: bool) {
    let home = tempfile::tempdir().unwrap();
    let found = rules(home.path(), user, project).expect("a policy that loads");
    assert_eq!(found > 0, expected, "user {user:?}, project {project}");
}

#[test]
fn a_project_cannot_drop_a_pack() {
    check(None, "version: 1\n", true);
    check(None, "version: 1\npacks: []\n", true);
    check(Some("version: 1\npacks: [default]\n"), "version: 1\npacks: []\n", true);
}

#[test]
fn the_user_can_drop_a_pack_and_the_project_can_ask_for_it() {
    check(Some("version: 1\npacks: []\n"), "version: 1\n", false);
    check(Some("version: 1\npacks: []\n"), "version: 1\npacks: [default]\n", true);
}

#[test]
fn an_unknown_pack_is_told_with_its_file() {
    let home = tempfile::tempdir().unwrap();
    let told = rules(home.path(), None, "version: 1\npacks: [defualt]\n").expect_err("no such pack");
    assert!(
        told.contains("policy.yaml") && told.contains("unknown pack `defualt`") && told.contains("default"),
        "{told}"
    );
}
