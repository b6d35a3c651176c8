//! Calls of tools before they run: judged, and passed on, answered or held.

use super::{Asked, HELD_MAX, Held, Open, OwnList, Proxy, Waiting};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use toolgate_adapters::mcp::{
    Id, JudgedCall, call_event, denied_result, envelope, error_answer, judged_call, listing_request,
    read_event, with_arguments,
};
use toolgate_core::{Event, HostAnswer, PinState, Standing};
use toolgate_runtime::{Broken, Gate};

/// States of repeated calls that are remembered.
const CONTINUED_MAX: usize = 1024;

impl Proxy {
    pub(super) fn call(&mut self, line: &[u8], id: Id, id_text: &str, params: Option<&str>) {
        let call = match judged_call(params) {
            Ok(call) => call,
            Err(why) => {
                self.note("mcp-refused", &format!("a call was not passed on: {why}"));
                let text = format!(
                    "Blocked by Toolgate: this call cannot be judged, because {why}. Repeat it with each argument once."
                );
                return self.deny(id_text, &text, false);
            }
        };
        if !self.is_listed && !self.standings.contains_key(&call.tool) {
            return self.list_first(line, id, &call);
        }
        self.judge(line, id, id_text, &call);
    }

    fn deny(&mut self, id_text: &str, text: &str, is_modern: bool) {
        let answer = denied_result(id_text, text, is_modern);
        self.send_client(answer.as_bytes());
    }

    /// A tool whose definition is not known is looked up first.
    fn list_first(&mut self, line: &[u8], id: Id, call: &JudgedCall) {
        let waiting = Waiting { line: line.to_vec(), id };
        if let Some(own) = &mut self.own {
            return own.waiting.push(waiting);
        }
        self.listing = toolgate_core::Listing::default();
        self.ask_for_list(None, call.meta.clone(), vec![waiting]);
    }

    pub(super) fn ask_for_list(&mut self, cursor: Option<&str>, meta: Option<String>, waiting: Vec<Waiting>) {
        self.own_count += 1;
        // A client does not guess the session, so its ids are others.
        let name = format!("toolgate-{}-{}", self.options.session, self.own_count);
        let request = listing_request(&name, cursor, meta.as_deref());
        self.own = Some(OwnList { id: Id::Text(name), meta, since: Instant::now(), waiting });
        self.send_server(request.as_bytes());
    }

    /// Goes on with the calls that waited for the list.
    pub(super) fn release(&mut self, waiting: Vec<Waiting>) {
        for one in waiting {
            let Ok(text) = String::from_utf8(one.line) else { continue };
            let Ok(found) = envelope(&text) else { continue };
            let Some(id_text) = found.id_text else { continue };
            if let Ok(call) = judged_call(found.params) {
                self.judge(text.as_bytes(), one.id, id_text, &call);
            }
        }
    }

    fn judge(&mut self, line: &[u8], id: Id, id_text: &str, call: &JudgedCall) {
        let (server, dir) = (self.options.server.name.clone(), self.options.dir.clone());
        let mut event = call_event(call, &server, (&self.host, &self.options.session), &dir);
        event.call.id = Some(self.call_id(call.state.as_deref()));
        let unlisted = || Standing { state: None, why: None, server };
        event.call.standing =
            Some(Box::new(self.standings.get(&call.tool).cloned().unwrap_or_else(unlisted)));
        let is_modern = call.meta.is_some();
        let decided = self.gate.refresh().and_then(|()| self.gate.decide_at_once(&event));
        match decided {
            Ok(Some(answered)) => {
                let event = Event { call: answered.decision.event.call.clone(), ..event };
                self.deliver(line, (id, id_text), Box::new(event), is_modern, Ok(answered.delivered));
            }
            Ok(None) => self.hold(line, id, id_text, event, is_modern),
            Err(broken) => self.deliver(line, (id, id_text), Box::new(event), is_modern, Err(broken)),
        }
    }

    /// The id of a call in the records. One that goes on with an earlier call has that one's, so
    /// that a person's yes to it still holds.
    fn call_id(&mut self, state: Option<&str>) -> String {
        if let Some(known) = state.and_then(|state| self.continued.remove(state)) {
            return known;
        }
        self.calls += 1;
        format!("{}-{}", self.options.session, self.calls)
    }

    /// The server wants more before it answers this call.
    pub(super) fn goes_on(&mut self, state: &str, event: &Event) {
        if self.continued.len() < CONTINUED_MAX {
            self.continued.extend(event.call.id.clone().map(|id| (state.to_owned(), id)));
        }
    }

