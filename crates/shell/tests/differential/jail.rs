//! A long-lived bash that runs one script after the other, each in a subshell,
//! where every program is a stub that notes its name and arguments.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

pub const BASH: &str = "/bin/bash";

/// Notes a name that is no program; bash calls it for those.
const HANDLER: &str = "() { printf '%s\\0' \"$#\" \"${@//$'\\n'/$'\\036'}\" >>\"$NOTED\"; return $STATUS; }";

/// A program under a name of its own: noted, and every second one succeeds.
/// Without a folder in its name it was not started, but read by a shell that
/// was given the name of a script (`sh p1`).
const STUB: &str = r#"#!/bin/sh
case $0 in */*) ;; *) exit 1 ;; esac
name=${0##*/}
printf '%s\0' $(($# + 1)) "$name" "$@" >>"$NOTED"
exit $((${name#p} % 2))
"#;

/// Runs the command behind its options, as another user would.
const SUDO: &str = r#"#!/bin/sh
while :; do
    case $1 in
    -u) shift 2 ;;
    --) shift; break ;;
    -?*) shift ;;
    *=*) export "$1"; shift ;;
    *) break ;;
    esac
done
exec "$@"
"#;

/// The real programs that run others. With nothing but stubs on their path
/// they can start nothing else.
pub const WRAPPERS: &[&str] =
    &["env", "xargs", "timeout", "nice", "nohup", "setsid", "stdbuf", "find", "cat", "flock", "sudo", "doas"];

/// How many names the grammar may use.
const NAMES: usize = 99;

