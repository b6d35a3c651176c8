//! Scripts that people and agents really wrote, from a folder of JSON lines
//! with `input.command`: `TOOLGATE_DIFF_CORPUS=folder`. They run in a root of
//! their own that holds bash and nothing else, so nothing they name exists.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};

use toolgate_shell::{EffectKind, ReadContext, Unknown, read};

use super::jail::{BASH, Jail};
use super::{Tally, report};

/// Every command of every file in the folder, once.
fn commands(folder: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|kind| kind != "jsonl") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        for line in text.lines() {
            let value: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
            let command = value.pointer("/input/command").and_then(serde_json::Value::as_str);
            found.extend(command.map(str::to_string));
        }
    }
    found
}

fn folder() -> Option<String> {
    let folder = std::env::var("TOOLGATE_DIFF_CORPUS").ok();
    if folder.is_none() {
        eprintln!("SKIPPED: TOOLGATE_DIFF_CORPUS names no folder of scripts, nothing was compared");
    }
    folder
}

/// Does bash take the text for its language?
fn bash_accepts(source: &str) -> bool {
    let child = Command::new(BASH)
        .args(["--norc", "-n"])
        .env_clear()
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else { return false };
    let _ = child.stdin.take().map(|mut input| input.write_all(source.as_bytes()));
    let Ok(output) = child.wait_with_output() else { return false };
    let errors = String::from_utf8_lossy(&output.stderr);
    output.status.success() && errors.lines().all(|line| line.contains("warning:"))
}

/// Bash looks at text in backticks, here-documents and arithmetic only when it
/// gets there, and a mistake in it is then found all the same.
fn mistakes_come_late(source: &str) -> bool {
    ["`", "$((", "<<", "${"].iter().any(|sign| source.contains(sign))
}

#[test]
fn what_bash_accepts_of_a_corpus_is_read() {
    let Some(folder) = folder() else { return };
    let commands = commands(&folder);
    let mut wrong = Vec::new();
    let mut late = 0;
    for source in &commands {
        let fault = read(source, &ReadContext::default()).fault;
        if let Some(fault) = fault.filter(|_| bash_accepts(source)) {
            let in_value = fault.message.starts_with("a value");
            if fault.kind == Unknown::Syntax && (in_value || mistakes_come_late(source)) {
                late += 1;
                eprintln!("late: {} of {source:?}", fault.message);
            } else {
                wrong.push(format!("{} of {source:?}", fault.message));
            }
        }
    }
    eprintln!(
        "{} scripts, {} refused though bash takes them, {late} found late",
        commands.len(),
        wrong.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Starts processes without end: not even in a jail.
fn floods(source: &str) -> bool {
    let reading = read(source, &ReadContext::default());
    let mut effects = reading.commands.iter().flat_map(|command| &command.effects);
    effects.any(|effect| effect.kind == EffectKind::FloodsProcesses)
}

#[test]
fn every_command_of_a_corpus_is_listed() {
    let Some(folder) = folder() else { return };
    let commands = commands(&folder);
    let run = &|status: u8| {
        let mut jail = Jail::locked(status)?;
        let mut tally = Tally::default();
        for (number, source) in commands.iter().enumerate().filter(|(_, source)| !floods(source)) {
            tally.compare(&mut jail, source, number + 1);
        }
        Some(tally)
    };
    // Once where every program succeeds, once where none does.
    let tallies: Vec<Option<Tally>> = std::thread::scope(|scope| {
        let handles = [0, 1].map(|status| scope.spawn(move || run(status)));
        handles.into_iter().map(|handle| handle.join().unwrap_or_default()).collect()
    });
    let mut all = Tally::default();
    for tally in tallies {
        let Some(tally) = tally else {
            eprintln!("SKIPPED: no jail of namespaces can be made here, the corpus was not run");
            return;
        };
        all.add(tally);
    }
    report("corpus", commands.len() * 2, all);
}
