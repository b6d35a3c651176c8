//! Containers and clusters: subcommands and volumes that go away.

use super::{Deeds, Model};
use crate::deed::Deed;
use crate::options::Spec;
use crate::reading::{Command, Word};
use smol_str::SmolStr;

pub(super) const MODELS: &[Model] = &[
    Model {
        names: &["docker", "podman", "nerdctl"],
        spec: Spec {
            options: "H,host= c,context= config= l,log-level= D,debug tls f,file= p,project-name= profile= env-file= project-directory= ansi=",
            leading: false,
            short_names: false,
            one_dash: false,
        },
        subs: &[
            (
                "run|container run|create",
                "!v,volume= e,env= p,publish= name= network= rm i,interactive t,tty d,detach u,user= w,workdir= entrypoint= mount= \
              env-file= privileged cap-add= platform= h,hostname= restart= l,label= gpus= m,memory= cpus=",
            ),
            (
                "exec|container exec|compose exec|compose run",
                "!e,env= u,user= w,workdir= i,interactive t,tty d,detach T index= privileged rm v,volume= entrypoint=",
            ),
            (
                "rm|rmi|container rm|image rm|volume rm|volume remove|network rm|compose rm|\
                 system prune|volume prune|image prune|container prune|network prune|builder prune|buildx prune",
                "f,force a,all v,volumes filter= s,stop l,link",
            ),
            (
                "*",
                "f,file= t,tag= a,all v,volumes force filter= q,quiet rmi= remove-orphans build-arg= no-cache n,tail= o,output=",
            ),
        ],
        groups: &["compose", "container", "image", "volume", "network", "system", "buildx", "context"],
        effects: docker,
    },
    Model {
        names: &["docker-compose", "podman-compose"],
        spec: Spec {
            options: "f,file= p,project-name= profile= env-file= project-directory= ansi= c,context= H,host= verbose",
            leading: false,
            short_names: false,
            one_dash: false,
        },
        subs: &[
            (
                "exec|run",
                "!e,env= u,user= w,workdir= i,interactive t,tty d,detach T index= privileged rm v,volume= entrypoint= no-deps",
            ),
            ("*", "v,volumes f,force s,stop rmi= remove-orphans t,timeout= d,detach build"),
        ],
        groups: &[],
        effects: compose,
    },
    Model {
        names: &["kubectl", "oc"],
        spec: Spec {
            options: "n,namespace= context= kubeconfig= cluster= user= s,server= token= as=",
            leading: false,
            short_names: false,
            one_dash: false,
        },
        subs: &[(
            "*",
            "n,namespace= f,filename= l,selector= o,output= c,container= A,all-namespaces all context= i,stdin t,tty R,recursive k,kustomize= p,patch=~ type= grace-period= force",
        )],
        groups: &[],
        effects: cluster,
    },
];

fn docker(command: &Command, _: Option<&str>) -> Deeds {
    let usage = &command.usage;
    let names: Vec<&str> = usage.subcommand.iter().map(SmolStr::as_str).collect();
    let mut deeds = Deeds::none();
    match names.as_slice() {
        ["volume", "rm" | "remove"] => deeds.on_each(Deed::DestroysInfrastructure, &usage.operands),
        ["volume" | "system", "prune"]
            if usage.has("--volumes") || usage.has("--all") || names.first() == Some(&"volume") =>
        {
            deeds.add(Deed::DestroysInfrastructure);
        }
        ["compose", "down" | "rm"] if usage.has("--volumes") => deeds.add(Deed::DestroysInfrastructure),
        // The variables of a file, printed by what runs inside.
        ["run"] | ["container", "run"] if prints_variables(usage.operands.get(1..).unwrap_or_default()) => {
            deeds.on_each(Deed::ReadsFile, usage.values("--env-file"));
        }
        ["kill" | "stop"] | ["container", "kill" | "stop"] => {
            deeds.on_each(Deed::EndsProcess, &usage.operands)
        }
        ["pull" | "push"] | ["image", "pull" | "push"] => deeds.on_each(Deed::ReachesHost, &usage.operands),
        _ => {}
    }
    deeds
}

