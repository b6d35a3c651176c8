//! Programs that run others with the rights of another user, and shells'
//! wrappers whose own words need sorting.

use super::socket::given_away;
use super::{Effects, Model};
use crate::effect_kind::EffectKind;
use crate::options::Spec;
use crate::reading::Command;

const fn leading(
    names: &'static [&'static str],
    options: &'static str,
    effects: fn(&Command, Option<&str>) -> Effects,
) -> Model {
    let spec = Spec { options, leading: true, short_names: true, one_dash: false };
    Model { names, spec, subs: &[], groups: &[], effects }
}

pub(super) const MODELS: &[Model] = &[
    leading(
        &["sudo"],
        "u,user= g,group= h,host= p,prompt= C,close-from= D,chdir= r,role= t,type= T,command-timeout= U,other-user= A,askpass b,background E \
         preserve-env? e,edit H,set-home i,login K,remove-timestamp k,reset-timestamp l,list n,non-interactive P,preserve-groups S,stdin s,shell \
         v,validate",
        change_user,
    ),
    leading(&["doas"], "u,user= C= a= n s L", change_user),
    leading(&["pkexec"], "user=", change_user),
    leading(
        &["run0"],
        "u,user= g,group= unit= property= description= slice= D,chdir= setenv= nice= background= pty pipe machine=",
        change_user,
    ),
    leading(
        &["su", "runuser"],
        "c,command= s,shell= l,login m,preserve-environment p g,group= G= u,user= P,pty",
        change_user,
    ),
    leading(&["gosu", "su-exec"], "", change_user),
    leading(
        &["bash", "sh", "zsh", "dash", "ksh", "ash", "mksh", "rbash", "fish", "csh", "tcsh"],
        "c=~ command=~ o= O= rcfile= init-file= l,login i s e x u v n r p f a b h k m t B C D E H P T",
        |_, _| Effects::none(),
    ),
    leading(
        &[
            "python",
            "python2",
            "python3",
            "pypy",
            "pypy3",
            "node",
            "nodejs",
            "php",
            "lua",
            "osascript",
            "Rscript",
        ],
        "c=~ e,eval=~ p,print=~ m= W= X= r,require= I= S B E O u s i q v V",
        given_away,
    ),
    leading(
        &["systemd-run"],
        "u,unit= p,property= uid= gid= slice= E,setenv= t,pty P,pipe q,quiet G,collect wait user scope \
         on-active= on-boot= on-startup= on-unit-active= on-unit-inactive= on-calendar= timer-property= path-property= description=",
        systemd_run,
    ),
    leading(&["env"], "i,ignore-environment 0,null u,unset= C,chdir= S,split-string= v,debug", |_, _| {
        Effects::none()
    }),
    leading(
        &["timeout", "gtimeout"],
        "s,signal= k,kill-after= f,foreground preserve-status v,verbose",
        |_, _| Effects::none(),
    ),
    leading(
        &[
            "xargs", "nice", "nohup", "setsid", "stdbuf", "time", "ionice", "command", "builtin", "exec",
            "eval", "busybox", "watch", "parallel", "chroot",
        ],
        "n= I= P= L= d= s= a= E= o= e= i=",
        |_, _| Effects::none(),
    ),
];

/// Now is one thing, at a time or at every start another.
fn systemd_run(command: &Command, _: Option<&str>) -> Effects {
    let mut effects = Effects::none();
    if command.usage.flags.iter().any(|flag| flag.name.starts_with("--on-")) {
        effects.add(EffectKind::RunsLater);
    }
    effects
}

fn change_user(command: &Command, _: Option<&str>) -> Effects {
    let usage = &command.usage;
    let mut effects = Effects::none();
    let looks = ["--list", "--validate", "--remove-timestamp", "--help", "--version"];
    let bare_help = command.words.get(1).is_some_and(|word| matches!(word.text.as_str(), "-h" | "-V"))
        && command.words.len() == 2;
    // `sudo -n true` only asks whether it could.
    let nothing = command.words.last().is_some_and(|word| matches!(word.text.as_str(), "true" | ":"));
    let probes = nothing && usage.has("--non-interactive") && usage.value("--user").is_none();
    let probes = probes && command.words.len() == 3;
    if bare_help || probes || looks.iter().any(|name| usage.has(name)) {
        return effects;
    }
    let named = usage.value("--user").or_else(|| {
        let by_operand = matches!(command.program.as_str(), "su" | "runuser" | "gosu" | "su-exec");
        usage.operands.iter().find(|word| word.text != "-").filter(|_| by_operand)
    });
    match named {
        Some(user) => effects.on(EffectKind::ChangesUser, user),
        None => effects.add(EffectKind::ChangesUser),
    }
    effects
}
