//! What Claude Code sends: its names of events, and what it says in the place of others.

use waypost_app::harness::{Event, Input};

use crate::harnesses::shape::input::Dialect;

/// It reports the end of background tasks as prompts; no human wrote those.
const NOTIFICATION: &str = "<task-notification>";

/// How it names things.
pub(super) static DIALECT: Dialect = Dialect {
    events: &[
        ("SessionStart", Event::Start),
        ("UserPromptSubmit", Event::Prompt),
        ("PreToolUse", Event::BeforeTool),
        ("PostToolUse", Event::AfterTool),
        ("PostToolUseFailure", Event::AfterFailure),
        ("Stop", Event::Stop),
        ("SessionEnd", Event::End),
        ("UserPromptExpansion", Event::Expansion),
        ("SubagentStart", Event::SubagentStart),
        ("SubagentStop", Event::SubagentStop),
        ("TaskCompleted", Event::TaskDone),
        ("TeammateIdle", Event::TeammateIdle),
        ("ConfigChange", Event::ConfigChanged),
        ("PreCompact", Event::Compaction),
    ],
    fields: &[],
};

/// Reads what can be read, and says what is wrong with the rest.
pub(super) fn parse(bytes: &[u8]) -> (Input<'_>, Option<String>) {
    let (mut input, problem) = DIALECT.parse(bytes);
    let notifies = |prompt: &str| prompt.starts_with(NOTIFICATION);
    if input.event == Some(Event::Prompt) && input.prompt.as_deref().is_some_and(notifies) {
        input.event = Some(Event::Other);
    }
    // A subagent that wants to stop is still listed as running.
    if let Some(own) =
        input.subagent.as_deref().filter(|_| input.event == Some(Event::SubagentStop))
    {
        input.tasks.retain(|task| task.id != own);
    }
    (input, problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_before_the_break_is_understood() {
        for rest in [
            "\"tool_input\": {\"content\": \"cut of",
            "\"tool_input\": nonsense}",
            &format!("\"tool_input\": {}", "[".repeat(100_000)),
            "\"tool_input\": {}} trailing",
        ] {
            let text = format!(
                "{{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Wr\\u0069te\",{rest}"
            );
            let (input, problem) = parse(text.as_bytes());
            assert!(problem.is_some(), "{rest:.60}");
            assert_eq!(input.tool.as_deref(), Some("Write"), "{rest:.60}");
        }
    }

    #[test]
    fn text_that_is_not_utf8_is_told_and_read_up_to_there() {
        let (input, problem) = parse(b"{\"hook_event_name\":\"Stop\",\"x\":\"\xff\"}");
        assert_eq!(input.event, Some(Event::Stop));
        assert_eq!(problem.as_deref(), Some("it is not UTF-8"));
    }

    #[test]
    fn strange_things_are_told_and_never_panic() {
        for bytes in [&b""[..], b" ", b"[]", b"3", b"{", b"null", b"{\"session_id\":3}", b"\0"] {
            assert!(parse(bytes).1.is_some(), "{bytes:?}");
        }
        assert!(parse(b"{}").1.is_none());
    }

    #[test]
    fn a_prompt_that_no_human_wrote_is_none() {
        for (prompt, read) in [("<task-notification>done", Event::Other), ("hi", Event::Prompt)] {
            let text =
                format!("{{\"hook_event_name\":\"UserPromptSubmit\",\"prompt\":\"{prompt}\"}}");
            assert_eq!(parse(text.as_bytes()).0.event, Some(read));
        }
    }
}
