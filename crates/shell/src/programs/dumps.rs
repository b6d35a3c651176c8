//! Programs that copy databases out, and the server a client of a database talks to.

use super::{Effects, Model, plain};
use crate::effect_kind::EffectKind;
use crate::reading::{Command, Word};

pub(super) const MODELS: &[Model] = &[
    plain(
        &["pg_dump", "pg_dumpall", "createdb"],
        "h,host= p,port= U,username= d,dbname= f,file= F,format= n,schema= t,table= T,exclude-table= j,jobs= a s c,clean C v O x w W Z,compress=",
        dump,
    ),
    plain(
        &["mysqldump", "mariadb-dump"],
        "h,host= P,port= u,user= p,password? r,result-file= B,databases A,all-databases S,socket= single-transaction q,quick",
        dump,
    ),
    plain(
        &["mongodump", "mongoexport"],
        "h,host= port= uri= d,db= c,collection= o,out= archive? u,username= p,password=",
        dump,
    ),
];

/// The server a client talks to: by option, by address, or by a list of settings.
pub(super) fn reached(command: &Command) -> Effects {
    let usage = &command.usage;
    let mut effects = Effects::of(EffectKind::ReachesHost, usage.value("--host"));
    let named = usage.operands.iter().chain(usage.values("--dbname")).chain(usage.values("--uri"));
    for word in named {
        if word.text.contains("://") {
            effects.on(EffectKind::ReachesHost, word);
        }
        // `psql "host=db port=5432"`
        let host = word.text.split_whitespace().find_map(|part| part.strip_prefix("host="));
        effects
            .on_each(EffectKind::ReachesHost, &host.map(|text| Word { text: text.into(), ..word.clone() }));
    }
    let by_variable = |name: &str| matches!(name, "PGHOST" | "MYSQL_HOST");
    let variables = command.assignments.iter().filter(|one| by_variable(&one.name));
    effects.on_each(EffectKind::ReachesHost, variables.map(|one| &one.value));
    effects
}

/// What is copied out of a database lands in a file.
fn dump(command: &Command, _: Option<&str>) -> Effects {
    let mut effects = reached(command);
    let files =
        ["--file", "--result-file", "--out", "--archive"].iter().filter_map(|name| command.usage.value(name));
    effects.on_each(EffectKind::WritesFile, files.filter(|word| !super::is_stream(&word.text)));
    effects
}
