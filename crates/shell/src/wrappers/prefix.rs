//! Wrappers that are simply put in front: `sudo`, `timeout 5`, `nice -n 3`.

use super::{Inner, arguments};
use crate::name_filter::NameFilter;
use crate::options::{self, Spec};
use crate::programs::is_named;
use crate::reading::{Assignment, Command, Usage, Word};
use crate::stream::Stream;

/// One wrapper: its names, its options, how many operands stand before the
/// command.
struct Prefix {
    names: &'static [&'static str],
    options: &'static str,
    skip: usize,
}

const PREFIXES: &[Prefix] = &[
    Prefix {
        names: &["sudo"],
        options: "u,user= g,group= h,host= p,prompt= C,close-from= D,chdir= r,role= t,type= T,command-timeout= \
                  U,other-user= A,askpass b,background E preserve-env? e,edit H,set-home i,login K,remove-timestamp \
                  k,reset-timestamp l,list n,non-interactive P,preserve-groups S,stdin s,shell v,validate B,bell N,no-update",
        skip: 0,
    },
    Prefix { names: &["doas"], options: "u= C= a= n s L", skip: 0 },
    Prefix { names: &["pkexec"], options: "user= disable-internal-agent keep-cwd", skip: 0 },
    Prefix {
        names: &["run0"],
        options: "u,user= g,group= unit= property= description= slice= D,chdir= setenv= nice= background= pty pipe machine=",
        skip: 0,
    },
    Prefix { names: &["command"], options: "p", skip: 0 },
    Prefix {
        names: &["builtin", "nohup", "noglob", "nocorrect", "-", "unbuffer", "catchsegv"],
        options: "",
        skip: 0,
    },
    Prefix { names: &["exec"], options: "c l a=", skip: 0 },
    Prefix { names: &["setsid"], options: "c,ctty f,fork w,wait", skip: 0 },
    Prefix { names: &["nice"], options: "n,adjustment=", skip: 0 },
    Prefix { names: &["ionice"], options: "c,class= n,classdata= p,pid= P,pgid= t,ignore u,uid=", skip: 0 },
    Prefix {
        names: &["timeout", "gtimeout"],
        options: "s,signal= k,kill-after= f,foreground preserve-status v,verbose",
        skip: 1,
    },
    Prefix {
        names: &["time", "gtime"],
        options: "a,append f,format= o,output= p,portability v,verbose q,quiet l",
        skip: 0,
    },
    Prefix { names: &["stdbuf"], options: "i,input= o,output= e,error=", skip: 0 },
    Prefix { names: &["chroot"], options: "userspec= groups= skip-chdir", skip: 1 },
    Prefix {
        names: &["unshare", "nsenter"],
        options: "m,mount? u,uts? i,ipc? n,net? p,pid? U,user? C,cgroup? T,time? f,fork r,map-root-user c map-user= \
                  map-group= mount-proc? R,root= w,wd= S,setuid= G,setgid= t,target= a,all kill-child? propagation= F,no-fork",
        skip: 0,
    },
    Prefix { names: &["taskset"], options: "a,all-tasks c,cpu-list p,pid", skip: 1 },
    Prefix {
        names: &["chrt"],
        options: "b,batch d,deadline f,fifo i,idle o,other r,rr p,pid R T= P= D=",
        skip: 1,
    },
    Prefix {
        names: &["numactl"],
        options: "i,interleave= N,cpunodebind= m,membind= C,physcpubind= l,localalloc p,preferred=",
        skip: 0,
    },
    Prefix {
        names: &["setpriv", "systemd-run", "firejail", "systemd-inhibit"],
        options: "u,unit= p,property= uid= gid= slice= what= who= why= mode= E,setenv= t,pty P,pipe q,quiet G,collect wait user scope",
        skip: 0,
    },
    Prefix {
        names: &["strace", "ltrace"],
        options: "e= o,output= p= s= u= a= b= E= I= O= P= S= X= f c C d i k n q r t T v V w y",
        skip: 0,
    },
    Prefix { names: &["caffeinate"], options: "d i m s u t= w=", skip: 0 },
    Prefix {
        names: &["xvfb-run"],
        options: "a,auto-servernum s,server-args= n,server-num= e,error-file= f,auth-file= l,listen-tcp w,wait=",
        skip: 0,
    },
    Prefix {
        names: &[
            "proxychains",
            "proxychains4",
            "torsocks",
            "torify",
            "dbus-run-session",
            "rlwrap",
            "fakeroot",
            "eatmydata",
        ],
        options: "f= q",
        skip: 0,
    },
    Prefix { names: &["faketime"], options: "f m p x=", skip: 1 },
    Prefix {
        names: &["setarch"],
        options: "B,32bit F,fdpic-funcptrs I,short-inode L,addr-compat-layout R,addr-no-randomize S,whole-seconds \
                  T,sticky-timeouts X,read-implies-exec Z,mmap-page-zero 3,3gb 4gb uname-2.6 v,verbose list",
        skip: 1,
    },
    Prefix {
        names: &["linux32", "linux64", "i386", "i686", "x86_64", "uname26"],
        options: "B,32bit F I L R S T X Z 3 v,verbose",
        skip: 0,
    },
    Prefix {
        names: &["prlimit"],
        options: "p,pid= o,output= noheadings raw verbose c,core? d,data? e,nice? f,fsize? i,sigpending? l,memlock? m,rss? \
                  n,nofile? q,msgqueue? r,rtprio? s,stack? t,cpu? u,nproc? v,as? x,locks? y,rttime?",
        skip: 0,
    },
    Prefix { names: &["sshpass"], options: "p= f= d= e P= v h V", skip: 0 },
    Prefix { names: &["choom"], options: "n,adjust= p,pid=", skip: 0 },
    Prefix { names: &["ssh-agent"], options: "a= E= O= P= t= c s D d k", skip: 0 },
    Prefix {
        names: &["proot"],
        options: "r,rootfs= R= S= b,bind= m,mount= q,qemu= w,pwd= cwd= k,kernel-release= i,change-id= v,verbose= 0,root-id kill-on-exit",
        skip: 0,
    },
    Prefix { names: &["runcon"], options: "c,compute t,type= u,user= r,role= l,range=", skip: 0 },
    Prefix { names: &["cgexec"], options: "g= sticky", skip: 0 },
    Prefix {
        names: &["valgrind", "heaptrack", "uftrace"],
        options: "q,quiet v,verbose tool? log-file? o,output=",
        skip: 0,
    },
    Prefix {
        names: &["aa-exec"],
        options: "p,profile= n,namespace= i,immediate d,debug v,verbose f,file=",
        skip: 0,
    },
    Prefix {
        names: &["softlimit", "chpst"],
        options: "u= U= e= m= d= o= p= f= c= t= n= b= l= L= P",
        skip: 0,
    },
    Prefix { names: &["nocache", "chronic", "ifne", "cpulimit"], options: "l= i z", skip: 0 },
    Prefix { names: &["daemonize"], options: "a c= e= o= p= l= u= E= v", skip: 0 },
    Prefix { names: &["busybox", "toybox", "with-contenv"], options: "", skip: 0 },
    Prefix {
        names: &[
            "annotate-output",
            "dbus-launch",
            "summon",
            "envconsul",
            "gsudo",
            "please",
            "tsp",
            "nq",
            "sem",
        ],
        options: "p= f= e= E= j,jobs= n q exit-with-session",
        skip: 0,
    },
    Prefix { names: &["retry"], options: "t,times= d,delay= m= u,until= w,while=", skip: 0 },
    Prefix {
        names: &["envdir", "s6-envdir", "envuidgid", "setuidgid", "s6-setuidgid"],
        options: "i n t v",
        skip: 1,
    },
    Prefix {
        names: &["setlock", "lckdo", "s6-setlock", "with-lock-ex"],
        options: "n N x X w W= e E q r t=",
        skip: 1,
    },
    Prefix { names: &["then", "coproc"], options: "", skip: 0 },
];

