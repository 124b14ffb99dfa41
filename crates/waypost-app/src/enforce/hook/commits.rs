//! Commits that came to be in a conversation's turn, however they were made: noticed after a call by what is checked
//! out, and at a stop by all branches. Each is recorded once, with the files whose content was never proven.

use waypost_core::command::Command;
use waypost_core::event::CommitAdded;
use waypost_core::gate::FindingStatus;
use waypost_core::gate::action::NewCommit;
use waypost_core::gate::ruling::Outcome;
use waypost_core::session::SessionState;

use super::call_moments;
use super::seen_call::SeenCall;
use super::{Call, worktrees};
use crate::error::AppError;
use crate::harness::Tool;
use crate::machine::git::GitError;
use crate::rulings::facts;
use crate::rulings::found_commits::{self, OnBranch};
use crate::rulings::new_commits;
use crate::view::registry::Registration;
use crate::view::{View, agent};

/// How many commits of a branch are recorded at once: the newest.
const MAX_RECORDED: usize = 20;
/// How many unproven files of a commit are recorded.
const MAX_FILES: usize = 20;

/// A conversation in whose turn commits may have come to be.
#[derive(Clone, Copy)]
pub(super) struct Noticing<'a> {
    pub(super) view: &'a View<'a>,
    pub(super) call: &'a Call,
    pub(super) registration: &'a Registration,
}

impl Noticing<'_> {
    /// A call ended that may have run programs. Records what it committed, and returns what the agent should know.
    pub(super) fn after(
        &self,
        tool: &Tool,
        seen: &SeenCall,
        ruled: bool,
    ) -> Result<Option<String>, AppError> {
        let view = self.view;
        if !call_moments::may_write(tool, seen) || !self.has_moved(seen)? {
            return Ok(None);
        }
        let state = view.load(&self.registration.session)?;
        // What git cannot tell now, the stop asks again.
        let Ok(found) = found_commits::since_turn(view, self.registration, &state) else {
            return Ok(None);
        };
        self.record(&state, &found, ruled)
    }

    /// Whether something else is checked out in a work tree that the call may have changed.
    fn has_moved(&self, seen: &SeenCall) -> Result<bool, AppError> {
        let here = self.view.place();
        let others = seen.elsewhere.iter().map(|other| &other.project);
        let mut heads = self.registration.heads.clone();
        for project in std::iter::once(&here.project).chain(others) {
            if let Some(head) = project.checked_out() {
                heads.insert(project.worktree().unwrap_or_default(), head);
            }
        }
        if heads == self.registration.heads {
            return Ok(false);
        }
        self.note_heads(heads)?;
        Ok(true)
    }

    fn note_heads(
        &self,
        heads: std::collections::BTreeMap<String, String>,
    ) -> Result<(), AppError> {
        let Registration { harness, conversation, .. } = self.registration;
        let entry = self.view.registered(harness, conversation)?;
        let entry = entry.unwrap_or_else(|| self.registration.clone());
        self.view.register(&Registration { heads, ..entry })
    }

    /// A turn begins: what is checked out now is where it begins.
    pub(super) fn begin(&self) -> Result<(), AppError> {
        let head = self.view.project.checked_out();
        let own = self.view.project.worktree().unwrap_or_default();
        let heads = head.map(|head| (own, head)).into_iter().collect();
        if heads == self.registration.heads { Ok(()) } else { self.note_heads(heads) }
    }

    /// The commits of the turn that a stop has still to ask about, by the work trees to look at them in, or why git
    /// cannot tell. Those that nobody noticed before are recorded.
    pub(super) fn open(&self) -> Result<Result<Vec<OnBranch>, GitError>, AppError> {
        let view = self.view;
        let state = view.load(&self.registration.session)?;
        let mut found = match found_commits::since_turn(view, self.registration, &state) {
            Ok(found) => found,
            Err(error) => return Ok(Err(error)),
        };
        self.record(&state, &found, false)?;
        let state = view.load(&self.registration.session)?;
        for branch in &mut found {
            branch.commits.retain(|commit| !state.is_settled(&commit.sha));
        }
        found.retain(|branch| !branch.commits.is_empty());
        Ok(Ok(found))
    }

    /// Records those that are not recorded yet. Returns what the agent should know of them.
    fn record(
        &self,
        state: &SessionState,
        found: &[OnBranch],
        ruled: bool,
    ) -> Result<Option<String>, AppError> {
        let mut told = None;
        for branch in found {
            let is_new = |commit: &&NewCommit| !state.commits.contains(&commit.sha);
            let new = branch.commits.iter().filter(is_new).take(MAX_RECORDED);
            let new: Vec<NewCommit> = new.cloned().collect();
            let said =
                self.view.within(&branch.project, || self.record_here(state, &new, ruled))?;
            told = told.or(said);
        }
        Ok(told)
    }

    fn record_here(
        &self,
        state: &SessionState,
        new: &[NewCommit],
        ruled: bool,
    ) -> Result<Option<String>, AppError> {
        let Self { view, call, registration } = *self;
        if new.is_empty() {
            return Ok(None);
        }
        let hash = view.policy_for_call(state, registration)?;
        let examined = new_commits::examine(view, registration, state, &hash, new.to_vec())?;
        let ids: Vec<&str> = new.iter().map(|commit| commit.sha.as_str()).collect();
        let subjects = facts::subjects_of(view, &ids);
        let has_gates = examined.is_some();
        let add = |commit: &NewCommit| {
            let unproven = examined.as_ref().map(|found| found.unproven(&commit.sha));
            let mut unproven = unproven.unwrap_or_default();
            unproven.truncate(MAX_FILES);
            let message = subjects.get(&commit.sha).cloned().unwrap_or_default();
            let unruled = has_gates && !ruled;
            Command::AddCommit(CommitAdded {
                unproven,
                unruled,
                ..CommitAdded::new(commit.sha.clone(), message)
            })
        };
        let actor = agent(call.harness, &call.conversation, call.subagent.as_deref());
        let executed =
            view.execute_all(&registration.session, &actor, new.iter().rev().map(add))?;
        view.tell_mended(&executed);
        let denied = examined.filter(|found| found.verdict.outcome == Outcome::Deny);
        let finding = denied.and_then(|found| {
            found.verdict.findings.into_iter().find(|one| one.status != FindingStatus::Met)
        });
        Ok(finding.map(|finding| {
            let next = finding.words(registration.voice());
            let text = format!(
                "Waypost: {} (gate {}). The end of the turn will ask for it.\nNext: {next}",
                finding.why, finding.gate
            );
            worktrees::placed(view, call, text)
        }))
    }
}
