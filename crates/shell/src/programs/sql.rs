//! SQL as far as it drops or empties. A parser reads it where it can; where it
//! cannot, or where databases differ, a scan of the words speaks too: words,
//! strings and comments, no grammar. The stricter of the two counts.

use super::sql_parsed::{Parsed, parsed};

/// Words without which nothing drops; most texts have none of them.
const SIGNS: [&str; 6] = ["drop", "truncate", "delete", "update", "alter", "merge"];

/// Statements of `text` that drop, truncate, or change every row, shortened.
pub(crate) fn drops(text: &str) -> Vec<String> {
    let lower = text.to_ascii_lowercase();
    if !SIGNS.iter().any(|sign| lower.contains(sign)) {
        return Vec::new();
    }
    let text = without_commands(text);
    match parsed(&text) {
        Some(Parsed { drops, sure }) if sure || !drops.is_empty() => drops,
        _ => scanned(&text),
    }
}

/// The text without lines for the client itself (`\c app`, `.mode csv`); what
/// follows `\\` on such a line is SQL again.
fn without_commands(text: &str) -> String {
    let kept = |line: &'_ str| -> String {
        let start = line.trim_start();
        let dotted = start.strip_prefix('.').is_some_and(|rest| rest.starts_with(char::is_alphabetic));
        if start.starts_with('\\') {
            start.split_once("\\\\").map_or_else(String::new, |(_, rest)| rest.to_string())
        } else if dotted {
            String::new()
        } else {
            line.to_string()
        }
    };
    text.lines().map(kept).collect::<Vec<String>>().join("\n")
}

/// What the words alone say.
fn scanned(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for statement in statements(text) {
        if drops_data(&statement) && found.len() < 16 {
            let words: Vec<&str> = statement.iter().map(String::as_str).take(8).collect();
            found.push(words.join(" "));
        }
    }
    found
}

/// The words of each statement, in capitals where they are no names in quotes.
fn statements(text: &str) -> Vec<Vec<String>> {
    let mut all = vec![Vec::new()];
    let mut chars = text.chars().peekable();
    let mut word = String::new();
    while let Some(found) = chars.next() {
        if found.is_alphanumeric() || matches!(found, '_' | '.') {
            word.push(found);
            continue;
        }
        end_word(&mut word, &mut all);
        match found {
            ';' => all.push(Vec::new()),
            '\'' | '"' | '`' => skip_quoted(found, &mut chars, &mut all),
            '-' if chars.peek() == Some(&'-') => skip_line(&mut chars),
            '#' => skip_line(&mut chars),
            '/' if chars.peek() == Some(&'*') => skip_comment(&mut chars),
            _ => {}
        }
    }
    end_word(&mut word, &mut all);
    all
}

type Rest<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn end_word(word: &mut String, all: &mut [Vec<String>]) {
    if !word.is_empty()
        && let Some(statement) = all.last_mut()
    {
        statement.push(word.to_ascii_uppercase());
    }
    word.clear();
}

fn skip_quoted(quote: char, chars: &mut Rest, all: &mut [Vec<String>]) {
    for found in chars.by_ref() {
        if found == quote {
            break;
        }
    }
    if let Some(statement) = all.last_mut() {
        statement.push("?".to_string());
    }
}

fn skip_line(chars: &mut Rest) {
    for found in chars.by_ref() {
        if found == '\n' {
            break;
        }
    }
}

/// Skips a comment – but what MySQL runs in `/*! … */` stays.
fn skip_comment(chars: &mut Rest) {
    chars.next();
    if chars.peek() == Some(&'!') {
        return;
    }
    let mut last = ' ';
    for found in chars.by_ref() {
        if last == '*' && found == '/' {
            break;
        }
        last = found;
    }
}

fn drops_data(statement: &[String]) -> bool {
    let has = |word: &str| statement.iter().any(|one| one == word);
    let pair = |first: &str, second: &[&str]| {
        statement
            .windows(2)
            .any(|two| matches!(two, [one, other] if one == first && second.contains(&other.as_str())))
    };
    let first = statement
        .iter()
        .find(|word| !matches!(word.as_str(), "EXPLAIN" | "BEGIN"))
        .map_or("", String::as_str);
    match first {
        "DROP" => pair(
            "DROP",
            &["TABLE", "DATABASE", "SCHEMA", "TABLESPACE", "COLLECTION", "KEYSPACE", "OWNED", "MATERIALIZED"],
        ),
        "TRUNCATE" => true,
        "ALTER" => {
            has("DROP")
                && (pair("DROP", &["COLUMN", "PARTITION"])
                    || has("TABLE") && !pair("DROP", &["CONSTRAINT", "DEFAULT", "NOT", "INDEX"]))
        }
        "DELETE" => has("FROM") && !has("WHERE"),
        "UPDATE" => has("SET") && !has("WHERE"),
        "WITH" => !has("WHERE") && (pair("DELETE", &["FROM"]) || has("UPDATE") && has("SET")),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::drops;

    #[test]
    fn statements_that_drop_are_found() {
        for text in [
            "DROP TABLE users",
            "select 1; drop database x;",
            "TRUNCATE users",
            "delete from users",
            "UPDATE users SET a = 'WHERE'",
            "DELETE FROM users -- WHERE id = 1",
            "drop/**/table x",
            "alter table x drop column y",
            "/*! DROP TABLE x */",
            "DELETE FROM users WHERE 1 = 1",
            "delete from users where true or id = 7",
            "delete from users where 2 > 1",
            "delete from users where not false",
            "UPDATE t SET a = (SELECT b FROM u WHERE u.id = 1)",
            "WITH gone AS (DELETE FROM users RETURNING *) SELECT * FROM gone WHERE id = 1",
            "explain analyze delete from users",
            "BEGIN; DELETE FROM users; COMMIT;",
            "BEGIN; DROP TABLE users; ROLLBACK;",
            "\\c app\nDROP TABLE users;",
            "SELECT $$; DROP TABLE x; -- $$",
            "DROP SCHEMA public CASCADE",
            "drop table if exists a, b",
            "((((((((delete from t))))))))",
        ] {
            assert_eq!(drops(text).len(), 1, "{text}");
        }
    }

    #[test]
    fn statements_that_do_not_drop_are_left_alone() {
        for text in [
            "select * from users where name = 'drop table x'",
            "delete from users where id = 1",
            "-- drop table x",
            "/* drop table x */ select 1",
            "insert into t values ('; truncate t')",
            "drop index i",
            "update t set a = 1 where b = 2",
            "alter table t drop constraint c",
            "explain delete from users",
            "BEGIN; DELETE FROM users; ROLLBACK;",
            "delete from users where id in (select id from old)",
            "update t set a = 'x' where id = 1 and b = 2",
            "select 'drop table x; delete from y' as text",
            "create table deleted (id int)",
            "insert into log values ('update t set a = 1')",
            "drop view v",
            "select updated_at from t",
            "delete from t limit 10",
            "delete from t where 1 > 2",
            "delete from t where not true",
        ] {
            assert!(drops(text).is_empty(), "{text}");
        }
    }
}
