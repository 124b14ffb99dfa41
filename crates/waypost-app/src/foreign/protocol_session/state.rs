//! The state of a session as JSON, which stands in for Serena's memory where that is not there.

use serde_json::{Map, Value};
use waypost_core::event::{PastPhase, PastStep, PastViolation};
use waypost_core::track::PhaseResult;

use super::log::Log;
use super::status::of_phase;
use crate::foreign::session::times::Times;
use crate::foreign::session::{ForeignFile, Reading};
use crate::foreign::session_log::{ItemLevel, ItemState, LogItem};

/// No more entries than this are taken of one sort.
const MAX: usize = 1_000;

/// Reads a state; `None` if it is none.
pub(super) fn read(
    file: &ForeignFile<'_>,
    fields: &Map<String, Value>,
    times: &Times<'_>,
) -> Option<Reading> {
    let text = |key: &str| fields.get(key).and_then(Value::as_str).map(str::to_owned);
    let name = text("session_id").filter(|id| !id.is_empty() && is_one(fields))?;
    let phase = text("current_phase");
    let mut log = Log {
        name,
        objective: text("objective"),
        branch: text("branch"),
        starting_commit: text("starting_commit"),
        status: Some(phase.as_deref().map(of_phase).unwrap_or_default()),
        phases: phases(fields),
        phase,
        ..Log::default()
    };
    let at = |key: &str| text(key).and_then(|time| log.time(&time, times));
    (log.started, log.updated) = (at("started_at"), at("updated_at"));
    checklist(&mut log.checklist, fields.get("checklist"), None, 0);
    let violations = fields.get("violations").and_then(Value::as_array).into_iter().flatten();
    let violations: Vec<&Value> = violations.take(MAX).collect();
    log.violations = violations.into_iter().map(|one| violation(one, &log, times)).collect();
    let evidence = fields.get("evidence").and_then(Value::as_object).into_iter().flatten();
    for (step, told) in evidence.take(MAX) {
        let told = told.as_str().map_or_else(|| told.to_string(), str::to_owned);
        log.note("evidence", &format!("{step}: {told}"), None);
    }
    Some(Reading::Sessions(vec![log.brought(file, times)]))
}

/// Whether an object is a state, and no log.
pub(super) fn is_one(fields: &Map<String, Value>) -> bool {
    fields.get("phases_completed").is_some_and(Value::is_array)
        || fields.contains_key("checklist") && fields.contains_key("violations")
}

fn phases(fields: &Map<String, Value>) -> Vec<PastPhase> {
    let done = fields.get("phases_completed").and_then(Value::as_array).into_iter().flatten();
    (0..)
        .zip(done.filter_map(Value::as_str).take(MAX))
        .map(|(number, name)| PastPhase {
            number,
            name: name.to_owned(),
            result: PhaseResult::Passed,
            ..PastPhase::default()
        })
        .collect()
}

/// Steps, below whatever names they are sorted under.
fn checklist(
    steps: &mut Vec<PastStep>,
    value: Option<&Value>,
    list: Option<&String>,
    depth: usize,
) {
    match value {
        Some(Value::Array(items)) if depth < 4 => {
            for one in items.iter().take(MAX) {
                checklist(steps, Some(one), list, depth + 1);
            }
        }
        Some(Value::Object(fields)) if fields.contains_key("step") => {
            let text = |key: &str| fields.get(key).and_then(Value::as_str).unwrap_or_default();
            let level = if text("req").is_empty() { "MUST" } else { text("req") };
            steps.push(PastStep {
                level: level.to_owned(),
                step: text("step").to_owned(),
                list: list.cloned(),
                done: Some(is_done(level, fields)),
                evidence: text("evidence").to_owned(),
            });
        }
        Some(Value::Object(fields)) if depth < 4 => {
            for (name, one) in fields.iter().take(MAX) {
                checklist(steps, Some(one), Some(name), depth + 1);
            }
        }
        _ => {}
    }
    steps.truncate(MAX);
}

/// Whether a step was done, or left alone where it must not be done.
fn is_done(level: &str, fields: &Map<String, Value>) -> bool {
    let text = |key: &str| fields.get(key).and_then(Value::as_str).unwrap_or_default();
    let done = ["[x]", "x", "done", "complete", "pass"];
    let mark = text("status").trim().to_ascii_lowercase();
    let ticked = fields.get("complete").and_then(Value::as_bool);
    let ticked = ticked.unwrap_or_else(|| done.contains(&mark.as_str()));
    if !level.trim().eq_ignore_ascii_case("MUST NOT") {
        return ticked;
    }
    let state = if ticked { ItemState::Done } else { ItemState::Unsaid };
    let (step, evidence) = (text("step").to_owned(), text("evidence").to_owned());
    LogItem { line: 0, level: ItemLevel::MustNot, step, list: None, state, evidence }
        .open()
        .is_none()
}

/// A must that was missed, as states and logs tell it.
pub(super) fn violation(missed: &Value, log: &Log, times: &Times<'_>) -> PastViolation {
    let text = |key: &str| missed.get(key).and_then(Value::as_str).map(str::to_owned);
    let whole = || missed.as_str().map_or_else(|| missed.to_string(), str::to_owned);
    PastViolation {
        requirement: text("requirement").unwrap_or_else(whole),
        severity: text("severity").unwrap_or_else(|| "must".to_owned()),
        phase: text("phase"),
        time: text("timestamp").and_then(|time| log.time(&time, times)),
        recovery: text("recovery"),
    }
}
