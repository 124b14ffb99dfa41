//! What a `state.json` has no place for.

use waypost_core::manifest::DESCRIPTION;
use waypost_core::manifest::workflow_file::SessionFile;
use waypost_core::session::Lifecycle;
use waypost_core::text::spoken::count;
use waypost_core::track::builtin;

use crate::foreign::session::Leaving;
use crate::foreign::session_folder;

/// What the format has no place for, in words.
pub(super) fn lost(session: &Leaving<'_>) -> Vec<String> {
    let mut lost = Vec::new();
    let mut put = |number: usize, what: &str| {
        if number > 0 {
            lost.push(count(number, what));
        }
    };
    let came =
        session.came_as(session_folder::FORMAT).or(session.came_as(session_folder::RESEARCH));
    // Imported notes are still in the exported manifest.
    let known = came.map_or(0, |imported| imported.past.notes.len());
    let notes = session.notes.iter().skip(known);
    put(notes.filter(|note| note.kind != DESCRIPTION).count(), "note");
    put(session.violations.len(), "violation");
    put(session.state.conversations.len(), "conversation");
    put(session.state.ledger.runs.len(), "run that was recorded as evidence");
    put(session.state.ledger.marks.len(), "gate that was satisfied or approved");
    let past = came.map(|imported| &imported.past);
    if session
        .summary
        .is_some_and(|summary| past.and_then(|past| past.summary.as_deref()) != Some(summary))
    {
        lost.push("the summary of what came of it".to_owned());
    }
    if session.next_notes.is_some() {
        lost.push("the notes for the next session".to_owned());
    }
    let is_paused = session.state.lifecycle == Lifecycle::Paused;
    if is_paused && session.state.pause.is_some() && past.is_none_or(|past| past.pause.is_none()) {
        lost.push("why it is paused".to_owned());
    }
    lost.extend(workflow(session));
    lost
}

fn workflow(session: &Leaving<'_>) -> Option<String> {
    let Some(track) = SessionFile::of(session.id, session.state, session.course) else {
        let is_own = session.imported.is_none();
        return is_own.then(|| "that it follows no workflow: it is shown as quick".to_owned());
    };
    if builtin::WORKFLOWS.contains(&track.workflow_type.as_str()) {
        return None;
    }
    let phases = count(track.phase_names.len(), "phase");
    Some(format!("the {phases} of {}, shown as building", track.workflow_type))
}