/// Wrappers that stay in the shell: `command cd x` moves it.
const IN_SHELL: [&str; 3] = ["command", "builtin", "exec"];

/// The loader every program is started by, given a program itself.
const LOADER: Prefix = Prefix {
    names: &["ld.so"],
    options: "library-path= preload= argv0= inhibit-rpath= audit= inhibit-cache list verify glibc-hwcaps-prepend= glibc-hwcaps-mask=",
    skip: 0,
};

static HEADS: NameFilter = name_filter();

const fn name_filter() -> NameFilter {
    let mut all = NameFilter::NONE;
    let mut prefixes = PREFIXES;
    while let [prefix, more @ ..] = prefixes {
        let mut names = prefix.names;
        while let [name, others @ ..] = names {
            all = all.with(name);
            names = others;
        }
        prefixes = more;
    }
    all
}

/// The wrapper of this name.
fn prefix_of(program: &str) -> Option<&'static Prefix> {
    let loads = program.starts_with("ld")
        && (program == "ld.so"
            || ["ld-linux", "ld-musl", "ld64.so", "ld-2."].iter().any(|head| program.starts_with(head)));
    let is_one = |prefix: &&Prefix| prefix.names.iter().any(|name| is_named(name, program));
    match loads {
        true => Some(&LOADER),
        false if !HEADS.may_hold(program) => None,
        false => PREFIXES.iter().find(is_one),
    }
}

