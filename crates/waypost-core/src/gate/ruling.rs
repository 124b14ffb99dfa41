//! Rulings: what the gates said about an action, kept so that it can be explained.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::action::Action;
use super::facts::Facts;
use super::{Finding, FindingStatus, Gate, Level, Source};
use crate::id::RulingId;
use crate::next_step::{NextStep, Voice};

/// What the gates say about an action, from the mildest to the strictest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Nothing stands in the way.
    Allow,
    /// It goes ahead, with a warning.
    Warn,
    /// It does not go ahead.
    Deny,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Allow => "allow",
            Self::Warn => "warn",
            Self::Deny => "deny",
        })
    }
}

/// How many gates that held an action are recorded with all that they found.
pub(crate) const MAX_RECORDED: usize = 20;
/// How long a harness' name for a call may be, in bytes: a longer one is nobody's name for anything.
const MAX_CALL: usize = 256;
/// How many gates an agent is told of one by one.
const MAX_TOLD: usize = 10;

/// One gate's part in a ruling.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateFinding {
    /// The gate's name.
    pub gate: String,
    /// How much it insists.
    pub level: Level,
    /// Whether it holds.
    pub status: FindingStatus,
    /// What the gate says.
    pub message: String,
    /// Why it does not hold.
    pub why: String,
    /// The exact step that would satisfy it.
    pub next: NextStep,
    /// Where the gate was written down.
    pub source: Source,
}

impl GateFinding {
    pub(crate) fn new(gate: &Gate, finding: Finding) -> Self {
        Self {
            gate: gate.id.clone(),
            level: gate.level,
            status: finding.status,
            message: gate.message.clone(),
            why: finding.why,
            next: finding.next,
            source: gate.source.clone(),
        }
    }

    /// The step that would satisfy it, in the words of whoever asks.
    pub fn words(&self, voice: Voice) -> String {
        self.next.words_for(voice, Some(&self.gate))
    }
}

/// A ruling, with everything that it depended on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ruling {
    /// Its name.
    pub id: RulingId,
    /// What was about to happen.
    pub action: Action,
    /// What the gates said.
    pub outcome: Outcome,
    /// Whether gates gave way because nothing moved any more.
    pub gave_way: bool,
    /// If a stop was held: the how-manieth time in a row while nothing moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_block: Option<u32>,
    /// The hash of the policy that held.
    pub policy: String,
    /// The state's version: the last record that was taken into account.
    pub state_version: u64,
    /// What was known of the world.
    pub facts: Facts,
    /// Every gate that had a say; in records, those that held, as far as they fit.
    pub findings: Vec<GateFinding>,
    /// The other gates that held, where there are too many to record what they found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
}

impl Ruling {
    /// The findings that stand in the way.
    pub fn unmet(&self) -> impl Iterator<Item = &GateFinding> {
        self.findings.iter().filter(|finding| finding.status != FindingStatus::Met)
    }

    /// The ruling as it is recorded: what held, and not all that did not. The rest is found again by
    /// making the same ruling once more.
    #[must_use]
    pub fn recorded(mut self) -> Self {
        self.findings.retain(|finding| finding.status != FindingStatus::Met);
        self.action.commits.truncate(MAX_RECORDED);
        self.action.call = self.action.call.filter(|call| call.len() <= MAX_CALL);
        let names = self.findings.drain(MAX_RECORDED.min(self.findings.len())..);
        self.also = names.map(|finding| finding.gate).collect();
        self
    }

    /// What the agent is told if the same gates held its last action too: no more than it takes to
    /// go on.
    pub fn again_for_agent(&self, voice: Voice) -> String {
        let mut text = format!("Waypost still holds this {} (ruling {}).", self.what(), self.id);
        for finding in self.unmet().take(MAX_TOLD) {
            let GateFinding { gate, message, why, .. } = finding;
            text.push_str(&format!("\n- {gate}: {message}"));
            if finding.status == FindingStatus::Failed {
                text.push_str(&format!("\n  Why: {why}."));
            }
            text.push_str(&format!("\n  Next: {}", finding.words(voice)));
        }
        text + &self.untold()
    }

    /// How many gates are not told one by one.
    fn untold(&self) -> String {
        match (self.unmet().count() + self.also.len()).saturating_sub(MAX_TOLD) {
            0 => String::new(),
            more => format!("\n{more} more gates are open: `waypost status` shows them all."),
        }
    }

    fn what(&self) -> String {
        if self.action.is_stop() && self.action.subagent.is_some() {
            return "end of a subagent".to_owned();
        }
        self.action.kinds.first().map(ToString::to_string).unwrap_or_default()
    }

    /// What the agent is told: every gate that is not met, why, and the exact next step.
    pub fn for_agent(&self, voice: Voice) -> String {
        let what = self.what();
        let verb = match self.outcome {
            Outcome::Deny => "holds",
            Outcome::Warn => "warns before",
            Outcome::Allow => "allows",
        };
        let mut text = format!("Waypost {verb} this {what} (ruling {}).", self.id);
        for finding in self.unmet().take(MAX_TOLD) {
            let GateFinding { gate, level, message, why, .. } = finding;
            let next = finding.words(voice);
            text.push_str(&format!(
                "\n- {gate} ({level}): {message}\n  Why: {why}.\n  Next: {next}"
            ));
        }
        text + &self.untold()
    }
}
