//! The records of a session, checked from the first byte to the last.

use std::sync::Arc;

use maud::{Markup, html};
use serde::{Serialize, Serializer};
use waypost_app::error::AppError;
use waypost_app::share::verify::Verified;
use waypost_core::next_step::Voice;
use waypost_core::text::spoken::count;

use super::seen::Seen;
use super::spoken;
use crate::parts::{Tone, code, mark, text};

#[derive(Debug, Serialize)]
pub(super) struct Told {
    #[serde(serialize_with = "each")]
    verified: Arc<Vec<Verified>>,
}

fn each<S: Serializer>(verified: &Arc<Vec<Verified>>, to: S) -> Result<S::Ok, S::Error> {
    verified.as_slice().serialize(to)
}

pub(super) fn look(seen: &Seen<'_>) -> Result<Told, AppError> {
    Ok(Told { verified: seen.verified()? })
}

pub(super) fn show(told: &Told) -> Markup {
    html! {
        @for verified in told.verified.iter() {
            section.verified {
                p {
                    @if !verified.faults.is_empty() { (mark(Tone::Bad, &count(verified.faults.len(), "fault"))) }
                    @else if verified.unverified { (mark(Tone::Warn, "unverified")) }
                    @else { (mark(Tone::Good, "verified")) }
                    " " (count(verified.records, "record")) " of " (code(&verified.stream))
                }
                @if verified.faults.is_empty() && !verified.unverified {
                    p.dim { "Every record follows the one before, is signed with a key that is known here, and adds up to the state that is shown." }
                }
                @for fault in &verified.faults {
                    div.warning { p { (text(&fault.what)) } p { "Next: " (spoken(&fault.fix.words(Voice::Person))) } }
                }
                @if !verified.notes.is_empty() { ul { @for note in &verified.notes { li { (text(note)) } } } }
            }
        }
        p.dim { "It was checked a few seconds ago at most; " (code("waypost verify")) " does the same." }
    }
}
