//! Sessions as folders with a `state.json`, in the versions that their own program wrote: what the manifest says of
//! phases, decisions and questions. Keys that nobody here knows stay in the manifest, which is kept as it is.

mod notes;
mod research;
mod told;

use serde_json::{Map, Value};

use super::session::times::Times;
use super::session::{Brought, ForeignFile, Reading};

pub use told::{ToldBy, told, told_with};

/// The format's name.
pub const FORMAT: &str = "session-folder";
/// The name of the format of research that lies by itself.
pub const RESEARCH: &str = "research-folder";
/// The file that makes a folder one.
pub const MANIFEST: &str = "state.json";

/// Reads a manifest. `folder` is the name of the folder that it lies in; empty where that is not known.
pub fn read(file: &ForeignFile<'_>, folder: &str) -> Option<Reading> {
    if !folder.is_empty() && file.text().is_some_and(|text| text.trim().is_empty()) {
        let told = "its state.json is empty; put back the one that it had, from git or a backup";
        return Some(Reading::Refused(told.to_owned()));
    }
    let fields = file.json().filter(|fields| is_manifest(fields, !folder.is_empty()))?;
    let text = |key: &str| fields.get(key).and_then(Value::as_str).unwrap_or_default().trim();
    if [text("session_id"), text("topic")].iter().any(|text| text.contains("{{")) {
        return Some(Reading::NoSession(
            "it is a template: its placeholders are not filled in".to_owned(),
        ));
    }
    let id = text("session_id");
    let name = if folder.is_empty() { id } else { folder };
    let mut remarks = Vec::new();
    if !id.is_empty() && id != name {
        remarks.push(format!("its manifest calls it {id}; here it has the name of its folder"));
    }
    let manifest = Value::Object(fields.clone());
    let told = told(&manifest);
    remarks.extend(told.remarks);
    Some(Reading::Sessions(vec![Brought {
        name: name.to_owned(),
        format: FORMAT,
        manifest,
        past: told.past,
        definition: told.definition,
        original: Map::new(),
        remarks,
    }]))
}

/// Whether a `state.json` is one of a session, of whatever program: a folder with it is that session's.
pub fn is_one(file: &ForeignFile<'_>) -> bool {
    let is_empty = file.text().is_some_and(|text| text.trim().is_empty());
    let Some(fields) = file.json() else { return is_empty };
    let is_research = fields.contains_key("id") && fields.contains_key("request");
    is_manifest(fields, true) || is_research || fields.contains_key("waypost")
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
    research::read(file, fields, times)
}

/// Whether an object is such a manifest, in the words of one of its versions: it tells of phases by their names, and of
/// what such sessions have. In a folder it need not say what the session is called.
fn is_manifest(fields: &Map<String, Value>, in_folder: bool) -> bool {
    let has = |key: &&str| fields.contains_key(*key);
    let is_object = |key: &str| fields.get(key).is_some_and(Value::is_object);
    let phase = fields.get("current_phase");
    let by_phase = phase.is_some_and(Value::is_string)
        || (phase.is_none_or(Value::is_null)
            && (is_object("phases") || is_object("phase_history")));
    let known = [
        "topic",
        "phase_history",
        "phases",
        "session_type",
        "granularity",
        "plan_state",
        "build_progress",
    ];
    let named = has(&"session_id");
    let wanted = if named { 1 } else { 2 };
    let is_other = has(&"workflow_type");
    by_phase
        && !is_other
        && (named || in_folder)
        && known.iter().filter(|key| has(key)).count() >= wanted
}

#[cfg(test)]
mod tests;
