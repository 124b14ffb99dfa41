//! How Gemini CLI comes to call Waypost: `.gemini/settings.json`, for hooks and the MCP server.

use waypost_app::harness::{File, Folder, Role};

use super::FACTS;
use crate::harnesses::shape::hook::{CallForm, HookEvent, HookForm};
use crate::harnesses::shape::listed::Listed;

static FOLDER: Folder =
    Folder { key: "gemini", place: |ground| ground.root.join(".gemini"), within: None };

static ALL: [File; 1] = [File {
    key: "gemini-settings",
    role: Role::Either,
    lists_servers: true,
    place: |ground| ground.root.join(".gemini/settings.json"),
    folder: Some(&FOLDER),
    ignored_by: &[
        "/.gemini/settings.json",
        ".gemini/settings.json",
        "**/.gemini/settings.json",
        ".gemini",
        ".gemini/",
        "/.gemini",
        "/.gemini/",
        ".gemini/*",
        "/.gemini/*",
    ],
}];

static FORM: HookForm = HookForm {
    harness: FACTS.name,
    events: &[
        HookEvent::plain("SessionStart", 30),
        HookEvent::plain("BeforeAgent", 30),
        HookEvent::of_tools("BeforeTool", 30),
        HookEvent::of_tools("AfterTool", 30),
        HookEvent::plain("AfterAgent", 30),
        HookEvent::plain("SessionEnd", 5),
    ],
    call: CallForm::Line("command"),
    // The client puts the folder in, spelt as a shell reads it.
    wrapper: "$GEMINI_PROJECT_DIR/.waypost/hook",
    time: ("timeout", 1000),
    grouped: true,
    version: None,
    fields: &[],
};

pub(super) static FILES: Listed = Listed {
    files: &ALL,
    form: &FORM,
    off: (&["hooksConfig", "enabled"], false),
    disabled: &["hooksConfig", "disabled"],
    user_servers: |ground| ground.folder.join("settings.json"),
};
