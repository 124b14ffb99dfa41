//! A session's manifest: `state.json`, which anybody can read beside the published records.
//!
//! At its top level stands what tools that know session folders expect to find; everything else is
//! below the key `waypost`. It is a projection like any other: the same records give the same bytes.

mod account;
mod details;
mod signed;
pub mod workflow_file;

use serde::Serialize;

pub use account::Account;
use details::WaypostPart;
pub use signed::{ManifestError, is_ours, open, open_unverified, seal};

use crate::course::{Course, PhaseResult};
use crate::id::SessionId;
use crate::record::Record;
use crate::session::basics::{self, Basics, PhaseHistory};
use crate::session::{Lifecycle, SessionState};

/// The sort of note that tells what a session is about, at more length than its objective.
pub const DESCRIPTION: &str = "description";

/// The version of what stands below the key `waypost`.
pub const FORMAT: u64 = 1;

const SCHEMA: &str = "Session state manifest v2 - programmatic updates only";

/// A session's manifest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Manifest {
    #[serde(rename = "$schema")]
    schema: &'static str,
    session_id: SessionId,
    #[serde(flatten)]
    basics: Basics,
    waypost: WaypostPart,
}

impl Manifest {
    /// The manifest of the session that `records` tell of, the last of which has the hash `head`.
    /// `lifecycle` is where it is in its life now: no record says that it was abandoned.
    pub fn of(id: &SessionId, records: &[Record], head: &str, lifecycle: Lifecycle) -> Self {
        let mut account = Account::default();
        for record in records {
            account.add(record);
        }
        account.into_manifest(id, head, lifecycle)
    }
}

impl Account {
    /// The manifest, as [`Manifest::of`] makes it.
    pub fn into_manifest(self, id: &SessionId, head: &str, lifecycle: Lifecycle) -> Manifest {
        let Self { state, course, mut basics, gathered, tells_of_checkpoints } = self;
        basics.updated_at = state.updated_at;
        word(lifecycle, &state).clone_into(&mut basics.status);
        show_phases(&mut basics, &course);
        // What another program wrote stays as it was until something of it changes here.
        if tells_of_checkpoints {
            basics.build_progress.show(&state.build);
        }
        let waypost = WaypostPart::of(id, state, course, gathered, head, lifecycle);
        Manifest { schema: SCHEMA, session_id: id.clone(), basics, waypost }
    }
}

/// Shows how a workflow went, in the words of the four phases that other tools know. A phase of
/// another name is work like any other.
fn show_phases(basics: &mut Basics, course: &Course) {
    let Some(current) = course.current() else { return };
    let shown = |name: &str| if basics::is_phase(name) { name.to_owned() } else { "build".into() };
    let over = basics.current_phase == "complete" || course.completed_at.is_some();
    if over {
        basics.resumes_in = Some(shown(&current.phase));
    }
    basics.current_phase = if over { "complete".into() } else { shown(&current.phase) };
    let history = &mut basics.phase_history;
    *history =
        PhaseHistory { extra: std::mem::take(&mut history.extra), ..PhaseHistory::default() };
    for passage in course.phases.iter().filter(|one| one.checkpoint != PhaseResult::Skipped) {
        history.show(&shown(&passage.phase), passage.started_at, passage.completed_at);
    }
}

/// The session type that other tools know for a workflow.
fn shown_as(workflow: &str) -> &str {
    match workflow {
        "none" | "quick" => "quick",
        "research" => "research",
        _ => "full",
    }
}

/// The status that other tools know. One that was put away stays what it had come to.
fn word(lifecycle: Lifecycle, state: &SessionState) -> &'static str {
    let before = state.archived.as_ref().map(|archived| archived.before);
    match before.filter(|before| before.is_over()).unwrap_or(lifecycle) {
        Lifecycle::Unstarted | Lifecycle::Active => "active",
        Lifecycle::Paused | Lifecycle::Abandoned | Lifecycle::Archived => "paused",
        Lifecycle::Completed => "complete",
        Lifecycle::Failed => "failed",
    }
}

#[cfg(test)]
mod tests;
