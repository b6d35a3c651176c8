//! Commands that run elsewhere: over ssh, in a container, in a pod.

use super::{Inner, arguments, joined, mounts};
use crate::name_filter::NameFilter;
use crate::options::{self, Spec};
use crate::programs::is_named;
use crate::reading::{Command, Usage, Word};
use crate::stream::Stream;
use smol_str::SmolStr;

const SSH: &str = "4 6 A a b= B= C c= D= E= e= F= f G g I= i= J= K k L= l= M m= N n O= o= P= p= q R= S= s T t V v W= w= X x Y y";

const EXEC: &str = "d,detach detach-keys= e,env= env-file= i,interactive privileged t,tty u,user= w,workdir= l,latest \
                    T,no-TTY index= c,container= n,namespace= q,quiet stdin f,filename= context= kubeconfig=";

const RUN: &str = "a,attach= add-host= c,cpu-shares= cap-add= cap-drop= cidfile= cpus= d,detach device= dns= e,env= \
                   entrypoint= env-file= expose= gpus= h,hostname= health-cmd= i,interactive init ipc= l,label= link= \
                   log-driver= m,memory= mount= name= net= network= P,publish-all p,publish= pid= platform= privileged \
                   pull= read-only restart= rm runtime= security-opt= shm-size= stop-signal= sysctl= t,tty tmpfs= u,user= \
                   ulimit= userns= v,volume= volumes-from= w,workdir= T no-deps";

pub(super) fn open(command: &Command, _: Option<&Stream>) -> Option<Vec<Inner>> {
    match command.program.as_str() {
        "pssh" | "parallel-ssh" => Some(by_many(arguments(command))),
        "ssh" | "autossh" | "mosh" => Some(behind_host(arguments(command))),
        "docker" | "podman" | "nerdctl" | "docker-compose" | "podman-compose" => Some(container(command)),
        "kubectl" | "oc" => Some(pod(command)),
        "ansible" => Some(ansible(arguments(command))),
        program => machine(program, arguments(command)),
    }
}

fn spec(options: &'static str) -> Spec {
    Spec { options, leading: true, short_names: false, one_dash: false }
}

fn behind_host(words: &[Word]) -> Vec<Inner> {
    let mut usage = Usage::default();
    let at = options::sort(words, &spec(SSH), &mut usage) + 1;
    let mut found: Vec<Inner> = Vec::new();
    for option in usage.values("-o") {
        let (name, value) = option.text.split_once('=').unwrap_or((&option.text, ""));
        if matches!(name.to_ascii_lowercase().as_str(), "proxycommand" | "localcommand") && value != "none" {
            found.push(Inner::text(Word { text: value.into(), ..option.clone() }));
        }
    }
    // Options may follow the host.
    let rest = words.get(at..).unwrap_or_default();
    let more = options::sort(rest, &spec(SSH), &mut usage);
    match joined(rest.get(more..).unwrap_or_default()) {
        Some(text) => found.push(Inner::text(text)),
        None if !usage.has("-N") && at <= words.len() && !words.is_empty() => found.push(Inner::Input),
        None => {}
    }
    found
}

/// `pssh -h hosts command …`
fn by_many(words: &[Word]) -> Vec<Inner> {
    let options = "h,hosts= H,host= l,user= p,par= o,outdir= e,errdir= t,timeout= O,option= v A i x= X= P";
    let at = options::sort(words, &spec(options), &mut Usage::default());
    joined(words.get(at..).unwrap_or_default()).map(Inner::text).into_iter().collect()
}

/// Words behind a subcommand: past its options and `skip` operands.
fn behind(words: &[Word], subcommand: &[&str], options: &'static str, skip: usize) -> Option<Vec<Word>> {
    let mut at = 0;
    for name in subcommand {
        at += words.get(at..)?.iter().position(|word| word.text == *name)? + 1;
    }
    let rest = words.get(at..)?;
    let mut usage = Usage::default();
    let used = options::sort(rest, &spec(options), &mut usage) + skip;
    let mut inner = rest.get(used..)?.to_vec();
    if let Some(entry) = usage.value("--entrypoint") {
        inner.insert(0, entry.clone());
    }
    (!inner.is_empty()).then_some(inner)
}

