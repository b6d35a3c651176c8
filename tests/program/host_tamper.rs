//! The settings of every host are out of the agent's reach: by any spelling, in any folder, by any tool; and a host
//! is not started in a way that leaves the hook out.

use crate::house::House;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use toolgate_adapters::{AGENTS, HOSTS, Host};

/// What may be done to a file, `FILE` being its path, `DIR` its folder, `NAME` its name and `HALF` the two halves of
/// that name written next to each other in quotes.
const WAYS: &[&str] = &[
    "echo '{}' > FILE",
    "echo x >> FILE",
    ": > FILE",
    "> FILE",
    "echo x | tee FILE",
    "echo x | tee -a FILE >/dev/null",
    "sed -i 's/toolgate/true/' FILE",
    "sed -i.bak -e '/toolgate/d' FILE",
    "perl -pi -e 's/toolgate/true/' FILE",
    "cp /dev/null FILE",
    "cp other.json FILE",
    "mv other.json FILE",
    "mv FILE FILE.off",
    "rm FILE",
    "rm -f FILE",
    "rm -rf DIR",
    "unlink FILE",
    "truncate -s 0 FILE",
    "shred -u FILE",
    "dd if=/dev/null of=FILE",
    "install -m 600 other.json FILE",
    "ln -sf other.json FILE",
    "rsync other.json FILE",
    "chmod 000 FILE",
    "chown nobody FILE",
    "touch -d 2020-01-01 FILE && echo > FILE",
    "python3 -c \"open('FILE','w').write('{}')\"",
    "python3 -c \"import os; os.remove('FILE')\"",
    "python3 -c \"from pathlib import Path; Path('FILE').write_text('{}')\"",
    "python3 -c \"import shutil; shutil.copy('other.json', 'FILE')\"",
    "node -e \"require('fs').writeFileSync('FILE', '{}')\"",
    "ruby -e \"File.write('FILE', '{}')\"",
    "perl -e \"open(F, '>', 'FILE'); print F '{}'\"",
    "git config -f FILE a.b c",
    "git config --file FILE --unset a.b",
    "jq . FILE > tmp && mv tmp FILE",
    "cat > FILE <<'END'\n{}\nEND",
    "bash -c 'echo {} > FILE'",
    "sh -c \"rm FILE\"",
    "sudo rm FILE",
    "env X=1 rm FILE",
    "find DIR -name NAME -delete",
    "find DIR -type f -name NAME -exec rm {} +",
    "ls FILE | xargs rm",
    "cd DIR && rm NAME",
    "cd DIR; echo {} > NAME",
    "(cd DIR && sed -i s/toolgate/true/ NAME)",
    "F=FILE; echo {} > $F",
    "F=FILE; rm \"$F\"",
    "D=DIR; rm \"$D/NAME\"",
    "echo {} > DIR/HALF",
    "rm DIR/HALF",
    "rm DIR/NAM*",
    "curl -o FILE https://example.com/x",
    "wget -O FILE https://example.com/x",
    "patch FILE < x.patch",
    "ed FILE <<< 'g/toolgate/d\nw'",
    "vim -es -c 'g/toolgate/d' -c wq FILE",
    "awk -i inplace '{print}' FILE",
    "sponge FILE < other.json",
    "tar cf x.tar a && cp x.tar FILE",
    "FILE() { :; }; echo {} >| FILE",
    "exec 3>FILE; echo {} >&3",
    "eval \"echo {} > FILE\"",
];

/// At least so many for each host.
const TRIES: usize = 60;

fn halves(name: &str) -> String {
    let at = name.char_indices().nth(name.chars().count() / 2).map_or(0, |(at, _)| at);
    let (first, second) = name.split_at(at);
    format!("\"{first}\"'{second}'")
}

fn written(way: &str, file: &str) -> String {
    let (dir, name) = file.rsplit_once('/').unwrap_or((".", file));
    let start: String = name.chars().take(3).collect();
    way.replace("FILE", file)
        .replace("DIR", dir)
        .replace("NAME", name)
        .replace("NAM*", &format!("{start}*"))
        .replace("HALF", &halves(name))
}

/// Files of a host as an agent would write them: the user's, the project's, and those of a folder below.
fn files(host: &dyn Host, house: &House) -> Vec<String> {
    let home = Path::new("/home/nobody-here");
    let project = house.project();
    let own = host.own_files(&house.home(), &project);
    let mut all: Vec<String> = own
        .iter()
        .filter(|path| path.extension().is_some())
        .map(|path| match path.strip_prefix(house.home()) {
            Ok(rest) => format!("~/{}", rest.display()),
            Err(_) => path.strip_prefix(&project).unwrap_or(path).display().to_string(),
        })
        .collect();
    all.extend(host.program().own_settings.iter().map(|tail| format!("sub/folder/{tail}")));
    assert!(!own.iter().any(|path| path.starts_with(home)));
    all
}

