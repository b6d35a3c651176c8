//! git: options per subcommand, and what it does to hooks, remotes, work and
//! history.

use super::{Effects, Model, addresses, git_work};
use crate::effect_kind::EffectKind;
use crate::options::Spec;
use crate::reading::{Command, Word};
use crate::wrappers::git_settings;

pub(super) const MODELS: &[Model] = &[Model {
    names: &["git"],
    spec: Spec {
        options: "c= C= config-env= exec-path? git-dir= work-tree= namespace= p,paginate P,no-pager no-replace-objects bare \
                  literal-pathspecs glob-pathspecs noglob-pathspecs icase-pathspecs no-optional-locks list-cmds= \
                  attr-source= v,version h,help html-path man-path info-path super-prefix=",
        leading: false,
        short_names: true,
        one_dash: false,
    },
    subs: SUBCOMMANDS,
    groups: &["stash", "worktree", "reflog", "remote", "notes", "lfs", "sparse-checkout"],
    effects,
}];

// Where a beginning of a name fits several options, the first one counts.
const SUBCOMMANDS: &[(&str, &str)] = &[
    (
        "commit",
        "n,no-verify verify a,all p,patch C,reuse-message= c,reedit-message= fixup= squash= reset-author short branch \
         porcelain long z,null F,file= author=~ date=~ m,message=~ t,template= s,signoff no-signoff trailer=~ allow-empty \
         allow-empty-message cleanup= e,edit no-edit amend no-post-rewrite i,include o,only pathspec-from-file= \
         pathspec-file-nul u,untracked-files? v,verbose q,quiet dry-run status no-status S,gpg-sign? no-gpg-sign",
    ),
    (
        "push",
        "no-verify verify f,force force-with-lease? force-if-includes mirror d,delete n,dry-run all branches prune tags \
         follow-tags signed? atomic o,push-option=~ receive-pack= exec= repo= u,set-upstream thin q,quiet v,verbose \
         progress recurse-submodules= 4,ipv4 6,ipv6 porcelain",
    ),
    (
        "send-pack|http-push",
        "all n,dry-run f,force receive-pack= exec= v,verbose thin atomic mirror stdin d D",
    ),
    (
        "merge",
        "no-verify verify commit no-commit e,edit no-edit cleanup= ff no-ff ff-only S,gpg-sign? log? signoff n,no-stat stat \
         squash no-squash s,strategy= X,strategy-option= m,message=~ F,file= into-name= abort quit continue autostash \
         allow-unrelated-histories q,quiet v,verbose",
    ),
    (
        "pull",
        "no-verify verify r,rebase? no-rebase ff no-ff ff-only q,quiet v,verbose commit no-commit edit no-edit \
         s,strategy= X,strategy-option= autostash a,append f,force t,tags no-tags p,prune depth= j,jobs= u,upload-pack= k,keep",
    ),
    (
        "rebase",
        "no-verify verify onto= keep-base continue skip abort quit edit-todo show-current-patch i,interactive r,rebase-merges? \
         x,exec= autosquash no-autosquash autostash no-autostash root s,strategy= X,strategy-option= m,merge q,quiet v,verbose \
         n,no-stat stat f,force-rebase S,gpg-sign? signoff empty= reapply-cherry-picks update-refs",
    ),
    (
        "am",
        "n,no-verify verify s,signoff k,keep 3,3way i,interactive q,quiet u,utf8 c,scissors C= p= continue r,resolved skip \
         abort quit S,gpg-sign? patch-format= directory= exclude= include= reject",
    ),
    (
        "cherry-pick|revert",
        "n,no-commit e,edit no-edit x m,mainline= s,signoff S,gpg-sign? ff allow-empty keep-redundant-commits \
         strategy= X,strategy-option= continue skip abort quit",
    ),
    (
        "reset",
        "hard soft mixed merge keep q,quiet p,patch N,intent-to-add pathspec-from-file= recurse-submodules?",
    ),
    ("clean", "f,force n,dry-run d i,interactive x X e,exclude= q,quiet"),
    (
        "checkout",
        "f,force b= B= t,track? no-track d,detach orphan= ours theirs m,merge conflict= p,patch q,quiet progress l \
         overwrite-ignore ignore-other-worktrees pathspec-from-file= guess",
    ),
    (
        "switch",
        "f,force discard-changes c,create= C,force-create= d,detach t,track? orphan= m,merge conflict= q,quiet guess",
    ),
    (
        "restore",
        "s,source= S,staged W,worktree p,patch ours theirs m,merge conflict= q,quiet overlay pathspec-from-file= \
         ignore-unmerged",
    ),
    (
        "branch",
        "D d,delete f,force m,move M c,copy C a,all r,remotes l,list v,verbose t,track? u,set-upstream-to= \
         unset-upstream contains? merged? no-merged? sort= format= show-current edit-description points-at= q,quiet",
    ),
    (
        "tag",
        "d,delete f,force a,annotate s,sign u,local-user= m,message=~ F,file= l,list n? v,verify sort= format= contains? merged? points-at=",
    ),
    (
        "log|show|diff|shortlog|whatchanged|blame|rev-list|format-patch|reflog show",
        "grep=~ author=~ committer=~ n,max-count= \
         since= until= after= before= S=~ G=~ L= format= pretty? oneline p,patch s,no-patch stat? o,output-directory= output= \
         U,unified= skip= date= decorate? all follow graph name-only name-status cached staged w",
    ),
    (
        "grep",
        "e=~ f= i,ignore-case n,line-number l,files-with-matches A,after-context= B,before-context= C,context= \
         O,open-files-in-pager? E,extended-regexp F,fixed-strings P,perl-regexp w,word-regexp c,count q,quiet max-depth= m,max-count=",
    ),
    ("stash push|stash save", "m,message=~ k,keep-index u,include-untracked a,all p,patch q,quiet S,staged"),
    (
        "worktree remove|worktree add|worktree prune|worktree move",
        "f,force b= B= d,detach lock reason= n,dry-run v,verbose expire= track checkout no-checkout orphan",
    ),
    (
        "reflog expire|reflog delete",
        "expire= expire-unreachable= all updateref rewrite stale-fix n,dry-run verbose",
    ),
    ("gc|prune", "prune? aggressive auto force keep-largest-pack q,quiet expire= n,dry-run v,verbose cruft"),
    (
        "apply",
        "directory= p= 3,3way index cached R,reverse check stat numstat summary v,verbose reject whitespace= exclude= include= C= unidiff-zero",
    ),
    (
        "checkout-index",
        "f,force a,all u,index q,quiet n,no-create prefix= stage= temp z stdin ignore-skip-worktree-bits",
    ),
    ("mv", "f,force k n,dry-run v,verbose sparse"),
    (
        "read-tree",
        "reset u m i n,dry-run prefix= v aggressive trivial empty exclude-per-directory= index-output=",
    ),
    ("cat-file", "p t s e batch? batch-check? textconv filters path= z follow-symlinks"),
    ("update-ref", "d m=~ no-deref create-reflog stdin z"),
    ("symbolic-ref", "d,delete q,quiet short m=~"),
    ("commit-tree", "p= m=~ F= S,gpg-sign?"),
    (
        "config",
        "global system local worktree f,file= blob= get get-all get-regexp unset unset-all add replace-all l,list \
         e,edit type= bool int path null z name-only show-origin show-scope remove-section rename-section default= comment=~ value= all",
    ),
    (
        "clone",
        "b,branch= depth= o,origin= c,config= l,local n,no-checkout bare mirror reference= s,shared recurse-submodules? \
         recursive single-branch no-tags j,jobs= u,upload-pack= template= filter= separate-git-dir= sparse q,quiet",
    ),
    (
        "fetch",
        "all a,append depth= f,force p,prune t,tags n,no-tags j,jobs= u,update-head-ok q,quiet v,verbose dry-run \
         shallow-since= unshallow refmap= set-upstream upload-pack= o,server-option= recurse-submodules?",
    ),
    ("rm", "f,force n,dry-run r cached ignore-unmatch q,quiet pathspec-from-file= sparse"),
    (
        "add",
        "n,dry-run v,verbose f,force i,interactive p,patch e,edit u,update A,all N,intent-to-add refresh chmod= pathspec-from-file=",
    ),
    (
        "filter-branch",
        "f,force d= original= tree-filter= index-filter= env-filter= msg-filter= commit-filter= parent-filter= \
         tag-name-filter= subdirectory-filter= prune-empty setup= state-branch=",
    ),
    ("difftool|mergetool", "x,extcmd= t,tool= y,no-prompt d,dir-diff g,gui"),
    ("bisect", "!"),
    ("submodule", "!q,quiet"),
    ("*", "m,message=~"),
];

