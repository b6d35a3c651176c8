//! Text of agents and files as people are shown it: nothing hides in it, and
//! nothing in it moves what is around it.

/// So many marks (accents, points) one letter bears; more of them would climb
/// over the lines around it, or be one sign as wide as a page.
const MARKS_MAX: usize = 4;

/// A stretch of text as people are shown it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// What is shown.
    pub text: String,
    /// Whether it spells out what would not be seen, and is not there letter by letter.
    pub spelled: bool,
}

/// Text parted into what is there as it is shown and what is spelled out, so
/// that a page can mark the latter: `\u{1b}` is a text as well.
#[must_use]
pub fn pieces(text: &str) -> Vec<Piece> {
    let mut all: Vec<Piece> = Vec::new();
    let (mut before, mut marks) = (' ', 0_usize);
    for c in text.chars() {
        marks = if is_mark(c) { marks.saturating_add(1) } else { 0 };
        let spelled = c != '\n' && (is_hidden(c) && !is_drawn(c, before) || marks > MARKS_MAX);
        // A mark behind something spelled out would stand on our own letters.
        if spelled {
            marks = MARKS_MAX;
        }
        before = c;
        if all.last().is_none_or(|last| last.spelled != spelled) {
            all.push(Piece { text: String::new(), spelled });
        }
        if let Some(last) = all.last_mut() {
            if spelled {
                last.text.extend(c.escape_unicode());
            } else {
                last.text.push(c);
            }
        }
    }
    all
}

/// Control characters made visible, so that shown text cannot hide or fake
/// anything; line breaks kept.
#[must_use]
pub fn visible(text: &str) -> String {
    pieces(text).into_iter().map(|piece| piece.text).collect()
}

/// The same in one line of at most `max` characters.
#[must_use]
pub fn one_line(text: &str, max: usize) -> String {
    let flat: String = visible(text).replace('\n', "⏎");
    if flat.chars().count() <= max {
        flat
    } else {
        flat.chars().take(max.saturating_sub(1)).chain(['…']).collect()
    }
}

/// The pieces of one line of at most `max` characters.
#[must_use]
pub fn line_pieces(text: &str, max: usize) -> Vec<Piece> {
    let flat = flat(pieces(text));
    let count = |piece: &Piece| piece.text.chars().count();
    if flat.iter().map(count).sum::<usize>() <= max {
        return flat;
    }
    let mut room = max.saturating_sub(1);
    let mut cut = Vec::new();
    for Piece { text, spelled } in flat {
        let text: String = text.chars().take(room).collect();
        room = room.saturating_sub(text.chars().count());
        cut.push(Piece { text, spelled });
        if room == 0 {
            break;
        }
    }
    cut.push(Piece { text: "…".to_owned(), spelled: false });
    cut
}

/// Line breaks spelled out as well.
fn flat(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut all = Vec::new();
    for piece in pieces {
        for (at, line) in piece.text.split('\n').enumerate() {
            if at > 0 {
                all.push(Piece { text: "⏎".to_owned(), spelled: true });
            }
            all.push(Piece { text: line.to_owned(), spelled: piece.spelled });
        }
    }
    all
}

/// What follows a picture only says how it is drawn.
fn is_drawn(c: char, before: char) -> bool {
    let picture = matches!(before, '\u{a9}' | '\u{ae}' | '\u{203c}'..='\u{3299}' | '\u{1f000}'..='\u{1faff}');
    c == '\u{fe0f}' && picture && !before.is_alphanumeric() && !is_hidden(before) && !is_mark(before)
}

/// Signs that stand on, in or below the letter before them: those of every
/// script, and those of the scripts that have many.
fn is_mark(c: char) -> bool {
    // The scripts of India have theirs at the same place of each block.
    let place = u32::from(c) & 0x7f;
    let of_india = matches!(place, 0..=3 | 0x3c | 0x3e..=0x4d | 0x51..=0x57 | 0x62..=0x63);
    matches!(c, '\u{900}'..='\u{dff}') && of_india
        || matches!(
            c,
            '\u{300}'..='\u{36f}'
                | '\u{483}'..='\u{489}'
                | '\u{591}'..='\u{5bd}'
                | '\u{5bf}'
                | '\u{5c1}'..='\u{5c2}'
                | '\u{5c4}'..='\u{5c5}'
                | '\u{5c7}'
                | '\u{610}'..='\u{61a}'
                | '\u{64b}'..='\u{65f}'
                | '\u{670}'
                | '\u{6d6}'..='\u{6dc}'
                | '\u{6df}'..='\u{6e4}'
                | '\u{6e7}'..='\u{6e8}'
                | '\u{6ea}'..='\u{6ed}'
                | '\u{711}'
                | '\u{730}'..='\u{74a}'
                | '\u{7a6}'..='\u{7b0}'
                | '\u{8ca}'..='\u{8ff}'
                | '\u{dca}'..='\u{ddf}'
                | '\u{e31}'
                | '\u{e34}'..='\u{e3a}'
                | '\u{e47}'..='\u{e4e}'
                | '\u{eb1}'
                | '\u{eb4}'..='\u{ebc}'
                | '\u{ec8}'..='\u{ece}'
                | '\u{f71}'..='\u{f84}'
                | '\u{f8d}'..='\u{fbc}'
                | '\u{102b}'..='\u{103e}'
                | '\u{1056}'..='\u{1059}'
                | '\u{17b6}'..='\u{17d3}'
                | '\u{1ab0}'..='\u{1aff}'
                | '\u{1cd0}'..='\u{1cf9}'
                | '\u{1dc0}'..='\u{1dff}'
                | '\u{20d0}'..='\u{20ff}'
                | '\u{2de0}'..='\u{2dff}'
                | '\u{302a}'..='\u{302f}'
                | '\u{3099}'..='\u{309a}'
                | '\u{a66f}'..='\u{a672}'
                | '\u{a674}'..='\u{a67d}'
                | '\u{a69e}'..='\u{a69f}'
                | '\u{a8e0}'..='\u{a8f1}'
                | '\u{fe20}'..='\u{fe2f}'
                | '\u{1d165}'..='\u{1d169}'
                | '\u{1d16d}'..='\u{1d172}'
                | '\u{1d17b}'..='\u{1d182}'
                | '\u{1e000}'..='\u{1e02a}'
        )
}

