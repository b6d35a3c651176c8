//! `toolgate mcp` in front of a real server, as a client meets it.

use crate::house::House;
use crate::review::{PASSPHRASE, answer as review_answer, locked};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/program/mcp_server.py");

/// A client with a server behind the gate.
struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    log: PathBuf,
    calls: u64,
}

fn tool(name: &str) -> Value {
    json!({ "name": name, "description": format!("The tool {name}"), "inputSchema": { "type": "object" } })
}

fn all_tools() -> Value {
    ["echo", "env", "secret", "big", "both", "wrong_id", "noise", "die", "flood", "silent", "delete_widget"]
        .iter()
        .map(|name| tool(name))
        .collect()
}

impl Client {
    fn start(house: &House, tools: &Value, options: &[&str]) -> Client {
        house.write("tools.json", tools.to_string());
        let (list, log) = (house.project().join("tools.json"), house.root().join("server.log"));
        let words = ["mcp", "--name", "test"].iter().chain(options).copied();
        let mut words: Vec<String> = words.map(str::to_owned).collect();
        for word in ["--", "python3", SERVER, list.to_str().unwrap(), log.to_str().unwrap()] {
            words.push(word.to_owned());
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut command = house.below_agent(&words);
        command.current_dir(house.project()).env("PATH", std::env::var("PATH").unwrap_or_default());
        command.env("GITHUB_TOKEN", "x").env("OTHER_TOKEN", "y");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Client { child, input, output, log, calls: 100 }
    }

    fn begin(house: &House, tools: &Value) -> Client {
        let mut client = Client::start(house, tools, &[]);
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "probe", "version": "1" } });
        let began =
            client.request(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }));
        assert_eq!(began["result"]["instructions"], "Be kind.");
        client
    }

    fn send(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_bytes()).unwrap();
        input.write_all(b"\n").unwrap();
    }

    /// The next line, byte for byte.
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end_matches('\n').to_owned()
    }

    fn answer(&mut self) -> Value {
        let line = self.line();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("not JSON: {line}"))
    }

    fn request(&mut self, message: &Value) -> Value {
        self.send(&message.to_string());
        self.answer()
    }

    fn call(&mut self, name: &str, arguments: &Value) -> Value {
        self.calls += 1;
        self.request(&json!({ "jsonrpc": "2.0", "id": self.calls, "method": "tools/call",
            "params": { "name": name, "arguments": arguments } }))
    }

    fn list(&mut self) -> Value {
        self.request(&json!({ "jsonrpc": "2.0", "id": "l", "method": "tools/list", "params": {} }))
    }

    /// What reached the server.
    fn reached(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Ends the session; the exit code.
    fn end(mut self) -> i32 {
        self.input = None;
        let mut rest = String::new();
        while self.output.read_line(&mut rest).unwrap_or(0) > 0 {}
        self.child.wait().unwrap().code().unwrap_or(-1)
    }
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}"))
}

#[test]
fn calls_run_and_are_recorded_first() {
    let house = House::new();
    let mut client = Client::begin(&house, &all_tools());
    assert_eq!(client.list()["result"]["tools"], all_tools());
    let line = r#"{"jsonrpc": "2.0", "method":"tools/call", "id":1.0,"params": {"name":"echo","arguments":{"message":"h\u00ef", "n":1.0}, "_meta":{"x":1}} }"#;
    client.send(line);
    assert_eq!(
        client.line(),
        r#"{"result":{"content":[{"type":"text","text":"Echo: h\u00ef"}]},"jsonrpc":"2.0","id":1.0}"#
    );
    assert!(client.reached().lines().any(|one| one == line), "the very bytes");
    assert_eq!(client.end(), 0);
    let records = house.records();
    let at = |entry: &str| {
        records
            .iter()
            .position(|one| one["entry"]["entry"] == entry && one["entry"]["tool"] == "mcp__test__echo")
            .unwrap()
    };
    assert!(at("decided") < at("resulted"));
    let context = &records[at("decided")]["context"];
    assert_eq!(context["host"], "mcp:probe");
    assert!(context["session"].as_str().unwrap().starts_with("mcp-test-"));
    house.run(&["ledger", "verify"]).ended(0);
}