/// Is this a wrapper that is simply put in front?
pub(super) fn is_prefix(program: &str) -> bool {
    prefix_of(program).is_some()
}

pub(super) fn open(command: &Command, _: Option<&Stream>) -> Option<Vec<Inner>> {
    let program = command.program.as_str();
    match program {
        "flock" => return Some(flock(arguments(command))),
        "sg" => return Some(group(arguments(command))),
        "perf" => return Some(perf(arguments(command))),
        "capsh" => return Some(capsh(arguments(command))),
        "arch" => return Some(behind_options(arguments(command), &["-e", "-d", "-arch", "--arch"])),
        "xcrun" => return Some(xcrun(arguments(command))),
        _ => {}
    }
    let prefix = prefix_of(program)?;
    let words = arguments(command);
    if program == "command" && words.first().is_some_and(|word| matches!(word.text.as_str(), "-v" | "-V")) {
        return Some(Vec::new());
    }
    let spec = Spec { options: prefix.options, leading: true, short_names: true, one_dash: false };
    let mut usage = Usage::default();
    let mut at = options::sort(words, &spec, &mut usage) + prefix.skip;
    // `timeout $OPTIONS 5 rm x`: what is not known is no time, then.
    let unknown = at.checked_sub(1).and_then(|before| words.get(before)).is_some_and(|word| !word.exact);
    if prefix.skip == 1 && unknown && words.get(at).is_some_and(is_time) {
        at += 1;
    }
    let mut assignments = Vec::new();
    if matches!(program, "sudo" | "doas") {
        while let Some((name, value)) = words.get(at).and_then(assignment) {
            assignments.push(Assignment { name: name.into(), value });
            at += 1;
        }
    }
    let rest = words.get(at..).unwrap_or_default();
    if rest.is_empty() {
        let shell = ["--shell", "--login", "-s"].iter().any(|name| usage.has(name));
        return Some(if shell { vec![Inner::Input] } else { Vec::new() });
    }
    if program == "sudo" && usage.has("--edit") {
        return Some(Vec::new());
    }
    let dir = usage.value("--chdir").cloned();
    let same_shell = IN_SHELL.contains(&program);
    Some(vec![Inner::Words { words: rest.to_vec(), assignments, dir, moved: false, same_shell }])
}

