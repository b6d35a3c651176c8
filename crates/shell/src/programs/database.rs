//! Database clients: the statements they are given.

use super::{Deeds, Model, plain, sql};
use crate::deed::Deed;
use crate::options::Spec;
use crate::reading::{Command, Word};

pub(super) const MODELS: &[Model] = &[
    plain(
        &["psql", "pgcli", "cockroach", "usql"],
        "c,command=~ f,file= d,dbname= h,host= p,port= U,username= v,set= P,pset= F,field-separator= R,record-separator= o,output= L,log-file= T= \
         A,no-align t,tuples-only q,quiet w,no-password W,password X,no-psqlrc 1,single-transaction e a E l,list execute=~",
        statements,
    ),
    plain(
        &["mysql", "mariadb", "mycli"],
        "e,execute=~ h,host= u,user= p,password? P,port= D,database= S,socket= N,skip-column-names B,batch s,silent f,force init-command=~ default-character-set=",
        statements,
    ),
    Model {
        names: &["sqlite3", "sqlite", "duckdb", "litecli", "turso", "libsql"],
        spec: Spec {
            options: "c=~ cmd=~ init= separator= nullvalue= header noheader csv json line list column batch bail readonly safe html \
                      interactive markdown table box quote ascii tabs vfs= newline= lookaside= mmap= echo stats version help",
            leading: false,
            short_names: false,
            one_dash: true,
        },
        subs: &[],
        groups: &[],
        effects: file_then_statements,
    },
    plain(
        &[
            "sqlcmd",
            "clickhouse-client",
            "clickhouse",
            "snowsql",
            "cqlsh",
            "isql",
            "trino",
            "presto",
            "hive",
            "beeline",
            "impala-shell",
        ],
        "q,query=~ Q=~ e,execute=~ f,file= S= U= P= d= h,host= u= p= i= o=",
        statements,
    ),
    plain(&["bq"], "f,force r,recursive d,dataset t,table m,model project_id= location= format=", statements),
    plain(
        &["redis-cli", "valkey-cli", "keydb-cli"],
        "h= p= a= n= u= s= r= i= x c user= pass= eval= raw csv",
        redis,
    ),
    plain(&["mongosh", "mongo"], "eval=~ host= port= u,username= p,password= f,file= quiet norc", mongo),
    plain(
        &["dropdb", "dropuser"],
        "h,host= p,port= U,username= e,echo i,interactive if-exists f,force maintenance-db=",
        drop_operands,
    ),
    plain(&["mysqladmin", "mariadb-admin"], "h,host= u,user= p,password? P,port= f,force", admin),
    plain(&["rails", "rake", "artisan", "manage.py", "django-admin"], "e= f=", framework),
    plain(
        &["prisma", "mix", "sequelize", "sequelize-cli", "typeorm"],
        "schema= f,force force-reset skip-seed r= config= env= repo=",
        framework,
    ),
    plain(
        &["flyway", "liquibase", "sqlx", "diesel", "dbmate", "goose", "alembic", "atlas", "knex", "migrate"],
        "y f,force all url= u= env= e= d= dir= path= database= database-url= source= c= config= x= n,name= schema= dev-url= table= \
         changelog-file= username= password= migrations-dir= auto-approve",
        framework,
    ),
    plain(&["dotnet"], "f,force p,project= s,startup-project= c,configuration= o,output=", framework),
];

fn drop_statements(texts: &[&Word], input: Option<&str>) -> Deeds {
    let mut deeds = Deeds::none();
    let place = texts.first().map(|word| (*word).clone()).unwrap_or_default();
    let all = texts.iter().map(|word| (word.text.as_str(), *word)).chain(input.map(|text| (text, &place)));
    for (text, word) in all {
        for statement in sql::drops(text) {
            deeds.on(
                Deed::DropsData,
                &Word { text: statement.into(), exact: true, glob: false, span: word.span },
            );
        }
    }
    deeds
}

fn statements(command: &Command, input: Option<&str>) -> Deeds {
    let usage = &command.usage;
    let named = ["--command", "--execute", "--query", "-Q", "--init-command"];
    let mut texts: Vec<&Word> = named.iter().flat_map(|name| usage.values(name)).collect();
    if matches!(command.program.as_str(), "bq" | "cockroach") {
        texts.extend(&usage.operands);
    }
    let mut deeds = drop_statements(&texts, input);
    if command.program == "bq" && usage.operands.first().is_some_and(|word| word.text == "rm") {
        deeds.on_each(Deed::DropsData, usage.operands.iter().skip(1));
    }
    deeds.on_each(Deed::ReadsFile, usage.value("--file"));
    deeds.on_each(Deed::ReachesHost, usage.value("--host"));
    deeds.on_each(Deed::ReachesHost, usage.operands.iter().filter(|word| word.text.contains("://")));
    deeds
}

