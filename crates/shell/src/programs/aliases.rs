//! Other names of subcommands: `npm i` is `npm install`, `cargo b` is
//! `cargo build`. Data only; rules and option tables speak of the full name.

/// A short name and what it represents.
type Alias = (&'static str, &'static str);

/// Programs, and the short names of their subcommands.
const ALIASES: &[(&[&str], &[Alias])] = &[
    (
        &["npm"],
        &[
            ("i", "install"),
            ("in", "install"),
            ("ins", "install"),
            ("inst", "install"),
            ("insta", "install"),
            ("instal", "install"),
            ("isnt", "install"),
            ("isnta", "install"),
            ("isntal", "install"),
            ("isntall", "install"),
            ("add", "install"),
            ("un", "uninstall"),
            ("unlink", "uninstall"),
            ("remove", "uninstall"),
            ("rm", "uninstall"),
            ("r", "uninstall"),
            ("up", "update"),
            ("upgrade", "update"),
            ("udpate", "update"),
            ("t", "test"),
            ("tst", "test"),
            ("x", "exec"),
            ("run-script", "run"),
            ("rum", "run"),
            ("urn", "run"),
            ("clean-install", "ci"),
            ("ic", "ci"),
            ("install-clean", "ci"),
            ("it", "install-test"),
            ("c", "config"),
            ("ls", "list"),
            ("la", "list"),
            ("ll", "list"),
            ("v", "view"),
            ("info", "view"),
            ("show", "view"),
            ("create", "init"),
            ("innit", "init"),
            ("ddp", "dedupe"),
            ("dist-tags", "dist-tag"),
            ("ln", "link"),
            ("rb", "rebuild"),
            ("s", "search"),
            ("se", "search"),
            ("find", "search"),
            ("author", "owner"),
            ("issues", "bugs"),
        ],
    ),
    (
        &["pnpm"],
        &[
            ("i", "install"),
            ("rm", "remove"),
            ("un", "remove"),
            ("uninstall", "remove"),
            ("up", "update"),
            ("upgrade", "update"),
            ("t", "test"),
            ("tst", "test"),
            ("run-script", "run"),
            ("ls", "list"),
            ("it", "install-test"),
            ("ln", "link"),
            ("rb", "rebuild"),
        ],
    ),
    (&["bun"], &[("i", "install"), ("a", "add"), ("rm", "remove"), ("c", "create"), ("x", "exec")]),
    (&["yarn"], &[("up", "upgrade")]),
    (
        &["cargo"],
        &[("b", "build"), ("c", "check"), ("t", "test"), ("r", "run"), ("d", "doc"), ("rm", "remove")],
    ),
];

/// The full name of a subcommand.
#[must_use]
pub fn canonical_sub<'a>(program: &str, word: &'a str) -> &'a str {
    let known =
        ALIASES.iter().find(|(names, _)| names.contains(&program)).map_or(&[][..], |(_, known)| *known);
    known.iter().find(|(short, _)| *short == word).map_or(word, |(_, full)| full)
}
