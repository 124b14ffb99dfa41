//! The other sessions of the repository that somebody could take up, and who is at work in them.

use waypost_core::brief::OtherSession;
use waypost_core::id::{ConversationId, SessionId};
use waypost_core::next_step::{NextStep, Voice, to};
use waypost_core::session::{Lifecycle, SessionState, handoff_id};
use waypost_core::story::HandedOver;

use crate::standing::alongside;
use crate::view::{SessionEntry, View};

/// How many sessions are told, those where something happened last.
const MAX_SESSIONS: usize = 12;
/// In how many sessions it is looked who is at work, in those where something happened last.
const MAX_NEIGHBOURS: usize = 8;
/// How many files of each are told.
const MAX_FILES: usize = 5;

/// The sessions that are active, paused or abandoned here or in other work trees, but `own`, for
/// somebody whose conversation is `asker`. What a conversation left behind without a name is none of them.
pub fn to_take_up(
    view: &View<'_>,
    own: Option<&SessionId>,
    asker: &ConversationId,
    voice: Voice,
) -> Vec<OtherSession> {
    let mut entries = view.index().map(|index| index.open.clone()).unwrap_or_default();
    entries.extend(view.open_elsewhere());
    entries.retain(|entry| Some(&entry.id) != own && !entry.is_idle() && entry.damage.is_none());
    entries.sort_by_key(|entry| std::cmp::Reverse((entry.updated_at, entry.id.clone())));
    entries.truncate(MAX_SESSIONS);
    entries.iter().filter_map(|entry| told(view, entry, asker, voice)).collect()
}

fn told(
    view: &View<'_>,
    entry: &SessionEntry,
    asker: &ConversationId,
    voice: Voice,
) -> Option<OtherSession> {
    let state = view.glance(&entry.id).ok()?;
    let story = view.story(&entry.id).ok()?;
    let lifecycle = view.lifecycle(&state);
    let at_work = at_work(view, &state, asker);
    let here = state.worktree == view.project.worktree();
    let files = if at_work.is_empty() { Vec::new() } else { story.edited.into_iter().collect() };
    let handed = story.handed.last().map(|handed| {
        let HandedOver { from_agent, to_agent, reason, .. } = handed;
        format!("{} from {from_agent} to {to_agent}: {reason}", handoff_id(handed.seq))
    });
    let left = handed.or_else(|| story.handoffs.last().map(|said| said.text.clone()));
    let left = left.or(story.next_notes);
    let reachable = here || at_work.is_empty();
    let reopen = entry.latest.as_ref().filter(|_| at_work.is_empty());
    let current = here && view.is_current(&entry.id);
    Some(OtherSession {
        session_id: entry.id.clone(),
        objective: state.objective.clone(),
        first_prompt: first_prompt(view, &entry.id, &state),
        lifecycle,
        current,
        phase: entry.phase.clone(),
        worktree: (!here).then(|| state.worktree.clone().unwrap_or_default()),
        updated_at: state.updated_at,
        pause: state.pause.clone().filter(|_| lifecycle == Lifecycle::Paused),
        left,
        conversations: at_work.iter().map(|(id, harness)| format!("{harness} {id}")).collect(),
        files: files.into_iter().take(MAX_FILES).collect(),
        take_up: reachable.then(|| take_up(&entry.id, lifecycle, here, voice)),
        reopen: reopen.and_then(|(harness, id)| view.reopening(harness, id)),
    })
}

/// How to take a session up, in the words of whoever is told.
fn take_up(id: &SessionId, lifecycle: Lifecycle, here: bool, voice: Voice) -> String {
    let step = match (lifecycle, voice) {
        _ if !here => to("take it over into this work tree", NextStep::Resume(id.clone())),
        (Lifecycle::Active, Voice::Person) => {
            to("make it current", NextStep::MakeCurrent(id.clone()))
        }
        (Lifecycle::Active, Voice::Agent { .. }) => to("join it", NextStep::Resume(id.clone())),
        _ => to("resume it", NextStep::Resume(id.clone())),
    };
    step.words(voice)
}

/// The first prompt of a session that has no objective yet, as this machine remembers it.
pub(super) fn first_prompt(
    view: &View<'_>,
    session: &SessionId,
    state: &SessionState,
) -> Option<String> {
    if state.objective.is_some() {
        return None;
    }
    let mut known: Vec<_> = state.conversations.iter().collect();
    known.sort_by_key(|(_, known)| known.first);
    known.into_iter().find_map(|(id, known)| {
        let entry = view.registered(&known.harness, id).ok().flatten()?;
        entry.prompt.filter(|_| entry.session == *session)
    })
}

/// The conversations in a session that are not known to be over, but `asker`, and their harnesses.
fn at_work(
    view: &View<'_>,
    state: &SessionState,
    asker: &ConversationId,
) -> Vec<(ConversationId, String)> {
    let attached = state.conversations.iter().filter(|(id, known)| known.attached && *id != asker);
    attached
        .filter(|(id, known)| {
            let entry = view.registered(&known.harness, id).ok().flatten();
            let process = entry.and_then(|entry| entry.process);
            process.is_none_or(crate::machine::process::Process::is_running)
        })
        .map(|(id, known)| (id.clone(), known.harness.clone()))
        .collect()
}

/// Somebody else's conversation in the same work tree.
#[derive(Debug)]
pub struct Neighbour {
    /// The conversation.
    pub conversation: ConversationId,
    /// Which it is, where it works, and what it changed.
    pub told: String,
}

/// The conversations that are at work in other sessions of this work tree.
pub fn neighbours(view: &View<'_>, own: &SessionId, asker: &ConversationId) -> Vec<Neighbour> {
    let Ok(index) = view.index() else { return Vec::new() };
    let others = index.open.iter().filter(|entry| entry.attached > 0 && entry.id != *own);
    let mut others: Vec<&SessionEntry> = others.collect();
    others.sort_by_key(|entry| std::cmp::Reverse((entry.updated_at, entry.id.clone())));
    let changing = alongside::changing(view, asker);
    let mut found = Vec::new();
    for entry in others.into_iter().take(MAX_NEIGHBOURS) {
        let Ok(state) = view.glance(&entry.id) else { continue };
        let at_work = at_work(view, &state, asker);
        if at_work.is_empty() {
            continue;
        }
        found.extend(at_work.into_iter().map(|(conversation, harness)| {
            let changed = alongside::changed_by(view, &changing, &conversation);
            let changed = changed.map(|files| format!(", and changed {files}")).unwrap_or_default();
            let told = format!(
                "{harness} {conversation} works in this work tree too, in session {}{changed}",
                entry.id
            );
            Neighbour { conversation, told }
        }));
    }
    found
}