/// Names are functions here, which need no process; wherever else they are
/// called, the stubs answer.
const FUNCTIONS: &str = r#"
# One write each: bash writes line by line, and others write at the same time.
_note() { printf '%s\0' $# "${@//$'\n'/$'\036'}" >>"$NOTED"; }
# A shell called `sh` would read some words otherwise (`time -p`).
sh() { bash "$@"; }
for _n in {1..NAMES}; do
    eval "p$_n() { _note p$_n \"\$@\"; return $((_n % 2)); }"
done
for _n in WRAPPERS; do
    eval "$_n() { _note $_n \"\$@\"; command $_n \"\$@\"; }"
done
unset _n
"#;

/// Every folder is there, so that what stands behind `cd x &&` runs; `cat` and
/// `which` print what they are taken to print.
const FOLDERS: &str = r#"
_note() { printf '%s\0' $# "${@//$'\n'/$'\036'}" >>"$NOTED"; return $STATUS; }
cd() { case $1 in /*) PWD=$1 ;; esac; }; pushd() { :; }; popd() { :; }
which() { [[ $STATUS -ne 0 ]] || printf '%s\n' "$1"; _note which "$@"; }
cat() {
    local text
    [[ $# -gt 0 && $1 != - ]] || { IFS= read -r -d '' text; printf %s "$text"; }
    _note cat "$@"
}
"#;

/// Reads numbers of scripts, runs each, and says so.
const SERVER: &str = r#"
exec 9<&0 8>&1 </dev/null >/dev/null 2>&1
FUNCTIONS
while IFS= read -r -u 9 NOTED; do
    (
        exec 8>&- 9<&-
        ulimit -t 1 -f 64
        command cd "work/$NOTED"
        export NOTED=$PLACE/logs/$NOTED
        eval "$(<"$NOTED.sh")"
    )
    echo >&8
done
"#;

/// A root of its own with bash and its libraries, read-only, and nothing else:
/// no other program, no network, no process but its own.
const LOCK: &str = r#"
root=$1/root
mkdir -p "$root" && mount -t tmpfs -o size=64m none "$root" || exit 1
mkdir -p "$root"/{bin,lib,lib64,usr/lib,dev,tmp,proc,place}
touch "$root/bin/bash" "$root/dev/null"
mount --bind /bin/bash "$root/bin/bash" && mount --bind /dev/null "$root/dev/null" || exit 1
for folder in lib lib64 usr/lib; do
    [ -d "/$folder" ] && mount --rbind -o ro "/$folder" "$root/$folder"
done
mount --bind "$1/tmp" "$root/tmp" && mount --bind "$1" "$root/place" && mount -t proc proc "$root/proc" || exit 1
ln -s /proc/self/fd "$root/dev/fd"; ln -s bash "$root/bin/sh"
cd /; ulimit -u 64 -v 1000000
exec chroot "$root" /bin/bash --norc -O extglob -c "cd /place; $2"
"#;

/// What running a script came to.
pub struct Ran {
    /// Every command that was started, with its arguments.
    pub calls: Vec<Vec<String>>,
    /// It did not end by itself.
    pub hung: bool,
}

struct Server {
    child: Child,
    orders: ChildStdin,
    done: Receiver<()>,
}

/// How the bash is kept.
#[derive(Clone, Copy)]
enum Kind {
    /// With stubs on its path and some real programs that start others.
    Stubs,
    /// With nothing at all; what is called ends with this status.
    Locked(u8),
}

/// A folder and a bash that knows nothing else.
pub struct Jail {
    place: PathBuf,
    kind: Kind,
    server: Server,
}

impl Jail {
    /// For scripts made by rule.
    pub fn new(number: usize) -> Option<Jail> {
        let place = place_of(&number.to_string())?;
        let bin = place.join("bin");
        let _ = std::os::unix::fs::symlink(BASH, bin.join("bash"));
        script(&bin.join("sh"), "#!/bin/bash\nexec bash \"$@\"\n")?;
        for name in WRAPPERS {
            let real = Path::new("/usr/bin").join(name);
            match *name {
                "sudo" | "doas" => script(&bin.join(name), SUDO)?,
                _ => {
                    let _ = std::os::unix::fs::symlink(real, bin.join(name));
                }
            }
        }
        script(&bin.join("stub"), STUB)?;
        for at in 1..=NAMES {
            let _ = std::os::unix::fs::symlink("stub", bin.join(format!("p{at}")));
        }
        let server = start(&place, Kind::Stubs)?;
        Some(Jail { place, kind: Kind::Stubs, server })
    }

    /// For scripts others wrote. `None` where no such jail can be made.
    pub fn locked(status: u8) -> Option<Jail> {
        let place = place_of(&format!("locked-{status}"))?;
        let server = start(&place, Kind::Locked(status))?;
        let mut jail = Jail { place, kind: Kind::Locked(status), server };
        let trial = jail.runs("a <(b)\nwait", 0);
        let runs = !trial.hung && trial.calls.len() == 2;
        runs.then_some(jail)
    }

    /// Every command bash starts.
    pub fn runs(&mut self, source: &str, number: usize) -> Ran {
        let name = number.to_string();
        let log = self.place.join("logs").join(&name);
        let text = self.place.join("logs").join(format!("{name}.sh"));
        let work = self.place.join("work").join(&name);
        let _ = std::fs::create_dir_all(&work);
        let _ = std::fs::write(&text, source);
        let told = writeln!(self.server.orders, "{name}");
        let ended = told.is_ok() && self.server.done.recv_timeout(Duration::from_secs(20)).is_ok();
        if !ended {
            end(&mut self.server.child);
            if let Some(server) = start(&self.place, self.kind) {
                self.server = server;
            }
        }
        let noted = std::fs::read(&log).unwrap_or_default();
        let _ = std::fs::remove_file(&log);
        let _ = std::fs::remove_file(&text);
        let _ = std::fs::remove_dir_all(&work);
        // The folder itself is held by the jail.
        for left in std::fs::read_dir(self.place.join("tmp")).into_iter().flatten().flatten() {
            let path = left.path();
            let _ = std::fs::remove_file(&path).or_else(|_| std::fs::remove_dir_all(&path));
        }
        Ran { calls: calls_of(&noted), hung: !ended }
    }
}

impl Drop for Jail {
    fn drop(&mut self) {
        end(&mut self.server.child);
        let _ = std::fs::remove_dir_all(&self.place);
    }
}

fn script(path: &Path, text: &str) -> Option<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, text).ok()?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).ok()
}

fn place_of(name: &str) -> Option<PathBuf> {
    // Not below `/tmp`: others may have a process of the same number there.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let place = folder.join(format!("toolgate-diff-{}-{name}", std::process::id()));
    for folder in ["bin", "logs", "work", "tmp"] {
        std::fs::create_dir_all(place.join(folder)).ok()?;
    }
    Some(place)
}

/// What starts a program in a space of processes of its own. Whatever ends this
/// test, even from outside, ends all of them: some scripts fork without end.
/// Where no such space can be made, nothing is put in front.
fn bounded(more: &[&str]) -> Command {
    let make = || {
        let mut command = Command::new("/usr/bin/setpriv");
        command.args(["--pdeathsig", "KILL", "/usr/bin/unshare", "--user", "--map-root-user"]);
        command.args(more).args(["--pid", "--fork", "--kill-child"]);
        command
    };
    let works = make().arg("true").stderr(Stdio::null()).status().is_ok_and(|status| status.success());
    if works { make() } else { Command::new("/usr/bin/env") }
}

fn start(place: &Path, kind: Kind) -> Option<Server> {
    let functions = FUNCTIONS.replace("NAMES", &NAMES.to_string()).replace("WRAPPERS", &WRAPPERS.join(" "));
    let mut command = match kind {
        Kind::Stubs => {
            let mut command = bounded(&[]);
            command.args([BASH, "--norc", "-O", "extglob", "-c", &SERVER.replace("FUNCTIONS", &functions)]);
            command.env_clear().env("PATH", place.join("bin")).env("PLACE", place).env("STATUS", "1");
            command
        }
        Kind::Locked(status) => {
            let mut command = bounded(&["--mount", "--net"]);
            command.args([BASH, "-c", LOCK, "lock"]).arg(place).arg(SERVER.replace("FUNCTIONS", FOLDERS));
            command.env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").env("PLACE", "/place");
            command.env("STATUS", status.to_string());
            command
        }
    };
    let mut child = command
        .current_dir(place)
        .env("HOME", "/home/u")
        .env("BASH_FUNC_command_not_found_handle%%", HANDLER)
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .ok()?;
    let orders = child.stdin.take()?;
    let lines = BufReader::new(child.stdout.take()?).lines();
    let (tell, done) = channel();
    std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|_| tell.send(())));
    Some(Server { child, orders, done })
}

/// Ends the server and whatever it started.
fn end(child: &mut Child) {
    let group = format!("-{}", child.id());
    let _ = Command::new("kill").args(["-9", "--", &group]).stderr(Stdio::null()).status();
    let _ = child.wait();
}

/// Noted calls: a count and that many words, each ended by a zero byte.
pub fn calls_of(noted: &[u8]) -> Vec<Vec<String>> {
    let noted = String::from_utf8_lossy(noted).into_owned();
    let whole = noted.rfind('\0').map_or("", |end| noted.get(..end + 1).unwrap_or_default());
    let mut fields = whole.split_terminator('\0').map(|field| field.replace('\u{1e}', "\n"));
    let mut calls = Vec::new();
    while let Some(count) = fields.next().and_then(|count| count.parse::<usize>().ok()) {
        calls.push(fields.by_ref().take(count).collect::<Vec<String>>());
        // The file may have become too long in the middle of a call.
        if calls.last().is_some_and(|call| call.len() < count) {
            calls.pop();
        }
    }
    calls
}
