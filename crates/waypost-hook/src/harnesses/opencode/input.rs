//! What the plugin sends: its own names of events where OpenCode has one, and fields that are called as everywhere.

use waypost_app::harness::Event;

use crate::harnesses::shape::input::Dialect;

/// How it names things.
pub(super) static DIALECT: Dialect = Dialect {
    events: &[
        ("session.created", Event::Start),
        ("chat.message", Event::Prompt),
        ("tool.execute.before", Event::BeforeTool),
        ("tool.execute.after", Event::AfterTool),
        ("tool.execute.failed", Event::AfterFailure),
        ("session.idle", Event::Stop),
        ("subagent.created", Event::SubagentStart),
        ("subagent.idle", Event::SubagentStop),
        ("experimental.session.compacting", Event::Compaction),
        ("dispose", Event::End),
    ],
    fields: &[],
};
