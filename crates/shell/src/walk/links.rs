//! Commands that hang together: pipes, `&&` and `||`.

use super::Walker;
use crate::reading::{RedirectKind, Word};
use crate::scope::state_key;
use crate::stream::Stream;
use crate::tree::{Link, Node, Part, RawRedirect};

/// Files written by the stages of a pipe that are remembered.
const BESIDE_MAX: usize = 16;

/// Programs that say nothing but what they are told to.
const QUIET: [&str; 5] = ["echo", "printf", "cat", "true", ":"];

impl Walker<'_> {
    pub(super) fn pipe(&mut self, stages: &[Node], stdin: Option<&Stream>) -> Stream {
        let mut flowing: Option<Stream> = stdin.cloned();
        let writing = self.writing.len();
        let strands = self.strands.made();
        for redirect in stages.iter().flat_map(Node::redirects).take(BESIDE_MAX) {
            self.note_written_beside(redirect);
        }
        // `shopt -s lastpipe`: the last stage runs in this shell.
        let last_here = state_key("option", "lastpipe");
        for (at, stage) in stages.iter().enumerate() {
            let is_last = at + 1 == stages.len();
            if self.is_spent() {
                break;
            }
            let mark = self.scope.checkpoint();
            let (overwritten, trapped) = (self.overwritten.len(), self.trapped.len());
            let out = self.in_strand(|walker| walker.stage(stage, flowing.take()));
            self.doubt_descriptors(overwritten);
            let stays = is_last && self.scope.get(&last_here).is_some();
            if !stays {
                self.trapped_since(trapped);
            }
            if stays {
                let changes = self.scope.take_changes(mark);
                self.merge(&[changes], true);
            } else {
                self.scope.rollback(mark);
            }
            let noisy = out.noisy || pipes_errors(stage);
            flowing = Some(Stream { noisy, ..out });
        }
        self.strands.end(strands);
        self.writing.truncate(writing);
        flowing.unwrap_or_default()
    }

    /// One stage of a pipe, with either text that may come in.
    fn stage(&mut self, stage: &Node, stdin: Option<Stream>) -> Stream {
        let Some(mut stdin) = stdin else { return self.node(stage, None) };
        let other = stdin.other.take();
        let out = self.node(stage, Some(&stdin));
        let Some(other) = other else { return out };
        stdin.text = Some(other);
        let overwritten = self.overwritten.len();
        let again = self.node(stage, Some(&stdin));
        self.doubt_written(overwritten);
        out.or_instead(again)
    }

    /// What hangs behind `&&` or `||` may run or not. Inside the chain it is
    /// taken to have run, so `test -d x && cd x && y` runs `y` in `x` only;
    /// behind the chain both are possible, unless all before surely succeed.
    pub(super) fn chain(&mut self, first: &Node, rest: &[(Link, Node)], stdin: Option<&Stream>) -> Stream {
        let (safe, listed) = (self.saved.clone(), self.commands.len());
        let mut all = self.node(first, stdin);
        self.note_saved(first, listed);
        let mut mark = self.scope.checkpoint();
        let mut overwritten = self.overwritten.len();
        let mut sure = self.succeeds(first);
        for (link, node) in rest {
            let absent = self.enter_absent(first, *link);
            match link {
                Link::And => {
                    let listed = self.commands.len();
                    let one = self.node(node, stdin);
                    self.note_saved(node, listed);
                    self.grow(all.text.as_ref().map_or(0, String::len));
                    if sure {
                        all.append(one);
                        mark = self.scope.checkpoint();
                        overwritten = self.overwritten.len();
                    } else {
                        perhaps(&mut all, one);
                    }
                    sure &= self.succeeds(node);
                }
                Link::Or => {
                    // Whatever was behind `&&` may not have run.
                    let so_far = self.scope.take_changes(mark);
                    self.merge(&[so_far], true);
                    let inner = self.scope.checkpoint();
                    self.saved = None;
                    let other = self.node(node, stdin);
                    if !sure {
                        let known = rest.len() == 1 && matches!(first, Node::Simple(_) | Node::Test(..));
                        either(&mut all, other, known);
                    }
                    sure = false;
                    let changes = self.scope.take_changes(inner);
                    self.merge(&[changes], true);
                }
            }
            self.absent.truncate(absent);
        }
        let changes = self.scope.take_changes(mark);
        self.merge(&[changes], true);
        self.doubt_written(overwritten);
        self.saved = safe;
        all
    }

    /// A value set to an integer is evaluated, which may go wrong, as may what
    /// is in a subscript another name leads to.
    fn succeeds(&self, node: &Node) -> bool {
        let sets = matches!(node, Node::Simple(simple) if simple.words.is_empty());
        succeeds(node) && !(sets && (self.counted || self.scope.has_refs()))
    }

    /// All stages of a pipe run at once: a file one of them writes to may change
    /// while another runs it.
    fn note_written_beside(&mut self, redirect: &RawRedirect) {
        let writes = matches!(redirect.kind, RedirectKind::Write | RedirectKind::Append);
        if let [Part::Plain(text) | Part::Quoted(text)] = redirect.target.parts.as_slice()
            && writes
            && text != "/dev/null"
        {
            self.writing.push(Word { text: text.clone(), exact: true, ..Word::default() });
        }
    }
}

