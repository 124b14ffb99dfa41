//! The musts that were missed in a session, and how each came to hold after all.

use maud::{Markup, html};
use serde::Serialize;
use waypost_app::error::AppError;
use waypost_core::tables::ViolationRow;
use waypost_core::time::Timestamp;

use super::head::Head;
use super::seen::{Seen, conversation_address};
use super::timeline::short_id;
use crate::parts::{Parts, Tone, code, mark, nothing, text};

/// How many are shown, the latest.
const MOST: u32 = 200;

#[derive(Debug, Serialize)]
pub(super) struct Told {
    violations: Vec<Missed>,
    /// How many there were in all.
    total: u64,
}

#[derive(Debug, Serialize)]
struct Missed {
    seq: u64,
    time: Option<Timestamp>,
    conversation: Option<String>,
    gate: String,
    requirement: String,
    severity: String,
    reason: String,
    recovery: Option<String>,
    recovered_at: Option<Timestamp>,
}

pub(super) fn look(seen: &Seen<'_>) -> Result<Told, AppError> {
    let rows: Vec<ViolationRow> = seen.latest("seq", None, MOST)?;
    let violations = rows.into_iter().map(|row| Missed {
        seq: row.seq,
        time: row.time,
        conversation: row.conversation,
        gate: row.gate,
        requirement: row.requirement,
        severity: row.severity,
        reason: row.reason,
        recovery: row.recovery,
        recovered_at: row.recovered_at,
    });
    Ok(Told { violations: violations.collect(), total: seen.state().violations })
}

pub(super) fn show(told: &Told, head: &Head, parts: &Parts<'_>) -> Markup {
    if told.violations.is_empty() {
        return nothing(
            "No must was missed.",
            html! { p { "A gate that must hold and did not when its action happened would stand here." } },
        );
    }
    html! {
        @if told.total > told.violations.len() as u64 { p.dim { "The latest " (told.violations.len()) " of " (told.total) "." } }
        ul.rows {
            @for (place, missed) in told.violations.iter().enumerate() {
                li.row data-row id={ "v-" (missed.seq) "-" (place) } {
                    div.what {
                        @if missed.recovery.is_some() { (mark(Tone::Good, "met after all")) } @else { (mark(Tone::Bad, "open")) }
                        strong.title { (text(&missed.gate)) }
                        p { (text(&missed.requirement)) }
                        p.dim { (text(&missed.reason)) }
                        @if let Some(recovery) = &missed.recovery {
                            p { "Met after all" @if let Some(at) = missed.recovered_at { " " (parts.ago(at)) } ": " (text(recovery)) }
                        }
                    }
                    div.where {
                        span { (text(&missed.severity)) }
                        @if let Some(id) = &missed.conversation {
                            a href=(conversation_address(&head.project.id, &head.session_id, id)) { (code(short_id(id))) }
                        }
                        @if let Some(time) = missed.time { (parts.ago(time)) }
                    }
                }
            }
        }
    }
}
