//! Lists of tools: compared with the pins on every list, and before the call of a
//! tool that was not listed yet.

use super::Proxy;
use toolgate_adapters::mcp::{Envelope, error_answer, list_page, with_stubs};
use toolgate_core::{Definition, INSTRUCTIONS, Listing, PinChange, PinState, PinStep, Told, one_line};
use toolgate_runtime::Broken;

/// More pages of one list are not read.
const PAGES_MAX: u64 = 200;

impl Proxy {
    /// The answer to a list the client asked for.
    pub(super) fn list_answered(
        &mut self,
        line: &[u8],
        text: &str,
        found: &Envelope<'_>,
        is_first: bool,
        id_text: &str,
    ) {
        if found.error.is_some() {
            return self.send_client(line);
        }
        if is_first {
            self.listing = Listing::default();
        }
        match self.compared(text) {
            Ok(Some((stubs, next))) => {
                self.is_listed |= next.is_none();
                if stubs.iter().all(Option::is_none) {
                    return self.send_client(line);
                }
                let new = with_stubs(text, &stubs).map(String::into_bytes);
                let failed = || {
                    error_answer(
                        Some(id_text),
                        -32603,
                        "Toolgate could not take a blocked tool out of the list",
                    )
                    .into_bytes()
                };
                self.send_client(&new.unwrap_or_else(failed));
            }
            Ok(None) => {
                self.note("mcp-dropped", "a list of tools could not be read");
                let answer = error_answer(
                    Some(id_text),
                    -32603,
                    "Toolgate did not pass the list of tools on: it cannot be read",
                );
                self.send_client(answer.as_bytes());
            }
            Err(broken) => {
                let answer = error_answer(Some(id_text), -32603, &broken.to_string());
                self.send_client(answer.as_bytes());
            }
        }
    }

    /// A page of the list the proxy asked for itself.
    pub(super) fn own_page(&mut self, text: &str) {
        let Some(own) = self.own.take() else { return };
        match self.compared(text) {
            Ok(Some((_, Some(next)))) if self.own_count < PAGES_MAX => {
                self.ask_for_list(Some(&next), own.meta, own.waiting);
            }
            Ok(Some(_)) => {
                self.is_listed = true;
                self.release(own.waiting);
            }
            // A server without a list answers with an error; its calls have no definition.
            Ok(None) => {
                self.is_listed = true;
                self.release(own.waiting);
                self.is_listed = false;
            }
            Err(broken) => self.fail_waiting(own.waiting, &broken),
        }
    }

    fn fail_waiting(&mut self, waiting: Vec<super::Waiting>, broken: &Broken) {
        for one in waiting {
            let text = String::from_utf8(one.line).unwrap_or_default();
            if let Some(id) = toolgate_adapters::mcp::envelope(&text).ok().and_then(|found| found.id_text) {
                let answer = toolgate_adapters::mcp::denied_result(id, &broken.to_string(), false);
                self.send_client(answer.as_bytes());
            }
        }
    }

    /// The list did not come: the calls go on as calls of tools that are not listed.
    pub(super) fn give_up_list(&mut self, why: &str) {
        let Some(own) = self.own.take() else { return };
        self.note("mcp-list", why);
        // A late answer is no one's.
        self.cancelled.push_back(own.id);
        let before = std::mem::replace(&mut self.is_listed, true);
        self.release(own.waiting);
        self.is_listed = before;
    }

