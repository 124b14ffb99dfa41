//! What is known of Claude Code once and for all.

use waypost_app::harness::{Examples, Facts, Managed, Protected, Words};

/// How Waypost's commands and records call it.
pub(super) const NAME: &str = "claude-code";

pub(super) const FACTS: Facts = Facts {
    name: NAME,
    title: "Claude Code",
    conversations: &["CLAUDE_CODE_SESSION_ID"],
    reopens: Some("claude --resume"),
    project_dir: Some("CLAUDE_PROJECT_DIR"),
    markers: &["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID"],
    programs: &["claude"],
    packages: &[("@anthropic-ai/claude-code", "claude")],
    folder: ("CLAUDE_CONFIG_DIR", ".claude"),
    user_settings: "settings.json",
    protected: Protected {
        files: &[".claude/settings.json", ".claude/settings.local.json"],
        spelt: &[".claude/settings"],
        sign: ".claude",
    },
    managed: Some(Managed {
        file: "/etc/claude-code/managed-settings.json",
        parts: "/etc/claude-code/managed-settings.d",
    }),
    events: &[
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "Stop",
        "SubagentStop",
        "TaskCompleted",
        "TeammateIdle",
        "ConfigChange",
        "SessionEnd",
    ],
    skills: Some(".claude/skills/**"),
    words: Words {
        reading: "Read",
        hooks_off: "disableAllHooks",
        servers_off: "disabledMcpjsonServers",
    },
    examples: Examples {
        status_line: "  In Claude Code's settings.json:\n    \
            \"statusLine\": { \"type\": \"command\", \"command\": \"waypost statusline\" }",
        server: "  claude mcp add waypost -- waypost mcp          for Claude Code",
    },
    without_waypost: include_str!("without_waypost.sh"),
};
