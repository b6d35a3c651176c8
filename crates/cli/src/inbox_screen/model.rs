//! What the inbox shows and what a key does to it. Pure: requests come in, an action goes out.

use super::keys::Key;
use std::collections::{HashMap, HashSet};
use toolgate_core::{Extent, Request, Word, proposed_pattern, words_fault};

/// When the selection has moved by itself, or another request has come under the cursor, an answer
/// within this time was meant for what was there before.
const SETTLE_MS: i64 = 700;

/// One request in the list.
#[derive(Debug, Clone)]
pub struct Waiting {
    /// The request.
    pub request: Request,
    /// In how many more sessions the same waits.
    pub alike: usize,
}

/// An answer to give.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    /// To which request.
    pub id: String,
    /// Yes or no.
    pub word: Word,
    /// How far it reaches.
    pub reach: Extent,
    /// What the agent is told.
    pub words: Option<String>,
    /// The passphrase, where one is set.
    pub passphrase: Option<String>,
}

/// What follows a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Nothing.
    Nothing,
    /// Leave.
    Quit,
    /// Look into the ledger again.
    Refresh,
    /// Answer.
    Answer(Given),
    /// Take the last answer back.
    Undo,
}

/// A line that is typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// What for.
    pub what: What,
    /// What is typed so far.
    pub text: String,
}

/// What a line is typed for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// Words to the agent.
    Message,
    /// The pattern of an approval that lasts.
    Pattern,
    /// The passphrase for an answer.
    Passphrase(Given),
    /// Enter, for the approval of a severe request: another key than the one that may be held down.
    Severe(Given),
}

/// The inbox.
#[derive(Debug, Default)]
pub struct Model {
    /// What waits.
    pub waiting: Vec<Waiting>,
    /// Where the cursor is: an id, because the list changes by itself.
    pub selected: Option<String>,
    /// First row of the card that is shown.
    pub scroll: usize,
    /// Whether the card has the whole screen.
    pub is_full: bool,
    /// Whether the keys are shown.
    pub is_help: bool,
    /// What is being typed.
    pub prompt: Option<Prompt>,
    /// What there is to say.
    pub notice: Option<String>,
    /// Words to the agent that are not sent yet, by request.
    pub words: HashMap<String, String>,
    /// Whether answers need a passphrase.
    pub needs_passphrase: bool,
    /// Requests of high, critical or unknown severity: one key does not approve them.
    pub severe: HashSet<String>,
    /// Requests whose card has been on the screen to its end.
    seen: HashSet<String>,
    moved_ms: i64,
    /// Rows of the card that fit, and how many there are.
    page: usize,
    rows: usize,
}

impl Model {
    /// Takes what waits now. The cursor stays with its request.
    pub fn refresh(&mut self, waiting: Vec<Waiting>, now_ms: i64) {
        let before = self.index();
        self.waiting = waiting;
        let is_there =
            self.selected.as_ref().is_some_and(|id| self.waiting.iter().any(|one| one.request.id == *id));
        if !is_there {
            let next = before.unwrap_or(0).min(self.waiting.len().saturating_sub(1));
            self.selected = self.waiting.get(next).map(|one| one.request.id.clone());
            self.scroll = 0;
            self.is_full = false;
            self.moved_ms = now_ms;
            // What was typed was about what is gone.
            if self.prompt.take().is_some() {
                self.notice = Some("the request was answered or has expired meanwhile".to_owned());
            }
        }
    }

    /// The place of the cursor in the list.
    pub fn index(&self) -> Option<usize> {
        let id = self.selected.as_ref()?;
        self.waiting.iter().position(|one| one.request.id == *id)
    }

    /// The request below the cursor.
    pub fn current(&self) -> Option<&Waiting> {
        self.waiting.get(self.index()?)
    }

    /// Hears how much of the card was drawn.
    pub fn drawn(&mut self, rows: usize, page: usize) {
        self.rows = rows;
        self.page = page;
        self.scroll = self.scroll.min(rows.saturating_sub(page));
        if !self.is_help && self.scroll.saturating_add(page) >= rows {
            self.seen.extend(self.selected.clone());
        }
    }

