//! What a brief tells of agents that work for each other: what was handed over and waits, and what those who judged the
//! work still want done.

use serde::Serialize;

use crate::next_step::{NextStep, Voice};
use crate::session::handoff_id;
use crate::story::{Concern, HandedOver};
use crate::text::spoken::{name, quoted};

/// The longest text of others that is quoted here, in characters.
const MAX_TEXT: usize = 300;
/// The longest context of a handoff.
const MAX_CONTEXT: usize = 600;

/// Work that was handed over, and that nobody has accepted yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WaitingHandoff {
    /// What it is called.
    pub handoff_id: String,
    /// Who hands over.
    pub from_agent: String,
    /// Who goes on.
    pub to_agent: String,
    /// Who recorded it.
    pub by: String,
    /// Why.
    pub reason: String,
    /// What whoever goes on has to know.
    pub context: String,
    /// The files that it is about.
    pub artifacts: Vec<String>,
    /// What has to be looked at first.
    pub checklist: Vec<String>,
    /// How to accept it.
    pub accept: String,
}

impl WaitingHandoff {
    /// As whoever asks is told.
    pub fn of(handed: HandedOver, voice: Voice) -> Self {
        let handoff_id = handoff_id(handed.seq);
        let accept = NextStep::AcceptHandoff(handoff_id.clone()).words(voice);
        let HandedOver { from_agent, to_agent, by, reason, context, artifacts, checklist, .. } =
            handed;
        Self { handoff_id, from_agent, to_agent, by, reason, context, artifacts, checklist, accept }
    }

    /// As an agent or a person reads it.
    pub fn lines(&self) -> Vec<String> {
        let (from, to) = (name(&self.from_agent), name(&self.to_agent));
        let reason = match self.reason.as_str() {
            "" => String::new(),
            reason => format!(": {}", quoted(reason, MAX_TEXT)),
        };
        let mut lines = vec![format!("   - {} from {from} to {to}{reason}", self.handoff_id)];
        if !self.context.is_empty() {
            lines.push(format!("     Context: {}", quoted(&self.context, MAX_CONTEXT)));
        }
        if !self.artifacts.is_empty() {
            let files: Vec<String> = self.artifacts.iter().map(|file| name(file)).collect();
            lines.push(format!("     Files: {}", files.join(", ")));
        }
        let points = self.checklist.iter().map(|point| quoted(point, MAX_TEXT));
        lines.extend(points.map(|point| format!("     First: {point}")));
        lines.push(format!("     To accept it: {}", self.accept));
        lines
    }

    /// Leaves out what goes beyond knowing that it waits and how to accept it; false if there was none.
    pub(super) fn shorten(&mut self) -> bool {
        let had = !self.context.is_empty() || !self.artifacts.is_empty();
        self.context.clear();
        self.artifacts.clear();
        had
    }

    /// The same, once its reason is too much as well. Whoever accepts it is told its checklist then.
    pub(super) fn shorten_more(&mut self) -> bool {
        let had = !self.reason.is_empty() || !self.checklist.is_empty();
        self.reason.clear();
        self.checklist.clear();
        had
    }
}

impl Concern {
    /// As an agent or a person reads it.
    pub fn line(&self) -> String {
        let wants: Vec<String> = self.wants.iter().map(|want| quoted(want, MAX_TEXT)).collect();
        let said = if self.counts { "" } else { ", as somebody wrote down for it" };
        format!("{} ({}{said}): {}", name(&self.agent), self.verdict, wants.join("; "))
    }
}
