//! Every host in data: what it really sent is read as it should be, and each answer is
//! said in words it understands. The messages in `payloads/` were recorded from the
//! real programs, or written as the documents of a host say where it could not be run;
//! names of people and folders are made up.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use toolgate_adapters::{Asked, HOSTS, Host, host};
use toolgate_core::{Event, EventKind, HostAnswer, Kind};

fn payloads(host: &dyn Host) -> Vec<(String, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/payloads").join(host.name());
    let mut all: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap()))
        .collect();
    all.sort();
    all
}

fn recorded() -> impl Iterator<Item = &'static dyn Host> {
    HOSTS.iter().copied().filter(|host| !payloads(*host).is_empty())
}

fn told(asked: &Asked) -> String {
    let of = |event: &Event| {
        let call = &event.call;
        let kind = match &call.kind {
            Kind::Shell { command, field } => format!("shell {field}: {command}"),
            Kind::File { access, paths } => format!("{} {}", access.name(), paths.join(" ")),
            Kind::Files { files } => {
                let files: Vec<String> =
                    files.iter().map(|(access, path)| format!("{} {path}", access.name())).collect();
                files.join(", ")
            }
            Kind::Fetch { url } => format!("fetch {url}"),
            Kind::Mcp { server, tool } => format!("mcp {server} {tool}"),
            Kind::Handoff => "hand-over".to_owned(),
            Kind::Stop => "stop".to_owned(),
            Kind::Other => "other".to_owned(),
        };
        assert!(!call.session.is_empty() && call.dir.starts_with('/'), "{call:?}");
        let agent = if call.agent == "main" { "" } else { "  by a sub-agent" };
        format!("{:?} {}  {kind}{agent}", event.kind, call.tool)
    };
    match asked {
        Asked::Judge(event) => of(event),
        Asked::Permission(event) => format!("permission {}", of(event)),
        Asked::Result(event, said) => {
            let said =
                said.as_ref().map(|said| format!("  said {:?}", said.chars().take(40).collect::<String>()));
            format!("{}{}", of(event), said.unwrap_or_default())
        }
        Asked::Note { what, text, .. } => format!("note {what}: {text}"),
        Asked::Settings { .. } => "settings".to_owned(),
    }
}

#[test]
fn what_hosts_send_is_read() {
    for host in recorded() {
        let mut text = String::new();
        for (name, bytes) in payloads(host) {
            let read = host
                .decode(&bytes)
                .map_or_else(|error| format!("CLOSED {}", error.why), |asked| told(&asked));
            writeln!(text, "{name:<48} {read}").unwrap();
        }
        insta::assert_snapshot!(format!("read_{}", host.name()), text);
    }
}

fn before(host: &dyn Host) -> Asked {
    host.decode(host.probe("touch a", "/home/ana/project").as_bytes()).unwrap()
}

fn with_kind(asked: &Asked, kind: EventKind) -> Asked {
    let Asked::Judge(event) = asked else { panic!("{asked:?}") };
    let event = Event { kind, ..event.clone() };
    if kind == EventKind::Stop { Asked::Judge(event) } else { Asked::Result(event, None) }
}

#[test]
fn what_hosts_are_told() {
    for host in HOSTS.iter().copied().filter(|host| host.name() != "claude-code") {
        let mut text = String::new();
        let call = before(host);
        let reason = || "WHY".to_owned();
        let answers = [
            ("silence", HostAnswer::Silence),
            ("deny", HostAnswer::Denied { text: reason() }),
            ("warn", HostAnswer::Warned { text: reason() }),
            ("rewrite", HostAnswer::Modified { input: json!({ "command": "touch b" }), text: reason() }),
            ("ask", HostAnswer::Asked { text: reason() }),
            ("approve", HostAnswer::Approved { text: reason() }),
        ];
        for (name, answer) in &answers {
            writeln!(text, "{name:<14} {}", host.encode(&call, answer).stdout).unwrap();
        }
        let (after, failed, stop) = (
            with_kind(&call, EventKind::PostExecution),
            with_kind(&call, EventKind::OnError),
            with_kind(&call, EventKind::Stop),
        );
        let replaced = HostAnswer::Replaced { output: json!("CLEAN"), text: reason() };
        for (name, asked, answer) in [
            ("after", &after, &answers[2].1),
            ("after failure", &failed, &answers[2].1),
            ("replace", &after, &replaced),
            ("refuse stop", &stop, &answers[1].1),
            ("may stop", &stop, &answers[0].1),
        ] {
            writeln!(text, "{name:<14} {}", host.encode(asked, answer).stdout).unwrap();
        }
        writeln!(text, "{:<14} {}", "broken", host.broken(&call, "WHY").stdout).unwrap();
        writeln!(text, "{:<14} {}", "broken stop", host.broken(&stop, "WHY").stdout).unwrap();
        writeln!(text, "{:<14} {}", "closed", host.closed("WHY").stdout).unwrap();
        insta::assert_snapshot!(format!("told_{}", host.name()), text);
    }
}

