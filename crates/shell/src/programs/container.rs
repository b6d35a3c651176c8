//! Containers and clusters: subcommands and volumes that go away.

use super::{Effects, Model};
use crate::effect_kind::EffectKind;
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
            ("login", "u,username= p,password= password-stdin"),
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
        names: &["kubectl", "oc", "kubecolor"],
        spec: Spec {
            options: "n,namespace= context= kubeconfig= cluster= user= s,server= token= as= v= request-timeout= certificate-authority= \
                      client-certificate= client-key= tls-server-name= cache-dir=",
            leading: false,
            short_names: false,
            one_dash: false,
        },
        subs: &[(
            "*",
            "n,namespace= f,filename= l,selector= o,output= c,container= A,all-namespaces all context= i,stdin t,tty R,recursive k,kustomize= p,patch=~ type= grace-period= force \
             template= prune replicas=",
        )],
        groups: &[],
        effects: cluster,
    },
];

fn docker(command: &Command, _: Option<&str>) -> Effects {
    let usage = &command.usage;
    let names: Vec<&str> = usage.subcommand.iter().map(SmolStr::as_str).collect();
    let mut effects = Effects::none();
    match names.as_slice() {
        ["volume", "rm" | "remove"] => {
            effects.on_each(EffectKind::DestroysInfrastructure, &usage.operands);
            if usage.has("--all") {
                effects.add(EffectKind::DestroysInfrastructure);
            }
        }
        ["swarm"]
            if usage.operands.first().is_some_and(|verb| verb.text == "leave") && usage.has("--force") =>
        {
            effects.add(EffectKind::DestroysInfrastructure);
        }
        ["system", "reset"] => effects.add(EffectKind::DestroysInfrastructure),
        ["cp"] | ["container", "cp"] => brought(command, &mut effects),
        ["stack"]
            if usage.operands.first().is_some_and(|verb| matches!(verb.text.as_str(), "rm" | "down")) =>
        {
            effects.on_each(EffectKind::DestroysInfrastructure, usage.operands.iter().skip(1));
        }
        ["volume" | "system", "prune"]
            if usage.has("--volumes") || usage.has("--all") || names.first() == Some(&"volume") =>
        {
            effects.add(EffectKind::DestroysInfrastructure);
        }
        ["compose", "down" | "rm"] if usage.has("--volumes") && !is_for_tests(command) => {
            effects.add(EffectKind::DestroysInfrastructure);
        }
        // The variables of a file, printed by what runs inside.
        ["run"] | ["container", "run"] if prints_variables(usage.operands.get(1..).unwrap_or_default()) => {
            effects.on_each(EffectKind::ReadsFile, usage.values("--env-file"));
        }
        ["kill" | "stop"] | ["container", "kill" | "stop"] => {
            effects.on_each(EffectKind::EndsProcess, &usage.operands)
        }
        ["pull" | "push"] | ["image", "pull" | "push"] => {
            effects.on_each(EffectKind::ReachesHost, &usage.operands);
            if names.last() == Some(&"push") {
                effects.on_each(EffectKind::SendsData, &usage.operands);
            }
        }
        ["login" | "logout" | "search"] => {
            let server = usage.operands.first().filter(|word| word.text.contains(['.', ':']));
            let server =
                server.map(|word| Word { text: format!("https://{}", word.text).into(), ..word.clone() });
            effects.on_each(EffectKind::ReachesHost, &server);
        }
        _ => {}
    }
    // The image comes from a registry, unless that is the usual one.
    if let ["run" | "create"] | ["container", "run" | "create"] = names.as_slice() {
        let image = usage.operands.first().filter(|word| super::addresses::names_registry(&word.text));
        effects.on_each(EffectKind::ReachesHost, image);
    }
    effects.on_each(EffectKind::ReachesHost, usage.values("--host"));
    effects
}

fn compose(command: &Command, _: Option<&str>) -> Effects {
    let mut effects = Effects::none();
    let goes = matches!(command.usage.sub(), "down" | "rm") && command.usage.has("--volumes");
    if goes && !is_for_tests(command) {
        effects.add(EffectKind::DestroysInfrastructure);
    }
    effects
}

