//! The user sent a prompt: a turn begins, under the policy of the moment.

use std::rc::Rc;

use waypost_core::command::Command;
use waypost_core::next_step::{NextStep, Voice, amid};
use waypost_core::redact::redact;
use waypost_core::session::{Lifecycle, SessionState};
use waypost_core::standing::ShownGate;
use waypost_core::text::{one_line, shortened};

use super::commits::Noticing;
use super::{Call, attach, call_moments, locate_anew, usage, worktrees};
use crate::error::AppError;
use crate::harness::Answer;
use crate::machine::host::Host;
use crate::standing::{alongside, also};
use crate::view::policy::{self, Compiled};
use crate::view::registry::Registration;
use crate::view::tips;
use crate::view::{View, agent, edits};

/// How much of a first prompt is kept, in characters.
const MAX_PROMPT: usize = 300;

/// Begins a turn: pins the policy and notes the work tree.
pub fn begin(host: &Host, call: &Call, prompt: &str) -> Result<Answer, AppError> {
    let Some((view, registration)) = locate_anew(host, call)? else {
        return Ok(Answer::Silence);
    };
    let mut registration = match registration {
        Some(registration) => registration,
        None => attach::late(&view, call)?,
    };
    let mut told = attach::rebuild_if_damaged(&view, &registration.session)?;
    if let Some((anew, loss)) = attach::anew_if_lost(&view, call, &registration)? {
        told.push(loss);
        registration = anew;
    }
    let mut state = view.load(&registration.session)?;
    if let Some(anew) = attach::moved(&view, call, &registration, &state)? {
        let (before, after) = (&registration.session, &anew.session);
        told.push(format!("session {before} is over; this conversation continues in {after}"));
        state = view.load(&anew.session)?;
        registration = anew;
    } else if state.lifecycle == Lifecycle::Paused {
        let session = &registration.session;
        let paused = format!("session {session} is paused; ");
        let resume = NextStep::Resume(session.clone());
        told.push(amid(paused, resume, " resumes it").words(Voice::PERSON));
    }
    remember(&view, registration.clone(), &state, prompt)?;
    view.registry().forget_calls(call.harness, &call.conversation);
    let known = state.conversations.get(&call.conversation).and_then(|known| known.policy.clone());
    let trusted = call.is_checked(&registration);
    let compiled = policy::compile(&view, known.as_deref(), trusted)?;
    let own = view.project.clone();
    let needs_tree = worktrees::needs_tree(&compiled.policy);
    let tree = needs_tree.then(|| view.within(&own, || view.tree()));
    let actor = agent(call.harness, &call.conversation, call.subagent.as_deref());
    let conversation = call.conversation.clone();
    view.within(&own, || call_moments::turn(&view, call, tree.as_ref()));
    view.within(&own, || edits::arrive(&view, &call.conversation));
    let noticing = Noticing { view: &view, call, registration: &registration };
    noticing.begin()?;
    let is_open = state.conversations.get(&call.conversation).is_some_and(|known| known.turn_open);
    // A turn that was cut off still owes what it committed: its beginning stays.
    if !is_open || tips::known(&view, &registration).is_none() {
        tips::note(&view, &registration)?;
    }
    let command = Command::BeginTurn { conversation, tree, policy: compiled.hash.clone() };
    let executed = view.execute(&registration.session, &actor, command)?;
    view.remember_policy(&registration, &compiled.hash)?;
    // Where the agent is in another work tree, what it begins with there counts as well.
    worktrees::note(&view, call, &registration, &state)?;
    told.extend(changed(&view, known.as_deref(), &compiled));
    told.extend(compiled.warnings);
    told.extend(executed.warnings);
    told.extend(usage::count(&view, call, &registration));
    let user = (!told.is_empty()).then(|| format!("Waypost: {}", told.join("; ")));
    let now = view.load(&registration.session)?;
    let mut parts = reminders(&view, &registration, &state, &now)?;
    parts.extend(newcomers(&view, call)?);
    let agent = (!parts.is_empty()).then(|| format!("Waypost: {}", parts.join("; ")));
    Ok(Answer::to_both(agent, user))
}

/// Which gates changed since what was pinned, if any did.
fn changed(view: &View<'_>, known: Option<&str>, compiled: &Compiled) -> Option<String> {
    let known = known.filter(|known| *known != compiled.hash)?;
    let before = view.policy_by_hash(known).unwrap_or_default();
    let changes = before.changes_to(&compiled.policy);
    (!changes.is_empty()).then(|| format!("the gates changed: {}", changes.join(", ")))
}

/// The first prompt of a session that nobody has named tells what it is about. Unlike an objective it
/// stays on this machine.
fn remember(
    view: &View<'_>,
    registration: Registration,
    state: &SessionState,
    prompt: &str,
) -> Result<(), AppError> {
    let prompt = one_line(&redact(prompt));
    if state.objective.is_some() || registration.prompt.is_some() || prompt.trim().is_empty() {
        return Ok(());
    }
    let prompt = Some(shortened(&prompt, MAX_PROMPT));
    view.register(&Registration { prompt, ..registration })
}

/// Who came to work in another session of this work tree since the conversation was last told.
fn newcomers(view: &View<'_>, call: &Call) -> Result<Vec<String>, AppError> {
    // Its entry was written since this call began.
    let entry = view.registered(call.harness, &call.conversation)?;
    let Some(entry) = entry else { return Ok(Vec::new()) };
    let neighbours = also::neighbours(view, &entry.session, &call.conversation);
    let came = neighbours.iter().filter(|other| !entry.met.contains(&other.conversation));
    let told: Vec<String> = came.map(|other| other.told.clone()).collect();
    let met: Vec<_> = neighbours.into_iter().map(|other| other.conversation).collect();
    if entry.met != met {
        view.register(&Registration { met, ..entry })?;
    }
    Ok(told)
}

/// Only where something was held in the turn before and still is, or somebody else came.
fn reminders(
    view: &View<'_>,
    registration: &Registration,
    before: &SessionState,
    now: &Rc<SessionState>,
) -> Result<Vec<String>, AppError> {
    let own = &registration.conversation;
    let Some(known) = before.conversations.get(own) else { return Ok(Vec::new()) };
    let mut parts = Vec::new();
    if !known.held.is_empty() {
        let stand = super::stand(view, registration, now)?;
        let of = |gate: &str, held: &str| {
            held.strip_prefix(gate).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let still = |open: &ShownGate| known.held.iter().any(|held| of(&open.gate, &held.gate));
        let open = stand.open().into_iter().filter(still);
        parts.extend(open.map(|open| format!("{} is still open. Next: {}", open.gate, open.next)));
    }
    let came = before
        .conversations
        .iter()
        .filter(|(id, other)| other.attached && *id != own && other.since > known.turn_at);
    if known.turn_at > 0 {
        let changing = alongside::changing(view, own);
        parts.extend(came.map(|(id, other)| {
            let changed = alongside::changed_by(view, &changing, id);
            let changed = changed.map(|files| format!(", which changed {files}"));
            let (harness, changed) = (&other.harness, changed.unwrap_or_default());
            format!("another conversation is working here now: {harness} {id}{changed}")
        }));
    }
    Ok(parts)
}
