//! What Cursor sends.

use waypost_app::harness::{Event, Input};

use crate::harnesses::shape::input::Dialect;

/// How it names things. It tells of tools of MCP servers twice: with every other tool, and by themselves, where the server
/// is named too. The first is passed over.
pub(super) static DIALECT: Dialect = Dialect {
    events: &[
        ("sessionStart", Event::Start),
        ("beforeSubmitPrompt", Event::Prompt),
        ("preToolUse", Event::BeforeTool),
        ("beforeMCPExecution", Event::BeforeTool),
        ("postToolUse", Event::AfterTool),
        ("afterMCPExecution", Event::AfterTool),
        ("postToolUseFailure", Event::AfterFailure),
        ("subagentStart", Event::SubagentStart),
        ("subagentStop", Event::SubagentStop),
        ("stop", Event::Stop),
        ("preCompact", Event::Compaction),
        ("sessionEnd", Event::End),
    ],
    fields: &[
        ("conversation_id", "session_id"),
        ("parent_conversation_id", "parent_session_id"),
        ("subagent_id", "agent_id"),
        ("subagent_type", "agent_type"),
        ("tool_output", "tool_response"),
        ("result_json", "tool_response"),
        ("error_message", "error"),
        ("failure_type", "reason"),
        ("status", "reason"),
    ],
};

/// How it names a server's tool where it does not name the server.
const SERVED: &str = "MCP:";
/// How a turn ends that the agent ended.
const COMPLETED: &str = "completed";

/// Reads what can be read. A turn that was ended by the user or by a fault is not one that could be held.
pub(super) fn parse(bytes: &[u8]) -> (Input<'_>, Option<String>) {
    let (mut input, problem) = DIALECT.parse(bytes);
    let is_served = input.tool.as_deref().is_some_and(|tool| tool.starts_with(SERVED));
    let is_cut_off = input.event == Some(Event::Stop)
        && input.reason.as_deref().is_some_and(|status| status != COMPLETED);
    if is_served || is_cut_off {
        input.event = Some(Event::Other);
    }
    // It names them by where they are configured: `user-NAME`, `project-0-NAME`.
    if let Some(tool) = input.tool.as_deref().and_then(own) {
        input.tool = Some(format!("mcp__waypost__{tool}").into());
    }
    (input, problem)
}

/// The tool of Waypost's own server.
fn own(name: &str) -> Option<&str> {
    let (server, tool) = name.strip_prefix("mcp__")?.split_once("__")?;
    (server.ends_with("-waypost")).then_some(tool)
}
