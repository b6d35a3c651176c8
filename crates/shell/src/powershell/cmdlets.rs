//! Cmdlets: names, parameters, and the shell command each amounts to.
//!
//! A new cmdlet is one row of [`CMDLETS`]. Parameters stand in the order of their places; the
//! number of those that may be given without a name comes first. `=` marks one that takes a value.

use super::emit::{Sort, word};
use super::given::{Cmdlet, Given, Stage, name_of, parameters, row};
use super::split::{Argument, Part, Token, known_text};

/// What a stage became.
#[derive(Default)]
pub(super) struct Made {
    pub(super) line: Option<String>,
    /// PowerShell text it runs.
    pub(super) nested: Option<String>,
    /// Files it hands on.
    pub(super) upstream: Vec<Argument>,
}

const CMDLETS: &[Cmdlet] = &[
    row(
        &["remove-item", "ri", "rm", "del", "erase", "rd", "rmdir"],
        1,
        "path= recurse force literalpath= filter= include= exclude=",
        remove,
    ),
    row(&["clear-content", "clc"], 1, "path= literalpath= force", |one| one.on_files("truncate -s 0 --")),
    row(&["move-item", "mi", "mv", "move"], 2, "path= destination= force literalpath=", |one| {
        one.carried("mv")
    }),
    row(&["rename-item", "rni", "ren"], 2, "path= newname= force literalpath=", rename),
    row(
        &["copy-item", "cpi", "cp", "copy"],
        2,
        "path= destination= recurse force literalpath= container filter=",
        |one| one.carried(if one.has("recurse") { "cp -r" } else { "cp" }),
    ),
    row(&["set-content", "sc"], 2, "path= value= literalpath= encoding= force nonewline", |one| {
        one.on_files("tee --")
    }),
    row(&["add-content", "ac"], 2, "path= value= literalpath= encoding= force", |one| {
        one.on_files("tee -a --")
    }),
    row(
        &["out-file"],
        2,
        "filepath= encoding= append literalpath= inputobject= width= force noclobber",
        |one| one.on_files(if one.has("append") { "tee -a --" } else { "tee --" }),
    ),
    row(&["tee-object", "tee"], 1, "filepath= append literalpath= variable= inputobject=", |one| {
        one.on_files(if one.has("append") { "tee -a --" } else { "tee --" })
    }),
    row(
        &["export-csv", "epcsv", "export-clixml", "start-transcript"],
        1,
        "path= literalpath= append force notypeinformation delimiter=",
        |one| one.on_files("tee --"),
    ),
    row(&["new-item", "ni"], 1, "path= itemtype= type= name= value= target= force", new_item),
    row(&["mkdir", "md"], 1, "path= force", |one| one.on_files("mkdir -p --")),
    row(
        &["get-content", "gc", "cat", "type", "import-csv", "ipcsv", "import-clixml", "format-hex"],
        1,
        "path= literalpath= totalcount= head= tail= raw encoding= wait",
        |one| one.on_files("cat --"),
    ),
    row(
        &["select-string", "sls"],
        2,
        "pattern= path= literalpath= simplematch context= allmatches list quiet casesensitive",
        |one| {
            let pattern = one.text("pattern").unwrap_or_else(|| "''".to_owned());
            one.files_or_input(&format!("grep -e {pattern} --"), "grep x")
        },
    ),
    row(&["expand-archive"], 2, "path= destinationpath= literalpath= force", |one| {
        let to = one.word("destinationpath").unwrap_or_else(|| ".".to_owned());
        Some(format!("unzip -o {} -d {to}", one.files().first()?))
    }),
    row(
        &["compress-archive"],
        2,
        "path= destinationpath= literalpath= update force compressionlevel=",
        |one| Some(format!("zip -r {} {}", one.word("destinationpath")?, one.files().join(" "))),
    ),
    row(
        &["invoke-webrequest", "iwr", "invoke-restmethod", "irm", "curl", "wget"],
        1,
        "uri= method= body= outfile= headers= infile= contenttype= useragent= credential= \
         timeoutsec= form= sessionvariable= websession= proxy= token= authentication= usebasicparsing skipcertificatecheck",
        fetch,
    ),
    row(&["start-bitstransfer"], 2, "source= destination=", |one| {
        Some(format!("curl -o {} {}", one.word("destination")?, one.text("source")?))
    }),
    row(&["stop-computer"], 0, "force computername=", |_| Some("shutdown now".to_owned())),
    row(&["restart-computer"], 0, "force computername=", |_| Some("reboot".to_owned())),
    row(&["stop-process", "spps", "kill"], 1, "id= name= force inputobject= passthru", |one| {
        let id = one.text("id").map(|id| format!("kill {id}"));
        let name = one.text("name").map(|name| format!("pkill {name}"));
        id.or(name).or_else(|| Some("kill \"${PS_id:?}\"".to_owned()))
    }),
    row(&["stop-service", "spsv", "restart-service"], 1, "name= force", |one| {
        Some(format!("systemctl stop {}", one.text("name")?))
    }),
    row(
        &["start-process", "saps", "start"],
        2,
        "filepath= argumentlist= verb= workingdirectory= wait nonewwindow passthru windowstyle= \
         redirectstandardoutput= redirectstandarderror= credential=",
        start,
    ),
    row(
        &["format-volume", "clear-disk", "initialize-disk", "remove-partition"],
        1,
        "driveletter= number= filesystem= force removedata",
        |_| Some("mkfs.ext4 /dev/sda".to_owned()),
    ),
    row(
        &["set-location", "sl", "cd", "chdir", "push-location", "pushd"],
        1,
        "path= literalpath= passthru",
        |one| one.on_files("cd --"),
    ),
    row(&["pop-location", "popd"], 0, "", |_| Some("popd".to_owned())),
    row(
        &["write-output", "echo", "write", "write-host", "write-error", "write-warning", "write-information"],
        0,
        "foregroundcolor= backgroundcolor= nonewline",
        |one| Some(format!("echo {}", one.rest().join(" ")).trim_end().to_owned()),
    ),
    row(&["set-acl", "unblock-file"], 1, "path= aclobject= literalpath=", |one| one.on_files("chmod 700 --")),
    row(&["import-module", "ipmo"], 1, "name= force", |one| {
        one.word("name").filter(|name| name.contains('/')).map(|name| format!("source {name}"))
    }),
];

