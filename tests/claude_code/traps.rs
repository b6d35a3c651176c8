//! The story the escalation traps began with (S0): a browser server cannot be reached because its address is wrong, and
//! the agent sets out to install browsers. Played with the real Claude Code.

use crate::gate::gated;
use crate::hooks::Level;
use crate::model::{Script, bash, say};
use std::io::{Read, Write};
use std::net::TcpListener;

/// A browser server that is well.
fn browser_server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 1024]);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
        }
    });
    port
}

/// A port where nothing listens.
fn closed_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port()
}

/// A failed connection, an attempted browser install: the gate makes the check, the agent reads that the endpoint is
/// wrong, mends the setting, and only then does the same call run.
#[test]
fn a_browser_install_waits_for_the_right_endpoint() {
    let (right, wrong) = (browser_server(), closed_port());
    let mend = format!("sed -i s/{wrong}/{right}/ config/app.toml");
    let install = "npx playwright install chromium";
    let script =
        Script::of([bash("npx playwright test"), bash(install), bash(&mend), bash(install), say("bye")]);
    let Some(stage) = gated(Level::Project, "version: 1\n", script) else { return };
    stage.write(
        ".toolgate/knowledge.toml",
        &format!(
            r#"
[endpoints.playwright]
name = "Playwright Server"
default_url = "http://localhost:{right}"
config_key = "PLAYWRIGHT_SERVER_URL"
health_check = "/json/version"

[[config_patterns]]
file = "config/app.toml"
"#
        ),
    );
    stage.write("config/app.toml", &format!("PLAYWRIGHT_SERVER_URL = \"http://localhost:{wrong}\"\n"));
    stage.program(
        "npx",
        &format!(
            "if [ \"$2\" = install ]; then touch installed.txt; exit 0; fi\n\
             echo 'Failed to connect to Playwright server: connect ECONNREFUSED 127.0.0.1:{wrong}' >&2; exit 1"
        ),
    );
    stage.play();
    let (failed, is_error) = stage.model.result(1);
    assert!(is_error && failed.contains("ECONNREFUSED"), "{failed}");
    let (told, is_error) = stage.model.result(2);
    assert!(is_error, "{told}");
    for part in [
        "PrerequisiteFailed: Test connectivity to configured endpoint",
        &format!("nothing answers at http://localhost:{wrong}"),
        "`PLAYWRIGHT_SERVER_URL` in `config/app.toml` says so",
        &format!("`.toolgate/knowledge.toml` lists Playwright Server at http://localhost:{right}"),
    ] {
        assert!(told.contains(part), "`{part}` is not in: {told}");
    }
    let (ran, is_error) = stage.model.result(4);
    assert!(!is_error, "{ran}");
    assert!(stage.has("installed.txt"), "the install did not run after the fix");
    let logged = stage.toolgate(&["logs", "--all"], "");
    assert!(logged.contains("not met  Test connectivity to configured endpoint"), "{logged}");
    stage.toolgate(&["ledger", "verify"], "");
}
