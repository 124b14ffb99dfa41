//! Reading the stream of a session into an index: what was appended since, or all of it.

use waypost_core::id::{SessionId, StreamId};
use waypost_core::record::{Position, Record};
use waypost_core::session::SessionState;
use waypost_core::tables::{
    AgentRow, Cell, ConversationRow, DecisionRow, GateRow, SessionRow, SessionRows, SourceRow,
    VerdictRow, ViolationRow, session_key,
};
use waypost_store::StoreError;
use waypost_store::event_log::EventLog;
use waypost_store::index::{Change, IndexError};

use super::reading::Reading;
use super::sources::{Before, STREAM, session_gone, session_is};
use crate::view::View;

/// Reads a session's stream, if anything happened there.
pub(super) fn scan(
    view: &View<'_>,
    project: &str,
    id: &SessionId,
    before: &mut Before,
    reading: &mut Reading<'_>,
) -> Result<(), IndexError> {
    let is_read = read_on(view, project, id, before, reading)?;
    reading.count(id.as_str(), is_read);
    Ok(())
}

/// Reads what is new in a session's stream. Whether anything is.
pub(super) fn read_on(
    view: &View<'_>,
    project: &str,
    id: &SessionId,
    before: &mut Before,
    reading: &mut Reading<'_>,
) -> Result<bool, IndexError> {
    let stream = StreamId::Session(id.clone());
    let known = before.take(STREAM, id.as_str());
    // Asked first: what is added while it is read is found by the next scan.
    let mark = view.log.mark(&stream).unwrap_or_default();
    if known
        .as_ref()
        .is_some_and(|known| (known.bytes, known.modified) == (mark.bytes, mark.modified))
    {
        return Ok(false);
    }
    let session = session_key(project, id);
    let source = SourceRow {
        project: project.to_owned(),
        kind: STREAM.to_owned(),
        name: id.to_string(),
        session: Some(session),
        bytes: mark.bytes,
        modified: mark.modified,
        file: 0,
        seq: 0,
        offset: 0,
        hash: String::new(),
    };
    let further = match &known {
        Some(known) if known.seq > 0 && mark.bytes >= known.offset => {
            go_on(view, &stream, known, rows(session, reading)?)
        }
        _ => None,
    };
    let (read, was) = if let Some(read) = further {
        (read, reading.rows::<SessionRow>(&[("session", Cell::Int(session))])?.pop())
    } else {
        if known.is_some() {
            session_gone(session, reading);
        }
        (from_start(view, &stream, session), None)
    };
    put(&read.rows, reading);
    let mut row = SessionRow::of(project, id, &read.state, "live");
    if let Some(error) = &read.error {
        (if error.is_newer() { "newer" } else { "damaged" }).clone_into(&mut row.kept);
        row.damage = Some(error.to_string());
        reading.fail(id.as_str(), error.to_string());
    }
    if read.state.version > 0 || read.error.is_some() {
        session_is(&row, was.as_ref(), reading);
    }
    let Position { seq, hash, bytes: offset } = read.position;
    // One that could not be read to its end is read from the start once it changed.
    let seq = if read.error.is_none() { seq } else { 0 };
    reading.read(&SourceRow { seq, offset, hash, ..source })?;
    Ok(true)
}

/// What was read of a stream.
struct Read {
    rows: SessionRows,
    state: SessionState,
    position: Position,
    error: Option<StoreError>,
}

/// What was added behind what is known; nothing if it does not go on from there.
fn go_on(view: &View<'_>, stream: &StreamId, known: &SourceRow, rows: SessionRows) -> Option<Read> {
    let mut rows = rows;
    let mut position = Position { seq: known.seq, hash: known.hash.clone(), bytes: known.offset };
    let mut each = |_: &Position, record: Record| rows.apply(&record);
    EventLog::load(&*view.log, stream, &mut position, &mut each).ok()?;
    let state = view.log.load::<SessionState>(stream).ok()?.state;
    Some(Read { rows, state, position, error: None })
}

/// All of it, as far as it can be read.
fn from_start(view: &View<'_>, stream: &StreamId, session: i64) -> Read {
    let (mut rows, mut state) = (SessionRows::new(session), SessionState::default());
    let mut position = Position::start(stream);
    let mut each = |_: &Position, record: Record| {
        state.apply(&record);
        rows.apply(&record);
    };
    let loaded = EventLog::load(&*view.log, stream, &mut position, &mut each);
    let error = loaded.err().or_else(|| lost(view, stream, &position));
    Read { rows, state, position, error }
}

/// That acknowledged records are gone, where a stream ends at the end of a record.
fn lost(view: &View<'_>, stream: &StreamId, end: &Position) -> Option<StoreError> {
    let known = view.log.acknowledged(stream).ok()??.seq;
    let path = || view.log.place(stream);
    (known > end.seq).then(|| StoreError::Lost { path: path(), found: end.seq, known })
}

/// The rows that new records may change.
fn rows(session: i64, reading: &Reading<'_>) -> Result<SessionRows, IndexError> {
    let with = [("session", Cell::Int(session))];
    let mut rows = SessionRows::new(session);
    let conversations = reading.rows::<ConversationRow>(&with)?.into_iter();
    rows.conversations = conversations.map(|row| (row.id.clone(), row)).collect();
    rows.agents = reading.rows::<AgentRow>(&with)?.into_iter().map(|row| (row.seq, row)).collect();
    let gates = reading.rows::<GateRow>(&with)?.into_iter();
    rows.gates = gates.map(|row| (row.gate.clone(), row)).collect();
    let decisions = reading.rows::<DecisionRow>(&with)?.into_iter();
    rows.decisions = decisions.map(|row| (row.id.clone(), row)).collect();
    let verdicts = reading.rows::<VerdictRow>(&with)?.into_iter();
    rows.verdicts = verdicts.map(|row| (row.seq, row)).collect();
    let violations = reading.rows::<ViolationRow>(&with)?.into_iter();
    rows.violations = violations.map(|row| ((row.seq, row.place), row)).collect();
    Ok(rows)
}

/// Writes what records came to.
pub(super) fn put(rows: &SessionRows, reading: &mut Reading<'_>) {
    reading.change(Change::put(rows.conversations.values()));
    reading.change(Change::put(rows.agents.values()));
    reading.change(Change::put(rows.gates.values()));
    reading.change(Change::put(rows.decisions.values()));
    reading.change(Change::put(rows.verdicts.values()));
    reading.change(Change::put(rows.violations.values()));
    reading.change(Change::put(&rows.evidence));
    reading.change(Change::put(rows.commits.values()));
    reading.change(Change::put(&rows.counted));
    reading.change(Change::put(&rows.logs));
}
