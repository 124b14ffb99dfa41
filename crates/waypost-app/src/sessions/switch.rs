//! A conversation goes from one session to another, and takes with it what it owes and what it showed.

use waypost_core::actor::Actor;
use waypost_core::command::Command;
use waypost_core::event::{Event, Known, SessionEnded, SessionOutcome};
use waypost_core::id::{ConversationId, SessionId, StreamId};
use waypost_core::session::{Lifecycle, SessionState};

use crate::error::{AppError, Kind};
use crate::sessions::join::{self, Joining};
use crate::view::registry::Registration;
use crate::view::{View, agent};

/// Lets a conversation go on in `session`.
pub(crate) fn to(
    view: &View<'_>,
    known: &Registration,
    source: &str,
    session: &SessionId,
) -> Result<(), AppError> {
    let state = view.load(&known.session)?;
    enter_known(view, known, source, session)?;
    leave(view, known, &state, session)
}

/// Lets a conversation that nobody has seen join a session that was chosen for it.
pub(crate) fn enter(
    view: &View<'_>,
    harness: &str,
    conversation: &ConversationId,
    source: &str,
    session: &SessionId,
) -> Result<(), AppError> {
    let session = Some(session.clone());
    let joining = Joining { source, session, ..Joining::by_its_word(harness, conversation) };
    join::join(view, joining).map(drop)
}

/// The same for one that is known.
pub(crate) fn enter_known(
    view: &View<'_>,
    known: &Registration,
    source: &str,
    session: &SessionId,
) -> Result<(), AppError> {
    let own = Joining::by_its_word(&known.harness, &known.conversation);
    let session = Some(session.clone());
    join::join(view, Joining { source, known: Some(known), session, ..own }).map(drop)
}

/// The conversation leaves the session that it was in, which was in this state. What it showed there
/// counts in the new one too, and what it owes is owed there. A session that nobody stays in rests, and is
/// over if nobody named it; the current one of its work tree waits for whoever comes next.
pub(crate) fn leave(
    view: &View<'_>,
    known: &Registration,
    state: &SessionState,
    session: &SessionId,
) -> Result<(), AppError> {
    let conversation = &known.conversation;
    let actor = agent(&known.harness, conversation, None);
    let own = state.ledger.evidence.iter();
    for seen in own.filter(|seen| seen.conversation.as_ref() == Some(conversation)) {
        let actor = agent(&known.harness, conversation, seen.subagent.as_deref());
        let evidence = Command::RecordEvidence(seen.evidence.clone());
        view.execute(session, &actor, evidence)?;
    }
    owe(view, known, state, session)?;
    let reason = format!("its conversation went on in {session}");
    let detach = Command::Detach { conversation: conversation.clone(), reason: reason.clone() };
    view.execute(&known.session, &actor, detach)?;
    let others = state.conversations.iter().any(|(id, known)| known.attached && id != conversation);
    if others || state.lifecycle != Lifecycle::Active || view.is_current(&known.session) {
        return Ok(());
    }
    let rest = if state.objective.is_some() {
        Command::Pause { reason, context: None }
    } else {
        let (outcome, summary) = (SessionOutcome::Completed, Some(reason));
        Command::End(SessionEnded { outcome, summary, next_notes: None })
    };
    match view.execute(&known.session, &Actor::Waypost, rest) {
        // It rests already.
        Err(error) if error.kind != Kind::Refused => Err(error),
        _ => Ok(()),
    }
}

/// Whoever changed something has to prove it where it stops: going elsewhere settles nothing.
fn owe(
    view: &View<'_>,
    known: &Registration,
    state: &SessionState,
    session: &SessionId,
) -> Result<(), AppError> {
    let conversation = &known.conversation;
    let Some(before) = state.conversations.get(conversation) else { return Ok(()) };
    let actor = agent(&known.harness, conversation, None);
    let now = view.load(session)?;
    let pinned = now.conversations.get(conversation).and_then(|known| known.policy.clone());
    if let (true, Some(policy)) = (before.turn_open, pinned) {
        let (conversation, tree) = (conversation.clone(), before.turn_tree.clone());
        view.execute(session, &actor, Command::BeginTurn { conversation, tree, policy })?;
    }
    if before.edited {
        let (conversation, files) = (conversation.clone(), changed(view, known)?);
        view.execute(session, &actor, Command::FindEdits { conversation, files, elsewhere: None })?;
    }
    Ok(())
}

/// The files that the conversation changed last, as far as its session recorded them.
pub(crate) fn changed(view: &View<'_>, known: &Registration) -> Result<Vec<String>, AppError> {
    let records = view.log.records(&StreamId::Session(known.session.clone()))?;
    let last = records.into_iter().rev().find_map(|record| match record.event {
        Event::Known(Known::EditObserved { conversation, path, .. }) => {
            (conversation == known.conversation).then(|| vec![path])
        }
        Event::Known(Known::EditsFound { conversation, files, .. }) => {
            (conversation == known.conversation).then_some(files)
        }
        _ => None,
    });
    Ok(last.unwrap_or_default())
}
