//! Explaining a ruling: everything it depended on, and the same ruling made again from it.

use serde::Serialize;
use waypost_core::event::{Event, Known};
use waypost_core::gate::policy::Policy;
use waypost_core::gate::ruling::{GateFinding, Ruling};
use waypost_core::id::{RulingId, SessionId, StreamId};
use waypost_core::next_step::{Look, does};
use waypost_core::record::Record;
use waypost_core::session::SessionState;
use waypost_core::time::Timestamp;

use crate::error::AppError;
use crate::rulings::judge::Rules;
use crate::view::View;

/// A ruling with where it was made, and whether it comes out the same again.
#[derive(Debug, Serialize)]
pub struct Explanation {
    /// The session.
    pub session_id: SessionId,
    /// The record.
    pub seq: u64,
    /// When it was made.
    pub time: Timestamp,
    /// The ruling.
    pub ruling: Ruling,
    /// Whether replaying it gives the same outcome and findings.
    pub replay_agrees: bool,
}

/// Explains the ruling `id`.
pub fn explain(view: &View<'_>, id: &str) -> Result<Explanation, AppError> {
    let id: RulingId =
        id.parse().map_err(|error| AppError::refused(format!("{error}")).because(error))?;
    // The newest sessions first: rulings are asked about soon after they were made.
    for session in view.log.sessions()?.into_iter().rev() {
        let records = view.log.records(&StreamId::Session(session.clone()))?;
        let found = records.iter().find(|record| ruling_of(record).is_some_and(|one| one.id == id));
        if let Some(record) = found {
            return explained(view, &session, &records, record);
        }
    }
    Err(AppError::refused(format!("there is no ruling {id} in this project"))
        .hint(does(Look::History(None), "shows the rulings of a session")))
}

/// Explains the ruling that stands in a record of a session. No other session is read.
pub fn explain_record(
    view: &View<'_>,
    session: &SessionId,
    seq: u64,
) -> Result<Explanation, AppError> {
    let records = view.log.records(&StreamId::Session(session.clone()))?;
    let record = records.iter().find(|record| record.seq == seq && ruling_of(record).is_some());
    let missing = || AppError::refused(format!("record {seq} of session {session} is no ruling"));
    explained(view, session, &records, record.ok_or_else(missing)?)
}

fn ruling_of(record: &Record) -> Option<&Ruling> {
    let Event::Known(Known::RulingMade(ruling)) = &record.event else { return None };
    Some(ruling)
}

fn explained(
    view: &View<'_>,
    session: &SessionId,
    records: &[Record],
    record: &Record,
) -> Result<Explanation, AppError> {
    let missing = || AppError::refused(format!("record {} is no ruling", record.seq));
    let ruling = ruling_of(record).ok_or_else(missing)?.clone();
    let (replay_agrees, findings) = replay(view, session, records, &ruling)?;
    let ruling = if replay_agrees { Ruling { findings, ..ruling } } else { ruling };
    let (session_id, seq, time) = (session.clone(), record.seq, record.time);
    Ok(Explanation { session_id, seq, time, ruling, replay_agrees })
}

fn replay(
    view: &View<'_>,
    session: &SessionId,
    records: &[Record],
    ruling: &Ruling,
) -> Result<(bool, Vec<GateFinding>), AppError> {
    let policy = Policy::clone(&*view.policy_by_hash(&ruling.policy)?);
    let before = records.iter().take_while(|record| record.seq <= ruling.state_version);
    let state = SessionState::fold(before);
    let rules = Rules::of(policy, session, &state);
    let again = rules.judge_again(view, &state, &ruling.facts, &ruling.action)?;
    // Of gates that did not hold it, and of too many that did, a record does not keep what they found.
    let agrees = |found: &GateFinding| {
        let again = again.findings.iter().find(|known| known.gate == found.gate);
        again.is_some_and(|known| {
            (known.level, known.status, &known.why) == (found.level, found.status, &found.why)
        })
    };
    let held = |gate: &String| again.findings.iter().any(|known| known.gate == *gate);
    let same = again.outcome == ruling.outcome
        && again.gave_way == ruling.gave_way
        && ruling.findings.iter().all(agrees)
        && ruling.also.iter().all(held);
    Ok((same, again.findings))
}
