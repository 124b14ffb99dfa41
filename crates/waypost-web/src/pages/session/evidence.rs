//! What counts as proof in a session: what ran, was read or was said, how well it is known, and how many tests it had.

use maud::{Markup, html};
use serde::Serialize;
use waypost_app::error::AppError;
use waypost_core::tables::EvidenceRow;
use waypost_core::time::Timestamp;

use super::head::Head;
use super::seen::{Seen, conversation_address};
use super::timeline::short_id;
use crate::asked::Asked;
use crate::parts::{Parts, Tone, code, mark, nothing, text};

/// How many are shown at once.
const MOST: usize = 60;

#[derive(Debug, Serialize)]
pub(super) struct Told {
    evidence: Vec<Proof>,
    /// Where the next part begins, if there is more.
    before: Option<u64>,
}

/// A piece of evidence.
#[derive(Debug, Serialize)]
struct Proof {
    seq: u64,
    time: Timestamp,
    conversation: Option<String>,
    kind: String,
    subject: String,
    status: Option<i64>,
    tests: Option<u64>,
    failed: Option<u64>,
    tree: Option<String>,
    provenance: String,
}

pub(super) fn look(seen: &Seen<'_>, asked: &Asked) -> Result<Told, AppError> {
    let most = u32::try_from(MOST + 1).unwrap_or(u32::MAX);
    let mut rows: Vec<EvidenceRow> = seen.latest("seq", asked.number("before")?, most)?;
    let more = rows.len() > MOST;
    rows.truncate(MOST);
    let before = rows.last().map(|row| row.seq).filter(|_| more);
    let evidence = rows.into_iter().map(|row| Proof {
        seq: row.seq,
        time: row.time,
        conversation: row.conversation,
        kind: row.kind,
        subject: row.subject,
        status: row.status,
        tests: row.tests,
        failed: row.failed,
        tree: row.tree,
        provenance: row.provenance,
    });
    Ok(Told { evidence: evidence.collect(), before })
}

pub(super) fn show(told: &Told, head: &Head, parts: &Parts<'_>) -> Markup {
    if told.evidence.is_empty() {
        return nothing(
            "There is no evidence yet.",
            html! {
                p { "Commands that hooks see count by themselves; " (code("waypost run -- CMD")) " records one that Waypost ran." }
            },
        );
    }
    html! {
        p.dim { "How well it is known: verified (Waypost ran it or looked), observed (a hook saw it), approved (a person), reported (a hook whose caller could not be checked), claimed (an agent said so)." }
        div.scroll {
            table id="evidence" {
                thead { tr {
                    th scope="col" { "when" } th scope="col" { "known" } th scope="col" { "what" }
                    th scope="col" { "came out" } th.number scope="col" { "tests" } th.number scope="col" { "failed" }
                    th scope="col" { "content" } th scope="col" { "by" }
                } }
                tbody { @for one in &told.evidence { (row(one, head, parts)) } }
            }
        }
        @if let Some(before) = told.before { p { a href={ (head.address) "?tab=evidence&before=" (before) } rel="next" { "Earlier" } } }
    }
}

fn row(one: &Proof, head: &Head, parts: &Parts<'_>) -> Markup {
    let tone = match one.provenance.as_str() {
        "verified" | "approved" => Tone::Good,
        "observed" => Tone::Busy,
        "reported" => Tone::Warn,
        _ => Tone::Calm,
    };
    let dash = || html! { span.dim { "–" } };
    html! {
        tr id={ "e-" (one.seq) } data-row {
            td { (parts.clock(one.time)) }
            td { (mark(tone, &one.provenance)) }
            td { span.dim { (text(&one.kind)) } " " (code(&one.subject)) }
            td {
                @match one.status {
                    Some(0) => (mark(Tone::Good, "passed")),
                    Some(status) => (mark(Tone::Bad, &format!("ended with {status}"))),
                    None => (dash()),
                }
            }
            td.number { @match one.tests { Some(tests) => (tests), None => (dash()) } }
            td.number { @match one.failed { Some(failed) => (failed), None => (dash()) } }
            td { @match &one.tree { Some(tree) => (code(&tree.chars().take(8).collect::<String>())), None => (dash()) } }
            td {
                @match &one.conversation {
                    Some(id) => a href=(conversation_address(&head.project.id, &head.session_id, id)) { (code(short_id(id))) },
                    None => "a person",
                }
            }
        }
    }
}
