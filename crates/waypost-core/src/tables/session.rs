//! The row of a session: what its state comes to, and how that is read again.

use serde::Serialize;

use super::fold::session_key;
use super::rows::SessionRow;
use super::told::text;
use crate::cost::Tokens;
use crate::id::SessionId;
use crate::session::SessionState;
use crate::track::Track;
use crate::usage::Usage;

/// How far a phase of a workflow has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseStatus {
    /// It was completed.
    Done,
    /// It was left out.
    Skipped,
    /// The work is in it.
    Current,
    /// The work is in it, and the last try to complete it failed.
    Failed,
    /// It comes later.
    Pending,
}

impl PhaseStatus {
    const ALL: [Self; 5] = [Self::Done, Self::Skipped, Self::Current, Self::Failed, Self::Pending];

    /// A word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Skipped => "skipped",
            Self::Current => "current",
            Self::Failed => "failed",
            Self::Pending => "pending",
        }
    }
}

/// A phase of a session's workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PhaseCell {
    /// Its name.
    pub phase: String,
    /// How far it has come.
    pub status: PhaseStatus,
}

impl SessionRow {
    /// The row of a session in this state.
    pub fn of(project: &str, id: &SessionId, state: &SessionState, kept: &str) -> Self {
        let checkpoints = (state.build.total > 0).then_some(state.build.total);
        let attached = state.conversations.values().filter(|known| known.attached);
        Self {
            session: session_key(project, id),
            project: project.to_owned(),
            id: id.to_string(),
            kept: kept.to_owned(),
            damage: None,
            objective: state.objective.as_deref().map(text),
            workflow: state.workflow.clone(),
            phase: state.phase().to_owned(),
            phases: state.track.as_deref().map(phases),
            lifecycle: state.lifecycle.to_string(),
            branch: state.branch.clone(),
            worktree: state.worktree.clone(),
            started_at: state.started_at,
            updated_at: state.updated_at,
            ended_at: state.ended_at,
            version: state.version,
            violations: state.violations,
            checkpoints,
            checkpoints_completed: state.build.completed.len() as u64,
            attached: attached.count() as u64,
            nano_usd: state.usage.nano_usd,
            priced: state.usage.priced,
            unpriced: state.usage.unpriced,
        }
    }

    /// The phases of its workflow, in order.
    pub fn phase_cells(&self) -> Vec<PhaseCell> {
        let lines = self.phases.iter().flat_map(|phases| phases.lines());
        lines.filter_map(cell).collect()
    }

    /// What it used, without the sorts of tokens.
    pub fn usage(&self) -> Usage {
        let Self { nano_usd, priced, unpriced, .. } = *self;
        Usage { tokens: Tokens::default(), nano_usd, priced, unpriced }
    }

    /// The words that it is found by; its project's id is one of them.
    pub fn searched(&self) -> String {
        let parts =
            [Some(&self.project), Some(&self.id), self.objective.as_ref(), self.branch.as_ref()];
        parts.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join("\n")
    }
}

/// The phases of a workflow, one a line: how far it has come, and its name.
fn phases(track: &Track) -> String {
    let lines = track.phases.iter().map(|phase| {
        let is_current = track.is_running() && *phase == track.phase;
        let status = if track.skipped.contains(phase) {
            PhaseStatus::Skipped
        } else if is_current && track.failed {
            PhaseStatus::Failed
        } else if is_current {
            PhaseStatus::Current
        } else if !track.is_running() || track.is_behind(phase) {
            PhaseStatus::Done
        } else {
            PhaseStatus::Pending
        };
        format!("{} {}", status.word(), phase.replace(['\n', '\r'], " "))
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn cell(line: &str) -> Option<PhaseCell> {
    let (word, phase) = line.split_once(' ')?;
    let status = PhaseStatus::ALL.into_iter().find(|status| status.word() == word)?;
    Some(PhaseCell { phase: phase.to_owned(), status })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Timestamp;
    use crate::track::{TrackStarted, builtin};

    fn told(track: &Track) -> Vec<(String, &'static str)> {
        let lines = phases(track);
        lines.lines().filter_map(cell).map(|cell| (cell.phase, cell.status.word())).collect()
    }

    #[test]
    fn each_phase_says_how_far_it_has_come() {
        let now = Timestamp::from_millis(0).unwrap();
        let definition = builtin::workflow("full").unwrap();
        let mut track = Track::begin(&TrackStarted::new(None, definition), now).unwrap();
        let is = |track: &Track, words: [&'static str; 4]| {
            let names = ["spec", "plan", "build", "docs"].map(str::to_owned);
            assert_eq!(told(track), names.into_iter().zip(words).collect::<Vec<_>>());
        };
        is(&track, ["current", "pending", "pending", "pending"]);
        track.enter("plan", now);
        track.failed = true;
        is(&track, ["done", "failed", "pending", "pending"]);
        track.enter("build", now);
        track.skip("docs");
        is(&track, ["done", "done", "current", "skipped"]);
        track.complete(now);
        is(&track, ["done", "done", "done", "skipped"]);
    }
}
