//! Programs that start what an option, a setting, a variable or a line of their
//! input names.

use crate::listed::check;
use toolgate_shell::{ReadContext, read};

const STARTED: &[&str] = &[
    "bwrap --ro-bind / / --dev /dev --unshare-net rm x",
    "bwrap --chmod 0700 /a --overlay b c d -- rm x",
    "ip netns exec blue rm x",
    "ip vrf exec red rm x",
    "ip -all netns exec rm x",
    "start-stop-daemon --start --exec rm -- x",
    "start-stop-daemon -S -x rm -- x",
    "start-stop-daemon --start --startas=rm -- x",
    "daemonize -o out rm x",
    "foreman run rm x",
    "honcho run rm x",
    "cmd /c 'rm x'",
    "cmd.exe //c rm x",
    "make SHELL='rm x'",
    "make CC='rm x' all",
    "make --eval='A := $(shell rm x)'",
    "make -f - <<'E'\nA := $(shell rm x)\nE",
    "CC='rm x' make",
    "RUSTC_WRAPPER='rm x' cargo build",
    "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER='rm x' cargo run",
    "export RUSTC_WRAPPER='rm x'; cargo build",
    "cargo --config 'target.x.runner = \"rm x\"' run",
    "cargo --config='build.rustc-wrapper=[\"rm\", \"x\"]' build",
    "BASH_ENV='$(rm x)' bash -c true",
    "ENV='`rm x`' sh -i",
    "zip a.zip f -T -TT 'rm x'",
    "less '+!rm x' f",
    "osascript -e 'do shell script \"rm x\"'",
    "tclsh <<<'exec rm x'",
    "echo 'exec rm x' | tclsh",
    "dc -e '!rm x'",
    "dc <<<'!rm x'",
    "ftp -n host <<<'!rm x'",
    "lftp -c '!rm x'",
    "split --filter='rm x' f",
    "PS1='$(rm x)' bash -i",
    "env 'BASH_FUNC_ls%%=() { rm x; }' bash -c ls",
    "LESSOPEN='|rm x' less f",
    "echo rm x >f; chmod +x f; PATH=$PWD:$PATH f",
    "printf 'rm x' >f; export PATH=.:$PATH; f",
    "git clone 'ext::rm x' d",
    "make -E 'a:;rm x'",
    "sftp -S 'rm x' h",
];

#[test]
fn what_is_started_is_listed() {
    for source in STARTED {
        check(source, &["rm", "x"]);
    }
    check("pwsh -c 'Remove-Item x; ls'", &["rm", "-f", "--", "x"]);
    check("pwsh -Command '& git push'", &["git", "push"]);
}

#[test]
fn what_only_talks_about_it_is_not() {
    for source in [
        "ip addr show",
        "ip route add default via 10.0.0.1",
        "start-stop-daemon --stop --exec rm",
        "bwrap --bind rm /x ls",
        "cargo --config net.offline=true build",
        "dc -e '2 3 + p'",
        "make CFLAGS='rm x' all",
        "osascript -e 'display dialog \"rm x\"'",
        "pwsh -c '$rm = 1'",
        "BASH_ENV=/etc/rm bash -c true",
        "less +/rm f",
        "zip a.zip rm",
    ] {
        let found = read(source, &ReadContext::default());
        assert!(!found.commands.iter().any(|command| command.program == "rm"), "{source}");
    }
}