/// One object, the denial recognised as one, and nothing else taken for one.
#[test]
fn a_denial_is_one_object_and_is_recognised() {
    for host in HOSTS {
        let asked = before(*host);
        let denied = host.encode(&asked, &HostAnswer::Denied { text: "WHY".to_owned() });
        for wire in [&denied, &host.broken(&asked, "WHY"), &host.closed("WHY")] {
            assert!(serde_json::from_str::<Value>(&wire.stdout).unwrap().is_object(), "{}", host.name());
            assert!(wire.stdout.contains("WHY"), "{}", host.name());
        }
        let code = |code: u8| Some(i32::from(code));
        assert!(host.is_denial(&denied.stdout, code(denied.code)), "{}", host.name());
        let silence = host.encode(&asked, &HostAnswer::Silence);
        assert!(!host.is_denial(&silence.stdout, code(silence.code)), "{}", host.name());
    }
}

/// What cannot be read closes, on every host.
#[test]
fn messages_that_make_no_sense_close() {
    for host in HOSTS {
        let good: Value = serde_json::from_str(&host.probe("touch a", "/p")).unwrap();
        for bytes in ["", "{", "[]", "1", "\"x\"", "{}", "null"] {
            assert!(host.decode(bytes.as_bytes()).is_err(), "{} {bytes}", host.name());
        }
        // Without any one field the call cannot be judged, unless it is only the call's id.
        for field in good.as_object().unwrap().keys() {
            let mut cut = good.clone();
            cut.as_object_mut().unwrap().remove(field);
            let read = host.decode(cut.to_string().as_bytes());
            // Kiro does not always name the session.
            let is_free = ["tool_use_id", "tool_call_id", "toolUseId", "transcript_path", "extra"]
                .contains(&field.as_str())
                || (host.name(), field.as_str()) == ("kiro", "session_id");
            assert!(is_free || read.is_err(), "{} without {field}: {read:?}", host.name());
        }
    }
}

fn program() -> &'static str {
    "\"$HOME/.local/bin/toolgate\""
}

/// How a settings file is written: files that are all the gate's take nothing else in.
fn kind_of(host: &dyn Host, file: &Path) -> &'static str {
    match file.extension().and_then(|end| end.to_str()) {
        Some("toml") => "toml",
        Some("yaml") => "yaml",
        Some("js" | "ts" | "sh") => "whole",
        _ if host.name() == "kiro" => "whole",
        _ => "json",
    }
}

#[test]
fn the_hook_goes_in_and_out_of_any_settings() {
    let json = [
        "",
        "{}",
        "{\n  \"model\": \"x\"\n}\n",
        "{\"hooks\":{\"Other\":[]},\"z\":[1,2 , 3]}",
        "\t{\r\n\t\"a\" : { } }\r\n",
    ];
    let toml = [
        "",
        "model = \"x\"\n",
        "# mine\n[a]\nb = [1,\n 2]",
        "[[hooks]]\nevent = \"Stop\"\ncommand = \"x\"\n",
    ];
    let yaml = [
        "",
        "model: x\n",
        "# mine\nmodel:\n  name: x\nlist:\n- a\n",
        "hooks:\n  other_event:\n    - {command: x}   # mine\nz: 1\n",
        "hooks:\n    pre_tool_call:   # first\n        - command: x\n          timeout: 5\n\n    # then\n    post_llm_call:\n    - command: y\nlast: [1,  2]\n",
        "a: 1\nhooks: # none yet\n",
    ];
    for host in HOSTS {
        let file = host.settings_file(host.levels()[0], Path::new("/home/ana"), Path::new("/p"));
        let is_toml = file.extension().is_some_and(|end| end == "toml");
        let texts = match kind_of(*host, &file) {
            "toml" => &toml[..],
            "yaml" => &yaml[..],
            "whole" => &["", "\n"][..],
            _ => &json[..],
        };
        for before in texts {
            let once = host.install(Some(before.as_bytes()), program()).unwrap();
            let text = String::from_utf8_lossy(&once).into_owned();
            assert_eq!(host.install(Some(&once), program()).unwrap(), once, "{} twice\n{text}", host.name());
            assert!(host.installed(&once).unwrap().ends_with(&format!(" hook {}", host.name())), "{text}");
            assert!(host.objection(Some(&once), toolgate_adapters::Ours::Yes).is_none(), "{text}");
            let gone = host.uninstall(&once).unwrap().unwrap_or_default();
            assert!(!String::from_utf8_lossy(&gone).contains("toolgate"), "{} {text}", host.name());
            // A file of the gate's own is deleted as a whole.
            let is_own = file.display().to_string().contains("toolgate");
            let plain = !is_own && (before.ends_with('\n') || !is_toml);
            if !before.trim().is_empty() && *before != "{}" && plain {
                assert_eq!(String::from_utf8_lossy(&gone), *before, "{}", host.name());
            }
        }
        let foreign = host.install(Some(b"mine"), program());
        assert!(foreign.is_err() || ["toml", "yaml"].contains(&kind_of(*host, &file)), "{}", host.name());
        let fresh = host.install(None, program()).unwrap();
        insta::assert_snapshot!(format!("settings_{}", host.name()), String::from_utf8_lossy(&fresh));
    }
}

