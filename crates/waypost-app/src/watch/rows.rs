//! What there is to see of the sessions of one project.

use std::collections::BTreeSet;

use waypost_core::gate::proof::approval::ApprovalProof;
use waypost_core::gate::{FindingStatus, Gate, Proof};
use waypost_core::id::{ConversationId, SessionId};
use waypost_core::session::{Conversation, Lifecycle, SessionState, StopState};
use waypost_core::text::spoken::count;
use waypost_core::time::Timestamp;
use waypost_core::usage::Usage;
use waypost_store::look;

use super::sight::{Sight, of_tree};
use super::{Group, WatchRow, WatchState, beside};
use crate::error::AppError;
use crate::machine::process::Process;
use crate::rulings::judge::Rules;
use crate::standing::lapses::Lapses;
use crate::tracks::workflow;
use crate::usage::budgets;
use crate::view::{SessionEntry, View};

/// The sessions of a project that are open, and those that ended since `today` began; and whether there are more open
/// ones. What a conversation left behind without a name is none of them.
pub(super) fn of(
    view: &View<'_>,
    project: &str,
    today: Timestamp,
) -> Result<(Vec<WatchRow>, bool), AppError> {
    // Where nothing was ever kept, looking would make a folder.
    if !look::is_folder(&view.project.store) {
        return Ok((Vec::new(), false));
    }
    let index = view.index()?;
    let (open, over) = view.sessions_elsewhere();
    let open = index.open.iter().chain(&open);
    let open = open.filter(|entry| !entry.is_idle() || entry.unsettled);
    let over = index.over.iter().chain(&over);
    let over = over.filter(|entry| {
        let is_done = entry.lifecycle.is_over() && entry.lifecycle != Lifecycle::Archived;
        let lately = entry.ended_at.is_some_and(|ended| ended >= today);
        // Whoever is to mend it has to hear of it, whenever that was.
        (is_done && lately && !entry.as_imported) || entry.damage.is_some()
    });
    let apart = beside::kept_apart(view);
    let rows = open.chain(over).map(|entry| row(view, project, entry, &apart)).collect();
    Ok((rows, index.more_open))
}

fn row(view: &View<'_>, project: &str, entry: &SessionEntry, apart: &BTreeSet<String>) -> WatchRow {
    let lifecycle = view.lifecycle_of(entry);
    let (mut sights, working) = sights(view, entry, lifecycle);
    let is_apart = !lifecycle.is_over() && apart.contains(entry.id.as_str());
    sights.extend(is_apart.then(|| beside::diverged(view, &entry.id)).flatten());
    sights.sort_by_key(|sight| sight.state);
    let mut sights = sights.into_iter();
    let first = sights.next().unwrap_or_else(|| resting(lifecycle));
    let tree = match &entry.worktree {
        Some(name) => view.project.work_tree(name),
        None => view.project.work_tree(""),
    };
    let also = sights.filter(|sight| sight.state.group() == Group::NeedsYou);
    WatchRow {
        state: first.state,
        group: first.state.group(),
        text: first.text,
        gates: first.gates,
        also: also.map(|sight| sight.text).collect(),
        session_id: Some(entry.id.clone()),
        objective: entry.objective(view),
        lifecycle: Some(lifecycle),
        project: project.to_owned(),
        project_id: None,
        root: tree.map_or_else(|| view.project.root.clone(), |tree| tree.root),
        worktree: entry.worktree.clone(),
        branch: entry.branch.clone(),
        phase: entry.phase.clone(),
        since: entry.ended_at.or(entry.updated_at).or(entry.started_at),
        version: entry.version,
        working,
    }
}

/// Where nothing else is to be seen.
fn resting(lifecycle: Lifecycle) -> Sight {
    match lifecycle {
        Lifecycle::Active => Sight::new(WatchState::Resting, "nobody works in it"),
        lifecycle if lifecycle.is_over() => Sight::new(WatchState::Done, lifecycle.to_string()),
        lifecycle => Sight::new(WatchState::Resting, lifecycle.to_string()),
    }
}

/// What is to be seen of a session, and how many agents are at work in it.
fn sights(view: &View<'_>, entry: &SessionEntry, lifecycle: Lifecycle) -> (Vec<Sight>, usize) {
    if let Some(damage) = &entry.damage {
        let told = format!("{damage}; {}", entry.way_out().words(view.voice()));
        return (vec![Sight::new(WatchState::Damaged, told)], 0);
    }
    // Nothing else can be seen where nobody is attached.
    if lifecycle.is_over() || (entry.attached == 0 && !entry.unsettled) {
        return (Vec::new(), 0);
    }
    let state = match view.glance(&entry.id) {
        Ok(state) => state,
        Err(error) => return (vec![Sight::new(WatchState::Damaged, error.message)], 0),
    };
    let mut sights: Vec<Sight> = state.orchestration.handoffs.iter().map(handoff).collect();
    if lifecycle != Lifecycle::Active {
        return (sights, 0);
    }
    if state.conversations.values().any(|known| known.unenforced) {
        let told = "files changed and no hook saw a tool call";
        sights.push(Sight::new(WatchState::Unenforced, told));
    }
    let attached = state.conversations.iter().filter(|(_, known)| known.attached);
    sights.extend(attached.clone().find_map(|(id, _)| beside::config(view, &state, id)));
    sights.extend(attached.clone().find_map(|(id, _)| budget(view, &state, id)));
    let each = attached.map(|(id, known)| at_work(view, &entry.id, &state, id, known));
    let each: Vec<Vec<Sight>> = each.collect();
    let is_working =
        |own: &&Vec<Sight>| own.iter().map(|sight| sight.state).min() == Some(WatchState::Working);
    let working = each.iter().filter(is_working).count();
    sights.extend(each.into_iter().flatten());
    (sights, working)
}

