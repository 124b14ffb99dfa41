//! What a session's records tell that belongs into its dev notes, and what each was about.

use waypost_core::event::{Event, Known};
use waypost_core::record::Record;
use waypost_core::session::SessionState;
use waypost_core::time::Timestamp;

use super::CATEGORIES;

/// Something that was learnt while building.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Learnt {
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

/// The note that a record tells of, if it is of a category. It is about the task in focus when it was
/// written, else about the checkpoint that was under way, else about the session; `state` is that
/// before the record.
pub(crate) fn learnt(state: &SessionState, record: &Record) -> Option<Learnt> {
    let Event::Known(Known::NoteAdded { note_kind, text }) = &record.event else { return None };
    let category = note_kind.trim().to_lowercase();
    if !CATEGORIES.contains(&category.as_str()) {
        return None;
    }
    let (scope, reference) = scope(state);
    let (time, content) = (record.time, text.clone());
    Some(Learnt { record: record.seq, time, scope, reference, category, content })
}

fn scope(state: &SessionState) -> (&'static str, Option<String>) {
    let checkpoint = state.build.under_way.last().map(u64::to_string);
    match (&state.focus.task, checkpoint) {
        (Some(task), _) => ("task", Some(task.clone())),
        (None, Some(checkpoint)) => ("checkpoint", Some(checkpoint)),
        (None, None) => ("session", None),
    }
}
