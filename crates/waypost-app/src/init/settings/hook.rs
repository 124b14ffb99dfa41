//! Waypost's hooks: which events, with what command, and how one of them is known again.

use std::path::Path;

use jsonc_parser::cst::{CstArray, CstInputValue, CstObject};
use jsonc_parser::json;

use crate::document::is_bare;

/// Which of Waypost's two registrations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::init) enum Form<'a> {
    /// This program by its path, for the local settings.
    Local(&'a str),
    /// The project's wrapper, for everyone's settings.
    Shared,
}

/// An event to be told about.
pub(super) struct Event {
    pub(super) name: &'static str,
    timeout: u32,
    has_matcher: bool,
    /// Whether a hook that cannot answer stops the tool.
    blocks: bool,
}

pub(super) const EVENTS: [Event; 11] = [
    Event { name: "SessionStart", timeout: 30, has_matcher: false, blocks: false },
    Event { name: "UserPromptSubmit", timeout: 30, has_matcher: false, blocks: false },
    Event { name: "PreToolUse", timeout: 30, has_matcher: true, blocks: true },
    Event { name: "PostToolUse", timeout: 30, has_matcher: true, blocks: false },
    Event { name: "PostToolUseFailure", timeout: 30, has_matcher: true, blocks: false },
    Event { name: "Stop", timeout: 30, has_matcher: false, blocks: false },
    Event { name: "UserPromptExpansion", timeout: 30, has_matcher: false, blocks: false },
    Event { name: "SubagentStart", timeout: 30, has_matcher: false, blocks: false },
    Event { name: "SubagentStop", timeout: 30, has_matcher: false, blocks: false },
    Event { name: "PreCompact", timeout: 30, has_matcher: false, blocks: false },
    // Without a timeout of its own it would be killed after 1.5 s.
    Event { name: "SessionEnd", timeout: 5, has_matcher: false, blocks: false },
];

const WRAPPER: &str = "${CLAUDE_PROJECT_DIR}/.waypost/hook";
const HARNESS: &str = "claude-code";

/// One of Waypost's hooks.
pub(crate) struct Found {
    pub(crate) event: String,
    pub(crate) command: String,
    pub(crate) args: Vec<String>,
    pub(super) group: CstObject,
    pub(super) list: CstArray,
    pub(crate) entry: CstObject,
}

impl<'a> Form<'a> {
    pub(super) fn exe(self) -> Option<&'a str> {
        match self {
            Self::Local(exe) => Some(exe),
            Self::Shared => None,
        }
    }

    fn command(self) -> &'a str {
        self.exe().unwrap_or(WRAPPER)
    }

    fn args(self) -> Vec<&'static str> {
        match self {
            Self::Local(_) => vec!["hook", HARNESS],
            Self::Shared => vec![HARNESS],
        }
    }

    pub(super) fn is(self, found: &Found) -> bool {
        found.args == self.args()
    }

    /// Everyone's hooks never block: the wrapper may be missing in an older checkout.
    fn blocks(self, event: &Event) -> bool {
        event.blocks && matches!(self, Self::Local(_))
    }
}

impl Found {
    /// Whether it sees some tools or starts only.
    pub(crate) fn is_narrow(&self) -> bool {
        let matcher = self.group.get("matcher").and_then(|property| property.value());
        let text = matcher.map(|value| value.as_string_lit()?.decoded_value().ok());
        text.is_some_and(|text| !matches!(text.as_deref(), Some("" | "*")))
    }

    /// Puts the command right and adds what an older version left out. What the user set stays.
    pub(super) fn update(&self, form: Form, event: &Event) {
        if self.command != form.command()
            && let Some(property) = self.entry.get("command")
        {
            property.set_value(form.command().into());
        }
        if self.entry.get("timeout").is_none() {
            self.entry.append("timeout", event.timeout.into());
        }
        if form.blocks(event) && self.entry.get("onFailure").is_none() {
            self.entry.append("onFailure", "block".into());
        }
    }

    pub(super) fn take_out(self) {
        self.entry.remove();
        if is_bare(&self.list.into()) {
            self.group.remove();
        }
    }
}

pub(super) fn new_group(form: Form, event: &Event) -> CstInputValue {
    let args = form.args().into_iter().map(CstInputValue::from).collect();
    let mut hook = vec![
        ("type".to_owned(), "command".into()),
        ("command".to_owned(), form.command().into()),
        ("args".to_owned(), CstInputValue::Array(args)),
        ("timeout".to_owned(), event.timeout.into()),
    ];
    if form.blocks(event) {
        hook.push(("onFailure".to_owned(), "block".into()));
    }
    let hook = CstInputValue::Object(hook);
    if event.has_matcher {
        json!({ "matcher": "*", "hooks": [hook] })
    } else {
        json!({ "hooks": [hook] })
    }
}

pub(super) fn is_ours(command: &str, args: &[String], exe: Option<&str>) -> bool {
    let is_local = is_program(command, exe) && args == ["hook", HARNESS];
    is_local || (command == WRAPPER && args == [HARNESS])
}

/// Whether a command starts Waypost. A program under another name does if it is `exe`.
pub(in crate::init) fn is_program(command: &str, exe: Option<&str>) -> bool {
    let name = Path::new(command).file_name().and_then(|name| name.to_str());
    name == Some("waypost") || exe == Some(command)
}