fn container(command: &Command) -> Vec<Inner> {
    let words = arguments(command);
    let usage: Vec<&str> = command.usage.subcommand.iter().map(SmolStr::as_str).collect();
    let inner = match usage.as_slice() {
        [.., "exec"] => behind(words, &["exec"], EXEC, 1),
        [.., "run"] => behind(words, &["run"], RUN, 1),
        _ => None,
    };
    // Without a mount, its files are its own.
    let mounts = words.iter().any(|word| {
        let text = word.text.as_str();
        text.starts_with("-v")
            || text.starts_with("--volume")
            || text.starts_with("--mount")
            || text == "--privileged"
    });
    let composed = command.program.ends_with("-compose") || usage.first() == Some(&"compose");
    let away = !mounts
        && (usage.last() == Some(&"run") && !composed || inner.as_deref().is_some_and(changes_own_files));
    let mounts = if mounts { mounts::of(command) } else { Vec::new() };
    match inner {
        None => Vec::new(),
        Some(words) if away => vec![Inner::Away(words)],
        Some(words) if mounts.is_empty() => vec![Inner::words(&words)],
        Some(words) => vec![Inner::made(mounts::seen_from_here(words, &mounts))],
    }
}

fn pod(command: &Command) -> Vec<Inner> {
    let words = arguments(command);
    if !words.iter().any(|word| matches!(word.text.as_str(), "exec" | "run" | "debug")) {
        return Vec::new();
    }
    let inner = match words.iter().position(|word| word.text == "--") {
        Some(at) => words.get(at + 1..).map(<[Word]>::to_vec),
        None => behind(words, &["exec"], EXEC, 1),
    };
    inner.map(inside).unwrap_or_default()
}

/// Machines on this machine, most of which have its home folder mounted:
/// program, subcommand, options, operands before the command.
const MACHINES: &[(&str, &str, &str, usize)] = &[
    ("lima", "", "", 0),
    ("limactl", "shell", "shell= workdir= tty? preserve-env", 1),
    ("colima", "ssh", "p,profile=", 0),
    ("multipass", "exec", "d,working-directory= n,no-map-working-directory", 1),
    ("orb", "", "m,machine= u,user= w,workdir= p,path s,shell", 0),
    ("orbctl", "run", "m,machine= u,user= w,workdir= p,path s,shell", 0),
    ("heroku", "run", "a,app= r,remote= s,size= e,env= x,exit-code no-tty no-notify type=", 0),
    ("minikube", "ssh", "p,profile= n,node= native-ssh?", 0),
    ("adb", "shell", "e= n T t x", 0),
    ("pdsh", "", "w= x= l= t= u= f= R= g= S b", 0),
    ("clush", "", "w= x= g= l= t= u= f= a b B L", 0),
    ("lxc", "exec", "cwd= env= user= group= mode= t n", 1),
    ("incus", "exec", "cwd= env= user= group= mode= t n", 1),
    ("wsl", "", "e,exec d,distribution= u,user= cd= shell-type= system", 0),
];

static HEADS: NameFilter = name_filter();

const fn name_filter() -> NameFilter {
    let (mut all, mut rows) = (NameFilter::NONE, MACHINES);
    while let [row, more @ ..] = rows {
        all = all.with(row.0);
        rows = more;
    }
    all
}

fn machine(program: &str, words: &[Word]) -> Option<Vec<Inner>> {
    if !HEADS.may_hold(program) {
        return None;
    }
    let (_, sub, options, skip) = MACHINES.iter().find(|(name, ..)| is_named(name, program))?;
    let rest = match sub.is_empty() {
        true => Some(words),
        false => words.iter().position(|word| word.text == *sub).and_then(|at| words.get(at + 1..)),
    };
    let Some(rest) = rest else {
        // `minikube kubectl -- …` is for others to read.
        return (program != "minikube").then(Vec::new);
    };
    let mut at = options::sort(rest, &spec(options), &mut Usage::default()) + skip;
    at += usize::from(rest.get(at).is_some_and(|word| word.text == "--"));
    let run = rest.get(at..).unwrap_or_default().to_vec();
    Some(match run.is_empty() {
        true => Vec::new(),
        // Its home is its own; the disks of this machine lie below `/mnt`.
        false if program == "wsl" && !(deletes(&run) && run.iter().any(is_shared)) => vec![Inner::Away(run)],
        false => inside(run),
    })
}

