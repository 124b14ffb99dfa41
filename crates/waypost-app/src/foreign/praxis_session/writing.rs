//! A session as a file of this format. One that came in it keeps its shape and whatever nobody here knows; others get the
//! shape with explicit flags, in which the program without them finds what it needs.

mod clock;
mod lost;
mod strict;

use serde_json::{Map, Value, json};
use waypost_core::course::{Passage, PhaseResult};
use waypost_core::event::{PastPhase, SessionImported};
use waypost_core::session::Lifecycle;

pub use clock::Offset;

use super::{AS_OF, ASIDE, FORMAT, NO_TARGET};
use crate::foreign::session::{Leaving, Written};

/// Keys of a fresh file that one which came in this format has its own for.
const KEPT: &[&str] = &["session_id", "workflow_type", "target_file", "created_at", "metadata"];
/// What stands in a file by the number of phases, and is told anew only for those that changed.
const BY_NUMBER: &[&str] = &["phase_artifacts", "checkpoints", "phase_timing"];

/// What the phase of a session is called that follows no workflow.
const ONLY_PHASE: &str = "build";

/// The file that a session is in this format, with times of a machine whose clocks are so far ahead of UTC.
pub fn write(session: &Leaving<'_>, offset: Offset<'_>) -> Written {
    let came = session.came_as(FORMAT).and_then(|imported| {
        let (name, value) = imported.original.iter().next()?;
        Some((imported, name, value.as_object()?))
    });
    if let Some((_, name, original)) = came
        && session.came_just_so(FORMAT).is_some()
    {
        return Written { name: name.clone(), text: text(original), lost: Vec::new() };
    }
    let fresh = fresh(session);
    let original = came.map(|(_, _, original)| original);
    let (name, mut fields) = match came {
        Some((imported, name, original)) => {
            (name.clone(), overlaid(session, imported, original, fresh))
        }
        None => (format!("{}.json", session.id), fresh),
    };
    clock::set(&mut fields, came.map(|(imported, _, original)| (imported, original)), offset);
    strict::date(&mut fields);
    Written { name, text: text(&fields), lost: lost::lost(session, original) }
}

fn text(fields: &Map<String, Value>) -> String {
    let mut text = serde_json::to_string_pretty(fields).unwrap_or_default();
    text.push('\n');
    text
}

/// The shape with explicit flags.
fn fresh(session: &Leaving<'_>) -> Map<String, Value> {
    let track = session.manifest.pointer("/waypost/track").and_then(Value::as_object);
    let mut fields = track.cloned().unwrap_or_else(|| without_workflow(session));
    fields.insert("session_id".to_owned(), session.id.as_str().into());
    let skips: Map<String, Value> = (session.course.phases.iter())
        .filter_map(|passage| Some((passage.number.to_string(), passage.skipped.clone()?.into())))
        .collect();
    if !skips.is_empty() {
        fields.insert("skip_reasons".to_owned(), skips.into());
    }
    for passage in &session.course.phases {
        complement(&mut fields, passage);
    }
    in_older_words(session, &mut fields);
    if fields.get("target_file").is_none_or(Value::is_null) {
        fields.insert("target_file".to_owned(), NO_TARGET.into());
    }
    let structure = fields.get("workflow_structure").cloned().unwrap_or_default();
    within(&mut fields, "metadata", |metadata| {
        metadata.entry("user_options").or_insert_with(|| json!({}));
        // Without it, the program without flags counts phases by the workflow's name.
        if structure["dynamic"] == false {
            metadata.insert("total_phases".to_owned(), structure["total_phases"].clone());
        }
        if let Some(topic) = &session.state.objective {
            metadata.insert("topic".to_owned(), topic.clone().into());
        }
    });
    if session.state.lifecycle == Lifecycle::Failed {
        fields.insert("status".to_owned(), "error".into());
        let error = session.course.failures.last().map(|failure| failure.errors.join("; "));
        let reason = error.or_else(|| session.summary.map(str::to_owned));
        fields.insert(
            "error_reason".to_owned(),
            reason.unwrap_or_else(|| "failed".to_owned()).into(),
        );
        fields.insert("completed_at".to_owned(), json!(session.state.ended_at));
    }
    fields
}

