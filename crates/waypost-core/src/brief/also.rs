//! The other sessions that somebody could take up, as a brief and an overview tell them.

use serde::Serialize;

use crate::id::SessionId;
use crate::session::{Lifecycle, Pause};
use crate::text::spoken::{ago, name, quoted};
use crate::time::Timestamp;

/// The longest text of others that is quoted here, in characters.
const MAX_TEXT: usize = 200;
/// The longest context of a pause.
const MAX_CONTEXT: usize = 600;

/// A session that whoever is told does not work in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OtherSession {
    /// The session.
    pub session_id: SessionId,
    /// What it is for, once somebody named it.
    pub objective: Option<String>,
    /// Its first prompt, while nobody has named it; kept on this machine only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_prompt: Option<String>,
    /// Where it is in its life.
    pub lifecycle: Lifecycle,
    /// Whether new conversations in this work tree join it.
    pub current: bool,
    /// The phase of its workflow that it is in, if it follows one.
    pub phase: Option<String>,
    /// Its work tree, where that is another one; an empty name is the main one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// When something last happened.
    pub updated_at: Option<Timestamp>,
    /// Why it rests, while it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pause: Option<Pause>,
    /// What was left in it for whoever goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<String>,
    /// The conversations at work in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conversations: Vec<String>,
    /// The files that were touched in it, where a conversation is at work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// How to take it up, if it can be from here.
    pub take_up: Option<String>,
    /// The command with which its client goes back to the conversation that was last in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reopen: Option<String>,
}

impl OtherSession {
    /// As an agent or a person reads it, on one line.
    pub fn line(&self, now: Timestamp) -> String {
        let what = match (&self.objective, &self.first_prompt) {
            (Some(objective), _) => quoted(objective, MAX_TEXT),
            (None, Some(prompt)) => {
                format!("without a name; its first prompt was {}", quoted(prompt, MAX_TEXT))
            }
            (None, None) => "without a name".to_owned(),
        };
        let mut line = format!("{} {what}: {}", self.session_id, self.standing(now));
        if !self.conversations.is_empty() {
            line.push_str(&format!(". Working in it: {}", self.conversations.join(", ")));
            if !self.files.is_empty() {
                let files: Vec<String> = self.files.iter().map(|file| name(file)).collect();
                line.push_str(&format!(", which changed {}", files.join(", ")));
            }
        }
        if let Some(left) = &self.left {
            line.push_str(&format!(". Handed over: {}", quoted(left, MAX_CONTEXT)));
        }
        if let Some(step) = &self.take_up {
            line.push_str(&format!(". To {step}"));
        }
        if let Some(reopen) = &self.reopen {
            line.push_str(&format!(". The user can reopen its conversation: {reopen}"));
        }
        line
    }

    fn standing(&self, now: Timestamp) -> String {
        let since = |then: Timestamp| ago(now.as_millis() - then.as_millis());
        let phase = self.phase.as_ref().map(|phase| format!(" in phase {}", name(phase)));
        let place = match self.worktree.as_deref() {
            None => String::new(),
            Some("") => ", in the main work tree".to_owned(),
            Some(other) => format!(", in work tree {}", name(other)),
        };
        let (phase, current) =
            (phase.unwrap_or_default(), if self.current { " (current)" } else { "" });
        let lifecycle = self.lifecycle;
        if let Some(pause) = &self.pause {
            let (when, reason) = (since(pause.since), quoted(&pause.reason, MAX_TEXT));
            let context = pause.context.as_ref();
            let context = context.map(|text| format!(". Context: {}", quoted(text, MAX_CONTEXT)));
            let context = context.unwrap_or_default();
            return format!("{lifecycle}{phase}{place} {when}: {reason}{context}");
        }
        let when = self.updated_at.map(|then| format!(", last active {}", since(then)));
        format!("{lifecycle}{current}{phase}{place}{}", when.unwrap_or_default())
    }

    /// Leaves out what goes beyond knowing that it is there and how to take it up; false if there was none.
    pub(super) fn shorten(&mut self) -> bool {
        let context = self.pause.as_mut().and_then(|pause| pause.context.take());
        let files = std::mem::take(&mut self.files);
        let (left, reopen) = (self.left.take(), self.reopen.take());
        context.is_some() || left.is_some() || reopen.is_some() || !files.is_empty()
    }
}
