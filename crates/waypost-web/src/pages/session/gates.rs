//! The gates of a session: what each found, what is missing and what would satisfy it, and what could be approved.

use std::collections::BTreeMap;

use maud::{Markup, html};
use serde::Serialize;
use waypost_app::error::AppError;
use waypost_core::gate::{FindingStatus, Level};
use waypost_core::standing::ShownGate;
use waypost_core::tables::GateRow;
use waypost_core::text::spoken::count;
use waypost_core::time::Timestamp;

use super::head::Head;
use super::seen::Seen;
use super::spoken;
use crate::offers::{self, Offered, Place, approval};
use crate::parts::{Parts, Tone, code, mark, nothing, text};

/// How many gates are known of one session.
const MOST: u32 = 500;

#[derive(Debug, Serialize)]
pub(super) struct Told {
    /// Whether the gates could be asked.
    asked: bool,
    gates: Vec<ShownGate>,
    offers: Vec<Offered>,
    /// What came of gates before, also of those that do not apply now.
    past: BTreeMap<String, Past>,
}

/// What came of a gate so far.
#[derive(Debug, Serialize)]
struct Past {
    status: String,
    time: Timestamp,
    why: Option<String>,
    held: u64,
    warned: u64,
}

pub(super) fn look(seen: &Seen<'_>) -> Result<Told, AppError> {
    let rows: Vec<GateRow> = seen.all(MOST)?;
    let past = rows.into_iter().map(|row| {
        let GateRow { gate, status, time, why, held, warned, .. } = row;
        (gate, Past { status, time, why, held, warned })
    });
    let past = past.collect();
    // Of what went wrong the head of the page tells.
    let Some(Ok(stood)) = seen.stood() else {
        let (gates, offers) = Default::default();
        return Ok(Told { asked: false, gates, offers, past });
    };
    let held = seen.state().conversations.values().flat_map(|known| &known.held);
    let asked: Vec<String> = held.map(|held| held.gate.clone()).collect();
    Ok(Told {
        asked: true,
        gates: stood.gates.clone(),
        offers: offers::offered(&seen.view, seen.id(), &asked),
        past,
    })
}

pub(super) fn show(told: &Told, head: &Head, parts: &Parts<'_>) -> Markup {
    let (met, open): (Vec<&ShownGate>, Vec<&ShownGate>) =
        told.gates.iter().partition(|gate| gate.status == FindingStatus::Met);
    html! {
        @if !told.asked {
            (nothing("The gates cannot be asked now.", html! { p { "They are once its records are here as a whole." } }))
        } @else if told.gates.is_empty() {
            (nothing("No gate applies to this session.", html! { p { "Gates stand in " (code("waypost.toml")) "; " (code("waypost gate list")) " shows them." } }))
        }
        @if !open.is_empty() {
            h2 { "Open" }
            ul.rows { @for gate in open { (one(gate, told, head, parts)) } }
        }
        @if !met.is_empty() {
            h2 { "Met" }
            ul.rows { @for gate in met { (one(gate, told, head, parts)) } }
        }
        (before(told, parts))
    }
}

fn one(gate: &ShownGate, told: &Told, head: &Head, parts: &Parts<'_>) -> Markup {
    let (tone, word) = status(gate);
    let before: Vec<String> = gate.before.iter().map(ToString::to_string).collect();
    let back = format!("{}?tab=gates", head.address);
    let worktree = head.worktree.as_deref().unwrap_or_default();
    let place = Place { project: &head.project.id, worktree, back: &back };
    html! {
        li.row data-row id={ "gate-" (gate.gate) } {
            div.what {
                (mark(tone, word))
                strong.title { (text(&gate.gate)) }
                @if !gate.message.is_empty() { p { (text(&gate.message)) } }
                p.dim { (text(&gate.why)) }
                @if gate.status != FindingStatus::Met && !gate.next.is_empty() { p { "Next: " (spoken(&gate.next)) } }
                @for offered in told.offers.iter().filter(|offered| offered.offer.gate.gate == gate.gate) {
                    (approval(offered, place, parts, offered.offer.asked))
                }
            }
            div.where {
                span { (level(gate.level)) @if !before.is_empty() { ", before " (text(&before.join(", "))) } }
                @if let Some(past) = told.past.get(&gate.gate) {
                    @if past.held > 0 { span { "held " (count(past.held, "time")) } }
                    @if past.warned > 0 { span { "warned " (count(past.warned, "time")) } }
                }
                (code(&gate.source.to_string()))
            }
        }
    }
}

/// What came of gates that do not apply now.
fn before(told: &Told, parts: &Parts<'_>) -> Markup {
    let applies = |name: &str| told.gates.iter().any(|gate| gate.gate == name);
    let past: Vec<_> = told.past.iter().filter(|(name, _)| !applies(name)).collect();
    html! {
        @if !past.is_empty() {
            h2 { @if !told.asked { "As last recorded" } @else { "Gates that had a say before" } }
            div.scroll {
                table {
                    thead { tr {
                        th scope="col" { "gate" } th scope="col" { "last" }
                        th.number scope="col" { "held" } th.number scope="col" { "warned" } th scope="col" { "when" }
                    } }
                    tbody {
                        @for (name, past) in past {
                            tr {
                                th scope="row" { (text(name)) }
                                td { (text(&past.status.replace('_', " "))) @if let Some(why) = &past.why { p.dim { (text(why)) } } }
                                td.number { (past.held) }
                                td.number { (past.warned) }
                                td { (parts.clock(past.time)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn status(gate: &ShownGate) -> (Tone, &'static str) {
    let open = if gate.level == Level::Must && gate.due { Tone::Bad } else { Tone::Warn };
    match gate.status {
        FindingStatus::Met => (Tone::Good, "met"),
        FindingStatus::Stale => (open, "stale"),
        FindingStatus::Failed => (Tone::Bad, "failed"),
        FindingStatus::Missing if gate.due => (open, "open"),
        FindingStatus::Missing => (Tone::Calm, "not due yet"),
        FindingStatus::Unknown => (Tone::Warn, "not known"),
    }
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Must => "must",
        Level::Should => "should",
        Level::May => "may",
    }
}
