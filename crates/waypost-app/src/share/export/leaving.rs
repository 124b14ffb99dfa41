//! What is known of a session, put together for whoever writes it down in another form.

use serde_json::Value;
use waypost_core::agents::Agents;
use waypost_core::chronicle::{Chronicle, Note};
use waypost_core::course::Course;
use waypost_core::id::{SessionId, StreamId};
use waypost_core::manifest::Manifest;
use waypost_core::record::Position;
use waypost_core::session::SessionState;
use waypost_core::story::Story;
use waypost_core::time::Timestamp;

use crate::error::AppError;
use crate::foreign::session::{Leaving, LeftViolation};
use crate::rulings::violations;
use crate::view::{Session, View};

/// What is known of a session.
pub(super) struct Told {
    pub(super) id: SessionId,
    pub(super) state: SessionState,
    pub(super) course: Course,
    pub(super) agents: Agents,
    pub(super) manifest: Value,
    pub(super) chronicle: Chronicle,
    /// What was written down, without what is told as summary and next notes.
    pub(super) notes: Vec<Note>,
    pub(super) violations: Vec<LeftViolation>,
    pub(super) summary: Option<String>,
    pub(super) next_notes: Option<String>,
    /// The last record's hash.
    pub(super) head: String,
}

impl Told {
    /// Reads a session's records, all of which have to verify.
    pub(super) fn of(view: &View<'_>, session: &Session) -> Result<Self, AppError> {
        let stream = StreamId::Session(session.id.clone());
        let (mut records, mut end) = (Vec::new(), Position::start(&stream));
        view.log.bytes(&stream, &mut end, &mut |_, record| records.push(record))?;
        let state = SessionState::fold(&records);
        let lifecycle = view.lifecycle(&state);
        let manifest = Manifest::of(&session.id, &records, &end.hash, lifecycle);
        let manifest = serde_json::to_value(&manifest)
            .map_err(|error| AppError::refused(error.to_string()).because(error))?;
        let story = Story::of(&records);
        let chronicle = Chronicle::of(&records);
        // The story has only the beginning of what is long.
        let ended = chronicle.ended.clone();
        let past = chronicle.imported.as_ref().map(|imported| &imported.past);
        let summary = ended.as_ref().and_then(|ended| ended.summary.clone());
        let summary =
            summary.or_else(|| whole(story.summary, past.and_then(|past| past.summary.as_ref())));
        let next_notes = ended
            .and_then(|ended| ended.next_notes)
            .or_else(|| whole(story.next_notes, past.and_then(|past| past.next_notes.as_ref())));
        let mut told = Self {
            id: session.id.clone(),
            state,
            course: Course::of(&records),
            agents: Agents::of(&records),
            manifest,
            notes: notes(&chronicle),
            chronicle,
            violations: Vec::new(),
            summary,
            next_notes,
            head: end.hash.clone(),
        };
        let mut missed = Vec::new();
        for record in &records {
            violations::note(&mut missed, record);
        }
        let past = told.chronicle.imported.as_ref().map(|imported| &imported.past.violations);
        let past: Vec<Option<Timestamp>> =
            past.into_iter().flatten().map(|missed| missed.time).collect();
        told.violations = missed
            .into_iter()
            .enumerate()
            .map(|(at, missed)| LeftViolation {
                requirement: missed.violation.requirement,
                severity: missed.violation.severity,
                phase: missed.violation.phase,
                // What came along says itself when it was, or nobody knows.
                time: past.get(at).copied().unwrap_or(Some(missed.time)),
                recovery: missed.recovery,
            })
            .collect();
        Ok(told)
    }

    /// The same for writers of other programs' formats.
    pub(super) fn leaving(&self) -> Leaving<'_> {
        Leaving {
            id: &self.id,
            state: &self.state,
            course: &self.course,
            agents: &self.agents,
            manifest: &self.manifest,
            notes: &self.notes,
            violations: &self.violations,
            summary: self.summary.as_deref(),
            next_notes: self.next_notes.as_deref(),
            imported: self.chronicle.imported.as_ref(),
        }
    }
}

/// All of a text of which the story has the beginning, where it was imported.
fn whole(beginning: Option<String>, imported: Option<&String>) -> Option<String> {
    let beginning = beginning?;
    let begins_so = |text: &&String| text.starts_with(beginning.trim_end_matches('\u{2026}'));
    Some(imported.filter(begins_so).cloned().unwrap_or(beginning))
}

/// The notes of a session. What an unfinished one came with as its summary is a note for those who look at it, and has its
/// own place in what is written here.
fn notes(chronicle: &Chronicle) -> Vec<Note> {
    let past = chronicle.imported.as_ref().map(|imported| &imported.past);
    let told = [
        ("summary", past.and_then(|past| past.summary.as_ref())),
        ("next", past.and_then(|past| past.next_notes.as_ref())),
    ];
    let is_told = |note: &&Note| !told.contains(&(note.kind.as_str(), Some(&note.text)));
    chronicle.notes.iter().filter(is_told).cloned().collect()
}
