//! What runs in the background while an agent wants to stop: whether the stop waits for it.
//!
//! A command that began after the last edit may be the very proof, so it is waited for. An older one postpones
//! nothing, and neither does one that never ends; but what a subagent in the background changes is asked when that
//! is done. What is postponed stays owed.

use waypost_core::evidence::Tree;
use waypost_core::gate::ruling::Ruling;
use waypost_core::session::Conversation;

use super::Call;
use crate::harness::{Task, TaskKind};
use crate::machine::project::Project;
use crate::view::View;
use crate::view::calls::Calls;

/// What runs in the background of a conversation.
pub(super) struct Background<'a> {
    pub(super) view: &'a View<'a>,
    pub(super) call: &'a Call,
    pub(super) tasks: &'a [Task],
}

impl Background<'_> {
    /// Why a stop that gates hold is allowed for now, in words for the user; none if it is not.
    pub(super) fn postpones(
        &self,
        project: &Project,
        known: &Conversation,
        ruling: &Ruling,
    ) -> Option<String> {
        let running: Vec<&Task> = self.tasks.iter().filter(|task| task.ends()).collect();
        if running.is_empty() {
            return None;
        }
        let then = known.turn_tree(ruling.action.elsewhere.as_deref()).and_then(Tree::id);
        let changed = then.and_then(|then| ruling.facts.concerning(then)).unwrap_or_default();
        let why = self.view.within(project, || self.why(&running, then, changed))?;
        let open: Vec<&str> = ruling.unmet().map(|finding| finding.gate.as_str()).collect();
        Some(format!(
            "Waypost: {why}; the stop is allowed for now. Still open: {}",
            open.join(", ")
        ))
    }

    fn why(&self, running: &[&Task], then: Option<&str>, changed: &[String]) -> Option<String> {
        let calls = Calls::of(self.view, &self.call.conversation);
        let last = calls.last_change(changed).or_else(|| calls.last_edit());
        let is_newer = |task: &&&Task| {
            let began = calls.task_began(&task.id);
            let is_proof = matches!(task.kind, TaskKind::Shell | TaskKind::Other);
            is_proof && began.is_some_and(|began| last.is_none_or(|last| began >= last))
        };
        if running.iter().any(|task| is_newer(&task)) {
            return Some("the agent waits for a command in the background".to_owned());
        }
        let agents: Vec<String> = running.iter().filter_map(|task| task.agent.clone()).collect();
        let then = then.filter(|_| !agents.is_empty() && !changed.is_empty())?;
        let is_theirs = calls.apart_from(&agents).own(then, changed).is_empty();
        is_theirs.then(|| "a subagent is still at work in the background".to_owned())
    }
}
