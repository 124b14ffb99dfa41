//! What an imported course has of texts, kept short enough for a snapshot that is read often. The records have all of it.

use serde_json::{Map, Value};

use super::{Course, PhaseFailure};
use crate::text::shortened;

/// How much is kept of what was given and made in all phases together, in bytes of JSON.
const MAX_GIVEN: usize = 48 * 1024;
/// How much is kept of what whoever began it chose, in bytes of JSON.
const MAX_OPTIONS: usize = 16 * 1024;
/// How much of a text is kept, in characters.
const MAX_TEXT: usize = 1000;

impl Course {
    /// Leaves out what would make it large: of evidence, files and commands, as much is kept as there is room for.
    pub(crate) fn bound(&mut self) {
        let (mut for_options, mut room) = (MAX_OPTIONS, MAX_GIVEN);
        keep_fields(&mut self.options, &mut for_options);
        for passage in &mut self.phases {
            if let Some(why) = passage.skipped.as_mut() {
                *why = shortened(why, MAX_TEXT.min(room));
                room = room.saturating_sub(why.len());
            }
            keep_fields(&mut passage.evidence, &mut room);
            for list in [&mut passage.artifacts, &mut passage.commands] {
                list.retain(|text| takes(&mut room, text.len()));
            }
        }
        for PhaseFailure { phase, errors, .. } in &mut self.failures {
            *phase = shortened(phase, MAX_TEXT);
            for error in errors {
                *error = shortened(error, MAX_TEXT);
            }
        }
    }
}

/// Keeps the fields that there is room for.
fn keep_fields(fields: &mut Map<String, Value>, room: &mut usize) {
    fields.retain(|name, value| takes(room, name.len() + value.to_string().len()));
}

fn takes(room: &mut usize, size: usize) -> bool {
    let left = room.checked_sub(size);
    *room = left.unwrap_or(*room);
    left.is_some()
}
