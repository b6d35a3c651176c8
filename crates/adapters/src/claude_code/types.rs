//! What the keys of Claude Code's settings must hold. One key that holds something
//! else makes the program ignore the whole file, hooks included.
//!
//! Read from what 2.1.325 itself said about files with every key wrong. Keys it
//! does not know, and wrong entries of `env` and of permission lists, do no harm.

use serde_json::Value;

const TEXTS: &[&str] = &[
    "advisorModel",
    "agent",
    "apiKeyHelper",
    "attributionProject",
    "autoMemoryDirectory",
    "awsAuthRefresh",
    "awsCredentialExport",
    "claudeMd",
    "gcpAuthRefresh",
    "language",
    "minimumVersion",
    "model",
    "otelHeadersHelper",
    "outputStyle",
    "plansDirectory",
    "pluginTrustMessage",
    "prUrlTemplate",
    "processWrapper",
    "proxyAuthHelper",
    "requiredMaximumVersion",
    "requiredMinimumVersion",
    "timeZone",
];

const SWITCHES: &[&str] = &[
    "agentPushNotifEnabled",
    "allowAllClaudeAiMcps",
    "allowManagedHooksOnly",
    "allowManagedMcpServersOnly",
    "allowManagedPermissionRulesOnly",
    "alwaysThinkingEnabled",
    "autoCompactEnabled",
    "autoContinueAtUsageLimit",
    "autoMemoryEnabled",
    "autoScrollEnabled",
    "autoUploadSessions",
    "awaySummaryEnabled",
    "bashEditDiffEnabled",
    "channelsEnabled",
    "disableAgentView",
    "disableAllHooks",
    "disableBundledSkills",
    "disableRemoteControl",
    "disableWorkflows",
    "doneMeansMerged",
    "enableAllProjectMcpServers",
    "enableWorkflows",
    "fastMode",
    "fileCheckpointingEnabled",
    "includeCoAuthoredBy",
    "includeGitInstructions",
    "prefersReducedMotion",
    "promptSuggestionEnabled",
    "remoteControlAtStartup",
    "respectGitignore",
    "showThinkingSummaries",
    "showTurnDuration",
    "skipAutoPermissionPrompt",
    "skipDangerousModePermissionPrompt",
    "skipWebFetchPreflight",
    "spinnerTipsEnabled",
    "syntaxHighlightingDisabled",
    "terminalProgressBarEnabled",
    "useAutoModeDuringPlan",
    "verbose",
];

const OBJECTS: &[&str] = &[
    "autoMode",
    "enabledPlugins",
    "env",
    "fileSuggestion",
    "hooks",
    "modelOverrides",
    "permissions",
    "pluginConfigs",
    "remote",
    "sandbox",
    "skillOverrides",
    "spinnerVerbs",
    "statusLine",
    "voice",
    "worktree",
];

const LISTS: &[&str] = &[
    "allowedHttpHookUrls",
    "availableModels",
    "claudeMdExcludes",
    "companyAnnouncements",
    "disabledMcpjsonServers",
    "httpHookAllowedEnvVars",
    "permissions.additionalDirectories",
    "permissions.allow",
    "permissions.ask",
    "permissions.deny",
    "sshConfigs",
];

const WORDS: &[(&str, &[&str])] = &[
    ("autoUpdatesChannel", &["latest", "stable", "rc"]),
    ("defaultShell", &["bash", "powershell"]),
    ("defaultView", &["chat", "transcript"]),
    ("permissions.defaultMode", MODES),
];

const MODES: &[&str] = &["acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan"];

/// One rule: the keys, what they must hold in words, and whether a value does.
type Rule = (&'static [&'static str], &'static str, fn(&Value) -> bool);

const RULES: &[Rule] = &[
    (TEXTS, "a string", Value::is_string),
    (SWITCHES, "true or false", Value::is_boolean),
    (OBJECTS, "an object", Value::is_object),
    (LISTS, "a list", Value::is_array),
    (&["cleanupPeriodDays"], "a number of at least 1", is_positive),
];

/// What is wrong with the settings, in one sentence, if it makes the program ignore them.
pub(super) fn fault(settings: &Value) -> Option<String> {
    let at = |key: &str| settings.pointer(&format!("/{}", key.replace('.', "/")));
    for (keys, words, fits) in RULES {
        let wrong = keys.iter().find(|key| at(key).is_some_and(|value| !fits(value)));
        if let Some(key) = wrong {
            return Some(format!("`{key}` must be {words}"));
        }
    }
    let wrong = WORDS.iter().find(|(key, words)| {
        at(key).is_some_and(|value| !value.as_str().is_some_and(|word| words.contains(&word)))
    });
    if let Some((key, words)) = wrong {
        return Some(format!("`{key}` must be one of {}", words.join(", ")));
    }
    let events = settings.get("hooks").and_then(Value::as_object).into_iter().flatten();
    events.into_iter().find_map(|(event, groups)| event_fault(event, groups))
}

fn event_fault(event: &str, groups: &Value) -> Option<String> {
    let Some(groups) = groups.as_array() else { return Some(format!("`hooks.{event}` must be a list")) };
    let mut hooks = Vec::new();
    for group in groups {
        match group.get("hooks").and_then(Value::as_array) {
            Some(list) => hooks.extend(list),
            None => return Some(format!("a group of `hooks.{event}` has no list `hooks`")),
        }
    }
    let rules: [Rule; 4] = [
        (&["command", "statusMessage", "url"], "a string", Value::is_string),
        (&["async", "asyncRewake", "once"], "true or false", Value::is_boolean),
        (&["timeout"], "a number above 0", is_positive),
        (&["args"], "a list", Value::is_array),
    ];
    for (keys, words, fits) in rules {
        for key in keys {
            if hooks.iter().any(|hook| hook.get(key).is_some_and(|value| !fits(value))) {
                return Some(format!("`{key}` of a hook of `{event}` must be {words}"));
            }
        }
    }
    None
}

fn is_positive(value: &Value) -> bool {
    value.as_f64().is_some_and(|number| number > 0.0)
}