/// Subcommands that would run hooks.
const HOOKED: [&str; 12] = [
    "commit",
    "push",
    "merge",
    "pull",
    "rebase",
    "am",
    "cherry-pick",
    "revert",
    "checkout",
    "switch",
    "gc",
    "worktree",
];

fn effects(command: &Command, input: Option<&str>) -> Effects {
    let mut effects = Effects::none();
    hooks(command, &mut effects);
    remote(command, &mut effects);
    git_work::discarded(command, &mut effects);
    history(command, input, &mut effects);
    git_work::files(command, input, &mut effects);
    effects
}

fn hooks(command: &Command, effects: &mut Effects) {
    let usage = &command.usage;
    let sub = usage.sub();
    let verify = usage.flags.iter().rev().find(|flag| flag.name == "--no-verify" || flag.name == "--verify");
    // A trial makes no commit and runs no hook.
    let tries = usage.has("--dry-run");
    let by_flag = HOOKED.contains(&sub) && !tries && verify.is_some_and(|flag| flag.name == "--no-verify");
    let settings = git_settings(command);
    let by_setting = settings.iter().any(|(name, _)| name.eq_ignore_ascii_case("core.hookspath"));
    let by_file =
        HOOKED.contains(&sub) && (settings.iter().any(|(name, _)| includes(name)) || other_settings(command));
    let by_plumbing = matches!(sub, "commit-tree" | "fast-import");
    let by_variable = HOOKED.contains(&sub) && skips_by_variable(command);
    let by_config = sub == "config"
        && (redirects_hooks(command)
            || drops_section(command)
            || names_bypass(command)
            || sets(command, |name, _| includes(name)));
    if by_flag
        || by_plumbing
        || by_variable
        || by_config
        || by_file
        || by_setting && !matches!(sub, "config" | "rev-parse")
    {
        effects.add(EffectKind::SkipsCommitHooks);
    }
}

