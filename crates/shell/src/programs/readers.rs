//! Programs that read files: plain readers, searchers with a pattern first,
//! editors of streams.

use super::socket::given_away;
use super::{Effects, Model, base_name, is_stream, plain};
use crate::effect_kind::EffectKind;
use crate::options::Spec;
use crate::reading::{Command, Redirect, RedirectKind, Word};
use smol_str::format_smolstr;

const SEARCH: &str = "e,regexp=~ f,file= i,ignore-case y v,invert-match w,word-regexp x,line-regexp c,count color? colour? L,files-without-match \
     l,files-with-matches m,max-count= o,only-matching q,quiet s,no-messages b,byte-offset H,with-filename h,no-filename label= \
     n,line-number T,initial-tab Z,null A,after-context= B,before-context= C,context= a,text binary-files= D,devices= d,directories= \
     exclude= exclude-from= exclude-dir= include= r,recursive R,dereference-recursive z,null-data E,extended-regexp F,fixed-strings \
     G,basic-regexp P,perl-regexp";

const RG: &str = "e,regexp=~ f,file= i,ignore-case v,invert-match w,word-regexp x,line-regexp c,count color= l,files-with-matches \
     m,max-count= o,only-matching q,quiet n,line-number N,no-line-number A,after-context= B,before-context= C,context= a,text \
     g,glob= iglob= t,type= T,type-not= type-add= r,replace=~ S,smart-case s,case-sensitive u,unrestricted U,multiline P,pcre2 \
     F,fixed-strings files hidden no-ignore j,threads= max-depth= d= sort= sortr= M,max-columns= E,encoding= 0,null p,pretty \
     pre= json H,with-filename I,no-filename L,follow z,search-zip";

/// Programs that show what a file says, as it is.
const SHOWS: &[&str] = &[
    "cat", "ccat", "bat", "batcat", "less", "more", "most", "tac", "nl", "head", "tail", "sed", "gsed", "pr",
    "fold", "fmt", "expand", "mdcat", "glow", "od", "xxd", "hexdump", "zcat", "gzcat", "bzcat", "xzcat",
    "zstdcat", "view",
];

/// Whether a command shows the files it reads to a reader of its output: it prints them, some
/// of them is printed, and the output goes to no file.
#[must_use]
pub fn shows_files(command: &Command, source: &str) -> bool {
    let none = ["--bytes", "--lines"].iter().any(|name| {
        command.usage.value(name).is_some_and(|word| word.text.trim_start_matches(['-', '+']) == "0")
    });
    SHOWS.contains(&command.program.as_str())
        && !none
        && !command.usage.has("--in-place")
        && !command.redirects.iter().any(|redirect| takes_output(redirect, source))
}

/// Whether a redirect takes what a program prints; `2> file` takes something else.
fn takes_output(redirect: &Redirect, source: &str) -> bool {
    let writes =
        matches!(redirect.kind, RedirectKind::Write | RedirectKind::Append | RedirectKind::ReadWrite);
    let before = source.get(..redirect.target.span.start).unwrap_or_default().trim_end();
    let sign = before.trim_end_matches(['>', '|', '<', '&']);
    let number: String = sign.chars().rev().take_while(char::is_ascii_digit).collect();
    writes && (number.is_empty() || number == "1")
}

