//! What is known of each harness once and for all, a row each. The long lists of one are in its own module.

mod claude_code;

use waypost_app::harness::{Calls, Examples, Facts, Fails, Managed, Protected, Reach, Words};

/// Anthropic's Claude Code.
pub(super) const CLAUDE_CODE: Facts = Facts {
    name: "claude-code",
    title: "Claude Code",
    conversations: &["CLAUDE_CODE_SESSION_ID"],
    call_key: Some("claudecode/toolUseId"),
    reopens: Some("claude --resume"),
    project_dir: Some("CLAUDE_PROJECT_DIR"),
    calls: Calls::Socket,
    calls_bare: None,
    markers: &["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID"],
    rules_off: &["CLAUDE_SKIP_REQUIREMENTS"],
    requirements: Some(&claude_code::REQUIREMENTS),
    programs: &["claude"],
    packages: &[("@anthropic-ai/claude-code", "claude")],
    folder: ("CLAUDE_CONFIG_DIR", ".claude"),
    user_settings: "settings.json",
    protected: Protected {
        files: &[".claude/settings.json", ".claude/settings.local.json"],
        spelt: &[".claude/settings", ".claude/plugins", ".claude.json", "claude-code/managed"],
        sign: ".claude",
        at_home: &[".claude.json"],
        code: claude_code::CODE,
    },
    switches: claude_code::SWITCHES,
    managed: Some(Managed {
        file: "/etc/claude-code/managed-settings.json",
        parts: "/etc/claude-code/managed-settings.d",
    }),
    reach: Reach {
        version: "2.1.325",
        denies: "`permissionDecision: \"deny\"` with the reason, which the agent reads",
        holds: Some("`decision: \"block\"` on Stop; the ninth in a row is overridden"),
        context: "`additionalContext` at start, prompts, tools and subagents",
        fails: Fails::Closed,
        unit: "s",
        hooks_in: &[
            ".claude/settings.local.json",
            ".claude/settings.json",
            "~/.claude/settings.json",
        ],
        servers_in: &[".mcp.json", "~/.claude.json"],
        trust: None,
        gaps: &[],
    },
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
    without_waypost: include_str!("claude_code/without_waypost.sh"),
};
