//! How Copilot CLI comes to call Waypost: a file of its own in `.github/hooks`, and `.mcp.json` for the MCP server.

use waypost_app::harness::{File, Folder, Role};

use super::FACTS;
use crate::harnesses::shape::hook::{CallForm, HookEvent, HookForm};
use crate::harnesses::shape::listed::Listed;

static FOLDER: Folder = Folder {
    key: "copilot-hooks",
    place: |ground| ground.root.join(".github/hooks"),
    within: Some(&GITHUB),
};

static GITHUB: Folder =
    Folder { key: "copilot", place: |ground| ground.root.join(".github"), within: None };

static ALL: [File; 2] = [
    File {
        key: "copilot-hooks",
        role: Role::Either,
        lists_servers: false,
        place: |ground| ground.root.join(".github/hooks/waypost.json"),
        folder: Some(&FOLDER),
        ignored_by: &[
            "/.github/hooks/waypost.json",
            ".github/hooks/waypost.json",
            "**/.github/hooks/waypost.json",
            ".github/hooks",
            ".github/hooks/",
            "/.github/hooks",
            "/.github/hooks/",
        ],
    },
    File {
        // The file is another client's too.
        key: "servers",
        role: Role::Servers,
        lists_servers: false,
        place: |ground| ground.root.join(".mcp.json"),
        folder: None,
        ignored_by: &["/.mcp.json", ".mcp.json", "**/.mcp.json"],
    },
];

static FORM: HookForm = HookForm {
    harness: FACTS.name,
    events: &[
        HookEvent::plain("SessionStart", 30),
        HookEvent::plain("UserPromptSubmit", 30),
        HookEvent::plain("PreToolUse", 30),
        HookEvent::plain("PostToolUse", 30),
        HookEvent::plain("PostToolUseFailure", 30),
        HookEvent::plain("Stop", 30),
        HookEvent::plain("SubagentStop", 30),
        HookEvent::plain("PreCompact", 30),
        HookEvent::plain("SessionEnd", 5),
    ],
    call: CallForm::Line("command"),
    wrapper: "\"$COPILOT_PROJECT_DIR\"/.waypost/hook",
    time: ("timeoutSec", 1),
    grouped: false,
    version: Some(1),
    fields: &[],
};

pub(super) static FILES: Listed = Listed {
    files: &ALL,
    form: &FORM,
    off: (&["disableAllHooks"], true),
    disabled: &[],
    user_servers: |ground| ground.folder.join("mcp-config.json"),
};
