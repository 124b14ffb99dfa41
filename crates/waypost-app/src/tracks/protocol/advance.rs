//! Going from phase to phase. A gate that does not hold blocks, is a violation, and can be forced
//! only so often.

use serde::Serialize;
use waypost_core::command::{Advance, Command, Refusal};
use waypost_core::event::Violation;
use waypost_core::gate::Before;
use waypost_core::gate::policy::Enforcement;
use waypost_core::next_step::NextStep;
use waypost_core::text::did_you_mean;
use waypost_core::track::PhaseEntry;

use super::{Looked, Protocol, Silence, recover};
use crate::error::AppError;
use crate::rulings::ask;
use crate::view::{Session, View};

/// What advancing came to.
#[derive(Debug, Clone, Serialize)]
pub struct Advanced {
    /// The phase that it was in.
    pub previous_phase: String,
    /// The phase that it is in.
    pub current_phase: String,
    /// What it is said to be in: the phase, BLOCKED or VIOLATION.
    pub state: String,
    /// Whether it is in the phase that was asked for.
    pub success: bool,
    /// The gates that hold it.
    pub blocked_by: Vec<String>,
    /// What was missed, now or by force.
    pub violations: Vec<String>,
    /// What to do next.
    pub next_steps: Vec<String>,
}

/// Enters the next phase, or one after another up to `target`.
pub fn advance(
    view: &View<'_>,
    session: Option<&str>,
    target: Option<&str>,
    force: bool,
) -> Result<Advanced, AppError> {
    let mut protocol = Protocol::required(view, session)?;
    let track = protocol.running()?;
    let previous = track.phase.clone();
    let next = track.next().map(str::to_owned);
    let target = destination(&protocol, target)?;
    if force && protocol.definition.phases.last().is_some_and(|last| last.name == target) {
        return Err(AppError::refused(format!("{target} is never reached by force"))
            .hint("do what is missing; without force, this tells what that is"));
    }
    if force && Some(&target) != next.as_ref() {
        return Err(AppError::refused("force passes one gate at a time")
            .hint("leave target_phase out, or name the next phase"));
    }
    let mut told = Told::default();
    view.together(|| {
        while protocol.phase().0 != target && told.blocked_by.is_empty() {
            one(view, &protocol, force, &mut told)?;
            let Session { id, state } = &mut protocol.session;
            *state = view.load(id)?;
        }
        Ok(())
    })?;
    let (current, said) = protocol.phase();
    Ok(Advanced {
        previous_phase: previous,
        current_phase: current.to_owned(),
        state: said.to_owned(),
        success: told.blocked_by.is_empty(),
        blocked_by: told.blocked_by,
        violations: told.violations,
        next_steps: told.next_steps,
    })
}

#[derive(Default)]
struct Told {
    blocked_by: Vec<String>,
    violations: Vec<String>,
    next_steps: Vec<String>,
}

/// The phase that is meant: the next one, unless another that lies ahead is named.
fn destination(protocol: &Protocol, target: Option<&str>) -> Result<String, AppError> {
    let track = protocol.running()?;
    let next = track.next().map(str::to_owned);
    let last = track.phases.last();
    let end = || {
        AppError::refused(format!(
            "the protocol is in {} already: what is left is ending the session",
            last.map_or("", String::as_str)
        ))
        .hint(NextStep::End)
    };
    let wanted = match target {
        None => next.clone().ok_or_else(end)?,
        Some(target) => named(protocol, target)?,
    };
    if Some(&wanted) == last && track.phase == wanted {
        return Err(end());
    }
    let place = |name: &str| track.phases.iter().position(|phase| phase == name);
    match (place(&wanted), place(&track.phase)) {
        (Some(to), Some(from)) if to > from => Ok(wanted),
        (Some(_), _) => {
            let refusal = Refusal::NotNext { from: track.phase.clone(), to: wanted, next };
            Err(AppError::refused(refusal.to_string())
                .hint("without target_phase the next one is entered"))
        }
        (None, _) => {
            let names: Vec<&str> = track.phases.iter().map(String::as_str).collect();
            let error = AppError::refused(format!("there is no phase `{wanted}`"));
            Err(match did_you_mean(&wanted, &names) {
                Some(meant) => error.hint(format!("did you mean `{meant}`?")),
                None => error.hint(format!("phases are {}", names.join(", "))),
            })
        }
    }
}

