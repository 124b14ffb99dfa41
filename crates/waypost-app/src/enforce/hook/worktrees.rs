//! Work trees of the project beside the one that a conversation began in: what it comes to there is noted before it
//! changes anything, so that its stop can tell what it did.

use waypost_core::command::Command;
use waypost_core::gate::policy::Policy;
use waypost_core::gate::proof::ran::{Fresh, WatchedRun};
use waypost_core::gate::{Before, Proof};
use waypost_core::next_step;
use waypost_core::runner::Profile;
use waypost_core::session::SessionState;
use waypost_core::shell::Analysis;

use super::ground::{self, Ground};
use super::seen_call::SeenCall;
use super::{Call, call_moments};
use crate::enforce::counting::Terms;
use crate::error::AppError;
use crate::harness::{Does, Tool};
use crate::machine::place;
use crate::machine::project::{self, Project};
use crate::view::registry::Registration;
use crate::view::{View, agent, calls};

/// A call that may change something is about to happen in, or to go to, work trees that are not the conversation's
/// own: what they are now is noted, where a gate compares with it.
pub(super) fn enter(
    view: &View<'_>,
    call: &Call,
    tool: &Tool,
    registration: &Registration,
    state: &SessionState,
    seen: &SeenCall,
) -> Result<(), AppError> {
    let is_plain = view.elsewhere().is_none() && seen.elsewhere.is_empty();
    // Whoever only reads there has nothing to settle there.
    let reads = seen.analysis.as_ref().is_some_and(|line| {
        line.opaque.is_none()
            && line.writes().is_empty()
            && !line.writes_unknown()
            && line.commands.iter().all(|one| one.only_reads() || one.changes_folder())
    });
    if reads {
        return Ok(());
    }
    let changes = matches!(tool.does, Does::Edit(_)) || call_moments::may_write(tool, seen);
    if is_plain || !changes || seen.is_waypost() {
        return Ok(());
    }
    let here = view.place().project.clone();
    for project in std::iter::once(&here).chain(seen.elsewhere.iter().map(|one| &one.project)) {
        view.within(project, || note(view, call, registration, state))?;
    }
    Ok(())
}

/// Notes the work tree that things happen in, if it is not the conversation's own and was not noted since its stops
/// were last settled.
pub(super) fn note(
    view: &View<'_>,
    call: &Call,
    registration: &Registration,
    state: &SessionState,
) -> Result<(), AppError> {
    let Some(worktree) = view.elsewhere() else { return Ok(()) };
    let known = state.conversations.get(&call.conversation);
    if known.is_none_or(|known| known.elsewhere.contains_key(&worktree)) {
        return Ok(());
    }
    let policy = view.policy_for(state, &call.conversation)?;
    let tree = needs_tree(&policy.policy).then(|| view.tree());
    calls::saw(view, tree.as_ref());
    let conversation = call.conversation.clone();
    let actor = agent(call.harness, &call.conversation, call.subagent.as_deref());
    let enter = Command::EnterWorktree { conversation, worktree, tree };
    view.execute(&registration.session, &actor, enter)?;
    Ok(())
}

/// Whether a gate compares work trees, so that the one of now has to be known: the beginning of a turn where it
/// stands before stops, the conversation's where old failures may stay.
pub(super) fn needs_tree(policy: &Policy) -> bool {
    let mut needed = false;
    for gate in &policy.gates {
        let holds_stops = gate.before.contains(&Before::Stop);
        // What is edited past a gate is found by comparing as well.
        needed |= holds_stops && gate.when.paths.is_some() || gate.before.contains(&Before::Edit);
        gate.proof.each(&mut |proof| {
            let Proof::Ran(ran) = proof else { return };
            needed |= ran.baseline || (holds_stops && ran.fresh == Fresh::Tree);
        });
    }
    needed
}

/// The work tree in which a line runs what gates wait for, where that is another than the agent is in.
pub(super) fn ran_in(
    view: &View<'_>,
    call: &Call,
    line: &Analysis,
    watched: &[WatchedRun],
    own: &[Profile],
) -> Option<Project> {
    // Nearly every line stays where it is.
    if !line.commands.iter().any(|one| matches!(one.name(), Some("cd" | "pushd"))) {
        return None;
    }
    let root = view.place().project.root.clone();
    let runs = Terms { root: &root, own }.runs_in(line, watched);
    let folder = place::folder_after(&call.cwd, line.commands.get(..runs.first()?.1.at)?)?;
    match ground::of_folder(view, &folder) {
        Ground::Other(other) => Some(other),
        Ground::Here | Ground::Nobody => None,
    }
}

/// A text about the work tree that things happen in, for an agent that may be in another one: then it says which,
/// and how to go there.
pub(super) fn placed(view: &View<'_>, call: &Call, text: String) -> String {
    let place = view.place();
    let of_cwd = project::find(&call.cwd).ok().flatten();
    if of_cwd.is_some_and(|found| found.root == place.project.root) {
        return text;
    }
    next_step::there(&text, &place.project.root.to_string_lossy())
}