/// Cmdlets that hand on what they are given, or print what is no secret.
const QUIET: [&str; 34] = [
    "where-object",
    "where",
    "?",
    "foreach-object",
    "foreach",
    "%",
    "select-object",
    "select",
    "sort-object",
    "sort",
    "measure-object",
    "measure",
    "group-object",
    "group",
    "format-table",
    "ft",
    "format-list",
    "fl",
    "out-string",
    "out-null",
    "out-host",
    "convertto-json",
    "convertfrom-json",
    "test-path",
    "join-path",
    "split-path",
    "get-date",
    "get-location",
    "gl",
    "start-sleep",
    "get-member",
    "get-command",
    "new-object",
    "get-process",
];
/// Cmdlets that list files: what follows works on them.
const LISTERS: [&str; 8] = ["get-childitem", "gci", "ls", "dir", "get-item", "gi", "resolve-path", "rvpa"];

pub(super) fn translated(stage: &Stage, fetched: Option<&str>) -> Made {
    let Some((name, first)) = name_of(stage) else { return of_expression(stage) };
    let lower = name.to_ascii_lowercase();
    let mut made = match lower.as_str() {
        "invoke-expression" | "iex" => run_text(stage, fetched),
        name if LISTERS.contains(&name) => list(stage),
        name if QUIET.contains(&name) => {
            let hands_on = if name.starts_with("new-") { Vec::new() } else { stage.upstream.to_vec() };
            let line = if stage.before.is_some() { "cat" } else { "true" };
            Made { line: Some(line.to_owned()), upstream: hands_on, nested: None }
        }
        name => {
            match CMDLETS.iter().find(|row| row.names.contains(&name)).filter(|row| !is_native(row, stage)) {
                Some(row) => {
                    let given = Given::of(row, stage);
                    let line = if given.has("whatif") { None } else { (row.does)(&given) };
                    Made { line, ..Made::default() }
                }
                None => Made { line: Some(native(stage, first)), ..Made::default() },
            }
        }
    };
    redirects(stage, &mut made);
    made
}