/// Settings that bring in a file of settings no one has read.
fn includes(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name == "include.path" || name.starts_with("includeif.")
}

/// Another file of settings for this command only; none at all is no bypass.
/// Another home brings another file as well.
fn other_settings(command: &Command) -> bool {
    command.assignments.iter().any(|one| {
        let value = &one.value;
        matches!(
            one.name.as_str(),
            "GIT_CONFIG_GLOBAL" | "GIT_CONFIG_SYSTEM" | "GIT_CONFIG" | "HOME" | "XDG_CONFIG_HOME"
        ) && value.exact
            && !matches!(value.text.as_str(), "" | "/dev/null")
    })
}

/// Does `git config` put a value under a name that fits?
pub(super) fn sets(command: &Command, fits: impl Fn(&str, &str) -> bool) -> bool {
    let usage = &command.usage;
    let looks = ["--get", "--get-all", "--get-regexp", "--list", "--unset", "--unset-all"];
    let mut words = usage.operands.iter().map(|word| word.text.as_str()).peekable();
    let verb = words.next_if(|word| matches!(*word, "set" | "unset" | "get" | "list" | "edit"));
    if verb.is_some_and(|verb| verb != "set") || looks.iter().any(|name| usage.has(name)) {
        return false;
    }
    matches!((words.next(), words.next()), (Some(name), Some(value)) if fits(name, value))
}

/// Programs that commit for anyone who calls them, and those that do where a word says so.
const COMMITTERS: [&str; 7] =
    ["cz", "git-cz", "release-it", "standard-version", "commit-and-tag-version", "semantic-release", "gcmt"];
