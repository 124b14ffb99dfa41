//! How a session stands, in the shape that orchestrators know: mode, protocol, and what agents did for each other.
//! Worked out of the records, each of which is checked; nothing of it is kept anywhere else.

use serde_json::{Map, Value};
use waypost_core::agents::Agents;
use waypost_core::chronicle::Chronicle;
use waypost_core::standing::{GateStatus, Looked};
use waypost_core::track::{Part, Track, builtin};

use crate::error::{AppError, Kind};
use crate::foreign::brain;
use crate::sessions::mode;
use crate::tracks::protocol::Protocol;
use crate::view::{Session, View};

/// A session, and how it stands.
#[derive(Debug)]
pub struct Told {
    /// The session.
    pub session: Session,
    /// What its agents did.
    pub agents: Agents,
    /// The state as everybody is given it.
    pub document: Map<String, Value>,
}

/// How a session stands. Whatever cannot be read of it is an error of its integrity: whoever asks decides by this.
pub fn of(view: &View<'_>, named: Option<&str>) -> Result<Told, AppError> {
    told(view, named).map_err(unreadable)
}

/// What cannot be read can be trusted no more than what is damaged.
pub fn unreadable(mut error: AppError) -> AppError {
    if error.is_of_store() {
        error.kind = Kind::Integrity;
    }
    error
}

fn told(view: &View<'_>, named: Option<&str>) -> Result<Told, AppError> {
    let session = view.session(named)?;
    let (mut agents, mut chronicle) = (Agents::default(), Chronicle::default());
    view.log.each(&session.stream(), |record| {
        agents.add(&record);
        chronicle.add(&record);
    })?;
    let (_, mode) = mode::of(view, Some(session.id.as_str()))?;
    let protocol = protocol(view, &session)?;
    let source = brain::Source {
        id: &session.id,
        state: &session.state,
        agents: &agents,
        notes: &chronicle.notes,
        imported: chronicle.imported.as_ref(),
    };
    let mut document = brain::current(&source, &mode, protocol);
    document.insert("mode".to_owned(), mode.into());
    Ok(Told { session, agents, document })
}

/// How far the protocol is for whoever asks. One that cannot be read is none that was followed.
fn protocol(view: &View<'_>, session: &Session) -> Result<brain::Protocol, AppError> {
    let in_force = view.policy_for_caller()?;
    let asker = view.asker();
    let (protocol, unread) = Protocol::looked_at(view, &in_force.policy, session.clone(), &asker)?;
    let Some(protocol) = protocol else {
        let start = unread.map(|_| false);
        return Ok(brain::Protocol { start, ..brain::Protocol::default() });
    };
    let looked = protocol.look(view, |_| true)?;
    let track = protocol.track();
    let part = |part: Part| looked.iter().filter(move |gate| gate.part == part);
    let holds = !part(Part::Start).any(Looked::holds_back);
    let evidence = |of: Part| {
        let shown = part(of).filter(|gate| gate.status == GateStatus::Pass);
        shown.map(|gate| (gate.gate.clone(), gate.evidence().into())).collect()
    };
    Ok(brain::Protocol {
        start: Some(holds || track.is_some_and(is_past_start)),
        end: track.is_some_and(|track| !track.is_running()),
        start_evidence: evidence(Part::Start),
        end_evidence: evidence(Part::End),
    })
}

/// Whether all that comes before the work is behind it, and nothing of it was missed.
fn is_past_start(track: &Track) -> bool {
    let at = |name: &str| track.phases.iter().position(|phase| phase == name);
    track.missed.is_empty()
        && at(builtin::WORKING).is_some_and(|work| at(&track.phase) >= Some(work))
}
