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
                "*",
                "f,file= t,tag= a,all v,volumes force filter= q,quiet rmi= remove-orphans build-arg= no-cache n,tail= o,output=",
            ),
        ],
        groups: &["compose", "container", "image", "volume", "network", "system", "buildx", "context"],
        effects: docker,
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
        ["volume", "rm"] => deeds.on_each(Deed::DropsData, &usage.operands),
        ["volume" | "system", "prune"]
            if usage.has("--volumes") || usage.has("--all") || names.first() == Some(&"volume") =>
        {
            deeds.add(Deed::DropsData);
        }
        ["compose", "down" | "rm"] if usage.has("--volumes") => deeds.add(Deed::DropsData),
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

fn cluster(command: &Command, _: Option<&str>) -> Deeds {
    let usage = &command.usage;
    let mut deeds = Deeds::none();
    let first = usage.operands.first().map_or("", |word| word.text.as_str());
    let kind = first.split('/').next().unwrap_or(first);
    let holds_data = matches!(
        kind,
        "namespace"
            | "namespaces"
            | "ns"
            | "pvc"
            | "persistentvolumeclaim"
            | "persistentvolumeclaims"
            | "pv"
            | "persistentvolume"
    );
    if usage.sub() == "delete"
        && (usage.has("--all") || first == "all" || matches!(kind, "node" | "nodes" | "no" | "crd" | "crds"))
    {
        deeds.add(Deed::DestroysInfrastructure);
    }
    if usage.sub() == "delete" && holds_data {
        deeds.on_each(Deed::DropsData, usage.operands.iter().skip(usize::from(!first.contains('/'))));
    }
    // A list shows names only; these forms show what is in it.
    let shows = usage.value("--output").is_some_and(|form| !matches!(form.text.as_str(), "name" | "wide"));
    if usage.sub() == "get"
        && shows
        && first.split(',').any(|kind| matches!(kind.split('/').next(), Some("secret" | "secrets")))
    {
        deeds.add(Deed::RevealsSecret);
    }
    if matches!(usage.sub(), "apply" | "create" | "replace") {
        deeds.on_each(Deed::ReadsFile, usage.values("--filename").filter(|word| word.text != "-"));
    }
    deeds
}