/// Does the project's name, or that of every file of it, say that it is there
/// for tests: `docker-compose.test.yml`?
fn is_for_tests(command: &Command) -> bool {
    let usage = &command.usage;
    let is_test = |word: &Word| {
        let mut parts = super::base_name(&word.text).split(['.', '-', '_']);
        word.exact && parts.any(|part| part.starts_with("test"))
    };
    match usage.value("--project-name") {
        Some(project) => is_test(project),
        None => {
            let mut files = usage.values("--file").peekable();
            files.peek().is_some() && files.all(is_test)
        }
    }
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
const WHOLE_KINDS: [&str; 17] = [
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
    "project",
    "projects",
];

/// Clusters that live on this machine and are made for trying things out.
fn is_trial(command: &Command) -> bool {
    command.usage.value("--context").is_some_and(|context| {
        let name = context.text.as_str();
        context.exact
            && (name.starts_with("kind-")
                || name.starts_with("k3d-")
                || matches!(name, "minikube" | "docker-desktop" | "rancher-desktop"))
    })
}

/// The addresses of `--raw`, which stand behind it or anywhere else.
fn raw_paths(command: &Command) -> impl Iterator<Item = &str> {
    let usage = &command.usage;
    let given = usage.has("--raw");
    let paths = usage.operands.iter().chain(usage.values("--raw"));
    paths.filter(move |_| given).map(|word| word.text.as_str())
}

/// Is the thing at this address one of the whole kinds, or all of a kind?
/// `/api/v1/namespaces/prod`, `/apis/apps/v1/namespaces/prod/deployments`.
fn is_whole(path: &str) -> bool {
    let mut parts = path.split('?').next().unwrap_or("").split('/').filter(|part| !part.is_empty());
    // The group and the version.
    let skipped = if parts.next() == Some("apis") { 2 } else { 1 };
    let named: Vec<&str> = parts.skip(skipped).collect();
    match named.as_slice() {
        [kind, _] | [_, _, kind, _] => WHOLE_KINDS.contains(kind),
        _ => true,
    }
}

/// Does something go from the cluster that others hang on?
fn destroys(command: &Command) -> bool {
    let usage = &command.usage;
    let tries = usage.has("--dry-run");
    // `ns/x`, `namespace,pod x`, `ns/x pvc/y`.
    let mut kinds = usage.operands.iter().enumerate().flat_map(|(at, word)| {
        let named = word.text.split_once('/').map(|(kind, _)| kind);
        named.or((at == 0).then_some(word.text.as_str())).unwrap_or("").split(',')
    });
    let deletes = match usage.sub() {
        "delete" => {
            usage.has("--all")
                || usage.operands.first().is_some_and(|word| word.text == "all")
                || kinds.any(|kind| WHOLE_KINDS.contains(&kind))
                || raw_paths(command).any(is_whole)
                || is_handed(command)
        }
        // Nothing is left running.
        "scale" => usage.flags.iter().any(|flag| {
            flag.name == "--replicas" && flag.value.as_ref().is_some_and(|value| value.text == "0")
        }),
        "replace" => usage.has("--force"),
        "apply" => usage.has("--prune") && usage.has("--all"),
        _ => false,
    };
    deletes && !tries && !is_trial(command)
}

/// `… | xargs kubectl delete`: of what kind things are comes in.
fn is_handed(command: &Command) -> bool {
    let usage = &command.usage;
    let named = ["--filename", "--kustomize", "--selector", "--raw"].iter().any(|name| usage.has(name));
    !named
        && command.via.iter().any(|name| name == "xargs" || name == "parallel")
        && usage.operands.iter().all(|word| !word.exact)
}

/// Are secrets shown with what is in them?
fn reveals(command: &Command) -> bool {
    let usage = &command.usage;
    let first = usage.operands.first().map_or("", |word| word.text.as_str());
    let about_secrets =
        first.split(',').any(|kind| matches!(kind.split('/').next(), Some("secret" | "secrets")));
    match usage.sub() {
        "get" => {
            // A list shows names only; these forms show what is in it.
            let shows = usage.value("--output").is_some_and(|form| shows_content(&form.text));
            let picks = |form: &Word| shows_content(&format!("template={}", form.text));
            about_secrets && (shows || usage.value("--template").is_some_and(picks))
                || raw_paths(command).any(|path| path.contains("/secrets/") || path.ends_with("/secrets"))
        }
        "extract" => {
            let dash = |word: &Word| word.text == "-";
            let printed =
                usage.values("--to").any(dash) || usage.has("--to") && usage.operands.iter().any(dash);
            about_secrets && printed
        }
        _ => false,
    }
}

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

/// `docker cp web:/x y` and `kubectl cp pod:/x y` write here.
fn brought(command: &Command, effects: &mut Effects) {
    let is_far = |word: &Word| word.text.contains(':') && !word.text.starts_with(['/', '.']);
    if let [from, to] = command.usage.operands.as_slice()
        && is_far(from)
        && !is_far(to)
        && to.text != "-"
    {
        super::outputs::fills(effects, EffectKind::WritesFile, to);
    } else if let [from, to] = command.usage.operands.as_slice()
        && is_far(to)
        && !is_far(from)
        && from.text != "-"
        && command.program != "kubectl"
    {
        effects.on(EffectKind::ReadsFile, from);
    }
}

fn cluster(command: &Command, _: Option<&str>) -> Effects {
    let usage = &command.usage;
    let mut effects = Effects::none();
    if destroys(command) {
        match usage.operands.last() {
            Some(what) => effects.on(EffectKind::DestroysInfrastructure, what),
            None => effects.add(EffectKind::DestroysInfrastructure),
        }
    }
    if reveals(command) {
        effects.add(EffectKind::RevealsSecret);
    }
    // This role may do everything in the cluster.
    let binds = usage.sub() == "create"
        && usage.operands.first().is_some_and(|word| word.text == "clusterrolebinding");
    let gives_all =
        |word: &Word| word.text.ends_with("clusterrole=cluster-admin") || word.text == "cluster-admin";
    if binds && command.words.iter().any(gives_all) && !is_trial(command) {
        effects.add(EffectKind::WeakensDefence);
    }
    if usage.sub() == "cp" {
        let is_pod = |word: &&Word| word.text.contains(':');
        let to_pod = usage.operands.last().filter(is_pod);
        effects.on_each(EffectKind::ReadsFile, usage.operands.iter().take(1).filter(|_| to_pod.is_some()));
        effects.on_each(EffectKind::SendsData, to_pod);
        brought(command, &mut effects);
    }
    effects.on_each(EffectKind::ReachesHost, usage.values("--server"));
    if matches!(usage.sub(), "apply" | "create" | "replace") {
        let files = usage.values("--filename").filter(|word| word.text != "-" && !word.text.contains("://"));
        effects.on_each(EffectKind::ReadsFile, files);
    }
    effects
}
