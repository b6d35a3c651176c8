//! Settings in JSON whose `hooks` hold a list for each event.

use super::{CommandHost, Flat, Form, is_ours};
use crate::settings::{Node, Settings, SettingsFault, Shape, value_of};
use serde_json::{Map, Value, json};

/// The key of the settings that holds the events.
fn key(host: &CommandHost) -> &'static str {
    if matches!(host.registration.form, Form::Named) { "toolgate" } else { "hooks" }
}

fn has_version(host: &CommandHost) -> bool {
    matches!(host.registration.form, Form::Flat(form) if form.version)
}

pub(super) fn install(host: &CommandHost, before: &[u8], command: &str) -> Result<Vec<u8>, SettingsFault> {
    let mut settings = Settings::read(before)?;
    settings.begin();
    if has_version(host) && settings.root().get("version").is_none() {
        let root = settings.root();
        settings.add(&root, Some("version"), &json!(1));
    }
    if settings.root().get(key(host)).is_none() {
        let events = host.registration.events.iter();
        let item = |event: &str, matcher: Option<&str>| json!([item(host, event, matcher, command)]);
        let all = events.map(|(event, matcher)| ((*event).to_owned(), item(event, *matcher)));
        let root = settings.root();
        settings.add(&root, Some(key(host)), &Value::Object(all.collect::<Map<_, _>>()));
        return Ok(settings.into_bytes());
    }
    for (event, matcher) in host.registration.events {
        put(&mut settings, host, event, &item(host, event, *matcher, command))?;
    }
    Ok(settings.into_bytes())
}

/// One item of the list of an event.
fn item(host: &CommandHost, event: &str, matcher: Option<&str>, command: &str) -> Value {
    let limits = host.trust.as_ref().map_or(&[][..], |trust| trust.at_most);
    let limit = limits.iter().find(|(limited, _)| *limited == event).map(|(_, seconds)| *seconds);
    let timeout = limit.unwrap_or(host.registration.timeout);
    let more = match host.registration.form {
        Form::Flat(form) => return flat(form, timeout, matcher, command),
        Form::Groups(more) => more,
        _ => &[],
    };
    let mut hook = json!({ "type": "command", "command": command, "timeout": timeout });
    for (name, value) in more {
        if let Some(fields) = hook.as_object_mut() {
            fields.insert((*name).to_owned(), json!(value));
        }
    }
    match matcher {
        Some(matcher) => json!({ "matcher": matcher, "hooks": [hook] }),
        None => json!({ "hooks": [hook] }),
    }
}

fn flat(form: &Flat, timeout: u64, matcher: Option<&str>, command: &str) -> Value {
    let first = form.first.iter().map(|(name, value)| ((*name).to_owned(), json!(value)));
    let mut fields: Map<String, Value> = first.collect();
    fields.insert(form.command.to_owned(), json!(command));
    if let Some(matcher) = matcher {
        fields.insert("matcher".to_owned(), json!(matcher));
    }
    if !form.timeout.is_empty() {
        fields.insert(form.timeout.to_owned(), json!(timeout));
    }
    fields.extend(form.yes.iter().map(|name| ((*name).to_owned(), json!(true))));
    Value::Object(fields)
}

fn put(settings: &mut Settings, host: &CommandHost, event: &str, item: &Value) -> Result<(), SettingsFault> {
    let root = settings.root();
    let Some(hooks) = root.get(key(host)) else { return Ok(()) };
    if !matches!(hooks.shape, Shape::Object(_)) {
        return Err(settings.fault(hooks, "`hooks` is not an object", "make it an object"));
    }
    let Some(list) = hooks.get(event) else {
        settings.add(hooks, Some(event), &json!([item]));
        return Ok(());
    };
    if !matches!(list.shape, Shape::List(_)) {
        let why = format!("`hooks.{event}` is not a list");
        return Err(settings.fault(list, &why, "make it a list"));
    }
    match own(settings, host, list) {
        Some(at) => {
            let Some(node) = list.list().get(at) else { return Ok(()) };
            if settings.value_at(node) != *item {
                settings.replace(node, item);
            }
        }
        None => settings.add(list, None, item),
    }
    Ok(())
}

/// Which item of an event's list is ours and nothing else.
fn own(settings: &Settings, host: &CommandHost, list: &Node) -> Option<usize> {
    list.list().iter().position(|node| {
        command_of(&settings.value_at(node)).is_some_and(|command| is_ours(host.name, command))
    })
}

fn command_of(item: &Value) -> Option<&str> {
    let hook = match item.get("hooks").and_then(Value::as_array).map(Vec::as_slice) {
        Some([hook]) => hook,
        Some(_) => return None,
        None => item,
    };
    ["command", "bash"].iter().find_map(|name| hook.get(*name)?.as_str())
}

pub(super) fn uninstall(host: &CommandHost, before: &[u8]) -> Result<Option<Vec<u8>>, SettingsFault> {
    let mut settings = Settings::read(before)?;
    if events(host, before).is_empty() {
        return Ok(Some(before.to_vec()));
    }
    while remove_one(&mut settings, host) {}
    // The version is ours where it is the last key, which is where it was added.
    let root = settings.root();
    let last = root.members().last().is_some_and(|(name, _, _)| name == "version");
    if has_version(host) && last && root.members().len() > 1 {
        settings.remove(&root, root.members().len().saturating_sub(1));
    }
    let left = settings.root();
    let is_empty = left.members().iter().all(|(name, _, _)| name == "version" && has_version(host));
    Ok((!is_empty).then(|| settings.into_bytes()))
}

/// Takes one hook out, and what would be empty without it.
fn remove_one(settings: &mut Settings, host: &CommandHost) -> bool {
    let root = settings.root();
    let Some(hooks) = root.get(key(host)) else { return false };
    for (at, (_, _, list)) in hooks.members().iter().enumerate() {
        let Some(own) = own(settings, host, list) else { continue };
        match (list.list().len(), hooks.members().len()) {
            (1, 1) => settings.remove(&root, root.position(key(host)).unwrap_or_default()),
            (1, _) => settings.remove(hooks, at),
            _ => settings.remove(list, own),
        }
        return true;
    }
    false
}

pub(super) fn events(host: &CommandHost, bytes: &[u8]) -> Vec<String> {
    let Ok(value) = value_of(bytes) else { return Vec::new() };
    let lists = value.get(key(host)).and_then(Value::as_object).into_iter().flatten();
    let is_own = |list: &Value| {
        let mut items = list.as_array().into_iter().flatten();
        items.any(|item| command_of(item).is_some_and(|command| is_ours(host.name, command)))
    };
    lists.filter(|(_, list)| is_own(list)).map(|(event, _)| event.clone()).collect()
}

pub(super) fn command(host: &CommandHost, bytes: &[u8]) -> Option<String> {
    let value = value_of(bytes).ok()?;
    let (event, _) = host.registration.events.first()?;
    let list = value.get(key(host))?.get(*event)?.as_array()?;
    list.iter().filter_map(command_of).find(|command| is_ours(host.name, command)).map(str::to_owned)
}
