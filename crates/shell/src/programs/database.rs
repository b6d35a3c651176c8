//! Database clients: the statements they are given.

use super::dumps::reached;
use super::{Effects, Model, plain, sql};
use crate::effect_kind::EffectKind;
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
        &["mysql", "mariadb", "mycli", "mysqlsh"],
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
    plain(&["rails", "rake", "artisan", "manage.py", "django-admin"], "e= f= env= settings=", framework),
    plain(&["console"], "f,force e,env= n,no-interaction", framework),
    plain(&["flask"], "A,app= e,env-file= d,directory=", framework),
    plain(
        &["mvn", "mvnw", "gradle", "gradlew"],
        "f,file= P= D= x,exclude-task= p= s= T= I= b= c= g= q,quiet",
        framework,
    ),
    plain(
        &["mongorestore", "mongoimport"],
        "drop dryRun uri= h,host= port= u,username= p,password= d,db= c,collection= file= dir= nsInclude= nsExclude= nsFrom= nsTo=",
        |command, _| drops_if(command.usage.has("--drop") && !command.usage.has("--dryRun")),
    ),
    plain(
        &["pg_restore"],
        "c,clean d,dbname= f,file= F,format= h,host= p,port= U,username= l,list L,use-list= j,jobs= n,schema= t,table= if-exists C,create",
        restore,
    ),
    plain(
        &["prisma", "mix", "sequelize", "sequelize-cli", "typeorm"],
        "schema= f,force force-reset accept-data-loss skip-seed r= config= env= repo= stdin file= url=",
        framework,
    ),
    plain(
        &[
            "flyway",
            "liquibase",
            "sqlx",
            "diesel",
            "dbmate",
            "goose",
            "alembic",
            "atlas",
            "knex",
            "migrate",
            "sea-orm-cli",
        ],
        "y f,force all url= u= env= e= d= dir= path= database= database-url= source= c= config= x= n,name= schema= dev-url= table= \
         changelog-file= username= password= migrations-dir= auto-approve",
        framework,
    ),
    plain(&["dotnet"], "f,force p,project= s,startup-project= c,configuration= o,output=", framework),
];

/// What the texts drop, but for databases and tables no one misses. In a
/// database for tests (`trial`) everything may go.
pub(super) fn drop_statements(texts: &[&Word], input: Option<&str>, trial: bool) -> Effects {
    let mut effects = Effects::none();
    let place = texts.first().map(|word| (*word).clone()).unwrap_or_default();
    let all = texts.iter().map(|word| (word.text.as_str(), *word)).chain(input.map(|text| (text, &place)));
    for (text, word) in all {
        let here = trial && !goes_elsewhere(text);
        let mut temporary = temporary_tables(text);
        for statement in sql::drops(text) {
            if is_spared(&statement, here, &mut temporary) {
                continue;
            }
            effects.on(
                EffectKind::DropsData,
                &Word { text: statement.into(), exact: true, glob: false, span: word.span },
            );
        }
    }
    effects
}

/// Is another database named in this text?
fn goes_elsewhere(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    lower.contains('\\') || lower.split([' ', ';', '\n', '\t']).any(|word| word == "use")
}

/// By its name, is it the database of the tests?
fn is_test_name(name: &str) -> bool {
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    plain && (name.starts_with("test_") || name.ends_with("_test"))
}

/// Does the statement only drop the database of the tests, or a table that
/// was made for this text?
fn is_spared(statement: &str, trial: bool, temporary: &mut Vec<String>) -> bool {
    let lower = statement.to_ascii_lowercase();
    let trim = |word: &'_ str| word.trim_matches(['"', '`', ';']).to_string();
    let words: Vec<String> =
        lower.split_whitespace().map(trim).filter(|word| !matches!(word.as_str(), "if" | "exists")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["drop", "database", name] => is_test_name(name),
        ["drop", "database", ..] => false,
        ["drop", "table", name] if temporary.iter().any(|one| one == name) => {
            // A second one of that name is the one that stays.
            temporary.retain(|one| one != name);
            true
        }
        _ => trial,
    }
}

/// Tables that a text makes for itself, before anything else is said of them.
fn temporary_tables(text: &str) -> Vec<String> {
    let lower = text.to_ascii_lowercase();
    let unclear = ["--", "/*", "#", "'", "$$", "on commit"].iter().any(|sign| lower.contains(sign));
    if unclear || !lower.contains("temp") {
        return Vec::new();
    }
    let is_end = |found: char| found.is_whitespace() || matches!(found, ';' | '(' | ')' | ',' | '"' | '`');
    let words: Vec<&str> = lower
        .split(is_end)
        .filter(|word| !word.is_empty() && !matches!(*word, "if" | "not" | "exists" | "local" | "global"))
        .collect();
    let mut found = Vec::new();
    for (at, four) in words.windows(4).enumerate() {
        if let ["create", "temp" | "temporary", "table", name] = four
            && !words.iter().take(at).any(|word| word == name)
        {
            found.push((*name).to_string());
        }
    }
    found
}