#[test]
fn a_blocked_call_is_a_result_the_model_can_read() {
    let house = House::with_policy(
        "version: 1\nrules:\n  - { id: no-echo, name: x, kind: block, match: { tool: mcp__test__echo }, reason: Echo is out, remediation: whistle }\n",
    );
    let mut client = Client::begin(&house, &all_tools());
    let answer = client.call("echo", &json!({ "message": "hi" }));
    assert_eq!(answer["result"]["isError"], true);
    assert!(text(&answer).contains("Echo is out") && text(&answer).contains("histle"), "{answer}");
    assert_eq!(answer["result"]["_meta"]["toolgate/blocked"], true);
    assert!(!client.reached().contains("\"hi\""));
    // An unknown tool is something else.
    let unknown = client.call("nope", &json!({}));
    assert_eq!(unknown["error"]["code"], -32602);
    // The newer protocol wants its results marked.
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" });
    let modern = client.request(&json!({ "jsonrpc": "2.0", "id": 5, "method": "tools/call",
        "params": { "name": "echo", "arguments": {}, "_meta": meta } }));
    assert_eq!(
        (modern["result"]["resultType"].as_str(), &modern["result"]["isError"]),
        (Some("complete"), &json!(true))
    );
    client.end();
}

#[test]
fn a_call_that_needs_a_person_becomes_a_ticket_and_runs_once_approved() {
    let house = locked();
    let mut client = Client::begin(&house, &all_tools());
    let asked = client.call("delete_widget", &json!({ "name": "w" }));
    assert!(
        text(&asked).contains("service-destroys") && text(&asked).contains("toolgate inbox approve"),
        "{asked}"
    );
    assert!(!client.reached().contains("delete_widget"));
    let id = text(&asked).split("Request ").nth(1).unwrap().split(' ').next().unwrap().to_owned();
    review_answer(&house, "approve", &id, PASSPHRASE).ended(0);
    // The test server does not know it, which is its own answer.
    assert_eq!(client.call("delete_widget", &json!({ "name": "w" }))["error"]["code"], -32602);
    assert!(
        text(&client.call("delete_widget", &json!({ "name": "w" }))).contains("toolgate inbox approve"),
        "once"
    );
    client.end();
}

