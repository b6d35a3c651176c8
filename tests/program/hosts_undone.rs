//! Every host installed at every level and taken out again: each file has the bytes it had.

use crate::house::House;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use toolgate_adapters::{HOSTS, Level, host};

/// Settings people have written by hand: odd indentation, hooks of others, no line end.
const JSON: &[&str] = &[
    "{\n   \"theme\" : \"dark\",\n      \"hooks\": {\n  \"PreToolUse\": [ {\"matcher\": \"Bash\",\n    \"hooks\": [{\"type\":\"command\",\"command\":\"other-guard check\"}] }\n ]\n},\n\t\"list\": [1,\n2 ]\n}",
    "{\"hooks\":{},\"a\":{\"b\":null}}\n\n",
    "{\r\n\t\"model\": \"x\"\r\n}\r\n",
    "",
    "{}\n",
];

const TOML: &[&str] = &[
    "# my settings\nmodel = \"x\"   # the good one\n\n[features]\nweb = true\n\n   [other]   \nlist = [ 1,\n  2, # two\n]\n",
    "model = 'x'",
    "",
    "# only a comment\n\n\n",
];

/// Every file below home and project but the gate's own state.
fn tree(house: &House) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    fn walk(folder: &Path, into: &mut BTreeMap<PathBuf, Option<Vec<u8>>>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                into.insert(path.clone(), None);
                walk(&path, into);
            } else {
                into.insert(path.clone(), Some(fs::read(&path).unwrap()));
            }
        }
    }
    let mut all = BTreeMap::new();
    walk(&house.home(), &mut all);
    walk(&house.project(), &mut all);
    all.retain(|path, _| ![".local", ".cache"].iter().any(|own| path.starts_with(house.home().join(own))));
    all
}

/// The settings of every host, once each.
fn settings(house: &House) -> Vec<(PathBuf, &'static str, Level)> {
    let mut all = Vec::new();
    for host in HOSTS {
        for level in host.levels() {
            all.push((host.settings_file(*level, &house.home(), &house.project()), host.name(), *level));
        }
    }
    all
}

/// Whether the hosts that read a file add their hook to such a text; a file that is all Toolgate's
/// is not written over one of somebody else.
fn takes(all: &[(PathBuf, &'static str, Level)], file: &Path, text: &str) -> bool {
    let mut of_file = all.iter().filter(|(path, _, _)| path == file);
    of_file.all(|(_, name, _)| host(name).unwrap().install(Some(text.as_bytes()), "toolgate").is_ok())
}

fn check_undone(fill: impl Fn(&Path) -> Option<&'static str>) {
    let house = House::new();
    let all = settings(&house);
    let trust = HOSTS.iter().filter_map(|host| host.trust_file(&house.home()));
    for file in all.iter().map(|(file, _, _)| file.clone()).chain(trust) {
        if let Some(text) = fill(&file).filter(|text| takes(&all, &file, text)) {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, text).unwrap();
        }
    }
    let before = tree(&house);
    let level = |level: Level| format!("--{}", level.name());
    for (file, host, at) in &all {
        house.run(&["install", host, &level(*at), "--yes"]).ended(0);
        let text = fs::read_to_string(file).unwrap();
        assert!(text.contains(&format!("hook {host}")), "{}: {text}", file.display());
        // A second time changes nothing.
        house.run(&["install", host, &level(*at), "--yes"]).ended(0);
        assert_eq!(fs::read_to_string(file).unwrap(), text, "{}", file.display());
    }
    for (_, host, at) in &all {
        house.run(&["uninstall", host, &level(*at), "--yes"]).ended(0);
    }
    let after = tree(&house);
    for (path, bytes) in &before {
        let now = after.get(path).unwrap_or_else(|| panic!("{} is gone", path.display()));
        let text = |bytes: &Option<Vec<u8>>| {
            bytes.as_deref().map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        };
        assert_eq!(text(now), text(bytes), "{}", path.display());
    }
    let more: Vec<_> = after.keys().filter(|path| !before.contains_key(*path)).collect();
    assert!(more.is_empty(), "left behind: {more:?}");
}

#[test]
fn nothing_is_left_where_nothing_was() {
    check_undone(|_| None);
}

#[test]
fn files_people_wrote_get_their_bytes_back() {
    for at in 0..JSON.len().max(TOML.len()) {
        check_undone(|file| match file.extension().and_then(|end| end.to_str()) {
            Some("json") => Some(JSON[at % JSON.len()]),
            Some("toml") => Some(TOML[at % TOML.len()]),
            _ => None,
        });
    }
}

/// What was changed in between stays; only the hook goes.
#[test]
fn later_changes_stay() {
    for host in HOSTS {
        let house = House::new();
        let file = host.settings_file(Level::User, &house.home(), &house.project());
        let is_toml = file.extension().is_some_and(|end| end == "toml");
        let before = if is_toml { TOML[0] } else { JSON[0] };
        let is_json = file.extension().is_some_and(|end| end == "json");
        let is_taken = host.install(Some(before.as_bytes()), "toolgate").is_ok();
        if !is_taken || !is_toml && !is_json {
            continue;
        }
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, before).unwrap();
        house.run(&["install", host.name(), "--user", "--yes"]).ended(0);
        let text = fs::read_to_string(&file).unwrap();
        let (changed, wanted) = if is_toml {
            (text.clone() + "\n[later]\na = 1\n", before.to_owned() + "\n[later]\na = 1\n")
        } else {
            (text.replacen("dark", "light", 1), before.replacen("dark", "light", 1))
        };
        fs::write(&file, changed).unwrap();
        house.run(&["uninstall", host.name(), "--user", "--yes"]).ended(0);
        let left = fs::read_to_string(&file).unwrap();
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
        if is_toml {
            assert_eq!(left, wanted, "{}", host.name());
        } else {
            let mut left = value(&left).unwrap();
            // A host's own mark of its format may stay.
            if value(before).unwrap().get("version").is_none() {
                left.as_object_mut().unwrap().remove("version");
            }
            assert_eq!(Some(left), value(&wanted), "{}", host.name());
        }
    }
}