/// The name of a database in an address, or the name itself.
fn base_of(text: &str) -> &str {
    let Some((_, rest)) = text.split_once("://") else { return text };
    let path = rest.split(['?', '#']).next().unwrap_or("");
    path.split_once('/').map_or("", |(_, name)| name)
}

/// Does the client talk to a database for tests?
fn is_test_base(command: &Command) -> bool {
    let usage = &command.usage;
    let named = match command.program.as_str() {
        "psql" | "pgcli" | "pg_restore" => usage.value("--dbname"),
        "mysql" | "mariadb" | "mycli" => usage.value("--database"),
        "mongosh" | "mongo" => None,
        _ => return false,
    };
    let first = usage.operands.first().filter(|_| command.program != "pg_restore");
    named.or(first).is_some_and(|word| word.exact && is_test_name(base_of(&word.text)))
}

fn drops_if(yes: bool) -> Effects {
    let mut effects = Effects::none();
    if yes {
        effects.add(EffectKind::DropsData);
    }
    effects
}

/// Without a database it only prints what it would do.
fn restore(command: &Command, _: Option<&str>) -> Effects {
    let usage = &command.usage;
    let goes_in = usage.has("--dbname") && !usage.has("--list") && !is_test_base(command);
    let mut effects = drops_if(usage.has("--clean") && goes_in);
    effects.on_each(EffectKind::ReadsFile, &usage.operands);
    effects
        .on_each(EffectKind::WritesFile, usage.value("--file").filter(|word| !super::is_stream(&word.text)));
    effects
}

fn statements(command: &Command, input: Option<&str>) -> Effects {
    let usage = &command.usage;
    let named = ["--command", "--execute", "--query", "-Q", "--init-command"];
    let mut texts: Vec<&Word> = named.iter().flat_map(|name| usage.values(name)).collect();
    if matches!(command.program.as_str(), "bq" | "cockroach") {
        texts.extend(&usage.operands);
    }
    let mut trial = is_test_base(command);
    // To MySQL the name in front of a table is that of a database.
    if command.program.starts_with('m') {
        trial = trial && !texts.iter().any(|word| word.text.contains('.')) && input.is_none();
    }
    let mut effects = drop_statements(&texts, input, trial);
    if command.program == "bq" && usage.operands.first().is_some_and(|word| word.text == "rm") {
        effects.on_each(EffectKind::DropsData, usage.operands.iter().skip(1));
    }
    effects.on_each(EffectKind::ReadsFile, usage.value("--file"));
    effects.0.extend(reached(command).0);
    effects
}

fn file_then_statements(command: &Command, input: Option<&str>) -> Effects {
    let usage = &command.usage;
    let mut texts: Vec<&Word> = usage.operands.iter().skip(1).collect();
    texts.extend(usage.values("-c").chain(usage.values("-cmd")));
    if usage.has("-readonly") || usage.has("-safe") {
        return Effects::of(
            EffectKind::ReadsFile,
            usage.operands.first().filter(|word| !word.text.starts_with(':')),
        );
    }
    let trial = usage.operands.first().is_some_and(|word| word.exact && is_trial(&word.text));
    let mut effects = if trial { Effects::none() } else { drop_statements(&texts, input, false) };
    if command.program == "turso" && ends_group(&usage.operands) {
        effects.add(EffectKind::DestroysInfrastructure);
    }
    let file = || usage.operands.first().filter(|word| !word.text.starts_with(':'));
    effects.on_each(EffectKind::ReadsFile, file());
    effects.on_each(EffectKind::WritesFile, file());
    effects
}

/// `turso db destroy app`
fn ends_group(operands: &[Word]) -> bool {
    matches!(operands, [group, verb, ..] if group.text == "db" && verb.text == "destroy")
}

/// A database no one misses: in memory, in the temporary folder, or one for
/// tests by its name.
fn is_trial(name: &str) -> bool {
    let stem = super::base_name(name);
    let mut parts = stem.split(['_', '-', '.']);
    name == ":memory:"
        || name.starts_with("/tmp/") && !name.contains("..")
        || parts.any(|part| matches!(part, "test" | "tests" | "testing" | "tmp" | "temp"))
}

