//! Waypost's hooks: which events, with what command, and how one of them is known again.

use jsonc_parser::cst::{CstArray, CstInputValue, CstObject};
use jsonc_parser::json;
use waypost_app::documents::document::is_bare;
use waypost_app::harness::is_program;

use crate::harnesses::claude_code::facts::NAME;

/// Which of Waypost's two registrations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Written<'a> {
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

/// Never those of making and removing work trees: a hook there takes the place of what the client does itself.
pub(super) const EVENTS: [Event; 14] = [
    Event { name: "SessionStart", timeout: 30, has_matcher: false, blocks: false },
    Event { name: "UserPromptSubmit", timeout: 30, has_matcher: false, blocks: false },
    Event { name: "PreToolUse", timeout: 30, has_matcher: true, blocks: true },
    Event { name: "PostToolUse", timeout: 30, has_matcher: true, blocks: false },
    Event { name: "PostToolUseFailure", timeout: 30, has_matcher: true, blocks: false },
    Event { name: "Stop", timeout: 30, has_matcher: false, blocks: false },
    Event { name: "UserPromptExpansion", timeout: 30, has_matcher: false, blocks: false },
    Event { name: "SubagentStart", timeout: 30, has_matcher: false, blocks: false },
    Event { name: "SubagentStop", timeout: 30, has_matcher: false, blocks: false },
    Event { name: "TaskCompleted", timeout: 30, has_matcher: false, blocks: false },
    Event { name: "TeammateIdle", timeout: 30, has_matcher: false, blocks: false },
    Event { name: "ConfigChange", timeout: 30, has_matcher: false, blocks: false },
    Event { name: "PreCompact", timeout: 30, has_matcher: false, blocks: false },
    // Without a timeout of its own it would be killed after 1.5 s.
    Event { name: "SessionEnd", timeout: 5, has_matcher: false, blocks: false },
];

const WRAPPER: &str = "${CLAUDE_PROJECT_DIR}/.waypost/hook";

/// One of Waypost's hooks.
pub(in super::super) struct OurHook {
    pub(super) event: String,
    pub(super) command: String,
    pub(super) args: Vec<String>,
    pub(super) group: CstObject,
    pub(super) list: CstArray,
    pub(super) entry: CstObject,
}

impl<'a> Written<'a> {
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
            Self::Local(_) => vec!["hook", NAME],
            Self::Shared => vec![NAME],
        }
    }

    pub(super) fn is(self, found: &OurHook) -> bool {
        found.args == self.args()
    }

    /// Everyone's hooks never block: the wrapper may be missing in an older checkout.
    fn blocks(self, event: &Event) -> bool {
        event.blocks && matches!(self, Self::Local(_))
    }
}

impl OurHook {
    /// Whether it sees some tools or starts only.
    pub(super) fn is_narrow(&self) -> bool {
        let matcher = self.group.get("matcher").and_then(|property| property.value());
        let text = matcher.map(|value| value.as_string_lit()?.decoded_value().ok());
        text.is_some_and(|text| !matches!(text.as_deref(), Some("" | "*")))
    }

    /// Whether it is the registration that a team shares.
    pub(super) fn is_shared(&self) -> bool {
        self.args.len() == 1
    }

    /// Puts the command right and adds what an older version left out. What the user set stays.
    pub(super) fn update(&self, written: Written<'_>, event: &Event) {
        if self.command != written.command()
            && let Some(property) = self.entry.get("command")
        {
            property.set_value(written.command().into());
        }
        if self.entry.get("timeout").is_none() {
            self.entry.append("timeout", event.timeout.into());
        }
        if written.blocks(event) && self.entry.get("onFailure").is_none() {
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

pub(super) fn new_group(written: Written<'_>, event: &Event) -> CstInputValue {
    let args = written.args().into_iter().map(CstInputValue::from).collect();
    let mut hook = vec![
        ("type".to_owned(), "command".into()),
        ("command".to_owned(), written.command().into()),
        ("args".to_owned(), CstInputValue::Array(args)),
        ("timeout".to_owned(), event.timeout.into()),
    ];
    if written.blocks(event) {
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
    let is_local = is_program(command, exe) && args == ["hook", NAME];
    is_local || (command == WRAPPER && args == [NAME])
}
