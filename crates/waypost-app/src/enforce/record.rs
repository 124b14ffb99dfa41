//! Evidence that somebody gives: fields that a gate asks for, and looking at what there is.

use serde::Serialize;
use serde_json::{Map, Value};
use waypost_core::command::{Command, ProjectCommand};
use waypost_core::event::SharedFact;
use waypost_core::evidence::{Provenance, RecordedEvidence, RecordedMark, RecordedRun};
use waypost_core::id::SessionId;

use crate::enforce::gates;
use crate::error::AppError;
use crate::rulings::fields;
use crate::view::human;
use crate::view::{Session, View};

/// Evidence that was recorded.
#[derive(Debug)]
pub struct RecordedFields {
    /// The session.
    pub session: SessionId,
    /// The gate.
    pub gate: String,
    /// How well it is known.
    pub provenance: Provenance,
    /// What is wrong with it, as far as the gate is concerned.
    pub objections: Vec<String>,
}

/// What counts as proof in a session.
#[derive(Debug, Serialize)]
pub struct EvidenceList {
    /// The session.
    pub session_id: SessionId,
    /// Commands that ran.
    pub runs: Vec<RecordedRun>,
    /// What else was seen or said.
    pub evidence: Vec<RecordedEvidence>,
    /// What was said of gates themselves.
    pub marks: Vec<RecordedMark>,
}

/// Records fields for a gate that asks for them. What an agent gives is claimed.
pub fn record(
    view: &View<'_>,
    session: Option<&str>,
    gate: &str,
    given: Map<String, Value>,
) -> Result<RecordedFields, AppError> {
    let policy = gates::known_to(view, session)?;
    let gate = gates::find(&policy, gate)?;
    let Some(wanted) = fields::wanted(gate) else {
        return Err(AppError::refused(format!("gate {} asks for no fields", gate.id))
            .hint(format!("it asks for this: {}", gate.how())));
    };
    let names = wanted.names();
    if let Some(name) = given.keys().find(|name| !names.contains(name)) {
        return Err(AppError::refused(format!("gate {} asks for no field `{name}`", gate.id))
            .hint(format!("its fields are {}", names.join(", "))));
    }
    let provenance = human::word(view);
    let objections = wanted.objections(&given);
    let Session { id, .. } = view.session(session)?;
    let evidence = fields::given(gate, given, provenance);
    let actor = view.actor();
    // What counts beyond the session is looked for there alone.
    match gates::branch_of(view, gate)? {
        Some(branch) => {
            let what = SharedFact::Evidence(evidence);
            view.execute_for_project(&actor, ProjectCommand::Share { branch, what })?;
        }
        None => drop(view.execute(&id, &actor, Command::RecordEvidence(evidence))?),
    }
    Ok(RecordedFields { session: id, gate: gate.id.clone(), provenance, objections })
}

/// What counts as proof in a session.
pub fn list(view: &View<'_>, session: Option<&str>) -> Result<EvidenceList, AppError> {
    let Session { id, state } = view.session(session)?;
    let ledger = state.ledger.clone();
    Ok(EvidenceList {
        session_id: id,
        runs: ledger.runs,
        evidence: ledger.evidence,
        marks: ledger.marks,
    })
}

/// A field's value as it is written on a command line: JSON where it is that, else text.
pub fn value_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}
