//! Pins of tools, kept next to the records they come from.

use crate::error::StoreError;
use crate::sqlite::bodies;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::BTreeMap;
use toolgate_core::{Entry, Pin, Record};

/// Folds one record.
pub(crate) fn fold(connection: &Connection, record: &Record) -> Result<(), StoreError> {
    let Entry::Pinned(change) = &record.entry else { return Ok(()) };
    let sql = "SELECT body FROM pin WHERE server = ?1 AND tool = ?2";
    let body: Option<String> = connection
        .prepare_cached(sql)?
        .query_row([&change.server, &change.tool], |row| row.get(0))
        .optional()?;
    let before: Option<Pin> = body.map(|body| serde_json::from_str(&body)).transpose()?;
    let Some(after) = change.after(before, record.time_ms) else { return Ok(()) };
    let sql = "INSERT INTO pin (server, tool, body) VALUES (?1, ?2, ?3)
               ON CONFLICT (server, tool) DO UPDATE SET body = ?3";
    let body = serde_json::to_string(&after)?;
    connection.prepare_cached(sql)?.execute(params![after.server, after.tool, body])?;
    Ok(())
}

/// The pins of one server.
pub(crate) fn of_server(connection: &Connection, server: &str) -> Result<Vec<Pin>, StoreError> {
    let sql = "SELECT body FROM pin WHERE server = ?1 ORDER BY tool";
    bodies(connection, sql, [server])?.iter().map(|body| Ok(serde_json::from_str(body)?)).collect()
}

/// Every pin.
pub(crate) fn all(connection: &Connection) -> Result<Vec<Pin>, StoreError> {
    let sql = "SELECT body FROM pin ORDER BY server, tool";
    bodies(connection, sql, [])?.iter().map(|body| Ok(serde_json::from_str(body)?)).collect()
}

/// Every row by server and tool, for checking them against the records; `None` where a
/// row is not as we write it.
pub(crate) fn rows(connection: &Connection) -> Result<BTreeMap<String, Option<Pin>>, StoreError> {
    let mut statement = connection.prepare("SELECT server, tool, body FROM pin")?;
    let rows = statement.query_map([], |row| {
        let (server, tool, body): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let pin = serde_json::from_str(&body).ok().filter(|pin: &Pin| {
            (&pin.server, &pin.tool) == (&server, &tool)
                && serde_json::to_string(pin).is_ok_and(|own| own == body)
        });
        Ok((key_of(&server, &tool), pin))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// One name for the pin of a tool of a server.
pub(crate) fn key_of(server: &str, tool: &str) -> String {
    format!("{server}\n{tool}")
}