pub(super) const MODELS: &[Model] = &[
    plain(
        &[
            "cat", "less", "more", "most", "tac", "rev", "cmp", "zcat", "gzcat", "bzcat", "xzcat", "zless",
            "diff3", "uuencode", "vis", "ul", "pv", "join", "look", "tsort", "ptx", "mdcat", "glow",
            "chroma", "lolcat", "enscript", "a2ps", "cpp", "lessecho", "zstdcat", "lz4cat", "bzless",
            "xzless", "bzmore", "zmore", "basenc", "ccat", "vcat", "csvlook", "csvcut", "mlr", "delta",
            "difft", "icdiff", "nroff", "groff", "troff",
        ],
        "",
        read_operands,
    ),
    plain(&["pr"], "", read_operands),
    // A number each, and nothing of what the file says.
    plain(
        &["sum", "md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "cksum", "b2sum"],
        "",
        |_, _| Effects::none(),
    ),
    plain(
        &["pandoc", "pygmentize", "highlight"],
        "o,output= f= t= l= O= S= s i,input= from= to=",
        read_operands,
    ),
    plain(
        &["uniq"],
        "c,count d,repeated u,unique i,ignore-case f,skip-fields= s,skip-chars= w,check-chars= z,zero-terminated",
        |command, input| {
            // What it reads comes first, and where it writes to second.
            let mut effects = read_operands(command, input);
            effects.on_each(EffectKind::WritesFile, command.usage.operands.get(1));
            effects
        },
    ),
    plain(
        &[
            "bat",
            "batcat",
            "nl",
            "od",
            "xxd",
            "hexdump",
            "strings",
            "wc",
            "file",
            "base64",
            "base32",
            "column",
            "fold",
            "fmt",
            "expand",
            "unexpand",
            "comm",
            "paste",
            "diff",
            "colordiff",
            "sdiff",
            "vimdiff",
            "open",
            "xdg-open",
            "iconv",
            "source",
            ".",
        ],
        "d? i? n? w= s? U= C c? o,output= from-code= to-code= f= t= L= line-range= style= color= l,language=",
        read_operands,
    ),
    plain(
        &["head", "tail"],
        "n,lines= c,bytes= q,quiet v,verbose f,follow? F pid= s,sleep-interval= retry z,zero-terminated",
        read_operands,
    ),
    plain(
        &["sort"],
        "k,key= t,field-separator= o,output= S,buffer-size= T,temporary-directory= n r u f b d g h M V R i m c z s parallel= files0-from= batch-size= compress-program=",
        sort,
    ),
    plain(
        &["shuf", "gshuf"],
        "e,echo i,input-range= n,head-count= o,output= random-source= r,repeat z,zero-terminated",
        |command, input| {
            // With `-e` its words are the lines.
            if command.usage.has("--echo") { Effects::none() } else { read_operands(command, input) }
        },
    ),
    plain(
        &["cut"],
        "b,bytes= c,characters= d,delimiter= f,fields= s,only-delimited complement output-delimiter= z",
        cut,
    ),
    plain(&["date"], "f,file= d,date= r,reference= s,set= u,utc I? R", |command, _| {
        Effects::of(EffectKind::ReadsFile, command.usage.value("--file"))
    }),
    plain(&["grep", "egrep", "fgrep", "zgrep", "ggrep", "pcregrep"], SEARCH, search),
    plain(&["rg", "ripgrep"], RG, search),
    plain(
        &["ag", "ack"],
        "i w l c A,after= B,before= C,context= G= g= Q,literal m,max-count= n p= ignore= ignore-dir= hidden type= color",
        search,
    ),
    plain(
        &["sed", "gsed"],
        "n,quiet e,expression=~ f,file= E,regexp-extended r>regexp-extended i,in-place? s,separate l,line-length= u,unbuffered z,null-data posix debug sandbox",
        sed,
    ),
    plain(
        &["awk", "gawk", "mawk", "nawk"],
        "F,field-separator= f,file= v,assign= i,include= l,load= e,source=~ b c C d? D? E= g h o? O p? r s S t V",
        script_first,
    ),
    plain(
        &["jq", "yq", "gojq", "jaq", "xq", "tomlq", "dasel"],
        "f,from-file= n,null-input r,raw-output j,join-output a,ascii-output s,slurp c,compact-output C,color-output M,monochrome-output \
         S,sort-keys e,exit-status R,raw-input tab indent= L= i,inplace P,prettyPrint o,output-format= p,input-format=",
        script_first,
    ),
    plain(&["perl"], "e=~ E=~ i? n p l? 0? a F= M= m= I= w c v x? s t T u U W X C? d? D?", perl),
    Model {
        names: &["ls", "dir", "vdir", "exa", "eza", "lsd", "du", "df"],
        spec: Spec { options: "", leading: false, short_names: false, one_dash: false },
        subs: &[],
        groups: &[],
        effects: |_, _| Effects::none(),
    },
    Model {
        names: &["echo", "printf", "test", "[", "true", "false", "sleep", "seq", "expr", ":"],
        spec: Spec { options: "", leading: true, short_names: false, one_dash: false },
        subs: &[],
        groups: &[],
        effects: |_, _| Effects::none(),
    },
    plain(
        &["vi", "vim", "nvim", "nano", "emacs", "code", "subl", "micro", "hx"],
        "c= S= u= s= O? o? n R",
        edit,
    ),
    plain(&["ed", "ex", "red"], "p,prompt= c= s,quiet silent>quiet G,traditional r l v", edit),
];

fn real(words: &[Word]) -> impl Iterator<Item = &Word> {
    words.iter().filter(|word| !is_stream(&word.text))
}

fn read_operands(command: &Command, _: Option<&str>) -> Effects {
    let mut effects = Effects::of(EffectKind::ReadsFile, real(&command.usage.operands));
    effects.on_each(EffectKind::WritesFile, command.usage.value("--output"));
    effects
}

/// `cut -d= -f1`: the names of settings, without their values.
fn cut(command: &Command, input: Option<&str>) -> Effects {
    let usage = &command.usage;
    let is = |name: &str, text: &str| usage.value(name).is_some_and(|word| word.text == text);
    if is("--delimiter", "=") && is("--fields", "1") && !usage.has("--complement") {
        return Effects::of(EffectKind::ReadsFile, real(&usage.operands).filter(|word| !is_settings(word)));
    }
    read_operands(command, input)
}

/// A file of lines with a name and a value each. Of others, lines without a sign of
/// equality would be shown whole.
fn is_settings(word: &Word) -> bool {
    let name = base_name(&word.text);
    name.starts_with(".env") || name.ends_with(".env")
}

fn sort(command: &Command, input: Option<&str>) -> Effects {
    let mut effects = read_operands(command, input);
    effects.on_each(EffectKind::ReadsFile, command.usage.value("--files0-from"));
    effects
}

/// The pattern comes first unless an option gave it.
fn search(command: &Command, _: Option<&str>) -> Effects {
    let usage = &command.usage;
    let given = usage.has("--regexp")
        || usage.has("--file")
        || usage.has("--files")
        || usage.has("-e")
        || usage.has("-g");
    let paths = usage.operands.get(usize::from(!given)..).unwrap_or_default();
    // `grep -o '^[A-Z_]*'`: the names of settings, without their values.
    let name = usage.operands.first().filter(|_| !given).map_or("", |word| word.text.as_str());
    let names = usage.has("--only-matching")
        && matches!(
            name.trim_start_matches('^'),
            "[A-Z_]*"
                | "[A-Z_]+"
                | "[A-Z0-9_]*"
                | "[A-Z0-9_]+"
                | "[A-Z_0-9]*"
                | "[A-Z_0-9]+"
                | "[^=]*"
                | "[^=]+"
        )
        && name.starts_with('^');
    // A number, or whether it is there: nothing of what the file says.
    let counts = names && paths.iter().all(is_settings)
        || paths.len() == 1
            && (usage.has("--count") || usage.has("--quiet"))
            && !usage.has("--recursive")
            && command.program.ends_with("grep");
    let mut effects = Effects::of(EffectKind::ReadsFile, real(paths).filter(|_| !counts));
    // Without a path it looks through the folder it runs in, unless something comes in.
    let deep = !command.program.ends_with("grep")
        || usage.has("--recursive")
        || usage.has("--dereference-recursive");
    let fed = command.piped_from.is_some()
        || command.redirects.iter().any(|one| {
            !matches!(one.kind, RedirectKind::Write | RedirectKind::Append | RedirectKind::Duplicate)
        });
    if paths.is_empty() && deep && !fed && !command.words.get(1..).unwrap_or_default().is_empty() {
        effects.on(
            EffectKind::ReadsFile,
            &Word { text: ".".into(), exact: true, glob: false, span: command.span },
        );
    }
    effects.on_each(EffectKind::ReadsFile, usage.value("--file"));
    effects.on_each(EffectKind::ReadsFile, usage.value("--exclude-from"));
    if deep {
        effects.on_each(EffectKind::ReadsFile, &hidden_names(command, paths.first()));
    }
    effects
}

/// `grep -r --include=.env`, `rg -g '.env*'`: hidden files that are asked for.
fn hidden_names(command: &Command, start: Option<&Word>) -> Vec<Word> {
    let folder = start.map_or(".", |word| word.text.trim_end_matches('/'));
    let given = ["--include", "--glob", "--iglob"].iter().flat_map(|name| command.usage.values(name));
    let hidden = given.filter(|word| word.text.trim_start_matches("**/").starts_with('.'));
    let within = |word: &Word| Word {
        text: format_smolstr!("{folder}/{}", word.text.trim_start_matches("**/")),
        glob: word.text.contains(['*', '?', '[', '{']),
        ..word.clone()
    };
    hidden.map(within).collect()
}

fn sed(command: &Command, _: Option<&str>) -> Effects {
    let usage = &command.usage;
    let given = usage.has("--expression") || usage.has("--file");
    let paths = usage.operands.get(usize::from(!given)..).unwrap_or_default();
    // In place it prints nothing, unless it is told to.
    let shown = !usage.has("--in-place") || names_output(command);
    let cuts = cuts_values(command, given);
    let mut effects =
        Effects::of(EffectKind::ReadsFile, real(paths).filter(|word| shown && !(cuts && is_settings(word))));
    if usage.has("--in-place") {
        effects.on_each(EffectKind::WritesFile, real(paths));
    }
    effects.on_each(EffectKind::ReadsFile, usage.value("--file"));
    effects
}

/// `sed 's/=.*//'`: the names of settings, without their values.
fn cuts_values(command: &Command, given: bool) -> bool {
    let usage = &command.usage;
    let mut texts = usage.values("--expression").chain(usage.operands.first().filter(|_| !given));
    let (text, more) = (texts.next(), texts.next());
    let Some(text) = text.filter(|text| text.exact && more.is_none() && !usage.has("--file")) else {
        return false;
    };
    let parts: Vec<&str> = text.text.split('/').collect();
    matches!(parts.as_slice(), ["s", "=.*" | "=.*$" | "=.\\+", to, "" | "g"] if !to.contains(['&', '\\']))
}

/// Does some word say where else to write?
fn names_output(command: &Command) -> bool {
    let signs = ["/dev/", "STDOUT", "STDERR", "/proc/", "`", "system", "open", "warn", "die", "exec"];
    let says = |word: &Word| !word.exact || signs.iter().any(|sign| word.text.contains(sign));
    command.usage.has("--file") || command.words.iter().skip(1).any(says)
}

/// The program comes first unless an option gave it.
fn script_first(command: &Command, _: Option<&str>) -> Effects {
    let usage = &command.usage;
    let given = ["--file", "--from-file", "--source"].iter().any(|name| usage.has(name));
    let paths = usage.operands.get(usize::from(!given)..).unwrap_or_default();
    let is_assignment = |word: &&Word| command.program.ends_with("awk") && word.text.contains('=');
    // `awk -F= '{print $1}'`: the names of settings, without their values.
    let program = usage.operands.first().filter(|_| !given).map_or("", |word| word.text.as_str());
    let names = usage.value("--field-separator").is_some_and(|word| word.text == "=")
        && matches!(program.replace(' ', "").as_str(), "{print$1}");
    let mut effects = Effects::of(
        EffectKind::ReadsFile,
        real(paths).filter(|word| !(names && is_settings(word) || is_assignment(word))),
    );
    // awk's own library for it: `awk -i inplace …`.
    let by_library = usage
        .values("--include")
        .chain(usage.values("--load"))
        .any(|word| word.text.ends_with("inplace") || word.text.ends_with("inplace.awk"));
    // dasel's verbs that change a file.
    let changes = command.program == "dasel"
        && usage.operands.first().is_some_and(|word| matches!(word.text.as_str(), "put" | "delete"));
    if changes {
        effects.on_each(EffectKind::WritesFile, usage.value("--from-file"));
    }
    if usage.has("--inplace") || by_library {
        effects.on_each(EffectKind::WritesFile, real(paths).filter(|word| !is_assignment(word)));
    }
    effects
        .on_each(EffectKind::ReadsFile, usage.value("--file").into_iter().chain(usage.value("--from-file")));
    effects
}

fn perl(command: &Command, input: Option<&str>) -> Effects {
    let usage = &command.usage;
    let in_line = usage.has("-e") || usage.has("-E");
    let in_place = in_line && usage.has("-i");
    let shown = !in_place || names_output(command);
    let mut effects = Effects::of(EffectKind::ReadsFile, real(&usage.operands).filter(|_| shown));
    if in_place {
        effects.on_each(EffectKind::WritesFile, real(&usage.operands));
    }
    effects.0.extend(given_away(command, input).0);
    effects
}

fn edit(command: &Command, _: Option<&str>) -> Effects {
    let usage = &command.usage;
    // Behind `-e` an `-s` takes no file of orders: what follows is edited.
    let silent = usage.values("-s").filter(|_| usage.has("-e"));
    let all: Vec<Word> = usage.operands.iter().chain(silent).cloned().collect();
    let files = || real(&all).filter(|word| !word.text.starts_with('+'));
    let mut effects = Effects::of(EffectKind::ReadsFile, files());
    effects.on_each(EffectKind::WritesFile, files());
    effects
}