const RUNNERS: [&str; 11] =
    ["npm", "pnpm", "yarn", "bun", "npx", "bunx", "lerna", "make", "just", "task", "nx"];

/// `HUSKY=0 yarn commit`: another program commits, and the hooks stand aside.
pub(super) fn commits_past_hooks(command: &Command) -> bool {
    let program = command.program.as_str();
    let says = |word: &Word| {
        let text = word.text.as_str();
        text.contains("commit") || text.contains("release") || matches!(text, "version" | "cz")
    };
    let commits = COMMITTERS.contains(&program)
        || RUNNERS.contains(&program) && command.words.iter().skip(1).take(4).any(says);
    commits && skips_by_variable(command)
}

/// Variables that make hook managers stand aside.
fn skips_by_variable(command: &Command) -> bool {
    command.assignments.iter().any(|one| {
        let value = one.value.text.as_str();
        let on = !matches!(value, "" | "0" | "false");
        match one.name.as_str() {
            "HUSKY" | "LEFTHOOK" => matches!(value, "0" | "false"),
            "HUSKY_SKIP_HOOKS"
            | "SKIP_SIMPLE_GIT_HOOKS"
            | "PRE_COMMIT_ALLOW_NO_CONFIG"
            | "OVERCOMMIT_DISABLE" => on,
            "SKIP" | "LEFTHOOK_EXCLUDE" => !value.is_empty(),
            _ => false,
        }
    })
}

/// `git config alias.c 'commit --no-verify'`: the bypass under another name.
fn names_bypass(command: &Command) -> bool {
    let mut operands =
        command.usage.operands.iter().map(|word| word.text.as_str()).skip_while(|word| *word == "set");
    let (Some(name), Some(value)) = (operands.next(), operands.next()) else { return false };
    name.to_ascii_lowercase().starts_with("alias.")
        && (value.contains("--no-verify")
            || value.contains("core.hooksPath")
            || value.starts_with("commit")
                && value
                    .split(' ')
                    .any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains('n')))
}

/// `git config --remove-section core`: where the folder of hooks is named goes too.
fn drops_section(command: &Command) -> bool {
    let usage = &command.usage;
    let mut words = usage.operands.iter().map(|word| word.text.as_str()).peekable();
    let verb = words.next_if(|word| matches!(*word, "remove-section" | "rename-section"));
    let drops = verb.is_some() || usage.has("--remove-section") || usage.has("--rename-section");
    drops && words.next().is_some_and(|section| section.eq_ignore_ascii_case("core"))
}

/// `git config core.hooksPath …`, unless it names a hooks folder of the project.
fn redirects_hooks(command: &Command) -> bool {
    let usage = &command.usage;
    let mut words = usage.operands.iter().map(|word| word.text.as_str()).peekable();
    let verb = words.next_if(|word| matches!(*word, "set" | "unset" | "get" | "list"));
    let named = words.next().is_some_and(|name| name.eq_ignore_ascii_case("core.hookspath"));
    if !named || verb == Some("get") || usage.has("--get") || usage.has("--get-all") {
        return false;
    }
    if verb == Some("unset") || usage.has("--unset") || usage.has("--unset-all") {
        return true;
    }
    match words.next() {
        None => false,
        Some(path) => {
            path.starts_with('/')
                || path.starts_with('~')
                || !(path.contains("hook") || path.contains("husky"))
        }
    }
}

