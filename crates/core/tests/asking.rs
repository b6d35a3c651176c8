//! Which program asks, and what runs below it.
#![allow(clippy::unwrap_used)]

use toolgate_core::{Asker, Process, asker_among, asker_over};

/// The processes of a line, nearest first, numbered from 100 on; the words of each
/// are parted by blanks.
fn chain(line: &str) -> Vec<Process> {
    let one = |(number, text): (usize, &str)| {
        // `name=words` where the system calls it otherwise than its first word does.
        let (name, text) = text.split_once('=').unwrap_or((text, text));
        let name = name.split(' ').next().unwrap().rsplit('/').next().unwrap();
        Process {
            pid: u32::try_from(100 + number).unwrap(),
            started: 7,
            name: name.trim_start_matches('-').chars().take(15).collect(),
            words: text.split_whitespace().map(str::to_owned).collect(),
        }
    };
    line.split(" < ").enumerate().map(one).collect()
}

#[test]
fn what_only_carries_a_question_does_not_ask() {
    for (line, expected) in [
        ("claude", Some("claude")),
        ("/bin/sh -c toolgate < node /usr/bin/x", Some("node")),
        (
            "bash -lc toolgate < timeout 9 < /opt/py/python3.12 agent.py < -bash < tmux: server",
            Some("python3.12"),
        ),
        ("bash --norc -O extglob -c x < agent", Some("agent")),
        ("zsh -o pipefail -c x < agent", Some("agent")),
        ("busybox sh -c x < agent", Some("agent")),
        // A script is a program, however it is read.
        ("sh agent.sh < bash", Some("sh")),
        ("sh agent.sh -c < bash", Some("sh")),
        ("bash -e ./agent < bash", Some("bash")),
        ("busybox sh agent.sh < agent", Some("busybox")),
        // A copy of itself, for `$(…)` say.
        ("sh agent.sh < sh agent.sh < python3 x", Some("sh")),
        // An agent that keeps a shell open.
        ("bash -c toolgate < bash --noediting < openhands", Some("openhands")),
        ("toolgate mcp < cursor", Some("cursor")),
        ("sudo toolgate < su - < codex", Some("codex")),
        // A person.
        ("-bash < sshd: ada@pts/0", None),
        ("bash < tmux: server < systemd", None),
        ("zsh -l < /usr/libexec/gnome-terminal-server < systemd --user", None),
        ("fish < login", None),
        ("bash", None),
        // Whoever calls itself a terminal is none.
        ("bash=tmux server < agent", Some("tmux")),
        ("python3=sshd: < agent", Some("sshd")),
        // A process that shows no words is a kernel's.
        ("", None),
    ] {
        let asker = asker_among(&chain(line)).map(|asker| asker.program);
        assert_eq!(asker.as_deref(), expected, "{line}");
    }
    assert_eq!(asker_among(&[]), None);
    let copies = chain("sh -c toolgate < sh a.sh < sh a.sh < sh a.sh < sh b.sh");
    assert_eq!(asker_among(&copies).unwrap().pid, 103, "the original, not the copy that ends");
}

#[test]
fn below_is_told_by_number_and_time() {
    let asker = |pid, started| Asker { pid, started, program: "agent".to_owned() };
    let below = chain("toolgate < bash < agent < bash");
    for (pid, started, expected) in
        [(100, 7, true), (102, 7, true), (103, 7, true), (102, 8, false), (104, 7, false)]
    {
        let askers = [asker(1, 1), asker(pid, started)];
        assert_eq!(asker_over(&below, &askers).is_some(), expected, "{pid} {started}");
    }
    assert_eq!(asker_over(&[], &[asker(102, 7)]), None);
}
