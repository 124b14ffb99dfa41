//! How Qwen Code comes to call Waypost: `.qwen/settings.json`, for hooks and the MCP server.

use waypost_app::harness::{File, Folder, Role};

use super::FACTS;
use crate::harnesses::shape::hook::{CallForm, HookEvent, HookForm};
use crate::harnesses::shape::listed::Listed;

static FOLDER: Folder =
    Folder { key: "qwen", place: |ground| ground.root.join(".qwen"), within: None };

static ALL: [File; 1] = [File {
    key: "qwen-settings",
    role: Role::Either,
    lists_servers: true,
    place: |ground| ground.root.join(".qwen/settings.json"),
    folder: Some(&FOLDER),
    ignored_by: &[
        "/.qwen/settings.json",
        ".qwen/settings.json",
        "**/.qwen/settings.json",
        ".qwen",
        ".qwen/",
        "/.qwen",
        "/.qwen/",
        ".qwen/*",
        "/.qwen/*",
    ],
}];

static FORM: HookForm = HookForm {
    harness: FACTS.name,
    events: &[
        HookEvent::plain("SessionStart", 30),
        HookEvent::plain("UserPromptSubmit", 30),
        HookEvent::of_tools("PreToolUse", 30),
        HookEvent::of_tools("PostToolUse", 30),
        HookEvent::of_tools("PostToolUseFailure", 30),
        HookEvent::plain("Stop", 30),
        HookEvent::plain("SubagentStart", 30),
        HookEvent::plain("SubagentStop", 30),
        HookEvent::plain("PreCompact", 30),
        HookEvent::plain("SessionEnd", 5),
    ],
    call: CallForm::Line("command"),
    wrapper: "\"$QWEN_PROJECT_DIR\"/.waypost/hook",
    time: ("timeout", 1000),
    grouped: true,
    version: None,
    fields: &[],
};

pub(super) static FILES: Listed = Listed {
    files: &ALL,
    form: &FORM,
    off: (&["disableAllHooks"], true),
    disabled: &[],
    user_servers: |ground| ground.folder.join("settings.json"),
};
