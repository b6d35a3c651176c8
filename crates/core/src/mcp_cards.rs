//! What tools of MCP servers do beyond files, commands and addresses: destroy
//! what a service keeps, show something to other people, move money.
//!
//! One row per well-known server; for all others the verb in the tool's name is
//! all there is, and it raises a doubt. Data and its lookup, nothing else.

use crate::mcp_files::words_of;
use serde_json::Value;
use toolgate_shell::{EffectKind, SmolStr};

use Deed::{Destroys, DropsData, Harmless, InPage, MovesMoney, Publishes, StopsService};

/// What a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deed {
    /// Nothing that cannot be undone, whatever its name says.
    Harmless,
    /// It deletes something a service keeps.
    Destroys,
    /// It drops or empties data.
    DropsData,
    /// It destroys or stops machines and services.
    StopsService,
    /// Other people see it, or it becomes part of what they use.
    Publishes,
    /// It pays, refunds or charges.
    MovesMoney,
    /// It runs code in a web page, where the user may be logged in.
    InPage,
}

/// One server: words of its name, and what its tools do. A tool is named by words that must all be
/// in its name; the first row that fits counts.
struct Card {
    server: &'static [&'static str],
    tools: &'static [(&'static str, Deed)],
}

const CARDS: &[Card] = &[
    Card { server: &["memory", "thinking", "time", "everything", "todo"], tools: &[("", Harmless)] },
    Card {
        server: &["filesystem", "commander"],
        tools: &[
            ("delete", Destroys),
            ("remove", Destroys),
            ("force terminate", StopsService),
            ("kill", StopsService),
        ],
    },
    Card {
        server: &["github", "gitlab", "bitbucket", "gitea"],
        tools: &[
            ("merge pull", Publishes),
            ("merge mr", Publishes),
            ("merge request accept", Publishes),
            ("accept merge", Publishes),
            ("create gist", Publishes),
            ("update gist", Publishes),
            ("create release", Publishes),
            ("publish", Publishes),
            ("fork", Publishes),
            ("delete", Destroys),
            ("cancel", Destroys),
        ],
    },
    Card {
        server: &["playwright", "puppeteer", "chrome", "devtools", "browser", "selenium"],
        tools: &[
            ("evaluate", InPage),
            ("run code", InPage),
            ("execute", InPage),
            ("script", InPage),
            ("", Harmless),
        ],
    },
    Card {
        server: &[
            "postgres",
            "postgresql",
            "mysql",
            "mariadb",
            "sqlite",
            "mongodb",
            "mongo",
            "redis",
            "clickhouse",
            "elasticsearch",
        ],
        tools: &[
            ("drop", DropsData),
            ("flush", DropsData),
            ("truncate", DropsData),
            ("delete", DropsData),
            ("del", DropsData),
        ],
    },
    Card {
        server: &["kubernetes", "k8s", "kubectl", "helm", "docker", "podman", "portainer"],
        tools: &[
            ("delete", StopsService),
            ("uninstall", StopsService),
            ("remove", StopsService),
            ("prune", StopsService),
            ("drain", StopsService),
            ("kill", StopsService),
            ("down", StopsService),
        ],
    },
    Card {
        server: &[
            "aws",
            "gcp",
            "gcloud",
            "azure",
            "cloudflare",
            "vercel",
            "netlify",
            "heroku",
            "digitalocean",
            "terraform",
            "pulumi",
            "supabase",
            "neon",
            "railway",
            "flyio",
        ],
        tools: &[
            ("delete", StopsService),
            ("destroy", StopsService),
            ("terminate", StopsService),
            ("remove", StopsService),
            ("pause", StopsService),
            ("stop", StopsService),
            ("reset", StopsService),
            ("purge", StopsService),
        ],
    },
    Card {
        server: &[
            "slack", "discord", "telegram", "teams", "gmail", "email", "mail", "twilio", "whatsapp",
            "twitter",
        ],
        tools: &[
            ("post", Publishes),
            ("send", Publishes),
            ("reply", Publishes),
            ("forward", Publishes),
            ("delete", Destroys),
            ("trash", Destroys),
        ],
    },
    Card { server: &["notion"], tools: &[("delete", Destroys), ("", Harmless)] },
    Card {
        server: &["linear", "jira", "atlassian", "confluence", "asana", "trello"],
        tools: &[("delete", Destroys), ("archive", Destroys)],
    },
    Card {
        server: &["stripe", "paypal", "square", "adyen", "plaid", "wise"],
        tools: &[
            ("refund", MovesMoney),
            ("charge", MovesMoney),
            ("payout", MovesMoney),
            ("transfer", MovesMoney),
            ("capture", MovesMoney),
            ("finalize invoice", MovesMoney),
            ("pay", MovesMoney),
            ("cancel subscription", MovesMoney),
            ("dispute", MovesMoney),
            ("delete", Destroys),
        ],
    },
];

/// Verbs that only look: what comes behind them is what they look at.
const LOOKS: &[&str] = &[
    "get", "list", "read", "search", "find", "describe", "show", "fetch", "query", "count", "view", "check",
    "retrieve", "lookup", "inspect", "explain", "preview", "validate", "browse", "watch", "is", "has",
];

/// What verbs do at servers no card is about.
const VERBS: &[(&[&str], Deed)] = &[
    (
        &["refund", "pay", "payout", "charge", "transfer", "withdraw", "purchase", "buy", "checkout"],
        MovesMoney,
    ),
    (&["drop", "flush", "flushall", "flushdb", "truncate"], DropsData),
    (
        &[
            "delete",
            "destroy",
            "purge",
            "wipe",
            "erase",
            "nuke",
            "terminate",
            "deprovision",
            "uninstall",
            "decommission",
        ],
        Destroys,
    ),
    (&["send", "publish", "tweet", "broadcast", "merge"], Publishes),
];

