//! What Claude Code sends on standard input, in the shape that the real client was seen to use.

use std::path::Path;

use serde_json::{Value, json};

/// The file that the agent edits, and how.
pub(crate) const EDITED: &str = "src/greeting.rs";
pub(crate) const OLD: &str = "hello";
pub(crate) const NEW: &str = "good morning";
const WRITTEN: &str = "docs/notes.md";

/// One call of the hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    SessionStart,
    UserPromptSubmit,
    PreEdit,
    PreWrite,
    PreBash(&'static str),
    PreRead,
    PostEdit,
    PostBash(&'static str),
    Stop,
}

impl Event {
    /// What rows call it.
    pub(crate) fn name(self) -> String {
        let name = match self {
            Self::SessionStart => "SessionStart",
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::PreEdit => "PreToolUse Edit",
            Self::PreWrite => "PreToolUse Write",
            Self::PreBash(command) => {
                let program = command.split(' ').next().unwrap_or_default();
                return format!("PreToolUse Bash ({program})");
            }
            Self::PreRead => "PreToolUse Read",
            Self::PostEdit => "PostToolUse Edit, no event",
            Self::PostBash(_) => "PostToolUse Bash",
            Self::Stop => "Stop",
        };
        name.to_owned()
    }

    /// The bytes that the hook reads, for a conversation in `root`.
    pub(crate) fn input(self, conversation: &str, root: &Path) -> Vec<u8> {
        let mut input = json!({
            "session_id": conversation,
            "transcript_path": root.join(format!("{conversation}.jsonl")),
            "cwd": root,
            "prompt_id": "fa622763-3954-478d-9619-413814718a85",
            "permission_mode": "acceptEdits",
            "effort": { "level": "medium" },
        });
        if let (Some(input), Value::Object(own)) = (input.as_object_mut(), self.own_fields(root)) {
            input.extend(own);
        }
        input.to_string().into_bytes()
    }

    fn own_fields(self, root: &Path) -> Value {
        let edited = root.join(EDITED);
        let edit = json!({
            "file_path": edited, "old_string": OLD, "new_string": NEW, "replace_all": false,
        });
        match self {
            Self::SessionStart => json!({ "hook_event_name": "SessionStart", "source": "startup" }),
            Self::UserPromptSubmit => json!({
                "hook_event_name": "UserPromptSubmit", "prompt": "Make the greeting friendlier.",
            }),
            Self::Stop => json!({
                "hook_event_name": "Stop",
                "stop_hook_active": false,
                "last_assistant_message": "The greeting is friendlier now.",
                "background_tasks": [],
                "session_crons": [],
            }),
            Self::PreEdit => before("Edit", &edit, "edit"),
            Self::PreWrite => before(
                "Write",
                &json!({ "file_path": root.join(WRITTEN), "content": "# Notes\n\nNothing yet.\n" }),
                "write",
            ),
            Self::PreBash(command) => before("Bash", &json!({ "command": command }), "bash"),
            Self::PreRead => before("Read", &json!({ "file_path": edited }), "read"),
            Self::PostEdit => json!({
                "hook_event_name": "PostToolUse",
                "tool_name": "Edit",
                "tool_input": edit,
                "tool_response": {
                    "filePath": edited,
                    "oldString": OLD,
                    "newString": NEW,
                    "structuredPatch": [],
                    "userModified": false,
                    "replaceAll": false,
                },
                "tool_use_id": "toolu_edit",
                "duration_ms": 6,
            }),
            Self::PostBash(command) => json!({
                "hook_event_name": "PostToolUse",
                "tool_name": "Bash",
                "tool_input": { "command": command },
                "tool_response": {
                    "stdout": "test result: ok. 1 passed; 0 failed",
                    "stderr": "",
                    "interrupted": false,
                    "isImage": false,
                },
                "tool_use_id": "toolu_bash",
                "duration_ms": 6,
            }),
        }
    }
}

fn before(tool: &str, input: &Value, call: &str) -> Value {
    json!({
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": input,
        "tool_use_id": format!("toolu_{call}"),
    })
}
