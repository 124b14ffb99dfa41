//! Sessions as folders with a `state.json`, in the versions that their own program wrote: what the manifest says of
//! phases, decisions and questions. Keys that nobody here knows stay in the manifest, which is kept as it is.

use serde_json::{Map, Value};
use waypost_core::event::{Past, PastNote, PastPhase};
use waypost_core::session::Basics;
use waypost_core::text::{one_line, shortened};
use waypost_core::time::Timestamp;
use waypost_core::track::{Definition, PhaseResult, builtin};

use super::session::times::Times;
use super::session::{Brought, ForeignFile, Outline, Reading, Status};

/// The format's name.
pub const FORMAT: &str = "session-folder";
/// The name of the format of research that lies by itself.
pub const RESEARCH: &str = "research-folder";
/// The file that makes a folder one.
pub const MANIFEST: &str = "state.json";

/// The phases that such sessions have.
const PHASES: [&str; 4] = ["spec", "plan", "build", "docs"];
/// Words for a phase that was never begun.
const NOT_BEGUN: &[&str] = &["not_started", "pending", "todo"];

/// Reads a manifest. `folder` is the name of the folder that it lies in.
pub fn read(file: &ForeignFile<'_>, folder: &str, times: &Times<'_>) -> Option<Reading> {
    let fields = file.json().filter(|fields| is_manifest(fields))?;
    let text = |key: &str| fields.get(key).and_then(Value::as_str).unwrap_or_default();
    if [text("session_id"), text("topic")].iter().any(|text| text.contains("{{")) {
        return Some(Reading::NoSession(
            "it is a template: its placeholders are not filled in".to_owned(),
        ));
    }
    let name = if folder.is_empty() { text("session_id") } else { folder };
    let mut remarks = Vec::new();
    let id = text("session_id");
    if !id.is_empty() && id != name {
        remarks.push(format!("its manifest calls it {id}; here it has the name of its folder"));
    }
    let told = told(&Value::Object(fields.clone()), times);
    remarks.extend(told.remarks);
    Some(Reading::Sessions(vec![Brought {
        name: name.to_owned(),
        format: FORMAT,
        manifest: Value::Object(fields.clone()),
        past: told.past,
        definition: told.definition,
        original: Map::new(),
        remarks,
    }]))
}

/// Other files of such programs, and where they belong; and research that lies by itself.
pub fn read_other(file: &ForeignFile<'_>, times: &Times<'_>) -> Option<Reading> {
    if file.text().is_some_and(|text| text.contains("evidence_schema:")) {
        let told =
            "it is a gate definition of praxis-os; it is read where it lies, beside its workflow";
        return Some(Reading::NoSession(told.to_owned()));
    }
    let fields = file.json()?;
    let has = |key: &str| fields.contains_key(key);
    let told = |what: &str| Some(Reading::NoSession(what.to_owned()));
    if has("checkpoints") && (has("spec_reference") || has("session_id")) {
        return told("it is a plan; it comes along with the folder of its session");
    }
    if has("session_id") && (has("notes") || has("dev_notes")) && !has("current_phase") {
        return told("these are notes of a session; they come along with its folder");
    }
    if has("active_session") || has("active_session_id") {
        return told("it says which session was current there; here that is chosen anew");
    }
    if has("$schema") && (has("properties") || has("definitions")) {
        return told("it is a JSON schema, which holds no session");
    }
    research(file, fields, times)
}

/// Research with a request and what was found out, in a folder of its own.
fn research(
    file: &ForeignFile<'_>,
    fields: &Map<String, Value>,
    times: &Times<'_>,
) -> Option<Reading> {
    let text = |key: &str| fields.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let (name, request) = (text("id")?, text("request")?);
    let is_research = ["research_plan", "subtasks", "report_style", "iterations"];
    if !is_research.iter().any(|key| fields.contains_key(*key)) {
        return None;
    }
    let time = |key: &str| text(key).and_then(|time| times.read(time));
    let status = match text("status") {
        Some("complete" | "completed") => Status::Complete,
        Some("failed" | "error") => Status::Failed,
        _ => Status::Active,
    };
    let outline = Outline {
        session_id: name.to_owned(),
        topic: shortened(&one_line(request), 300),
        description: Some(request.to_owned()),
        status,
        created_at: time("created_at").or_else(|| time("started_at")),
        updated_at: time("completed_at").or_else(|| time("updated_at")),
        ..Outline::default()
    };
    let ended_at = time("completed_at").filter(|_| status == Status::Complete);
    let workflow = Some("none".to_owned());
    Some(Reading::Sessions(vec![Brought {
        name: name.to_owned(),
        format: RESEARCH,
        manifest: outline.manifest(),
        past: Past { workflow, ended_at, ..Past::default() },
        definition: None,
        original: file.original(),
        remarks: Vec::new(),
    }]))
}

