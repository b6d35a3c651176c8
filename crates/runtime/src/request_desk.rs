//! Where people sit: they look at requests, answer them, take back what they said.
//!
//! That needs the ledger, and not the policy: when a policy does not load nothing
//! runs, and a no is a no all the same. What lets something happen – a yes, or the
//! end of a no – is said under a policy or not at all.

use crate::answer::{about, record};
use crate::broken::Broken;
use crate::cache::load;
use crate::checkpoints::tidy_behind;
use crate::clock::now_ms;
use crate::dirs::Dirs;
use crate::gate::cut;
use crate::key::signing_key;
use crate::places::find_project;
use crate::private::make_private_folder;
use std::path::Path;
use toolgate_core::{Answer, Context, Entry, Handling, Request, Word};
use toolgate_store::{Sqlite, Store};

/// The ledger as people use it.
#[derive(Debug)]
pub struct Desk {
    dirs: Dirs,
    store: Sqlite,
}

/// The revision of the policy a request is asked under now.
///
/// # Errors
/// If it does not load.
pub fn policy_of(dirs: &Dirs, request: &Request) -> Result<String, Broken> {
    let project = find_project(Path::new(&request.dir));
    let (policy, _) = load(dirs, &project).map_err(Broken::from)?;
    Ok(policy.revision().to_owned())
}

impl Desk {
    /// Opens the ledger of this user.
    ///
    /// # Errors
    /// If ledger or key cannot be had.
    pub fn open(dirs: &Dirs) -> Result<Desk, Broken> {
        make_private_folder(&dirs.state)?;
        let store = Sqlite::open(&dirs.ledger(), signing_key(dirs)?)?;
        crate::clock::follow(&store)?;
        Ok(Desk { dirs: dirs.clone(), store })
    }

    /// The store behind it.
    pub fn store(&mut self) -> &mut Sqlite {
        &mut self.store
    }

    pub(crate) fn dirs(&self) -> &Dirs {
        &self.dirs
    }

    /// Records something that is about no request.
    ///
    /// # Errors
    /// If it cannot be recorded.
    pub fn note_for(&mut self, context: &Context, what: &str, text: &str) -> Result<(), Broken> {
        let entry = Entry::Noted { what: what.to_owned(), text: cut(text) };
        let mut turn = self.store.begin()?;
        let seq = turn.append(now_ms(), context, entry)?.seq;
        turn.commit()?;
        tidy_behind(&mut self.store, &self.dirs, seq);
        Ok(())
    }

    /// Whether a request can be said yes to.
    ///
    /// # Errors
    /// If its policy does not load.
    pub fn may_approve(&self, request: &Request) -> Result<(), Broken> {
        self.revision(request, Lets::Happen).map(drop)
    }

    /// Records a person's answer to a request.
    ///
    /// # Errors
    /// If it cannot be recorded, or is a yes without a policy; then it does not count.
    pub fn answer(&mut self, request: &Request, answer: Answer) -> Result<(), Broken> {
        let lets = if answer.word == Word::Deny { Lets::Nothing } else { Lets::Happen };
        let context = about(request, &self.revision(request, lets)?);
        let seq = record(&mut self.store, &context, request, answer)?;
        tidy_behind(&mut self.store, &self.dirs, seq);
        Ok(())
    }

    /// Claims a request, says something next to it, takes its answer back or
    /// ends it. What cannot be done any more changes nothing; the request as
    /// it is then comes back.
    ///
    /// # Errors
    /// If it cannot be recorded, or would end a no without a policy.
    pub fn handle(&mut self, request: &Request, by: &str, what: Handling) -> Result<Request, Broken> {
        let ends = matches!(what, Handling::Undone | Handling::Revoked);
        let is_no = request.answer().is_some_and(|(answer, _)| answer.word == Word::Deny);
        let lets = if ends && is_no { Lets::Happen } else { Lets::Nothing };
        let entry = Entry::Handled { request: request.id.clone(), by: by.to_owned(), what };
        self.append(request, lets, entry)?;
        Ok(self.store.request(&request.id)?.unwrap_or_else(|| request.clone()))
    }

    /// Records anything else about a request.
    ///
    /// # Errors
    /// If it cannot be recorded.
    pub fn note(&mut self, request: &Request, what: &str, text: &str) -> Result<(), Broken> {
        let entry = Entry::Noted { what: what.to_owned(), text: text.to_owned() };
        self.append(request, Lets::Nothing, entry)
    }

    fn append(&mut self, request: &Request, lets: Lets, entry: Entry) -> Result<(), Broken> {
        let context = about(request, &self.revision(request, lets)?);
        let mut turn = self.store.begin()?;
        let seq = turn.append(now_ms(), &context, entry)?.seq;
        turn.commit()?;
        tidy_behind(&mut self.store, &self.dirs, seq);
        Ok(())
    }

    /// The revision a record names: none where no policy loads and none is needed.
    fn revision(&self, request: &Request, lets: Lets) -> Result<String, Broken> {
        match (policy_of(&self.dirs, request), lets) {
            (Ok(revision), _) => Ok(revision),
            (Err(_), Lets::Nothing) => Ok(String::new()),
            (Err(broken), Lets::Happen) => {
                let what = format!("{}; without a working policy a request can only be denied", broken.what);
                Err(Broken { what, ..broken })
            }
        }
    }
}

/// What something a person says can lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lets {
    /// A call may run because of it.
    Happen,
    /// None does.
    Nothing,
}
