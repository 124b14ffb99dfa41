//! The proof `verdict`: another agent than the one who did the work looked at it, and said so.

use serde::{Deserialize, Serialize};

use super::ran::Fresh;
use super::{Finding, FindingStatus};
use crate::evidence::{Confidence, Provenance, Tree, VerdictWord, listed};
use crate::gate::Gate;
use crate::gate::facts::Needs;
use crate::gate::input::GateInput;
use crate::ledger::RecordedVerdict;
use crate::next_step::NextStep;

/// Another agent's verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictProof {
    /// The agent.
    pub agent: String,
    /// What it has to say.
    pub decision: VerdictWord,
    /// How sure it has to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_confidence: Option<Confidence>,
    /// How recent it has to be.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub fresh: Fresh,
}

fn once() -> Fresh {
    Fresh::Once
}

fn is_once(fresh: &Fresh) -> bool {
    *fresh == Fresh::Once
}

impl VerdictProof {
    /// What an agent has to say, some time, however sure it is.
    pub fn new(agent: impl Into<String>, decision: VerdictWord) -> Self {
        Self { agent: agent.into(), decision, min_confidence: None, fresh: Fresh::Once }
    }

    pub(super) fn next(&self, gate: &Gate) -> NextStep {
        let (agent, decision) = (self.agent.clone(), self.decision.to_string());
        NextStep::Any(vec![
            NextStep::AskAgent { agent, decision },
            NextStep::Approve(gate.id.clone()),
        ])
    }

    pub(super) fn needs(&self, input: &GateInput<'_>, needs: &mut Needs) {
        match self.fresh {
            Fresh::Once => {}
            Fresh::Within(_) => needs.clock = true,
            Fresh::Tree => {
                needs.tree = true;
                let contents =
                    input.verdicts(&self.agent).filter(|known| self.counts(input, known));
                let latest = contents.max_by_key(|known| known.seq);
                needs.compare.extend(latest.and_then(|known| known.content.clone()));
            }
        }
    }

    /// Whether the gate takes this agent's word in it. Whoever did the work cannot say what the gate asks for; anything
    /// else they can.
    fn counts(&self, input: &GateInput<'_>, known: &RecordedVerdict) -> bool {
        let is_impartial = known.is_impartial(self.fresh == Fresh::Tree);
        let may_say_so = is_impartial || known.verdict != self.decision;
        input.gate.accepts(known.provenance) && may_say_so
    }

    /// Whether it says anything else than what the gate asks for, of a content that is not known: then it is about
    /// whatever there is.
    fn objects(&self, known: &RecordedVerdict) -> bool {
        known.verdict != self.decision && known.content.is_none()
    }

    pub(super) fn find(&self, input: &GateInput<'_>) -> Finding {
        let Some(verdict) = self.latest(input) else { return self.missing(input) };
        let out_of_date = || self.out_of_date(input, verdict).filter(|_| !self.objects(verdict));
        if let Some(finding) = out_of_date() {
            // Of what came after it and does not count, it is told why.
            let later = input.verdicts(&self.agent).any(|known| known.seq > verdict.seq);
            return if later { self.missing(input) } else { finding };
        }
        let failed = |why| Finding::new(FindingStatus::Failed, why, self.next(input.gate));
        let said = format!("{} said `{}`", self.agent, verdict.verdict);
        if verdict.verdict != self.decision {
            let open = match verdict.open {
                0 => String::new(),
                1 => ", with a condition or blocker that is open".to_owned(),
                open => format!(", with {open} conditions and blockers that are open"),
            };
            return failed(format!("{said}{open}"));
        }
        match self.min_confidence {
            Some(least) if verdict.confidence < least => {
                failed(format!("{said} with a confidence of {}, below {least}", verdict.confidence))
            }
            _ => Finding::met(format!("{said} ({})", verdict.provenance)),
        }
    }

    /// The verdict that counts: on just this content where that matters, else the latest.
    fn latest<'a>(&self, input: &GateInput<'a>) -> Option<&'a RecordedVerdict> {
        let counting = || input.verdicts(&self.agent).filter(|known| self.counts(input, known));
        let now = input.facts.tree.as_ref().and_then(Tree::id);
        let is_now = |known: &&RecordedVerdict| now.is_some() && known.content.as_deref() == now;
        let here = counting().filter(is_now).max_by_key(|known| known.seq);
        let here = here.filter(|_| self.fresh == Fresh::Tree);
        let since = |known: &&RecordedVerdict| here.is_some_and(|here| here.seq < known.seq);
        let objection = counting().filter(since).filter(|known| self.objects(known));
        objection
            .max_by_key(|known| known.seq)
            .or(here)
            .or_else(|| counting().max_by_key(|known| known.seq))
    }

    fn out_of_date(&self, input: &GateInput<'_>, verdict: &RecordedVerdict) -> Option<Finding> {
        let stale = |why| Some(Finding::new(FindingStatus::Stale, why, self.next(input.gate)));
        let agent = &self.agent;
        match self.fresh {
            Fresh::Once => None,
            Fresh::Within(time) => {
                let age = input.facts.now.as_millis() - verdict.time.as_millis();
                if age <= time { None } else { stale(format!("{agent}'s verdict is too old")) }
            }
            Fresh::Tree => {
                let Some(now) = &input.facts.tree else {
                    return stale("the content of the work tree was not looked at".to_owned());
                };
                let Some(now) = now.id() else {
                    let why = "the content of the work tree cannot be told";
                    let next = self.next(input.gate);
                    return Some(Finding::new(FindingStatus::Unknown, why, next));
                };
                match &verdict.content {
                    Some(content) if content == now || input.facts.is_others(content) => None,
                    Some(content) => {
                        let changed = input.facts.concerning(content).unwrap_or_default();
                        let what =
                            if changed.is_empty() { "files".to_owned() } else { listed(changed) };
                        stale(format!("{what} changed since {agent} gave its verdict"))
                    }
                    None if verdict.moved => stale(format!(
                        "files changed while {agent} was looking, so nobody knows which content it judged"
                    )),
                    None => stale(format!("it is not known which content {agent} judged")),
                }
            }
        }
    }

    fn missing(&self, input: &GateInput<'_>) -> Finding {
        let agent = &self.agent;
        let given = input.verdicts(agent).max_by_key(|known| known.seq);
        let why = match given {
            None => format!("{agent} has given no verdict"),
            Some(RecordedVerdict { own_work: Some(file), provenance, .. })
                if input.gate.accepts(*provenance) =>
            {
                format!("{agent} judged its own work (it changed {file}): another one has to")
            }
            Some(RecordedVerdict { unwatched: true, provenance, .. })
                if input.gate.accepts(*provenance) =>
            {
                format!(
                    "{agent} was not watched from its beginning, so nobody knows what it changed: another one has to"
                )
            }
            Some(RecordedVerdict { provenance: Provenance::Claimed, .. }) => {
                format!("somebody wrote down a verdict for {agent}, but was not seen to be {agent}")
            }
            Some(_) => format!(
                "a verdict of {agent} came through a hook whose caller could not be checked"
            ),
        };
        Finding::new(FindingStatus::Missing, why, self.next(input.gate))
    }
}

#[cfg(test)]
mod tests;
