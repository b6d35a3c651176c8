//! Files that programs of other languages send away in one call: each amounts to a
//! `curl -F f=@file address`.
//!
//! Only where the address and the file stand in the call, or have a name that is known.

use super::Inner;
use super::file_calls::FunctionCall;
use super::values::shell_word;
use crate::normal::quote;
use crate::reading::Word;

/// Who sends: what is before the call, and its name.
const SENDERS: [(&str, &[&str]); 8] = [
    ("requests.", &["post", "put", "patch"]),
    ("httpx.", &["post", "put", "patch"]),
    ("session.", &["post", "put"]),
    ("axios.", &["post", "put", "patch"]),
    ("got.", &["post", "put"]),
    ("urllib.request.", &["urlopen", "Request"]),
    ("request.", &["urlopen", "Request"]),
    ("", &["fetch"]),
];

/// What opens a file within the call.
const OPENERS: [&str; 6] =
    ["open(", "readFileSync(", "createReadStream(", "readFile(", "read_bytes(", "file_get_contents("];

/// Longer calls are looked at so far.
const CALL_MAX: usize = 2_000;

/// The file a call sends, and where to.
pub(super) fn open(call: &FunctionCall, program: &Word) -> Option<Inner> {
    let by = |(head, names): &(&str, &[&str])| names.contains(&call.name) && call.head.ends_with(head);
    let inside = call.inside.filter(|_| SENDERS.iter().any(by))?;
    let (address, after) = call.values.text(inside)?;
    if !address.starts_with("http") {
        return None;
    }
    let own = own_arguments(after);
    let (_, path) = OPENERS.iter().find_map(|opener| own.split_once(opener))?;
    let (path, _) = call.values.text(path)?;
    let line = format!("curl -F f=@{} {}", shell_word(&path), quote(&address));
    Some(Inner::text(Word { text: line.into(), exact: true, ..program.clone() }))
}

/// What is before the parenthesis that ends the call.
fn own_arguments(after: &str) -> &str {
    let after = after.get(..after.floor_char_boundary(CALL_MAX)).unwrap_or(after);
    let mut open = 0usize;
    let end = after.bytes().position(|byte| {
        let ends = byte == b')' && open == 0;
        match byte {
            b'(' => open += 1,
            b')' => open = open.saturating_sub(1),
            _ => {}
        }
        ends
    });
    after.get(..end.unwrap_or(after.len())).unwrap_or(after)
}
