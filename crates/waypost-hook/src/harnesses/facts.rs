//! What is known of each harness once and for all, a row each. The long lists of one are in its own module.

mod claude_code;
mod codex;
mod protected;
mod switches;

use waypost_app::harness::{
    Calls, Code, Examples, Facts, Fails, Managed, Protected, Reach, Switches, Words,
};

/// What most of them have nothing of. The rest each says itself.
const USUAL: Facts = Facts {
    name: "",
    title: "",
    conversations: &[],
    call_key: None,
    conversation_key: None,
    reopens: None,
    project_dir: None,
    calls: Calls::Unknown,
    calls_bare: None,
    markers: &[],
    rules_off: &[],
    requirements: None,
    programs: &[],
    packages: &[],
    folder: ("", ""),
    user_settings: "",
    protected: Protected {
        files: &[],
        spelt: &[],
        sign: "waypost",
        at_home: &[],
        code: Code::NONE,
    },
    switches: Switches::NONE,
    managed: None,
    reach: REACH,
    events: &[],
    skills: None,
    words: Words { reading: "", hooks_off: "", servers_off: "" },
    examples: Examples { status_line: "", server: "" },
    without_waypost: "",
};

const REACH: Reach = Reach {
    version: "",
    denies: "",
    holds: None,
    context: "",
    fails: Fails::Open,
    unit: "s",
    hooks_in: &[],
    servers_in: &[],
    trust: None,
    gaps: &[],
};

/// Anthropic's Claude Code.
pub(super) const CLAUDE_CODE: Facts = Facts {
    name: "claude-code",
    title: "Claude Code",
    conversations: &["CLAUDE_CODE_SESSION_ID"],
    call_key: Some("claudecode/toolUseId"),
    reopens: Some("claude --resume"),
    project_dir: Some("CLAUDE_PROJECT_DIR"),
    calls: Calls::Socket,
    markers: &["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID"],
    rules_off: &["CLAUDE_SKIP_REQUIREMENTS"],
    requirements: Some(&claude_code::REQUIREMENTS),
    programs: &["claude"],
    packages: &[("@anthropic-ai/claude-code", "claude")],
    folder: ("CLAUDE_CONFIG_DIR", ".claude"),
    user_settings: "settings.json",
    protected: protected::CLAUDE_CODE,
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
        hooks_in: &[
            ".claude/settings.local.json",
            ".claude/settings.json",
            "~/.claude/settings.json",
        ],
        servers_in: &[".mcp.json", "~/.claude.json"],
        ..REACH
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
    ..USUAL
};

/// Google's Gemini CLI.
pub(super) const GEMINI: Facts = Facts {
    name: "gemini",
    title: "Gemini CLI",
    // Only hooks are told; servers and commands are found by their ancestors.
    conversations: &["GEMINI_SESSION_ID"],
    reopens: Some("gemini --resume"),
    project_dir: Some("GEMINI_PROJECT_DIR"),
    calls: Calls::Socket,
    markers: &["GEMINI_CLI"],
    programs: &["gemini"],
    packages: &[("@google/gemini-cli", "gemini")],
    folder: ("GEMINI_CLI_HOME", ".gemini"),
    user_settings: "settings.json",
    protected: protected::GEMINI,
    switches: switches::GEMINI,
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
    without_waypost: include_str!("gemini/without_waypost.sh"),
    ..USUAL
};

/// Alibaba's Qwen Code.
pub(super) const QWEN: Facts = Facts {
    name: "qwen",
    title: "Qwen Code",
    conversations: &["QWEN_CODE_SESSION_ID"],
    reopens: Some("qwen --resume"),
    project_dir: Some("QWEN_PROJECT_DIR"),
    calls: Calls::Socket,
    markers: &["QWEN_CODE"],
    programs: &["qwen"],
    packages: &[("@qwen-code/qwen-code", "qwen")],
    folder: ("QWEN_HOME", ".qwen"),
    user_settings: "settings.json",
    protected: protected::QWEN,
    switches: switches::QWEN,
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
    ..USUAL
};

