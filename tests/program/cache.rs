//! The compiled policy on disk, damaged or forged: the verdict is always the one the policy files say.

use crate::answer::Answer;
use crate::house::{House, TICKET};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

const STOPPED: &str = "git commit --no-verify -m x";

/// The one cache file of a house.
fn file(house: &House) -> PathBuf {
    let files: Vec<PathBuf> =
        fs::read_dir(house.cache()).unwrap().map(|entry| entry.unwrap().path()).collect();
    match files.as_slice() {
        [file] => file.clone(),
        other => panic!("not one cache file: {other:?}"),
    }
}

#[track_caller]
fn check_verdicts(house: &House, what: &str) {
    let stopped = house.ask(STOPPED);
    assert!(matches!(&stopped, Answer::No(text) if text.contains("git-skip-hooks")), "{what}: {stopped:?}");
    assert_eq!(house.ask("git commit -m x"), Answer::Silent, "{what}");
}

/// Damages the cache, asks, and expects the truth and a good cache afterwards.
#[track_caller]
fn check(what: &str, damage: impl Fn(&Path)) {
    let house = House::with_policy(TICKET);
    check_verdicts(&house, "before");
    let path = file(&house);
    let good = fs::read(&path).unwrap();
    damage(&path);
    check_verdicts(&house, what);
    assert_eq!(fs::read(&path).ok(), Some(good), "{what}: made anew");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600, "{what}");
}

#[test]
fn a_cut_cache_is_made_anew() {
    let house = House::new();
    house.ask("ls");
    let path = file(&house);
    let good = fs::read(&path).unwrap();
    let cuts = [0, 1, 63, 64, 65, 67, 68, 69, 200, good.len() / 2, good.len() - 1];
    for cut in cuts {
        fs::write(&path, &good[..cut]).unwrap();
        check_verdicts(&house, &format!("cut at {cut}"));
        assert_eq!(fs::read(&path).unwrap(), good, "cut at {cut}: made anew");
    }
}

/// Every byte of hash and length, and a sample of the rest.
#[test]
fn a_cache_with_one_byte_changed_is_made_anew() {
    let house = House::new();
    house.ask("ls");
    let path = file(&house);
    let good = fs::read(&path).unwrap();
    for at in (0..72).chain((72..good.len()).step_by(good.len() / 64)) {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        fs::write(&path, bytes).unwrap();
        let answer = house.ask(STOPPED);
        assert!(
            matches!(&answer, Answer::No(text) if text.contains("git-skip-hooks")),
            "byte {at}: {answer:?}"
        );
        assert_eq!(fs::read(&path).unwrap(), good, "byte {at}: made anew");
    }
}

#[test]
fn a_cache_others_could_have_written_is_made_anew() {
    for mode in [0o666, 0o644, 0o620, 0o602, 0o777] {
        check(&format!("mode {mode:o}"), |path| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap()
        });
    }
}

#[test]
fn a_cache_that_is_something_else_does_no_harm() {
    check("empty", |path| fs::write(path, "").unwrap());
    check("garbage", |path| fs::write(path, "x".repeat(100_000)).unwrap());
    check("lengths beyond the end", |path| {
        let bytes = fs::read(path).unwrap();
        let body = [&[0xff; 4], &bytes[68..]].concat();
        fs::write(path, [toolgate_core::digest_of(&body).as_bytes(), &body].concat()).unwrap();
    });
    check("a link to nothing", |path| {
        fs::remove_file(path).unwrap();
        symlink("/nowhere/at/all", path).unwrap();
    });
    let house = House::new();
    house.ask("ls");
    let path = file(&house);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    check_verdicts(&house, "a folder");
}

/// The policy as it is now counts, not as it was when the cache was made.
#[test]
fn an_edited_policy_counts_from_the_next_call_on() {
    let house = House::with_policy(TICKET);
    let rule =
        "rules: [{ id: no-make, kind: block, match: { command: { program: make } }, reason: not here }]\n";
    for _ in 0..3 {
        house.write(".toolgate/policy.yaml", TICKET);
        assert_eq!(house.ask("make all"), Answer::Silent);
        house.write(".toolgate/policy.yaml", format!("{TICKET}{rule}"));
        assert!(house.ask("make all").text().contains("no-make"));
    }
    fs::create_dir_all(house.home().join(".config/toolgate")).unwrap();
    fs::write(house.home().join(".config/toolgate/policy.yaml"), "version: 1\nrules: [{ id: no-ls, kind: block, match: { command: { program: ls } }, reason: not here }]\n").unwrap();
    assert!(house.ask("ls").text().contains("no-ls"));
}

/// A sound image of another policy, put where ours is: by copy, by link, by hard link.
#[test]
fn a_sound_cache_of_another_policy_is_not_believed() {
    let loose = House::with_policy("version: 1\ndisable: [git-skip-hooks]\n");
    assert_eq!(loose.ask(STOPPED), Answer::Silent);
    let theirs = file(&loose);
    check("a copy", |path| assert!(fs::copy(&theirs, path).unwrap() > 0));
    check("a hard link", |path| {
        let copy = theirs.with_extension("linked");
        fs::copy(&theirs, &copy).unwrap();
        fs::remove_file(path).unwrap();
        fs::rename(&copy, path).unwrap();
    });
    check("a link", |path| {
        fs::remove_file(path).unwrap();
        symlink(&theirs, path).unwrap();
    });
    // The same folder before its policy was tightened.
    let house = House::with_policy("version: 1\ndisable: [git-skip-hooks]\n");
    assert_eq!(house.ask(STOPPED), Answer::Silent);
    let old = fs::read(file(&house)).unwrap();
    house.write(".toolgate/policy.yaml", TICKET);
    fs::write(file(&house), old).unwrap();
    check_verdicts(&house, "an old one");
}
