//! The items of lists: `m[k]=v` and what `${m[k]}` may be later.
//!
//! Each item that was given a key is remembered next to the list. Which key an
//! expression names is not computed: it may be any item.

use smol_str::{SmolStr, format_smolstr};

use super::Walker;
use crate::one_or_many::OneOrMany;
use crate::reading::Word;
use crate::scope::{Text, Value, built, state_key};
use crate::tree::Param;

/// Lists that name what commands stand for.
const ALIASES: [&str; 2] = ["BASH_ALIASES", "BASH_CMDS"];

/// Items a key that is not known may stand for.
const ITEMS_MAX: usize = 12;

impl Walker<'_> {
    /// The value of `name=(…)`.
    pub(crate) fn list_of(&mut self, name: &str, words: &[Word]) -> Value {
        let mut keyed = false;
        for word in words {
            let Some(rest) = word.text.strip_prefix('[') else { continue };
            keyed = true;
            if let Some((key, text)) = rest.split_once("]=") {
                let value = Word { text: text.into(), ..word.clone() };
                self.keep_item(name, &Word { text: key.into(), ..word.clone() }, &value);
            }
        }
        let text = |word: &Word| Text { text: word.text.clone(), exact: word.exact && !keyed && !word.glob };
        words.iter().map(text).collect()
    }

    /// The value of the list `name` with `value` at `key`.
    pub(super) fn list_with(&mut self, name: &str, key: &Word, value: &Word) -> Value {
        self.keep_item(name, key, value);
        OneOrMany::One(Text::unknown(format_smolstr!("${{{name}}}")))
    }

    fn keep_item(&mut self, name: &str, key: &Word, value: &Word) {
        if ALIASES.contains(&name) {
            self.scope.set_alias(&key.text, &value.text);
        }
        self.scope.set_one(&item_mark(name, Some(&key.text)), Text::of(value));
    }

    /// The last word of the command before.
    pub(crate) fn last_word(&self) -> Option<Text> {
        let command = self.last_listed.and_then(|at| self.commands.get(at))?;
        command.words.last().map(Text::of)
    }

    /// `-1` is the number of the last item.
    pub(crate) fn counted_back(&mut self, name: &str, key: &str) -> Option<usize> {
        let back = key.strip_prefix('-')?.parse::<usize>().ok()?;
        let options = self.scope.get(name)?;
        let list = options.get(self.choice.pick(name, options.len())?)?;
        list.len().checked_sub(back).filter(|_| list.iter().all(|text| text.exact))
    }

    /// What `${name[key]}` may be, where the list alone does not tell.
    pub(crate) fn item(&mut self, param: &Param, key: Option<&str>, value: Option<Value>) -> Option<Value> {
        if let Some("@" | "*") = key {
            return self.all_items(param, value);
        }
        let numbered = |key: &str| key.trim_start_matches('-').parse::<usize>().is_ok();
        let told = value.as_ref().is_some_and(|value| value.iter().all(|text| text.exact));
        let Some(key) = key.filter(|key| !(told && numbered(key))) else { return value };
        let mut items = self.scope.items(&item_mark(&param.name, Some(key)), ITEMS_MAX);
        if items.is_empty() && !numbered(key) {
            items = self.scope.items(&item_mark(&param.name, None), ITEMS_MAX);
            items.extend(value.iter().flatten().filter(|text| text.exact).take(ITEMS_MAX).cloned());
        }
        if items.is_empty() {
            return if numbered(key) { value } else { None };
        }
        if items.len() >= ITEMS_MAX {
            return Some(OneOrMany::One(built(&param.name)));
        }
        // It may also be none of them.
        let at = self.choice.pick(&param.text, items.len() + 1)?;
        items.into_iter().nth(at).map(OneOrMany::One)
    }
}

impl Walker<'_> {
    /// `"${a[@]}"` of a list whose items were given one by one.
    fn all_items(&mut self, param: &Param, value: Option<Value>) -> Option<Value> {
        let told = value.as_ref().is_some_and(|value| value.iter().all(|text| text.exact));
        let mut items =
            if told { Vec::new() } else { self.scope.items(&item_mark(&param.name, None), ITEMS_MAX) };
        // They may also belong to a list that is gone.
        if items.is_empty() || self.choice.pick(&param.text, 2) != Some(0) {
            return value;
        }
        // There may be more of them.
        items.push(Text::unknown(param.text.clone()));
        Some(items.into())
    }
}

/// The mark of one item, or how the marks of all of them begin.
pub(super) fn item_mark(name: &str, key: Option<&str>) -> SmolStr {
    match key {
        Some(key) => state_key("item", &format_smolstr!("{name}[{key}]")),
        None => state_key("item", &format_smolstr!("{name}[")),
    }
}