/// Whether an object is such a manifest: it has a session's name and phase, in the words of one of its versions.
fn is_manifest(fields: &Map<String, Value>) -> bool {
    let has = |key: &str| fields.contains_key(key);
    let by_phase = fields.get("current_phase").is_some_and(Value::is_string);
    has("session_id")
        && by_phase
        && ["topic", "phase_history", "phases", "session_type", "granularity", "plan_state"]
            .iter()
            .any(|key| has(key))
}

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
pub fn told(manifest: &Value, times: &Times<'_>) -> ToldBy {
    let basics = Basics::read(manifest);
    let mut told =
        ToldBy { definition: builtin::workflow(&basics.session_type), ..ToldBy::default() };
    let Some(definition) = &told.definition else { return told };
    let is_complete = basics.current_phase == "complete";
    let mut phases: Vec<PastPhase> = definition
        .phases
        .iter()
        .filter_map(|phase| past_phase(&phase.name, definition, &basics, manifest, times))
        .collect();
    if is_complete {
        for phase in &mut phases {
            leave_out(phase);
        }
    }
    let begun = phases.iter().rev().find(|phase| phase.result != PhaseResult::Skipped);
    let current =
        Some(basics.current_phase.as_str()).filter(|name| definition.phase(name).is_some());
    let last = begun.map(|phase| phase.name.clone());
    if current.is_none() && !is_complete {
        told.remarks.push(format!(
            "it is in phase {}, which a {} session does not have",
            basics.current_phase, basics.session_type
        ));
    }
    // What such sessions call done may have phases that nobody began.
    let ended =
        phases.iter().filter_map(|phase| phase.completed_at).max_by_key(|at| at.as_millis());
    told.past.phase = current.map(str::to_owned).or(last);
    told.past.complete = is_complete;
    told.past.ended_at = ended.filter(|_| basics.lifecycle().is_over()).or(basics.updated_at);
    if !basics.lifecycle().is_over() {
        told.past.ended_at = None;
    }
    told.past.phases = phases;
    told.past.notes = notes(manifest, times);
    told
}

fn past_phase(
    name: &str,
    definition: &Definition,
    basics: &Basics,
    manifest: &Value,
    times: &Times<'_>,
) -> Option<PastPhase> {
    let at = PHASES.iter().position(|phase| *phase == name)?;
    let history = &basics.phase_history;
    let (started, completed) = [
        (history.spec_started_at, history.spec_completed_at),
        (history.plan_started_at, history.plan_completed_at),
        (history.build_started_at, history.build_completed_at),
        (history.docs_started_at, history.docs_completed_at),
    ][at];
    let older = manifest.get("phases").and_then(|phases| phases.get(name));
    let word = older.and_then(|phase| phase.get("status")?.as_str()).unwrap_or_default();
    // Times without an offset are not known to the manifest itself.
    let naive = |key: &str| -> Option<Timestamp> {
        let found = manifest.get("phase_history")?.get(format!("{name}_{key}"))?;
        times.value(found)
    };
    let started_at = started.or_else(|| naive("started_at"));
    let completed_at = completed.or_else(|| naive("completed_at"));
    let result = match word {
        "skipped" => PhaseResult::Skipped,
        "finalized" | "completed" | "complete" | "done" => PhaseResult::Passed,
        _ if completed_at.is_some() => PhaseResult::Passed,
        _ => PhaseResult::Pending,
    };
    Some(PastPhase {
        number: definition.number(name).unwrap_or_default(),
        name: name.to_owned(),
        result,
        started_at,
        completed_at,
        skipped: (result == PhaseResult::Skipped || NOT_BEGUN.contains(&word))
            .then(|| format!("it says `{word}`")),
        ..PastPhase::default()
    })
}

/// A phase of a session that is complete, and that nobody began.
fn leave_out(phase: &mut PastPhase) {
    let begun = phase.started_at.is_some() || phase.completed_at.is_some();
    if phase.result == PhaseResult::Pending && !begun {
        phase.result = PhaseResult::Skipped;
        phase
            .skipped
            .get_or_insert_with(|| "nobody had begun it when the session was completed".to_owned());
    } else if phase.result != PhaseResult::Skipped {
        phase.skipped = None;
    }
}

/// What was decided, asked and aimed at.
fn notes(manifest: &Value, times: &Times<'_>) -> Vec<PastNote> {
    let list = |key: &str| manifest.get(key).and_then(Value::as_array).into_iter().flatten();
    let mut notes = Vec::new();
    let goals = manifest.get("goals").and_then(Value::as_object).into_iter().flatten();
    for goal in goals.filter_map(|(_, list)| list.as_array()).flatten() {
        notes.extend(note("goal", goal, times));
    }
    notes.extend(list("key_decisions").filter_map(|decision| note("decision", decision, times)));
    notes.extend(list("open_questions").filter_map(|question| note("question", question, times)));
    notes
}

fn note(kind: &str, value: &Value, times: &Times<'_>) -> Option<PastNote> {
    let field = |names: &[&str]| {
        names.iter().find_map(|name| value.get(*name)?.as_str()).map(str::to_owned)
    };
    let what = match value {
        Value::String(text) => Some(text.clone()),
        _ => field(&["decision", "title", "question", "goal", "text", "description", "summary"]),
    };
    let why = field(&["rationale", "reason", "answer"]);
    let text = match (what, why) {
        (Some(what), Some(why)) => format!("{what}: {why}"),
        (what, why) => what.or(why)?,
    };
    let time = ["made_at", "date", "asked_at", "created_at", "timestamp"]
        .iter()
        .find_map(|name| times.value(value.get(*name)?));
    Some(PastNote { kind: kind.to_owned(), text, by: field(&["decided_by", "by"]), time })
}
