//! A policy, a call, and what the gate would say: nothing is written, nothing
//! is recorded.

use super::{Page, page};
use crate::access::Session;
use crate::failure::Failure;
use crate::inbox::on_blocking_thread;
use crate::{App, Shared};
use askama::Template;
use axum::extract::rejection::FormRejection;
use axum::extract::{Extension, Form, State};
use serde::Deserialize;
use serde_json::{Value, json};
use toolgate_core::{Event, EventKind, visible};
use toolgate_runtime::{Scene, load_with};

/// What is in the fields at first.
const CALL: &str = "git push --force origin main";

#[derive(Template)]
#[template(path = "playground.html")]
struct PlaygroundPage {
    form: String,
    policy: String,
    tool: String,
    call: String,
    verdict: String,
    text: Option<String>,
    wrong: bool,
}

/// What the form sends.
#[derive(Deserialize)]
pub(crate) struct Trial {
    form: String,
    #[serde(default)]
    policy: String,
    #[serde(default)]
    tool: String,
    #[serde(default)]
    call: String,
}

/// The project's own policy and an example call.
pub(crate) async fn playground(State(app): State<Shared>, Extension(session): Extension<Session>) -> Page {
    let policy = on_blocking_thread(&app, |app| {
        let [.., own] = app.setup.dirs.policy_files(&app.setup.project);
        Ok(std::fs::read_to_string(own).unwrap_or_else(|_| "version: 1\nrules: []\n".to_owned()))
    });
    page(&PlaygroundPage {
        form: session.form,
        policy: policy.await?,
        tool: "Bash".to_owned(),
        call: CALL.to_owned(),
        verdict: String::new(),
        text: None,
        wrong: false,
    })
}

/// What the gate would say.
pub(crate) async fn judged(
    State(app): State<Shared>,
    Extension(session): Extension<Session>,
    form: Result<Form<Trial>, FormRejection>,
) -> Page {
    let Form(trial) = form.map_err(|wrong| {
        Failure::of_body(
            wrong.status(),
            wrong.body_text(),
            "Open the page again and send the form from there.",
        )
    })?;
    session.check(&trial.form)?;
    let Trial { policy, tool, call, .. } = trial;
    let given = (policy.clone(), tool.clone(), call.clone());
    let result = on_blocking_thread(&app, move |app| Ok(tried(app, &given.0, &given.1, &given.2))).await?;
    let wrong = result.is_err();
    let (verdict, text) = result.unwrap_or_else(|fault| ("not judged".to_owned(), fault));
    page(&PlaygroundPage { form: session.form, policy, tool, call, verdict, text: Some(text), wrong })
}

/// The verdict and its explanation, or why there is none.
fn tried(app: &App, policy: &str, tool: &str, call: &str) -> Result<(String, String), String> {
    let tool = if tool.trim().is_empty() { "Bash" } else { tool.trim() };
    let input: Value = if tool == "Bash" {
        json!({ "command": call.replace("\r\n", "\n") })
    } else {
        serde_json::from_str(call).map_err(|error| format!("the input is not JSON: {error}"))?
    };
    let setup = &app.setup;
    let dir = setup.project.to_string_lossy();
    let loaded = load_with(&setup.dirs, &setup.project, &policy.replace("\r\n", "\n")).map_err(|faults| {
        let all: Vec<String> = faults.iter().map(|fault| visible(&fault.render())).collect();
        all.join("\n\n")
    })?;
    let call = (app.callbacks.call)(tool, input, &dir)?;
    let scene = Scene::of(setup, loaded.policy);
    let event = Event { kind: EventKind::PreExecution, call, log: None, output: None };
    Ok((app.callbacks.explain)(&scene, &event))
}
