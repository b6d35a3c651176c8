//! What the records come to about supervisors, kept next to them so that all
//! hook processes share it: the health of each, and answers that may hold again.

use crate::error::StoreError;
use crate::projection;
use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use toolgate_core::{Health, KeptAnswer, Record, Request, SupervisionChange, supervision_changes};

/// What a replay of the records gives.
#[derive(Default)]
pub(crate) struct Supervised {
    pub health: BTreeMap<String, Health>,
    pub answers: BTreeMap<String, KeptAnswer>,
}

/// What is stored; `None` where a row is not as we write it.
pub(crate) struct Stored {
    pub health: BTreeMap<String, Option<Health>>,
    pub answers: BTreeMap<String, Option<KeptAnswer>>,
}

impl Supervised {
    /// One more record; `request` is the request before it.
    pub(crate) fn fold(&mut self, record: &Record, request: impl Fn(&str) -> Option<Request>) {
        for change in supervision_changes(record, request) {
            match change {
                SupervisionChange::Health(name, step) => {
                    let before = self.health.remove(&name).unwrap_or_default();
                    self.health.insert(name, step.after(before));
                }
                SupervisionChange::Answer(shape, answer) => {
                    self.answers.insert(shape, answer);
                }
            }
        }
    }
}

/// Folds one record, before the request it is about changes.
pub(crate) fn fold(connection: &Connection, record: &Record) -> Result<(), StoreError> {
    let request = |id: &str| projection::request(connection, id).ok().flatten();
    for change in supervision_changes(record, request) {
        match change {
            SupervisionChange::Health(name, step) => {
                let after = step.after(health(connection, &name)?);
                let sql = "INSERT INTO supervisor (name, body) VALUES (?1, ?2)
                           ON CONFLICT (name) DO UPDATE SET body = ?2";
                put(connection, sql, &name, &after)?;
            }
            SupervisionChange::Answer(shape, answer) => {
                let sql = "INSERT INTO supervised (shape, body) VALUES (?1, ?2)
                           ON CONFLICT (shape) DO UPDATE SET body = ?2";
                put(connection, sql, &shape, &answer)?;
            }
        }
    }
    Ok(())
}

fn put<T: Serialize>(connection: &Connection, sql: &str, key: &str, value: &T) -> Result<(), StoreError> {
    connection.prepare_cached(sql)?.execute(params![key, serde_json::to_string(value)?])?;
    Ok(())
}

fn get<T: DeserializeOwned>(connection: &Connection, sql: &str, key: &str) -> Result<Option<T>, StoreError> {
    let body: Option<String> =
        connection.prepare_cached(sql)?.query_row([key], |row| row.get(0)).optional()?;
    Ok(body.map(|body| serde_json::from_str(&body)).transpose()?)
}

/// The health of a supervisor; a new one if it was never asked.
pub(crate) fn health(connection: &Connection, name: &str) -> Result<Health, StoreError> {
    Ok(get(connection, "SELECT body FROM supervisor WHERE name = ?1", name)?.unwrap_or_default())
}

/// The last answer to a question of this shape.
pub(crate) fn kept(connection: &Connection, shape: &str) -> Result<Option<KeptAnswer>, StoreError> {
    get(connection, "SELECT body FROM supervised WHERE shape = ?1", shape)
}

/// Every row.
pub(crate) fn all(connection: &Connection) -> Result<Stored, StoreError> {
    let health = rows(connection, "SELECT name, body FROM supervisor")?;
    let answers = rows(connection, "SELECT shape, body FROM supervised")?;
    Ok(Stored { health, answers })
}

fn rows<T: Serialize + DeserializeOwned>(
    connection: &Connection,
    sql: &str,
) -> Result<BTreeMap<String, Option<T>>, StoreError> {
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
    let rows: Vec<(String, String)> = rows.collect::<Result<_, _>>()?;
    let read = |body: &str| {
        let value: T = serde_json::from_str(body).ok()?;
        (serde_json::to_string(&value).ok()? == body).then_some(value)
    };
    Ok(rows.into_iter().map(|(key, body)| (key, read(&body))).collect())
}