/// Variables that say which environment this is about.
const ENVIRONMENTS: [&str; 9] = [
    "RAILS_ENV",
    "RACK_ENV",
    "APP_ENV",
    "NODE_ENV",
    "MIX_ENV",
    "DJANGO_ENV",
    "FLASK_ENV",
    "ASPNETCORE_ENVIRONMENT",
    "DOTNET_ENVIRONMENT",
];

/// Does a variable in front, or a word behind, say that this is about the
/// tests' database?
fn is_for_tests(command: &Command) -> bool {
    let usage = &command.usage;
    let is_test = |text: &str| matches!(text.to_ascii_lowercase().as_str(), "test" | "testing" | "ci");
    // `app.settings.test`
    let is_module =
        |text: &str| text.rsplit('.').next().is_some_and(|last| matches!(last, "test" | "tests" | "testing"));
    let says = |name: &str, text: &str| match name {
        "DATABASE_URL" => is_trial(base_of(text)),
        "DJANGO_SETTINGS_MODULE" => is_module(text),
        _ => ENVIRONMENTS.contains(&name) && is_test(text),
    };
    // The address of a database counts more than the name of an environment.
    let addresses = command.assignments.iter().filter(|one| one.name == "DATABASE_URL");
    if addresses.clone().any(|one| !one.value.exact || !is_trial(base_of(&one.value.text))) {
        return false;
    }
    let mut behind = usage.operands.iter().filter_map(|word| word.text.split_once('='));
    let option = usage.value("--env").or_else(|| usage.value("-e")).or_else(|| usage.value("--environment"));
    match option {
        Some(named) => is_test(&named.text),
        None => {
            behind.any(|(name, text)| says(name, text))
                || command.assignments.iter().any(|one| says(&one.name, &one.value.text))
                || usage.value("--settings").is_some_and(|named| is_module(&named.text))
        }
    }
}

fn redis(command: &Command, input: Option<&str>) -> Effects {
    let mut effects = Effects::none();
    let verb = command.usage.operands.first().map(|word| word.text.to_ascii_uppercase());
    let by_script = verb.as_deref() == Some("EVAL")
        && command.usage.operands.get(1).is_some_and(|script| {
            let script = script.text.to_ascii_uppercase();
            script.contains("FLUSHALL") || script.contains("FLUSHDB")
        });
    // `--cluster call HOST FLUSHALL` asks every server.
    let by_script = by_script
        || command.usage.has("--cluster")
            && command
                .usage
                .operands
                .iter()
                .any(|word| matches!(word.text.to_ascii_uppercase().as_str(), "FLUSHALL" | "FLUSHDB"));
    let by_word = by_script || verb.is_some_and(|verb| matches!(verb.as_str(), "FLUSHALL" | "FLUSHDB"));
    let by_input = input.is_some_and(|text| {
        let text = text.to_ascii_uppercase();
        text.lines()
            .any(|line| line.trim_start().starts_with("FLUSHALL") || line.trim_start().starts_with("FLUSHDB"))
    });
    let usage = &command.usage;
    let is_far = usage
        .value("-h")
        .is_some_and(|host| !matches!(host.text.as_str(), "localhost" | "127.0.0.1" | "::1"));
    let first = usage.operands.first().map(|word| word.text.to_ascii_uppercase());
    // `… | xargs redis-cli -h db del`: which keys go comes in.
    let is_handed = is_far
        && command.via.iter().any(|name| name == "xargs")
        && matches!(first.as_deref(), Some("DEL" | "UNLINK"));
    let open = [["CONFIG", "SET", "REQUIREPASS"], ["CONFIG", "SET", "PROTECTED-MODE"]];
    let settings: Vec<String> =
        usage.operands.iter().take(4).map(|word| word.text.to_ascii_uppercase()).collect();
    if open.iter().any(|words| settings.starts_with(&words.map(str::to_string)))
        && settings.get(3).is_none_or(|value| value.is_empty() || value == "NO")
    {
        effects.add(EffectKind::WeakensDefence);
    }
    let by_word = by_word || is_handed;
    if by_word || by_input {
        effects.on_each(EffectKind::DropsData, command.usage.operands.iter().take(1));
        if !by_word {
            effects.add(EffectKind::DropsData);
        }
    }
    effects.on_each(EffectKind::ReachesHost, command.usage.value("-h").or_else(|| command.usage.value("-u")));
    effects
}