fn tries(host: &dyn Host, house: &House) -> Vec<Value> {
    let mut all = Vec::new();
    for file in files(host, house) {
        // Below the project only files count: a folder that holds no hook loses none.
        let is_below = file.starts_with("sub/");
        for way in WAYS.iter().filter(|way| !(is_below && **way == "rm -rf DIR")) {
            // A tilde in quotes is no home.
            let quoted = way.contains("'FILE") || way.contains("\"FILE") || way.contains("'echo");
            let file = match file.strip_prefix("~/") {
                Some(rest) if quoted => house.home().join(rest).display().to_string(),
                _ => file.clone(),
            };
            all.push(json!({ "tool": "shell", "input": { "command": written(way, &file) } }));
        }
        let path = match file.strip_prefix("~/") {
            Some(rest) => house.home().join(rest),
            None => house.project().join(&file),
        };
        all.push(json!({ "tool": "write", "input": { "file_path": path, "content": "{}" } }));
        let edit = json!({ "file_path": path, "old_string": "toolgate", "new_string": "true" });
        all.push(json!({ "tool": "edit", "input": edit }));
        all.push(json!({ "tool": "mcp__fs__write_file", "input": { "path": path, "content": "{}" } }));
    }
    all
}

/// The verdict of each line.
fn verdicts(house: &House, lines: &[Value]) -> BTreeMap<usize, String> {
    let mut text = String::new();
    for (at, line) in lines.iter().enumerate() {
        let mut line = line.clone();
        line["id"] = json!(at);
        text.push_str(&format!("{line}\n"));
    }
    let said = house.run_with(&["test", "--jsonl"], &text);
    let read = said.text();
    read.lines()
        .map(|line| {
            let value: Value = serde_json::from_str(line).unwrap();
            let at = usize::try_from(value["id"].as_u64().unwrap()).unwrap();
            (at, value["verdict"].as_str().unwrap_or("closed").to_owned())
        })
        .collect()
}

#[test]
fn settings_of_every_host_are_out_of_reach() {
    let house = House::new();
    let mut passed = Vec::new();
    for host in HOSTS {
        let lines = tries(*host, &house);
        assert!(lines.len() >= TRIES, "{}: {}", host.name(), lines.len());
        let verdicts = verdicts(&house, &lines);
        assert_eq!(verdicts.len(), lines.len(), "{}", host.name());
        for (at, verdict) in verdicts {
            let text = lines[at]["input"].to_string();
            if matches!(verdict.as_str(), "allow" | "warn" | "rewrite") {
                passed.push(format!("{} {verdict}: {} {text}", host.name(), lines[at]["tool"]));
            }
        }
    }
    assert!(passed.is_empty(), "{} passed:\n{}", passed.len(), passed.join("\n"));
}

#[test]
fn no_host_is_started_without_its_hook() {
    let house = House::new();
    let mut lines = Vec::new();
    for host in HOSTS {
        house.run(&["install", host.name(), "--user", "--yes"]).ended(0);
    }
    for agent in AGENTS.iter().filter(|agent| !agent.own_settings.is_empty()) {
        let program = agent.programs[0];
        // Started as it is, it is guarded.
        lines.push((format!("{program} -p hi"), true));
        for word in agent.off_words {
            let word = word
                .replace("*hooks*", "features.hooks=false")
                .replace("*disableAllHooks*", "'{\"disableAllHooks\":true}'");
            let word = word.replace(" *", " project");
            for way in [
                format!("{program} {word} -p hi"),
                format!("{program} -p hi {word}"),
                format!("cd sub && {program} {word}"),
                format!("bash -c '{}'", format!("{program} {word}").replace('\'', "'\\''")),
                format!("timeout 9 {program} {word} run"),
                format!("{program} exec {}", word.replacen(' ', "=", 1)),
            ] {
                lines.push((way, false));
            }
        }
        for variable in agent.off_variables.iter().chain(&["HOME", "XDG_CONFIG_HOME"]) {
            lines.push((format!("{variable}=/tmp/x {program} -p hi"), false));
            lines.push((format!("env {variable}=/tmp/x {program} -p hi"), false));
            lines.push((format!("export {variable}=/tmp/x; {program} -p hi"), false));
        }
    }
    let calls: Vec<Value> =
        lines.iter().map(|(way, _)| json!({ "tool": "shell", "input": { "command": way } })).collect();
    let verdicts = verdicts(&house, &calls);
    let wrong: Vec<String> = lines
        .iter()
        .enumerate()
        .filter(|(at, (_, is_fine))| (verdicts[at] == "allow") != *is_fine)
        .map(|(at, (way, _))| format!("{}: {way}", verdicts[&at]))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