#[test]
fn messages_that_can_be_read_in_two_ways_go_nowhere() {
    let house = House::new();
    let mut client = Client::begin(&house, &all_tools());
    for (line, code) in [
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"echo"}}"#,
            -32600,
        ),
        (r#"{"jsonrpc":"2.0","id":1,"Method":"tools/call","params":{"name":"echo"}}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"Tools/Call","params":{"name":"echo"}}"#, -32600),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}]"#, -32600),
        (r#"{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"echo"}}"#, -32600),
        (r#"{jsonrpc:"2.0",id:1,method:"tools/call",params:{name:"echo"}}"#, -32700),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}"#, -32700),
    ] {
        client.send(line);
        let answer = client.answer();
        assert_eq!(answer["error"]["code"], code, "{line} {answer}");
    }
    for params in [
        r#"{"name":"echo","name":"die"}"#,
        r#"{"name":"echo","arguments":{"message":"a","message":"b"}}"#,
        r#"{"name":"echo","arguments":{"message":"a","Message":"b"}}"#,
        r#"{"name":"echo","arguments":[]}"#,
    ] {
        client.send(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#));
        let answer = client.answer();
        assert!(text(&answer).contains("cannot be judged"), "{params} {answer}");
    }
    // A call no one could be told about is not passed on, and what follows is answered.
    client.send(r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo"}}"#);
    client.send(r#"{"jsonrpc":"2.0","id":9,"method":"#);
    assert_eq!(client.request(&json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" }))["id"], 2);
    assert!(!client.reached().contains("echo"), "{}", client.reached());
    client.end();
}

#[test]
fn odd_answers_of_the_server_are_contained() {
    let house = House::new();
    let mut client = Client::begin(&house, &all_tools());
    let both = client.call("both", &json!({}));
    assert!(text(&both).contains("both a result and an error"), "{both}");
    assert_eq!(text(&client.call("wrong_id", &json!({}))), "right");
    client.send(r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"noise"}}"#);
    assert_eq!(client.line(), "plain text");
    assert_eq!(text(&client.answer()), "after noise");
    let big = client.call("big", &json!({ "size": 10_000_000 }));
    assert!(text(&big).contains("9 MiB") && big["result"]["isError"] == true, "{big}");
    let flood = client.call("flood", &json!({}));
    assert!(text(&flood).contains("32 MiB"), "{flood}");
    assert_eq!(text(&client.call("echo", &json!({ "message": "alive" }))), "Echo: alive");
    let died = client.call("die", &json!({}));
    assert!(text(&died).contains("ended (exit status: 7)"), "{died}");
    assert_eq!(client.end(), 7);
    let records = format!("{:?}", house.records());
    for what in ["mcp-server-ended", "mcp-dropped", "no request has its id"] {
        assert!(records.contains(what), "{what}");
    }
}

#[test]
fn a_silent_server_is_told_of() {
    let house = House::new();
    let mut client = Client::start(&house, &all_tools(), &["--silence", "1"]);
    let answer = client.call("silent", &json!({}));
    assert!(text(&answer).contains("silent for 1 s"), "{answer}");
    client.end();
}

#[test]
fn secrets_are_masked_where_they_are_and_nowhere_else() {
    let house = House::new();
    let mut client = Client::begin(&house, &all_tools());
    client.list();
    let rest = "q7Zr2Kp9Wv4Xn8Tb3Jm6Hd1Fs5Lg0YcQ1w2E";
    let params = json!({ "name": "secret", "arguments": { "rest": rest } });
    client.send(&json!({ "jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": params }).to_string());
    let line = client.line();
    let start = r#"{"result":{"content":[{"type":"text","text":"before [redacted: github-token] after"},{"type":"text","text":"[Toolgate] "#;
    assert!(line.starts_with(start), "{line}");
    assert!(line.ends_with(r#"}],"n":1.0},"jsonrpc":"2.0","id":4}"#), "{line}");
    client.end();
}

#[test]
fn a_server_gets_the_variables_it_is_meant_to_get() {
    let house = House::new();
    for (options, has) in [
        (&[][..], [false, false]),
        (&["--env", "GITHUB_TOKEN"], [true, false]),
        (&["--env", "*"], [true, true]),
    ] {
        let mut client = Client::start(&house, &all_tools(), options);
        let answer = client.call("env", &json!({}));
        let names: Vec<&str> = text(&answer).split(' ').collect();
        assert!(names.contains(&"PATH"));
        assert_eq!(["GITHUB_TOKEN", "OTHER_TOKEN"].map(|name| names.contains(&name)), has, "{options:?}");
        client.end();
    }
}

#[test]
fn a_file_read_as_a_resource_is_judged_as_a_file() {
    let house = House::new();
    let mut client = Client::begin(&house, &all_tools());
    let read = |uri: &str| json!({ "jsonrpc": "2.0", "id": 6, "method": "resources/read", "params": { "uri": uri } });
    assert_eq!(client.request(&read("note://x"))["result"]["contents"][0]["text"], "content");
    house.write_user("version: 1\nreview: { delivery: ticket }\n");
    let key = format!("file://{}/.ssh/id_rsa", house.home().display());
    let answer = client.request(&read(&key));
    assert_eq!(answer["error"]["code"], -32001, "{answer}");
    assert!(!client.reached().contains("id_rsa"));
    client.end();
}

#[test]
fn a_tool_that_changes_is_blocked_until_it_is_approved() {
    let house = locked();
    let mut client = Client::begin(&house, &all_tools());
    client.list();
    client.end();
    assert!(house.run(&["pins", "verify"]).ended(0).text().contains("12 pinned, 0 not trusted"));
    // A description that says the same in other words is accepted.
    let mut tools = all_tools();
    tools[0]["description"] = json!("The echo tool.");
    let mut client = Client::begin(&house, &tools);
    assert_eq!(client.list()["result"]["tools"], tools);
    assert_eq!(text(&client.call("echo", &json!({ "message": "1" }))), "Echo: 1");
    // A parameter that is added while the server runs is not, with or without a list.
    tools[0]["inputSchema"] = json!({ "type": "object", "properties": { "note": { "type": "string" } } });
    house.write("tools.json", tools.to_string());
    let list = client.list();
    let stub = list["result"]["tools"][0]["description"].as_str().unwrap();
    assert!(stub.contains("its input schema changed since it was trusted"), "{list}");
    assert_eq!(list["result"]["tools"][1], tools[1], "the others are as they were");
    let blocked = client.call("echo", &json!({ "message": "2" }));
    assert!(
        text(&blocked).contains("is not what it was") && text(&blocked).contains("pins diff"),
        "{blocked}"
    );
    client.end();
    let mut client = Client::begin(&house, &tools);
    assert!(text(&client.call("echo", &json!({ "message": "3" }))).contains("tool-pin"));
    assert!(!client.reached().contains("\"3\""));
    let shown = house.run(&["pins", "diff", "test"]).ended(0).text();
    assert!(shown.contains("inputSchema") && shown.contains("+ ") && shown.contains("\"note\""), "{shown}");
    house.run(&["pins", "verify"]).ended(1);
    // Not by the agent.
    house.run_as_agent(&["pins", "approve", "test"]).ended(1);
    let wrong = house.run_with(&["pins", "approve", "test", "--passphrase-stdin"], "wrong horse battery\n");
    wrong.ended(1);
    house.run_with(&["pins", "approve", "test", "echo", "--passphrase-stdin"], PASSPHRASE).ended(0);
    assert_eq!(client.list()["result"]["tools"], tools);
    assert_eq!(text(&client.call("echo", &json!({ "message": "4" }))), "Echo: 4");
    house.run(&["pins", "revoke", "test", "echo"]).ended(0);
    client.list();
    assert!(text(&client.call("echo", &json!({ "message": "5" }))).contains("not approved any more"));
    client.end();
    house.run(&["ledger", "verify"]).ended(0);
    assert!(house.run(&["doctor"]).text().contains("pins"), "doctor counts them");
}

#[test]
fn strict_verification_lets_only_approved_tools_run() {
    let house = House::with_policy("version: 1\nverification: { mode: strict }\n");
    let mut client = Client::begin(&house, &all_tools());
    assert!(text(&client.call("echo", &json!({ "message": "1" }))).contains("not approved"));
    house.run(&["pins", "approve", "test"]).ended(1);
    house.run_with(&["approver", "set", "--passphrase-stdin"], PASSPHRASE).ended(0);
    house.run_with(&["pins", "approve", "test", "--passphrase-stdin"], PASSPHRASE).ended(0);
    client.list();
    assert_eq!(text(&client.call("echo", &json!({ "message": "2" }))), "Echo: 2");
    // A tool the server does not list has no definition that could be approved.
    assert!(text(&client.call("hidden", &json!({}))).contains("does not list it"));
    client.end();
}

#[test]
fn names_that_cannot_be_told_apart_are_blocked() {
    let house = House::new();
    let mut twin = tool("echo");
    twin["description"] = json!("Another one");
    let tools = json!([tool("echo"), twin, tool("big_file"), tool("big_fiIe"), { "name": "odd" }]);
    let mut client = Client::begin(&house, &tools);
    let list = client.list();
    let described = |at: usize| list["result"]["tools"][at]["description"].as_str().unwrap().to_owned();
    assert!(
        described(1).contains("two tools of this name") && described(3).contains("looks like `big_file`"),
        "{list}"
    );
    assert!(described(4).contains("no input schema"));
    assert!(text(&client.call("echo", &json!({ "message": "1" }))).contains("two tools of this name"));
    assert!(text(&client.call("big_fiIe", &json!({}))).contains("looks like"));
    client.end();
}

#[test]
fn the_servers_of_a_client_go_behind_the_gate_and_come_back() {
    let house = House::new();
    let text = "{\n  \"mcpServers\": {\n    \"a\": { \"command\": \"npx\", \"args\": [\"-y\", \"s\"], \"env\": { \"K\": \"v\" } },\n    \"far\": { \"url\": \"https://a.example\" }\n  }\n}\n";
    house.write("mcp.json", text);
    house.run(&["install", "mcp", "mcp.json"]).ended(1);
    assert_eq!(house.read("mcp.json"), text, "not without a yes");
    let said = house.run(&["install", "mcp", "mcp.json", "--yes"]).ended(0);
    let told = said.err;
    assert!(told.contains("1 server") && told.contains("far"), "{told}");
    let new = house.read("mcp.json");
    assert!(
        new.contains("\"mcp\", \"--name\", \"a\", \"--env\", \"K\", \"--\", \"npx\", \"-y\", \"s\""),
        "{new}"
    );
    house.run(&["install", "mcp", "mcp.json", "--yes"]).ended(0);
    assert_eq!(house.read("mcp.json"), new, "once is enough");
    house.run(&["uninstall", "mcp", "mcp.json", "--yes"]).ended(0);
    assert_eq!(house.read("mcp.json"), text, "byte for byte");
    for args in
        [&["install", "mcp"][..], &["install", "mcp", "none.json"], &["install", "claude-code", "mcp.json"]]
    {
        house.run(args).ended(1);
    }
}

#[test]
fn a_tool_named_like_one_that_runs_commands_is_not_the_hosts_own() {
    let house = House::with_policy(
        "version: 1\nverification:\n  mode: strict\n  tools:\n    \"mcp__*\": { status: failed }\n    mcp__x__*: { status: pending }\n    mcp__x__read: { status: verified }\n",
    );
    let verdict = |tool: &str, input: &Value| {
        let line = json!({ "id": "1", "tool": tool, "input": input, "cwd": house.project() });
        let said = house.run_with(&["test", "--jsonl"], &line.to_string());
        serde_json::from_str::<Value>(&said.text()).unwrap()["verdict"].as_str().unwrap().to_owned()
    };
    assert_eq!(verdict("mcp__x__run_command", &json!({ "command": "ls" })), "block");
    assert_eq!(verdict("mcp__x__read", &json!({ "name": "a" })), "allow");
    assert_eq!(verdict("mcp__y__read", &json!({ "name": "a" })), "block");
    assert_eq!(verdict("Read", &json!({ "file_path": "a" })), "allow");
}