/// Are the errors of `node` piped on, and may there be some? What a shell then
/// reads is not only what it was meant to.
fn pipes_errors(node: &Node) -> bool {
    let is_quiet = match node {
        Node::Simple(simple) => match simple.words.first().map(|word| word.parts.as_slice()) {
            Some([Part::Plain(text)]) => QUIET.contains(&text.as_str()),
            _ => false,
        },
        _ => false,
    };
    !is_quiet && node.redirects().iter().any(is_errors)
}

/// `2>&1`
pub(super) fn is_errors(one: &RawRedirect) -> bool {
    one.kind == RedirectKind::Duplicate
        && one.from.as_deref() == Some("2")
        && matches!(one.target.parts.as_slice(), [Part::Plain(text)] if text == "1")
}

/// `>&2`: the output goes elsewhere. Where to is not always known.
pub(super) fn leaves(one: &RawRedirect) -> Option<Option<String>> {
    let is_output = one.kind == RedirectKind::Duplicate && one.from.as_deref().is_none_or(|from| from == "1");
    match one.target.parts.as_slice() {
        [Part::Plain(text)] if text == "1" => None,
        [Part::Plain(text)] if text == "2" || text == "-" => is_output.then(|| Some(String::new())),
        _ => is_output.then_some(None),
    }
}

/// Does the program say nothing but what it is told to?
pub(super) fn is_quiet(program: &str) -> bool {
    QUIET.contains(&program)
}

/// `more` is written behind `all`, or nothing is.
fn perhaps(all: &mut Stream, more: Stream) {
    let before = all.text.clone().filter(|_| all.other.is_none() && more.other.is_none());
    let silent = more.text.as_deref() == Some("");
    all.append(more);
    if !silent && all.other.is_none() && all.text.is_some() {
        all.other = before;
    }
}

/// Either what is in `all` is written or `other`, and no one knows which. What
/// failed may have printed before it did: `known` says that it does not.
fn either(all: &mut Stream, other: Stream, known: bool) {
    if other.text.as_deref() == Some("") {
        return;
    }
    all.download = all.download.take().or(other.download);
    let single = other.other.as_deref().is_none_or(str::is_empty);
    all.other = other.text.filter(|_| known && single && all.text.is_some());
    if all.other.is_none() {
        all.text = None;
    }
}

fn asks_program(part: &Part) -> bool {
    matches!(part, Part::Output(_) | Part::Process(_))
}

/// Commands that are taken to succeed: what follows `&&` behind them runs.
fn succeeds(node: &Node) -> bool {
    let Node::Simple(simple) = node else { return false };
    match simple.words.first().map(|word| word.parts.as_slice()) {
        // What a program says last is what the assignment says.
        None => !simple.assignments.iter().flat_map(|one| &one.value.parts).any(asks_program),
        Some([Part::Plain(text)]) => {
            matches!(text.as_str(), "cd" | "mkdir" | "export" | "true" | ":" | "set" | "echo")
        }
        Some(_) => false,
    }
}
