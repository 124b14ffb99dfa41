//! What a manifest tells of phases, and where what it says does not fit together.

use serde_json::Value;
use waypost_core::event::{Focus, Past, PastNote, PastPause, PastPhase};
use waypost_core::session::{Basics, words};
use waypost_core::text::{one_line, shortened};
use waypost_core::time::Timestamp;
use waypost_core::track::{Definition, PhaseResult, builtin};

use super::notes;

/// The phases that such sessions have.
const PHASES: [&str; 4] = ["spec", "plan", "build", "docs"];
/// How much of a word of theirs is told.
const MAX_WORD: usize = 60;

/// What a manifest tells beyond what stands at its top.
#[derive(Debug, Default)]
pub struct ToldBy {
    /// What is known of the past.
    pub past: Past,
    /// The workflow that its type stands for.
    pub definition: Option<Definition>,
    /// What is told otherwise here than there.
    pub remarks: Vec<String>,
}

/// What a manifest tells beyond what stands at its top.
pub fn told(manifest: &Value) -> ToldBy {
    told_with(&Basics::read(manifest), manifest)
}

/// The same, where what stands at its top was read already.
pub fn told_with(basics: &Basics, manifest: &Value) -> ToldBy {
    let mut remarks = Vec::new();
    let Some(definition) = definition(basics, manifest, &mut remarks) else {
        return ToldBy::default();
    };
    let is_over = basics.lifecycle().is_over();
    let mut phases: Vec<PastPhase> = definition
        .phases
        .iter()
        .filter_map(|phase| past_phase(&phase.name, &definition, basics, manifest))
        .collect();
    let is_complete = is_complete(basics, &phases);
    if is_complete {
        phases.iter_mut().for_each(leave_out);
    }
    remarks.extend(odd_words(basics, manifest));
    remarks.extend(odd_phases(basics, &phases));
    if !is_over {
        remarks.extend(reopen(basics, &mut phases));
    }
    remarks.extend(odd_times(basics, manifest));
    let current = definition.phase(&basics.current_phase).map(|phase| phase.name.clone());
    let begun = phases
        .iter()
        .rev()
        .find(|phase| phase.result == PhaseResult::Passed || is_half_done(phase));
    let ended = phases.iter().filter_map(|phase| phase.completed_at).max();
    let mut past = Past {
        phase: current.or_else(|| begun.map(|phase| phase.name.clone())),
        complete: is_complete,
        ended_at: ended.or(basics.updated_at).filter(|_| is_over),
        notes: notes::notes(manifest),
        pause: pause(basics, manifest),
        phases,
        ..Past::default()
    };
    take_plan_state(&mut past, manifest, is_over);
    ToldBy { past, definition: Some(definition), remarks }
}

/// The workflow that its type stands for. Their program lets every type go through every phase, so that a session may
/// have phases that its type does not have here.
fn definition(basics: &Basics, manifest: &Value, remarks: &mut Vec<String>) -> Option<Definition> {
    let usual = builtin::workflow(&basics.session_type)?;
    let has = |name: &str| {
        let (started, completed) = times(name, basics);
        started.or(completed).is_some()
            || basics.current_phase == name
            || word(name, manifest).is_some_and(words::is_done)
    };
    let is_kept = |name: &str| usual.phase(name).is_some() || has(name);
    let more: Vec<&str> =
        PHASES.into_iter().filter(|name| usual.phase(name).is_none() && has(name)).collect();
    if more.is_empty() {
        return Some(usual);
    }
    let all = builtin::workflow("full")?;
    let keeps = if more.len() == 1 { "it" } else { "them" };
    remarks.push(format!(
        "{} sessions have no phase {} here; this one keeps {keeps}",
        basics.session_type,
        more.join(" and no phase ")
    ));
    let phases = all.phases.into_iter().filter(|phase| is_kept(&phase.name)).collect();
    Some(Definition { phases, ..usual })
}

/// Whether every phase is done with: it says so and leaves none half done, or it is over and so is the phase that it was
/// in. What was ended in the middle of a phase is over all the same.
fn is_complete(basics: &Basics, phases: &[PastPhase]) -> bool {
    let current = phases.iter().find(|phase| phase.name == basics.current_phase);
    let is_done = current.is_some_and(|phase| phase.result == PhaseResult::Passed);
    (basics.current_phase == "complete" && !phases.iter().any(is_half_done))
        || (basics.status == "complete" && is_done)
}