fn compose(command: &Command, _: Option<&str>) -> Deeds {
    let mut deeds = Deeds::none();
    if matches!(command.usage.sub(), "down" | "rm") && command.usage.has("--volumes") {
        deeds.add(Deed::DestroysInfrastructure);
    }
    deeds
}

/// Does the command in a container print its variables?
fn prints_variables(run: &[Word]) -> bool {
    let names =
        |text: &str| matches!(super::base_name(text), "env" | "printenv" | "export" | "set" | "declare");
    let Some((program, rest)) = run.split_first() else { return false };
    let by_shell = matches!(super::base_name(&program.text), "sh" | "bash" | "ash" | "dash" | "zsh")
        && rest.iter().any(|word| {
            let mut parts = word.text.split([' ', ';', '|', '&', '\n']);
            parts.any(names)
                || word.text.contains("echo $")
                || word.text.contains("echo \"$")
                || word.text.contains("/environ")
        });
    names(&program.text) || by_shell
}

/// Kinds of things in a cluster that others hang on, or that hold data.
const WHOLE_KINDS: [&str; 15] = [
    "namespace",
    "namespaces",
    "ns",
    "pvc",
    "persistentvolumeclaim",
    "persistentvolumeclaims",
    "pv",
    "persistentvolume",
    "persistentvolumes",
    "node",
    "nodes",
    "no",
    "crd",
    "crds",
    "customresourcedefinition",
];

/// Does a list in this form show what secrets hold? `jsonpath={.metadata.name}`
/// does not.
fn shows_content(form: &str) -> bool {
    if matches!(form, "name" | "wide") {
        return false;
    }
    let picks =
        ["jsonpath", "custom-columns", "go-template", "template"].iter().any(|way| form.starts_with(way))
            && !form.contains("-file=");
    let what = form.replace(".metadata", "").replace("[*]", "");
    !picks || ["data", "..", "@", "*", "{.}", "{{.}}"].iter().any(|sign| what.contains(sign))
}

fn cluster(command: &Command, _: Option<&str>) -> Deeds {
    let usage = &command.usage;
    let mut deeds = Deeds::none();
    let first = usage.operands.first().map_or("", |word| word.text.as_str());
    // `ns/x`, `namespace,pod x`, `ns/x pvc/y`.
    let kinds = usage.operands.iter().enumerate().flat_map(|(at, word)| {
        let named = word.text.split_once('/').map(|(kind, _)| kind);
        named.or((at == 0).then_some(word.text.as_str())).unwrap_or("").split(',')
    });
    let tries = usage.value("--dry-run").is_some_and(|how| how.text != "none") || usage.has("--dry-run");
    if usage.sub() == "delete"
        && !tries
        && (usage.has("--all") || first == "all" || kinds.into_iter().any(|kind| WHOLE_KINDS.contains(&kind)))
    {
        match usage.operands.last() {
            Some(what) => deeds.on(Deed::DestroysInfrastructure, what),
            None => deeds.add(Deed::DestroysInfrastructure),
        }
    }
    // A list shows names only; these forms show what is in it.
    let shows = usage.value("--output").is_some_and(|form| shows_content(&form.text));
    if usage.sub() == "get"
        && shows
        && first.split(',').any(|kind| matches!(kind.split('/').next(), Some("secret" | "secrets")))
    {
        deeds.add(Deed::RevealsSecret);
    }
    if usage.sub() == "cp" {
        let is_pod = |word: &&Word| word.text.contains(':');
        let to_pod = usage.operands.last().filter(is_pod);
        deeds.on_each(Deed::ReadsFile, usage.operands.iter().take(1).filter(|_| to_pod.is_some()));
        deeds.on_each(Deed::SendsData, to_pod);
    }
    if matches!(usage.sub(), "apply" | "create" | "replace") {
        deeds.on_each(Deed::ReadsFile, usage.values("--filename").filter(|word| word.text != "-"));
    }
    deeds
}
