//! `read` and `mapfile`: what comes in becomes the value of variables.

use smol_str::format_smolstr;

use super::Walker;
use crate::expand::{USUAL, cut_at};
use crate::one_or_many::OneOrMany;
use crate::reading::Word;
use crate::scope::{OPTIONS_MAX, Options, Text, Value, built};
use crate::stream::Stream;

/// What `read` is asked to do.
#[derive(Default)]
struct Request<'a> {
    names: Vec<&'a str>,
    list: Option<&'a str>,
    raw: bool,
    /// It reads something else than lines of its input.
    other: bool,
    /// It reads all there is: `-d ''`.
    whole: bool,
}

impl<'a> Request<'a> {
    fn of(arguments: &'a [Word]) -> Request<'a> {
        let mut request = Request::default();
        let mut words = arguments.iter().map(|word| word.text.as_str());
        while let Some(text) = words.next() {
            let Some(letters) = text.strip_prefix('-').filter(|_| request.names.is_empty()) else {
                request.names.push(text);
                continue;
            };
            for (at, letter) in letters.char_indices() {
                if !"apdnNtui".contains(letter) {
                    request.raw |= letter == 'r';
                    continue;
                }
                // What follows the letter is its value, or the next word.
                let own = letters.get(at + 1..).filter(|own| !own.is_empty());
                let value = own.or_else(|| words.next());
                if letter == 'a' {
                    request.list = value;
                }
                request.whole |= letter == 'd' && value == Some("");
                request.other |= "dnNu".contains(letter) && !request.whole;
                break;
            }
        }
        if request.names.is_empty() && request.list.is_none() {
            request.names.push("REPLY");
        }
        request
    }
}

impl Walker<'_> {
    /// `mapfile x`: every line of a known input is an item.
    pub(super) fn read_lines(&mut self, arguments: &[Word], stdin: Option<&Stream>) {
        let mut name = "MAPFILE";
        let mut plain = true;
        let mut skip_value = false;
        for word in arguments {
            if std::mem::take(&mut skip_value) {
                continue;
            }
            match word.text.strip_prefix('-') {
                Some("t") => {}
                Some(letters) => {
                    plain = false;
                    skip_value = letters.ends_with(['d', 'n', 'O', 's', 'u', 'C', 'c']);
                }
                None => name = &word.text,
            }
        }
        let text = stdin.and_then(|stream| stream.text.as_deref()).filter(|_| plain);
        let affordable = self.grow(text.map_or(0, |text| text.len() * 4));
        let trims = arguments.iter().any(|word| word.text == "-t");
        let items: Option<Value> =
            text.filter(|_| affordable && trims).map(|text| lines(text).map(Text::exact).collect());
        let value = items.unwrap_or_else(|| OneOrMany::One(Text::unknown(format_smolstr!("${{{name}[@]}}"))));
        self.scope.set(name, OneOrMany::One(value));
    }

    /// `read x`: every line of a known input may be its value.
    pub(super) fn read_variables(&mut self, arguments: &[Word], stdin: Option<&Stream>) {
        let request = Request::of(arguments);
        let incoming = stdin.and_then(|stream| stream.text.as_deref());
        let text = incoming.filter(|_| !request.other);
        // A backslash takes the next sign with it, even the end of a line.
        let text = text.filter(|text| request.raw || !text.contains('\\'));
        let lines: Vec<&str> = match text {
            Some(text) if request.whole => vec![text.trim_end_matches('\n')],
            Some(text) => lines(text).collect(),
            None => Vec::new(),
        };
        let count = request.names.len();
        // Cut at what parts words now, and as usual, should that be in doubt.
        let own = self.separators();
        let cuts = std::iter::once(own.as_ref()).chain((own != USUAL).then_some(USUAL));
        let cut: Vec<(&str, &str)> =
            cuts.flat_map(|separators| lines.iter().map(move |line| (separators, *line))).collect();
        let known = !cut.is_empty() && cut.len() <= OPTIONS_MAX;
        // `find … | while read f`: each line is one of the paths.
        let paths = stdin.filter(|_| incoming.is_none()).map_or(&[][..], |stream| &stream.paths);
        for (at, name) in request.names.iter().enumerate() {
            // Lines that stand here, more than are followed, or no one knows what.
            let many = incoming.is_some_and(|text| !text.is_empty());
            let value = if many { built(name) } else { Text::unknown(format_smolstr!("${name}")) };
            let unknown: Options = OneOrMany::One(OneOrMany::One(value));
            let pick = |(separators, line): &(&str, &str)| -> Value {
                OneOrMany::One(Text::exact(field(line, separators, at, count)))
            };
            let listed =
                paths.iter().take(OPTIONS_MAX).map(|path| OneOrMany::One(Text::unknown(path.text.clone())));
            let options = match () {
                () if known => cut.iter().map(pick).collect(),
                () if !paths.is_empty() && count == 1 => listed.collect(),
                () => unknown,
            };
            self.scope.set(name, options);
        }
        if let Some(name) = request.list {
            let plain = known && self.grow(cut.iter().map(|(_, line)| line.len() * 4).sum());
            let options: Options = if plain {
                cut.iter().map(|(separators, line)| cut_at(line, separators)).collect()
            } else {
                OneOrMany::One(OneOrMany::One(Text::unknown(format_smolstr!("${{{name}[@]}}"))))
            };
            self.scope.set(name, options);
        }
    }
}

/// The lines of `text`. One that ends in a carriage return keeps it.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split_terminator('\n')
}

/// What `read` puts into the variable `at` of `count`: the last one gets the rest.
fn field<'a>(line: &'a str, separators: &str, at: usize, count: usize) -> &'a str {
    let is_blank = |found: char| " \t".contains(found) && separators.contains(found);
    let mut rest = line.trim_matches(is_blank);
    for now in 0..=at {
        let end = rest.find(|found| separators.contains(found)).filter(|_| now + 1 < count);
        let Some(end) = end else { return if now == at { rest } else { "" } };
        if now == at {
            return rest.get(..end).unwrap_or_default();
        }
        // Blanks around another separator belong to it.
        let behind = rest.get(end..).unwrap_or_default().trim_start_matches(is_blank);
        let other = behind.strip_prefix(|found| separators.contains(found));
        rest = other.unwrap_or(behind).trim_start_matches(is_blank);
    }
    rest
}