fn remote(command: &Command, effects: &mut Effects) {
    let usage = &command.usage;
    let sub = usage.sub();
    let is_address = |word: &&Word| word.text.contains(':') || word.text.contains('/') && sub == "clone";
    if matches!(sub, "clone" | "fetch" | "pull" | "push" | "ls-remote") {
        match usage.operands.first().filter(is_address) {
            Some(address) => effects.on(EffectKind::ReachesHost, address),
            None => effects.add(EffectKind::ReachesHost),
        }
    }
    let second = usage.subcommand.get(1).map_or("", |word| word.as_str());
    let is_full =
        |word: &&Word| word.text.contains("://") || word.text.contains('@') && word.text.contains(':');
    match (sub, second) {
        ("remote", "add" | "set-url") => {
            effects.on_each(EffectKind::ReachesHost, usage.operands.iter().filter(is_full));
        }
        ("submodule", _) | ("subtree", _) => {
            effects.on_each(EffectKind::ReachesHost, usage.operands.iter().filter(is_full));
        }
        ("archive", _) => {
            let remote = addresses::given(command, &["--remote"]);
            effects.on_each(EffectKind::ReachesHost, &remote);
        }
        _ => {}
    }
    // `-c url.https://host/.insteadOf=gh:` sends every `gh:` there.
    for (name, value) in git_settings(command) {
        let base = name.strip_prefix("url.").and_then(|rest| rest.rsplit_once('.')).map(|(base, _)| base);
        let proxy = name.eq_ignore_ascii_case("http.proxy").then_some(value.text.as_str());
        let to = base.or(proxy).map(|text| Word { text: text.into(), ..value.clone() });
        effects.on_each(EffectKind::ReachesHost, &to);
    }
    // The same said once and for all: every later push is forced.
    let lasting = sub == "config" && sets(command, forces);
    if lasting || sub == "push" && git_settings(command).iter().any(|(name, value)| forces(name, &value.text))
    {
        effects.add(EffectKind::RewritesRemote);
    }
    if !matches!(sub, "push" | "send-pack" | "http-push") || usage.has("--dry-run") {
        return;
    }
    if let Some(address) = usage.operands.first().filter(is_address) {
        effects.on(EffectKind::SendsData, address);
    }
    let all = ["--force", "--mirror", "--delete", "--prune"].iter().any(|name| usage.has(name));
    let leased = !all && usage.has("--force-with-lease");
    let refs = usage.operands.get(1..).unwrap_or_default();
    let marked = |word: &&Word| all || word.text.starts_with(['+', ':']);
    let rewritten: Vec<Word> = refs.iter().filter(marked).map(branch).collect();
    if all && rewritten.is_empty() {
        effects.add(EffectKind::RewritesRemote);
    }
    if leased && rewritten.is_empty() {
        match refs.first() {
            Some(name) => effects.on(EffectKind::RewritesOwnRemote, &branch(name)),
            None => effects.add(EffectKind::RewritesOwnRemote),
        }
    }
    effects.on_each(EffectKind::RewritesRemote, &rewritten);
}

/// Settings that make a push rewrite the remote.
fn forces(name: &str, value: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.starts_with("remote.")
        && (name.ends_with(".push") && value.starts_with(['+', ':'])
            || name.ends_with(".mirror") && matches!(value, "true" | "yes" | "on" | "1"))
}

/// The branch a refspec changes: `+HEAD:main` changes `main`.
fn branch(refspec: &Word) -> Word {
    let text = refspec.text.trim_start_matches('+');
    let text = text.rsplit(':').next().unwrap_or(text);
    Word { text: text.into(), ..refspec.clone() }
}

fn history(command: &Command, input: Option<&str>, effects: &mut Effects) {
    let usage = &command.usage;
    let is_delete = |line: &str| line.trim_start().starts_with("delete");
    // What no one knows may be anything.
    let by_input = || usage.has("--stdin") && input.is_none_or(|text| text.lines().any(is_delete));
    let to_nothing = || {
        let to = usage.operands.get(1).map_or("x", |word| word.text.as_str());
        to.is_empty() || to.len() >= 40 && to.bytes().all(|byte| byte == b'0')
    };
    let rewrites = match usage.sub() {
        "filter-branch" => true,
        "filter-repo" => !usage.has("--analyze") && !usage.has("--dry-run"),
        "update-ref" => usage.has("-d") || by_input() || to_nothing(),
        "lfs" => {
            usage.subcommand.get(1).is_some_and(|second| second == "migrate")
                && !usage.operands.iter().any(|word| word.text == "info")
        }
        "symbolic-ref" => usage.has("--delete"),
        _ => false,
    };
    if rewrites {
        effects.add(EffectKind::RewritesHistory);
    }
}