    /// Waits for a person in a thread with a gate of its own.
    fn hold(&mut self, line: &[u8], id: Id, id_text: &str, event: Event, is_modern: bool) {
        if self.held.len() >= HELD_MAX {
            return self.deny(
                id_text,
                "Blocked by Toolgate: too many calls wait for a person. Repeat this one later.",
                is_modern,
            );
        }
        let is_wanted = Arc::new(AtomicBool::new(true));
        let (setup, report) = (self.setup.clone(), self.report.clone());
        let (own_id, own_event, wanted) = (id.clone(), event.clone(), Arc::clone(&is_wanted));
        let wake = self.wake.try_clone();
        std::thread::spawn(move || {
            let asked = || -> Result<HostAnswer, Broken> {
                let (mut gate, _) = Gate::open(setup)?;
                let answered = gate.decide(&own_event)?;
                let is_there = || wanted.load(Ordering::SeqCst);
                Ok(gate.wait_while(&own_event, answered, &is_there)?.delivered)
            };
            let outcome =
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(asked)).unwrap_or_else(|_| {
                    Err(Broken::new(
                        "Toolgate crashed while judging the call",
                        "run `toolgate doctor` and report what it says",
                    ))
                });
            let _ = report.send((own_id, outcome));
            if let Ok(mut wake) = wake {
                let _ = wake.write_all(b"x");
            }
        });
        let held = Held {
            line: line.to_vec(),
            id_text: id_text.to_owned(),
            event: Box::new(event),
            is_modern,
            is_wanted,
        };
        self.held.insert(id, held);
    }

    /// Takes up the calls a person was asked about.
    pub(crate) fn take_outcomes(&mut self) {
        while let Ok((id, outcome)) = self.outcomes.try_recv() {
            // One that was cancelled meanwhile is no one's.
            if let Some(held) = self.held.remove(&id) {
                self.deliver(&held.line, (id, &held.id_text), held.event, held.is_modern, outcome);
            }
        }
    }

    /// Ends every wait: no one is there any more.
    pub(crate) fn abandon(&mut self) {
        for held in self.held.values() {
            held.is_wanted.store(false, Ordering::SeqCst);
        }
        self.held.clear();
    }

    fn deliver(
        &mut self,
        line: &[u8],
        (id, id_text): (Id, &str),
        mut event: Box<Event>,
        is_modern: bool,
        outcome: Result<HostAnswer, Broken>,
    ) {
        let (line, told) = match outcome {
            Ok(HostAnswer::Silence | HostAnswer::Approved { .. } | HostAnswer::Replaced { .. }) => {
                (line.to_vec(), None)
            }
            Ok(HostAnswer::Warned { text } | HostAnswer::Told { text }) => (line.to_vec(), Some(text)),
            Ok(HostAnswer::Modified { input, text }) => {
                let whole = std::str::from_utf8(line).unwrap_or_default();
                let params = envelope(whole).ok().and_then(|found| found.params);
                let Some(new) = params.and_then(|params| with_arguments(whole, params, &input)) else {
                    let text = format!(
                        "Blocked by Toolgate: this call must be changed and has no arguments. {text}"
                    );
                    return self.deny(id_text, &text, is_modern);
                };
                event.call.input = input;
                (new.into_bytes(), Some(text))
            }
            Ok(HostAnswer::Denied { text } | HostAnswer::Asked { text } | HostAnswer::Deferred { text }) => {
                return self.deny_event(id_text, &event, &text, is_modern);
            }
            Err(broken) => return self.deny_event(id_text, &event, &broken.to_string(), is_modern),
        };
        let what = if is_read(&event) { Asked::Read(event) } else { Asked::Call { event, told, is_modern } };
        self.open.insert(id, Open { id_text: id_text.to_owned(), what });
        self.send_server(&line);
    }

    /// A tool answers with a result, a resource can only answer with an error.
    fn deny_event(&mut self, id_text: &str, event: &Event, text: &str, is_modern: bool) {
        if is_read(event) {
            let answer = error_answer(Some(id_text), -32001, text);
            return self.send_client(answer.as_bytes());
        }
        self.deny(id_text, text, is_modern);
    }

    /// A resource that is read: judged like a call, as it may be any file or address.
    pub(super) fn read(&mut self, line: &[u8], id: Id, id_text: &str, params: Option<&str>) {
        if params.is_some_and(|params| toolgate_adapters::mcp::strict_value(params).is_none()) {
            return self.refuse(Some(id_text), -32600, "its `params` have a member twice");
        }
        let mut event = self.read_event("resources/read", params);
        event.call.id = Some(self.call_id(None));
        let decided = self.gate.refresh().and_then(|()| self.gate.decide_at_once(&event));
        match decided {
            Ok(Some(answered)) => {
                self.deliver(line, (id, id_text), Box::new(event), false, Ok(answered.delivered))
            }
            Ok(None) => self.hold(line, id, id_text, event, false),
            Err(broken) => self.deliver(line, (id, id_text), Box::new(event), false, Err(broken)),
        }
    }

    pub(super) fn read_event(&self, method: &str, params: Option<&str>) -> Event {
        let Self { options, host, .. } = self;
        let mut event =
            read_event(method, params, &options.server.name, (host, &options.session), &options.dir);
        // No tool, so there is no definition that could change.
        let server = options.server.name.clone();
        event.call.standing = Some(Box::new(Standing { state: Some(PinState::Trusted), why: None, server }));
        event
    }
}

fn is_read(event: &Event) -> bool {
    toolgate_adapters::mcp::READ_METHODS
        .iter()
        .any(|method| event.call.tool.ends_with(&format!("__{}", method.replace('/', "_"))))
}
