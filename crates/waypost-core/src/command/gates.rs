//! What people and hooks say of gates: evidence, marks, modes.

use super::{Command, MAX_FIELDS, MAX_NOTE, Refusal, check, check_open};
use crate::event::{Known, PausedGates};
use crate::evidence::{CarriedOver, Evidence, Mark, Provenance};
use crate::gate::modes;
use crate::id::ConversationId;
use crate::session::SessionState;

/// Something about gates and what satisfied them.
#[derive(Debug, Clone, PartialEq)]
pub enum GatesCommand {
    /// Let gates rest: only for humans, which the caller makes sure of.
    Pause(PausedGates),
    /// Let gates that rest, or all of them where none is named, stand there again.
    Unpause(Vec<String>),
    /// Let count what satisfied gates for another conversation.
    CarryOver(CarriedOver),
}

impl GatesCommand {
    fn decide(self, state: &SessionState) -> Result<Vec<Known>, Refusal> {
        match self {
            Self::Pause(paused) => {
                check_open(state)?;
                Ok(vec![Known::GatesPaused(paused)])
            }
            Self::Unpause(_) if state.paused_gates.is_empty() => Ok(Vec::new()),
            Self::Unpause(gates) => Ok(vec![Known::GatesUnpaused { gates }]),
            Self::CarryOver(CarriedOver { evidence, marks, .. })
                if evidence.is_empty() && marks.is_empty() =>
            {
                Ok(Vec::new())
            }
            Self::CarryOver(carried) => Ok(vec![Known::CarriedOver(carried)]),
        }
    }
}

pub(super) fn decide(state: &SessionState, command: Command) -> Result<Vec<Known>, Refusal> {
    match command {
        Command::RecordRun(run) => {
            // What a hook saw is kept wherever the conversation is: the gates still ask for it.
            if run.provenance == Provenance::Verified {
                check_open(state)?;
            }
            Ok(vec![Known::CommandRan(run)])
        }
        Command::RecordEvidence(evidence) => record(state, evidence),
        Command::Mark(mark) => {
            check_open(state)?;
            check_mark(&mark)?;
            Ok(vec![Known::GateMarked(mark)])
        }
        Command::Clear { gate, conversation } => {
            Ok(vec![Known::GateCleared { gate, conversation }])
        }
        Command::Gates(command) => command.decide(state),
        Command::Pass { conversation, triggered, consumed } => {
            Ok(pass(state, conversation, triggered, consumed))
        }
        Command::SetMode { mode } => {
            check_open(state)?;
            if !modes::ALL.contains(&mode.as_str()) {
                return Err(Refusal::UnknownMode(mode));
            }
            let same = state.mode.as_ref() == Some(&mode);
            Ok(if same { Vec::new() } else { vec![Known::ModeSet { mode }] })
        }
        _ => Ok(Vec::new()),
    }
}

fn record(state: &SessionState, evidence: Evidence) -> Result<Vec<Known>, Refusal> {
    // What a hook saw is kept wherever the conversation is: the gates still ask for it.
    if matches!(evidence.provenance, Provenance::Claimed | Provenance::Approved) {
        check_open(state)?;
    }
    check_fields(&evidence)?;
    Ok(vec![Known::EvidenceRecorded(evidence)])
}

/// Refuses a mark whose note is empty or too long.
pub(super) fn check_mark(mark: &Mark) -> Result<(), Refusal> {
    mark.note.as_ref().map_or(Ok(()), |note| check("note", note, MAX_NOTE))
}

/// Refuses evidence whose fields are too long: the state holds them.
pub(super) fn check_fields(evidence: &Evidence) -> Result<(), Refusal> {
    let found = evidence.fields.iter().map(|(name, value)| name.len() + value.to_string().len());
    let found = found.sum();
    if found > MAX_FIELDS {
        return Err(Refusal::TooLong { what: "evidence", found, max: MAX_FIELDS });
    }
    Ok(())
}

fn pass(
    state: &SessionState,
    conversation: ConversationId,
    mut triggered: Vec<String>,
    consumed: Vec<String>,
) -> Vec<Known> {
    let known = state.conversations.get(&conversation);
    // What is used up is not waited for any more, unless it is said again.
    let is_known = |gate: &String| known.is_some_and(|known| known.triggered.contains(gate));
    triggered.retain(|gate| consumed.contains(gate) || !is_known(gate));
    if triggered.is_empty() && consumed.is_empty() {
        return Vec::new();
    }
    vec![Known::GatesPassed { conversation, triggered, consumed }]
}
