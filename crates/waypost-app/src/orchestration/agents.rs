//! Agents that are given work, and are done with it.

use waypost_core::agents::{AgentWork, Agents};
use waypost_core::command::{Completion, OrchestrationCommand};
use waypost_core::event::{AgentInvoked, HistoryCompacted, Known};
use waypost_core::id::SessionId;

use super::recorded::{Recorded, record};
use crate::error::AppError;
use crate::view::View;

/// Gives work to an agent.
pub fn invoke(
    view: &View<'_>,
    session: Option<&str>,
    invoked: AgentInvoked,
) -> Result<Recorded, AppError> {
    let session = view.session(session)?.id;
    record(view, &session, OrchestrationCommand::Invoke(invoked))
}

/// An agent is done: its latest open invocation is over.
pub fn complete(
    view: &View<'_>,
    session: Option<&str>,
    completion: Completion,
) -> Result<Recorded, AppError> {
    let session = view.session(session)?.id;
    record(view, &session, OrchestrationCommand::Complete(completion))
}

/// Leaves older invocations to the records.
pub fn compact(
    view: &View<'_>,
    session: Option<&str>,
) -> Result<(Recorded, Option<HistoryCompacted>), AppError> {
    let session = view.session(session)?.id;
    let recorded = record(view, &session, OrchestrationCommand::Compact)?;
    let range = recorded.events.iter().find_map(|event| match event {
        Known::HistoryCompacted(range) => Some(range.clone()),
        _ => None,
    });
    Ok((recorded, range))
}

/// Where archived invocations are found: what reads resources reads this.
pub fn note_path(session: &SessionId, range: &HistoryCompacted) -> String {
    range.note_path(session)
}

/// The range of records that a place of archived invocations names, and its session where it names one.
pub fn range_of(note_path: &str) -> Result<(Option<String>, u64, u64), AppError> {
    let bad = || {
        AppError::refused(format!(
            "`{}` is no range of archived invocations",
            waypost_core::text::one_line(note_path)
        ))
        .hint("give a `notePath` of the compaction history, or two numbers: FROM-TO")
    };
    let (session, range) = match note_path.strip_prefix(HistoryCompacted::SCHEME) {
        Some(rest) => {
            let (session, range) = rest.split_once("/history/").ok_or_else(bad)?;
            (Some(session.to_owned()), range)
        }
        None => (None, note_path),
    };
    let (from, to) = range.split_once('-').ok_or_else(bad)?;
    let number = |text: &str| text.parse::<u64>().map_err(|_| bad());
    Ok((session, number(from)?, number(to)?))
}

/// The invocations of a range of records.
pub fn archived(agents: &Agents, from: u64, to: u64) -> Vec<&AgentWork> {
    agents.within(from, to).collect()
}
