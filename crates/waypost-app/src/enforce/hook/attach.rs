//! A conversation begins, comes back, or ends: which session does it belong to?

use std::rc::Rc;

use waypost_core::command::Command;
use waypost_core::gate::Before;
use waypost_core::gate::before::ActionParts;
use waypost_core::id::{SessionId, StreamId};
use waypost_core::session::{Lifecycle, SessionState};
use waypost_core::text::spoken::local_exactly;
use waypost_core::text::{one_line, shortened};

use waypost_store::{files, look};

use super::commits::Noticing;
use super::{Call, carry_over, inherit, locate, locate_anew, usage};
use crate::error::{AppError, Kind};
use crate::harness::Answer;
use crate::machine::host::{Host, SIGHTINGS};
use crate::machine::local_time::utc_offset;
use crate::sessions::join::{self, Joining};
use crate::standing::also;
use crate::standing::brief::{self, BUDGET};
use crate::view::activity::{self, Deed};
use crate::view::policy::Compiled;
use crate::view::registry::Registration;
use crate::view::{SessionEntry, View, agent, edits};

/// How a conversation is attached whose beginning no hook saw.
const LATE: &str = "late";

/// A conversation begins or comes back. Tells the agent where it is.
pub fn begin(host: &Host, call: &Call, source: &str) -> Result<Answer, AppError> {
    if is_only_seen(host, call) {
        return Ok(Answer::Silence);
    }
    let Some((view, registration)) = locate_anew(host, call)? else {
        return Ok(Answer::Silence);
    };
    let mut told = detach_crashed(&view, call);
    if let Some(registration) = &registration {
        told.extend(rebuild_if_damaged(&view, &registration.session)?);
    }
    let keeps = matches!(source, "resume" | "compact");
    let lost = match &registration {
        Some(known) => is_lost(&view, &known.session)?,
        None => false,
    };
    // One that is announced once more, while its session goes on, stays there.
    let stays = match &registration {
        Some(known) if !lost => keeps || goes_on(&view, &known.session)?,
        _ => false,
    };
    let kept = match &registration {
        Some(found) => Some(found.session.clone()).filter(|_| stays),
        // One that comes back and that nobody remembers may have been removed from the registry.
        None if keeps => knowing(&view, call)?,
        None => None,
    };
    let before = registration.as_ref().map(|known| known.session.clone());
    let (registration, compiled) = attach(&view, call, source, registration.as_ref(), kept)?;
    if matches!(source, "clear" | "fork") {
        inherit::debts(&view, call, &registration)?;
    }
    if !keeps {
        carry_over::into(&view, call, &registration, &compiled.policy)?;
    }
    told.extend(compiled.warnings);
    if let Some(before) = before.filter(|_| lost) {
        told.push(tell_lost(&view, &registration.session, &before)?);
    }
    view.registry().forget_old();
    let state = view.load(&registration.session)?;
    let stand = super::stand(&view, &registration, &state)?;
    let mut brief = brief::tell(&view, &stand, &call.conversation)?;
    // Whoever is in another session here stands in the brief; who comes later is told at a prompt.
    let neighbours = also::neighbours(&view, &registration.session, &call.conversation);
    let met = neighbours.into_iter().map(|neighbour| neighbour.conversation).collect();
    if registration.met != met {
        view.register(&Registration { met, ..registration })?;
    }
    brief.remarks.extend(told);
    if keeps {
        // The same text again would not be given to the agent a second time.
        let (version, now) = (state.version, host.now());
        let now = local_exactly(now, utc_offset(now));
        let when = format!("this is how it stands at record {version}, {now}, after {source}.");
        brief.remarks.insert(0, when);
    }
    Ok(Answer::Context(brief.text(BUDGET)))
}

/// Whether somebody only wants to see that the hook is called. The file has to be there, where agents write
/// nothing.
fn is_only_seen(host: &Host, call: &Call) -> bool {
    let Some(sighting) = &host.sighting else { return false };
    let is_own = sighting.parent() == Some(&host.state_dir.join(SIGHTINGS));
    let waits = is_own && look::at(sighting).is_ok_and(|found| found.is_file());
    waits && files::replace(sighting, call.harness.as_bytes(), false).is_ok()
}

/// A conversation whose beginning no hook saw, or that somebody removed from the registry: then it stays where it
/// is known. No human need be there, so no gate is loosened.
pub fn late(view: &View<'_>, call: &Call) -> Result<Registration, AppError> {
    let own = knowing(view, call)?;
    attach(view, call, LATE, None, own).map(|(registration, _)| registration)
}

