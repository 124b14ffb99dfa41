//! The database of version 1.2 and later, as 1.18.33 made and filled it: `session`, `message` and `part`, each with an `id`.
//! What a message and a part say is an object in `data`, without the ids.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;
use waypost_app::transcripts::{Entry, Files, Reading, Within};
use waypost_core::tables::Cell;
use waypost_core::time::Timestamp;

use super::Session;

/// All sessions, and when each was gone on with last: it is itself not touched by all that is said in it.
const SESSIONS: &str = "SELECT id, directory, max(time_updated, coalesce(\
    (SELECT max(time_created) FROM message WHERE session_id = session.id), 0)) FROM session";
/// A session, its messages and their parts, at one time.
const SESSION: &str = "SELECT 0, id, parent_id, 0, directory FROM session WHERE id = ?1 \
    UNION ALL SELECT 1, id, NULL, time_created, data FROM message WHERE session_id = ?1 \
    UNION ALL SELECT 2, id, message_id, 0, data FROM part WHERE session_id = ?1";

/// The sessions in a database.
pub(super) fn sessions(database: &Path, files: &dyn Files) -> io::Result<Vec<Within>> {
    let rows = files.rows(database, SESSIONS, &[])?;
    // A name that leads elsewhere is none that it gave.
    let is_name = |name: &str| !matches!(name, "" | "." | "..") && !name.contains('/');
    let within = |row: Vec<Cell>| match <[Cell; 3]>::try_from(row) {
        Ok([Cell::Text(name), folder, changed]) if is_name(&name) => Some(Within {
            name,
            folder: text(folder).map(PathBuf::from),
            changed: number(&changed).map(Timestamp::saturating_from_millis),
        }),
        _ => None,
    };
    Ok(rows.into_iter().filter_map(within).collect())
}

/// A session that is being read.
pub(super) struct Stored<'f> {
    database: PathBuf,
    id: String,
    files: &'f dyn Files,
}

/// What was read of one.
#[derive(Default)]
struct Rows {
    /// The session that started it, and its folder.
    head: Option<(Option<String>, Option<String>)>,
    /// By time and name.
    messages: BTreeMap<(i64, String), Option<String>>,
    /// By message and name.
    parts: BTreeMap<String, BTreeMap<String, Option<String>>>,
}

impl<'f> Stored<'f> {
    pub(super) fn new(database: &Path, id: String, files: &'f dyn Files) -> Self {
        Self { database: database.to_owned(), id, files }
    }
}

impl Reading for Stored<'_> {
    fn take(&mut self, _: &[u8], at: u64, out: &mut dyn FnMut(Entry)) -> bool {
        let Ok(found) = self.files.rows(&self.database, SESSION, &[&self.id]) else { return false };
        let mut rows = Rows::default();
        let mut is_whole = true;
        for row in found {
            is_whole &= rows.take(row);
        }
        let Some((parent, folder)) = rows.head else { return false };
        let mut session = Session::begin(&self.id, parent.as_deref(), folder.as_deref(), at, out);
        for ((_, id), message) in rows.messages {
            let parts = rows.parts.remove(&id).unwrap_or_default();
            let message = message.as_deref().and_then(object);
            let parts = parts.into_values().map(|part| part.as_deref().and_then(object));
            session.message(&id, message.as_ref(), parts);
        }
        session.is_read && is_whole
    }
}

impl Rows {
    /// Takes a row. Says whether it is one.
    fn take(&mut self, row: Vec<Cell>) -> bool {
        let Ok([Cell::Int(kind), Cell::Text(id), of, time, data]) = <[Cell; 5]>::try_from(row)
        else {
            return false;
        };
        let said = text(data);
        match (kind, of) {
            (0, of) => self.head = Some((text(of), said)),
            (1, _) => {
                self.messages.insert((number(&time).unwrap_or_default(), id), said);
            }
            (_, Cell::Text(message)) => {
                self.parts.entry(message).or_default().insert(id, said);
            }
            _ => return false,
        }
        true
    }
}

fn object(said: &str) -> Option<Value> {
    serde_json::from_str(said).ok()
}

fn text(cell: Cell) -> Option<String> {
    match cell {
        Cell::Text(text) => Some(text),
        _ => None,
    }
}

fn number(cell: &Cell) -> Option<i64> {
    match cell {
        Cell::Int(number) => Some(*number),
        _ => None,
    }
}