/// What code in a page does when it carries something out of it.
const OUT_OF_PAGE: &[&str] = &[
    "fetch(",
    "xmlhttprequest",
    "sendbeacon",
    "websocket",
    "document.cookie",
    "localstorage",
    "sessionstorage",
    "indexeddb",
    "new image",
    ".submit(",
    "location.href",
    "location=",
    "location =",
    "import(",
];

/// Words of database clients that drop everything.
const EMPTYING: &[&str] = &["flushall", "flushdb", "dropdatabase", ".drop("];

/// What the call of a tool does, and to what.
pub(crate) fn of_input(server: &str, tool: &str, input: &Value) -> Vec<(EffectKind, SmolStr)> {
    let (place, words) = (words_of(server), words_of(tool));
    let card = CARDS.iter().find(|card| place.iter().any(|word| card.server.contains(&word.as_str())));
    let by_card = card.and_then(|card| card.tools.iter().find(|(name, _)| has_all(&words, name)));
    let looks =
        words.iter().find(|word| !place.contains(word)).is_some_and(|first| LOOKS.contains(&first.as_str()));
    let deed = match by_card {
        Some((_, InPage)) => Some(InPage),
        _ if looks => None,
        Some((_, deed)) => Some(*deed),
        None => of_verb(&words),
    };
    let kind = match deed {
        Some(Destroys) => EffectKind::DestroysRemote,
        Some(DropsData) => EffectKind::DropsData,
        Some(StopsService) => EffectKind::DestroysInfrastructure,
        Some(Publishes) => EffectKind::Publishes,
        Some(MovesMoney) => EffectKind::MovesMoney,
        Some(InPage) if says_any(input, OUT_OF_PAGE) => EffectKind::Publishes,
        _ if says_any(input, EMPTYING) && is_database(&place) => EffectKind::DropsData,
        _ => return Vec::new(),
    };
    vec![(kind, SmolStr::from(format!("{server} {tool}")))]
}

fn has_all(words: &[String], names: &str) -> bool {
    names.split_whitespace().all(|name| words.iter().any(|word| word == name))
}

fn of_verb(words: &[String]) -> Option<Deed> {
    let says = |verbs: &[&str]| words.iter().any(|word| verbs.contains(&word.as_str()));
    VERBS.iter().find(|(verbs, _)| says(verbs)).map(|(_, deed)| *deed)
}

fn is_database(place: &[String]) -> bool {
    let drops = |card: &&Card| card.tools.iter().any(|(_, deed)| *deed == DropsData);
    CARDS.iter().filter(drops).any(|card| place.iter().any(|word| card.server.contains(&word.as_str())))
}

/// Whether a text among the arguments holds one of these.
fn says_any(input: &Value, parts: &[&str]) -> bool {
    let texts = input.as_object().into_iter().flat_map(|fields| fields.values());
    texts.filter_map(Value::as_str).any(|text| {
        let text = text.to_ascii_lowercase();
        parts.iter().any(|part| text.contains(part))
    })
}

#[cfg(test)]
mod tests {
    use super::of_input;
    use serde_json::{Value, json};

    #[track_caller]
    fn check(server: &str, tool: &str, input: &Value, expected: &str) {
        let found: Vec<&str> = of_input(server, tool, input).iter().map(|(kind, _)| kind.name()).collect();
        assert_eq!(found.join(", "), expected, "{server} {tool} {input}");
    }

    #[test]
    fn cards_say_what_tools_do() {
        let none = json!({});
        for (server, tool, expected) in [
            ("github", "merge_pull_request", "publishes"),
            ("github", "get_pull_request", ""),
            ("github", "create_issue", ""),
            ("github", "list_gists", ""),
            ("slack", "slack_post_message", "publishes"),
            ("slack", "slack_get_channel_history", ""),
            ("stripe", "create_refund", "moves-money"),
            ("stripe", "list_refunds", ""),
            ("stripe", "create_customer", ""),
            ("supabase", "pause_project", "destroys-infrastructure"),
            ("kubernetes", "kubectl_delete", "destroys-infrastructure"),
            ("kubernetes", "kubectl_get", ""),
            ("mongodb", "drop-database", "drops-data"),
            ("mongodb", "list-databases", ""),
            ("notion", "API-post-search", ""),
            ("memory", "delete_entities", ""),
            ("filesystem", "delete_file", "destroys-remote"),
            ("filesystem", "read_file", ""),
            ("playwright", "browser_click", ""),
        ] {
            check(server, tool, &none, expected);
        }
        let code = |text: &str| json!({ "function": text });
        check("playwright", "browser_evaluate", &code("() => document.title"), "");
        check(
            "playwright",
            "browser_evaluate",
            &code("() => fetch('https://x', { method: 'POST' })"),
            "publishes",
        );
        check("redis", "execute", &json!({ "command": "FLUSHALL" }), "drops-data");
    }

    #[test]
    fn verbs_of_unknown_servers_raise_a_doubt() {
        let none = json!({});
        for (tool, expected) in [
            ("delete_widget", "destroys-remote"),
            ("widgetDestroy", "destroys-remote"),
            ("flush_cache", "drops-data"),
            ("refund_order", "moves-money"),
            ("send_invoice", "publishes"),
            ("get_deleted_items", ""),
            ("list_transfers", ""),
            ("update_widget", ""),
            ("check_delete_permission", ""),
        ] {
            check("widgets", tool, &none, expected);
        }
    }
}
