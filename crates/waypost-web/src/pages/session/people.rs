//! What agents and people decided, what they said of each other's work, and what was handed over.

use maud::{Markup, html};
use serde::Serialize;
use waypost_app::error::AppError;
use waypost_core::story::{Concern, HandedOver};
use waypost_core::tables::{DecisionRow, VerdictRow};
use waypost_core::time::Timestamp;

use super::seen::Seen;
use super::timeline::{Happened, happened};
use crate::parts::{Parts, Tone, code, mark, nothing, text};

/// How many of each are shown, the latest.
const MOST: u32 = 200;

#[derive(Debug, Serialize)]
pub(super) struct Told {
    decisions: Vec<Decision>,
    verdicts: Vec<Verdict>,
    /// Handoffs that nobody accepted yet.
    pending_handoffs: Vec<HandedOver>,
    /// When work was handed over and accepted.
    handoffs: Vec<Happened>,
    /// What agents that judged the work still want done.
    concerns: Vec<Concern>,
}

#[derive(Debug, Serialize)]
struct Decision {
    id: String,
    time: Timestamp,
    kind: String,
    description: String,
    rationale: String,
    decided_by: String,
    approved_by: Vec<String>,
    rejected_by: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Verdict {
    seq: u64,
    time: Timestamp,
    agent: String,
    #[serde(rename = "verdict")]
    word: String,
    confidence: f64,
    reasoning: String,
    provenance: String,
    counts: bool,
    resolved: Option<String>,
}

pub(super) fn look(seen: &Seen<'_>) -> Result<Told, AppError> {
    let decisions: Vec<DecisionRow> = seen.latest("seq", None, MOST)?;
    let verdicts: Vec<VerdictRow> = seen.latest("seq", None, MOST)?;
    let types = ["handoff_created", "handoff_accepted"];
    let handoffs = happened(seen, false, Some(&types), None, MOST as usize)?;
    let story = &seen.glance.story;
    Ok(Told {
        decisions: decisions.into_iter().map(Decision::of).collect(),
        verdicts: verdicts.into_iter().map(Verdict::of).collect(),
        pending_handoffs: story.handed.clone(),
        handoffs,
        concerns: story.concerns.clone(),
    })
}

impl Decision {
    fn of(row: DecisionRow) -> Self {
        let lines = |text: &str| text.lines().map(str::to_owned).collect();
        Self {
            approved_by: lines(&row.approved_by),
            rejected_by: lines(&row.rejected_by),
            id: row.id,
            time: row.time,
            kind: row.kind,
            description: row.description,
            rationale: row.rationale,
            decided_by: row.decided_by,
        }
    }
}

impl Verdict {
    fn of(row: VerdictRow) -> Self {
        Self {
            seq: row.seq,
            time: row.time,
            agent: row.agent,
            word: row.verdict,
            confidence: row.confidence,
            reasoning: row.reasoning,
            provenance: row.provenance,
            counts: row.counts,
            resolved: row.resolved,
        }
    }
}

pub(super) fn show(told: &Told, parts: &Parts<'_>) -> Markup {
    let is_empty =
        told.decisions.is_empty() && told.verdicts.is_empty() && told.handoffs.is_empty();
    html! {
        @if is_empty && told.pending_handoffs.is_empty() {
            (nothing("Nothing was decided, judged or handed over.", html! {
                p { "Agents record it with their tools, people with " (code("waypost decision record")) ", " (code("waypost verdict record")) " and " (code("waypost handoff create")) "." }
            }))
        }
        @if !told.pending_handoffs.is_empty() {
            h2 { "Waiting to be accepted" }
            ul.rows { @for handed in &told.pending_handoffs { (pending(handed)) } }
        }
        @if !told.concerns.is_empty() {
            h2 { "Still wanted by those who judged" }
            ul.rows {
                @for concern in &told.concerns {
                    li.row { div.what {
                        (mark(Tone::Warn, concern.verdict.name()))
                        strong.title { (text(&concern.agent)) }
                        ul { @for want in &concern.wants { li { (text(want)) } } }
                    } }
                }
            }
        }
        @if !told.decisions.is_empty() {
            h2 { "Decisions" }
            ul.rows { @for decision in &told.decisions { (decided(decision, parts)) } }
        }
        @if !told.verdicts.is_empty() {
            h2 { "Verdicts" }
            ul.rows { @for verdict in &told.verdicts { (judged(verdict, parts)) } }
        }
        @if !told.handoffs.is_empty() {
            h2 { "Handoffs" }
            ul.lines {
                @for event in &told.handoffs {
                    li {
                        @if event.kind == "handoff_created" { (mark(Tone::Warn, "handed over")) } @else { (mark(Tone::Good, "accepted")) }
                        span { (text(event.what.as_deref().unwrap_or_default())) }
                        span.dim { (text(&event.actor)) }
                        (parts.clock(event.time))
                    }
                }
            }
        }
    }
}

fn pending(handed: &HandedOver) -> Markup {
    html! {
        li.row id={ "handoff-" (handed.seq) } {
            div.what {
                (mark(Tone::Warn, "waits"))
                strong.title { (text(&handed.from_agent)) " to " (text(&handed.to_agent)) }
                p { (text(&handed.reason)) }
                @if !handed.context.is_empty() { p.dim { (text(&handed.context)) } }
                @if !handed.checklist.is_empty() { ul { @for step in &handed.checklist { li { (text(step)) } } } }
                @for file in &handed.artifacts { p { (code(file)) } }
                p { "Next: " (code(&format!("waypost handoff accept handoff-{}", handed.seq))) }
            }
            div.where { span { (text(&handed.by)) } }
        }
    }
}

fn decided(decision: &Decision, parts: &Parts<'_>) -> Markup {
    html! {
        li.row data-row id={ "d-" (decision.id) } {
            div.what {
                (mark(Tone::Calm, &decision.kind))
                strong.title { (text(&decision.description)) }
                @if !decision.rationale.is_empty() { p.dim { (text(&decision.rationale)) } }
                @if !decision.approved_by.is_empty() { p { (mark(Tone::Good, "agreed")) " " (text(&decision.approved_by.join(", "))) } }
                @if !decision.rejected_by.is_empty() { p { (mark(Tone::Bad, "against")) " " (text(&decision.rejected_by.join(", "))) } }
            }
            div.where { span { (text(&decision.decided_by)) } (parts.ago(decision.time)) }
        }
    }
}

fn judged(verdict: &Verdict, parts: &Parts<'_>) -> Markup {
    let tone = match verdict.word.as_str() {
        word if word.starts_with("approve") => Tone::Good,
        word if word.starts_with("reject") || word.starts_with("block") => Tone::Bad,
        _ => Tone::Warn,
    };
    html! {
        li.row data-row id={ "verdict-" (verdict.seq) } {
            div.what {
                (mark(tone, &verdict.word.replace('_', " ")))
                strong.title { (text(&verdict.agent)) }
                p { (text(&verdict.reasoning)) }
                @if let Some(resolved) = &verdict.resolved { p.dim { "What it wanted: " (text(resolved)) } }
            }
            div.where {
                span { (format!("{:.0} % sure", verdict.confidence * 100.0)) }
                span { (text(&verdict.provenance)) @if !verdict.counts { ", counts for no gate" } }
                (parts.ago(verdict.time))
            }
        }
    }
}
