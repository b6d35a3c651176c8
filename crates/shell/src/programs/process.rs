//! Programs that end or signal processes and stop the machine.

use super::machine::is_guard;
use super::{Effects, Model, plain};
use crate::effect_kind::EffectKind;
use crate::options::Spec;
use crate::reading::{Command, Word};

pub(super) const MODELS: &[Model] = &[
    Model {
        names: &["kill"],
        // `-KILL` is one word, not four options.
        spec: Spec {
            options: "s= signal= n= l? list? L table q= p",
            leading: false,
            short_names: false,
            one_dash: true,
        },
        subs: &[],
        groups: &[],
        effects: kill,
    },
    plain(
        &["pkill", "killall", "skill", "xkill", "taskkill", "fkill", "kill-port"],
        "f,full x,exact u,euid= U,uid= g,pgroup= G,group= P,parent= s,session= t,terminal= n,newest o,oldest signal= e,echo I,ignore-case i,interactive \
         q,quiet r,regexp v,verbose w,wait y,younger-than= O,older=",
        end_named,
    ),
    plain(&["fuser"], "k,kill n,namespace= s,silent v,verbose i,interactive m,mount signal=", fuser),
    plain(
        &["shutdown", "reboot", "halt", "poweroff", "init", "telinit"],
        "r h P H c k t= f,force",
        stop_machine,
    ),
];

/// By name: anyone who ends what watches the machine weakens it.
fn end_named(command: &Command, input: Option<&str>) -> Effects {
    let mut effects = end_operands(command, input);
    if command.usage.operands.iter().any(|word| is_guard(&word.text)) {
        effects.add(EffectKind::WeakensDefence);
    }
    effects
}

fn is_signal(word: &Word) -> bool {
    word.text.starts_with('-')
}

fn kill(command: &Command, input: Option<&str>) -> Effects {
    let lists = |word: &Word| matches!(word.text.as_str(), "-l" | "-L" | "--list" | "--table");
    // `kill -0` only asks whether the process is there.
    let asks = command.words.iter().any(|word| word.text == "-0")
        || ["-s", "-n"].iter().any(|name| command.usage.value(name).is_some_and(|value| value.text == "0"));
    if asks || command.words.iter().any(lists) {
        return Effects::none();
    }
    let mut effects = end_operands(command, input);
    // `kill $(pgrep auditd)`: the number is not known, the name is.
    let asked = command.usage.operands.iter().filter(|word| !word.exact);
    let mut named = asked.flat_map(|word| word.text.split([' ', '(', ')', '`', '"', '\'']));
    if named.any(is_guard) {
        effects.add(EffectKind::WeakensDefence);
    }
    // `kill -9 -1`: the negative number is a group of processes.
    let last = command.words.iter().skip(2).filter(|word| is_signal(word) && word.text.len() > 1);
    effects.on_each(
        EffectKind::EndsProcess,
        last.filter(|word| word.text.bytes().skip(1).all(|byte| byte.is_ascii_digit())),
    );
    effects
}

fn end_operands(command: &Command, _: Option<&str>) -> Effects {
    Effects::of(EffectKind::EndsProcess, &command.usage.operands)
}

fn fuser(command: &Command, input: Option<&str>) -> Effects {
    if command.usage.has("--kill") { end_operands(command, input) } else { Effects::none() }
}

fn stop_machine(command: &Command, _: Option<&str>) -> Effects {
    let mut effects = Effects::none();
    // `init 3` only changes the level.
    let level = command.usage.operands.first().map_or("", |word| word.text.as_str());
    let stays = command.program.ends_with("init") && !matches!(level, "0" | "1" | "6" | "s" | "S");
    if !command.usage.has("-c") && !command.usage.has("-k") && !stays {
        effects.add(EffectKind::StopsMachine);
    }
    effects
}