/// What the manifest leaves out of a phase that was done elsewhere.
fn complement(fields: &mut Map<String, Value>, passage: &Passage) {
    let number = passage.number.to_string();
    if let Some(completed) = passage.completed_at {
        within(fields, "phase_timing", |timing| {
            let told = json!({"completed_at": completed, "attempts": passage.attempts});
            timing.entry(number.clone()).or_insert(told);
        });
    }
    if !passage.evidence.is_empty() {
        let artifact = json!({
            "phase_number": passage.number,
            "phase_name": passage.phase,
            "evidence": passage.evidence,
            "outputs": [],
            "commands_executed": [],
            "timestamp": passage.completed_at,
        });
        within(fields, "phase_artifacts", |artifacts| {
            artifacts.entry(number).or_insert(artifact);
        });
    }
}

/// A session that follows no workflow: all of it is one phase.
fn without_workflow(session: &Leaving<'_>) -> Map<String, Value> {
    let state = session.state;
    let is_complete = state.lifecycle == Lifecycle::Completed;
    let ended = state.ended_at.filter(|_| is_complete);
    let pause = state.pause.as_ref().filter(|_| state.lifecycle == Lifecycle::Paused);
    let mut timing = json!({"started_at": state.started_at, "attempts": 0});
    if ended.is_some() {
        timing["completed_at"] = json!(ended);
    }
    let value = json!({
        "workflow_type": state.workflow,
        "target_file": null,
        "workflow_structure": {
            "total_phases": 1,
            "dynamic": false,
            "starting_phase": 0,
            "indexing_scheme": "zero_based",
            "workflow_version": null,
        },
        "phase_names": {"0": ONLY_PHASE},
        "current_phase": 0,
        "completed_phases": if is_complete { vec![0] } else { Vec::new() },
        "phase_timing": {"0": timing},
        "lifecycle": {
            "completed": is_complete,
            "completed_at": ended,
            "paused": pause.is_some(),
            "paused_at": pause.map(|pause| pause.since),
            "paused_reason": pause.map(|pause| &pause.reason),
            "paused_context": pause.and_then(|pause| pause.context.as_ref()),
            "resumed_at": session.course.resumed_at,
            "resume_count": state.resumed,
            "last_error": null,
            "last_error_at": null,
        },
        "phase_artifacts": {},
        "checkpoints": {"0": if is_complete { "passed" } else { "pending" }},
        "created_at": state.started_at,
        "updated_at": state.updated_at,
        "metadata": {"spec_path": null, "user_options": {}},
    });
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// What came in this format, with what happened since.
fn overlaid(
    session: &Leaving<'_>,
    imported: &SessionImported,
    original: &Map<String, Value>,
    mut fresh: Map<String, Value>,
) -> Map<String, Value> {
    let mut fields = original.clone();
    let has_structure = original.contains_key("workflow_structure");
    let is_strict = strict::is_strict(original);
    let is_plain = |passage: &Passage| passage.phase == format!("Phase {}", passage.number);
    if session.course.phases.iter().all(is_plain) {
        fresh.remove("phase_names");
    }
    let aside = is_strict.then(|| strict::narrow(&mut fresh));
    for passage in &session.course.phases {
        let known = imported.past.phases.iter().find(|known| known.number == passage.number);
        let same = known.is_some_and(|known| is_same(known, passage));
        overlay_phase(&mut fields, original, &fresh, passage, same);
    }
    if let Some(flags) = fields.get_mut("lifecycle").and_then(Value::as_object_mut) {
        flags.remove("total_duration_seconds");
    }
    for (key, value) in fresh {
        if !KEPT.contains(&key.as_str()) && !BY_NUMBER.contains(&key.as_str()) {
            put(&mut fields, &key, Some(value));
        }
    }
    // A program without flags knows the end by a phase that lies behind it.
    let last = session.course.phases.last().map(|passage| passage.number);
    let is_complete = session.course.completed_at.is_some();
    if let Some(last) = last.filter(|_| is_complete && !has_structure) {
        fields.insert("current_phase".to_owned(), last.saturating_add(1).into());
    }
    label(session, original, &mut fields);
    if let Some(aside) = aside {
        strict::add(&mut fields, aside);
    }
    fields
}

/// What is new of a phase. `same` is whether nothing is.
fn overlay_phase(
    fields: &mut Map<String, Value>,
    original: &Map<String, Value>,
    fresh: &Map<String, Value>,
    passage: &Passage,
    same: bool,
) {
    let number = passage.number.to_string();
    let new = |key: &str| fresh.get(key).and_then(|all| all.get(&number)).cloned();
    let is_strict = strict::is_strict(original);
    if !same {
        within(fields, "checkpoints", |all| put(all, &number, new("checkpoints")));
    }
    if !same && !is_strict {
        within(fields, "phase_artifacts", |all| put(all, &number, new("phase_artifacts")));
    }
    if !same && is_strict {
        let given = Some(&passage.evidence).filter(|given| !given.is_empty()).cloned();
        let given = given.map(Value::Object);
        within(fields, "evidence_submitted", |all| {
            all.remove(&number);
            put(all, &number, given);
        });
    }
    let (key, timing) = if is_strict {
        ("phase_timings", timing(passage))
    } else {
        ("phase_timing", new("phase_timing"))
    };
    // Times that were deduced are in the file from now on.
    if !same || !original.contains_key(key) {
        within(fields, key, |all| put_timing(all, &number, timing));
    }
}

/// What a program without flags could not read is put otherwise.
fn in_older_words(session: &Leaving<'_>, fresh: &mut Map<String, Value>) {
    within(fresh, "phase_artifacts", |artifacts| {
        for artifact in artifacts.values_mut().filter_map(Value::as_object_mut) {
            // There outputs have names, and a command is an object with what it said.
            if let Some(files) = artifact.remove("outputs").filter(|files| *files != json!([])) {
                artifact.insert("outputs".to_owned(), json!({"files": files}));
            } else {
                artifact.insert("outputs".to_owned(), json!({}));
            }
            if let Some(commands) = artifact.insert("commands_executed".to_owned(), json!([])) {
                artifact.insert("commands".to_owned(), commands);
            }
            if artifact.get("timestamp").is_none_or(Value::is_null) {
                artifact.insert("timestamp".to_owned(), json!(session.state.updated_at));
            }
        }
    });
}

/// The words for its life, where the file has them.
fn label(session: &Leaving<'_>, original: &Map<String, Value>, fields: &mut Map<String, Value>) {
    let is_failed = session.state.lifecycle == Lifecycle::Failed;
    if !is_failed {
        fields.remove("error_reason");
    }
    if !original.contains_key("status") && !is_failed {
        return;
    }
    let is_complete = session.course.completed_at.is_some();
    let word = match (is_failed, is_complete) {
        (true, _) => "error",
        (_, true) => "completed",
        _ => "active",
    };
    fields.insert("status".to_owned(), word.into());
    let ended = session.state.ended_at.filter(|_| is_failed).or(session.course.completed_at);
    fields.insert("completed_at".to_owned(), json!(ended));
}

fn timing(passage: &Passage) -> Option<Value> {
    let started = passage.started_at?;
    let took = passage.completed_at.map(|end| {
        // Seconds with their fraction, as the program writes them.
        #[expect(clippy::cast_precision_loss, reason = "no phase takes so long")]
        let millis = (end.as_millis() - started.as_millis()).max(0) as f64;
        millis / 1000.0
    });
    Some(json!({
        "phase": passage.number,
        "started_at": started,
        "completed_at": passage.completed_at,
        "duration_seconds": took,
    }))
}

/// Whether a phase is as it came.
fn is_same(known: &PastPhase, passage: &Passage) -> bool {
    let as_came = known.result == passage.checkpoint
        || (known.result == PhaseResult::Pending && passage.elsewhere);
    let had = |now: &[String], before: &[String]| now.iter().all(|one| before.contains(one));
    as_came
        && known.started_at == passage.started_at
        && known.completed_at == passage.completed_at
        && known.attempts == passage.attempts
        && known.evidence == passage.evidence
        && known.skipped == passage.skipped
        && had(&passage.artifacts, &known.outputs)
        && had(&passage.commands, &known.commands)
}

/// Sets or takes out a value; of an object, keys stay that the new one does not have.
fn put(fields: &mut Map<String, Value>, key: &str, value: Option<Value>) {
    match (fields.get_mut(key), value) {
        (Some(Value::Object(old)), Some(Value::Object(new))) => old.extend(new),
        (_, Some(new)) => drop(fields.insert(key.to_owned(), new)),
        (_, None) => drop(fields.remove(key)),
    }
}

/// The same for the times of a phase, which may have been taken back.
fn put_timing(timings: &mut Map<String, Value>, number: &str, timing: Option<Value>) {
    if let Some(old) = timings.get_mut(number).and_then(Value::as_object_mut) {
        for key in ["started_at", "completed_at", "duration_seconds", "attempts"] {
            old.remove(key);
        }
    }
    put(timings, number, timing);
}

/// Changes the object of that key; what is none is replaced.
fn within(
    fields: &mut Map<String, Value>,
    key: &str,
    change: impl FnOnce(&mut Map<String, Value>),
) {
    if !fields.get(key).is_some_and(Value::is_object) {
        fields.insert(key.to_owned(), json!({}));
    }
    if let Some(map) = fields.get_mut(key).and_then(Value::as_object_mut) {
        change(map);
    }
}
