//! How Cursor comes to call Waypost: `.cursor/hooks.json` for hooks, `.cursor/mcp.json` for the MCP server.

use waypost_app::harness::{File, Folder, Role};

use super::FACTS;
use crate::harnesses::shape::hook::{CallForm, HookEvent, HookForm, Says};
use crate::harnesses::shape::listed::Listed;

static FOLDER: Folder =
    Folder { key: "cursor", place: |ground| ground.root.join(".cursor"), within: None };

static ALL: [File; 2] = [
    File {
        key: "cursor-hooks",
        role: Role::Either,
        lists_servers: false,
        place: |ground| ground.root.join(".cursor/hooks.json"),
        folder: Some(&FOLDER),
        ignored_by: &[
            "/.cursor/hooks.json",
            ".cursor/hooks.json",
            "**/.cursor/hooks.json",
            ".cursor",
            ".cursor/",
            "/.cursor",
            "/.cursor/",
            ".cursor/*",
            "/.cursor/*",
        ],
    },
    File {
        key: "cursor-servers",
        role: Role::Servers,
        lists_servers: false,
        place: |ground| ground.root.join(".cursor/mcp.json"),
        folder: Some(&FOLDER),
        ignored_by: &[
            "/.cursor/mcp.json",
            ".cursor/mcp.json",
            "**/.cursor/mcp.json",
            ".cursor",
            ".cursor/",
            "/.cursor",
            "/.cursor/",
            ".cursor/*",
            "/.cursor/*",
        ],
    },
];

/// One whose fault stops the tool.
const fn blocking(name: &'static str) -> HookEvent {
    HookEvent { blocks: Some(("failClosed", Says::Yes)), ..HookEvent::plain(name, 30) }
}

static FORM: HookForm = HookForm {
    harness: FACTS.name,
    events: &[
        HookEvent::plain("sessionStart", 30),
        HookEvent::plain("beforeSubmitPrompt", 30),
        blocking("preToolUse"),
        blocking("beforeMCPExecution"),
        HookEvent::plain("postToolUse", 30),
        HookEvent::plain("afterMCPExecution", 30),
        HookEvent::plain("postToolUseFailure", 30),
        HookEvent::plain("subagentStart", 30),
        HookEvent::plain("subagentStop", 30),
        // How often is bounded by Waypost, and by what happens in between.
        HookEvent { also: Some(("loop_limit", Says::Nothing)), ..HookEvent::plain("stop", 30) },
        HookEvent::plain("preCompact", 30),
        HookEvent::plain("sessionEnd", 5),
    ],
    call: CallForm::Line("command"),
    // Hooks of a project run in its folder.
    wrapper: "./.waypost/hook",
    time: ("timeout", 1),
    grouped: false,
    version: Some(1),
    fields: &[],
};

pub(super) static FILES: Listed = Listed {
    files: &ALL,
    form: &FORM,
    off: (&[], true),
    disabled: &[],
    user_servers: |ground| ground.folder.join("mcp.json"),
};
