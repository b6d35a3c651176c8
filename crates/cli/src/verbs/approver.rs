//! `toolgate approver`: whose yes counts. See THREATS.md for what each proof
//! is worth.

use crate::project;
use crate::screen::{json, out, talk, visible};
use crate::verbs::{Failure, Outcome, install};
use clap::Subcommand;
use serde_json::json;
use std::io::{BufRead, IsTerminal, Write};
use std::process::ExitCode;
use toolgate_adapters::AGENTS;
use toolgate_core::{Extent, Proof, Request, Word};
use toolgate_runtime::{Approver, NotAPerson, Passphrase, agent_above, askers, set_passphrase, sign_answer};

/// Set up how approvals are verified.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  toolgate approver set\n  toolgate approver show")]
pub struct Args {
    /// What to do
    #[command(subcommand)]
    pub verb: Verb,
}

/// What to do about the approver.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Set the passphrase that approvals and denials need
    Set {
        /// Read the passphrase from the first line of stdin
        #[arg(long)]
        passphrase_stdin: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show how approvals are verified
    Show {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// Does it.
pub fn run(args: &Args) -> Outcome {
    let dirs = project::dirs();
    match &args.verb {
        Verb::Show { json: as_json } => {
            let approver = Approver::load(&dirs)?;
            let key = approver.map(|approver| approver.key);
            match (as_json, &key) {
                (true, _) => json(
                    &json!({ "proof": if key.is_some() { "passphrase" } else { "terminal" }, "key": key }),
                ),
                (false, Some(key)) => out(&format!("approvals need the passphrase (key {key})")),
                (false, None) => out(
                    "anyone at a terminal can approve requests (no passphrase is set); `toolgate approver set` sets one",
                ),
            }
        }
        Verb::Set { passphrase_stdin, json: as_json } => {
            install::refuse_agent()?;
            // Changing the lock needs the old key.
            if let Some(old) = Approver::load(&dirs)? {
                let given = read("Current passphrase: ", *passphrase_stdin)?;
                let request = blank();
                sign_answer(&old, &given, &request, Word::Deny, &Extent::Once)?;
            }
            let new = read("New passphrase: ", *passphrase_stdin)?;
            // Mistyped once, no one could answer any more.
            if !*passphrase_stdin && !read("Repeat passphrase: ", false)?.is_same(&new) {
                return Err(Failure::new("the two passphrases differ", "run `toolgate approver set` again"));
            }
            let approver = set_passphrase(&dirs, &new)?;
            if *as_json {
                json(&json!({ "proof": "passphrase", "key": approver.key }));
            }
            talk("`toolgate inbox approve` and `deny` now need this passphrase");
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A request no one made: signing it only proves that the passphrase is right.
fn blank() -> Request {
    Request {
        id: String::new(),
        session: String::new(),
        agent: String::new(),
        asker: None,
        arguments: String::new(),
        tool: String::new(),
        title: String::new(),
        input: None,
        dir: String::new(),
        why: Vec::new(),
        asks: Vec::new(),
        progress: Box::default(),
        made_ms: 0,
        expires_ms: 0,
        bypass: None,
        details: Box::default(),
        reviews: Vec::new(),
        state: toolgate_core::RequestState::Pending,
    }
}

fn read(prompt: &str, from_stdin: bool) -> Result<Passphrase, Failure> {
    let text = if from_stdin {
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line)?;
        line
    } else if std::io::stdin().is_terminal() {
        rpassword::prompt_password(prompt)?
    } else {
        return Err(NotAPerson::NeedsPassphrase.into());
    };
    Ok(Passphrase::new(&text)?)
}

/// Proves that a person is here, for what is no answer to a request: by the passphrase, or at a
/// terminal by a code that is typed there.
pub fn prove_person(code: &str, what: &str, from_stdin: bool) -> Result<(), Failure> {
    if let Some(approver) = Approver::load(&project::dirs())? {
        let given = read("Passphrase: ", from_stdin)?;
        sign_answer(&approver, &given, &blank(), Word::Deny, &Extent::Once)?;
        return Ok(());
    }
    is_at_terminal()?;
    typed(code, what)
}

/// Waits for the code to be typed.
fn typed(code: &str, what: &str) -> Result<(), Failure> {
    anstream::eprint!("Type {code} to approve {what}: ");
    std::io::stderr().flush()?;
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    if line.trim() == code {
        Ok(())
    } else {
        Err(Failure::new("that is not the code; nothing was approved", "run the command again"))
    }
}

/// The proofs that a person answers all of `requests`, or why there are none.
pub fn prove(
    requests: &[Request],
    word: Word,
    reach_of: &dyn Fn(&Request) -> Extent,
    from_stdin: bool,
) -> Result<Vec<Proof>, Failure> {
    let Some(approver) = Approver::load(&project::dirs())? else {
        at_terminal(requests, word, &requests.first().map(reach_of).unwrap_or_default())?;
        return Ok(requests.iter().map(|_| Proof::Terminal).collect());
    };
    let given = read("Passphrase: ", from_stdin)?;
    let sign = |request: &Request| Ok(sign_answer(&approver, &given, request, word, &reach_of(request))?);
    requests.iter().map(sign).collect()
}

/// Without a passphrase: a terminal of one's own; and for a yes a code typed there, which no pipe of
/// ready-made answers knows. A no lets nothing happen, so it needs none.
fn at_terminal(requests: &[Request], word: Word, reach: &Extent) -> Result<(), Failure> {
    is_at_terminal()?;
    for request in requests {
        talk(&visible(&request.title));
        if let Some(input) = &request.input {
            talk(&visible(input));
        }
    }
    if word == Word::Deny {
        return Ok(());
    }
    let (code, what): (String, String) = match requests {
        [only] => (only.id.trim_start_matches("r-").chars().take(4).collect(), "this".to_owned()),
        several => ("all".to_owned(), format!("these {}", several.len())),
    };
    typed(&code, &format!("{what} ({})", visible(&reach.words())))
}

/// Fails unless this is a terminal with no agent above it.
pub fn is_at_terminal() -> Result<(), Failure> {
    if let Some(mark) = agent_above(AGENTS, &|name| std::env::var(name).ok(), &askers(&project::dirs())) {
        return Err(NotAPerson::AgentAbove { mark }.into());
    }
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Err(NotAPerson::NoTerminal.into());
    }
    Ok(())
}
