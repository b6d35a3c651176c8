//! Programs that are several small tools in one: `cmake -E rm x` is `rm x`,
//! `coreutils --coreutils-prog=rm x` too.

use super::{Inner, arguments};
use crate::reading::{Command, Word};
use crate::stream::Stream;

/// Commands of `cmake -E`, and the words each amounts to.
const CMAKE: &[(&str, &[&str])] = &[
    ("rm", &["rm"]),
    ("remove", &["rm"]),
    ("remove_directory", &["rm", "-rf"]),
    ("env", &["env"]),
    ("time", &["time"]),
    ("cat", &["cat"]),
    ("copy", &["cp"]),
    ("copy_if_different", &["cp"]),
    ("copy_directory", &["cp", "-r"]),
    ("rename", &["mv"]),
    ("touch", &["touch"]),
    ("make_directory", &["mkdir", "-p"]),
    ("create_symlink", &["ln", "-s"]),
    ("create_hardlink", &["ln"]),
    ("tar", &["tar"]),
    ("md5sum", &["md5sum"]),
    ("sha256sum", &["sha256sum"]),
];

pub(super) fn open(command: &Command, _: Option<&Stream>) -> Option<Vec<Inner>> {
    match command.program.as_str() {
        "cmake" => cmake(arguments(command)),
        "coreutils" => Some(coreutils(arguments(command))),
        _ => None,
    }
}

fn cmake(words: &[Word]) -> Option<Vec<Inner>> {
    let [mode, name, rest @ ..] = words else { return None };
    if mode.text != "-E" {
        return None;
    }
    if name.text == "chdir" {
        let (dir, run) = rest.split_first()?;
        return Some(vec![Inner::Words {
            words: run.to_vec(),
            assignments: Vec::new(),
            dir: Some(dir.clone()),
            moved: false,
            same_shell: false,
        }]);
    }
    let (_, amounts) = CMAKE.iter().find(|(known, _)| *known == name.text)?;
    Some(vec![Inner::made(amounts.iter().map(|text| made(text, name)).chain(rest.iter().cloned()).collect())])
}

/// `coreutils --coreutils-prog=rm x`, `coreutils rm x`.
fn coreutils(words: &[Word]) -> Vec<Inner> {
    let Some((first, rest)) = words.split_first() else { return Vec::new() };
    let named = ["--coreutils-prog=", "--coreutils-prog-shebang="];
    let name = named.iter().find_map(|head| first.text.strip_prefix(head)).unwrap_or(&first.text);
    vec![Inner::made(std::iter::once(made(name, first)).chain(rest.iter().cloned()).collect())]
}

fn made(text: &str, like: &Word) -> Word {
    Word { text: text.into(), exact: like.exact, glob: false, span: like.span }
}
