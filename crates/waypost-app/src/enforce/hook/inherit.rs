//! What a conversation owes stays with the work tree: one that was cleared, or that goes on as another one, leaves it
//! to its successor there. No harness tells whose successor a conversation is, so it takes over whatever is owed by those
//! of its own process, and by those that are over and began in its work tree or owe something there: one may have gone
//! to another work tree before it was cleared.

use waypost_core::command::Command;
use waypost_core::evidence::Tree;
use waypost_core::session::Conversation;

use super::Call;
use crate::error::AppError;
use crate::machine::project;
use crate::sessions::switch;
use crate::view::calls::{self, Moment};
use crate::view::registry::Registration;
use crate::view::{View, agent, tips};

/// What a conversation has not settled in one work tree.
struct Debt {
    /// The work tree's name; the main one's is empty.
    worktree: String,
    /// What it was when the turn began, or the conversation came there.
    tree: Option<Tree>,
    edited: bool,
}

impl Debt {
    /// All of a conversation that began in the work tree of that name, if that is still there.
    fn all(home: Option<String>, known: &Conversation) -> Vec<Self> {
        let owes = known.edited || known.turn_open;
        let (tree, edited) = (known.turn_tree.clone(), known.edited);
        let own = home.filter(|_| owes).map(|worktree| Self { worktree, tree, edited });
        let others = known.elsewhere.iter().map(|(name, there)| Self {
            worktree: name.clone(),
            tree: there.tree.clone(),
            edited: there.edited,
        });
        own.into_iter().chain(others).collect()
    }
}

/// Takes over what conversations before this one have not settled in its work tree.
pub(super) fn debts(
    view: &View<'_>,
    call: &Call,
    registration: &Registration,
) -> Result<(), AppError> {
    for (before, debts) in predecessors(view, registration)? {
        take_over(view, call, registration, &before, debts)?;
    }
    Ok(())
}

fn predecessors(
    view: &View<'_>,
    own: &Registration,
) -> Result<Vec<(Registration, Vec<Debt>)>, AppError> {
    let mut found = Vec::new();
    let here = view.project.worktree().unwrap_or_default();
    // One that went to this work tree has its session where it began.
    for entry in view.index()?.open.iter().cloned().chain(view.open_elsewhere()) {
        let Ok(state) = view.glance(&entry.id) else { continue };
        for (id, known) in state.conversations.iter().filter(|(id, _)| **id != own.conversation) {
            let Ok(Some(before)) = view.registered(&known.harness, id) else { continue };
            let is_running =
                before.process.is_some_and(crate::machine::process::Process::is_running);
            let is_same = before.process.is_some() && before.process == own.process;
            if before.session != entry.id || (known.attached && is_running && !is_same) {
                continue;
            }
            let debts = Debt::all(home(view, &before), known);
            let was_here = before.root == own.root || debts.iter().any(|one| one.worktree == here);
            if !debts.is_empty() && (is_same || was_here) {
                found.push((before, debts));
            }
        }
    }
    Ok(found)
}

/// The name of the work tree that a conversation began in.
fn home(view: &View<'_>, of: &Registration) -> Option<String> {
    let found = project::find(&of.root).ok().flatten()?;
    found.is_kept_with(&view.project).then(|| found.worktree().unwrap_or_default())
}

fn take_over(
    view: &View<'_>,
    call: &Call,
    own: &Registration,
    before: &Registration,
    mut debts: Vec<Debt>,
) -> Result<(), AppError> {
    let actor = agent(call.harness, &call.conversation, None);
    let state = view.load(&own.session)?;
    let pinned = state.conversations.get(&own.conversation).and_then(|own| own.policy.clone());
    let files = switch::changed(view, before)?;
    let here = view.project.worktree().unwrap_or_default();
    // A turn begins before it comes to other work trees.
    debts.sort_by_key(|debt| debt.worktree != here);
    let mut commands = Vec::new();
    for Debt { worktree, tree, edited } in &debts {
        let (conversation, tree) = (own.conversation.clone(), tree.clone());
        let elsewhere = (*worktree != here).then(|| worktree.clone());
        let edits = Command::FindEdits {
            conversation: conversation.clone(),
            files: files.clone(),
            elsewhere: elsewhere.clone(),
        };
        match elsewhere {
            Some(worktree) => {
                commands.push(Command::EnterWorktree { conversation, worktree, tree });
            }
            None => commands.extend(pinned.clone().map(|policy| Command::BeginTurn {
                conversation,
                tree,
                policy,
            })),
        }
        commands.extend(edited.then_some(edits));
    }
    view.execute_all(&own.session, &actor, commands)?;
    // It is asked for once, whoever begins after this one.
    let (conversation, to) = (before.conversation.clone(), own.conversation.clone());
    view.execute(&before.session, &actor, Command::HandOn { conversation, to })?;
    tips::hand_on(view, before, own)?;
    let others = debts.iter().filter(|debt| debt.worktree != here);
    let others = others.filter_map(|debt| view.project.work_tree(&debt.worktree));
    for project in std::iter::once(view.project.clone()).chain(others) {
        let inherits = Moment::Inherits(before.conversation.to_string());
        view.within(&project, || calls::note(view, &own.conversation, None, inherits));
    }
    Ok(())
}
