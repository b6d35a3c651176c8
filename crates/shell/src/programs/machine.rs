//! Programs that change the machine itself: what starts by itself, what
//! protects it, what it remembers, where it keeps passwords.

use super::{Effects, Model, plain};
use crate::effect_kind::EffectKind;
use crate::reading::{Command, Word};

pub(super) const MODELS: &[Model] = &[
    plain(&["crontab"], "u= l e r i", crontab),
    plain(&["at", "batch"], "f= m q= t= l d c r v V", at),
    plain(
        &["systemctl"],
        "user system now force f,force no-block t,type= n,lines= o,output= H,host= M,machine= q,quiet root= p,property=",
        systemctl,
    ),
    plain(&["service", "rc-service", "initctl"], "", service),
    plain(&["loginctl"], "", |command, _| match words(command).first() {
        Some(&"enable-linger") => {
            let mut effects = Effects::none();
            effects.add(EffectKind::RunsLater);
            effects
        }
        _ => Effects::none(),
    }),
    plain(&["launchctl"], "w F", launchctl),
    plain(
        &["update-rc.d", "chkconfig", "rc-update", "sysv-rc-conf", "insserv"],
        "f,force level=",
        starts_later,
    ),
    plain(&["ufw"], "force dry-run", ufw),
    plain(
        &[
            "iptables",
            "iptables-legacy",
            "iptables-nft",
            "ip6tables",
            "ip6tables-legacy",
            "ip6tables-nft",
            "iptables-restore",
            "ip6tables-restore",
            "ebtables",
            "arptables",
        ],
        "t,table= L,list n v S,list-rules line-numbers F,flush D,delete X,delete-chain P,policy A,append I,insert R,replace Z,zero N,new-chain",
        iptables,
    ),
    plain(
        &["nft", "firewall-cmd", "pfctl", "ipfw"],
        "f= d e F= s= a permanent list-all state reload panic-off",
        firewall,
    ),
    plain(
        &[
            "setenforce",
            "aa-disable",
            "aa-complain",
            "aa-teardown",
            "csrutil",
            "spctl",
            "auditctl",
            "setsebool",
            "tamper",
        ],
        "a= A= d= D e= R= l s master-disable global-disable status P",
        defence,
    ),
    plain(&["dumpcap"], "D L I= r,rfile= h,help version V i= d= w= p= P= s= q", watch),
    plain(&["sysctl"], "w,write p a,all n", sysctl),
    plain(&["history", "fc"], "c d= a n r w p s", history),
    plain(&["logger"], "f,file= t,tag= p,priority= n,server= P,port= i s,stderr u,socket=", |command, _| {
        Effects::of(EffectKind::ReadsFile, command.usage.values("--file"))
    }),
    plain(
        &["journalctl"],
        "vacuum-size= vacuum-time= vacuum-files= rotate flush u,unit= n,lines= f,follow since= until= b? k p= o,output= x e r",
        journal,
    ),
    plain(&["dmesg", "auditd", "logrotate"], "C,clear c,read-clear f= n= T", kernel_log),
    plain(&["security"], "a= s= l= w g D=", keychain),
    plain(&["secret-tool", "kwallet-query", "gnome-keyring"], "", keyring),
    plain(&["insmod", "modprobe", "rmmod", "kextload"], "r,remove f,force v n,dry-run l", modules),
];

fn words(command: &Command) -> Vec<&str> {
    command.usage.operands.iter().map(|word| word.text.as_str()).collect()
}

fn crontab(command: &Command, _: Option<&str>) -> Effects {
    let usage = &command.usage;
    let mut effects = Effects::none();
    if !usage.has("-l")
        && (usage.has("-e") || usage.has("-r") || !usage.operands.is_empty() || command.words.len() == 1)
    {
        effects.add(EffectKind::RunsLater);
    }
    effects
}

fn at(command: &Command, _: Option<&str>) -> Effects {
    let usage = &command.usage;
    let looks = ["-l", "-c", "-V", "-d", "-r"].iter().any(|name| usage.has(name));
    let mut effects = Effects::of(EffectKind::ReadsFile, usage.value("-f"));
    if !looks {
        effects.add(EffectKind::RunsLater);
    }
    effects
}

