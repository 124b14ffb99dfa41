//! What brings code of others into Claude Code, what silences its hooks, and the framework that its users may have.

use waypost_app::harness::{Code, Requirements, StartOnly, Switch, Switches, Takes};

/// The requirements framework, which is installed as a plugin, or by links in the folder of the user's settings.
pub(super) const REQUIREMENTS: Requirements = Requirements {
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
pub(super) const CODE: Code = Code {
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
pub(super) const SWITCHES: Switches = Switches {
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
