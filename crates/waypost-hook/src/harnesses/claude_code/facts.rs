//! What is known of Claude Code once and for all.

use waypost_app::harness::{
    Code, Examples, Facts, Managed, Protected, Requirements, StartOnly, Switch, Switches, Takes,
    Words,
};

/// How Waypost's commands and records call it.
pub(super) const NAME: &str = "claude-code";

pub(super) const FACTS: Facts = Facts {
    name: NAME,
    title: "Claude Code",
    conversations: &["CLAUDE_CODE_SESSION_ID"],
    call_key: Some("claudecode/toolUseId"),
    reopens: Some("claude --resume"),
    project_dir: Some("CLAUDE_PROJECT_DIR"),
    markers: &["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID"],
    rules_off: &["CLAUDE_SKIP_REQUIREMENTS"],
    requirements: Some(&REQUIREMENTS),
    programs: &["claude"],
    packages: &[("@anthropic-ai/claude-code", "claude")],
    folder: ("CLAUDE_CONFIG_DIR", ".claude"),
    user_settings: "settings.json",
    protected: Protected {
        files: &[".claude/settings.json", ".claude/settings.local.json"],
        spelt: &[".claude/settings", ".claude/plugins", ".claude.json", "claude-code/managed"],
        sign: ".claude",
        at_home: &[".claude.json"],
        code: CODE,
    },
    switches: SWITCHES,
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

/// The requirements framework, which is installed as a plugin, or by links in the folder of the user's settings.
const REQUIREMENTS: Requirements = Requirements {
    folder: ".claude",
    opted_out: ".rf-optout",
    strict_off: "RF_STRICT_OFF",
    plans_in: ".claude/plans",
    plans: &["**/.claude/plans/**", "**/docs/plans/**"],
    programs: &[
        "check-requirements.py",
        "handle-stop.py",
        "auto-satisfy-skills.py",
        "clear-single-use.py",
    ],
    plugin: "requirements-framework",
};

/// A folder among the skills that holds a plugin's manifest is a plugin.
const CODE: Code = Code {
    places: &[
        ".claude/plugins/**",
        ".claude/cowork_plugins/**",
        ".claude/skills/*/.claude-plugin/**",
    ],
    hooks: &[".claude/skills/*/hooks/**"],
    loaded: &[".claude/skills"],
    marks: &[".claude-plugin", "hooks/hooks.json"],
    modules_in: ("hooks/hooks.json", "modules"),
    installed: ("plugins/installed_plugins.json", "installPath"),
    endings: &[".json", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".wasm"],
};

/// What keeps hooks from firing, or brings a plugin whose code can. Most were seen to; some are in the client's own table
/// of options and were not tried.
const SWITCHES: Switches = Switches {
    options: &[
        Switch { name: "--bare", takes: Takes::Anything },
        Switch { name: "--safe-mode", takes: Takes::Anything },
        Switch { name: "--restricted", takes: Takes::Anything },
        Switch { name: "--plugin-dir", takes: Takes::Anything },
        Switch { name: "--plugin-dir-no-mcp", takes: Takes::Anything },
        Switch { name: "--plugin-url", takes: Takes::Anything },
        Switch { name: "--managed-settings", takes: Takes::Anything },
        Switch { name: "--cowork", takes: Takes::Anything },
        Switch { name: "--setting-sources", takes: Takes::AllOf(&["user", "project", "local"]) },
        Switch { name: "--settings", takes: Takes::Settings },
    ],
    commands: &[
        &["plugin", "install"],
        &["plugin", "i"],
        &["plugin", "enable"],
        &["plugin", "update"],
        &["plugin", "disable"],
        &["plugin", "uninstall"],
        &["plugin", "remove"],
        &["plugin", "init"],
        &["plugin", "new"],
        &["plugin", "marketplace", "add"],
        &["plugin", "marketplace", "update"],
        &["plugin", "marketplace", "remove"],
        &["plugin", "marketplace", "rm"],
        &["plugins", "install"],
        &["plugins", "i"],
        &["plugins", "enable"],
        &["plugins", "update"],
        &["plugins", "disable"],
        &["plugins", "uninstall"],
        &["plugins", "remove"],
        &["plugins", "init"],
        &["plugins", "new"],
        &["plugins", "marketplace", "add"],
        &["plugins", "marketplace", "update"],
        &["plugins", "marketplace", "remove"],
        &["plugins", "marketplace", "rm"],
    ],
    variables: &[
        "CLAUDE_CODE_SIMPLE",
        "CLAUDE_CODE_SAFE_MODE",
        "CLAUDE_CODE_RESTRICTED",
        "CLAUDE_CODE_PLUGIN_DIRS",
        "CLAUDE_CODE_PLUGIN_SEED_DIR",
        "CLAUDE_CODE_PLUGIN_CACHE_DIR",
        "CLAUDE_CODE_MANAGED_SETTINGS_PATH",
        "CLAUDE_CODE_REMOTE_SETTINGS_PATH",
    ],
    places: &["HOME", "CLAUDE_CONFIG_DIR"],
    settings: &["disableAllHooks", "enabledPlugins", "extraKnownMarketplaces"],
    variables_in: "env",
    start_only: Some(StartOnly {
        args: &["--init-only"],
        env: &[
            ("ANTHROPIC_BASE_URL", "http://127.0.0.1:9"),
            ("ANTHROPIC_API_KEY", "none"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("DISABLE_TELEMETRY", "1"),
            ("DISABLE_ERROR_REPORTING", "1"),
        ],
    }),
};
