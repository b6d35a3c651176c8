//! Processes killed at any moment, and many at once: what was answered is in the ledger, the ledger
//! is whole, and the next call works without anybody mending anything.

use crate::house::{CANARY, House};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const PROCESSES: usize = 200;
const AT_ONCE: usize = 16;

/// Small and seeded, so that a failure can be had again.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// When a process dies.
#[derive(Debug, Clone, Copy)]
enum Death {
    AtBirth,
    AfterInput(Duration),
    AfterAnswer,
}

fn death(dice: &mut Dice) -> Death {
    // Up to a second: before the first read, in the transaction, between record and answer, after it.
    let scale = 1 << (12 + dice.below(9));
    match dice.below(10) {
        0 => Death::AtBirth,
        1..7 => Death::AfterInput(Duration::from_micros(dice.below(scale))),
        _ => Death::AfterAnswer,
    }
}

fn spawn(house: &House) -> Child {
    let mut command = house.toolgate(&["hook", "claude-code"]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

/// Runs one hook and kills it; the answer, if it came whole.
fn kill_one(house: &House, number: usize, death: Death) -> Option<Value> {
    let mut child = spawn(house);
    let mut stdin = child.stdin.take().expect("stdin");
    let mut stdout = child.stdout.take().expect("stdout");
    let mut said = String::new();
    if let Death::AtBirth = death {
        child.kill().expect("kill -9");
    }
    let _ = stdin.write_all(house.event(&format!("{CANARY} {number}")).to_string().as_bytes());
    drop(stdin);
    match death {
        Death::AtBirth => {}
        Death::AfterInput(delay) => {
            let until = Instant::now() + delay;
            while Instant::now() < until {
                std::thread::yield_now();
            }
            child.kill().expect("kill -9");
        }
        Death::AfterAnswer => {
            let mut byte = [0];
            while !said.ends_with('\n') && stdout.read(&mut byte).expect("stdout") == 1 {
                said.push(char::from(byte[0]));
            }
            child.kill().expect("kill -9");
        }
    }
    stdout.read_to_string(&mut said).expect("stdout");
    child.wait().expect("it ends");
    said.ends_with('\n').then(|| serde_json::from_str(&said).expect("a whole line is a whole answer"))
}

/// The numbers of the canary calls the ledger knows, each as often as it is there.
fn recorded(house: &House) -> Vec<usize> {
    let titles =
        house.records().into_iter().filter_map(|record| record["entry"]["title"].as_str().map(str::to_owned));
    titles.filter_map(|title| title.strip_prefix(CANARY)?.trim().parse().ok()).collect()
}

#[track_caller]
fn check_whole(house: &House) {
    let said = house.run(&["ledger", "verify"]).ended(0).text();
    assert!(said.starts_with("intact: "), "{said}");
    let numbers: Vec<u64> =
        house.records().iter().map(|record| record["seq"].as_u64().expect("seq")).collect();
    let expected: Vec<u64> = (1..).take(numbers.len()).collect();
    assert_eq!(numbers, expected, "every number once, in order");
}

/// Does `work` for every number, sixteen at a time; what it gave, by number.
fn at_once<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<(usize, T)> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::SeqCst);
            if number >= count {
                return done;
            }
            done.push((number, work(number)));
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a worker")).collect()
    })
}

#[test]
fn two_hundred_killed_processes_lose_no_answer_and_leave_a_whole_ledger() {
    let house = House::new();
    let mut dice = Dice(0x70_01_9a_7e);
    let deaths: Vec<Death> = (0..PROCESSES).map(|_| death(&mut dice)).collect();
    let answers = at_once(PROCESSES, |number| kill_one(&house, number, deaths[number]));
    let answered: BTreeSet<usize> =
        answers.iter().filter(|(_, answer)| answer.is_some()).map(|(number, _)| *number).collect();
    for (number, answer) in answers.iter().filter_map(|(number, answer)| Some((number, answer.as_ref()?))) {
        let reason = answer["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap_or_default();
        assert!(reason.contains("gate-canary"), "{number}: {answer}");
    }
    check_whole(&house);
    let recorded: BTreeSet<usize> = recorded(&house).into_iter().collect();
    let lost: Vec<&usize> = answered.difference(&recorded).collect();
    assert!(lost.is_empty(), "answered and not recorded: {lost:?}");
    println!("{} answered, {} recorded, of {PROCESSES}", answered.len(), recorded.len());
    // Both sides must be there, or nothing was tried.
    assert!(
        answered.len() >= 40 && answered.len() + 40 <= PROCESSES,
        "{} of {PROCESSES} answered",
        answered.len()
    );
    assert!(house.ask(CANARY).is_canary(), "the gate works on");
    check_whole(&house);
}

#[test]
fn many_processes_at_once_record_each_call_once() {
    let house = House::new();
    let answers = at_once(PROCESSES, |number| house.ask(&format!("{CANARY} {number}")));
    assert!(answers.iter().all(|(_, answer)| answer.is_canary()), "{answers:?}");
    let mut numbers = recorded(&house);
    numbers.sort_unstable();
    assert_eq!(numbers, (0..PROCESSES).collect::<Vec<_>>());
    check_whole(&house);
}

/// Key, ledger and cache are made by whoever comes first, and there is one of each.
#[test]
fn the_first_calls_of_all_may_come_together() {
    for _ in 0..8 {
        let house = House::new();
        let answers = at_once(AT_ONCE, |number| house.ask(&format!("{CANARY} {number}")));
        assert!(answers.iter().all(|(_, answer)| answer.is_canary()), "{answers:?}");
        assert_eq!(recorded(&house).len(), AT_ONCE);
        check_whole(&house);
    }
}

/// A process that dies in the middle of a transaction keeps nobody waiting.
#[test]
fn a_killed_writer_leaves_no_lock() {
    let house = House::new();
    house.ask(CANARY);
    for number in 0..20 {
        kill_one(
            &house,
            number,
            Death::AfterInput(Duration::from_micros(u64::try_from(number).expect("small") * 500)),
        );
        let started = Instant::now();
        assert!(house.ask(CANARY).is_canary());
        assert!(started.elapsed() < Duration::from_secs(4), "somebody waited for a dead process");
    }
    check_whole(&house);
}
