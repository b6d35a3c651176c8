//! What is recorded of calls with secrets in them: nothing that could be used again, and still enough for an
//! approval to be one to exactly this call.

use crate::answer::Answer;
use crate::house::{House, TICKET};
use crate::review::{PASSPHRASE, answer, locked};
use serde_json::{Value, json};

/// What stands for the secret in the cases.
const SECRET: &str = "Qz7vRk2pLw9xTn4mHd1f";

/// Commands as agents write them, with a secret at `§`.
const COMMANDS: [&str; 40] = [
    "curl -H 'Authorization: Bearer §' https://api.acme.io/v1/me",
    "curl -H \"Authorization: token §\" https://api.github.com/user",
    "curl -u ada:§ https://api.acme.io",
    "curl --user ada:§ https://api.acme.io",
    "curl 'https://ada:§@api.acme.io/x'",
    "curl -H 'X-Api-Key: §' https://api.acme.io",
    "curl -b 'Cookie: session=§' -H 'Cookie: sid=§' https://a.io",
    "curl -d '{\"password\":\"§\"}' https://a.io/login",
    "curl -d 'user=ada&password=§' https://a.io/login",
    "curl 'https://a.io/x?api_key=§'",
    "curl 'https://a.io/x?access_token=§&n=1'",
    "wget --http-password=§ https://a.io",
    "wget --header='PRIVATE-TOKEN: §' https://gitlab.acme.io",
    "export GITHUB_TOKEN=§ && git push",
    "AWS_SECRET_ACCESS_KEY=§ aws s3 ls",
    "export STRIPE_KEY='§'",
    "PGPASSWORD=§ psql -h db -U app",
    "psql postgres://app:§@db:5432/app -c 'select 1'",
    "psql 'host=db user=app password=§'",
    "mysql -u root -p§ shop",
    "mysqldump --password=§ shop",
    "redis-cli -h cache -a § ping",
    "mongosh mongodb+srv://app:§@cluster.acme.io/db",
    "mongosh --host db -u app -p § db",
    "docker login -u ada -p § registry.acme.io",
    "docker run -e DB_PASSWORD=§ app",
    "helm upgrade app ./chart --set auth.password=§",
    "kubectl create secret generic x --from-literal=token=§",
    "git clone https://oauth2:§@gitlab.acme.io/a/b.git",
    "git -c http.extraHeader='Authorization: Basic §' fetch",
    "npm config set //registry.npmjs.org/:_authToken §",
    "echo '//registry.npmjs.org/:_authToken=§' >> .npmrc",
    "aws configure set aws_secret_access_key §",
    "gh secret set DEPLOY_TOKEN --body §",
    "sshpass -p § ssh ada@host",
    "openssl enc -aes-256-cbc -pass pass:§ -in a -out b",
    "az login --service-principal -u app --password § --tenant t",
    "deploy --token § --env prod",
    "echo 'machine api.acme.io login ada password §' > ~/.netrc",
    "cat > .env <<END\nSESSION_SECRET=§\nEND",
];

/// Everything the gate keeps on disk.
fn kept(house: &House) -> String {
    let mut all = String::new();
    let mut folders = vec![house.state()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(bytes) = std::fs::read(&path) {
                all.push_str(&String::from_utf8_lossy(&bytes));
            }
        }
    }
    all
}

fn shown(house: &House) -> String {
    let verbs: [&[&str]; 4] = [
        &["logs", "--all", "--json"],
        &["inbox", "list", "--json"],
        &["inbox", "list"],
        &["ledger", "export"],
    ];
    verbs.iter().map(|args| house.run(args).text()).collect()
}

fn tool(house: &House, tool: &str, input: Value) -> Value {
    let mut event = house.call("true");
    event["tool_name"] = json!(tool);
    event["tool_input"] = input;
    event
}

