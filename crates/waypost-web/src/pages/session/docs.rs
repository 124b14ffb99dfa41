//! What became of the documentation: what the manifest says was or is to be changed, and what was noted about it.

use maud::{Markup, html};
use serde::Serialize;
use waypost_app::documents::beside::{self, DocUpdate};
use waypost_app::error::AppError;

use super::seen::Seen;
use super::timeline::{Happened, happened};
use crate::parts::{Parts, Tone, code, mark, nothing, text};

/// How many notes are looked through.
const MOST: usize = 200;

#[derive(Debug, Serialize)]
pub(super) struct Told {
    doc_updates: Vec<DocUpdate>,
    /// The files beside the records that were written in the phase.
    written: Vec<String>,
    notes: Vec<Happened>,
}

pub(super) fn look(seen: &Seen<'_>) -> Result<Told, AppError> {
    let course = &seen.glance.story.course;
    let passage = course.phases.iter().find(|passage| passage.phase == "docs");
    let mut notes = happened(seen, false, Some(&["note_added"]), None, MOST)?;
    notes.retain(|note| note.what.as_deref().is_some_and(|what| what.starts_with("docs: ")));
    Ok(Told {
        doc_updates: beside::doc_updates(&seen.view, seen.id()),
        written: passage.map(|passage| passage.artifacts.clone()).unwrap_or_default(),
        notes,
    })
}

pub(super) fn show(told: &Told, parts: &Parts<'_>) -> Markup {
    if told.doc_updates.is_empty() && told.notes.is_empty() && told.written.is_empty() {
        return nothing(
            "Nothing is said of documentation.",
            html! { p { "What changed is noted with " (code("waypost note add --kind docs TEXT")) "." } },
        );
    }
    html! {
        @if !told.doc_updates.is_empty() {
            h3 { "Documents" }
            ul.lines {
                @for update in &told.doc_updates {
                    li {
                        @match update.done {
                            Some(true) => (mark(Tone::Good, "done")),
                            Some(false) => (mark(Tone::Warn, "to do")),
                            None => (mark(Tone::Calm, "named")),
                        }
                        (code(&update.path))
                        @if let Some(note) = &update.note { span { (text(note)) } }
                    }
                }
            }
        }
        @if !told.written.is_empty() {
            h3 { "Files written beside the records" }
            ul { @for file in &told.written { li { (code(file)) } } }
        }
        @if !told.notes.is_empty() {
            h3 { "Notes" }
            ul.lines {
                @for note in &told.notes {
                    li {
                        (parts.clock(note.time))
                        span { (text(note.what.as_deref().unwrap_or_default().trim_start_matches("docs: "))) }
                        span.dim { (text(&note.actor)) }
                    }
                }
            }
        }
    }
}
