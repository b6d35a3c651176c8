//! Finds what a project's setting says: in the environment, in the files that
//! configure it, and last in what its knowledge gives as the default.
//!
//! Only reads, only below the project, only files of a modest size.

use serde_json::Value;
use std::path::Path;
use toolgate_core::Settings;

/// Largest configuration file read.
const SIZE_MAX: u64 = 256 << 10;

/// Files that configure most projects, the strongest first.
const USUAL: &[&str] = &[
    ".env.local",
    ".env",
    ".env.development",
    "config.toml",
    "config.yaml",
    "config.yml",
    "config.json",
    "config.ini",
];

/// How deep a setting is looked for.
const DEPTH_MAX: usize = 16;

/// Where settings are looked for.
pub(crate) struct Config<'a> {
    pub project: &'a Path,
    pub settings: &'a Settings,
    pub variable: &'a dyn Fn(&str) -> Option<String>,
}

/// What a setting of a project says, by its name.
pub(crate) fn setting(project: &Path, settings: &Settings, name: &str) -> Option<String> {
    let variable = |name: &str| std::env::var(name).ok();
    Config { project, settings, variable: &variable }.find(name).map(|found| found.value)
}

/// A setting that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub key: String,
    pub value: String,
    /// Where: `the environment`, a file, or the knowledge.
    pub place: String,
}

impl Config<'_> {
    /// What a setting says; an empty one says nothing.
    pub(crate) fn find(&self, key: &str) -> Option<Found> {
        let found = |value: String, place: &str| {
            let value = value.trim().to_owned();
            (!value.is_empty()).then(|| Found { key: key.to_owned(), value, place: place.to_owned() })
        };
        if let Some(one) = (self.variable)(key).and_then(|value| found(value, "the environment")) {
            return Some(one);
        }
        let own = self.settings.knowledge.iter().flat_map(|entry| &entry.knowledge.config_patterns);
        let mut files = own.map(|one| one.file.as_str()).chain(USUAL.iter().copied());
        let in_files = files.find_map(|name| found(self.in_file(name, key)?, &format!("`{name}`")));
        in_files.or_else(|| {
            let (_, one) = self.settings.endpoints().find(|(_, one)| one.config_key == key)?;
            found(one.default_url.clone(), "`.toolgate/knowledge.toml` (the default)")
        })
    }

    /// A text with `${KEY}` in it, filled in; else the setting that is missing.
    pub(crate) fn filled(&self, text: &str) -> Result<(String, Option<Found>), String> {
        let Some((before, rest)) = text.split_once("${") else { return Ok((text.to_owned(), None)) };
        let Some((key, after)) = rest.split_once('}') else { return Ok((text.to_owned(), None)) };
        let found = self.find(key).ok_or_else(|| key.to_owned())?;
        let value = if after.starts_with('/') { found.value.trim_end_matches('/') } else { &found.value };
        Ok((format!("{before}{value}{after}"), Some(found)))
    }

    fn in_file(&self, name: &str, key: &str) -> Option<String> {
        let path = self.project.join(name);
        let about = std::fs::metadata(&path).ok()?;
        if !about.is_file() || about.len() > SIZE_MAX {
            return None;
        }
        let text = std::fs::read_to_string(path).ok()?;
        let value: Option<Value> = match name.rsplit('.').next() {
            Some("toml") => toml::from_str(&text).ok(),
            Some("yaml" | "yml") => serde_saphyr::from_str(&text).ok(),
            Some("json") => serde_json::from_str(&text).ok(),
            _ => return in_lines(&text, key),
        };
        let value = value?;
        by_path(&value, key).or_else(|| by_name(&value, key, DEPTH_MAX))
    }
}

/// `KEY=VALUE`, `export KEY="VALUE"`, `key: value`; sections of an ini file
/// come before the key with a dot.
fn in_lines(text: &str, key: &str) -> Option<String> {
    let mut section = String::new();
    let mut found = None;
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = format!("{name}.");
            continue;
        }
        let line = line.strip_prefix("export ").unwrap_or(line);
        let Some((name, value)) = line.split_once('=') else { continue };
        let name = name.trim();
        if name == key || format!("{section}{name}") == key {
            // The last one counts, as it does for those who read such files.
            found = Some(plain(value.trim()));
        }
    }
    found
}

fn plain(value: &str) -> String {
    for quote in ['"', '\''] {
        if let Some((inside, _)) = value.strip_prefix(quote).and_then(|rest| rest.split_once(quote)) {
            return inside.to_owned();
        }
    }
    value.split(" #").next().unwrap_or(value).trim().to_owned()
}

fn by_path(value: &Value, key: &str) -> Option<String> {
    key.split('.').try_fold(value, |here, part| here.get(part)).and_then(as_text)
}

fn by_name(value: &Value, key: &str, depth: usize) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    let fields = value.as_object()?;
    let own = fields.iter().find(|(name, _)| name.eq_ignore_ascii_case(key));
    own.and_then(|(_, value)| as_text(value))
        .or_else(|| fields.values().find_map(|inner| by_name(inner, key, depth)))
}

fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_found_in_every_format() {
        let dir = tempfile::tempdir().unwrap();
        for (name, text, key, expected) in [
            (".env", "# X=no\nA=1\nexport X=\"http://h:1 2\" # y\nX='later'\n", "X", Some("later")),
            (".env", "X=plain # remark\n", "X", Some("plain")),
            (".env", "XX=1\nX=\n", "X", None),
            ("config.ini", "[db]\nurl = u\n", "db.url", Some("u")),
            ("config.toml", "[db]\nurl = \"u\"\nport = 5\n", "db.url", Some("u")),
            ("config.toml", "[db]\nport = 5\n", "PORT", Some("5")),
            ("config.yaml", "db:\n  url: u\n", "url", Some("u")),
            ("config.json", "{\"a\":{\"b\":\"c\"}}", "a.b", Some("c")),
            ("config.json", "{not json", "a.b", None),
        ] {
            std::fs::write(dir.path().join(name), text).unwrap();
            let config = Config { project: dir.path(), settings: &Settings::default(), variable: &|_| None };
            assert_eq!(config.find(key).map(|one| one.value).as_deref(), expected, "{name}: {text}");
            std::fs::remove_file(dir.path().join(name)).unwrap();
        }
    }

    #[test]
    fn the_environment_is_stronger_and_addresses_are_filled_in() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(".env"), "URL=http://a:1/\n").unwrap();
        let find = |variable: &dyn Fn(&str) -> Option<String>, text: &str| {
            let config = Config { project: dir.path(), settings: &Settings::default(), variable };
            config.filled(text).map(|(text, _)| text)
        };
        assert_eq!(find(&|_| None, "${URL}/x"), Ok("http://a:1/x".to_owned()));
        assert_eq!(find(&|_| Some("http://b:2".to_owned()), "${URL}/x"), Ok("http://b:2/x".to_owned()));
        assert_eq!(find(&|_| None, "${OTHER}"), Err("OTHER".to_owned()));
        assert_eq!(find(&|_| None, "http://c:3"), Ok("http://c:3".to_owned()));
    }
}