    /// What a key does.
    pub fn press(&mut self, key: Key, now_ms: i64) -> Action {
        if key == Key::Interrupt {
            return Action::Quit;
        }
        if self.prompt.is_some() {
            return self.type_key(key, now_ms);
        }
        self.notice = None;
        if self.is_help {
            self.is_help = false;
            return Action::Nothing;
        }
        match key {
            Key::Char('q') => return Action::Quit,
            Key::Char('r') => return Action::Refresh,
            Key::Char('u') => return Action::Undo,
            Key::Char('?') => self.is_help = true,
            Key::Char('j') => self.go(1),
            Key::Char('k') => self.go(-1),
            Key::Down if !self.is_full => self.go(1),
            Key::Up if !self.is_full => self.go(-1),
            Key::Down => self.scroll_by(1),
            Key::Up => self.scroll_by(-1),
            Key::Char(' ') | Key::PageDown => self.scroll_by(self.step()),
            Key::Char('b') | Key::PageUp => self.scroll_by(-self.step()),
            Key::Home => self.scroll = 0,
            Key::End => self.scroll = self.rows.saturating_sub(self.page),
            Key::Enter => self.is_full = !self.is_full && self.selected.is_some(),
            Key::Escape => self.is_full = false,
            Key::Char('y') => return self.answer(Word::Approve, Extent::Once, now_ms),
            Key::Char('s') => return self.answer(Word::Approve, Extent::Session, now_ms),
            Key::Char('n') => return self.answer(Word::Deny, Extent::Once, now_ms),
            Key::Char('a') => self.ask_pattern(),
            Key::Char('m') => self.ask_message(),
            _ => {}
        }
        Action::Nothing
    }

    fn step(&self) -> isize {
        isize::try_from(self.page.saturating_sub(1).max(1)).unwrap_or(1)
    }

    fn go(&mut self, by: isize) {
        let last = self.waiting.len().saturating_sub(1);
        let next = self.index().unwrap_or(0).saturating_add_signed(by).min(last);
        self.selected = self.waiting.get(next).map(|one| one.request.id.clone());
        self.scroll = 0;
    }

    fn scroll_by(&mut self, by: isize) {
        let last = self.rows.saturating_sub(self.page);
        self.scroll = self.scroll.saturating_add_signed(by).min(last);
    }

    /// An answer to the request below the cursor, if it may be given now.
    fn answer(&mut self, word: Word, reach: Extent, now_ms: i64) -> Action {
        let Some(request) = self.current().map(|one| one.request.clone()) else {
            self.notice = Some("nothing waits".to_owned());
            return Action::Nothing;
        };
        if now_ms < self.moved_ms.saturating_add(SETTLE_MS) {
            // A key that is held down goes on repeating: the time begins again.
            self.moved_ms = now_ms;
            self.notice = Some("the list has just changed; look at the request and press again".to_owned());
            return Action::Nothing;
        }
        if word == Word::Approve && !self.seen.contains(&request.id) {
            self.is_full = true;
            self.notice = Some("read the whole call first: Space shows more, then answer".to_owned());
            return Action::Nothing;
        }
        if let Some(fault) = reach.fault_for(&request) {
            self.notice = Some(fault);
            return Action::Nothing;
        }
        let words = self.words.get(&request.id).cloned();
        let given = Given { id: request.id, word, reach, words, passphrase: None };
        // A pattern was confirmed when it was typed.
        let is_typed = matches!(given.reach, Extent::Always { .. });
        let what = match (self.needs_passphrase, given.word) {
            (true, _) => What::Passphrase(given),
            (false, Word::Approve) if self.severe.contains(&given.id) && !is_typed => What::Severe(given),
            _ => return Action::Answer(given),
        };
        self.prompt = Some(Prompt { what, text: String::new() });
        Action::Nothing
    }

    fn ask_pattern(&mut self) {
        let Some(one) = self.current() else { return };
        let is_plain = one.request.input.is_none() && one.request.bypass.is_none();
        // Without a pattern, always means exactly this call.
        let text = proposed_pattern(&one.request.title).filter(|_| is_plain).unwrap_or_default();
        self.prompt = Some(Prompt { what: What::Pattern, text });
    }

    fn ask_message(&mut self) {
        let Some(id) = self.selected.clone() else { return };
        let text = self.words.get(&id).cloned().unwrap_or_default();
        self.prompt = Some(Prompt { what: What::Message, text });
    }

