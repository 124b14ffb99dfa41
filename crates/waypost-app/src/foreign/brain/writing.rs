//! A session as Brain keeps it: a note for one that came as a note, else a state. Never signed here.

mod current;
mod note;
mod state;
mod workflow;

use waypost_core::chronicle::Note;
use waypost_core::event::SessionImported;
use waypost_core::text::spoken::count;

pub use current::{Protocol, current};
pub use workflow::Source;

use super::{NOTE, PART, STATE};
use crate::foreign::session::{Leaving, Written};

/// Writes a session as a note or a state.
pub fn write(session: &Leaving<'_>) -> Written {
    if session.came_as(NOTE).is_some() { note::write(session) } else { state::write(session) }
}

/// What was written down since it came here from Brain; all of it if it came from elsewhere or began here.
fn since<'s>(
    notes: &'s [Note],
    imported: Option<&SessionImported>,
) -> impl Iterator<Item = &'s Note> + use<'s> {
    let ours = imported.filter(|imported| [NOTE, STATE].contains(&imported.format.as_str()));
    let before = ours.map_or(0, |imported| imported.past.notes.len());
    notes.iter().skip(before)
}

impl Leaving<'_> {
    /// What a state is made of.
    fn source(&self) -> Source<'_> {
        let (id, state, agents) = (self.id, self.state, self.agents);
        Source { id, state, agents, notes: self.notes, imported: self.imported }
    }
}

/// Commits that it did not come with: hash and message.
fn new_commits(session: &Leaving<'_>) -> Vec<(String, String)> {
    let list = |manifest: &serde_json::Value| {
        let commits = manifest["commits"].as_array().into_iter().flatten();
        let text = |commit: &serde_json::Value, key: &str| {
            commit[key].as_str().unwrap_or_default().to_owned()
        };
        commits.map(|commit| (text(commit, "sha"), text(commit, "message"))).collect::<Vec<_>>()
    };
    let ours =
        session.imported.filter(|imported| [NOTE, STATE].contains(&imported.format.as_str()));
    let before = ours.map(|imported| list(&imported.manifest)).unwrap_or_default();
    let is_new = |(sha, _): &(String, String)| {
        !sha.is_empty() && !before.iter().any(|known| known.0 == *sha)
    };
    list(session.manifest).into_iter().filter(is_new).collect()
}

/// Where it is in its life, in the words of a manifest.
fn status<'s>(session: &'s Leaving<'_>) -> &'s str {
    session.manifest["status"].as_str().unwrap_or("active")
}

/// What neither a note nor a state has a place for.
fn lost(session: &Leaving<'_>) -> Vec<String> {
    let mut lost = Vec::new();
    let mut put = |number: usize, what: &str, rest: &str| {
        if number > 0 {
            lost.push(format!("{}{rest}", count(number, what)));
        }
    };
    let foreign = session.imported.filter(|came| ![NOTE, STATE].contains(&came.format.as_str()));
    let past = foreign.map(|imported| &imported.past);
    let beside = session.imported.filter(|came| came.format == STATE || came.format == PART);
    let files = beside.map_or(0, |came| came.original.len().saturating_sub(1));
    put(session.violations.len(), "violation", "");
    put(session.state.ledger.runs.len(), "run", " recorded as evidence");
    put(session.state.ledger.marks.len(), "mark", " by which gates are satisfied");
    put(session.course.phases.len(), "phase", " of its workflow");
    put(past.map_or(0, |past| past.checklist.len()), "step", " of its checklist");
    if files > 0 {
        let files = count(files, "file");
        lost.push(format!(
            "{files} kept beside its state: what you imported is untouched, and goes with this one"
        ));
    }
    lost
}