/// Services that keep the data of others, or let them in.
fn is_shared(name: &str) -> bool {
    let name = name.trim_end_matches(".service");
    let name = name.split('@').next().unwrap_or(name);
    [
        "postgres",
        "mysql",
        "mariadb",
        "mongod",
        "redis",
        "rabbitmq",
        "kafka",
        "elasticsearch",
        "opensearch",
        "cassandra",
        "influxdb",
        "clickhouse",
        "etcd",
        "consul",
        "vault",
        "docker",
        "containerd",
        "kubelet",
        "ssh",
        "nginx",
        "apache2",
        "httpd",
        "haproxy",
        "caddy",
        "nfs",
        "smbd",
        "named",
        "network",
        "systemd-resolved",
        "cron",
        "libvirtd",
    ]
    .iter()
    .any(|known| name.starts_with(known))
}

/// Services and processes that protect or watch.
pub(super) fn is_guard(name: &str) -> bool {
    let name = name.trim_end_matches(".service");
    matches!(
        name,
        "ufw"
            | "firewalld"
            | "nftables"
            | "iptables"
            | "pf"
            | "auditd"
            | "apparmor"
            | "rsyslog"
            | "rsyslogd"
            | "syslogd"
            | "syslog"
            | "syslog-ng"
            | "fail2ban"
            | "clamav-daemon"
            | "clamav-freshclam"
            | "falcon-sensor"
            | "osqueryd"
            | "wazuh-agent"
            | "crowdsec"
            | "sysmon"
            | "systemd-journald"
            | "mdatp"
            | "cbdaemon"
            | "cbagentd"
            | "clamd"
            | "falcond"
            | "falcon"
            | "filebeat"
            | "auditbeat"
            | "packetbeat"
            | "td-agent"
            | "nessusd"
            | "suricata"
            | "snort"
            | "xagt"
            | "selinux"
            | "aide"
            | "ossec"
            | "toolgate"
    )
}

/// Targets at which the machine stops.
const STOPS: [&str; 4] = ["reboot.target", "poweroff.target", "halt.target", "kexec.target"];

fn systemctl(command: &Command, _: Option<&str>) -> Effects {
    let mut effects = Effects::none();
    let words = words(command);
    let Some((verb, units)) = words.split_first() else { return effects };
    match *verb {
        "enable" | "link" | "edit" | "set-default" | "reenable" | "add-wants" => {
            effects.add(EffectKind::RunsLater)
        }
        "stop" | "disable" | "mask" | "kill" if units.iter().any(|unit| is_guard(unit)) => {
            effects.add(EffectKind::WeakensDefence)
        }
        "stop" | "kill" | "mask" | "disable"
            if !command.usage.has("--user")
                && (matches!(*verb, "stop" | "kill") || command.usage.has("--now")) =>
        {
            let units = command.usage.operands.iter().skip(1);
            effects.on_each(EffectKind::EndsProcess, units.filter(|unit| is_shared(&unit.text)));
        }
        "poweroff" | "reboot" | "halt" | "kexec" | "soft-reboot" => effects.add(EffectKind::StopsMachine),
        "start" | "isolate" if units.iter().any(|unit| STOPS.contains(unit)) => {
            effects.add(EffectKind::StopsMachine);
        }
        _ => {}
    }
    effects
}

fn service(command: &Command, _: Option<&str>) -> Effects {
    let mut effects = Effects::none();
    if let [name, "stop" | "disable" | "onestop"] | ["stop", name] = words(command).as_slice()
        && is_guard(name)
    {
        effects.add(EffectKind::WeakensDefence);
    } else if let [name, "stop" | "onestop"] | ["stop", name] = words(command).as_slice()
        && is_shared(name)
    {
        effects.on_each(
            EffectKind::EndsProcess,
            command.usage.operands.iter().filter(|word| word.text == **name),
        );
    }
    effects
}

fn launchctl(command: &Command, _: Option<&str>) -> Effects {
    let mut effects = Effects::none();
    let starts = ["load", "bootstrap", "enable", "submit"];
    if words(command).first().is_some_and(|verb| starts.contains(verb)) {
        effects.add(EffectKind::RunsLater);
    }
    effects
}

fn starts_later(command: &Command, _: Option<&str>) -> Effects {
    let mut effects = Effects::none();
    // `chkconfig ntpd off`, `rc-update del x`: from now on it does not start.
    let ends =
        words(command).iter().any(|word| matches!(*word, "off" | "del" | "delete" | "remove" | "disable"));
    let looks = ["--list", "--del", "--help"].iter().any(|name| command.usage.has(name));
    if !ends && !looks {
        effects.add(EffectKind::RunsLater);
    }
    effects
}

fn weakens(yes: bool) -> Effects {
    let mut effects = Effects::none();
    if yes {
        effects.add(EffectKind::WeakensDefence);
    }
    effects
}

