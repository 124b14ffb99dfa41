//! The user sent a prompt: a turn begins, under the policy of the moment.

use waypost_core::command::Command;
use waypost_core::gate::Before;
use waypost_core::gate::Proof;
use waypost_core::gate::policy::Policy;
use waypost_core::gate::proof::ran::Fresh;
use waypost_core::session::Lifecycle;
use waypost_store::policies;

use super::{Answer, Call, attach, locate_anew};
use crate::error::AppError;
use crate::host::Host;
use crate::workspace::agent;
use crate::{facts, policy};

/// Begins a turn: pins the policy and notes the work tree.
pub fn begin(host: &Host, call: &Call) -> Result<Answer, AppError> {
    let Some((workspace, registration)) = locate_anew(host, call)? else {
        return Ok(Answer::Silence);
    };
    let mut registration = match registration {
        Some(registration) => registration,
        None => attach::late(&workspace, call)?,
    };
    let mut told = attach::rebuild_if_damaged(&workspace, &registration.session)?;
    let mut state = workspace.load(&registration.session)?;
    if let Some(anew) = attach::moved(&workspace, call, &registration, &state)? {
        let (before, after) = (&registration.session, &anew.session);
        told.push(format!("session {before} is over; this conversation goes on in {after}"));
        state = workspace.load(&anew.session)?;
        registration = anew;
    } else if state.lifecycle == Lifecycle::Paused {
        let session = &registration.session;
        told.push(format!("session {session} is paused; `waypost resume` takes it up again"));
    }
    let known = state.conversations.get(&call.conversation).and_then(|known| known.policy.clone());
    let trusted = call.is_checked(&registration);
    let compiled = policy::compile(&workspace, known.as_deref(), trusted)?;
    let tree = needs_tree(&compiled.policy).then(|| facts::tree(&workspace));
    let actor = agent(call.harness, &call.conversation, call.subagent.as_deref());
    let conversation = call.conversation.clone();
    let command = Command::BeginTurn { conversation, tree, policy: compiled.hash.clone() };
    let executed = workspace.execute(&registration.session, &actor, command)?;
    if let Some(known) = known.filter(|known| *known != compiled.hash) {
        let before = policies::load(workspace.log.root(), &known).unwrap_or_default();
        let changes = before.changes_to(&compiled.policy);
        if !changes.is_empty() {
            told.push(format!("the gates changed: {}", changes.join(", ")));
        }
    }
    told.extend(compiled.warnings);
    told.extend(executed.warnings);
    Ok(if told.is_empty() {
        Answer::Silence
    } else {
        Answer::Message(format!("Waypost: {}", told.join("; ")))
    })
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
