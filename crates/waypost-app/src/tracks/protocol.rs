//! The protocol that a conversation follows: what it asks for, and how far that is done.

pub mod advance;
pub mod checklist;
pub mod end;
pub mod evidence;
pub mod recover;
pub mod show;

mod look;
mod subject;

use std::sync::Arc;

use waypost_core::gate::policy::Policy;
use waypost_core::id::ConversationId;
use waypost_core::next_step::{NextStep, does};
use waypost_core::session::SessionState;
use waypost_core::text::{one_line, shortened};
use waypost_core::track::builtin::{self};
use waypost_core::track::{Definition, PhaseEntry, Track};

use crate::error::AppError;
use crate::view::{Session, View};
use crate::view::{definitions, protocol};

pub use look::Silence;
pub use waypost_core::standing::{GateStatus, Looked, LookedStep, StepStatus};

/// A conversation and the protocol that it follows.
#[derive(Debug)]
pub struct Protocol {
    /// The session.
    pub session: Session,
    /// The conversation.
    pub conversation: ConversationId,
    /// What it follows.
    pub definition: Arc<Definition>,
}

impl Protocol {
    /// Of whoever calls, in the session that is named or theirs. `None` where the project follows no
    /// protocol.
    pub fn of(view: &View<'_>, named: Option<&str>) -> Result<Option<Self>, AppError> {
        let session = view.session(named)?;
        let in_force = view.policy_for_caller()?;
        Self::in_session(view, &in_force.policy, session, &view.asker())
    }

    /// Of a conversation in a session, under a policy. For nobody's, the conversation that last
    /// followed the protocol there.
    pub fn in_session(
        view: &View<'_>,
        policy: &Policy,
        session: Session,
        asker: &ConversationId,
    ) -> Result<Option<Self>, AppError> {
        let conversation = whose(&session.state, asker);
        let begun = session.state.track(Some(&conversation)).map(|track| track.definition.clone());
        let definition = if let Some(hash) = begun {
            Some(definitions::of(view, &session.id, &hash)?)
        } else {
            protocol::definition(view, policy, &session, &conversation)?.map(Arc::new)
        };
        Ok(definition.map(|definition| Self { session, conversation, definition }))
    }

    /// The same, where it takes one.
    pub fn required(view: &View<'_>, named: Option<&str>) -> Result<Self, AppError> {
        Self::of(view, named)?.ok_or_else(|| {
            AppError::refused("this project follows no protocol").hint(
                "`protocol = \"builtin\"`, or a file, below [project] in waypost.toml turns it on",
            )
        })
    }

    /// The same as [`Protocol::in_session`] for whoever only looks: a protocol that cannot be read is told, and
    /// keeps nobody from looking.
    pub fn looked_at(
        view: &View<'_>,
        policy: &Policy,
        session: Session,
        asker: &ConversationId,
    ) -> Result<(Option<Self>, Option<String>), AppError> {
        let has_begun = session.state.track(Some(&whose(&session.state, asker))).is_some();
        match Self::in_session(view, policy, session, asker) {
            Err(error) if !has_begun => Ok((None, Some(error.message))),
            found => found.map(|found| (found, None)),
        }
    }

    /// The gate that somebody means by a name: its own, its phase's number, or what it plainly is.
    pub fn gate_called(&self, name: &str) -> Result<Option<&PhaseEntry>, AppError> {
        let found = self.definition.entries_called(name);
        match found.as_slice() {
            [] => Ok(None),
            [(_, only)] => Ok(Some(only)),
            several => {
                let names: Vec<&str> =
                    several.iter().map(|(_, entry)| entry.gate.as_str()).collect();
                let name = shortened(&one_line(name), 40);
                Err(AppError::refused(format!("several phases are called `{name}`"))
                    .hint(format!("say which one by its name: {}", names.join(", "))))
            }
        }
    }

    /// The track, if it was begun.
    pub fn track(&self) -> Option<&Track> {
        self.session.state.track(Some(&self.conversation))
    }

    /// The track that goes on.
    pub fn running(&self) -> Result<&Track, AppError> {
        match self.track() {
            Some(track) if track.is_running() => Ok(track),
            Some(_) => Err(AppError::refused("this conversation's protocol is complete")
                .hint(does(NextStep::Begin, "begins the next session"))),
            None => {
                Err(AppError::refused("this conversation has not begun to follow the protocol")
                    .hint(NextStep::Begin))
            }
        }
    }

    /// The blocking gates between its phase and the next rest: the work, or the end. While the work
    /// goes on nothing blocks.
    pub fn ahead(&self) -> Vec<String> {
        let (phase, _) = self.phase();
        let phases = &self.definition.phases;
        let place = phases.iter().position(|known| known.name == phase);
        let mut ahead = Vec::new();
        for next in phases.iter().skip(place.map_or(0, |place| place + 1)) {
            if phase == builtin::WORKING {
                break;
            }
            let entry = next.entry.as_ref().filter(|entry| entry.blocking);
            ahead.extend(entry.map(|entry| entry.gate.clone()));
            if next.name == builtin::WORKING {
                break;
            }
        }
        ahead
    }

    /// The gates that were missed and do not hold yet.
    pub fn missed(&self) -> Vec<String> {
        let missed = self.track().map(|track| track.missed.as_slice()).unwrap_or_default();
        missed.iter().map(|missed| missed.gate.clone()).collect()
    }

    /// The phase that it is in, and what it is said to be in.
    pub fn phase(&self) -> (&str, &str) {
        let first = self.definition.phases.first().map_or("", |phase| phase.name.as_str());
        self.track().map_or((first, first), |track| (&track.phase, track.state()))
    }
}

/// Whoever asks; for a human, the conversation that last followed the protocol here.
fn whose(state: &SessionState, asker: &ConversationId) -> ConversationId {
    if *asker != ConversationId::nobody() {
        return asker.clone();
    }
    let following = state.conversations.iter().filter(|(_, known)| known.track.is_some());
    let latest = following.max_by_key(|(_, known)| known.since);
    latest.map_or_else(|| asker.clone(), |(id, _)| id.clone())
}

/// The names of the phases and of the gates of the protocol that the project follows now; none where it follows none.
pub fn names(view: &View<'_>) -> Result<(Vec<String>, Vec<String>), AppError> {
    let in_force = view.policy_for_caller()?;
    let Some(definition) = protocol::in_force(view, &in_force.policy)? else {
        return Ok((Vec::new(), Vec::new()));
    };
    let gates = definition.entries().map(|(_, entry)| entry.gate.clone()).collect();
    Ok((definition.names(), gates))
}
