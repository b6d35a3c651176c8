//! Backslash escapes as `$'…'`, `echo -e` and `printf` understand them.

/// Whose escapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flavour {
    /// `$'…'`: `\101` is octal, `\'` and `\"` are quotes.
    Quote,
    /// `echo -e` and `%b`: octal needs a leading `\0`, `\c` ends everything.
    Echo,
    /// A `printf` format: like `Quote`.
    Format,
}

/// Replaces every escape of `text`. Bytes that make no UTF-8 are replaced.
pub(crate) fn decode(text: &str, flavour: Flavour) -> String {
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(found) = chars.next() {
        if found != '\\' {
            out.extend(found.encode_utf8(&mut [0; 4]).bytes());
            continue;
        }
        let Some(sign) = chars.next() else {
            out.push(b'\\');
            break;
        };
        if sign == 'c' && flavour != Flavour::Quote {
            break;
        }
        escape(sign, &mut chars, flavour, &mut out);
    }
    if flavour == Flavour::Quote
        && let Some(end) = out.iter().position(|byte| *byte == 0)
    {
        out.truncate(end);
    }
    String::from_utf8_lossy(&out).into_owned()
}

type Rest<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn escape(sign: char, rest: &mut Rest, flavour: Flavour, out: &mut Vec<u8>) {
    let simple = match sign {
        'a' => Some(7),
        'b' => Some(8),
        'e' | 'E' => Some(27),
        'f' => Some(12),
        'n' => Some(b'\n'),
        'r' => Some(b'\r'),
        't' => Some(b'\t'),
        'v' => Some(11),
        '\\' => Some(b'\\'),
        '\'' | '"' | '?' if flavour != Flavour::Echo => u8::try_from(sign).ok(),
        _ => None,
    };
    if let Some(byte) = simple {
        out.push(byte);
        return;
    }
    match sign {
        'x' if flavour == Flavour::Quote && rest.next_if_eq(&'{').is_some() => {
            // As many digits as there are; without any it is the byte zero.
            out.push(number(rest, 16, usize::MAX).map_or(0, low_byte));
            let _ = rest.next_if_eq(&'}');
        }
        'x' => match number(rest, 16, 2) {
            Some(value) => out.push(low_byte(value)),
            None => out.extend(b"\\x"),
        },
        'u' | 'U' => {
            let digits = if sign == 'u' { 4 } else { 8 };
            match number(rest, 16, digits) {
                Some(value) => {
                    let found = char::from_u32(value);
                    out.extend(found.map(|one| one.to_string().into_bytes()).unwrap_or_default());
                }
                None => out.extend(format!("\\{sign}").bytes()),
            }
        }
        '0' if flavour == Flavour::Echo => out.push(number(rest, 8, 3).map_or(0, low_byte)),
        '0'..='7' if flavour != Flavour::Echo => {
            let first = sign.to_digit(8).unwrap_or(0);
            let mut value = first;
            for _ in 0..2 {
                let Some(digit) = rest.peek().and_then(|next| next.to_digit(8)) else { break };
                value = value * 8 + digit;
                rest.next();
            }
            out.push(low_byte(value));
        }
        'c' => out.extend(rest.next().map(|next| low_byte(u32::from(next)) & 0x1f)),
        other => {
            out.push(b'\\');
            out.extend(other.encode_utf8(&mut [0; 4]).bytes());
        }
    }
}

fn low_byte(value: u32) -> u8 {
    u8::try_from(value & 0xff).unwrap_or(0)
}

fn number(rest: &mut Rest, radix: u32, digits_max: usize) -> Option<u32> {
    let mut value = None;
    for _ in 0..digits_max {
        let Some(digit) = rest.peek().and_then(|next| next.to_digit(radix)) else { break };
        value = Some(value.unwrap_or(0u32).wrapping_mul(radix).wrapping_add(digit));
        rest.next();
    }
    value
}

#[cfg(test)]
mod tests {
    use super::{Flavour, decode};

    #[test]
    fn escapes_are_decoded_as_bash_does() {
        for (text, expected) in [
            (r"\x72\x6d", "rm"),
            (r"\162\155", "rm"),
            (r"\u0072\U0000006d", "rm"),
            (r"it\'s", "it's"),
            (r"a\qb", r"a\qb"),
            (r"\xg\u\U-", r"\xg\u\U-"),
            (r"\xc3\xa9", "é"),
            (r"rm\0x", "rm"),
            (r"\x{72}\x{16d}", "rm"),
            (r"rm\x{ 7}x", "rm"),
        ] {
            assert_eq!(decode(text, Flavour::Quote), expected, "{text}");
        }
        assert_eq!(decode(r"\0162m\c x", Flavour::Echo), "rm");
    }
}
