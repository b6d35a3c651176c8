//! SQL that programs of other languages hand to a database: each statement that
//! drops or empties something amounts to a `psql -c`.
//!
//! Looks only at literal text behind the names such calls have. A database in
//! memory holds nothing that could be lost.

use super::Inner;
use super::values::Values;
use crate::programs::sql;
use crate::reading::Word;

/// Names of calls that carry out SQL, in the libraries of many languages.
const CALLS: [&str; 22] = [
    "execute",
    "executescript",
    "executemany",
    "execute_sql",
    "exec_driver_sql",
    "execute_batch",
    "executeUpdate",
    "executeRaw",
    "executeRawUnsafe",
    "queryRawUnsafe",
    "query",
    "exec",
    "exec_query",
    "raw",
    "read_sql",
    "sql",
    "text",
    "multi_query",
    "mysqli_query",
    "pg_query",
    "do",
    "batch",
];

/// Calls of libraries that map objects to tables, which empty a table or more.
const EMPTIES: [&str; 9] = [
    "delete_all",
    "destroy_all",
    "deleteMany",
    "drop_all",
    "dropDatabase",
    "dropAllTables",
    "dropSchema",
    "truncate",
    "delete",
];

/// The same for a library: `User.delete_all`, `User.objects.all().delete()`.
pub(super) fn emptied(
    name: &str,
    head: &str,
    inside: Option<&str>,
    text: &str,
    program: &Word,
) -> Option<Inner> {
    if !EMPTIES.contains(&name) {
        return None;
    }
    let owner = head.trim_end_matches(['.', '>', '-', ':']);
    let inside = inside.map(str::trim_start);
    let bare = inside.is_none_or(|inside| inside.starts_with(')') || inside.starts_with("{})"));
    // A class represents its table; what chooses rows ends in a parenthesis.
    let last = owner.rsplit(|found: char| !(found.is_alphanumeric() || found == '_')).next().unwrap_or("");
    let class = last.starts_with(char::is_uppercase);
    let empties = match name {
        // Elixir names the table, and so a whole one.
        "delete_all" if last == "Repo" => inside.is_some_and(is_name),
        "delete_all" | "destroy_all" => bare && class,
        "deleteMany" => bare,
        "truncate" => bare && head.ends_with("->") || bare && class && head.ends_with("::"),
        "delete" => bare && owner.ends_with(".objects.all()"),
        _ => head.ends_with(['.', '>', ':']),
    };
    (empties && !text.contains(":memory:"))
        .then(|| statement(&format!("TRUNCATE TABLE {}", if last.is_empty() { name } else { last }), program))
}

/// Is a name all that is before the parenthesis closes?
fn is_name(inside: &str) -> bool {
    inside
        .split_once(')')
        .is_some_and(|(name, _)| name.chars().all(|found| found.is_alphanumeric() || found == '.'))
}

fn statement(query: &str, program: &Word) -> Inner {
    let word = |text: &str| Word { text: text.into(), exact: true, glob: false, span: program.span };
    Inner::made(vec![word("psql"), word("-c"), word(query)])
}

/// What a call with this argument loses, if it is SQL.
pub(super) fn open(name: &str, inside: &str, text: &str, values: &Values, program: &Word) -> Option<Inner> {
    if !CALLS.contains(&name) {
        return None;
    }
    // PHP's functions take the connection first.
    let argument = match name {
        "mysqli_query" | "pg_query" => inside.split_once(',').map_or(inside, |(_, query)| query),
        _ => inside,
    };
    let (query, _) = values.text(argument.trim_start())?;
    // A word is no statement, and a program in quotes is another matter.
    if !query.contains(char::is_whitespace) || sql::drops(&query).is_empty() || text.contains(":memory:") {
        return None;
    }
    Some(statement(&query, program))
}
