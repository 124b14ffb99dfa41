//! Sessions of numbered workflows, a file of JSON each, in the shapes that their own program wrote and in the one that was
//! proposed for it, which manifests here use too. Whether one is complete is told by its phases, since those programs
//! called complete what was not and had no word for what was. Takes values; it opens no file and keeps nothing.

mod extent;
mod phases;
mod source;
mod verdict;
mod writing;

use serde_json::{Map, Value};
use waypost_core::event::{Past, PastError, PastPause};
use waypost_core::text::{one_line, shortened};
use waypost_core::time::Timestamp;

pub use writing::{Offset, write};

use self::extent::Extent;
use self::source::Source;
use self::verdict::Verdict;
use super::session::times::{LOCAL_TIMES, Times};
use super::session::{Brought, ForeignFile, Outline, Reading, Status};

/// The format's name.
pub const FORMAT: &str = "praxis";

/// How much of a name is in a topic, in characters.
const MAX_NAME: usize = 120;
/// How much of a reason is in a remark, in characters.
const MAX_REASON: usize = 300;
/// Files that every such folder has: the folder's name says more.
const USUAL_FILES: &[&str] = &["tasks.md", "spec.md", "specs.md", "srd.md", "readme.md"];
/// What the program writes for a session that is about no file.
const NO_TARGET: &str = "unknown";
/// Where in the metadata stands what the program has no key for, and the time that it holds for.
const ASIDE: &str = "waypost";
const AS_OF: &str = "as_of";

/// Reads a session; `None` if it is none of this format.
pub fn read(file: &ForeignFile<'_>, times: &Times<'_>) -> Option<Reading> {
    let fields = file.json()?;
    if is_workflow(fields) {
        return Some(Reading::NoSession(
            "it is a workflow definition of praxis-os; it is read where it lies, in the project's workflow folders"
                .to_owned(),
        ));
    }
    if is_browser(fields) {
        return Some(Reading::NoSession(
            "it is a browser that praxis-os had open, and holds no work".to_owned(),
        ));
    }
    if !is_session(fields) {
        return None;
    }
    let Some(workflow) = words(fields, "workflow_type") else {
        return Some(Reading::Refused(
            "`workflow_type` has to be a text that is not empty: put the workflow's name there and import it again"
                .to_owned(),
        ));
    };
    let (told, mut remarks) = (name(fields), Vec::new());
    let name = told.unwrap_or_else(|| {
        remarks.push("its `session_id` is missing: it has the name of its file".to_owned());
        file.stem().to_owned()
    });
    // What another file said of its times is not said of this one's.
    times.took_naive();
    Some(Reading::Sessions(vec![brought(file, fields, (&name, workflow), times, remarks)]))
}

/// Whether an object is a session: its workflow, and how far it came. Without a name, that has to be told twice.
fn is_session(fields: &Map<String, Value>) -> bool {
    let of = |key: &str, is: fn(&Value) -> bool| usize::from(fields.get(key).is_some_and(is));
    let told = of("current_phase", |value| source::whole(value).is_some() || value.is_number())
        + of("completed_phases", Value::is_array)
        + of("checkpoints", Value::is_object)
        + of("phase_artifacts", Value::is_object);
    fields.contains_key("workflow_type") && told > usize::from(!fields.contains_key("session_id"))
}

/// The name of a session, which may be a number.
fn name(fields: &Map<String, Value>) -> Option<String> {
    let number = || fields.get("session_id").filter(|id| id.is_number()).map(Value::to_string);
    words(fields, "session_id").map(str::to_owned).or_else(number)
}

/// Whether an object is a browser that the program had open, which it keeps in the same way.
fn is_browser(fields: &Map<String, Value>) -> bool {
    ["session_id", "browser_type", "tab_ids"].iter().all(|key| fields.contains_key(*key))
}

/// Whether an object is a workflow that sessions follow.
fn is_workflow(fields: &Map<String, Value>) -> bool {
    !fields.contains_key("session_id")
        && fields.get("workflow_type").is_some_and(Value::is_string)
        && (fields.get("phases").is_some_and(Value::is_array)
            || fields.contains_key("total_phases"))
}

fn brought(
    file: &ForeignFile<'_>,
    fields: &Map<String, Value>,
    (name, workflow): (&str, &str),
    times: &Times<'_>,
    mut remarks: Vec<String>,
) -> Brought {
    let source = Source::new(fields, &mut remarks);
    let extent = Extent::of(&source, workflow, &mut remarks);
    let verdict = Verdict::of(&source, &extent, &mut remarks);
    let time = |key: &str| times.value(fields.get(key)?);
    let (created_at, updated_at) = (time("created_at"), time("updated_at"));
    let definition = phases::definition(&source, workflow, &extent, &verdict);
    let known = phases::known(&source, &definition, &verdict, created_at, times, &mut remarks);
    let place = usize::try_from(verdict.current.saturating_sub(source.first)).unwrap_or_default();
    let closed_at =
        known.iter().filter_map(|phase| phase.completed_at).max_by_key(|at| at.as_millis());
    let flag = |key: &str| times.value(source.lifecycle(key)?);
    let ended = || match verdict.status {
        Status::Complete => {
            flag("completed_at").or_else(|| time("completed_at")).or(closed_at).or(updated_at)
        }
        Status::Failed => time("completed_at").or(updated_at),
        Status::Active | Status::Paused => None,
    };
    let past = Past {
        workflow: Some(workflow.to_owned()),
        target: target(fields).map(str::to_owned),
        options: options(fields),
        phase: definition.phases.get(place).map(|phase| phase.name.clone()),
        complete: verdict.complete,
        ended_at: ended(),
        resumed: source.lifecycle("resume_count").and_then(Value::as_u64).unwrap_or_default(),
        resumed_at: flag("resumed_at"),
        pause: pause(&source, verdict.status, flag("paused_at")),
        last_error: error(fields, &source, verdict.status, flag("last_error_at").or_else(ended)),
        phases: known,
        ..Past::default()
    };
    tell_failure(&past, verdict.status, &mut remarks);
    let outline = Outline {
        session_id: name.to_owned(),
        topic: topic(fields, workflow),
        description: metadata(fields).and_then(|it| words(it, "description")).map(str::to_owned),
        status: verdict.status,
        created_at,
        updated_at,
        ..Outline::default()
    };
    if created_at.is_none() {
        remarks.push(
            "it does not say when it began, or not as a time: it counts as begun when it was imported"
                .to_owned(),
        );
    }
    if times.took_naive() {
        remarks.push(LOCAL_TIMES.to_owned());
    }
    Brought {
        name: name.to_owned(),
        format: FORMAT,
        manifest: outline.manifest(),
        past,
        definition: Some(definition),
        original: file.original(),
        remarks,
    }
}

