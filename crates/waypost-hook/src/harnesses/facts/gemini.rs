//! Gemini CLI, and Qwen Code, which began as a copy of it: rows of the facts.

use waypost_app::harness::{Calls, Code, Examples, Facts, Fails, Protected, Reach, Words};

use super::{JSON, switches};

/// Google's Gemini CLI.
pub(in crate::harnesses) const GEMINI: Facts = Facts {
    name: "gemini",
    title: "Gemini CLI",
    // Only hooks are told; servers and commands are found by their ancestors.
    conversations: &["GEMINI_SESSION_ID"],
    conversation_key: None,
    call_key: None,
    reopens: Some("gemini --resume"),
    project_dir: Some("GEMINI_PROJECT_DIR"),
    calls: Calls::Socket,
    calls_bare: None,
    markers: &["GEMINI_CLI"],
    rules_off: &[],
    requirements: None,
    programs: &["gemini"],
    packages: &[("@google/gemini-cli", "gemini")],
    folder: ("GEMINI_CLI_HOME", ".gemini"),
    user_settings: "settings.json",
    protected: Protected {
        files: &[".gemini/settings.json"],
        spelt: &[".gemini/settings", ".gemini/extensions", ".gemini/trusted", "/etc/gemini-cli"],
        sign: ".gemini",
        at_home: &[],
        code: Code { places: &[".gemini/extensions/**"], endings: JSON, ..Code::NONE },
    },
    switches: switches::GEMINI,
    managed: None,
    reach: Reach {
        version: "0.61.0",
        denies: "`decision: \"deny\"` with the reason, which the agent reads",
        holds: Some(
            "`decision: \"deny\"` on AfterAgent, whose reason is the next prompt; any number in a row",
        ),
        context: "`additionalContext` at start, with prompts and after tools",
        fails: Fails::Open,
        unit: "ms",
        hooks_in: &[".gemini/settings.json", "~/.gemini/settings.json"],
        servers_in: &[".gemini/settings.json", "~/.gemini/settings.json"],
        trust: Some("trust the folder, where trusted folders are switched on"),
        gaps: &[
            "deny a tool whose hook takes longer than its timeout, or says nothing",
            "tell which of two equal calls that run at the same time ended",
            "tell subagents' calls from those of the agent",
            "tell an agent something before a tool runs: the user is shown it",
            "tell when a conversation is shortened",
            "let the project's git hooks run for commands of the agent: it switches them off",
        ],
    },
    events: &["SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "SessionEnd"],
    skills: Some(".gemini/skills/**"),
    words: Words {
        reading: "read_file",
        hooks_off: "hooksConfig.enabled",
        servers_off: "mcp.excluded",
    },
    examples: Examples {
        status_line: "",
        server: "  gemini mcp add waypost waypost mcp              for Gemini CLI",
    },
    without_waypost: include_str!("../gemini/without_waypost.sh"),
};

/// Alibaba's Qwen Code.
pub(in crate::harnesses) const QWEN: Facts = Facts {
    name: "qwen",
    title: "Qwen Code",
    conversations: &["QWEN_CODE_SESSION_ID"],
    conversation_key: None,
    call_key: None,
    reopens: Some("qwen --resume"),
    project_dir: Some("QWEN_PROJECT_DIR"),
    calls: Calls::Socket,
    calls_bare: None,
    markers: &["QWEN_CODE"],
    rules_off: &[],
    requirements: None,
    programs: &["qwen"],
    packages: &[("@qwen-code/qwen-code", "qwen")],
    folder: ("QWEN_HOME", ".qwen"),
    user_settings: "settings.json",
    protected: Protected {
        files: &[".qwen/settings.json"],
        spelt: &[".qwen/settings", ".qwen/extensions", ".qwen/trusted"],
        sign: ".qwen",
        at_home: &[],
        code: Code { places: &[".qwen/extensions/**"], endings: JSON, ..Code::NONE },
    },
    switches: switches::QWEN,
    managed: None,
    reach: Reach {
        version: "0.24.4",
        denies: "`permissionDecision: \"deny\"` with the reason, which the agent reads",
        holds: Some(
            "`decision: \"block\"` on Stop, whose reason is the next prompt; the eighth in a row is overridden",
        ),
        context: "`additionalContext` at start, with prompts, after tools and for subagents",
        fails: Fails::Open,
        unit: "ms",
        hooks_in: &[".qwen/settings.json", "~/.qwen/settings.json"],
        servers_in: &[".qwen/settings.json", "~/.qwen/settings.json"],
        trust: Some("trust the folder, where trusted folders are switched on"),
        gaps: &[
            "deny a tool whose hook is missing, crashes or takes longer than its timeout",
            "tell subagents' calls from those of the agent",
            "tell an agent something before a tool runs, or the user but where a turn ends",
        ],
    },
    events: &[
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "Stop",
        "SubagentStop",
        "SessionEnd",
    ],
    skills: Some(".qwen/skills/**"),
    words: Words {
        reading: "read_file",
        hooks_off: "disableAllHooks",
        servers_off: "mcp.excluded",
    },
    examples: Examples {
        status_line: "",
        server: "  qwen mcp add waypost waypost mcp                for Qwen Code",
    },
    without_waypost: "",
};
