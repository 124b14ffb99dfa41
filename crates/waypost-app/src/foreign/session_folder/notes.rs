//! What was aimed at, decided and asked, in the shapes that manifests have it in.

use serde_json::Value;
use waypost_core::event::PastNote;
use waypost_core::manifest::DESCRIPTION;
use waypost_core::session::Basics;

/// The levels of goals, the highest first.
const LEVELS: [&str; 5] = ["high_level", "mid_level", "detailed", "low_level", "implementation"];
/// Fields that say what an entry is, the first that there is.
const WHAT: &[&str] =
    &["decision", "title", "question", "goal", "text", "description", "summary", "name"];
/// Fields that say why.
const WHY: &[&str] = &["rationale", "reason"];
/// Fields that say what was answered.
const ANSWER: &[&str] = &["answer", "resolution"];
/// Fields that say when.
const WHEN: &[&str] = &["made_at", "date", "decided_at", "asked_at", "created_at", "timestamp"];
/// Fields that say who.
const WHO: &[&str] = &["decided_by", "made_by", "asked_by", "by"];
/// Deeper lists are not looked into.
const MAX_DEPTH: usize = 4;

/// What a manifest holds beside its phases.
pub(super) fn notes(manifest: &Value) -> Vec<PastNote> {
    let mut notes = Vec::new();
    let field = |key: &str| manifest.get(key).unwrap_or(&Value::Null);
    if let Some(text) = field("description").as_str().filter(|text| !text.trim().is_empty()) {
        notes.push(plain(DESCRIPTION, text.to_owned()));
    }
    goals(field("goals"), &mut notes);
    for (key, kind) in [
        ("key_decisions", "decision"),
        ("decisions", "decision"),
        ("open_questions", "question"),
        ("blockers", "blocker"),
    ] {
        each(field(key), 0, &mut |name, value| notes.extend(note(kind, name, value)));
    }
    for (key, kind) in [("research_artifacts", "research"), ("doc_updates", "docs")] {
        each(field(key), 0, &mut |_, value| notes.extend(artifact(kind, value)));
    }
    for (key, what) in [("prior_session", "prior session"), ("parent_session", "parent session")] {
        if let Some(other) = field(key).as_str().filter(|other| !other.trim().is_empty()) {
            notes.push(plain("link", format!("{what}: {other}")));
        }
    }
    notes
}

fn goals(goals: &Value, notes: &mut Vec<PastNote>) {
    let Value::Object(levels) = goals else {
        return each(goals, 0, &mut |name, value| notes.extend(note("goal", name, value)));
    };
    let known = LEVELS.iter().filter_map(|level| levels.get(*level));
    let others = levels.iter().filter(|(level, _)| !LEVELS.contains(&level.as_str()));
    for level in known.chain(others.map(|(_, goals)| goals)) {
        each(level, 0, &mut |name, value| notes.extend(note("goal", name, value)));
    }
}

/// Hands over each entry of a list, or of an object of texts with its name.
fn each(value: &Value, depth: usize, take: &mut dyn FnMut(Option<&str>, &Value)) {
    match value {
        Value::Array(entries) if depth < MAX_DEPTH => {
            for entry in entries {
                each(entry, depth + 1, take);
            }
        }
        Value::Object(fields) if !is_entry(fields) => {
            for (name, entry) in fields.iter().filter(|(_, entry)| entry.is_string()) {
                take(Some(name), entry);
            }
        }
        Value::String(_) | Value::Object(_) => take(None, value),
        _ => {}
    }
}

/// Whether an object is one entry: it has a field that says what it is.
fn is_entry(fields: &serde_json::Map<String, Value>) -> bool {
    WHAT.iter().chain(WHY).chain(&["path", "report_path"]).any(|name| fields.contains_key(*name))
}

fn note(kind: &str, name: Option<&str>, value: &Value) -> Option<PastNote> {
    // Templates show what an entry looks like.
    if value.get("_example").and_then(Value::as_bool) == Some(true) {
        return None;
    }
    let what = match value {
        Value::String(text) => Some(text.as_str()),
        _ => first(value, WHAT),
    };
    let what = match (name, what) {
        (Some(name), Some(what)) => Some(format!("{name}: {what}")),
        (_, what) => what.map(str::to_owned),
    };
    let answer = first(value, ANSWER);
    let why = first(value, WHY).or(answer);
    let text = match (what, why) {
        (Some(what), Some(why)) => format!("{what}: {why}"),
        (what, why) => what.or(why.map(str::to_owned))?,
    };
    // A question that has its answer is open no longer.
    let is_answered = kind == "question" && (answer.is_some() || is_settled(value));
    let kind = if is_answered { "answer" } else { kind };
    let time = WHEN.iter().find_map(|name| Basics::time(value.get(*name)?));
    let by = first(value, WHO).map(str::to_owned);
    (!text.trim().is_empty()).then(|| PastNote { by, time, ..plain(kind, text) })
}

/// A file that came of it.
fn artifact(kind: &str, value: &Value) -> Option<PastNote> {
    let path = value.as_str().or_else(|| first(value, &["path", "report_path"]));
    let what = first(value, &["description", "triggered_by"]);
    let text = match (path, what) {
        (Some(path), Some(what)) => format!("{path}: {what}"),
        (path, what) => path.or(what)?.to_owned(),
    };
    let time = WHEN.iter().find_map(|name| Basics::time(value.get(*name)?));
    Some(PastNote { time, ..plain(kind, text) })
}

fn is_settled(value: &Value) -> bool {
    let is_true = |name: &str| value.get(name).and_then(Value::as_bool) == Some(true);
    let status = first(value, &["status"]).unwrap_or_default().to_lowercase();
    is_true("resolved")
        || is_true("answered")
        || matches!(status.as_str(), "resolved" | "answered" | "closed" | "done")
}

fn first<'a>(value: &'a Value, names: &[&str]) -> Option<&'a str> {
    let texts = names.iter().filter_map(|name| value.get(*name)?.as_str());
    texts.into_iter().find(|text| !text.trim().is_empty())
}

fn plain(kind: &str, text: String) -> PastNote {
    PastNote { kind: kind.to_owned(), text, by: None, time: None }
}
