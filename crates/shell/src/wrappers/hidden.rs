//! Options and inputs that carry a command where one does not expect it:
//! `tar --to-command`, `rsync -e`, `psql -c '\\! …'`, `vim -c '!…'`, `sed '1e …'`.

use super::Inner;
use super::option_text::values;
use crate::reading::{Command, RedirectKind, Word};

pub(super) fn open(command: &Command) -> Vec<Inner> {
    match command.program.as_str() {
        "tar" | "gtar" | "bsdtar" => tar(command),
        "rsync" => command.usage.value("--rsh").cloned().map(Inner::text).into_iter().collect(),
        "sort" => command.usage.value("--compress-program").cloned().map(Inner::text).into_iter().collect(),
        "vi" | "vim" | "nvim" | "ex" => editor(command),
        "psql" | "mysql" | "mariadb" | "sqlite3" => escapes(command),
        "sed" | "gsed" => super::sed::open(command),
        "less" | "more" => command.words.iter().filter_map(pager_order).collect(),
        "cargo" => values(command, &["--config"]).into_iter().filter_map(cargo_setting).collect(),
        "osascript" => values(command, &["-e"]).into_iter().filter_map(apple_script).collect(),
        "gdb" | "lldb" => debugger(command),
        "nc" | "ncat" | "netcat" => ["--exec", "--sh-exec"]
            .iter()
            .filter_map(|name| command.usage.value(name))
            .cloned()
            .map(Inner::text)
            .collect(),
        _ => super::option_text::open(command),
    }
}

fn tar(command: &Command) -> Vec<Inner> {
    let usage = &command.usage;
    let mut found: Vec<Inner> = Vec::new();
    for name in ["--to-command", "--use-compress-program", "--info-script", "--rsh-command"] {
        found.extend(usage.values(name).cloned().map(Inner::text));
    }
    for action in usage.values("--checkpoint-action") {
        let text = action.text.strip_prefix("exec=").map(str::to_string);
        found.extend(text.map(|text| Inner::text(Word { text: text.into(), ..action.clone() })));
    }
    found
}

/// `gdb -ex 'shell x'`, `gdb -ex '!x'`.
fn debugger(command: &Command) -> Vec<Inner> {
    let orders = command.words.windows(2).filter_map(|pair| match pair {
        [option, text]
            if matches!(option.text.as_str(), "-ex" | "--ex" | "-iex" | "-o" | "--eval-command") =>
        {
            Some(text)
        }
        _ => None,
    });
    let run = |word: &Word| {
        let text = word.text.trim_start();
        let text = ["shell ", "!", "platform shell "].iter().find_map(|sign| text.strip_prefix(sign))?;
        Some(Inner::text(Word { text: text.into(), ..word.clone() }))
    };
    let starts = orders.clone().any(|word| matches!(word.text.as_str(), "r" | "run" | "start"));
    let program = command.words.iter().skip_while(|word| word.text != "--args").skip(1);
    let program: Vec<Word> = program.filter(|_| starts).cloned().collect();
    let started = (!program.is_empty()).then(|| Inner::words(&program));
    orders.filter_map(run).chain(started).collect()
}

/// `less '+!x' file`.
fn pager_order(word: &Word) -> Option<Inner> {
    let (_, text) = word.text.strip_prefix('+')?.split_once('!')?;
    Some(Inner::text(Word { text: text.into(), ..word.clone() }))
}

/// `cargo --config 'target.x.runner="x"'`, and other settings that name a program.
fn cargo_setting(word: Word) -> Option<Inner> {
    const NAMES: [&str; 5] = ["runner", "linker", "rustc", "rustc-wrapper", "rustc-workspace-wrapper"];
    let (key, value) = word.text.split_once('=')?;
    let name = key.trim().rsplit('.').next()?.trim_matches(['"', '\'']);
    // A list of words is one command.
    let value = value.trim().trim_matches(['[', ']']).replace("\",", "\" ").replace("',", "' ");
    NAMES
        .contains(&name)
        .then(|| Inner::text(Word { text: value.replace(['"', '\''], "").into(), ..word.clone() }))
}

