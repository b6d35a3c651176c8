//! Wrappers that run a command once per thing: `find`, `xargs`, `parallel`,
//! `watch`, and those that take a whole line as one word.

use super::{Inner, arguments, joined, split as split_words};
use crate::options::{self, Spec};
use crate::programs::base_name;
use crate::programs::fd::Fd;
use crate::programs::find::Find;
use crate::reading::{Command, Usage, Word};
use crate::stream::Stream;

/// Words that are copied for the runs of one `xargs`.
const COPIED_MAX: usize = 4_000;

const XARGS: Spec = Spec {
    options: "0,null a,arg-file= d,delimiter= E,eof= e? I,replace= i? L,max-lines= l? n,max-args= o,open-tty P,max-procs= \
              p,interactive r,no-run-if-empty R= S= s,max-chars= t,verbose x,exit J= process-slot-var= show-limits",
    leading: true,
    short_names: true,
    one_dash: false,
};

const PARALLEL: Spec = Spec {
    options: "j,jobs= P= a,arg-file= I= n,max-args= N= L= C,colsep= d,delimiter= k,keep-order 0,null q,quote X m \
              S,sshlogin= joblog= results= timeout= retries= delay= halt= tag bar dry-run dryrun v,verbose u,ungroup \
              pipe block= load= nice= progress eta lb line-buffer will-cite no-notice shuf resume tmpdir= wd= workdir= env=",
    leading: true,
    short_names: true,
    one_dash: false,
};

/// The file the items come from, if it is not the input.
pub(crate) fn item_file(command: &Command) -> Option<Word> {
    let spec = match command.program.as_str() {
        "xargs" | "gxargs" => &XARGS,
        "parallel" => &PARALLEL,
        _ => return None,
    };
    // Hardly anyone names one, and its table is long: no option with its letter, no file.
    let words = arguments(command);
    if !words.iter().any(|word| word.text.contains('a') && (!word.exact || word.text.starts_with('-'))) {
        return None;
    }
    let mut usage = Usage::default();
    options::sort(words, spec, &mut usage);
    usage.value("--arg-file").cloned()
}

pub(super) fn open(command: &Command, stdin: Option<&Stream>) -> Option<Vec<Inner>> {
    let words = arguments(command);
    match command.program.as_str() {
        "find" | "gfind" | "fd" | "fdfind" => Some(find(command, words)),
        "xargs" | "gxargs" => {
            let file = item_file(command).map(|file| super::reader_of(&file, &file));
            Some(file.into_iter().chain(xargs(words, stdin)).collect())
        }
        "parallel" => Some(parallel(words, stdin)),
        "watch" => {
            let spec = Spec {
                options: "n,interval= d,differences? t,no-title b,beep e,errexit g,chgexit c,color x,exec p,precise q,equexit= w,no-wrap",
                leading: true,
                short_names: true,
                one_dash: false,
            };
            Some(line_of(words, &spec))
        }
        "script" => Some(script(words)),
        "watchexec" => {
            let spec = Spec {
                options: "w,watch= W,watch-non-recursive= e,exts= f,filter= i,ignore= s,signal= d,debounce= r,restart c,clear? N,notify \
                          p,postpone shell= n emit-events-to= E,env= project-origin= workdir= o,on-busy-update= stop-signal= stop-timeout= \
                          delay-run= poll? filter-file= ignore-file= fs-events= v,verbose q,quiet",
                leading: true,
                short_names: false,
                one_dash: false,
            };
            Some(line_of(words, &spec))
        }
        "hyperfine" => {
            let spec = Spec {
                options: "w,warmup= r,runs= m,min-runs= M,max-runs= p,prepare= c,cleanup= s,setup= n,command-name= S,shell= \
                          export-json= export-markdown= i,ignore-failure N style=",
                leading: false,
                short_names: false,
                one_dash: false,
            };
            let mut usage = Usage::default();
            options::sort(words, &spec, &mut usage);
            let extra = ["--prepare", "--cleanup", "--setup"].iter().filter_map(|name| usage.value(name));
            Some(usage.operands.iter().chain(extra).cloned().map(Inner::text).collect())
        }
        "entr" => {
            let spec =
                Spec { options: "a c d n p r s x z", leading: true, short_names: false, one_dash: false };
            Some(line_of(words, &spec))
        }
        "concurrently" => {
            let spec = Spec {
                options: "n,names= c,prefix-colors= k,kill-others p,prefix=",
                leading: false,
                short_names: false,
                one_dash: false,
            };
            let mut usage = Usage::default();
            options::sort(words, &spec, &mut usage);
            Some(usage.operands.iter().cloned().map(Inner::text).collect())
        }
        _ => None,
    }
}