fn is_hidden(c: char) -> bool {
    c.is_control()
        // Every blank but the usual one: they look alike and part no words, or lines where none should be.
        || c.is_whitespace() && c != ' '
        // The last two of every plane are no characters.
        || u32::from(c) & 0xfffe == 0xfffe
        || matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{2800}'
                | '\u{3164}'
                // Private use: every font shows something else, or nothing.
                | '\u{e000}'..='\u{f8ff}'
                | '\u{fdd0}'..='\u{fdef}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffc}'
                | '\u{13430}'..='\u{1343f}'
                | '\u{16fe4}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d159}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
                | '\u{f0000}'..='\u{10ffff}'
        )
}

#[cfg(test)]
mod tests {
    use super::{one_line, pieces, visible};

    #[test]
    fn nothing_hides() {
        for code in [
            0x1b, 0x7f, 0xa0, 0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x180e, 0x2000, 0x2003, 0x200b,
            0x2028, 0x2029, 0x202e, 0x202f, 0x205f, 0x206a, 0x2800, 0x3000, 0x3164, 0xe000, 0xf8ff, 0xfdd0,
            0xfe00, 0xfe0f, 0xffa0, 0xfff9, 0xfffc, 0xfffe, 0xffff, 0x13430, 0x1d173, 0x1ffff, 0xe0041,
            0xe0100, 0xf0000, 0x10fffd, 0x10ffff,
        ] {
            let hidden = char::from_u32(code).unwrap();
            assert_eq!(visible(&format!("a{hidden}b")), format!("a\\u{{{code:x}}}b"));
        }
        assert_eq!(
            visible("a b\nc ⚠\u{fe0f} é 漢 ©\u{fe0f} \u{fffd}"),
            "a b\nc ⚠\u{fe0f} é 漢 ©\u{fe0f} \u{fffd}"
        );
    }

    /// How a picture is drawn is said behind a picture only.
    #[test]
    fn what_says_how_a_picture_is_drawn_hides_behind_nothing_else() {
        for (text, shown) in [
            ("\u{e0041}\u{fe0f}", "\\u{e0041}\\u{fe0f}"),
            ("⚠\u{fe0f}\u{fe0f}", "⚠\u{fe0f}\\u{fe0f}"),
            ("e\u{301}\u{fe0f}", "e\u{301}\\u{fe0f}"),
            ("\u{2800}\u{fe0f}", "\\u{2800}\\u{fe0f}"),
            ("漢\u{fe0f}", "漢\\u{fe0f}"),
            ("\n\u{fe0f}", "\n\\u{fe0f}"),
        ] {
            assert_eq!(visible(text), shown);
        }
    }

    #[test]
    fn a_letter_bears_a_few_marks_and_no_tower() {
        let four = "a\u{301}\u{302}\u{303}\u{304}";
        assert_eq!(visible(&format!("{four}b{four}")), format!("{four}b{four}"));
        assert_eq!(
            visible(&format!("{four}\u{301}\u{e47}b\u{301}")),
            format!("{four}\\u{{301}}\\u{{e47}}b\u{301}")
        );
        assert_eq!(visible("\u{1b}\u{301}x"), "\\u{1b}\\u{301}x");
        assert_eq!(visible("Tiê\u{301}ng שָׁלוֹם กำ นี้ हिन्दी"), "Tiê\u{301}ng שָׁלוֹם กำ นี้ हिन्दी");
    }

    #[test]
    fn what_is_spelled_out_is_told_apart_from_the_same_letters() {
        let found = pieces("\\u{1b}\u{1b}\u{7f}x");
        let told: Vec<(&str, bool)> =
            found.iter().map(|piece| (piece.text.as_str(), piece.spelled)).collect();
        assert_eq!(told, [("\\u{1b}", false), ("\\u{1b}\\u{7f}", true), ("x", false)]);
        assert!(pieces("").is_empty());
        assert_eq!(
            one_line("a\nb\u{1b}c", 9),
            "a⏎b\\u{1b}…".chars().take(8).chain(['…']).collect::<String>()
        );
    }
}