/// `do shell script "x"`.
fn apple_script(word: Word) -> Option<Inner> {
    let (_, behind) = word.text.split_once("do shell script")?;
    let (text, _) = super::language::literal(behind.trim_start())?;
    Some(Inner::text(Word { text: text.into(), ..word }))
}

/// `-c '!x'`, `-c ':!x'`, `-sc '!x'` and `+!x`; also `r!x` and `call system('x')`.
fn editor(command: &Command) -> Vec<Inner> {
    let plus = command.words.iter().filter_map(|word| {
        let text = word.text.strip_prefix('+')?;
        Some(Word { text: text.into(), ..word.clone() })
    });
    // `ex -sc` and `vim -esc`: the text is the next word.
    let clustered = command.words.windows(2).filter_map(|pair| match pair {
        [option, text]
            if option.text == "--cmd"
                || option.text.len() < 6
                    && option.text.starts_with('-')
                    && !option.text.starts_with("--")
                    && option.text.ends_with('c') =>
        {
            Some(text.clone())
        }
        _ => None,
    });
    let all = clustered.chain(plus);
    let run = |word: Word| {
        if let Some(deleted) = vim_delete(&word) {
            return Some(deleted);
        }
        if let Some((_, behind)) = word.text.split_once("system(") {
            let (text, _) = super::language::literal(behind.trim_start())?;
            return Some(Inner::text(Word { text: text.into(), ..word }));
        }
        let (order, text) = word.text.split_once('!')?;
        let order = order.trim_matches([':', ' ', '%', '.', '$']);
        let order = order.trim_start_matches(|first: char| first.is_ascii_digit() || first == ',');
        let runs = matches!(order, "" | "r" | "re" | "read" | "w" | "write" | "sil" | "silent" | "execute '");
        let text = text.trim_start_matches([' ', '!']);
        runs.then(|| Inner::text(Word { text: text.into(), ..word.clone() }))
    };
    all.flat_map(|word| match word.text.trim_start_matches([':', ' ']).strip_prefix("lua ") {
        Some(text) => super::language::calls("lua", &Word { text: text.into(), ..word.clone() }),
        None => run(word).into_iter().collect(),
    })
    .collect()
}

/// `call delete("x")`, and `call delete("x", "rf")` of a folder.
fn vim_delete(order: &Word) -> Option<Inner> {
    let (before, behind) = order.text.split_once("delete(")?;
    if before.ends_with(|last: char| last.is_alphanumeric() || last == '_') {
        return None;
    }
    let (path, after) = super::language::literal(behind.trim_start())?;
    let flag = if after.contains("rf") { "-rf" } else { "-f" };
    let word = |text: &str| Word { text: text.into(), exact: true, glob: false, span: order.span };
    Some(Inner::made(vec![word("rm"), word(flag), word(&path)]))
}

/// Lines of database input that go to a shell.
fn escapes(command: &Command) -> Vec<Inner> {
    let mut found = Vec::new();
    let here = command
        .redirects
        .iter()
        .filter(|one| matches!(one.kind, RedirectKind::HereDoc | RedirectKind::HereString));
    let texts = command.words.iter().skip(1).chain(here.map(|one| &one.target));
    for word in texts {
        for line in word.text.lines() {
            let line = line.trim_start();
            let run =
                ["\\!", ".shell ", ".system ", "system "].iter().find_map(|sign| line.strip_prefix(sign));
            found.extend(run.map(|text| Inner::text(Word { text: text.into(), ..word.clone() })));
        }
        found.extend(programs_in_sql(word));
    }
    found
}

/// PostgreSQL: `COPY t FROM PROGRAM 'x'` runs it.
fn programs_in_sql(word: &Word) -> Option<Inner> {
    let lower = word.text.to_ascii_lowercase();
    let at = lower.find("copy").and_then(|copy| lower.get(copy..)?.find(" program").map(|at| copy + at))?;
    let behind = word.text.get(at + " program".len()..)?.trim_start();
    let (text, _) = super::language::literal(behind)?;
    Some(Inner::text(Word { text: text.into(), ..word.clone() }))
}