/// `script -c text`, and `script FILE command …` as BSD has it.
fn script(words: &[Word]) -> Vec<Inner> {
    let mut spec = Spec {
        options: "c,command= q,quiet a,append e,return f,flush d k p r F t? T,log-timing= I,log-in= O,log-out= B,log-io= \
                  m,logging-format= o,output-limit= E,echo=",
        leading: false,
        short_names: true,
        one_dash: false,
    };
    let mut usage = Usage::default();
    options::sort(words, &spec, &mut usage);
    if let Some(text) = usage.value("--command") {
        return vec![Inner::text(text.clone())];
    }
    spec.leading = true;
    let mut at = options::sort(words, &spec, &mut Usage::default()) + 1;
    // `-t 0`: of BSD it takes a word.
    let number = |word: &Word| word.text.bytes().all(|byte| byte.is_ascii_digit());
    at += usize::from(usage.has("-t") && words.get(at - 1).is_some_and(number));
    let run = words.get(at..).unwrap_or_default();
    let run = run.get(usize::from(run.first().is_some_and(|word| word.text == "--"))..).unwrap_or_default();
    if run.is_empty() { Vec::new() } else { vec![Inner::words(run)] }
}

/// Options, then words that together are one line for a shell.
fn line_of(words: &[Word], spec: &Spec) -> Vec<Inner> {
    let mut usage = Usage::default();
    let at = options::sort(words, spec, &mut usage);
    joined(words.get(at..).unwrap_or_default()).map(Inner::text).into_iter().collect()
}

fn find(command: &Command, words: &[Word]) -> Vec<Inner> {
    if command.program.starts_with("fd") {
        return fd(words);
    }
    let find = Find::of(words);
    let mut matches = find.matches();
    // Each of several places may get a run of its own.
    let alone = matches.len() < 2;
    matches.iter_mut().for_each(|word| word.exact &= alone);
    let listed = find.listed();
    let found = |run: &[Word]| {
        let program = run.first().map_or("", |word| base_name(&word.text));
        let files = matches!(program, "rm" | "grm" | "srm" | "unlink" | "shred");
        if files { listed.as_slice() } else { matches.as_slice() }.to_vec()
    };
    let mut runs: Vec<Inner> =
        find.runs.iter().map(|run| Inner::made(replaced(run, "{}", &found(run)))).collect();
    runs.extend(find.has_more().then(|| super::more(command.span)).filter(|_| !find.runs.is_empty()));
    runs
}

/// What is found goes where `{}` is, or to the end.
fn fd(words: &[Word]) -> Vec<Inner> {
    let fd = Fd::of(words);
    let matches = fd.matches();
    if fd.run.is_empty() {
        return Vec::new();
    }
    let placed = fd
        .run
        .iter()
        .any(|word| ["{}", "{/}", "{//}", "{.}", "{/.}"].iter().any(|sign| word.text.contains(sign)));
    let mut run = replaced(&fd.run, "{}", &matches);
    if !placed {
        run.extend(matches);
    }
    vec![Inner::made(run)]
}

/// `run` with every `sign` replaced by what it represents.
fn replaced(run: &[Word], sign: &str, by: &[Word]) -> Vec<Word> {
    let mut words = Vec::new();
    for word in run {
        if word.text == sign {
            words.extend(by.iter().cloned());
        } else if !sign.is_empty() && word.text.contains(sign) {
            let first = by.first().cloned().unwrap_or_default();
            let text = word.text.replace(sign, &first.text);
            words.push(Word {
                text: text.into(),
                exact: word.exact && first.exact,
                glob: word.glob || first.glob,
                span: word.span,
            });
        } else {
            words.push(word.clone());
        }
    }
    words
}

/// The words that come in: the known text split, the paths `find` lists, or
/// one that is not known.
fn incoming(stdin: Option<&Stream>, words: &[Word], split: Split<'_>) -> Vec<Word> {
    let span = words.first().map(|word| word.span).unwrap_or_default();
    let unknown = || vec![Word { text: "$stdin".into(), exact: false, glob: false, span }];
    let Some(stream) = stdin else { return unknown() };
    let Some(text) = &stream.text else {
        return if stream.paths.is_empty() { unknown() } else { stream.paths.clone() };
    };
    // A backslash takes the line end with it, and what that gives is not computed.
    let known = !matches!(split, Split::Lines) || !text.contains("\\\n");
    let exact = |text: String| Word { text: text.into(), exact: known, glob: false, span };
    match split {
        Split::Lines => {
            let lines = text.split(['\n', '\0']).map(|line| line.trim_start_matches([' ', '\t']));
            lines.filter(|line| !line.is_empty()).map(|line| exact(unquoted(line))).collect()
        }
        Split::Words => split_words(text).into_iter().map(exact).collect(),
        Split::At(sign) => {
            let sign = crate::expand::ansi::decode(sign, crate::expand::ansi::Flavour::Echo);
            let text = text.strip_suffix(&sign).unwrap_or(text);
            text.split(sign.as_str()).map(|item| exact(item.to_owned())).collect()
        }
    }
}

