//! One tab of a Chromium, driven through a pipe by its DevTools protocol: JSON with a zero byte behind it.
//!
//! Nothing here sleeps: a command is over when its answer has come, a page when it says it was loaded, and
//! what a page does by itself is waited for inside it.

use crate::chromium::chromium;
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use tempfile::TempDir;

/// The browser takes its commands from file 3 and answers on file 4.
/// One that hangs is ended, so that a test fails and does not stand still.
const PIPED: &str =
    r#"exec timeout --foreground -s KILL 600 "$0" "$@" 3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null"#;

/// What a person has in front of them.
#[derive(Clone, Copy, Debug)]
pub enum Screen {
    Light,
    Dark,
    Phone,
}

/// A browser with one tab; ends with the test.
pub struct Tab {
    child: Child,
    input: RefCell<ChildStdin>,
    output: RefCell<BufReader<ChildStdout>>,
    /// Events that came while an answer was waited for.
    events: RefCell<VecDeque<Value>>,
    last: Cell<u64>,
    session: RefCell<Option<String>>,
    _profile: TempDir,
}

impl Drop for Tab {
    fn drop(&mut self) {
        // Its pipe closed, the browser ends by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Tab {
    /// Opens a browser, or says why not and returns `None`.
    #[track_caller]
    pub fn open() -> Option<Tab> {
        let program = chromium()?;
        let profile = TempDir::with_prefix("toolgate-browser-").expect("a temporary folder");
        let mut command = Command::new("sh");
        command.args(["-c", PIPED]).arg(program);
        command.args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars"]);
        command.args(["--disable-background-networking", "--disable-component-update", "--disable-sync"]);
        command.arg("--remote-debugging-pipe").arg(format!("--user-data-dir={}", profile.path().display()));
        command.arg("about:blank").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("a shell");
        let input = RefCell::new(child.stdin.take().expect("a pipe"));
        let output = RefCell::new(BufReader::new(child.stdout.take().expect("a pipe")));
        let tab = Tab {
            child,
            input,
            output,
            events: RefCell::default(),
            last: Cell::new(0),
            session: RefCell::default(),
            _profile: profile,
        };
        let target = tab.say("Target.createTarget", &json!({ "url": "about:blank" }));
        let wanted = json!({ "targetId": target["targetId"], "flatten": true });
        let session = tab.say("Target.attachToTarget", &wanted);
        tab.session.replace(session["sessionId"].as_str().map(str::to_owned));
        tab.say("Page.enable", &json!({}));
        tab.say("Network.enable", &json!({}));
        tab.screen(Screen::Light);
        Some(tab)
    }

    /// One command of the protocol, to its answer.
    #[track_caller]
    pub fn say(&self, method: &str, params: &Value) -> Value {
        let id = self.last.get() + 1;
        self.last.set(id);
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = &*self.session.borrow() {
            message["sessionId"] = json!(session);
        }
        let mut input = self.input.borrow_mut();
        input.write_all(format!("{message}\0").as_bytes()).expect("the browser listens");
        input.flush().expect("the browser listens");
        loop {
            let mut answer = self.read();
            if answer["id"] == json!(id) {
                assert!(answer.get("error").is_none(), "{method} {params}: {answer}");
                return answer["result"].take();
            }
            self.events.borrow_mut().push_back(answer);
        }
    }

    fn read(&self) -> Value {
        let mut bytes = Vec::new();
        self.output.borrow_mut().read_until(0, &mut bytes).expect("the browser answers");
        assert_eq!(bytes.pop(), Some(0), "the browser has ended");
        serde_json::from_slice(&bytes).expect("JSON")
    }

    /// Forgets what happened so far.
    fn forget(&self) {
        self.events.borrow_mut().clear();
    }

    /// Waits for the next event of that name.
    pub fn await_event(&self, method: &str) -> Value {
        loop {
            let known = self.events.borrow_mut().pop_front();
            let event = known.unwrap_or_else(|| self.read());
            if event["method"] == json!(method) {
                return event["params"].clone();
            }
        }
    }

    /// Does something that leads to another page, and waits until that is there.
    pub fn leads_on(&self, kind: impl FnOnce(&Tab)) {
        self.forget();
        kind(self);
        self.await_event("Page.loadEventFired");
    }

    /// Opens an address.
    pub fn go(&self, url: &str) {
        self.leads_on(|tab| {
            let said = tab.say("Page.navigate", &json!({ "url": url }));
            assert!(said.get("errorText").is_none(), "{url}: {said}");
        });
    }

    /// The value of an expression in the page; a promise is waited for.
    #[track_caller]
    pub fn eval(&self, expression: &str) -> Value {
        let wanted = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let mut said = self.say("Runtime.evaluate", &wanted);
        assert!(said.get("exceptionDetails").is_none(), "{expression}: {said}");
        said["result"]["value"].take()
    }

    /// Whether an expression is true in the page.
    #[track_caller]
    pub fn is(&self, expression: &str) -> bool {
        self.eval(&format!("Boolean({expression})")) == json!(true)
    }

    /// Waits, in the page, until an expression is true.
    #[track_caller]
    pub fn until(&self, expression: &str) {
        let wait = format!(
            "new Promise((done) => {{ const until = Date.now() + 60000; \
             const look = () => ({expression}) ? done(true) : Date.now() > until ? done(false) : requestAnimationFrame(look); look(); }})"
        );
        assert_eq!(self.eval(&wait), json!(true), "never came: {expression}");
    }

    /// Presses one key.
    pub fn key(&self, key: &str) {
        let text = match key {
            "Enter" => "\r",
            "Tab" | "Escape" | "PageDown" | "End" => "",
            other => other,
        };
        let mut down = json!({ "type": "keyDown", "key": key, "text": text });
        if key.len() > 1 {
            let code = match key {
                "Enter" => 13,
                "Tab" => 9,
                "PageDown" => 34,
                "End" => 35,
                _ => 27,
            };
            down["windowsVirtualKeyCode"] = json!(code);
            down["code"] = json!(key);
        }
        self.say("Input.dispatchKeyEvent", &down);
        self.say("Input.dispatchKeyEvent", &json!({ "type": "keyUp", "key": key }));
    }

    /// Types a text where the cursor is.
    pub fn text(&self, text: &str) {
        self.say("Input.insertText", &json!({ "text": text }));
    }

    /// Clicks the middle of what a selector finds; works without scripts.
    #[track_caller]
    pub fn click(&self, selector: &str) {
        let root = self.say("DOM.getDocument", &json!({}));
        let wanted = json!({ "nodeId": root["root"]["nodeId"], "selector": selector });
        let node = json!({ "nodeId": self.say("DOM.querySelector", &wanted)["nodeId"] });
        assert_ne!(node["nodeId"], json!(0), "no `{selector}` here");
        self.say("DOM.scrollIntoViewIfNeeded", &node);
        let quad = self.say("DOM.getBoxModel", &node)["model"]["content"].clone();
        let at = |index: usize| quad[index].as_f64().expect("a place");
        let (x, y) = ((at(0) + at(4)) / 2.0, (at(1) + at(5)) / 2.0);
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1 });
            self.say("Input.dispatchMouseEvent", &event);
        }
    }

    /// Turns the page's own scripts off or on, from the next page on.
    pub fn scripts(&self, on: bool) {
        self.say("Emulation.setScriptExecutionDisabled", &json!({ "value": !on }));
    }

    /// Two frames: whatever a page does by itself after a key or a scroll is done.
    pub fn settle(&self) {
        self.eval("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))");
    }

    /// Makes the window so large.
    pub fn size(&self, width: u32, height: u32, phone: bool) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone });
        self.say("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Puts the tab on another screen.
    pub fn screen(&self, screen: Screen) {
        match screen {
            Screen::Phone => self.size(360, 740, true),
            Screen::Light | Screen::Dark => self.size(1200, 800, false),
        }
        let scheme = if matches!(screen, Screen::Dark) { "dark" } else { "light" };
        let wanted = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.say("Emulation.setEmulatedMedia", &wanted);
    }

    /// Keeps a picture of the whole page below target/.
    pub fn picture(&self, name: &str) {
        let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("screenshots");
        std::fs::create_dir_all(&folder).expect("a folder");
        let said = self.say("Page.captureScreenshot", &json!({ "captureBeyondViewport": true }));
        let text = said["data"].as_str().expect("a picture");
        std::fs::write(folder.join(format!("{name}.png")), from_base64(text)).expect("a picture");
    }
}

/// The bytes behind base64.
fn from_base64(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => u32::from(byte - b'A'),
        b'a'..=b'z' => u32::from(byte - b'a') + 26,
        b'0'..=b'9' => u32::from(byte - b'0') + 52,
        b'+' => 62,
        _ => 63,
    };
    let mut bytes = Vec::new();
    for four in text.trim_end_matches('=').as_bytes().chunks(4) {
        let bits = four.iter().fold(0, |bits, byte| bits << 6 | value(*byte)) << (6 * (4 - four.len()));
        bytes.extend(bits.to_be_bytes().into_iter().skip(1).take(four.len() - 1));
    }
    bytes
}
