//! What satisfied gates for a conversation that ended shortly before counts for the next one, where gates say so: also
//! where that one has a session of its own.

use std::collections::BTreeMap;

use waypost_core::command::{Command, GatesCommand};
use waypost_core::evidence::{CarriedEvidence, CarriedOver, Mark, Sort};
use waypost_core::gate::policy::Policy;
use waypost_core::gate::{Gate, Proof, Scope};
use waypost_core::id::ConversationId;
use waypost_core::session::SessionState;
use waypost_core::time::Timestamp;

use super::Call;
use crate::error::AppError;
use crate::view::registry::Registration;
use crate::view::{View, agent};

/// Takes over what conversations of this work tree left that ended shortly before this one began.
pub(super) fn into(
    view: &View<'_>,
    call: &Call,
    own: &Registration,
    policy: &Policy,
) -> Result<(), AppError> {
    let carried = |gate: &&Gate| gate.carry_over.is_some() && gate.scope == Scope::Conversation;
    let gates: Vec<&Gate> = policy.gates.iter().filter(carried).collect();
    let Some(longest) = gates.iter().filter_map(|gate| gate.carry_over).max() else {
        return Ok(());
    };
    let now = view.host.now();
    let since = Timestamp::saturating_from_millis(now.as_millis().saturating_sub(longest));
    let actor = agent(call.harness, &call.conversation, None);
    // Within a session the gates see to it themselves.
    let index = view.index()?;
    let others = index.open.iter().filter(|entry| entry.id != own.session);
    let recent = others.filter(|entry| entry.updated_at.is_some_and(|at| at >= since));
    for entry in recent {
        let Ok(state) = view.glance(&entry.id) else { continue };
        for (from, ended) in ended_here(view, own, &state) {
            let age = now.as_millis() - ended.as_millis();
            let lasts =
                |gate: &&&Gate| gate.carry_over.is_some_and(|limit| (0..=limit).contains(&age));
            let left = Left { state: &state, from: &from };
            let carried = CarriedOver {
                conversation: call.conversation.clone(),
                from: from.clone(),
                session: entry.id.clone(),
                evidence: gates.iter().filter(lasts).flat_map(|gate| left.evidence(gate)).collect(),
                marks: gates.iter().filter(lasts).flat_map(|gate| left.marks(gate)).collect(),
            };
            view.execute(&own.session, &actor, Command::Gates(GatesCommand::CarryOver(carried)))?;
        }
    }
    Ok(())
}

/// The conversations of a session that were in this work tree and are over, and since when.
fn ended_here(
    view: &View<'_>,
    own: &Registration,
    state: &SessionState,
) -> BTreeMap<ConversationId, Timestamp> {
    let ended = state.conversations.iter().filter(|(id, known)| {
        let entry = view.registered(&known.harness, id).ok().flatten();
        !known.attached && entry.is_some_and(|entry| entry.root == own.root)
    });
    ended.filter_map(|(id, known)| Some((id.clone(), known.detached_at?))).collect()
}

/// What a conversation left.
struct Left<'a> {
    state: &'a SessionState,
    from: &'a ConversationId,
}

impl Left<'_> {
    fn counts(&self, gate: &Gate, seq: u64) -> bool {
        seq > self.state.ledger.spent_until(&gate.id, self.from)
    }

    /// Of what was seen, that which a gate asks for.
    fn evidence(&self, gate: &Gate) -> Vec<CarriedEvidence> {
        let known = self.state.ledger.evidence.iter();
        let known = known.filter(|known| known.conversation.as_ref() == Some(self.from));
        let known = known.filter(|known| self.counts(gate, known.seq));
        let asked = known.filter(|known| {
            let mut asks = false;
            gate.proof.each(&mut |proof| {
                let subject = known.evidence.subject.as_str();
                asks |= match (proof, known.evidence.sort) {
                    (Proof::Skill(skill), Sort::Skill) => skill.is(subject),
                    (Proof::Read(read), Sort::Read) => read.file == subject,
                    _ => false,
                };
            });
            asks
        });
        let carried = |time, evidence| CarriedEvidence { time, evidence };
        asked.map(|known| carried(known.time, known.evidence.clone())).collect()
    }

    /// What was said of a gate.
    fn marks(&self, gate: &Gate) -> Vec<Mark> {
        let known = self.state.ledger.marks.iter().filter(|known| known.mark.gate == gate.id);
        let whose = |mark: &Mark| mark.conversation.as_ref().is_none_or(|whose| whose == self.from);
        let known = known.filter(|known| whose(&known.mark) && self.counts(gate, known.seq));
        // A signature is about the stream that it stands in.
        let known = known.filter(|known| known.mark.signature.is_none());
        known.map(|known| known.mark.clone()).collect()
    }
}

/// A conversation is over: what satisfied gates until then counts no more, where they say so.
pub(super) fn let_go(
    view: &View<'_>,
    call: &Call,
    registration: &Registration,
) -> Result<(), AppError> {
    let state = view.load(&registration.session)?;
    let policy = view.policy_for(&state, &call.conversation)?;
    let gates = policy.policy.gates.iter().filter(|gate| gate.until_end);
    let consumed: Vec<String> = gates.map(|gate| gate.id.clone()).collect();
    if consumed.is_empty() {
        return Ok(());
    }
    let conversation = call.conversation.clone();
    let pass = Command::Pass { conversation, triggered: Vec::new(), consumed };
    let actor = agent(call.harness, &call.conversation, None);
    view.execute(&registration.session, &actor, pass).map(drop)
}