fn deletes(run: &[Word]) -> bool {
    run.first()
        .is_some_and(|word| matches!(word.text.as_str(), "rm" | "mv" | "find" | "shred" | "chmod" | "chown"))
}

/// The root, or a disk of this machine, as a word of its own.
fn is_shared(word: &Word) -> bool {
    matches!(word.text.as_str(), "/" | "/*" | "/mnt" | "/mnt/*")
        || word.text.starts_with("/mnt/") && !word.text.contains(' ')
}

fn inside(words: Vec<Word>) -> Vec<Inner> {
    match changes_own_files(&words) {
        true => vec![Inner::Away(words)],
        false => super::words_or_line(&words),
    }
}

/// `ansible all -m shell -a text`; without a module the text is a command.
fn ansible(words: &[Word]) -> Vec<Inner> {
    let spec = Spec {
        options: "m,module-name= a,args= i,inventory= b,become K,ask-become-pass u,user= f,forks= l,limit= e,extra-vars= v,verbose \
                  C,check D,diff k,ask-pass o,one-line t,tree= B,background= P,poll= c,connection= M,module-path= become-user= \
                  become-method= private-key= T,timeout= vault-password-file= list-hosts",
        ..spec("")
    };
    let mut usage = Usage::default();
    options::sort(words, &Spec { leading: false, ..spec }, &mut usage);
    let module = usage.value("--module-name").map_or("command", |word| word.text.as_str());
    let Some(text) = usage.value("--args").filter(|_| !usage.has("--check")) else { return Vec::new() };
    match module.rsplit('.').next().unwrap_or(module) {
        "command" | "shell" | "raw" | "win_shell" | "win_command" | "expect" => {
            vec![Inner::text(text.clone())]
        }
        "file" if text.text.contains("state=absent") => {
            let path = text
                .text
                .split(' ')
                .find_map(|one| ["path=", "dest=", "name="].iter().find_map(|head| one.strip_prefix(head)));
            let word = |one: &str| Word { text: one.into(), ..text.clone() };
            path.map(|path| Inner::made(vec![word("rm"), word("-rf"), word(path)])).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Does this change files deep inside a container that runs? Its whole disk,
/// its data and what may be mounted from here count as if they were here.
fn changes_own_files(words: &[Word]) -> bool {
    let Some((program, rest)) = words.split_first() else { return false };
    let own = |word: &Word| word.exact && word.text.starts_with('/') && is_deep(&word.text);
    match program.text.as_str() {
        "rm" | "rmdir" | "mkdir" | "touch" => rest.iter().all(|word| word.text.starts_with('-') || own(word)),
        "sed" | "cp" | "mv" | "chown" | "chmod" | "tee" => {
            rest.iter().all(|word| word.exact && (!word.text.starts_with('/') || own(word)))
        }
        "sh" | "bash" | "ash" => match rest {
            [option, text] => matches!(option.text.as_str(), "-c" | "-lc" | "-ec") && is_own_line(text),
            _ => false,
        },
        _ => false,
    }
}

/// Some way below the root, and not where data or this machine's own files may lie.
fn is_deep(path: &str) -> bool {
    let kept = ["/var/lib/", "/run/", "/var/run/", "/proc/", "/sys/", "/dev/", "/host", "/mnt/"];
    path.trim_matches('/').contains('/')
        && !path.contains("..")
        && !kept.iter().any(|head| path.starts_with(head))
}

/// A line for a shell that names nothing else.
fn is_own_line(line: &Word) -> bool {
    // All that is in the folder it begins in may be a folder of this machine.
    let everything = [" *", " ./*", " ."]
        .iter()
        .any(|sign| line.text.trim_end().ends_with(sign) && line.text.contains("rm "));
    let plain = !everything && !line.text.contains(['$', '`', '~']) && !line.text.contains("..");
    let mut before = "";
    let words = line.text.split(|one: char| one.is_whitespace() || ";&|()<>'\"".contains(one));
    plain
        && line.exact
        && words.filter(|word| !word.is_empty()).all(|word| {
            let went = std::mem::replace(&mut before, word) == "cd";
            !word.starts_with('/')
                || is_deep(word)
                || went && word.len() > 1 && !word.starts_with("/var")
                || word == "/dev/null"
        })
}
