//! Lists that are short enough to be read, also by a model: what is oldest is left out, and how much that is told.

use serde_json::{Map, Value, json};
use waypost_app::error::AppError;
use waypost_core::agents::{AgentWork, Agents, Decision, Verdict};
use waypost_core::event::HistoryCompacted;
use waypost_core::id::SessionId;

use crate::outcome::clean;

/// How many records, violations and the like are given, the newest of them.
const MAX_ITEMS: usize = 200;
/// The longest text of a list, in bytes.
const MAX_BYTES: usize = 256 * 1024;

/// A list of which the oldest are left out until it is short enough.
pub(super) fn newest_that_fit<T: serde::Serialize>(
    name: &str,
    session: Option<&SessionId>,
    items: Vec<T>,
) -> Result<Value, AppError> {
    let total = items.len();
    let mut kept = Vec::new();
    let mut bytes = 0;
    for item in items.into_iter().rev().take(MAX_ITEMS) {
        let mut value = serde_json::to_value(item).map_err(unwritable)?;
        clean(&mut value);
        bytes += value.to_string().len();
        if bytes > MAX_BYTES {
            break;
        }
        kept.push(value);
    }
    kept.reverse();
    let left_out = total - kept.len();
    Ok(json!({"session_id": session, "total": total, "left_out": left_out, name: kept}))
}

pub(super) fn unwritable(error: serde_json::Error) -> AppError {
    AppError::integrity(format!("cannot be written as JSON: {error}")).because(error)
}

/// What agents did and said, as far as somebody wants it.
#[derive(Debug, Clone, Copy)]
enum Told<'a> {
    Invocation(&'a AgentWork),
    Decision(&'a Decision),
    Verdict(&'a Verdict),
}

impl Told<'_> {
    fn seq(self) -> u64 {
        match self {
            Self::Invocation(work) => work.seq,
            Self::Decision(decision) => decision.seq,
            Self::Verdict(verdict) => verdict.seq,
        }
    }

    fn list(self) -> &'static str {
        match self {
            Self::Invocation(_) => "invocations",
            Self::Decision(_) => "decisions",
            Self::Verdict(_) => "verdicts",
        }
    }

    fn value(self) -> Result<Value, AppError> {
        let value = match self {
            Self::Invocation(work) => serde_json::to_value(work),
            Self::Decision(decision) => serde_json::to_value(decision),
            Self::Verdict(verdict) => serde_json::to_value(verdict),
        };
        let mut value = value.map_err(unwritable)?;
        clean(&mut value);
        Ok(value)
    }
}

/// What agents did and said in a range of records, a list each; without `invocations`, only what they said. At least one
/// of them is told, however long. `earlier` is the resource of what is left out.
pub(super) fn of_agents(
    session: &SessionId,
    agents: &Agents,
    (from, to): (u64, u64),
    invocations: bool,
) -> Result<Map<String, Value>, AppError> {
    let worked = agents.invocations.iter().filter(|_| invocations).map(Told::Invocation);
    let decided = agents.decisions.iter().map(Told::Decision);
    let judged = agents.verdicts.iter().map(Told::Verdict);
    let all = worked.chain(decided).chain(judged);
    let mut all: Vec<Told<'_>> = all.filter(|one| (from..=to).contains(&one.seq())).collect();
    all.sort_by_key(|one| one.seq());
    let mut kept = Vec::new();
    let mut bytes = 0;
    while let Some(one) = all.last().copied().filter(|_| kept.len() < MAX_ITEMS) {
        let value = one.value()?;
        bytes += value.to_string().len();
        if bytes > MAX_BYTES && !kept.is_empty() {
            break;
        }
        kept.push((one.list(), value));
        all.pop();
    }
    let mut told =
        Map::from_iter([("decisions".to_owned(), json!([])), ("verdicts".to_owned(), json!([]))]);
    if invocations {
        told.insert("invocations".to_owned(), json!([]));
    }
    for (list, value) in kept.into_iter().rev() {
        if let Some(list) = told.get_mut(list).and_then(Value::as_array_mut) {
            list.push(value);
        }
    }
    if let Some(last) = all.last() {
        let count = u64::try_from(all.len()).unwrap_or(u64::MAX);
        let range = HistoryCompacted { from, to: last.seq(), count };
        told.insert("earlier".to_owned(), range.note_path(session).into());
    }
    Ok(told)
}
