//! The index only narrows: what it leaves out could not have matched.

use crate::stage::{decide, policy, shell, summary};
use proptest::prelude::*;
use serde_json::{Value, json};
use toolgate_core::{Image, Policy};

/// Rules of every sort the index files differently.
fn rules() -> Vec<Value> {
    let matches = [
        json!({ "command": { "program": "git", "subcommand": "commit", "flags": ["--no-verify", "--amend"] } }),
        json!({ "command": { "program": "git", "subcommand": ["push", "commit"] } }),
        json!({ "command": { "program": ["rm", "mv"] } }),
        json!({ "command": { "program": "g*" } }),
        json!({ "command": { "flags": ["--force"] } }),
        json!({ "command": { "via": "sudo" } }),
        json!({ "effect": ["rewrites-remote", "discards-work"] }),
        json!({ "regex": "push.*main" }),
        json!({ "regex": "(?i)MAIN" }),
        json!({ "regex": "x|rm" }),
        json!({ "files": { "access": "write" } }),
        json!({ "files": { "path": "*.txt" } }),
        json!({ "files": { "path": [".env", "id_*", "~/.{ssh,aws}{,/**}"] } }),
        json!({ "files": { "access": "write", "path": ["/{etc,usr}/**", "secret*"], "except": "*.pub" } }),
        json!({ "files": { "access": "read", "path": ["**/[a-c].x", ".env"] } }),
        json!({ "files": { "access": "delete", "path": ["db/mig/**", "src/*.rs", "~/.config/x/**"] } }),
        json!({ "files": { "path": ["docs/", "/srv/{a,b}/**"] } }),
        json!({ "command": { "program": "docker", "subcommand": ["push", "compose down"] } }),
        json!({ "command": { "program": ["docker-compose", "pip3"], "subcommand": ["down", "install"] } }),
        json!({ "command": { "program": "aws", "subcommand": ["s3 rb", "ec2 terminate-*"] } }),
        json!({ "command": { "program": "git", "subcommand": "stash drop" } }),
        json!({ "command": { "program": "git", "subcommand": "commit", "flags": ["--message=x*", "-an"] } }),
        json!({ "host": ["*.a.test", "b.test:22"] }),
        json!({ "effect": "sends-data", "host": { "except": "c.test" } }),
        json!({ "tool": "Bash" }),
        json!({ "tool": "B*" }),
        json!({ "opaque": true }),
        json!({ "params": { "command": "status" } }),
    ];
    matches
        .iter()
        .enumerate()
        .map(|(n, m)| json!({ "id": format!("r{n:02}"), "kind": "warn", "match": m, "reason": "r" }))
        .collect()
}

/// Words of commands, so that what they make is often about some rule.
const WORDS: &str = r#"git
commit
push
-n
--force
-f
--amend
rm
mv
sudo
bash -c
'git commit -n'
main
origin
>
a.txt
&&
;
|
$X
eval
status
reset
--hard
"x y"
xargs
tee
MAIN
cat
<
.env
.e*v
~/.ssh/id_rsa
~/.aws
/etc/x.pub
/etc/passwd
b.x
cd ~/.ssh
id_*
secrets
docker
docker-compose
compose
image
down
pip
install
aws
--profile
s3
rb
ec2
terminate-x
stash
drop
-rf
-am
db
src
src/*
docs
~
/srv
/
.
*
find
-delete
chmod -R 1
tar x -C
curl
x.a.test
-d y
ssh b.test"#;

fn word() -> impl Strategy<Value = &'static str> {
    prop::sample::select(WORDS.lines().collect::<Vec<_>>())
}

proptest! {
    #[test]
    fn index_never_hides_a_rule(words in prop::collection::vec(word(), 1..12)) {
        let command = words.join(" ");
        let all = policy(&json!(rules()));
        let mut together: Vec<String> = decide(&all, &shell(&command)).findings.iter().map(|f| f.guard.clone()).collect();
        together.sort();
        prop_assert_eq!(together, without_index(&command));
    }

    #[test]
    fn an_image_survives_its_bytes(cut in 0usize..4000, flip in 0usize..4000) {
        let all = policy(&json!(rules()));
        let bytes = all.image().to_bytes();
        let back = Policy::new(Image::from_bytes(bytes.clone(), 0).unwrap());
        let event = shell("sudo git push --force origin main > a.txt");
        prop_assert_eq!(summary(&event, &decide(&back, &event)), summary(&event, &decide(&all, &event)));
        // Damaged bytes are refused or judge without a panic; the cache's hash keeps them out anyway.
        let _ = Image::from_bytes(bytes.get(..cut.min(bytes.len())).unwrap_or_default().to_vec(), 0);
        let mut changed = bytes.clone();
        let at = flip % changed.len();
        changed[at] ^= 1;
        if let Ok(image) = Image::from_bytes(changed, 0) {
            let _ = decide(&Policy::new(image), &event);
        }
    }
}

/// Asks every rule directly, without the index.
fn without_index(command: &str) -> Vec<String> {
    use toolgate_core::rule::CompiledRule;
    use toolgate_core::{Disk, Facts, Guard, Seen, Session, Settings, Source};
    let event = shell(command);
    let places = crate::stage::places();
    let facts = Facts::of(&event.call, &places);
    let session = Session::new("s");
    let settings = Settings::default();
    let seen = Seen {
        event: &event,
        facts: &facts,
        session: &session,
        settings: &settings,
        now_ms: 0,
        disk: Disk::BLIND,
        places: &places,
        autonomy: toolgate_core::Autonomy::Standard,
        tight: false,
    };
    let mut spoke: Vec<String> = rules()
        .into_iter()
        .map(|rule| CompiledRule::new(serde_json::from_value(rule).unwrap(), Source::default()).unwrap())
        .filter_map(|rule| rule.judge(&seen).map(|finding| finding.guard))
        .collect();
    spoke.sort();
    spoke
}