/// Where one item ends and the next begins.
#[derive(Clone, Copy)]
enum Split<'a> {
    Lines,
    Words,
    /// At this sign and nowhere else, quotes being plain text.
    At(&'a str),
}

/// A line without its quotes and backslashes.
fn unquoted(line: &str) -> String {
    let mut out = String::new();
    let mut quote = None;
    let mut chars = line.chars();
    while let Some(found) = chars.next() {
        match (quote, found) {
            (Some(open), _) if open == found => quote = None,
            (None, '\'' | '"') => quote = Some(found),
            (None, '\\') => out.extend(chars.next()),
            _ => out.push(found),
        }
    }
    out
}

fn xargs(words: &[Word], stdin: Option<&Stream>) -> Vec<Inner> {
    let mut usage = Usage::default();
    let at = options::sort(words, &XARGS, &mut usage);
    let run = words.get(at..).unwrap_or_default();
    if run.is_empty() {
        return Vec::new();
    }
    let null = (usage.has("--null") || usage.has("-0")).then_some(Split::At("\0"));
    let parted = usage.value("--delimiter").map(|word| Split::At(&word.text)).or(null);
    let sign = usage.value("--replace").map(|word| word.text.clone());
    let sign = sign.or_else(|| (usage.has("-i") || usage.has("--replace")).then(|| "{}".into()));
    match sign {
        Some(sign) => {
            let items = incoming(stdin, words, parted.unwrap_or(Split::Lines));
            let one = |item: &Word| Inner::made(replaced(run, &sign, std::slice::from_ref(item)));
            as_many(items.iter().map(one), run)
        }
        None => {
            let items = incoming(stdin, words, parted.unwrap_or(Split::Words));
            let number = |name: &str| usage.value(name).and_then(|word| word.text.parse::<usize>().ok());
            let at_once = number("--max-args").filter(|count| *count > 0).unwrap_or(usize::MAX);
            let by_line = usage.has("--max-lines") || usage.has("-l");
            let with = |items: &[Word]| {
                let unsure = |item: &Word| Word { exact: item.exact && !by_line, ..item.clone() };
                Inner::made(run.iter().cloned().chain(items.iter().map(unsure)).collect())
            };
            match items.is_empty() {
                true => vec![with(&[])],
                false => as_many(items.chunks(at_once).map(with), run),
            }
        }
    }
}

fn parallel(words: &[Word], stdin: Option<&Stream>) -> Vec<Inner> {
    let mut usage = Usage::default();
    let at = options::sort(words, &PARALLEL, &mut usage);
    let rest = words.get(at..).unwrap_or_default();
    let mark = rest.iter().position(|word| word.text.starts_with(":::"));
    let run = rest.get(..mark.unwrap_or(rest.len())).unwrap_or_default();
    let items = match mark {
        Some(at) => rest.get(at + 1..).unwrap_or_default().to_vec(),
        None => incoming(stdin, words, Split::Lines),
    };
    let Some(line) = joined(run) else {
        // Without a command of its own, every line that comes in is one.
        return match mark {
            Some(_) => items.into_iter().map(Inner::text).collect(),
            None => vec![Inner::Input],
        };
    };
    let with = |item: &Word| {
        let text = if line.text.contains("{}") {
            line.text.replace("{}", &item.text)
        } else {
            format!("{} {}", line.text, item.text)
        };
        Inner::text(Word { text: text.into(), exact: line.exact && item.exact, ..line.clone() })
    };
    as_many(items.iter().map(with), run)
}

/// A run for each item, as many as are followed: each copies the words of `run`.
fn as_many(runs: impl Iterator<Item = Inner>, run: &[Word]) -> Vec<Inner> {
    let mut runs = runs;
    let most = (COPIED_MAX / (run.len() + 1)).max(1);
    let mut all: Vec<Inner> = runs.by_ref().take(most).collect();
    if let Some(word) = run.first().filter(|_| runs.next().is_some()) {
        all.push(super::more(word.span));
    }
    all
}
