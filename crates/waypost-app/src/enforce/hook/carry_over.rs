//! What satisfied gates for a conversation that ended shortly before counts for the next one, where gates say so: also
//! where that one has a session of its own. Of one that goes on, or that ended without a word, what is that young counts,
//! for the rules of other tools: there, nobody asks whether a conversation is over.

use std::collections::BTreeMap;

use waypost_core::command::{Command, GatesCommand};
use waypost_core::evidence::{CarriedEvidence, CarriedOver, Mark, RecordedMark, Sort};
use waypost_core::gate::policy::Policy;
use waypost_core::gate::{Gate, Proof, Scope};
use waypost_core::id::ConversationId;
use waypost_core::session::{Conversation, SessionState};
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
    let index = view.index()?;
    let recent = index.open.iter().filter(|entry| entry.updated_at.is_some_and(|at| at >= since));
    for entry in recent {
        let Ok(state) = view.glance(&entry.id) else { continue };
        for (from, ended) in were_here(view, call, own, &state) {
            // Within a session the gates see to it themselves.
            if ended.is_some() && entry.id == own.session {
                continue;
            }
            let left = Left { state: &state, from: &from, ended, now };
            let carried = CarriedOver {
                conversation: call.conversation.clone(),
                from: from.clone(),
                session: entry.id.clone(),
                evidence: gates.iter().flat_map(|gate| left.evidence(gate)).collect(),
                marks: gates.iter().flat_map(|gate| left.marks(gate)).collect(),
            };
            view.execute(&own.session, &actor, Command::Gates(GatesCommand::CarryOver(carried)))?;
        }
    }
    Ok(())
}

/// The other conversations of a session that were in this work tree, and since when they are over.
fn were_here(
    view: &View<'_>,
    call: &Call,
    own: &Registration,
    state: &SessionState,
) -> BTreeMap<ConversationId, Option<Timestamp>> {
    let others = state.conversations.iter().filter(|(id, _)| **id != call.conversation);
    let here = others.filter(|(id, known)| {
        let entry = view.registered(&known.harness, id).ok().flatten();
        entry.is_some_and(|entry| entry.root == own.root)
    });
    let over = |known: &Conversation| known.detached_at.filter(|_| !known.attached);
    here.filter(|(_, known)| known.attached || known.detached_at.is_some())
        .map(|(id, known)| (id.clone(), over(known)))
        .collect()
}

/// What a conversation left.
struct Left<'a> {
    state: &'a SessionState,
    from: &'a ConversationId,
    /// When it ended, if it did.
    ended: Option<Timestamp>,
    now: Timestamp,
}

impl Left<'_> {
    fn counts(&self, gate: &Gate, seq: u64, time: Timestamp) -> bool {
        // Of one that goes on, only what is young enough itself.
        let since = self.ended.or_else(|| gate.imported.then_some(time));
        let age = since.map(|since| self.now.as_millis() - since.as_millis());
        let is_young =
            age.zip(gate.carry_over).is_some_and(|(age, most)| (0..=most).contains(&age));
        is_young && seq > self.state.ledger.spent_until(&gate.id, self.from)
    }

    /// Of what was seen, that which a gate asks for.
    fn evidence(&self, gate: &Gate) -> Vec<CarriedEvidence> {
        let known = self.state.ledger.evidence.iter();
        let known = known.filter(|known| known.conversation.as_ref() == Some(self.from));
        let known = known.filter(|known| self.counts(gate, known.seq, known.time));
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
        let known =
            known.filter(|known| whose(&known.mark) && self.counts(gate, known.seq, known.time));
        // A signature is about the stream that it stands in.
        let known = known.filter(|known| known.mark.signature.is_none());
        // It lasts no longer for being taken over.
        let until = |known: &RecordedMark| {
            let over = |ttl: i64| Timestamp::saturating_from_millis(known.time.as_millis() + ttl);
            [known.mark.until, lasts(gate).map(over)].into_iter().flatten().min()
        };
        known.map(|known| Mark { until: until(known), ..known.mark.clone() }).collect()
    }
}

/// For how many milliseconds approving a gate counts.
fn lasts(gate: &Gate) -> Option<i64> {
    let mut lasts = None;
    gate.proof.each(&mut |proof| {
        if let Proof::Approval(approval) = proof {
            lasts = approval.ttl;
        }
    });
    lasts
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
