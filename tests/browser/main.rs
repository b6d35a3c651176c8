//! The pages of `toolgate serve` in a real Chromium: every page, every key, what works without scripts.
//!
//! Pictures of every page – light, dark, as wide as a phone – are kept below target/ by every run.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs
)]

#[path = "../program/answer.rs"]
#[allow(dead_code)]
mod answer;
#[path = "../program/house.rs"]
#[allow(dead_code)]
mod house;
#[path = "../claude_code/npm.rs"]
#[allow(dead_code)]
mod npm;
#[path = "../program/server.rs"]
#[allow(dead_code)]
mod server;

mod answers;
mod api;
mod cards;
mod chromium;
mod keys;
mod looks;
mod reading;
mod refused;
mod tab;
mod tab_of_others;

use house::{ASKED, House, TICKET};
use server::Server;
use tab::Tab;

/// A home in which something happened, its server, and a browser that came in.
pub struct Stage {
    pub house: House,
    pub server: Server,
    pub tab: Tab,
}

impl Stage {
    /// Sets the stage, or says why not and returns `None`.
    #[track_caller]
    pub fn set(house: House) -> Option<Stage> {
        let tab = Tab::open()?;
        let server = Server::start(&house);
        let stage = Stage { house, server, tab };
        // The link's page leads on to the inbox by itself.
        stage.tab.go(&stage.server.enter);
        stage.tab.await_event("Page.loadEventFired");
        Some(stage)
    }

    pub fn go(&self, path: &str) {
        self.tab.go(&format!("http://{}{path}", self.server.host));
    }

    /// Where the tab is.
    pub fn path(&self) -> String {
        self.tab.eval("location.pathname + location.hash").as_str().unwrap().to_owned()
    }
}

/// A home with one request, and its id.
pub fn asked() -> (House, String) {
    let house = House::with_policy(TICKET);
    let id = house.ask(ASKED).request();
    (house, id)
}