/// The phase that a session is in is not done with, whatever was written down before: its times stay.
fn reopen(basics: &Basics, phases: &mut [PastPhase]) -> Option<String> {
    let is_current = |phase: &&mut PastPhase| {
        phase.name == basics.current_phase && phase.result == PhaseResult::Passed
    };
    let current = phases.iter_mut().find(is_current)?;
    current.result = PhaseResult::Pending;
    let name = &current.name;
    Some(format!("it is in phase {name}, although that was completed; it is taken as not done"))
}

fn is_half_done(phase: &PastPhase) -> bool {
    phase.result == PhaseResult::Pending && phase.started_at.is_some()
}

fn times(name: &str, basics: &Basics) -> (Option<Timestamp>, Option<Timestamp>) {
    let history = &basics.phase_history;
    match name {
        "spec" => (history.spec_started_at, history.spec_completed_at),
        "plan" => (history.plan_started_at, history.plan_completed_at),
        "build" => (history.build_started_at, history.build_completed_at),
        _ => (history.docs_started_at, history.docs_completed_at),
    }
}

/// The word that the first version has for how far a phase is.
fn word<'a>(name: &str, manifest: &'a Value) -> Option<&'a str> {
    let phase = manifest.get("phases")?.get(name)?;
    phase.as_str().or_else(|| phase.get("status")?.as_str())
}

fn past_phase(
    name: &str,
    definition: &Definition,
    basics: &Basics,
    manifest: &Value,
) -> Option<PastPhase> {
    let (started_at, completed_at) = times(name, basics);
    let word = word(name, manifest).unwrap_or_default();
    let is_skipped = word.trim().eq_ignore_ascii_case("skipped");
    let result = match completed_at {
        _ if is_skipped => PhaseResult::Skipped,
        Some(_) => PhaseResult::Passed,
        None if words::is_done(word) => PhaseResult::Passed,
        None => PhaseResult::Pending,
    };
    Some(PastPhase {
        number: definition.number(name)?,
        name: name.to_owned(),
        result,
        started_at,
        completed_at,
        skipped: is_skipped.then(|| "its manifest says that it was skipped".to_owned()),
        ..PastPhase::default()
    })
}

/// A phase of a session that is complete, and that nobody began.
fn leave_out(phase: &mut PastPhase) {
    let begun = phase.started_at.is_some() || phase.completed_at.is_some();
    if phase.result == PhaseResult::Pending && !begun {
        phase.result = PhaseResult::Skipped;
        phase.skipped = Some("nobody had begun it when the session was completed".to_owned());
    }
}

/// Whether a status says that there is more to do.
fn is_open(word: &str) -> bool {
    matches!(words::status(word), Some("active" | "paused"))
}

/// Words that are read as others.
fn odd_words(basics: &Basics, manifest: &Value) -> Vec<String> {
    let mut remarks = Vec::new();
    let mut differs = |what: &str, key: &str, here: &str, is_known: bool| {
        let said = match manifest.get(key) {
            Some(Value::String(said)) if said != here => shortened(&one_line(said), MAX_WORD),
            Some(Value::Null | Value::String(_)) | None => return,
            Some(other) => shortened(&one_line(&other.to_string()), MAX_WORD),
        };
        let not_known = if is_known { "" } else { ", which is not known here" };
        remarks.push(format!("its {what} is `{said}`{not_known}; it is taken as `{here}`"));
    };
    let known = |key: &str, is: &dyn Fn(&str) -> bool| {
        manifest.get(key).and_then(Value::as_str).is_some_and(is)
    };
    let is_phase = known("current_phase", &|word| words::phase(word).is_some());
    let is_behind = basics.current_phase == "complete"
        && known("current_phase", &|word| words::phase(word) != Some("complete"));
    if !is_behind {
        differs("phase", "current_phase", &basics.current_phase, is_phase);
    }
    let is_status = known("status", &|word| words::status(word).is_some());
    let is_left = basics.status == "complete" && known("status", &is_open);
    if !is_left {
        differs("status", "status", &basics.status, is_status);
    }
    differs("type", "session_type", &basics.session_type, false);
    if is_left {
        remarks.push("its status was left at what it was when it was completed".to_owned());
    }
    if is_behind {
        let said = manifest.get("current_phase").and_then(Value::as_str).unwrap_or_default();
        let said = shortened(&one_line(said), MAX_WORD);
        remarks.push(format!(
            "it says that it is in phase {said}; all its phases were completed, so that it is complete"
        ));
    }
    if manifest.get("current_phase").is_none_or(Value::is_null) {
        let phase = &basics.current_phase;
        remarks.push(format!("it does not say which phase it is in; it is taken to be in {phase}"));
    }
    remarks
}

