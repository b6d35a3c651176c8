//! What is known of variables, the folder and functions at one point of the
//! text.
//!
//! A variable may have several possible values, because a branch may or may
//! not have run. Every change is logged, so a subshell is undone and a branch
//! is merged at the price of what it changed. Nothing here reads text.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use smol_str::{SmolStr, SmolStrBuilder};

use crate::one_or_many::OneOrMany;
use crate::reading::Word;
use crate::tree::Node;

/// More possible values than this are "unknown".
pub(crate) const OPTIONS_MAX: usize = 6;

/// References to references that are followed.
const REFS_MAX: usize = 4;

/// Values with subscripts that are remembered.
const SUBSCRIPTS_MAX: usize = 16;

/// Ends the spelling of a value that was put together here.
pub(crate) const BUILT: &str = "…";

/// Key of the current folder; no variable can have this name.
pub(crate) const DIR: &str = "=dir";

/// What a variable makes of a text it is given: `declare -l x`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Typed {
    Lower,
    Upper,
    /// A number, or something else that is not computed.
    Other,
}

impl Typed {
    fn apply(self, text: &mut Text) {
        match self {
            Typed::Lower => text.text = text.text.to_lowercase().into(),
            Typed::Upper => text.text = text.text.to_uppercase().into(),
            Typed::Other => text.exact &= is_number(&text.text),
        }
    }
}

/// Key that represents "this function is defined" or "this variable is
/// exported": kept like a variable, it is undone and merged with its branch.
pub(crate) fn state_key(what: &str, name: &str) -> SmolStr {
    concat(&["=", what, " ", name])
}

/// Texts behind one another.
pub(crate) fn concat(texts: &[&str]) -> SmolStr {
    let mut all = SmolStrBuilder::new();
    texts.iter().for_each(|text| all.push_str(text));
    all.finish()
}

/// A piece of text a variable holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) text: SmolStr,
    /// False when some part of it is only a source spelling.
    pub(crate) exact: bool,
}

impl Text {
    pub(crate) fn exact(text: impl Into<SmolStr>) -> Text {
        Text { text: text.into(), exact: true }
    }

    /// A word as a value; what a pattern becomes is not known.
    pub(crate) fn of(word: &Word) -> Text {
        Text { text: word.text.clone(), exact: word.exact && !word.glob }
    }

    pub(crate) fn unknown(text: impl Into<SmolStr>) -> Text {
        Text { text: text.into(), exact: false }
    }
}

/// One value: a scalar is a list of one, an unset variable a list of none.
pub(crate) type Value = OneOrMany<Text>;

/// The values a variable may have. INVARIANT: never empty.
pub(crate) type Options = OneOrMany<Value>;

/// What each text of a value counts for, next to its bytes.
const TEXT_COST: usize = 32;

/// What copying `value` costs.
pub(crate) fn size_of_value(value: &[Text]) -> usize {
    value.iter().map(|text| text.text.len() + TEXT_COST).sum()
}

/// What copying `options` costs.
pub(crate) fn size_of(options: &Options) -> usize {
    options.iter().map(|value| size_of_value(value)).sum()
}

/// Changes of one branch: the new options of each name.
pub(crate) type Changes = BTreeMap<SmolStr, Option<Options>>;

#[derive(Debug, Default)]
pub(crate) struct Scope {
    values: BTreeMap<SmolStr, Options>,
    log: Vec<(SmolStr, Option<Options>)>,
    functions: BTreeMap<SmolStr, Vec<Rc<Node>>>,
    aliases: BTreeMap<SmolStr, Vec<SmolStr>>,
    hiding: bool,
    /// Variables with a type: what they hold is not what they were given.
    typed: BTreeMap<String, Typed>,
    /// Variables that keep their value, unless they belong to a function.
    fixed: BTreeSet<String>,
    /// Some variable represents another one.
    has_refs: bool,
    /// The folder was changed at some time.
    moved: bool,
    /// Values with a subscript that would run something; see `take_subscripts`.
    subscripts: Vec<SmolStr>,
}

/// Would `text` run something if it were expanded once more?
pub(crate) fn hides(text: &str) -> bool {
    let bytes = text.as_bytes();
    let opens = |pair: &[u8]| matches!(pair, [b'$', b'(' | b'{']);
    bytes.contains(&b'`') || bytes.windows(2).any(opens)
}

/// Would it be run as the subscript of a name, in an expression?
pub(crate) fn hides_in_subscript(text: &str) -> bool {
    let sign = |found: char| found.is_alphanumeric() || "_ \t\n+-*/%<>=!&|^~?:,()".contains(found);
    let Some((front, rest)) = text.split_once('[') else { return false };
    let Some((inside, _)) = rest.rsplit_once(']') else { return false };
    front.ends_with(|last: char| last.is_alphanumeric() || last == '_')
        && front.chars().all(sign)
        && hides(inside)
}

