//! Which format a file has that may hold a session: found out by its content, by the first reader that knows it.

use super::session::times::Times;
use super::session::{ForeignFile, Reading};
use super::{brain, praxis_session, protocol_session, session_folder};

/// A reader of one format: `None` where the file is none of its own.
type Reader = fn(&ForeignFile<'_>, &Times<'_>) -> Option<Reading>;

/// The formats, the most telling first.
const READERS: &[Reader] =
    &[praxis_session::read, brain::read, protocol_session::read, session_folder::read_other];

/// What a file holds.
pub fn read(file: &ForeignFile<'_>, times: &Times<'_>) -> Reading {
    READERS.iter().find_map(|reader| reader(file, times)).unwrap_or_else(|| {
        Reading::NoSession("it holds no session of a format that is known here".to_owned())
    })
}
