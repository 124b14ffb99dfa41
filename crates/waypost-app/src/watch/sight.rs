//! Something that is to be seen of a session or a work tree.

use waypost_core::time::Timestamp;

use super::{WatchRow, WatchState};
use crate::view::View;

/// Something that is to be seen of a session, and the gates that it is about.
pub(super) struct Sight {
    pub(super) state: WatchState,
    pub(super) text: String,
    pub(super) gates: Vec<String>,
}

impl Sight {
    pub(super) fn new(state: WatchState, text: impl Into<String>) -> Self {
        Self { state, text: text.into(), gates: Vec::new() }
    }
}

/// A row about a work tree, or about no session that is at work in it.
pub(super) fn of_tree(
    view: &View<'_>,
    project: &str,
    sight: Sight,
    since: Option<Timestamp>,
) -> WatchRow {
    WatchRow {
        state: sight.state,
        group: sight.state.group(),
        text: sight.text,
        also: Vec::new(),
        gates: sight.gates,
        session_id: None,
        objective: None,
        lifecycle: None,
        project: project.to_owned(),
        project_id: None,
        root: view.project.root.clone(),
        worktree: view.project.worktree(),
        branch: view.branch(),
        phase: None,
        since,
        version: 0,
        working: 0,
    }
}
