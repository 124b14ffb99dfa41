//! The user sent a prompt: a turn begins, under the policy of the moment.

use waypost_core::command::Command;
use waypost_core::gate::policy::Policy;
use waypost_core::gate::proof::ran::Fresh;
use waypost_core::gate::ruling::GateFinding;
use waypost_core::gate::{Before, Proof, Status};
use waypost_core::redact::redact;
use waypost_core::session::{Lifecycle, SessionState};
use waypost_core::text::{one_line, shortened};
use waypost_store::policies;

use super::{Answer, Call, attach, locate_anew};
use crate::error::AppError;
use crate::host::Host;
use crate::judge::Rules;
use crate::registry::Registration;
use crate::view::{View, agent};
use crate::{facts, policy};

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
        told.push(format!("session {before} is over; this conversation goes on in {after}"));
        state = view.load(&anew.session)?;
        registration = anew;
    } else if state.lifecycle == Lifecycle::Paused {
        let session = &registration.session;
        told.push(format!("session {session} is paused; `waypost resume` takes it up again"));
    }
    remember(&view, registration.clone(), (&state, prompt))?;
    view.registry().forget_calls(call.harness, &call.conversation);
    let known = state.conversations.get(&call.conversation).and_then(|known| known.policy.clone());
    let trusted = call.is_checked(&registration);
    let compiled = policy::compile(&view, known.as_deref(), trusted)?;
    let tree = needs_tree(&compiled.policy).then(|| facts::tree(&view));
    let actor = agent(call.harness, &call.conversation, call.subagent.as_deref());
    let conversation = call.conversation.clone();
    let command = Command::BeginTurn { conversation, tree, policy: compiled.hash.clone() };
    let executed = view.execute(&registration.session, &actor, command)?;
    if let Some(known) = known.filter(|known| *known != compiled.hash) {
        let before = policies::load(view.log.root(), &known).unwrap_or_default();
        let changes = before.changes_to(&compiled.policy);
        if !changes.is_empty() {
            told.push(format!("the gates changed: {}", changes.join(", ")));
        }
    }
    told.extend(compiled.warnings);
    told.extend(executed.warnings);
    let rules = Rules::of(compiled.policy, &registration.session, &state);
    let user = (!told.is_empty()).then(|| format!("Waypost: {}", told.join("; ")));
    let agent = reminder(&view, call, &state, &rules)?;
    Ok(Answer::to_both(agent, user))
}

/// The first prompt of a session that nobody has named tells what it is about. Unlike an objective it
/// stays on this machine.
fn remember(
    view: &View<'_>,
    registration: Registration,
    (state, prompt): (&SessionState, &str),
) -> Result<(), AppError> {
    let prompt = one_line(&redact(prompt));
    if state.objective.is_some() || registration.prompt.is_some() || prompt.trim().is_empty() {
        return Ok(());
    }
    let prompt = Some(shortened(&prompt, MAX_PROMPT));
    view.registry().enter(&Registration { prompt, ..registration })
}

/// One line, only where something was held before and still is, or somebody else came.
fn reminder(
    view: &View<'_>,
    call: &Call,
    state: &SessionState,
    rules: &Rules,
) -> Result<Option<String>, AppError> {
    let Some(known) = state.conversations.get(&call.conversation) else { return Ok(None) };
    let mut parts = Vec::new();
    if !known.held.is_empty() {
        let findings = rules.examine(view, state, &call.conversation)?;
        let still = |finding: &&GateFinding| {
            finding.status != Status::Met && known.held.iter().any(|held| held.gate == finding.gate)
        };
        parts.extend(
            findings
                .iter()
                .filter(still)
                .map(|finding| format!("{} is still open. Next: {}", finding.gate, finding.next)),
        );
    }
    let came = state.conversations.iter().filter(|(id, other)| {
        other.attached && **id != call.conversation && other.since > known.turn_at
    });
    if known.turn_at > 0 {
        parts.extend(came.map(|(id, other)| {
            format!("another conversation works here now: {} {id}", other.harness)
        }));
    }
    Ok((!parts.is_empty()).then(|| format!("Waypost: {}", parts.join("; "))))
}

/// Whether a gate before stops compares work trees, so that the one of now has to be known.
fn needs_tree(policy: &Policy) -> bool {
    let mut needed = false;
    for gate in policy.gates.iter().filter(|gate| gate.before.contains(&Before::Stop)) {
        needed |= gate.when.paths.is_some();
        gate.proof.each(&mut |proof| {
            needed |= matches!(proof, Proof::Ran(ran) if ran.fresh == Fresh::Tree);
        });
    }
    needed
}