/// Asked about, run, failed: in no record, on no screen, in no export is the secret.
#[test]
fn no_secret_of_a_command_is_recorded() {
    let policy =
        format!("{TICKET}rules:\n  - {{ id: all-ask, kind: ask, match: {{ tool: '*' }}, reason: asked }}\n");
    for policy in ["version: 1\n", &policy] {
        let house = House::bare(policy);
        for command in COMMANDS {
            let mut event = house.call(&command.replace('§', SECRET));
            house.ask_event(&event);
            event["hook_event_name"] = json!("PostToolUse");
            event["tool_response"] = json!({ "stdout": "", "stderr": "" });
            house.hook(event.to_string().as_bytes()).ended(0);
            event["hook_event_name"] = json!("PostToolUseFailure");
            event["error"] = json!(format!("Exit code 1\n{}: failed", command.replace('§', SECRET)));
            house.hook(event.to_string().as_bytes()).ended(0);
        }
        for input in [
            json!({ "password": SECRET }),
            json!({ "auth": { "api_key": SECRET } }),
            json!({ "headers": { "Authorization": format!("Bearer {SECRET}") } }),
            json!({ "env": [format!("DB_PASSWORD={SECRET}")] }),
            json!({ "url": format!("https://ada:{SECRET}@a.io/x") }),
        ] {
            house.ask_event(&tool(&house, "mcp__acme__call", input));
        }
        let (kept, shown) = (kept(&house), shown(&house));
        for command in COMMANDS {
            let begin = command.split('§').next().unwrap();
            let begin = begin.get(begin.len().saturating_sub(12)..).unwrap_or(begin);
            assert!(!shown.contains(&format!("{begin}{SECRET}")), "{command}");
        }
        assert!(!shown.contains(SECRET), "{}", around(&shown));
        assert!(!kept.contains(SECRET), "{}", around(&kept));
        house.run(&["ledger", "verify"]).ended(0);
    }
}

fn around(text: &str) -> String {
    let at = text.find(SECRET).unwrap_or(0);
    text.get(text.floor_char_boundary(at.saturating_sub(300))..text.ceil_char_boundary(at + 60))
        .unwrap()
        .to_owned()
}

/// The person sees what is done, to what and as who; the yes is one to the call with this secret and no other.
#[test]
fn an_approval_binds_to_the_exact_call() {
    let house = locked();
    let push = |secret: &str| format!("GITHUB_TOKEN={secret} git push --force origin main");
    let id = house.ask(&push(SECRET)).request();
    assert_eq!(house.ask(&push(SECRET)).request(), id, "the same question is asked once");
    assert_ne!(house.ask(&push("another0secret")).request(), id, "another secret is another call");
    let card = house.run(&["inbox", "show", &id]).ended(0).text();
    assert!(card.contains("GITHUB_TOKEN={redacted:secret} git push --force origin main"), "{card}");
    answer(&house, "approve", &id, PASSPHRASE).ended(0);
    assert!(house.ask(&push("another0secret")).is_no());
    assert_eq!(house.ask(&push(SECRET)), Answer::Silent);
    assert!(house.ask(&push(SECRET)).is_no(), "once");
    house.run(&["ledger", "verify"]).ended(0);
}

/// Two ledgers give one call two hashes: who has a record cannot try out secrets.
#[test]
fn the_hash_of_a_call_is_made_with_the_key_of_the_ledger() {
    let digest = || {
        let house = House::bare("version: 1\n");
        house.ask("export API_TOKEN=hunter2");
        let record = house.records().pop().unwrap();
        let command = record["entry"]["title"].as_str().unwrap().to_owned();
        assert_eq!(command, "export API_TOKEN={redacted:secret}");
        (record["entry"]["arguments"].as_str().unwrap().to_owned(), house.project())
    };
    let (first, second) = (digest(), digest());
    assert_ne!(first.0, second.0);
}

/// What hides behind a telling name and could do something is shown to the person.
#[test]
fn a_command_in_a_secret_is_shown() {
    let house = locked();
    let id = house.ask("TOKEN=\"$(curl -s https://evil.example/x)\" git push --force origin main").request();
    let card = house.run(&["inbox", "show", &id]).ended(0).text();
    assert!(card.contains("$(curl -s https://evil.example/x)"), "{card}");
}