/// A text that says something.
fn words<'a>(fields: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    fields.get(key)?.as_str().map(str::trim).filter(|text| !text.is_empty())
}

/// What it is about.
fn target(fields: &Map<String, Value>) -> Option<&str> {
    words(fields, "target_file").filter(|target| !target.eq_ignore_ascii_case(NO_TARGET))
}

fn metadata(fields: &Map<String, Value>) -> Option<&Map<String, Value>> {
    fields.get("metadata")?.as_object()
}

/// What whoever began it chose. Where choices have a key of their own, the target and the count beside them are none.
fn options(fields: &Map<String, Value>) -> Map<String, Value> {
    let Some(metadata) = metadata(fields) else { return Map::new() };
    let chosen = metadata.get("user_options").and_then(Value::as_object);
    let structure = fields.get("workflow_structure");
    let is_chosen = |key: &str, value: &Value| match key {
        ASIDE => !value.is_object(),
        _ if chosen.is_none() => true,
        "user_options" | "topic" => false,
        "spec_path" => !value.is_null() && Some(value) != fields.get("target_file"),
        "total_phases" => Some(value) != structure.and_then(|it| it.get("total_phases")),
        _ => true,
    };
    let beside = metadata.iter().filter(|(key, value)| is_chosen(key, value));
    let beside = beside.map(|(key, value)| (key.clone(), value.clone()));
    beside.chain(chosen.cloned().into_iter().flatten()).collect()
}

/// What a person knows it by: what it is about, and how it was done.
fn topic(fields: &Map<String, Value>, workflow: &str) -> String {
    let metadata = metadata(fields);
    let of_metadata = |key: &str| metadata.and_then(|it| words(it, key));
    let has_choices = metadata.is_some_and(|it| it.contains_key("user_options"));
    if let Some(topic) = of_metadata("topic").filter(|_| has_choices) {
        return topic.to_owned();
    }
    let target = target(fields).and_then(last_part);
    let about = target
        .or_else(|| of_metadata("spec_path").and_then(last_part))
        .or_else(|| of_metadata("feature_name"));
    let workflow = shortened(&one_line(workflow), MAX_NAME);
    match about {
        Some(about) => format!("{workflow}: {}", shortened(&one_line(about), MAX_NAME)),
        None => workflow,
    }
}

/// The last part of a path that tells it from others.
fn last_part(path: &str) -> Option<&str> {
    let mut parts = path.rsplit(['/', '\\']).filter(|part| !part.is_empty() && *part != ".");
    let last = parts.next()?;
    let is_usual = USUAL_FILES.iter().any(|usual| last.eq_ignore_ascii_case(usual));
    Some(parts.next().filter(|_| is_usual).unwrap_or(last))
}

fn pause(source: &Source<'_>, status: Status, since: Option<Timestamp>) -> Option<PastPause> {
    let text = |key: &str| source.lifecycle(key)?.as_str().filter(|text| !text.is_empty());
    let reason = match text("paused_reason") {
        Some(reason) => reason,
        None if status == Status::Paused => "it does not say why",
        None => return None,
    };
    Some(PastPause {
        reason: reason.to_owned(),
        context: text("paused_context").map(str::to_owned),
        since,
    })
}

fn error(
    fields: &Map<String, Value>,
    source: &Source<'_>,
    status: Status,
    time: Option<Timestamp>,
) -> Option<PastError> {
    let told =
        source.lifecycle("last_error").and_then(Value::as_str).filter(|text| !text.is_empty());
    let text = match told.or_else(|| words(fields, "error_reason")) {
        Some(text) => text,
        None if status == Status::Failed => "it failed, and does not say why",
        None => return None,
    };
    Some(PastError { text: text.to_owned(), time })
}

/// Says why it failed. Whoever deletes a session there leaves it as one that failed.
fn tell_failure(past: &Past, status: Status, remarks: &mut Vec<String>) {
    let Some(error) = past.last_error.as_ref().filter(|_| status == Status::Failed) else { return };
    remarks.push(match error.text.as_str() {
        "manually_deleted" => {
            "somebody deleted it there (`manually_deleted`): here it has failed".to_owned()
        }
        text => format!("it failed: {}", shortened(&one_line(text), MAX_REASON)),
    });
}

#[cfg(test)]
mod tests;
