//! A session that came as a note: the same note, with what has happened since.

use serde_json::{Map, Value};
use waypost_core::event::PastNote;
use waypost_core::time::Timestamp;

use super::workflow::{Reader, Source};
use super::{lost, new_commits, since, status};
use crate::foreign::brain::NOTE;
use crate::foreign::brain::matter::Matter;
use crate::foreign::brain::note::read_status;
use crate::foreign::brain::told::Told;
use crate::foreign::protocol_session::new_text;
use crate::foreign::session::times::Times;
use crate::foreign::session::{Leaving, Written};

pub(super) fn write(session: &Leaving<'_>) -> Written {
    let original = session.came_as(NOTE).and_then(|imported| imported.original.iter().next());
    let name = original.map_or_else(|| format!("{}.md", session.id), |(name, _)| name.clone());
    let text = original.and_then(|(_, text)| text.as_str()).unwrap_or_default();
    if session.came_just_so(NOTE).is_some() {
        return Written { name, text: text.to_owned(), lost: Vec::new() };
    }
    let mut lost = lost(session);
    // Brain knows no other.
    let word = match status(session) {
        "complete" => "COMPLETE",
        "failed" => {
            lost.push("that it failed: Brain calls it COMPLETE".to_owned());
            "COMPLETE"
        }
        "paused" => "PAUSED",
        _ => "IN_PROGRESS",
    };
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut written = with_status(text, word, end);
    if let Some(day) = session.state.updated_at.map(|time| time.to_string()) {
        written = with_field(&written, "updated", day.get(..10).unwrap_or_default(), end);
    }
    let added = added(session);
    if !written.ends_with('\n') {
        written.push_str(end);
    }
    for line in added {
        written.push_str(&line);
        written.push_str(end);
    }
    Written { name, text: written, lost }
}

/// What has happened since, as sections of a note.
fn added(session: &Leaving<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut notes: Vec<String> = since(session.notes, session.imported)
        .map(|note| format!("- [{}] {}", note.kind, one_line(&note.text)))
        .collect();
    notes.extend(by_agents(session).iter().map(|note| {
        let by = note.by.as_ref().map(|by| format!(" ({})", one_line(by)));
        format!("- [{}] {}{}", note.kind, one_line(&note.text), by.unwrap_or_default())
    }));
    let past = session.came_as(NOTE).map(|imported| &imported.past);
    let summary = new_text(session.summary, past.and_then(|past| past.summary.as_deref()));
    notes.extend(summary.map(|text| format!("- [outcome] {}", one_line(text))));
    if !notes.is_empty() {
        lines.extend([String::new(), "## Observations since".to_owned(), String::new()]);
        lines.extend(notes);
    }
    let commits = new_commits(session);
    if !commits.is_empty() {
        lines.extend([String::new(), "## Commits since".to_owned(), String::new()]);
        lines.extend(commits.iter().map(|(sha, message)| format!("- {sha} {}", one_line(message))));
    }
    if let Some(pause) = session.state.pause.as_ref().filter(|_| status(session) == "paused") {
        let day = pause.since.to_string();
        let day = day.get(..10).unwrap_or_default().to_owned();
        lines.extend([String::new(), format!("### Pause Point - {day}"), String::new()]);
        lines.push(format!("**Pausing because:** {}", one_line(&pause.reason)));
        let context = pause.context.as_deref().map(one_line);
        lines.extend(context.map(|text| format!("**Resume from:** {text}")));
    }
    let next = new_text(session.next_notes, past.and_then(|past| past.next_notes.as_deref()));
    if let Some(next) = next {
        lines.extend([String::new(), "## Next Session since".to_owned(), String::new()]);
        lines.extend(next.lines().map(str::to_owned));
    }
    lines
}

/// What agents did for each other since, in the words in which a state that is brought is told.
fn by_agents(session: &Leaving<'_>) -> Vec<PastNote> {
    if session.state.orchestration.is_unused() {
        return Vec::new();
    }
    // Notes have their own lines.
    let source = Source { notes: &[], imported: None, ..session.source() };
    let workflow = source.workflow(None, Reader::Anyone).map_or(Value::Null, Value::Object);
    let utc = |_: Timestamp| 0;
    let times = Times::new(&utc);
    let mut told = Told::new(&times);
    told.state(&Map::from_iter([("orchestratorWorkflow".to_owned(), workflow)]));
    told.notes
}

/// The note with another status, wherever it says one: in its front matter, where Brain reads it, and in its text.
fn with_status(text: &str, word: &str, end: &str) -> String {
    let mut written = String::with_capacity(text.len() + 64);
    let body = text.len() - Matter::of(text).body.len();
    let (mut at, mut done, mut section) = (0, false, None);
    for line in text.split_inclusive('\n') {
        let plain = line.trim();
        let is_matter = at < body;
        at += line.len();
        if !is_matter && let Some(name) = plain.strip_prefix("## ") {
            section = Some(name.trim().eq_ignore_ascii_case("status"));
        }
        let begins = |name: &str| {
            plain.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
        };
        if is_matter && !done && begins("status:") {
            written.push_str(&format!("status: {word}{end}"));
            done = true;
        } else if !is_matter
            && section.is_none()
            && (begins("**Status:**") || begins("**Status**:"))
        {
            written.push_str(&format!("**Status:** {word}{end}"));
        } else if section == Some(true) && plain.starts_with("**") && read_status(plain).1 {
            written.push_str(&format!("**{word}**{end}"));
        } else {
            written.push_str(line);
        }
    }
    if done { written } else { with_field_added(&written, word, end) }
}

/// A note whose front matter says no status gets one, as its first field.
fn with_field_added(text: &str, word: &str, end: &str) -> String {
    match text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) {
        Some(rest) => format!("---{end}status: {word}{end}{rest}"),
        None => format!("---{end}type: session{end}status: {word}{end}---{end}{end}{text}"),
    }
}

/// The note with another value of a field that its front matter has.
fn with_field(text: &str, key: &str, value: &str, end: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let body = text.len() - Matter::of(text).body.len();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let is_field = line.split_once(':').is_some_and(|(name, _)| name.eq_ignore_ascii_case(key));
        let is_matter = at < body;
        at += line.len();
        if is_field && is_matter {
            written.push_str(&format!("{key}: {value}{end}"));
        } else {
            written.push_str(line);
        }
    }
    written
}