fn mongo(command: &Command, input: Option<&str>) -> Effects {
    let usage = &command.usage;
    let mut effects = Effects::none();
    let texts = usage.values("--eval").map(|word| word.text.as_str()).chain(input);
    for text in texts {
        let drops = [
            "dropDatabase(",
            "dropDatabase:",
            ".drop(",
            "runCommand({drop:",
            "deleteMany({})",
            "deleteMany()",
            "remove({})",
        ];
        let elsewhere = ["getSiblingDB", "getDB", "use(", "use ", "Mongo("];
        let here = is_test_base(command) && !elsewhere.iter().any(|sign| text.contains(sign));
        if !here && drops.iter().any(|sign| text.replace(' ', "").contains(sign)) {
            effects.add(EffectKind::DropsData);
        }
    }
    effects.0.extend(reached(command).0);
    effects
}

fn drop_operands(command: &Command, _: Option<&str>) -> Effects {
    let named = command.usage.operands.iter().take(1);
    Effects::of(EffectKind::DropsData, named.filter(|word| !(word.exact && is_trial(&word.text))))
}

fn admin(command: &Command, _: Option<&str>) -> Effects {
    let drops = command.usage.operands.first().is_some_and(|word| word.text == "drop");
    if drops { Effects::of(EffectKind::DropsData, command.usage.operands.get(1)) } else { Effects::none() }
}

/// Tasks of web frameworks that empty a database.
const TASKS: [&str; 16] = [
    "db:drop",
    "db:reset",
    "db:purge",
    "db:migrate:reset",
    "db:schema:load",
    "db:truncate_all",
    "migrate:fresh",
    "migrate:reset",
    "migrate:refresh",
    "db:wipe",
    "flush",
    "reset_db",
    "db:drop:all",
    "ecto.drop",
    "ecto.reset",
    "schema:drop",
];

/// What tools of frameworks do with a database.
fn framework(command: &Command, input: Option<&str>) -> Effects {
    let mut effects = Effects::none();
    if is_for_tests(command) || command.usage.has("--help") {
        return effects;
    }
    let words: Vec<&str> = command.usage.operands.iter().map(|word| word.text.as_str()).collect();
    if words.starts_with(&["db", "execute"]) && command.usage.has("--stdin") {
        effects = drop_statements(&[], input, false);
    }
    if empties(command, &words) {
        effects.on_each(EffectKind::DropsData, command.usage.operands.last());
    }
    match (command.program.as_str(), words.as_slice()) {
        ("dotnet", ["add", "package", ..] | ["add", _, "package", ..] | ["tool", "install", ..]) => {
            effects.on_each(EffectKind::InstallsPackage, command.usage.operands.last());
        }
        ("mix", ["deps.get", ..]) => effects.add(EffectKind::InstallsPackage),
        _ => {}
    }
    // `mix do ecto.drop, ecto.create`
    let is_task = |word: &&Word| TASKS.contains(&word.text.trim_end_matches(','));
    // Tools that build have tasks of any name.
    let builds = matches!(command.program.as_str(), "mvn" | "mvnw" | "gradle" | "gradlew");
    effects.on_each(EffectKind::DropsData, command.usage.operands.iter().filter(is_task).filter(|_| !builds));
    effects
}

/// Do these words together empty a database?
fn empties(command: &Command, words: &[&str]) -> bool {
    let has = |name: &str| command.usage.has(name);
    match (command.program.as_str(), words) {
        ("prisma", ["migrate", "reset", ..])
        | ("dotnet", ["ef", "database", "drop", ..])
        | ("liquibase", ["drop-all" | "dropAll", ..])
        | ("sqlx" | "diesel", ["database" | "db", "drop" | "reset", ..])
        | ("dbmate", ["drop", ..])
        | ("goose", [.., "reset"])
        | ("alembic", ["downgrade", "base", ..])
        | ("flask", ["db", "downgrade", "base", ..])
        | ("manage.py" | "django-admin", ["migrate", _, "zero", ..])
        | ("sea-orm-cli", ["migrate", "fresh" | "reset", ..])
        | ("atlas", ["schema", "clean", ..]) => true,
        ("diesel", ["migration", "revert", ..]) => has("--all"),
        ("migrate", words) => {
            let all = || command.words.iter().any(|word| matches!(word.text.as_str(), "-all" | "--all"));
            words.contains(&"drop") || words.contains(&"down") && all()
        }
        ("flyway", words) => words.contains(&"clean"),
        ("mvn" | "mvnw", words) => words.contains(&"flyway:clean"),
        ("gradle" | "gradlew", words) => {
            words.iter().any(|word| word.rsplit(':').next() == Some("flywayClean"))
        }
        ("console", ["doctrine:database:drop" | "doctrine:schema:drop", ..]) => has("--force"),
        ("knex", ["migrate:rollback", ..]) => has("--all"),
        ("prisma", _) => has("--force-reset") || has("--accept-data-loss"),
        _ => false,
    }
}
