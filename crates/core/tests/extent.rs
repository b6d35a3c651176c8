//! How far an answer reaches: which commands fit a pattern, and which only look like it.

#![allow(missing_docs)]

use toolgate_core::{Extent, fits_text, proposed_pattern};

#[track_caller]
fn check(pattern: &str, fits: &[&str], not: &[&str]) {
    for command in fits {
        assert!(fits_text(pattern, command), "`{pattern}` must fit `{command}`");
    }
    for command in not {
        assert!(!fits_text(pattern, command), "`{pattern}` must not fit `{command}`");
    }
}

#[test]
fn a_pattern_is_one_plain_command() {
    check(
        "git push origin *",
        &[
            "git push origin main",
            "git   push origin 'my branch'",
            "git push \"origin\" dev",
            "git push origin dev 2>&1",
            "git push origin main &",
        ],
        &[
            "git push origin",
            "git push origin main extra",
            "git push --force origin main",
            "git push origin --force",
            "git push origin -f",
            "git push upstream main",
            "git push origin main && rm -rf x",
            "git push origin main; true",
            "git push origin main | tee log",
            "git push origin main > log",
            "git push origin $BRANCH",
            "git push origin $(cat x)",
            "git push origin *",
            "X=1 git push origin main",
            "GIT_SSH_COMMAND=evil git push origin main",
            "sudo git push origin main",
            "cd x && git push origin main",
            "bash -c 'git push origin main'",
            "git push origin ../main",
            "(git push origin main",
            "",
        ],
    );
}

#[test]
fn a_star_stays_inside_its_word() {
    check(
        "rm -r build/*",
        &["rm -r build/x", "rm -r build/a/b"],
        &["rm -r build", "rm -r build/../src", "rm -r other/build/x", "rm -rf build/x"],
    );
    check("make *-test", &["make unit-test"], &["make test", "make -test", "make unit-test-all"]);
    check("npm run *:*", &["npm run a:b", "npm run :"], &["npm run ab", "npm run -- a:b"]);
    check("docker * -it", &["docker run -it"], &["docker -it -it", "docker run it"]);
    check(
        "./deploy.sh staging",
        &["./deploy.sh staging"],
        &["./deploy.sh production", "deploy.sh staging", "./deploy.sh"],
    );
}

#[test]
fn what_is_no_pattern_is_refused() {
    for pattern in [
        "git push \u{202e}x *",
        "ls \u{1b}[1m *",
        "",
        "*",
        "* x",
        "a; b",
        "a | b",
        "$X y",
        "a > b",
        "X=1 a",
        "sudo rm",
        "a $(b)",
        "'",
        "a && b",
        "\n",
    ] {
        assert!(Extent::Always { pattern: Some(pattern.to_owned()) }.fault().is_some(), "{pattern:?}");
    }
    for minutes in [0, 7 * 24 * 60 + 1, u32::MAX] {
        assert!(Extent::For { minutes }.fault().is_some(), "{minutes}");
    }
    for fine in [Extent::Once, Extent::Session, Extent::For { minutes: 30 }, Extent::Always { pattern: None }]
    {
        assert!(fine.fault().is_none(), "{fine:?}");
    }
}

/// What is proposed fits the call it is proposed for.
#[test]
fn a_proposal_widens_the_last_operand() {
    for (command, pattern) in [
        ("git push origin main", Some("git push origin *")),
        ("terraform apply -auto-approve", None),
        ("make", None),
        ("kubectl delete pod web-1", Some("kubectl delete pod *")),
        ("git commit -m 'two words' x", None),
        ("a && b c d", None),
    ] {
        let proposed = proposed_pattern(command);
        assert_eq!(proposed.as_deref(), pattern, "{command}");
        if let Some(pattern) = proposed {
            assert!(fits_text(&pattern, command), "{pattern} does not fit {command}");
        }
    }
}
