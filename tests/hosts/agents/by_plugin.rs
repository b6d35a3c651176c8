//! Agents that load a plugin, an extension or a script for each event.

use super::{AGENT, Agent, Source};

pub const AGENTS: &[Agent] = &[
    Agent {
        host: "opencode",
        source: Source::Npm("opencode-ai"),
        version: "1.18.33",
        program: ".bin/opencode",
        args: &["run", "--format", "json", "{prompt}"],
        env: &[
            ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
            ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
            ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
            ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1"),
        ],
        files: &[
            (
                ".config/opencode/opencode.json",
                r#"{
  "autoupdate": false, "share": "disabled", "permission": {"*": "allow"},
  "model": "scripted/scripted", "small_model": "scripted/scripted", "enabled_providers": ["scripted"],
  "provider": {"scripted": {"npm": "@ai-sdk/openai-compatible", "name": "scripted",
    "options": {"baseURL": "{url}/v1", "apiKey": "{key}"},
    "models": {"scripted": {"name": "scripted", "tool_call": true, "limit": {"context": 100000, "output": 8000}}}}},
  "mcp": {"fx": {"type": "local", "command": ["node", "{mcp}"], "enabled": true}}
}
"#,
            ),
            // It installs this package at its start, and waits for it; what looks installed is left alone.
            (".config/opencode/package.json", r#"{"dependencies": {"@opencode-ai/plugin": "{version}"}}"#),
            (
                ".config/opencode/package-lock.json",
                r#"{"lockfileVersion": 3, "packages": {"": {"dependencies": {"@opencode-ai/plugin": "{version}"}}}}"#,
            ),
            (".config/opencode/node_modules/.keep", ""),
        ],
        agent_kind: "general",
        goes_on: false,
        ..AGENT
    },
    Agent {
        host: "kilo",
        source: Source::Npm("@kilocode/cli"),
        version: "7.7.7",
        program: ".bin/kilo",
        args: &["run", "--format", "json", "--auto", "{prompt}"],
        env: &[
            ("KILO_DISABLE_AUTOUPDATE", "1"),
            ("KILO_DISABLE_MODELS_FETCH", "1"),
            ("KILO_DISABLE_LSP_DOWNLOAD", "1"),
            ("KILO_DISABLE_DEFAULT_PLUGINS", "1"),
            ("KILO_DISABLE_TELEMETRY", "1"),
        ],
        files: &[
            (
                ".config/kilo/kilo.json",
                r#"{
  "autoupdate": false, "share": "disabled", "permission": {"*": "allow"},
  "model": "scripted/scripted", "small_model": "scripted/scripted", "enabled_providers": ["scripted"],
  "provider": {"scripted": {"npm": "@ai-sdk/openai-compatible", "name": "scripted",
    "options": {"baseURL": "{url}/v1", "apiKey": "{key}"},
    "models": {"scripted": {"name": "scripted", "tool_call": true, "limit": {"context": 100000, "output": 8000}}}}},
  "mcp": {"fx": {"type": "local", "command": ["node", "{mcp}"], "enabled": true}}
}
"#,
            ),
            (".config/kilo/package.json", r#"{"dependencies": {"@kilocode/plugin": "{version}"}}"#),
            (
                ".config/kilo/package-lock.json",
                r#"{"lockfileVersion": 3, "packages": {"": {"dependencies": {"@kilocode/plugin": "{version}"}}}}"#,
            ),
            (".config/kilo/node_modules/.keep", ""),
        ],
        agent_kind: "general",
        ..AGENT
    },
    Agent {
        host: "pi",
        source: Source::Npm("@earendil-works/pi-coding-agent"),
        version: "0.87.1",
        program: ".bin/pi",
        args: &[
            "-p",
            "{prompt}",
            "--provider",
            "scripted",
            "--model",
            "scripted",
            "--mode",
            "json",
            "--no-session",
        ],
        env: &[("PI_OFFLINE", "1"), ("PI_SKIP_VERSION_CHECK", "1")],
        files: &[
            (
                ".pi/agent/models.json",
                r#"{"providers": {"scripted": {"baseUrl": "{url}/v1", "apiKey": "{key}", "api": "openai-completions",
  "models": [{"id": "scripted", "name": "scripted", "contextWindow": 100000, "maxTokens": 8000}]}}}
"#,
            ),
            (".pi/agent/settings.json", r#"{"defaultProvider": "scripted", "defaultModel": "scripted"}"#),
        ],
        has_agents: false,
        has_mcp: false,
        ..AGENT
    },
    Agent {
        host: "cline",
        source: Source::Npm("cline"),
        version: "3.0.65",
        program: ".bin/cline",
        args: &["--json", "-P", "openai-compatible", "-m", "scripted", "--auto-approve", "true", "{prompt}"],
        env: &[("CLINE_TELEMETRY_DISABLED", "1")],
        files: &[(
            ".cline/data/settings/cline_mcp_settings.json",
            r#"{"mcpServers": {"fx": {"transportType": "stdio", "disabled": false, "autoApprove": [], "command": "node", "args": ["{mcp}"]}}}"#,
        )],
        prepare: &[&["auth", "-p", "openai-compatible", "-k", "{key}", "-m", "scripted", "-b", "{url}/v1"]],
        says_why_of_mcp: false,
        ..AGENT
    },
    Agent {
        host: "hermes",
        source: Source::PyPi("hermes-agent"),
        version: "0.19.0",
        program: "bin/hermes",
        args: &["-z", "{prompt}", "--accept-hooks", "--yolo"],
        env: &[
            ("OPENAI_API_KEY", "{key}"),
            ("OPENAI_BASE_URL", "{url}/v1"),
            ("HERMES_INFERENCE_PROVIDER", "custom"),
        ],
        files: &[(
            ".hermes/config.yaml",
            "model: {provider: custom, base_url: '{url}/v1', default: scripted, api_key: '{key}', context_length: 131072}\nmemory: {memory_enabled: false, user_profile_enabled: false}\napprovals: {mode: 'off'}\nmcp_servers:\n  fx: {command: node, args: ['{mcp}']}\n",
        )],
        ..AGENT
    },
];