/// GitHub's Copilot CLI.
pub(super) const COPILOT: Facts = Facts {
    name: "copilot",
    title: "Copilot CLI",
    // Servers and commands are told; hooks are not, and read it from their input.
    conversations: &["COPILOT_AGENT_SESSION_ID"],
    reopens: Some("copilot --resume"),
    project_dir: Some("COPILOT_PROJECT_DIR"),
    calls: Calls::Pipe,
    calls_bare: Some("COPILOT_PROJECT_DIR"),
    markers: &["COPILOT_AGENT_SESSION_ID", "COPILOT_AGENT"],
    programs: &["copilot"],
    packages: &[("@github/copilot", "copilot")],
    folder: ("COPILOT_HOME", ".copilot"),
    user_settings: "settings.json",
    protected: protected::COPILOT,
    switches: switches::COPILOT,
    reach: Reach {
        version: "1.0.102",
        denies: "`permissionDecision: \"deny\"` with the reason, which the agent reads",
        holds: Some("`decision: \"block\"` on Stop; after eight in a row the turn ends"),
        context: "`additionalContext` at start, with prompts and tools",
        fails: Fails::Closed,
        hooks_in: &[
            ".github/hooks/*.json",
            ".github/copilot/settings.json",
            ".claude/settings.json",
            ".claude/settings.local.json",
            "~/.copilot/hooks/*.json",
        ],
        servers_in: &[".mcp.json", "~/.copilot/mcp-config.json"],
        trust: Some(
            "trust the folder when it asks; for one run, say `--trust-folder` with `-p`, or set `COPILOT_ALLOW_ALL=true`; it \
             skips hooks of a folder that nobody trusts without a word",
        ),
        gaps: &[
            "deny a tool whose hook takes longer than its timeout",
            "tell which of two equal calls that run at the same time ended",
            "tell what still runs in the background when a turn ends",
            "tell the user something",
        ],
        ..REACH
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
    skills: Some(".github/skills/**"),
    words: Words {
        reading: "view",
        hooks_off: "disableAllHooks",
        servers_off: "disabledMcpServers",
    },
    examples: Examples {
        status_line: "",
        server: "  copilot mcp add waypost -- waypost mcp          for Copilot CLI",
    },
    without_waypost: include_str!("copilot/without_waypost.sh"),
    ..USUAL
};

/// SST's OpenCode.
pub(super) const OPENCODE: Facts = Facts {
    name: "opencode",
    title: "OpenCode",
    // The plugin sets it for commands; servers are found by their ancestors.
    conversations: &["WAYPOST_OPENCODE_SESSION"],
    reopens: Some("opencode --session"),
    calls: Calls::Socket,
    markers: &["OPENCODE", "OPENCODE_PID"],
    programs: &["opencode"],
    packages: &[("opencode-ai", "opencode")],
    folder: ("OPENCODE_CONFIG_DIR", ".config/opencode"),
    user_settings: "opencode.json",
    protected: protected::OPENCODE,
    switches: switches::OPENCODE,
    reach: Reach {
        version: "1.18.33",
        denies: "the plugin throws the reason, which the agent reads",
        holds: Some("the plugin sends the reason as a prompt before the turn is over"),
        context: "with prompts and after tools",
        fails: Fails::Closed,
        unit: "ms",
        hooks_in: &[".opencode/plugin/waypost.js"],
        servers_in: &["opencode.json", "~/.config/opencode/opencode.json"],
        gaps: &[
            "be kept from starting without its plugins: a start with `--pure` is not watched",
            "say that a plugin did not load: tools then run unwatched, and `waypost doctor` sees no calls",
            "tell an agent something before a tool runs: it reads that with the result",
            "prove who calls when a turn ends, which counts for nothing but that",
        ],
        ..REACH
    },
    events: &[
        "session.created",
        "chat.message",
        "tool.execute.before",
        "tool.execute.after",
        "tool.execute.failed",
        "session.idle",
        "dispose",
    ],
    skills: Some(".opencode/skills/**"),
    words: Words { reading: "read", hooks_off: "--pure", servers_off: "enabled: false" },
    ..USUAL
};

/// Anysphere's Cursor.
pub(super) const CURSOR: Facts = Facts {
    name: "cursor",
    title: "Cursor",
    conversations: &["CURSOR_CONVERSATION_ID"],
    reopens: Some("cursor-agent --resume"),
    project_dir: Some("CURSOR_PROJECT_DIR"),
    calls: Calls::Unknown,
    calls_bare: Some("CURSOR_PROJECT_DIR"),
    markers: &["CURSOR_AGENT", "CURSOR_CONVERSATION_ID"],
    // Not the editor: people work in its terminals.
    programs: &["cursor-agent"],
    folder: ("CURSOR_CONFIG_DIR", ".cursor"),
    user_settings: "hooks.json",
    protected: protected::CURSOR,
    switches: switches::CURSOR,
    reach: Reach {
        version: "SDK 1.0.32",
        denies: "`permission: \"deny\"` with the reason, which the agent reads",
        holds: Some("`followup_message`: the turn ends, and the reason is sent as the next prompt"),
        context: "`additional_context` at start, with prompts and tools, up to 10,000 characters",
        fails: Fails::Closed,
        hooks_in: &[
            ".cursor/hooks.json",
            "~/.cursor/hooks.json",
            ".claude/settings.json",
            ".claude/settings.local.json",
            "~/.claude/settings.json",
        ],
        servers_in: &[".cursor/mcp.json", "~/.cursor/mcp.json"],
        gaps: &[
            "keep a turn from ending: it can only be followed by another",
            "prove that a call of the hook is its own, so that what hooks see counts as reported: \
             `waypost run` proves what a gate asks for",
            "tell what is typed into a command that already runs",
            "tell the user something but through the agent",
        ],
        ..REACH
    },
    events: &[
        "sessionStart",
        "beforeSubmitPrompt",
        "preToolUse",
        "beforeMCPExecution",
        "postToolUse",
        "afterMCPExecution",
        "postToolUseFailure",
        "stop",
        "sessionEnd",
    ],
    skills: Some(".cursor/skills/**"),
    words: Words { reading: "Read", hooks_off: "", servers_off: "" },
    without_waypost: include_str!("cursor/without_waypost.sh"),
    ..USUAL
};

/// How files end that name code of others, and files that are such code.
/// OpenAI's Codex.
pub(super) const CODEX: Facts = Facts {
    name: "codex",
    title: "Codex",
    conversations: &["CODEX_THREAD_ID", "CODEX_SESSION_ID"],
    call_key: Some("callId"),
    conversation_key: Some("threadId"),
    reopens: Some("codex resume"),
    calls: Calls::Pipe,
    markers: &[
        "CODEX_CI",
        "CODEX_SANDBOX",
        "CODEX_SANDBOX_NETWORK_DISABLED",
        "CODEX_SESSION_ID",
        "CODEX_THREAD_ID",
        "CODEX_TOOL_CALL_ID",
    ],
    programs: &["codex"],
    packages: &[("@openai/codex", "codex")],
    folder: ("CODEX_HOME", ".codex"),
    user_settings: "hooks.json",
    protected: protected::CODEX,
    switches: codex::SWITCHES,
    reach: Reach {
        version: "0.169.0",
        denies: "`permissionDecision: \"deny\"` with the reason, which the agent reads",
        holds: Some("`decision: \"block\"` on Stop, as often as it is said"),
        context: "`additionalContext` at start, prompts, tools and subagents",
        fails: Fails::Open,
        hooks_in: &[".codex/hooks.json", "$CODEX_HOME/hooks.json"],
        servers_in: &[".codex/config.toml", "$CODEX_HOME/config.toml"],
        trust: Some(
            "start it in the project, trust the folder, and trust the hooks when it asks (or in `/hooks`); \
             it skips hooks that nobody trusts without a word",
        ),
        gaps: &[
            "stop a tool whose hook fails or is too late",
            "show what is typed into a command that already runs",
        ],
        ..REACH
    },
    events: &[
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "Stop",
        "SubagentStop",
        "SessionEnd",
    ],
    skills: Some(".codex/skills/**"),
    words: Words { reading: "", hooks_off: "hooks", servers_off: "enabled" },
    examples: Examples {
        status_line: "",
        server: "  codex mcp add waypost -- waypost mcp           for Codex",
    },
    without_waypost: include_str!("codex/without_waypost.sh"),
    ..USUAL
};

/// Whatever speaks Waypost's own form.
pub(super) const GENERIC: Facts = Facts {
    name: "generic",
    title: "The generic adapter",
    conversations: &["WAYPOST_CONVERSATION"],
    call_key: Some("waypost/call"),
    conversation_key: Some("waypost/conversation"),
    calls: Calls::Pipe,
    markers: &["WAYPOST_AGENT", "WAYPOST_CONVERSATION"],
    programs: &[],
    folder: ("WAYPOST_GENERIC_HOME", ".config/waypost/generic"),
    user_settings: "settings.json",
    protected: protected::GENERIC,
    reach: Reach {
        version: "1",
        denies: "`decision: \"deny\"` with `reason`",
        holds: Some("`decision: \"deny\"` on `stop`, as often as the program asks"),
        context: "`context` for the agent and `message` for the user, on every event",
        fails: Fails::Open,
        unit: "",
        hooks_in: &[],
        servers_in: &[],
        gaps: &["tell whether the program does what it is told"],
        ..REACH
    },
    words: Words { reading: "a reading tool", hooks_off: "", servers_off: "" },
    without_waypost: "    printf '%s\\n' '{\"decision\":\"pass\"}'\n",
    ..USUAL
};