    /// Compares a page with the pins; for each tool whether a stub takes its place.
    #[allow(clippy::type_complexity)] // what is read of one page
    fn compared(
        &mut self,
        text: &str,
    ) -> Result<Option<(Vec<Option<(String, String)>>, Option<String>)>, Broken> {
        let Some(page) = list_page(text) else { return Ok(None) };
        self.gate.refresh()?;
        let server = self.options.server.clone();
        let pins = self.gate.pins_of(&server.key)?;
        let rules = self.gate.policy().settings().pin_rules();
        let told = self.listing.page(&page.tools, &pins, rules);
        let changes: Vec<PinChange> =
            told.iter().filter_map(|one| Some(self.change(&one.tool, one.step.clone()?))).collect();
        if !changes.is_empty() {
            let context = self.context();
            self.gate.record_pins(&context, changes)?;
        }
        self.tell_news(&told);
        let stubs = told
            .iter()
            .map(|one| {
                let is_worse = one.is_repeated && !one.is_trusted();
                if !one.is_repeated || is_worse {
                    self.standings.insert(one.tool.clone(), one.standing(&server.name));
                }
                let settings = self.gate.policy().settings();
                let waits =
                    one.state == Some(PinState::Pending) && settings.leaves_pending(one.why.as_deref());
                (!one.is_trusted() && !waits).then(|| {
                    (one.tool.clone(), one.why.clone().unwrap_or_else(|| "it is not approved".to_owned()))
                })
            })
            .collect();
        Ok(Some((stubs, page.next)))
    }

    fn change(&self, tool: &str, change: PinStep) -> PinChange {
        let server = self.options.server.clone();
        PinChange {
            server: server.key,
            name: server.name,
            transport: server.transport,
            tool: tool.to_owned(),
            change,
        }
    }

    /// Tells the person what is new.
    fn tell_news(&mut self, told: &[Told]) {
        let name = self.options.server.name.clone();
        let is_new = |one: &&Told| matches!(one.step, Some(PinStep::Seen { why: None, .. }));
        let new = told.iter().filter(is_new).count();
        if new > 0 {
            let tools = if new == 1 { "1 tool".to_owned() } else { format!("{new} tools") };
            self.tell(&format!("pinned {tools} of the MCP server `{name}`; `toolgate pins list` shows them"));
        }
        for one in told.iter().filter(|one| matches!(one.step, Some(PinStep::Accepted { .. }))) {
            self.tell(&format!(
                "accepted an edit of the description of `{}` of the MCP server `{name}`",
                one.tool
            ));
        }
        for one in told.iter().filter(|one| !one.is_trusted()) {
            let why = one_line(one.why.as_deref().unwrap_or_default(), 200);
            self.tell(&format!(
                "the tool `{}` of the MCP server `{name}` is blocked: {why}; see `toolgate pins diff {name}`",
                one.tool
            ));
        }
    }

    /// The instructions a server gives to the model: pinned apart, told when they change.
    pub(super) fn pin_instructions(&mut self, text: &str) {
        let definition = Definition::of_instructions(text);
        let key = self.options.server.key.clone();
        let Ok(mut pins) = self.gate.pins_of(&key) else { return };
        let step = match pins.remove(INSTRUCTIONS).and_then(|pin| pin.trusted) {
            None => PinStep::Seen { definition, why: None },
            Some(known) if known == definition => return,
            Some(_) => {
                let name = self.options.server.name.clone();
                self.tell(&format!(
                    "the MCP server `{name}` gives other instructions to the model than before"
                ));
                PinStep::Accepted { definition }
            }
        };
        let (context, change) = (self.context(), self.change(INSTRUCTIONS, step));
        if let Err(broken) = self.gate.record_pins(&context, vec![change]) {
            self.tell(&broken.to_string());
        }
    }

    /// What the client says of itself becomes the name of the host in records.
    pub(super) fn begin(&mut self, params: Option<&str>) {
        let value: Option<serde_json::Value> = params.and_then(|params| serde_json::from_str(params).ok());
        let modern = "/_meta/io.modelcontextprotocol~1clientInfo";
        let info = value.as_ref().and_then(|value| value.get("clientInfo").or_else(|| value.pointer(modern)));
        let text = |name: &str| {
            info.and_then(|info| info.get(name)).and_then(serde_json::Value::as_str).unwrap_or_default()
        };
        let plain = |text: &str| -> String {
            text.chars()
                .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
                .take(40)
                .collect()
        };
        let (name, version) = (plain(text("name")), plain(text("version")));
        if !name.is_empty() && self.host == "mcp" {
            self.host = format!("mcp:{name}");
            let transport = self.options.server.transport.clone();
            self.note("mcp-session", &format!("client {name} {version}, command `{transport}`"));
        }
    }
}