fn ufw(command: &Command, _: Option<&str>) -> Effects {
    let verbs =
        ["disable", "delete", "reset", "prepend", "insert", "allow", "deny", "reject", "off", "default"];
    let changes = words(command).iter().any(|word| verbs.contains(word));
    weakens(changes && !command.usage.has("--dry-run"))
}

fn iptables(command: &Command, _: Option<&str>) -> Effects {
    let changes =
        ["--flush", "--delete", "--delete-chain", "--policy", "--append", "--insert", "--replace", "--zero"];
    weakens(command.program.ends_with("restore") || changes.iter().any(|name| command.usage.has(name)))
}

fn firewall(command: &Command, _: Option<&str>) -> Effects {
    let words = words(command);
    let verbs = ["flush", "delete", "add", "insert", "destroy", "reset"];
    let by_option = command.usage.flags.iter().any(|flag| {
        ["--remove", "--add", "--panic-off", "--set-default"].iter().any(|name| flag.name.starts_with(name))
            || command.program == "pfctl" && matches!(flag.name.as_str(), "-d" | "-F" | "-f")
    });
    weakens(by_option || words.first().is_some_and(|word| verbs.contains(word)))
}

fn defence(command: &Command, _: Option<&str>) -> Effects {
    let usage = &command.usage;
    weakens(match command.program.as_str() {
        "csrutil" => words(command).first() == Some(&"disable"),
        "spctl" => usage.has("--master-disable") || usage.has("--global-disable"),
        "auditctl" => ["-a", "-A", "-d", "-D", "-e", "-R"].iter().any(|name| usage.has(name)),
        _ => !["--help", "--version", "-h"].iter().any(|name| usage.has(name)),
    })
}

/// What was recorded before is only read.
fn watch(command: &Command, _: Option<&str>) -> Effects {
    let usage = &command.usage;
    let recorded = ["-I", "--rfile"];
    let mut effects = Effects::none();
    for name in recorded {
        effects.on_each(EffectKind::ReadsFile, usage.value(name));
    }
    let looks = ["-D", "-L", "--help", "--version", "-V"];
    if !recorded.iter().chain(&looks).any(|name| usage.has(name)) {
        effects.add(EffectKind::WatchesTraffic);
    }
    effects
}

fn sysctl(command: &Command, _: Option<&str>) -> Effects {
    let weak =
        ["randomize_va_space=0", "ip_forward=1", "ptrace_scope=0", "dmesg_restrict=0", "kptr_restrict=0"];
    weakens(words(command).iter().any(|word| weak.iter().any(|sign| word.ends_with(sign))))
}

fn traces(yes: bool) -> Effects {
    let mut effects = Effects::none();
    if yes {
        effects.add(EffectKind::HidesTraces);
    }
    effects
}

fn history(command: &Command, _: Option<&str>) -> Effects {
    // Forgetting (`-c`) touches this shell alone; writing the list back
    // replaces the file with whatever is left of it.
    traces(command.usage.has("-w") && command.usage.operands.is_empty())
}

fn journal(command: &Command, _: Option<&str>) -> Effects {
    traces(command.usage.flags.iter().any(|flag| flag.name.starts_with("--vacuum")))
}

fn kernel_log(command: &Command, _: Option<&str>) -> Effects {
    traces(command.program == "dmesg" && (command.usage.has("--clear") || command.usage.has("--read-clear")))
}

/// Where a store of passwords lies, so that asking it is reading it.
fn store(command: &Command, path: &str) -> Effects {
    let place = command.words.first().cloned().unwrap_or_default();
    Effects::of(
        EffectKind::ReadsFile,
        &[Word { text: path.into(), exact: true, glob: false, span: place.span }],
    )
}

fn keychain(command: &Command, _: Option<&str>) -> Effects {
    let usage = &command.usage;
    match words(command).first() {
        Some(&("dump-keychain" | "export")) => store(command, "/Library/Keychains/System.keychain"),
        Some(&("find-generic-password" | "find-internet-password")) if usage.has("-w") || usage.has("-g") => {
            store(command, "/Library/Keychains/System.keychain")
        }
        _ => Effects::none(),
    }
}

fn keyring(command: &Command, _: Option<&str>) -> Effects {
    match words(command).first() {
        Some(&("lookup" | "search")) => store(command, "/Library/Keychains/System.keychain"),
        _ => Effects::none(),
    }
}

fn modules(command: &Command, _: Option<&str>) -> Effects {
    weakens(!command.usage.has("--dry-run") && !command.usage.has("-l"))
}