/// The phase of that name; what is called otherwise, such as `Phase 1.5`, is the phase in which that is done.
fn named(protocol: &Protocol, target: &str) -> Result<String, AppError> {
    let phases = &protocol.definition.phases;
    let target = target.trim();
    if let Some(found) = phases.iter().find(|phase| phase.name.eq_ignore_ascii_case(target)) {
        return Ok(found.name.clone());
    }
    let called = protocol.gate_called(target)?.map(|entry| entry.gate.clone());
    let found = called.filter(|gate| phases.iter().any(|phase| phase.name == *gate));
    Ok(found.unwrap_or_else(|| target.to_owned()))
}

/// Enters the next phase, if its gates let it. Before the last one, everything has to hold.
fn one(view: &View<'_>, protocol: &Protocol, force: bool, told: &mut Told) -> Result<(), AppError> {
    let track = protocol.running()?;
    let Some(next) = protocol.definition.after(&track.phase) else {
        return Err(AppError::integrity("the protocol's phases do not fit its definition"));
    };
    let missed = |entry: &PhaseEntry| track.missed.iter().any(|one| one.gate == entry.gate);
    let own = next.entry.as_ref().map(|entry| entry.gate.as_str());
    let is_last = protocol.definition.phases.last().is_some_and(|last| last.name == next.name);
    let mut looked =
        protocol.look(view, |entry| is_last || own == Some(&entry.gate) || missed(entry))?;
    protocol.ask(view, &mut looked, if is_last { Silence::IsNothing } else { Silence::Holds });
    let recovered = recover::recovered(protocol, &looked);
    let back: Vec<&str> = recovered.iter().map(|(gate, _)| gate.as_str()).collect();
    let blocks = |gate: &&Looked| {
        let open =
            track.blocked_by().any(|one| one == gate.gate) && !back.contains(&gate.gate.as_str());
        open || (gate.holds_back() && own == Some(gate.gate.as_str()))
            || (is_last && gate.open_musts().next().is_some())
    };
    let mut missing: Vec<Violation> =
        looked.iter().filter(blocks).map(|gate| violation(protocol, gate, force)).collect();
    let held = looked.iter().filter(blocks).collect::<Vec<_>>();
    let conversation = Some(protocol.conversation.clone());
    let (actor, id) = (view.actor(), &protocol.session.id);
    // A project that only reports is told, and goes on.
    if view.policy_for_caller()?.policy.enforcement == Enforcement::Report {
        told.violations.extend(missing.drain(..).map(|missed| tell(&missed)));
    }
    if missing.is_empty() || force {
        // The project's own gates before a phase are not passed by force.
        let (session, asker) = (&protocol.session, protocol.conversation.clone());
        ask::the_gates(view, session, asker.clone(), Before::Phase(next.name.clone()))?;
        if is_last {
            ask::the_gates(view, session, asker, Before::End)?;
        }
        told.violations.extend(missing.iter().map(tell));
        let to = next.name.clone();
        let advance = Advance { conversation, to, recovered, forced: missing };
        view.execute(id, &actor, Command::Advance(advance))?;
        return Ok(());
    }
    told.violations.extend(missing.iter().map(tell));
    told.blocked_by.extend(held.iter().map(|gate| gate.gate.clone()));
    let steps = held.iter().flat_map(|gate| gate.open_musts());
    told.next_steps.extend(steps.map(|step| step.next.words(view.voice())));
    view.execute(id, &actor, Command::Miss { conversation, missed: missing })?;
    Ok(())
}

fn violation(protocol: &Protocol, gate: &Looked, forced: bool) -> Violation {
    let musts: Vec<String> =
        gate.open_musts().map(|step| format!("MUST {}", step.requirement)).collect();
    let why: Vec<&str> = gate.open_musts().map(|step| step.evidence.as_str()).collect();
    let how = if forced { "it was passed by force" } else { "it was missed" };
    Violation {
        conversation: Some(protocol.conversation.clone()),
        gate: gate.gate.clone(),
        requirement: musts.join(" "),
        severity: "CRITICAL".to_owned(),
        reason: format!("{how}: {}", why.join("; ")),
        phase: Some(gate.gate.clone()),
        forced,
    }
}

fn tell(violation: &Violation) -> String {
    format!("{} ({}): {}", violation.gate, violation.severity, violation.reason)
}