fn file_then_statements(command: &Command, input: Option<&str>) -> Deeds {
    let usage = &command.usage;
    let mut texts: Vec<&Word> = usage.operands.iter().skip(1).collect();
    texts.extend(usage.values("-c").chain(usage.values("-cmd")));
    if usage.has("-readonly") || usage.has("-safe") {
        return Deeds::of(Deed::ReadsFile, usage.operands.first().filter(|word| !word.text.starts_with(':')));
    }
    let trial = usage.operands.first().is_some_and(|word| word.exact && is_trial(&word.text));
    let mut deeds = if trial { Deeds::none() } else { drop_statements(&texts, input) };
    let file = || usage.operands.first().filter(|word| !word.text.starts_with(':'));
    deeds.on_each(Deed::ReadsFile, file());
    deeds.on_each(Deed::WritesFile, file());
    deeds
}

/// A database nobody misses: in memory, in the temporary folder, or one for
/// tests by its name.
fn is_trial(name: &str) -> bool {
    let stem = super::base_name(name);
    let mut parts = stem.split(['_', '-', '.']);
    name == ":memory:"
        || name.starts_with("/tmp/") && !name.contains("..")
        || parts.any(|part| matches!(part, "test" | "tests" | "testing" | "tmp" | "temp"))
}

/// Does a variable in front say that this is about the tests' database?
fn is_for_tests(command: &Command) -> bool {
    let variables = ["RAILS_ENV", "RACK_ENV", "APP_ENV", "NODE_ENV", "MIX_ENV", "DJANGO_ENV", "FLASK_ENV"];
    command.assignments.iter().any(|one| {
        variables.contains(&one.name.as_str()) && matches!(one.value.text.as_str(), "test" | "testing" | "ci")
    })
}

fn redis(command: &Command, input: Option<&str>) -> Deeds {
    let mut deeds = Deeds::none();
    let verb = command.usage.operands.first().map(|word| word.text.to_ascii_uppercase());
    let by_script = verb.as_deref() == Some("EVAL")
        && command.usage.operands.get(1).is_some_and(|script| {
            let script = script.text.to_ascii_uppercase();
            script.contains("FLUSHALL") || script.contains("FLUSHDB")
        });
    let by_word = by_script || verb.is_some_and(|verb| matches!(verb.as_str(), "FLUSHALL" | "FLUSHDB"));
    let by_input = input.is_some_and(|text| {
        let text = text.to_ascii_uppercase();
        text.lines()
            .any(|line| line.trim_start().starts_with("FLUSHALL") || line.trim_start().starts_with("FLUSHDB"))
    });
    if by_word || by_input {
        deeds.on_each(Deed::DropsData, command.usage.operands.iter().take(1));
        if !by_word {
            deeds.add(Deed::DropsData);
        }
    }
    deeds.on_each(Deed::ReachesHost, command.usage.value("-h"));
    deeds
}

fn mongo(command: &Command, input: Option<&str>) -> Deeds {
    let usage = &command.usage;
    let mut deeds = Deeds::none();
    let texts = usage.values("--eval").map(|word| word.text.as_str()).chain(input);
    for text in texts {
        let drops =
            ["dropDatabase(", "dropDatabase:", ".drop(", "deleteMany({})", "deleteMany()", "remove({})"];
        if drops.iter().any(|sign| text.replace(' ', "").contains(sign)) {
            deeds.add(Deed::DropsData);
        }
    }
    deeds
}

fn drop_operands(command: &Command, _: Option<&str>) -> Deeds {
    let named = command.usage.operands.iter().take(1);
    Deeds::of(Deed::DropsData, named.filter(|word| !(word.exact && is_trial(&word.text))))
}

fn admin(command: &Command, _: Option<&str>) -> Deeds {
    let drops = command.usage.operands.first().is_some_and(|word| word.text == "drop");
    if drops { Deeds::of(Deed::DropsData, command.usage.operands.get(1)) } else { Deeds::none() }
}

/// Tasks of web frameworks that empty a database.
fn framework(command: &Command, _: Option<&str>) -> Deeds {
    let tasks = [
        "db:drop",
        "db:reset",
        "db:purge",
        "migrate:fresh",
        "migrate:reset",
        "db:wipe",
        "flush",
        "reset_db",
        "db:drop:all",
        "ecto.drop",
        "ecto.reset",
        "schema:drop",
    ];
    let mut deeds = Deeds::none();
    if is_for_tests(command) || command.usage.has("--help") {
        return deeds;
    }
    let words: Vec<&str> = command.usage.operands.iter().map(|word| word.text.as_str()).collect();
    let in_words = match (command.program.as_str(), words.as_slice()) {
        ("prisma", ["migrate", "reset", ..])
        | ("dotnet", ["ef", "database", "drop", ..])
        | ("liquibase", ["drop-all" | "dropAll", ..])
        | ("sqlx" | "diesel", ["database" | "db", "drop" | "reset", ..])
        | ("dbmate", ["drop", ..])
        | ("goose", [.., "reset"])
        | ("alembic", ["downgrade", "base", ..])
        | ("atlas", ["schema", "clean", ..]) => true,
        ("migrate", words) => words.contains(&"drop"),
        ("flyway", words) => words.contains(&"clean"),
        ("knex", ["migrate:rollback", ..]) => command.usage.has("--all"),
        ("prisma", _) => command.usage.has("--force-reset"),
        _ => false,
    };
    if in_words {
        deeds.on_each(Deed::DropsData, command.usage.operands.last());
    }
    let operands = command.usage.operands.iter();
    deeds.on_each(Deed::DropsData, operands.filter(|word| tasks.contains(&word.text.as_str())));
    deeds
}