/// The budgets that are near their end.
fn budget(view: &View<'_>, state: &SessionState, id: &ConversationId) -> Option<Sight> {
    if state.usage.is_unused() {
        return None;
    }
    let policy = view.policy_for(state, id).ok()?;
    let (gates, text) = budgets::near(&policy.policy.gates, &state.usage, &Usage::default())?;
    Some(Sight { state: WatchState::Budget, text, gates })
}

fn handoff(waiting: &waypost_core::session::PendingHandoff) -> Sight {
    let (id, from, to) = (waiting.id(), &waiting.from_agent, &waiting.to_agent);
    Sight::new(WatchState::Handoff, format!("{id} from {from} to {to} waits to be accepted"))
}

/// What is to be seen of a conversation that is attached, unless its process is gone.
pub(super) fn at_work(
    view: &View<'_>,
    session: &SessionId,
    state: &SessionState,
    id: &ConversationId,
    known: &Conversation,
) -> Vec<Sight> {
    let harness = &known.harness;
    let entry = view.registered(harness, id).ok().flatten();
    let process = entry.and_then(|entry| entry.process);
    if process.is_some_and(|process| !Process::is_running(process)) {
        return Vec::new();
    }
    let mut sights = Vec::new();
    if view.registry().is_asking(harness, id) {
        sights.push(Sight::new(WatchState::Question, format!("{harness} asks you a question")));
    }
    sights.extend(approval(view, session, state, id, known));
    let holding: Vec<String> = known.held.iter().map(|held| held.gate.clone()).collect();
    match known.stop_state() {
        StopState::InProgress => {
            let by = if holding.is_empty() { String::new() } else { " by ".to_owned() };
            let text = format!("its stop is held{by}{}", holding.join(", "));
            sights.push(Sight { state: WatchState::Held, text, gates: holding });
        }
        StopState::GivenUp => {
            sights.push(Sight::new(WatchState::Unproven, "stopped with changes unproven"));
        }
        StopState::Idle | StopState::Pending | StopState::Satisfied => {}
    }
    sights.push(if known.turn_open {
        let subagents = match known.subagents.len() {
            0 => String::new(),
            some => format!(", with {}", count(some, "subagent")),
        };
        Sight::new(WatchState::Working, format!("{harness} is at work{subagents}"))
    } else {
        Sight::new(WatchState::Waiting, format!("{harness} waits for the next prompt"))
    });
    sights
}

/// The gates that held the last action of a conversation and ask for an approval that is not there yet.
fn approval(
    view: &View<'_>,
    session: &SessionId,
    state: &SessionState,
    id: &ConversationId,
    known: &Conversation,
) -> Option<Sight> {
    if known.held.is_empty() {
        return None;
    }
    let mut gates = view.policy_for(state, id).ok()?.policy.gates.clone();
    gates.extend(workflow::gates(view, session, state));
    let is_held = |gate: &Gate| known.held.iter().any(|held| held.gate == gate.id);
    let asked = gates.iter().filter(|gate| is_held(gate)).filter_map(|gate| {
        let proof = Proof::Approval(asked_of(&gate.proof)?);
        Some(Gate { proof, ..gate.clone() })
    });
    let rules = Rules::of_gates(asked.collect(), session);
    let found = rules.examine(view, state, id).ok()?.into_iter();
    let open: Vec<_> = found.filter(|found| found.status != FindingStatus::Met).collect();
    let first = open.first()?;
    let text = match first.message.as_str() {
        "" => format!("{} asks for your approval", first.gate),
        message => format!("{} asks for your approval: {message}", first.gate),
    };
    let gates = open.iter().map(|found| found.gate.clone()).collect();
    Some(Sight { state: WatchState::Approval, text, gates })
}

/// The approval that is a part of what satisfies a gate.
fn asked_of(proof: &Proof) -> Option<ApprovalProof> {
    let mut found = None;
    proof.each(&mut |proof| {
        if let Proof::Approval(approval) = proof {
            found.get_or_insert_with(|| approval.clone());
        }
    });
    found
}

/// What there is to tell of a work tree in which nothing was enforced.
pub(super) fn lapses(view: &View<'_>, project: &str) -> Vec<WatchRow> {
    let lapses = Lapses::of(view, None);
    let since = lapses.unenforced.first().map(|one| one.began);
    let removed = lapses.removed.as_ref().filter(|removed| removed.until.is_none());
    let removed = removed.map(|removed| (removed.from, lapses.told_removed(removed)));
    let told = lapses.told_unenforced().map(|told| (since, told));
    let told = told.into_iter().chain(removed.map(|(from, told)| (Some(from), told)));
    told.map(|(since, text)| {
        of_tree(view, project, Sight::new(WatchState::Unenforced, text), since)
    })
    .collect()
}