/// A text or variable at the beginning of a pipeline is handed on.
fn of_expression(stage: &Stage) -> Made {
    let words: Vec<&Argument> = stage
        .tokens
        .iter()
        .filter_map(|token| if let Token::Word(parts) = token { Some(parts) } else { None })
        .collect();
    let is_text = |parts: &&&Argument| {
        parts.iter().all(|part| matches!(part, Part::Text(_, true)) || matches!(part, Part::Variable(_)))
    };
    let shown: Vec<String> =
        words.iter().filter(is_text).map(|parts| word(parts, Sort::Text, stage.known)).collect();
    let upstream = words.iter().filter(is_text).map(|parts| (**parts).clone()).collect();
    let mut made = Made {
        line: (!shown.is_empty()).then(|| format!("echo {}", shown.join(" "))),
        upstream,
        nested: None,
    };
    redirects(stage, &mut made);
    made
}

/// The program of that name and not the alias: its options are not PowerShell's.
fn is_native(row: &Cmdlet, stage: &Stage) -> bool {
    let names: Vec<String> = parameters(row).map(|(name, _)| name.to_owned()).collect();
    let is_foreign = |token: &Token| match token {
        Token::Word(parts) => {
            matches!(parts.first(), Some(Part::Text(text, false)) if text.len() > 1 && text.starts_with('-') && {
                let name = text.trim_start_matches('-').split(':').next().unwrap_or_default().to_ascii_lowercase();
                text.starts_with("--") || !names.iter().any(|known| known.starts_with(&name))
            })
        }
        _ => false,
    };
    !name_of(stage).is_some_and(|(name, _)| name.contains('-')) && stage.tokens.iter().any(is_foreign)
}

fn native(stage: &Stage, first: usize) -> String {
    let mut out = String::new();
    for (at, token) in stage.tokens.iter().enumerate() {
        match token {
            Token::Redirect { .. } => break,
            Token::Comma => out.push(','),
            Token::Word(parts) if !parts.is_empty() => {
                if !out.is_empty() && !matches!(stage.tokens.get(at.wrapping_sub(1)), Some(Token::Comma)) {
                    out.push(' ');
                }
                let sort = if at < first { Sort::LiteralPath } else { Sort::Text };
                out.push_str(&word(parts, sort, stage.known));
            }
            _ => {}
        }
    }
    out
}

/// `> file` behind anything.
fn redirects(stage: &Stage, made: &mut Made) {
    for pair in stage.tokens.windows(2) {
        let [Token::Redirect { appends }, Token::Word(parts)] = pair else { continue };
        if matches!(parts.as_slice(), [Part::Variable(name)] if name.eq_ignore_ascii_case("null")) {
            continue;
        }
        let line = made.line.get_or_insert_with(|| "true".to_owned());
        line.push_str(if *appends { " >> " } else { " > " });
        line.push_str(&word(parts, Sort::LiteralPath, stage.known));
    }
}

/// `iex`: the text it is given, or what was fetched.
fn run_text(stage: &Stage, fetched: Option<&str>) -> Made {
    let line = |text: String| Made { line: Some(text), ..Made::default() };
    if stage.before.is_some_and(|before| before.starts_with("curl ")) {
        return line("sh".to_owned());
    }
    if let Some(fetched) = fetched {
        return line(format!("{fetched} | sh"));
    }
    let mut words = stage
        .tokens
        .iter()
        .skip(1)
        .filter_map(|token| if let Token::Word(parts) = token { Some(parts) } else { None });
    let text =
        words.find(|parts| !matches!(parts.first(), Some(Part::Text(text, false)) if text.starts_with('-')));
    match text.map(|parts| (known_text(parts, stage.known), parts)) {
        Some((Some(text), _)) => Made { nested: Some(text), ..Made::default() },
        Some((None, parts)) => line(format!("eval {}", word(parts, Sort::Text, stage.known))),
        None => line("sh".to_owned()),
    }
}

const LIST: Cmdlet = row(
    LISTERS_ROW,
    2,
    "path= filter= recurse force literalpath= include= exclude= file directory name depth= hidden attributes=",
    |_| None,
);
const LISTERS_ROW: &[&str] = &[];

