//! Beginning a workflow: what stands before its first phase is asked before anything is made of it.

use waypost_core::gate::action::Action;
use waypost_core::gate::policy::Policy;
use waypost_core::gate::ruling::{GateFinding, Outcome};
use waypost_core::gate::{Before, FindingStatus, Gate};
use waypost_core::id::SessionId;
use waypost_core::session::SessionState;
use waypost_core::track::{Phase, TrackStarted};

use crate::error::AppError;
use crate::rulings::judge::Rules;
use crate::view::{Session, View};

/// Asks what stands before the first phase of a workflow that is about to begin: its own entry gates, and
/// those of the project before that phase. `session` takes it up; none is a new one. Refused while a must does
/// not hold; what rests on a session's records is only told, and has to hold before the phase is complete.
pub fn ask(
    view: &View<'_>,
    session: Option<&Session>,
    track: &TrackStarted,
) -> Result<Vec<String>, AppError> {
    let definition = &track.definition;
    let at = track.at.as_deref().and_then(|at| definition.phase(at));
    let Some(phase) = at.or_else(|| definition.phases.first()) else { return Ok(Vec::new()) };
    let before = Before::Phase(phase.name.clone());
    let mut policy = Policy::clone(&view.policy_for_caller()?.policy);
    policy.gates.retain(|gate| gate.before.contains(&before));
    policy.gates.extend(phase.entering().map(|gate| standing(gate, &before)));
    if policy.gates.is_empty() {
        return Ok(Vec::new());
    }
    let (later, now): (Vec<Gate>, Vec<Gate>) =
        policy.gates.into_iter().partition(|gate| gate.proof.rests_on_records());
    policy.gates = now;
    let blank = (new_session(view), SessionState::default());
    let (id, state) = match session {
        Some(session) => (&session.id, &*session.state),
        None => (&blank.0, &blank.1),
    };
    let action = Action::new(vec![before], view.asker());
    let judged = Rules::of(policy, id, state).judge_content(view, state, &action)?;
    let unmet = || judged.findings.iter().filter(|found| found.status != FindingStatus::Met);
    if judged.outcome == Outcome::Deny {
        return Err(refusal(view, &definition.name, phase, &unmet().collect::<Vec<_>>()));
    }
    let warned = unmet().map(|found| format!("{}: {}", found.gate, found.why));
    let told = later.iter().map(|gate| {
        format!("before phase {} is complete: {}", phase.name, gate.message.trim_end_matches('.'))
    });
    Ok(warned.chain(told).collect())
}

fn standing(gate: &Gate, before: &Before) -> Gate {
    Gate { before: vec![before.clone()], ..gate.clone() }
}

/// Stands for a session that is about to be made.
fn new_session(view: &View<'_>) -> SessionId {
    SessionId::numbered(view.host.now(), 1)
}

fn refusal(view: &View<'_>, workflow: &str, phase: &Phase, unmet: &[&GateFinding]) -> AppError {
    let why: Vec<String> =
        unmet.iter().map(|found| format!("{}: {}", found.gate, found.why)).collect();
    let told = format!(
        "the workflow {workflow} cannot begin with phase {} yet: {}",
        phase.name,
        why.join("; ")
    );
    let steps = unmet.iter().map(|found| found.words(view.voice()));
    steps.fold(AppError::refused(told), AppError::hint).hint("then begin it again")
}