/// The session that knows the conversation of a call, whatever the registry says: the one that it is in, else the
/// one that it was in last.
fn knowing(view: &View<'_>, call: &Call) -> Result<Option<SessionId>, AppError> {
    let attached = |entry: &SessionEntry| {
        let state = view.glance(&entry.id).ok()?;
        state.conversations.get(&call.conversation).map(|known| known.attached)
    };
    let knows = view.open_sessions(|entry| attached(entry).is_some())?;
    let own = knows.into_iter().max_by_key(|entry| (attached(entry), entry.updated_at));
    Ok(own.map(|entry| entry.id))
}

/// The conversation of a call and its session's state. One that its session has forgotten, because so
/// many others came after it, joins it again.
pub(super) fn remembered(
    view: &View<'_>,
    call: &Call,
    registration: Registration,
) -> Result<(Registration, Rc<SessionState>), AppError> {
    let state = view.glance(&registration.session)?;
    // Without any record nothing was forgotten: something is missing.
    if state.version == 0 || state.conversations.contains_key(&call.conversation) {
        return Ok((registration, state));
    }
    let session = Some(registration.session.clone());
    let (registration, _) = attach(view, call, LATE, Some(&registration), session)?;
    let state = view.glance(&registration.session)?;
    Ok((registration, state))
}

/// A conversation that a session knows although the registry does not: somebody removed its entry.
pub(super) fn known_here(view: &View<'_>, call: &Call) -> Result<Option<Registration>, AppError> {
    let Some(own) = knowing(view, call)? else { return Ok(None) };
    attach(view, call, LATE, None, Some(own)).map(|(registration, _)| Some(registration))
}

/// A conversation whose session is over, and that owes it nothing more, goes on in another one.
/// `None` while it stays. Only the harness itself can bring this about.
pub(super) fn moved(
    view: &View<'_>,
    call: &Call,
    registration: &Registration,
    state: &SessionState,
) -> Result<Option<Registration>, AppError> {
    if !state.lifecycle.is_over() || !call.is_checked(registration) {
        return Ok(None);
    }
    if owes(view, call, state)? {
        return Ok(None);
    }
    let reason = "the session is over".to_owned();
    let leave = Command::Detach { conversation: call.conversation.clone(), reason };
    let actor = agent(call.harness, &call.conversation, None);
    view.execute(&registration.session, &actor, leave)?;
    attach(view, call, "moved", Some(registration), None).map(|(anew, _)| Some(anew))
}

/// A conversation whose session has lost all its records goes on in another one, and that is told.
/// Only the harness itself can bring this about.
pub(super) fn anew_if_lost(
    view: &View<'_>,
    call: &Call,
    registration: &Registration,
) -> Result<Option<(Registration, String)>, AppError> {
    if !call.is_checked(registration) || !is_lost(view, &registration.session)? {
        return Ok(None);
    }
    let (anew, _) = attach(view, call, "lost", Some(registration), None)?;
    let told = tell_lost(view, &anew.session, &registration.session)?;
    Ok(Some((anew, told)))
}

