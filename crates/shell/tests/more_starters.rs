//! More programs that start what their words, options or texts name.

mod listed;

use listed::check;
use toolgate_shell::{ReadContext, read};

const STARTED: &[&str] = &[
    "cmake -E rm x",
    "cmake -E remove x",
    "cmake -E env A=1 rm x",
    "cmake -E time rm x",
    "cmake -E chdir d rm x",
    "coreutils --coreutils-prog=rm x",
    "coreutils rm x",
    "script -q /dev/null rm x",
    "script -aq log rm x",
    "script log -c 'rm x'",
    "script -q log -- rm x",
    "go run -exec 'rm x' a.go",
    "go test -exec='rm x' ./...",
    "go build -toolexec 'rm x' .",
    "arch -arm64 rm x",
    "arch -arch x86_64 -e A=1 rm x",
    "xcrun --sdk macosx rm x",
    "with-contenv rm x",
    "R -e 'system(\"rm x\")'",
    "Rscript -e 'system2(\"rm\", c(\"x\"))'",
    "julia -e 'run(`rm x`)'",
    "guile -c '(system \"rm x\")'",
    "guile -c '(system* \"rm\" \"x\")'",
    "emacs --batch --eval '(shell-command \"rm x\")'",
    "emacs --batch --eval='(call-process \"rm\" nil nil nil \"x\")'",
    "bb -e '(shell \"rm x\")'",
    "m4 <<<'syscmd(`rm x'\"'\"')'",
    "echo 'esyscmd(rm x)' | m4",
    "deno eval 'new Deno.Command(\"rm\", {args: [\"x\"]}).outputSync()'",
    "bun -e 'await Bun.$`rm x`'",
    "fzf --preview 'rm x'",
    "fzf --preview='rm x'",
    "fzf --bind 'enter:execute(rm x)+abort'",
    "fzf --bind 'ctrl-r:reload:rm x'",
    "ansible all -m shell -a 'rm x'",
    "ansible localhost -a 'rm x'",
    "ansible all -m ansible.builtin.command -a 'rm x'",
    "vagrant ssh -c 'rm x'",
    "gcloud compute ssh vm --command='rm x'",
    "watchexec -e rs rm x",
    "watchexec 'rm x'",
    "chokidar '**/*.js' -c 'rm x'",
    "reflex -r a rm x",
    "reflex -- rm x",
    "air --build.cmd 'rm x'",
    "lima rm x",
    "limactl shell default rm x",
    "multipass exec vm -- rm x",
    "orb -m ubuntu rm x",
    "wsl.exe -d Ubuntu -- rm x",
    "wsl -e rm x",
    "lxc exec box -- rm x",
    "distrobox enter box -- rm x",
    "distrobox enter -n box -- rm x",
    "toolbox run -c box rm x",
    "nix shell nixpkgs#a -c rm x",
    "nix develop .#a --command rm x",
    "devbox run -- rm x",
    "mise x node@20 -- rm x",
    "mise exec -c 'rm x'",
    "rtx exec -- rm x",
    "micromamba run -n a rm x",
    "pixi exec rm x",
    "hatch run dev:rm x",
    "tox exec -e py3 -- rm x",
    "dotenv -f .env run -- rm x",
    "dotenvx run -f .env -- rm x",
    "infisical run --command 'rm x'",
    "infisical run --env=dev -- rm x",
    "sops exec-env f 'rm x'",
    "script -q -t 0 log rm x",
    "xcrun -sdk macosx rm x",
    "GOFLAGS='\"-toolexec=rm x\"' go build",
    "FZF_DEFAULT_OPTS='--preview \"rm x\"' fzf",
    "echo '(system \"rm x\")' | guile",
    "racket -e '(system \"rm x\")'",
    "nvim '+lua os.execute(\"rm x\")' +q",
    "vim --cmd '!rm x'",
    "elixir -e 'System.cmd(\"rm\", [\"x\"])'",
    "erl -noshell -eval 'os:cmd(\"rm x\").'",
    "octave --eval 'system(\"rm x\")'",
    "raku -e 'shell \"rm x\"'",
    "crystal eval 'system(\"rm x\")'",
    "heroku run -a app 'rm x'",
    "minikube ssh 'rm x'",
    "adb shell rm x",
    "pdsh -w h rm x",
    "pssh -h hosts rm x",
    "lerna exec 'rm x'",
    "lerna exec -- rm x",
    "nvm exec 20 rm x",
    "rvm 3.0 do rm x",
    "retry -t 3 -- rm x",
    "envdir d rm x",
    "setlock f rm x",
    "asciinema rec -c 'rm x'",
    "gdb -batch -ex run --args rm x",
    "xterm -e 'rm x'",
    "unheard-of exec -- rm x",
    "make V='$(shell rm x)'",
    "MAKEFLAGS='--eval=$(shell rm x)' make",
];

#[test]
fn what_is_started_is_listed() {
    for source in STARTED {
        check(source, &["rm", "x"]);
    }
}

#[test]
fn what_amounts_to_a_deletion_is_listed_as_one() {
    for source in [
        "cmake -E remove_directory x",
        "Rscript -e 'unlink(\"x\", recursive=TRUE)'",
        "julia -e 'rm(\"x\", recursive=true)'",
        "elixir -e 'File.rm_rf!(\"x\")'",
        "emacs --batch --eval '(delete-directory \"x\" t)'",
        "vim -es '+call delete(\"x\", \"rf\")' +q",
        "swift -e 'try FileManager.default.removeItem(atPath: \"x\")'",
        "ansible all -m file -a 'path=x state=absent'",
    ] {
        check(source, &["rm", "-rf", "x"]);
    }
    check("vim '+call delete(\"x\")' +q", &["rm", "-f", "x"]);
    check("Rscript -e 'file.remove(\"x\")'", &["rm", "-f", "x"]);
}

#[test]
fn what_only_talks_about_it_is_not() {
    for source in [
        "cmake -E echo rm x",
        "cmake -B rm x",
        "script -q rm",
        "arch",
        "xcrun --find rm",
        "go build -o rm x",
        "julia -e 'println(\"rm x\")'",
        "guile -c '(display \"rm x\")'",
        "emacs rm x",
        "vim +/rm x",
        "vim '+call undelete(\"x\")'",
        "m4 <<<'define(rm, x)'",
        "fzf --query 'rm x'",
        "fzf --bind 'enter:accept' --header 'rm x'",
        "ansible all -m ping -a 'rm x'",
        "ansible all -m shell --check -a 'rm x'",
        "vagrant up rm",
        "nix build rm x",
        "make V='rm x'",
        "MAKEFLAGS=-j4 make",
        "node -e 'console.log(`rm x$`)'",
        "limactl list rm x",
        "sops -d rm",
        "gdb --args rm x",
        "unheard-of rm x",
        "unheard-of -- rm",
        "unheard-of -- a rm x",
        "nvm install rm",
        "heroku logs rm x",
        "erl -noshell -eval 'io:format(\"rm x\").'",
        "elixir -e 'IO.puts(\"rm x\")'",
        "octave --eval 'disp(\"rm x\")'",
        "GOFLAGS=-mod=mod go build",
    ] {
        let found = read(source, &ReadContext::default());
        assert!(found.commands.iter().all(|command| command.program != "rm"), "{source}: {found:?}");
    }
}