/// Phases that do not fit to where the session says it is.
fn odd_phases(basics: &Basics, phases: &[PastPhase]) -> Vec<String> {
    let mut remarks = Vec::new();
    let place = phases.iter().position(|phase| phase.name == basics.current_phase);
    let later = phases.iter().skip(place.map_or(phases.len(), |place| place + 1));
    for phase in later.filter(|phase| phase.started_at.is_some()) {
        let done = if phase.completed_at.is_some() { "completed" } else { "begun" };
        let (name, current) = (&phase.name, &basics.current_phase);
        remarks.push(format!("it says that it is in phase {current}, although {name} was {done}"));
    }
    if basics.current_phase == "complete" {
        for phase in phases.iter().filter(|phase| is_half_done(phase)) {
            remarks.push(format!(
                "it says that it is complete, and not when its phase {} was",
                phase.name
            ));
        }
    }
    for phase in phases {
        if let (Some(started), Some(completed)) = (phase.started_at, phase.completed_at)
            && completed < started
        {
            remarks.push(format!("its phase {} was completed before it began", phase.name));
        }
    }
    remarks
}

/// Times that are read otherwise than they are written, or not there.
fn odd_times(basics: &Basics, manifest: &Value) -> Vec<String> {
    let mut remarks = Vec::new();
    let mut written = Vec::new();
    for key in ["created_at", "updated_at"] {
        written.extend(manifest.get(key));
    }
    for key in ["phase_history", "phases"] {
        let fields = manifest.get(key).and_then(Value::as_object);
        for value in fields.into_iter().flat_map(|fields| fields.values()) {
            written.push(value);
            let below = value.as_object().into_iter().flatten();
            written.extend(below.filter(|(name, _)| name.ends_with("_at")).map(|(_, time)| time));
        }
    }
    let commits = manifest.get("commits").and_then(Value::as_array).into_iter().flatten();
    written.extend(commits.filter_map(|commit| commit.get("created_at")));
    let is_naive = |text: &str| {
        let has_clock = text.contains(':');
        has_clock && Timestamp::lenient(text).is_none() && Basics::time(&text.into()).is_some()
    };
    if written.iter().filter_map(|value| value.as_str()).any(is_naive) {
        remarks.push("its times that have no offset are taken as UTC".to_owned());
    }
    if basics.created_at.is_none() {
        let commits = basics.commits.iter().filter_map(|commit| commit.created_at);
        let phases = PHASES.iter().flat_map(|name| <[_; 2]>::from(times(name, basics))).flatten();
        let taken = match commits.chain(phases).next() {
            Some(_) => "the earliest time that it tells",
            None => "the time of the import",
        };
        remarks.push(format!("it does not say when it began; {taken} is taken"));
    }
    remarks
}

/// Why it rests, where it says so.
fn pause(basics: &Basics, manifest: &Value) -> Option<PastPause> {
    let text = |names: &[&str]| names.iter().find_map(|name| manifest.get(*name)?.as_str());
    let reason = text(&["pause_reason", "paused_reason", "blocked_reason", "blocked_by"])?;
    let since = ["paused_at", "blocked_at"].iter().find_map(|key| Basics::time(manifest.get(key)?));
    (basics.status == "paused").then(|| PastPause {
        reason: reason.to_owned(),
        context: None,
        since,
    })
}

/// What the first version knows of the work under way.
fn take_plan_state(past: &mut Past, manifest: &Value, is_over: bool) {
    let state = manifest.get("plan_state").unwrap_or(&Value::Null);
    let text = |key: &str| state.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    if let Some(summary) = text("summary") {
        if is_over {
            past.summary = Some(summary.to_owned());
        } else {
            let time = state.get("last_updated").and_then(Basics::time);
            let (kind, text) = ("progress".to_owned(), summary.to_owned());
            past.notes.push(PastNote { kind, text, by: None, time });
        }
    }
    if !is_over {
        past.focus = Focus { task: text("current_task").map(str::to_owned), ..Focus::default() };
    }
}
