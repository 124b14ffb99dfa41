//! What a session's records tell that belongs into its dev notes, and what each was about.

use waypost_core::event::{Event, Known};
use waypost_core::record::Record;
use waypost_core::session::SessionState;
use waypost_core::time::Timestamp;

use super::CATEGORIES;

/// Something that was learnt while building.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Learnt {
    /// The record that tells of it.
    pub(super) record: u64,
    /// When.
    pub(super) time: Timestamp,
    /// What it is about: task, checkpoint or session.
    pub(super) scope: &'static str,
    /// The task or checkpoint.
    pub(super) reference: Option<String>,
    /// Its sort.
    pub(super) category: String,
    /// What it says.
    pub(super) content: String,
}

/// The notes among records that are of a category, in order. A note is about the task in focus when
/// it was written, else about the checkpoint that was under way, else about the session.
pub(super) fn learnt(records: &[Record]) -> Vec<Learnt> {
    let mut state = SessionState::default();
    let mut found = Vec::new();
    for record in records {
        if let Event::Known(Known::NoteAdded { note_kind, text }) = &record.event {
            let category = note_kind.trim().to_lowercase();
            if CATEGORIES.contains(&category.as_str()) {
                let (scope, reference) = scope(&state);
                let (time, content) = (record.time, text.clone());
                let record = record.seq;
                found.push(Learnt { record, time, scope, reference, category, content });
            }
        }
        state.apply(record);
    }
    found
}

fn scope(state: &SessionState) -> (&'static str, Option<String>) {
    let checkpoint = state.build.under_way.last().map(u64::to_string);
    match (&state.focus.task, checkpoint) {
        (Some(task), _) => ("task", Some(task.clone())),
        (None, Some(checkpoint)) => ("checkpoint", Some(checkpoint)),
        (None, None) => ("session", None),
    }
}
