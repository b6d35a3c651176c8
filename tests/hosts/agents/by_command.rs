//! Agents that start a command for each event.

use super::{AGENT, Agent, Source};

pub const AGENTS: &[Agent] = &[
    Agent {
        host: "claude-code",
        source: Source::Npm("@anthropic-ai/claude-code"),
        version: "2.1.325",
        program: ".bin/claude",
        args: &[
            "-p",
            "{prompt}",
            "--output-format",
            "stream-json",
            "--verbose",
            "--permission-mode",
            "bypassPermissions",
            "--mcp-config",
            "{home}/mcp.json",
            "--strict-mcp-config",
        ],
        env: &[
            ("ANTHROPIC_BASE_URL", "{url}"),
            ("ANTHROPIC_API_KEY", "{key}"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
            // Lets the mode without permissions work for root, as in a container.
            ("IS_SANDBOX", "1"),
        ],
        files: &[
            (
                ".claude.json",
                r#"{"hasCompletedOnboarding": true, "theme": "dark", "autoUpdates": false,
                "customApiKeyResponses": {"approved": ["{key_end}"], "rejected": []},
                "projects": {"{work}": {"hasTrustDialogAccepted": true}}}"#,
            ),
            ("mcp.json", r#"{"mcpServers": {"fx": {"command": "node", "args": ["{mcp}"]}}}"#),
        ],
        ..AGENT
    },
    Agent {
        host: "codex",
        source: Source::Npm("@openai/codex"),
        version: "0.169.0",
        program: ".bin/codex",
        args: &["exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "{prompt}"],
        env: &[("SCRIPTED_KEY", "{key}")],
        files: &[(
            ".codex/config.toml",
            r#"model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false
approval_policy = "never"
sandbox_mode = "danger-full-access"
[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false
[analytics]
enabled = false
[feedback]
enabled = false
[otel]
exporter = "none"
metrics_exporter = "none"
[projects."{work}"]
trust_level = "trusted"
[mcp_servers.fx]
command = "node"
args = ["{mcp}"]
"#,
        )],
        agent_kind: "default",
        ..AGENT
    },
    Agent {
        host: "gemini-cli",
        source: Source::Npm("@google/gemini-cli"),
        version: "0.61.0",
        program: ".bin/gemini",
        args: &[
            "-p",
            "{prompt}",
            "--output-format",
            "stream-json",
            "--model",
            "gemini-2.5-pro",
            "--approval-mode",
            "yolo",
        ],
        env: &[
            ("GEMINI_API_KEY", "{key}"),
            ("GOOGLE_GEMINI_BASE_URL", "{url}"),
            ("GEMINI_CLI_NO_RELAUNCH", "true"),
            ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
            ("NO_BROWSER", "1"),
        ],
        files: &[(
            ".gemini/settings.json",
            r#"{
  "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
  "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
  "privacy": {"usageStatisticsEnabled": false},
  "telemetry": {"enabled": false},
  "mcpServers": {"fx": {"command": "node", "args": ["{mcp}"]}}
}
"#,
        )],
        agent_kind: "generalist",
        ..AGENT
    },
    Agent {
        host: "copilot-cli",
        source: Source::Npm("@github/copilot"),
        version: "1.0.102",
        program: ".bin/copilot",
        args: &["-p", "{prompt}", "--no-auto-update", "--no-color", "--allow-all-tools", "--allow-all-paths"],
        env: &[
            ("COPILOT_PROVIDER_TYPE", "openai"),
            ("COPILOT_PROVIDER_BASE_URL", "{url}/v1"),
            ("COPILOT_PROVIDER_API_KEY", "{key}"),
            ("COPILOT_MODEL", "scripted"),
            ("COPILOT_OFFLINE", "true"),
            ("COPILOT_AUTO_UPDATE", "false"),
        ],
        files: &[
            (".copilot/config.json", r#"{"trusted_folders": ["{work}"], "banner": "never"}"#),
            (
                ".copilot/mcp-config.json",
                r#"{"mcpServers": {"fx": {"type": "local", "tools": ["*"], "command": "node", "args": ["{mcp}"]}}}"#,
            ),
        ],
        ..AGENT
    },
    Agent {
        host: "grok",
        source: Source::Npm("@xai-official/grok"),
        version: "1.0.41",
        program: "@xai-official/grok/bin/grok-native",
        args: &[
            "-p",
            "{prompt}",
            "-m",
            "scripted",
            "--output-format",
            "streaming-json",
            "--permission-mode",
            "bypassPermissions",
        ],
        env: &[
            ("SCRIPTED_KEY", "{key}"),
            ("GROK_DISABLE_AUTOUPDATER", "1"),
            ("GROK_AUTO_UPDATE", "0"),
            ("GROK_TELEMETRY", "0"),
        ],
        files: &[(
            ".grok/config.toml",
            r#"[models]
default = "scripted"
[features]
telemetry = false
[model.scripted]
model = "scripted"
name = "scripted"
base_url = "{url}/v1"
env_key = "SCRIPTED_KEY"
context_window = 200000
[mcp_servers.fx]
command = "node"
args = ["{mcp}"]
"#,
        )],
        ..AGENT
    },
    Agent {
        host: "qwen-code",
        source: Source::Npm("@qwen-code/qwen-code"),
        version: "0.24.4",
        program: ".bin/qwen",
        args: &[
            "{prompt}",
            "--auth-type",
            "openai",
            "--output-format",
            "stream-json",
            "--approval-mode",
            "yolo",
        ],
        env: &[
            ("OPENAI_API_KEY", "{key}"),
            ("OPENAI_BASE_URL", "{url}/v1"),
            ("OPENAI_MODEL", "scripted"),
            ("QWEN_CODE_SUPPRESS_YOLO_WARNING", "1"),
        ],
        files: &[(
            ".qwen/settings.json",
            r#"{
  "security": {"auth": {"selectedType": "openai"}},
  "privacy": {"usageStatisticsEnabled": false},
  "telemetry": {"enabled": false},
  "general": {"disableAutoUpdate": true, "disableUpdateNag": true},
  "mcpServers": {"fx": {"command": "node", "args": ["{mcp}"]}}
}
"#,
        )],
        ..AGENT
    },
    Agent {
        host: "kimi-code",
        source: Source::Npm("@moonshot-ai/kimi-code"),
        version: "2.1.0",
        program: ".bin/kimi",
        args: &["-p", "{prompt}", "--output-format", "stream-json"],
        files: &[
            (
                ".kimi-code/config.toml",
                r#"default_model = "scripted"
telemetry = false
[providers.scripted]
type = "openai"
base_url = "{url}/v1"
api_key = "{key}"
[models.scripted]
provider = "scripted"
model = "scripted"
max_context_size = 200000
capabilities = ["tool_use"]
"#,
            ),
            (".kimi-code/mcp.json", r#"{"mcpServers": {"fx": {"command": "node", "args": ["{mcp}"]}}}"#),
        ],
        agent_kind: "coder",
        ..AGENT
    },
    Agent {
        host: "goose",
        // The binary itself; the package without a platform in its name is a screen with an old one.
        source: Source::Npm("@aaif/goose-binary-linux-x64"),
        version: "1.52.0",
        program: "@aaif/goose-binary-linux-x64/bin/goose",
        args: &["run", "--no-session", "-t", "{prompt}"],
        env: &[
            ("OPENAI_HOST", "{url}"),
            ("OPENAI_API_KEY", "{key}"),
            ("OPENAI_BASE_PATH", "v1/chat/completions"),
            ("GOOSE_DISABLE_KEYRING", "1"),
        ],
        files: &[(
            ".config/goose/config.yaml",
            r#"GOOSE_PROVIDER: openai
GOOSE_MODEL: scripted
GOOSE_MODE: auto
GOOSE_TELEMETRY_ENABLED: false
extensions:
  developer: {enabled: true, type: platform, name: developer, bundled: true}
  summon: {enabled: true, type: platform, name: summon, bundled: true}
  fx: {enabled: true, type: stdio, name: fx, cmd: node, args: ["{mcp}"], timeout: 30}
"#,
        )],
        ..AGENT
    },
    Agent {
        host: "mistral-vibe",
        source: Source::PyPi("mistral-vibe"),
        version: "3.0.2",
        program: "bin/vibe",
        args: &["-p", "{prompt}", "--output", "streaming", "--trust", "--auto-approve"],
        env: &[("SCRIPTED_KEY", "{key}")],
        files: &[(
            ".vibe/config.toml",
            r#"active_model = "scripted"
enable_update_checks = false
enable_telemetry = false
enable_auto_update = false
[[providers]]
name = "scripted"
api_base = "{url}/v1"
api_key_env_var = "SCRIPTED_KEY"
backend = "generic"
[[models]]
name = "scripted"
provider = "scripted"
alias = "scripted"
input_price = 0.0
output_price = 0.0
[[mcp_servers]]
name = "fx"
transport = "stdio"
command = "node"
args = ["{mcp}"]
"#,
        )],
        says_why_of_mcp: false,
        ..AGENT
    },
    Agent {
        host: "openhands",
        source: Source::PyPi("openhands"),
        version: "1.16.0",
        program: "bin/openhands",
        args: &["--headless", "--json", "--override-with-envs", "-t", "{prompt}", "--always-approve"],
        env: &[
            ("LLM_API_KEY", "{key}"),
            ("LLM_BASE_URL", "{url}/v1"),
            ("LLM_MODEL", "openai/scripted"),
            ("OPENHANDS_SUPPRESS_BANNER", "1"),
            ("OPENHANDS_PERSISTENCE_DIR", "{home}/.openhands"),
            ("LITELLM_LOCAL_MODEL_COST_MAP", "True"),
            ("DO_NOT_TRACK", "1"),
        ],
        files: &[(
            ".openhands/mcp.json",
            r#"{"mcpServers": {"fx": {"command": "node", "args": ["{mcp}"]}}}"#,
        )],
        ..AGENT
    },
    Agent {
        host: "droid",
        source: Source::Npm("droid"),
        version: "0.215.0",
        program: ".bin/droid",
        args: &[
            "exec",
            "-o",
            "stream-json",
            "-m",
            "custom:scripted",
            "--skip-permissions-unsafe",
            "{prompt}",
        ],
        env: &[("FACTORY_API_KEY", "fk-{key}")],
        files: &[
            (
                ".factory/settings.json",
                r#"{"customModels": [{"model": "scripted", "displayName": "scripted", "baseUrl": "{url}/v1", "apiKey": "{key}",
  "provider": "generic-chat-completion-api", "maxOutputTokens": 8000}]}
"#,
            ),
            (
                ".factory/mcp.json",
                r#"{"mcpServers": {"fx": {"type": "stdio", "command": "node", "args": ["{mcp}"]}}}"#,
            ),
        ],
        agent_kind: "worker",
        ..AGENT
    },
];
