//! Sessions of Brain: its session state as JSON, that state in a note with what agents did beside it, and the notes that
//! people and agents write in Markdown. A state's signature can be checked with Brain's own algorithm, which covers the
//! top level only. Takes values and text; opens no file, and never signs anything.

mod again;
mod carried;
mod kept;
mod matter;
mod note;
mod part;
mod shape;
mod signature;
mod state;
mod told;
mod writing;

pub use again::again;
pub use part::{is_of_folder, join};
pub use shape::is_uuid;
pub use signature::{Signature, check, verify};
pub use writing::{Protocol, Source, current, write};

use super::session::times::Times;
use super::session::{Content, ForeignFile, Reading};

/// The name of the format of states.
pub const STATE: &str = "brain-state";
/// The name of the format of notes.
pub const NOTE: &str = "brain-note";
/// The name of the format of what is kept beside a state: what one agent did, or what was moved out of the state.
pub const PART: &str = "brain-part";

/// Reads a state, a note, or what is kept beside a state; `None` if the file is none of them.
pub fn read(file: &ForeignFile<'_>, times: &Times<'_>) -> Option<Reading> {
    times.took_naive();
    match &file.content {
        Content::Json(value) => kept::read(file, "", value.as_object()?, times),
        Content::Text(text) => {
            let matter = matter::Matter::of(text);
            kept::read_note(file, &matter, times).or_else(|| note::read(file, &matter, times))
        }
    }
}

#[cfg(test)]
mod tests;