    fn type_key(&mut self, key: Key, now_ms: i64) -> Action {
        let Some(prompt) = &mut self.prompt else { return Action::Nothing };
        match key {
            Key::Char(c) => prompt.text.push(c),
            Key::Backspace => drop(prompt.text.pop()),
            Key::Clear => prompt.text.clear(),
            Key::Escape => self.prompt = None,
            Key::Enter => return self.typed(now_ms),
            _ => {}
        }
        Action::Nothing
    }

    fn typed(&mut self, now_ms: i64) -> Action {
        let (Some(prompt), Some(id)) = (self.prompt.take(), self.selected.clone()) else {
            return Action::Nothing;
        };
        match prompt.what {
            What::Message => {
                if let Some(fault) = words_fault(&prompt.text) {
                    self.notice = Some(fault);
                    self.prompt = Some(prompt);
                } else if prompt.text.trim().is_empty() {
                    self.words.remove(&id);
                } else {
                    self.words.insert(id, prompt.text.trim().to_owned());
                    self.notice = Some("the message goes with your answer: y, s, a or n".to_owned());
                }
                Action::Nothing
            }
            What::Pattern => {
                let pattern = Some(prompt.text.trim().to_owned()).filter(|text| !text.is_empty());
                self.answer(Word::Approve, Extent::Always { pattern }, now_ms)
            }
            What::Severe(given) => Action::Answer(given),
            What::Passphrase(given) => Action::Answer(Given { passphrase: Some(prompt.text), ..given }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Action, Given, Model, SETTLE_MS, Waiting, What};
    use crate::inbox_screen::keys::Key;
    use toolgate_core::{Extent, Progress, Request, RequestState, Word};

    const LATER: i64 = SETTLE_MS + 1;

    fn waiting(id: &str, title: &str) -> Waiting {
        let request = Request {
            id: id.to_owned(),
            session: "s".to_owned(),
            agent: "main".to_owned(),
            asker: None,
            arguments: id.to_owned(),
            tool: "Bash".to_owned(),
            title: title.to_owned(),
            input: None,
            dir: "/p".to_owned(),
            why: Vec::new(),
            asks: Vec::new(),
            progress: Box::new(Progress::default()),
            made_ms: 0,
            expires_ms: 1_000_000,
            bypass: None,
            details: Box::default(),
            reviews: Vec::new(),
            state: RequestState::Pending,
        };
        Waiting { request, alike: 0 }
    }

    /// A model whose card fits the screen.
    fn shown(ids: &[&str]) -> Model {
        let mut model = Model::default();
        model.refresh(ids.iter().map(|id| waiting(id, "git push origin main")).collect(), 0);
        model.drawn(5, 10);
        model
    }

    fn press(model: &mut Model, keys: &str) -> Action {
        let mut last = Action::Nothing;
        for c in keys.chars() {
            let key = if c == '\n' { Key::Enter } else { Key::Char(c) };
            last = model.press(key, LATER);
            model.drawn(5, 10);
        }
        last
    }

    fn given(id: &str, word: Word, reach: Extent, words: Option<&str>) -> Action {
        let words = words.map(str::to_owned);
        Action::Answer(Given { id: id.to_owned(), word, reach, words, passphrase: None })
    }

    #[test]
    fn each_key_is_one_answer_to_the_request_under_the_cursor() {
        let once = |id: &str| given(id, Word::Approve, Extent::Once, None);
        for (keys, expected) in [
            ("y", once("a")),
            ("jy", once("b")),
            ("jjjky", once("b")),
            ("s", given("a", Word::Approve, Extent::Session, None)),
            ("n", given("a", Word::Deny, Extent::Once, None)),
            ("mno way\nn", given("a", Word::Deny, Extent::Once, Some("no way"))),
            ("mok\njn", given("b", Word::Deny, Extent::Once, None)),
            (
                "a\n",
                given(
                    "a",
                    Word::Approve,
                    Extent::Always { pattern: Some("git push origin *".to_owned()) },
                    None,
                ),
            ),
            ("?y", Action::Nothing),
            ("q", Action::Quit),
            ("r", Action::Refresh),
            ("u", Action::Undo),
            ("x", Action::Nothing),
        ] {
            assert_eq!(press(&mut shown(&["a", "b", "c"]), keys), expected, "{keys:?}");
        }
        assert_eq!(press(&mut shown(&[]), "y"), Action::Nothing);
    }

    #[test]
    fn a_pattern_that_does_not_fit_answers_nothing() {
        let mut model = shown(&["a"]);
        press(&mut model, "a");
        model.press(Key::Clear, LATER);
        assert_eq!(press(&mut model, "git commit *\n"), Action::Nothing);
        assert!(
            model.notice.as_ref().is_some_and(|text| text.contains("does not match this call")),
            "{:?}",
            model.notice
        );
        press(&mut model, "a");
        model.press(Key::Clear, LATER);
        let always = Extent::Always { pattern: None };
        assert_eq!(press(&mut model, "\n"), given("a", Word::Approve, always, None), "empty: this very call");
    }

    #[test]
    fn a_long_card_is_read_to_its_end_before_it_is_approved() {
        let mut model = Model::default();
        model.refresh(vec![waiting("a", "x")], 0);
        model.drawn(30, 10);
        assert_eq!(model.press(Key::Char('y'), LATER), Action::Nothing);
        assert!(model.is_full, "it is put on the whole screen");
        assert_eq!(model.press(Key::Char('n'), LATER), given("a", Word::Deny, Extent::Once, None));
        for _ in 0..2 {
            model.press(Key::Char(' '), LATER);
            model.drawn(30, 10);
        }
        assert_eq!(model.press(Key::Char('s'), LATER), Action::Nothing, "two lines are missing");
        model.press(Key::End, LATER);
        model.drawn(30, 10);
        assert_eq!(model.press(Key::Char('y'), LATER), given("a", Word::Approve, Extent::Once, None));
    }

    #[test]
    fn a_key_meant_for_another_request_answers_nothing() {
        let mut model = shown(&["a", "b"]);
        model.refresh(vec![waiting("new", "x"), waiting("a", "x")], 50);
        assert_eq!(model.current().unwrap().request.id, "a", "the cursor stays with its request");
        model.refresh(vec![waiting("new", "x")], 5_000);
        model.drawn(5, 10);
        let early = 5_000 + SETTLE_MS - 1;
        assert_eq!(model.press(Key::Char('y'), early), Action::Nothing);
        assert_eq!(model.press(Key::Char('y'), early + SETTLE_MS - 1), Action::Nothing, "it is held down");
        assert_eq!(
            model.press(Key::Char('y'), early + 2 * SETTLE_MS),
            given("new", Word::Approve, Extent::Once, None)
        );
        press(&mut model, "mhello");
        model.refresh(Vec::new(), 9_000);
        assert!(model.prompt.is_none() && model.current().is_none(), "what was typed was for what is gone");
    }

    #[test]
    fn a_severe_request_is_approved_with_enter() {
        let severe = || Model { severe: ["a".to_owned()].into(), ..shown(&["a", "b"]) };
        let yes = |reach| given("a", Word::Approve, reach, None);
        assert_eq!(press(&mut severe(), &"y".repeat(40)), Action::Nothing, "it is held down");
        assert_eq!(press(&mut severe(), "y\n"), yes(Extent::Once));
        assert_eq!(press(&mut severe(), "s\n"), yes(Extent::Session));
        let mut model = severe();
        press(&mut model, "y");
        model.press(Key::Escape, LATER);
        assert!(model.prompt.is_none(), "Esc cancels");
        assert_eq!(press(&mut severe(), "n"), given("a", Word::Deny, Extent::Once, None), "a no is one key");
        assert_eq!(press(&mut severe(), "jy"), given("b", Word::Approve, Extent::Once, None));
    }

    #[test]
    fn a_passphrase_is_asked_for_each_answer() {
        let mut model = Model { needs_passphrase: true, ..shown(&["a"]) };
        assert_eq!(press(&mut model, "y"), Action::Nothing);
        assert!(matches!(&model.prompt, Some(prompt) if matches!(prompt.what, What::Passphrase(_))));
        let Action::Answer(given) = press(&mut model, "word\n") else { panic!("no answer") };
        assert_eq!((given.word, given.passphrase.as_deref()), (Word::Approve, Some("word")));
        assert_eq!(press(&mut model, "n"), Action::Nothing);
        assert_eq!(model.press(Key::Escape, LATER), Action::Nothing);
        assert!(model.prompt.is_none());
    }
}
