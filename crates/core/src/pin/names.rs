//! Names of tools that can be taken for another one: `read_fiIe` with a capital
//! i, Cyrillic letters, other separators.

use super::cues::is_invisible;

/// Letters and digits that look like others. Only what fonts really confuse;
/// everything else is itself in lower case.
const ALIKE: &[(char, &str)] = &[
    ('l', "1|I\u{0406}\u{04c0}\u{0399}\u{217c}\u{2113}"),
    ('o', "0O\u{043e}\u{041e}\u{03bf}\u{039f}\u{0585}"),
    ('a', "\u{0430}\u{0410}\u{03b1}\u{0391}\u{0251}"),
    ('e', "\u{0435}\u{0415}\u{0395}\u{0451}\u{212e}"),
    ('c', "\u{0441}\u{0421}\u{03f2}"),
    ('p', "\u{0440}\u{0420}\u{03c1}\u{03a1}"),
    ('x', "\u{0445}\u{0425}\u{03c7}\u{03a7}"),
    ('y', "\u{0443}\u{0423}\u{03b3}\u{03a5}"),
    ('i', "\u{0456}\u{0131}\u{03b9}\u{0269}"),
    ('s', "\u{0455}\u{0405}\u{017f}"),
    ('j', "\u{0458}\u{0408}"),
    ('h', "\u{04bb}\u{041d}\u{0397}"),
    ('d', "\u{0501}"),
    ('q', "\u{051b}"),
    ('w', "\u{051d}"),
    ('v', "\u{03bd}\u{0475}"),
    ('n', "\u{0578}\u{039d}"),
    ('u', "\u{057d}\u{03c5}"),
    ('m', "\u{041c}\u{039c}"),
    ('t', "\u{0422}\u{03a4}\u{03c4}"),
    ('k', "\u{043a}\u{041a}\u{039a}\u{03ba}\u{212a}"),
    ('b', "\u{0412}\u{0392}"),
];

/// What two names have in common that a person would take for each other.
pub(super) fn skeleton(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars().filter(|c| !is_invisible(*c)) {
        match c {
            '_' | '-' | '.' | ' ' | '/' => {}
            // The wide forms of the same letters.
            '\u{ff01}'..='\u{ff5e}' => {
                let plain = u32::from(c).checked_sub(0xfee0).and_then(char::from_u32);
                out.push(folded(plain.unwrap_or(c)));
            }
            c => out.push(folded(c)),
        }
    }
    // Two letters that run together.
    out.replace("rn", "m").replace("vv", "w")
}

fn folded(c: char) -> char {
    match ALIKE.iter().find(|(_, alike)| alike.contains(c)) {
        Some((plain, _)) => *plain,
        None => c.to_lowercase().next().unwrap_or(c),
    }
}

/// Why a name can never be told apart from others, if it cannot.
pub(super) fn fault(name: &str) -> Option<&'static str> {
    if name.is_empty() || name.chars().any(is_invisible) {
        return Some("its name holds invisible characters");
    }
    if name.len() > 256 {
        return Some("its name is longer than 256 bytes");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::skeleton;

    #[test]
    fn look_alikes_share_a_skeleton() {
        for (one, two, alike) in [
            ("read_file", "read-file", true),
            ("read_file", "read_fiIe", true),
            ("read_file", "re\u{0430}d_file", true),
            ("read_file", "readFile", true),
            ("read_file", "ｒead_file", true),
            ("read_file", "read_files", false),
            ("read_file", "write_file", false),
            ("modern", "modem", true),
            ("list_1", "list_2", false),
        ] {
            assert_eq!(skeleton(one) == skeleton(two), alike, "{one} {two}");
        }
    }
}