/// What a host needs next to its settings goes in and out in the same way.
#[test]
fn companions_go_in_and_out() {
    let mut text = String::new();
    for host in HOSTS {
        for one in host.companions(Path::new("/home/ana/settings")) {
            let fresh = one.install(None, program()).unwrap();
            writeln!(text, "{} {}:\n{}", host.name(), one.file.display(), String::from_utf8_lossy(&fresh))
                .unwrap();
            assert_eq!(one.install(Some(&fresh), program()).unwrap(), fresh);
            assert_eq!(one.uninstall(&fresh).unwrap(), None);
            assert!(host.objection(Some(&fresh), toolgate_adapters::Ours::Yes).is_none());
            assert!(host.installed(&fresh).is_none());
        }
    }
    insta::assert_snapshot!("companions", text);
    let settings = host("hermes").unwrap();
    let consents = &settings.companions(Path::new("/x"))[0];
    let before = "{\n  \"approvals\": [\n    { \"event\": \"x\",  \"command\": \"y\" }\n  ]\n}\n";
    let once = consents.install(Some(before.as_bytes()), program()).unwrap();
    assert_eq!(consents.uninstall(&once).unwrap().unwrap(), before.as_bytes());
}

/// YAML in a layout that cannot be added to is refused, never guessed at.
#[test]
fn yaml_in_other_layouts_is_refused() {
    let hermes = host("hermes").unwrap();
    for before in [
        "{\"hooks\": {}}\n",
        "hooks: {}\n",
        "hooks: &a\n  b: 1\n",
        "hooks:\n\tpre_tool_call:\n",
        "hooks:\n  pre_tool_call: []\n",
        "hooks:\n- a\n",
        "hooks:\n  a:\nhooks:\n  b:\n",
    ] {
        let done = hermes.install(Some(before.as_bytes()), program());
        assert!(done.is_err(), "{before}\n{}", String::from_utf8_lossy(&done.unwrap()));
    }
}

/// A call that names its folder is judged there; the project stays where the session is.
#[test]
fn a_call_can_name_its_folder() {
    let hermes = host("hermes").unwrap();
    let probe = hermes.probe("ls", "/home/ana/project");
    for (folder, expected) in [("../other", "/home/ana/other"), ("/tmp", "/tmp"), ("", "/home/ana/project")] {
        let mut message: Value = serde_json::from_str(&probe).unwrap();
        message["tool_input"]["workdir"] = json!(folder);
        let bytes = message.to_string();
        let Asked::Judge(event) = hermes.decode(bytes.as_bytes()).unwrap() else { panic!("{bytes}") };
        assert_eq!(event.call.dir, expected);
        assert_eq!(hermes.project(bytes.as_bytes()), Some(PathBuf::from("/home/ana/project")));
    }
}

/// A rewritten list of commands is a list again, and only tools that need input are stopped without any.
#[test]
fn cline_is_told_in_the_shape_of_its_tools() {
    let cline = host("cline").unwrap();
    let asked = cline.decode(cline.probe("touch a", "/p").as_bytes()).unwrap();
    let rewritten = HostAnswer::Modified { input: json!({ "commands": "touch b" }), text: "WHY".to_owned() };
    let said = cline.encode(&asked, &rewritten).stdout;
    assert_eq!(said, r#"{"overrideInput":{"commands":["touch b"]},"context":"WHY"}"#);
    let Asked::Judge(event) = asked else { panic!() };
    let call = cline.call("fx__echo", json!({ "message": "hi" }), "/p").unwrap();
    let served = Asked::Judge(Event { call, ..event });
    let said = cline.encode(&served, &HostAnswer::Denied { text: "WHY".to_owned() }).stdout;
    assert_eq!(said, r#"{"cancel":true,"errorMessage":"WHY"}"#);
}

#[test]
fn every_host_is_found_by_its_name() {
    for one in HOSTS {
        assert_eq!(host(one.name()).unwrap().title(), one.title());
    }
}
