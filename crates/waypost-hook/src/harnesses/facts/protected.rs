//! The files of each harness that agents may not change.

use waypost_app::harness::{Code, Protected};

use super::claude_code;

const JSON: &[&str] = &[".json"];
const MODULES: &[&str] = &[".json", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"];

pub(super) const CLAUDE_CODE: Protected = Protected {
    files: &[".claude/settings.json", ".claude/settings.local.json"],
    spelt: &[".claude/settings", ".claude/plugins", ".claude.json", "claude-code/managed"],
    sign: ".claude",
    at_home: &[".claude.json"],
    code: claude_code::CODE,
};

pub(super) const GEMINI: Protected = Protected {
    files: &[".gemini/settings.json"],
    spelt: &[".gemini/settings", ".gemini/extensions", ".gemini/trusted", "/etc/gemini-cli"],
    sign: ".gemini",
    at_home: &[],
    code: Code { places: &[".gemini/extensions/**"], endings: JSON, ..Code::NONE },
};

pub(super) const QWEN: Protected = Protected {
    files: &[".qwen/settings.json"],
    spelt: &[".qwen/settings", ".qwen/extensions", ".qwen/trusted"],
    sign: ".qwen",
    at_home: &[],
    code: Code { places: &[".qwen/extensions/**"], endings: JSON, ..Code::NONE },
};

pub(super) const COPILOT: Protected = Protected {
    files: &[
        ".github/hooks/waypost.json",
        ".github/copilot/settings.json",
        ".github/copilot/settings.local.json",
    ],
    spelt: &[
        ".github/hooks/waypost",
        ".github/copilot/settings",
        ".copilot/hooks",
        ".copilot/settings",
        ".copilot/config",
        ".copilot/installed-plugins",
    ],
    sign: ".github",
    at_home: &[],
    code: Code {
        places: &[
            ".copilot/extensions/**",
            ".copilot/installed-plugins/**",
            // A hook that runs later may rewrite what Waypost has looked at.
            ".github/hooks/**",
        ],
        endings: MODULES,
        ..Code::NONE
    },
};

pub(super) const OPENCODE: Protected = Protected {
    files: &[".opencode/plugin/waypost.js"],
    spelt: &[".opencode/plugin", ".config/opencode/plugin"],
    sign: "opencode",
    at_home: &[],
    code: Code {
        places: &[
            "opencode/plugin/**",
            "opencode/plugins/**",
            "opencode/tool/**",
            "opencode/tools/**",
            ".opencode/plugin/**",
            ".opencode/plugins/**",
            ".opencode/tool/**",
            ".opencode/tools/**",
        ],
        endings: MODULES,
        ..Code::NONE
    },
};

pub(super) const CURSOR: Protected = Protected {
    files: &[".cursor/hooks.json"],
    spelt: &[".cursor/hooks", "/etc/cursor"],
    sign: ".cursor",
    at_home: &[],
    code: Code::NONE,
};

pub(super) const CODEX: Protected = Protected {
    files: &[".codex/hooks.json", ".codex/config.toml"],
    spelt: &[".codex/hooks", ".codex/config", "codex/requirements.toml"],
    sign: ".codex",
    at_home: &["config.toml", "hooks.json"],
    code: Code::NONE,
};

pub(super) const GENERIC: Protected =
    Protected { files: &[], spelt: &[], sign: "waypost/generic", at_home: &[], code: Code::NONE };