/// Is it a number that stays as it is when it is evaluated?
pub(crate) fn is_number(text: &str) -> bool {
    text == "0"
        || text.bytes().all(|byte| byte.is_ascii_digit()) && !text.is_empty() && !text.starts_with('0')
}

impl Scope {
    /// Did any variable ever hold text that would run something if expanded?
    pub(crate) fn hides_commands(&self) -> bool {
        self.hiding
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Options> {
        self.values.get(if self.has_refs { self.target_of(name) } else { name })
    }

    pub(crate) fn set(&mut self, name: &str, mut options: Options) {
        if let Some((list, _)) = name.split_once('[').filter(|_| !name.starts_with('=')) {
            // One item of a list is another; which is not followed.
            return self.set_one(list, Text::unknown(concat(&["${", list, "}"])));
        }
        for text in options.iter().flatten().filter(|text| hides(&text.text)) {
            self.hiding = true;
            if text.exact && self.subscripts.len() < SUBSCRIPTS_MAX && hides_in_subscript(&text.text) {
                self.subscripts.push(text.text.clone());
            }
        }
        let target = if self.has_refs { self.target_of(name).to_string() } else { String::new() };
        let name = if self.has_refs { target.as_str() } else { name };
        self.has_refs |= name.starts_with("=ref ");
        if let Some(typed) = self.typed.get(name) {
            let as_given = (*typed != Typed::Other).then(|| options.clone());
            options.iter_mut().flat_map(|value| value.iter_mut()).for_each(|text| typed.apply(text));
            // Where it was declared may never have been reached.
            let room = OPTIONS_MAX.saturating_sub(options.len());
            let other = |value: &Value| !options.contains(value);
            let others: Vec<Value> = as_given.into_iter().flatten().filter(other).take(room).collect();
            options.extend(others);
        }
        if !self.fixed.is_empty() && self.fixed.contains(name) {
            let before = self.values.get(name).cloned().unwrap_or_default();
            let room = OPTIONS_MAX.saturating_sub(options.len());
            options.extend(before.into_iter().take(room));
        }
        let old = self.put(name, options);
        self.log.push((name.into(), old));
    }

    pub(crate) fn set_one(&mut self, name: &str, text: Text) {
        self.set(name, OneOrMany::One(OneOrMany::One(text)));
    }

    /// `readonly x`: what is assigned later is refused, most times.
    pub(crate) fn fix(&mut self, name: &str) {
        self.fixed.insert(name.to_string());
    }

    /// From now on, the variable makes something else of what it is given.
    pub(crate) fn attribute(&mut self, name: &str, typed: Typed) {
        self.typed.insert(name.to_string(), typed);
    }

    /// The folders the text may be in by now; `None` as long as it stays where it began.
    pub(crate) fn folders(&self) -> Option<&Options> {
        if self.moved { self.get(DIR) } else { None }
    }

    /// Does a name stand for another?
    pub(crate) fn has_refs(&self) -> bool {
        self.has_refs
    }

    /// The variable a name represents, where that is sure.
    fn target_of<'n>(&'n self, name: &'n str) -> &'n str {
        let mut name = name;
        for _ in 0..REFS_MAX {
            match self.values.get(&state_key("ref", name)).map(OneOrMany::as_slice) {
                Some([value]) => match value.as_slice() {
                    [text] if text.exact && !text.text.contains('[') => name = &text.text,
                    _ => return name,
                },
                _ => return name,
            }
        }
        name
    }

    /// The values set since then that bash may evaluate wherever it takes a
    /// number or a name: `x='a[$(rm y)]'; ((x))` runs `rm`, and so do many others.
    pub(crate) fn take_subscripts(&mut self) -> Vec<SmolStr> {
        std::mem::take(&mut self.subscripts)
    }

    /// Puts back what `get` gave before.
    pub(crate) fn restore(&mut self, name: &str, old: Option<Options>) {
        let target = if self.has_refs { self.target_of(name).to_string() } else { String::new() };
        let name = if self.has_refs { target.as_str() } else { name };
        let current = match old {
            Some(options) => self.put(name, options),
            None => self.values.remove(name),
        };
        self.log.push((name.into(), current));
    }

    /// Most names are known already.
    fn put(&mut self, name: &str, options: Options) -> Option<Options> {
        self.moved |= name == DIR && options.iter().flatten().any(|text| !text.text.is_empty());
        match self.values.get_mut(name) {
            Some(known) => Some(std::mem::replace(known, options)),
            None => self.values.insert(name.into(), options),
        }
    }

    /// Was this mark set in every branch that leads here?
    pub(crate) fn is_sure(&self, mark: &str) -> bool {
        let sure = |text: &Text| text.exact;
        self.values.get(mark).is_some_and(|options| options.iter().flatten().all(sure))
    }

    /// The values of all marks that begin this way.
    pub(crate) fn items(&self, mark: &str, most: usize) -> Vec<Text> {
        let marks =
            self.values.range::<str, _>((std::ops::Bound::Included(mark), std::ops::Bound::Unbounded));
        let ours = marks.take_while(|(name, _)| name.starts_with(mark));
        ours.flat_map(|(_, options)| options.iter().flatten().cloned()).take(most).collect()
    }

    pub(crate) fn checkpoint(&self) -> usize {
        self.log.len()
    }

    /// Undoes everything since `mark`.
    pub(crate) fn rollback(&mut self, mark: usize) {
        while self.log.len() > mark {
            let Some((name, old)) = self.log.pop() else { return };
            match old {
                Some(options) => self.values.insert(name, options),
                None => self.values.remove(&name),
            };
        }
    }

    /// Undoes everything since `mark` and tells what it was.
    pub(crate) fn take_changes(&mut self, mark: usize) -> Changes {
        let mut changes = Changes::new();
        while self.log.len() > mark {
            let Some((name, old)) = self.log.pop() else { break };
            let now = match old {
                Some(options) => self.values.insert(name.clone(), options),
                None => self.values.remove(&name),
            };
            // The last change comes first here, and it is the one that counts.
            changes.entry(name).or_insert(now);
        }
        changes
    }

    /// Forgets every variable but those `keep` names, until the next rollback.
    pub(crate) fn forget(&mut self, keep: impl Fn(&str) -> bool) {
        let names: Vec<SmolStr> = self.values.keys().filter(|name| !keep(name)).cloned().collect();
        for name in names {
            let old = self.values.remove(&name);
            self.log.push((name, old));
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.values.len()
    }

    /// One of `branches` ran (or none, when `maybe_none`).
    pub(crate) fn join(&mut self, branches: &[Changes], maybe_none: bool) {
        let mut names: Vec<&SmolStr> = branches.iter().flat_map(BTreeMap::keys).collect();
        names.sort();
        names.dedup();
        for name in names {
            let base = self.values.get(name);
            let mut options = Options::default();
            if maybe_none {
                add(&mut options, base, name);
            }
            for branch in branches {
                if options.len() > OPTIONS_MAX {
                    break;
                }
                add(&mut options, branch.get(name).map_or(base, Option::as_ref), name);
            }
            if options.len() > OPTIONS_MAX {
                options = OneOrMany::One(OneOrMany::One(built(name)));
            }
            self.set(name, options);
        }
    }

    /// The names a further round of a loop gave values they did not have before:
    /// no one knows what more rounds give them.
    pub(crate) fn growing(&self, changes: &Changes) -> Vec<SmolStr> {
        let is_new = |(name, options): &(&SmolStr, &Option<Options>)| {
            let known = self.values.get(*name);
            // What is not known already does not become less so.
            let is_more = |value: &Value| {
                value.iter().all(|text| text.exact) && !known.is_some_and(|known| known.contains(value))
            };
            !name.starts_with('=') && options.iter().flat_map(|options| options.iter()).any(is_more)
        };
        changes.iter().filter(is_new).map(|(name, _)| name.clone()).collect()
    }

    /// The variable may hold anything its text was put together to.
    pub(crate) fn doubt(&mut self, name: &str) {
        let mut options = self.values.get(name).cloned().unwrap_or_default();
        if options.len() >= OPTIONS_MAX {
            options = Options::default();
        }
        options.push(OneOrMany::One(built(name)));
        self.set(name, options);
    }

    pub(crate) fn define(&mut self, name: &str, body: &Rc<Node>) {
        let bodies = self.functions.entry(name.into()).or_default();
        if bodies.len() < OPTIONS_MAX && !bodies.iter().any(|known| Rc::ptr_eq(known, body)) {
            bodies.push(Rc::clone(body));
        }
    }

    pub(crate) fn function(&self, name: &str) -> Vec<Rc<Node>> {
        self.functions.get(name).cloned().unwrap_or_default()
    }

    /// The text before may still be meant: aliases count where a line is read,
    /// not where it runs.
    pub(crate) fn set_alias(&mut self, name: &str, text: &str) {
        let texts = self.aliases.entry(name.into()).or_default();
        texts.retain(|known| known != text);
        if texts.len() >= OPTIONS_MAX {
            texts.remove(0);
        }
        texts.push(text.into());
    }

    pub(crate) fn has_aliases(&self) -> bool {
        !self.aliases.is_empty()
    }

    pub(crate) fn alias(&self, name: &str) -> &[SmolStr] {
        self.aliases.get(name).map(Vec::as_slice).unwrap_or_default()
    }
}

/// The spelling of a value that this text puts together in more ways than are
/// followed.
pub(crate) fn built(name: &str) -> Text {
    Text::unknown(concat(&["$", name, BUILT]))
}

fn add(options: &mut Options, more: Option<&Options>, name: &str) {
    let Some(more) = more else {
        let unknown: Value = OneOrMany::One(Text::unknown(concat(&["$", name])));
        if !options.contains(&unknown) {
            options.push(unknown);
        }
        return;
    };
    for value in more {
        if !options.contains(value) {
            options.push(value.clone());
        }
    }
}