/// `5`, `2.5m`: no program has such a name.
fn is_time(word: &Word) -> bool {
    let number = word.text.trim_end_matches(['s', 'm', 'h', 'd']);
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

fn assignment(word: &Word) -> Option<(String, Word)> {
    let (name, value) = word.text.split_once('=')?;
    let plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    plain.then(|| (name.to_string(), Word { text: value.into(), ..word.clone() }))
}

/// `sg GROUP -c text`, `sg GROUP text`.
fn group(words: &[Word]) -> Vec<Inner> {
    let rest = words.iter().skip_while(|word| word.text == "-").skip(1);
    let text = rest.filter(|word| !matches!(word.text.as_str(), "-c" | "--command")).take(1);
    text.cloned().map(Inner::text).collect()
}

/// `arch -arm64 -e A=b command …` of macOS: long options with one dash, and
/// those of them that take a word.
fn behind_options(words: &[Word], with_value: &[&str]) -> Vec<Inner> {
    let mut rest = words;
    while let [option, more @ ..] = rest
        && option.text.starts_with('-')
    {
        let takes = with_value.contains(&option.text.as_str());
        rest = more.get(usize::from(takes)..).unwrap_or_default();
    }
    if rest.is_empty() { Vec::new() } else { vec![Inner::words(rest)] }
}

/// `xcrun --sdk x tool …`; with `--find` it only says where the tool lies.
fn xcrun(words: &[Word]) -> Vec<Inner> {
    let looks = |word: &Word| matches!(word.text.as_str(), "-f" | "--find" | "-find");
    if words.iter().take_while(|word| word.text.starts_with('-')).any(looks) {
        return Vec::new();
    }
    behind_options(words, &["-sdk", "--sdk", "-toolchain", "--toolchain"])
}

/// `capsh -- -c text` gives what follows to a shell.
fn capsh(words: &[Word]) -> Vec<Inner> {
    let Some(at) = words.iter().position(|word| matches!(word.text.as_str(), "--" | "==")) else {
        return Vec::new();
    };
    let Some(sign) = words.get(at) else { return Vec::new() };
    let shell = Word { text: "bash".into(), exact: true, ..sign.clone() };
    vec![Inner::made(std::iter::once(shell).chain(words.iter().skip(at + 1).cloned()).collect())]
}

/// `perf stat command …` and `perf record command …`.
fn perf(words: &[Word]) -> Vec<Inner> {
    let Some((verb, rest)) = words.split_first() else { return Vec::new() };
    if !matches!(verb.text.as_str(), "stat" | "record" | "trace" | "mem" | "lock" | "c2c" | "kmem") {
        return Vec::new();
    }
    let spec = Spec {
        options: "e,event= o,output= F,freq= c,count= g call-graph= p,pid= t,tid= C,cpu= r,repeat= I,interval-print= a,all-cpus \
                  d,detailed x,field-separator= D,delay= M,metrics= v,verbose q,quiet timeout= m,mmap-pages= j,branch-filter=",
        leading: true,
        short_names: true,
        one_dash: false,
    };
    let mut usage = Usage::default();
    let at = options::sort(rest, &spec, &mut usage);
    vec![Inner::words(rest.get(at..).unwrap_or_default())]
}

/// `flock FILE command …` or `flock FILE -c text`.
fn flock(words: &[Word]) -> Vec<Inner> {
    let spec = Spec {
        options: "s,shared x,exclusive e u,unlock n,nonblock nb w,timeout= E,conflict-exit-code= o,close F,no-fork v,verbose",
        leading: true,
        short_names: true,
        one_dash: false,
    };
    let mut usage = Usage::default();
    let at = options::sort(words, &spec, &mut usage) + 1;
    match words.get(at..).unwrap_or_default() {
        [option, text, ..] if matches!(option.text.as_str(), "-c" | "--command") => {
            vec![Inner::text(text.clone())]
        }
        rest => vec![Inner::words(rest)],
    }
}
