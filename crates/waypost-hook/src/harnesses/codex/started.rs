//! When and where a conversation began, by the beginning of its transcript.

use std::path::PathBuf;

use serde::Deserialize;
use waypost_app::harness::Transcript;
use waypost_core::time::Timestamp;

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: String,
    payload: Payload,
}

#[derive(Deserialize)]
struct Payload {
    id: Option<String>,
    timestamp: Option<String>,
    cwd: Option<PathBuf>,
    thread_source: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    role: Option<String>,
}

impl Payload {
    /// Whether a model answered.
    fn answers(&self) -> bool {
        self.role.as_deref() == Some("assistant")
            || self.kind.as_deref().is_some_and(|kind| kind.ends_with("_call"))
    }
}

/// What the beginning of a file tells; none of a subagent's, and of one in which nothing was answered.
pub(super) fn read(name: &str, head: &[u8]) -> Option<Transcript> {
    if !name.starts_with("rollout-") {
        return None;
    }
    let text = String::from_utf8_lossy(head);
    let mut lines = text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
    let first = lines.next().filter(|line| line.kind == "session_meta")?.payload;
    if first.thread_source.as_deref().is_some_and(|source| source != "user") {
        return None;
    }
    let answered = lines.any(|line| line.kind == "response_item" && line.payload.answers());
    let (id, folder) = (first.id?, first.cwd?);
    let began = Timestamp::lenient(first.timestamp.as_deref()?)?;
    answered.then_some(Transcript { conversation: id.parse().ok()?, began, folder })
}

#[cfg(test)]
mod tests {
    use super::*;

    const META: &str = r#"{"timestamp":"2026-11-19T23:34:04.518Z","ordinal":0,"type":"session_meta","payload":{"session_id":"01a1f628-ff72","id":"01a1f628-ff72","timestamp":"2026-11-19T23:34:04.405Z","cwd":"/p","source":"exec","thread_source":"user"}}"#;
    const CALL: &str = r#"{"timestamp":"2026-11-19T23:34:05.518Z","type":"response_item","payload":{"type":"function_call","name":"exec_command"}}"#;

    #[test]
    fn a_transcript_tells_when_and_where_a_conversation_began_that_was_answered() {
        let name = "rollout-2026-11-19T23-34-04-01a1f628-ff72.jsonl";
        let told = read(name, format!("{META}\n{CALL}\n{{\"type\":").as_bytes()).unwrap();
        assert_eq!(told.began.to_string(), "2026-11-19T23:34:04.405Z");
        assert_eq!(told.conversation.as_str(), "01a1f628-ff72");
        assert_eq!(told.folder, PathBuf::from("/p"));
        assert_eq!(read(name, META.as_bytes()), None, "nothing was answered");
        let subagent = META.replace("\"user\"", "\"subagent\"");
        assert_eq!(read(name, format!("{subagent}\n{CALL}").as_bytes()), None);
        assert_eq!(read("notes.jsonl", format!("{META}\n{CALL}").as_bytes()), None);
        assert_eq!(read(name, b"no json"), None);
    }
}
