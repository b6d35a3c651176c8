//! What an answer here is proven with. Wrong passphrases are counted for the
//! whole server: after a few of them none is looked at for a while.

use crate::App;
use crate::failure::Failure;
use crate::inbox::Given;
use crate::pages::time;
use axum::http::StatusCode;
use std::sync::PoisonError;
use toolgate_core::{Extent, PAUSE_MS, Proof, Request, Tries, WRONG_MAX};
use toolgate_runtime::{Approver, Desk, NotAPerson, Passphrase, now_ms, sign_answer};

/// What the ledger calls passphrases no one here knows.
const WRONG: &str = "wrong-passphrases";

impl App {
    /// The key answers are signed with, where a passphrase is set.
    pub(crate) fn key(&self) -> Result<Option<String>, Failure> {
        Ok(Approver::load(&self.setup.dirs)?.map(|approver| approver.key))
    }

    /// What shows that a person gives this answer to this request.
    pub(crate) fn proof(&self, request: &Request, reach: &Extent, given: &Given) -> Result<Proof, Failure> {
        let Some(approver) = Approver::load(&self.setup.dirs)? else { return Ok(Proof::Browser) };
        let typed = given.passphrase.as_deref().filter(|text| !text.is_empty());
        let passphrase = Passphrase::new(typed.ok_or(NotAPerson::NeedsPassphrase)?)?;
        self.tries(|tries, now_ms| tries.begin(now_ms)).map_err(later)?;
        let signed = sign_answer(&approver, &passphrase, request, given.word, reach);
        let is_wrong = matches!(signed, Err(NotAPerson::WrongPassphrase));
        let pauses = self.tries(|tries, now_ms| {
            if is_wrong {
                return tries.was_wrong(now_ms);
            }
            tries.was_right();
            false
        });
        if pauses {
            let text = format!(
                "{WRONG_MAX} wrong passphrases over HTTP, the last one for {}; none is accepted there for {} s",
                request.id,
                PAUSE_MS / 1000
            );
            Desk::open(&self.setup.dirs)?.note(request, WRONG, &text)?;
        }
        Ok(signed?)
    }

    fn tries<T>(&self, look: impl FnOnce(&mut Tries, i64) -> T) -> T {
        let now_ms = i64::try_from(self.began.elapsed().as_millis()).unwrap_or(i64::MAX);
        look(&mut self.tries.lock().unwrap_or_else(PoisonError::into_inner), now_ms)
    }
}

/// Says when.
fn later(left_ms: i64) -> Failure {
    let seconds = left_ms.saturating_add(999) / 1000;
    let at = time(now_ms().saturating_add(seconds.saturating_mul(1000)));
    let what = format!("too many wrong passphrases: try again in {seconds} s, at {at}");
    let cure = "Wait until then, or answer with `toolgate inbox` in your own terminal.";
    Failure::new(StatusCode::TOO_MANY_REQUESTS, what, cure).at("passphrase").again_in(seconds)
}
