//! What a subagent's work took, by Claude Code's own transcript of it. Tolerant: a line that says nothing of it is passed by.

use std::collections::BTreeMap;

use serde::Deserialize;
use waypost_core::event::AgentUsage;

#[derive(Deserialize)]
struct Line {
    message: Option<Message>,
}

#[derive(Deserialize)]
struct Message {
    id: Option<String>,
    usage: Option<Usage>,
}

#[derive(Deserialize, Default, Clone, Copy)]
#[serde(default)]
#[expect(clippy::struct_field_names, reason = "as the client names them")]
struct Usage {
    input_tokens: u64,
    output_tokens: u64,
    cache_read_input_tokens: u64,
    cache_creation_input_tokens: u64,
}

impl Usage {
    fn total(self) -> u64 {
        let parts = [
            self.input_tokens,
            self.output_tokens,
            self.cache_read_input_tokens,
            self.cache_creation_input_tokens,
        ];
        parts.into_iter().fold(0, u64::saturating_add)
    }
}

/// The tokens of all messages: each stands on several lines, which repeat what it used.
pub(super) fn of(transcript: &[u8]) -> AgentUsage {
    let mut messages: BTreeMap<String, u64> = BTreeMap::new();
    for line in transcript.split(|byte| *byte == b'\n') {
        let Ok(Line { message: Some(message) }) = serde_json::from_slice(line) else { continue };
        if let (Some(id), Some(usage)) = (message.id, message.usage) {
            messages.insert(id, usage.total());
        }
    }
    let total = messages.values().copied().fold(0, u64::saturating_add);
    AgentUsage { tokens: (total > 0).then_some(total), ..AgentUsage::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_on_several_lines_is_counted_once_and_its_last_line_holds() {
        let line = |id: &str, output: u64| {
            format!(
                "{{\"type\":\"assistant\",\"message\":{{\"id\":\"{id}\",\"usage\":{{\"input_tokens\":10,\"output_tokens\":{output},\"cache_read_input_tokens\":5}}}}}}\n"
            )
        };
        let text = [line("a", 1), line("a", 7), "nonsense\n{}\n".to_owned(), line("b", 2)].concat();
        assert_eq!(of(text.as_bytes()).tokens, Some(22 + 17));
        assert_eq!(of(b"").tokens, None);
    }
}
