//! The current session of a work tree: the one that people chose, which new conversations join.

use waypost_core::actor::Actor;
use waypost_core::command::ProjectCommand;
use waypost_core::id::SessionId;
use waypost_core::session::Lifecycle;

use super::{SessionEntry, View};
use crate::error::AppError;

impl View<'_> {
    /// The current session of this work tree, if there is one in which work goes on.
    pub fn current(&self) -> Result<Option<SessionId>, AppError> {
        let worktree = self.project.worktree();
        let project = self.project_state()?;
        let Some(chosen) = project.current(worktree.as_deref()) else { return Ok(None) };
        let state = self.glance(chosen)?;
        // Whoever let it rest may have been killed before that was noted here.
        let goes_on = state.lifecycle == Lifecycle::Active && state.worktree == worktree;
        Ok(goes_on.then(|| chosen.clone()))
    }

    /// Whether a session is the current one of this work tree.
    pub fn is_current(&self, session: &SessionId) -> bool {
        self.current().is_ok_and(|current| current.as_ref() == Some(session))
    }

    /// Makes a session the current one of this work tree, or none.
    pub(crate) fn choose_current(&self, session: Option<&SessionId>) -> Result<(), AppError> {
        let (worktree, session) = (self.project.worktree(), session.cloned());
        let command = ProjectCommand::ChooseCurrent { worktree, session };
        self.execute_for_project(&self.actor(), command)
    }

    /// A session that rests, is over or goes on in another work tree is no longer the current one of the
    /// work tree that it was in. Where that cannot be noted, whoever asks for the current one finds out.
    pub(super) fn settle_current(
        &self,
        actor: &Actor,
        before: &SessionEntry,
        after: &SessionEntry,
    ) {
        let went_on = before.lifecycle == Lifecycle::Active;
        let goes_on = after.lifecycle == Lifecycle::Active && after.worktree == before.worktree;
        if !went_on || goes_on {
            return;
        }
        let (worktree, session) = (before.worktree.clone(), before.id.clone());
        let is_current = self
            .project_state()
            .is_ok_and(|project| project.current(worktree.as_deref()) == Some(&session));
        if is_current {
            let command = ProjectCommand::LeaveCurrent { worktree, session };
            let _ = self.execute_for_project(actor, command);
        }
    }
}