/// Files are listed: what follows in the pipeline works on them.
fn list(stage: &Stage) -> Made {
    let given = Given::of(&LIST, stage);
    let is_env = |parts: &Argument| matches!(parts.first(), Some(Part::Text(text, _)) if text.to_ascii_lowercase().starts_with("env:"));
    if given.values("path").iter().any(is_env) {
        return Made { line: Some("printenv".to_owned()), ..Made::default() };
    }
    let starts = given.values("path").into_iter().chain(given.values("literalpath"));
    let mut upstream: Vec<Argument> = starts.collect();
    if upstream.is_empty() {
        upstream.push(vec![Part::Text(".".to_owned(), false)]);
    }
    let names = given.values("filter").into_iter().chain(given.values("include")).next();
    let is_item = name_of(stage).is_some_and(|(name, _)| {
        matches!(name.to_ascii_lowercase().as_str(), "get-item" | "gi" | "resolve-path" | "rvpa")
    });
    let deep = if given.has("recurse") { "/**" } else { "/*" };
    let is_wild =
        |parts: &Argument| parts.iter().any(|part| matches!(part, Part::Text(text, _) if text.contains('*')));
    for parts in upstream.iter_mut().filter(|parts| !is_item && !is_wild(parts)) {
        match &names {
            Some(name) => {
                parts.push(Part::Text(if given.has("recurse") { "/**/" } else { "/" }.to_owned(), false));
                parts.extend(name.clone());
            }
            None => parts.push(Part::Text(deep.to_owned(), false)),
        }
    }
    Made { line: Some("true".to_owned()), nested: None, upstream }
}

fn remove(given: &Given) -> Option<String> {
    given.on_files(if given.has("recurse") { "rm -rf --" } else { "rm -f --" })
}

fn rename(given: &Given) -> Option<String> {
    let from = given.files().first().cloned()?;
    let folder = from.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    Some(format!("mv -- {from} {folder}{}", given.word("newname")?))
}

fn new_item(given: &Given) -> Option<String> {
    let kind = given.text("itemtype").or(given.text("type")).unwrap_or_default().to_ascii_lowercase();
    let folder = given.word("path");
    let path = match (folder, given.word("name")) {
        (Some(folder), Some(name)) => format!("{folder}/{name}"),
        (path, name) => path.or(name)?,
    };
    Some(match kind.as_str() {
        "directory" | "container" => format!("mkdir -p -- {path}"),
        "symboliclink" | "junction" => {
            format!("ln -s -- {} {path}", given.word("target").or(given.word("value"))?)
        }
        "hardlink" => format!("ln -- {} {path}", given.word("target").or(given.word("value"))?),
        _ if given.has("force") => format!("tee -- {path}"),
        _ => format!("touch -- {path}"),
    })
}

fn fetch(given: &Given) -> Option<String> {
    let mut line = "curl".to_owned();
    for (name, option) in [("method", "-X"), ("body", "-d"), ("infile", "-T"), ("outfile", "-o")] {
        let is_file = matches!(name, "infile" | "outfile");
        let value = if is_file { given.word(name) } else { given.text(name) };
        if let Some(value) = value {
            line.push_str(&format!(" {option} {value}"));
        }
    }
    Some(format!("{line} {}", given.text("uri")?))
}

/// `Start-Process prog -ArgumentList a,b -Verb RunAs`.
fn start(given: &Given) -> Option<String> {
    let as_root = given.text("verb").is_some_and(|verb| verb.eq_ignore_ascii_case("runas"));
    let listed = given.values("argumentlist");
    // One text may hold several arguments.
    let texts = listed.iter().map(|parts| match known_text(parts, given.stage.known) {
        Some(text) => {
            text.split_ascii_whitespace().map(super::emit::quoted).collect::<Vec<String>>().join(" ")
        }
        None => word(parts, Sort::Text, given.stage.known),
    });
    let words: Vec<String> = given.word("filepath").into_iter().chain(texts).collect();
    let program = (!words.is_empty()).then(|| words.join(" "))?;
    Some(if as_root { format!("sudo {program}") } else { program })
}