/// Whether a session that a conversation belongs to has no record at all.
fn is_lost(view: &View<'_>, session: &SessionId) -> Result<bool, AppError> {
    match view.load(session) {
        Ok(state) => Ok(state.version == 0),
        // Damage is told where it is mended.
        Err(error) if error.kind == Kind::Integrity => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether work goes on in a session that a conversation belongs to.
fn goes_on(view: &View<'_>, session: &SessionId) -> Result<bool, AppError> {
    match view.load(session) {
        Ok(state) => Ok(state.lifecycle == Lifecycle::Active),
        // Whoever begins elsewhere is told of the damage there.
        Err(error) if error.kind == Kind::Integrity => Ok(false),
        Err(error) => Err(error),
    }
}

/// Writes down in `session` that all records of `lost` are gone.
fn tell_lost(view: &View<'_>, session: &SessionId, lost: &SessionId) -> Result<String, AppError> {
    let text = format!("the records of session {lost} are gone; somebody removed them");
    let note = Command::Note { kind: "loss".to_owned(), text: text.clone() };
    view.execute(session, &waypost_core::actor::Actor::Waypost, note)?;
    Ok(text)
}

/// Whether the conversation changed something that its gates have not settled.
fn owes(view: &View<'_>, call: &Call, state: &SessionState) -> Result<bool, AppError> {
    let known = state.conversations.get(&call.conversation);
    let Some(known) = known.filter(|known| known.policy.is_some()) else {
        return Ok(false);
    };
    let hash = view.policy_for(state, &call.conversation)?.hash.clone();
    let stops = view.excerpt(&hash, &[Before::Stop], ActionParts::default())?;
    Ok(known.owes() && !stops.gates.is_empty())
}

/// A conversation ends.
pub fn end(host: &Host, call: &Call, reason: &str) -> Result<Answer, AppError> {
    let Some((view, Some(registration))) = locate(host, call)? else {
        return Ok(Answer::Silence);
    };
    let actor = agent(call.harness, &call.conversation, None);
    let reason = shortened(&one_line(reason), 64);
    let command = Command::Detach { conversation: call.conversation.clone(), reason };
    // What it committed is recorded, however it did; what cannot be told now is told to nobody.
    let _ = Noticing { view: &view, call, registration: &registration }.open();
    let _ = carry_over::let_go(&view, call, &registration);
    // Nobody is there to be told of budgets.
    let _ = usage::count(&view, call, &registration);
    // The conversation is over whether or not its session can take that down.
    let detached = view.execute(&registration.session, &actor, command);
    edits::forget(&view, &call.conversation);
    view.registry().forget_calls(call.harness, &call.conversation);
    // The entry stays, so that a conversation that comes back finds its session again.
    view.register(&Registration { process: None, ..registration })?;
    detached.map(|_| Answer::Silence)
}

/// What the agent knows is about to be summed up; the brief that follows tells it where it stands.
pub fn compacting(host: &Host, call: &Call, trigger: &str) -> Result<Answer, AppError> {
    let Some((view, Some(registration))) = locate(host, call)? else {
        return Ok(Answer::Silence);
    };
    let actor = &agent(call.harness, &call.conversation, call.subagent.as_deref());
    let deed = Deed { actor, tool: "PreCompact", what: trigger, status: None, files: &[] };
    activity::note(&view, &registration.session, &deed);
    Ok(Answer::Silence)
}

/// A snapshot that is damaged is rebuilt from the records while a human is there to be told.
pub(super) fn rebuild_if_damaged(
    view: &View<'_>,
    session: &SessionId,
) -> Result<Vec<String>, AppError> {
    let stream = StreamId::Session(session.clone());
    let mended = view.log.mend_snapshot::<SessionState>(&stream)?;
    Ok(mended.into_iter().collect())
}

fn attach(
    view: &View<'_>,
    call: &Call,
    source: &str,
    known: Option<&Registration>,
    session: Option<SessionId>,
) -> Result<(Registration, Compiled), AppError> {
    let process = checked_caller(view, call, known);
    let Call { harness, conversation, .. } = call;
    let trusted = process.is_some() && source != LATE;
    join::join(
        view,
        Joining { harness, conversation, source, process, trusted, hooked: true, known, session },
    )
}

/// The harness' process, if it can be believed: the caller is the harness, no other process that
/// still runs is known as this conversation's harness, and it was not started by another agent.
fn checked_caller(
    view: &View<'_>,
    call: &Call,
    known: Option<&Registration>,
) -> Option<crate::machine::process::Process> {
    let process = (call.caller)()?;
    let before = known.and_then(|known| known.process).filter(|before| before.is_running());
    if before.is_some_and(|before| before != process) {
        return None;
    }
    let other = |other: &Registration| {
        other.conversation != call.conversation && other.process != Some(process)
    };
    view.registry().above(other).is_none().then_some(process)
}

/// Conversations of this project whose process is gone are over.
fn detach_crashed(view: &View<'_>, call: &Call) -> Vec<String> {
    let mut told = Vec::new();
    let Ok(index) = view.index() else { return told };
    let attended = index.open.iter().filter(|entry| entry.attached > 0);
    let states = attended.filter_map(|entry| view.glance(&entry.id).ok());
    let attached: Vec<Registration> = states
        .flat_map(|state| {
            let attached = state.conversations.iter().filter(|(_, known)| known.attached);
            let entries = attached.map(|(id, known)| view.registered(&known.harness, id));
            entries.filter_map(Result::ok).flatten().collect::<Vec<_>>()
        })
        .collect();
    for other in attached {
        let gone = other.process.is_some_and(|process| !process.is_running());
        let here = other.root == view.project.root;
        if !gone || !here || other.conversation == call.conversation {
            continue;
        }
        let command = Command::Detach {
            conversation: other.conversation.clone(),
            reason: "crashed".to_owned(),
        };
        let actor = waypost_core::actor::Actor::Waypost;
        let detached = view.execute(&other.session, &actor, command);
        // Its own session may be damaged; that must not keep this conversation from beginning.
        if let Err(error) = detached {
            if error.kind == Kind::Integrity {
                told.push(format!("session {}: {error}", other.session));
            }
            continue;
        }
        edits::forget(view, &other.conversation);
        let _ = view.register(&Registration { process: None, ..other });
    }
    told
}
