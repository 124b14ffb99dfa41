//! What a conversation owes stays with the work tree: one that was cleared, or that goes on as another one, leaves it
//! to its successor there. No harness tells whose successor a conversation is, so it takes over whatever is owed by
//! those that are over, and by those of its own process.

use waypost_core::command::Command;
use waypost_core::session::Conversation;

use super::Call;
use crate::error::AppError;
use crate::sessions::switch;
use crate::view::calls::{self, Moment};
use crate::view::registry::Registration;
use crate::view::{View, agent, tips};

/// Takes over what conversations before this one have not settled in its work tree.
pub(super) fn debts(
    view: &View<'_>,
    call: &Call,
    registration: &Registration,
) -> Result<(), AppError> {
    for (before, known) in predecessors(view, registration)? {
        take_over(view, call, registration, &before, &known)?;
    }
    Ok(())
}

fn predecessors(
    view: &View<'_>,
    own: &Registration,
) -> Result<Vec<(Registration, Conversation)>, AppError> {
    let mut found = Vec::new();
    for entry in &view.index()?.open {
        let Ok(state) = view.glance(&entry.id) else { continue };
        let others = state.conversations.iter().filter(|(id, _)| **id != own.conversation);
        for (id, known) in others.filter(|(_, known)| known.owes()) {
            let Ok(Some(before)) = view.registered(&known.harness, id) else { continue };
            let is_running =
                before.process.is_some_and(crate::machine::process::Process::is_running);
            let is_over = !known.attached || !is_running || before.process == own.process;
            if before.root == own.root && before.session == entry.id && is_over {
                found.push((before, known.clone()));
            }
        }
    }
    Ok(found)
}

fn take_over(
    view: &View<'_>,
    call: &Call,
    own: &Registration,
    before: &Registration,
    known: &Conversation,
) -> Result<(), AppError> {
    let actor = agent(call.harness, &call.conversation, None);
    let state = view.load(&own.session)?;
    let pinned = state.conversations.get(&own.conversation).and_then(|own| own.policy.clone());
    let mut commands = Vec::new();
    if let Some(policy) = pinned {
        let (conversation, tree) = (own.conversation.clone(), known.turn_tree.clone());
        commands.push(Command::BeginTurn { conversation, tree, policy });
    }
    let files = switch::changed(view, before)?;
    let edits = |elsewhere: Option<String>| Command::FindEdits {
        conversation: own.conversation.clone(),
        files: files.clone(),
        elsewhere,
    };
    commands.extend(known.edited.then(|| edits(None)));
    for (worktree, there) in &known.elsewhere {
        let (conversation, tree) = (own.conversation.clone(), there.tree.clone());
        commands.push(Command::EnterWorktree { conversation, worktree: worktree.clone(), tree });
        commands.extend(there.edited.then(|| edits(Some(worktree.clone()))));
    }
    view.execute_all(&own.session, &actor, commands)?;
    // It is asked for once, whoever begins after this one.
    let (conversation, to) = (before.conversation.clone(), own.conversation.clone());
    view.execute(&before.session, &actor, Command::HandOn { conversation, to })?;
    tips::hand_on(view, before, own)?;
    let names = known.elsewhere.keys().filter_map(|name| view.project.work_tree(name));
    for project in std::iter::once(view.project.clone()).chain(names) {
        let inherits = Moment::Inherits(before.conversation.to_string());
        view.within(&project, || calls::note(view, &own.conversation, None, inherits));
    }
    Ok(())
}
