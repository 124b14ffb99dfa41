//! How health looks.

use maud::{Markup, html};
use waypost_app::desk::{Disk, HookSeen, ProjectHealth};
use waypost_app::harness::Health as How;
use waypost_app::index::IndexState;
use waypost_app::setup::doctor::Finding;
use waypost_app::telemetry::{Part, State, Status};
use waypost_app::watch::WatchRow;
use waypost_core::next_step::{Voice, lines};
use waypost_core::text::spoken::count;

use super::{Looked, Told};
use crate::asked::segment;
use crate::parts::{Parts, Tone, code, many, mark, nothing, text};

/// How many things that could not be read are told.
const TOLD: usize = 20;

pub(super) fn body(told: &Told, parts: &Parts<'_>) -> Markup {
    html! {
        p.lead { (summary(told)) " · Waypost " (told.version) }
        @if told.projects.is_empty() {
            (nothing("There is no project yet.", html! { p { "In the folder of a project, run " (code("waypost init")) "; projects that are set up already are found with " (code("waypost onboard DIR")) "." } }))
        }
        @if !told.unenforced.is_empty() { (unenforced(&told.unenforced, parts)) }
        @if !told.projects.is_empty() {
            h2 { "Projects" }
            ul.rows { @for of in &told.projects { (project(of, told.projects.len() == 1, parts)) } }
        }
        (index(told))
    }
}

fn summary(told: &Told) -> Markup {
    let health = || told.projects.iter().filter_map(|of| of.health.as_deref());
    let found = |how: How| {
        health().flat_map(|health| &health.findings).filter(|one| one.health == how).count()
    };
    let looking = told.projects.iter().any(|of| of.health.is_none());
    html! {
        @match (found(How::Bad), found(How::Warning)) {
            _ if looking => { (mark(Tone::Busy, "looking…")) }
            (0, 0) if told.unenforced.is_empty() => { (mark(Tone::Good, "all is well")) }
            (0, 0) => { (mark(Tone::Bad, "something goes by unseen")) }
            (0, warnings) => { (mark(Tone::Warn, "it works")) " · " strong { (warnings) } " to look at" }
            (bad, warnings) => { (mark(Tone::Bad, "something does not work")) " · " strong { (bad) } " to mend" @if warnings > 0 { ", " (warnings) " to look at" } }
        }
    }
}

fn unenforced(rows: &[WatchRow], parts: &Parts<'_>) -> Markup {
    html! {
        h2 { "Not enforced" }
        ul.rows {
            @for row in rows {
                li.row data-row {
                    div {
                        (mark(Tone::Bad, row.state.word()))
                        @match (&row.project_id, &row.session_id) {
                            (Some(project), Some(session)) => { a.title data-open href={ "/projects/" (segment(project)) "/sessions/" (segment(session.as_str())) } { (text(row.objective.as_deref().unwrap_or(session.as_str()))) } }
                            _ => { span.title { (text(&row.root.display().to_string())) } }
                        }
                        p { (text(&row.text)) }
                    }
                    div.where { span { (text(&row.project)) } @if let Some(since) = row.since { (parts.ago(since)) } }
                }
            }
        }
    }
}

fn project(of: &Looked, alone: bool, parts: &Parts<'_>) -> Markup {
    html! {
        li.row.project-health data-row id={ "h-" (of.id) } {
            div {
                @match &of.health {
                    None => { (mark(Tone::Busy, "looking…")) (name(of)) p.dim { "The doctor looks at it just now." } }
                    Some(health) => { (worst(&health.findings)) (name(of)) (details(of, health, alone, parts)) }
                }
            }
            div.where {
                code { (text(&of.root.display().to_string())) }
                @if let Some(as_of) = of.as_of { span { "looked " (parts.ago(as_of)) } }
            }
        }
    }
}

fn name(of: &Looked) -> Markup {
    html! { a.title data-open href={ "/health-report?project=" (segment(&of.id)) } { (text(&of.name)) } }
}

fn worst(findings: &[Finding]) -> Markup {
    let has = |how: How| findings.iter().any(|finding| finding.health == how);
    if has(How::Bad) {
        mark(Tone::Bad, "to mend")
    } else if has(How::Warning) {
        mark(Tone::Warn, "to look at")
    } else {
        mark(Tone::Good, "good")
    }
}

fn details(of: &Looked, health: &ProjectHealth, alone: bool, parts: &Parts<'_>) -> Markup {
    let (good, other): (Vec<&Finding>, Vec<&Finding>) =
        health.findings.iter().partition(|finding| finding.health == How::Good);
    html! {
        (hooks(&health.hooks, parts))
        (sending(health, parts))
        @if !other.is_empty() { ul.findings { @for finding in other { (one(finding)) } } }
        @if !good.is_empty() {
            details open[alone] data-keep={ "good-" (of.id) } {
                summary { (count(good.len() as u64, "check")) " as they should be" }
                ul.findings { @for finding in good { (one(finding)) } }
            }
        }
        p.dim { "Records " (bytes(health.record_bytes)) ", activity " (bytes(health.activity_bytes)) " on this machine." }
    }
}

fn one(finding: &Finding) -> Markup {
    let (tone, word) = match finding.health {
        How::Good => (Tone::Good, "good"),
        How::Warning => (Tone::Warn, "look at"),
        How::Bad => (Tone::Bad, "mend"),
    };
    html! {
        li {
            (mark(tone, word)) " " strong { (finding.check) } " " (text(&finding.detail))
            @if !finding.fix.is_empty() { p.fix { "→ " (text(&lines(&finding.fix, Voice::PERSON))) } }
        }
    }
}

fn hooks(hooks: &[HookSeen], parts: &Parts<'_>) -> Markup {
    html! {
        @if hooks.is_empty() {
            p { (mark(Tone::Calm, "no hook has called yet")) }
        }
        @for seen in hooks {
            p {
                @if seen.running > 0 { (mark(Tone::Good, "alive")) } @else { (mark(Tone::Calm, "at rest")) }
                " Hooks of " strong { (text(&seen.harness)) } ": " (count(seen.conversations, "conversation"))
                @if seen.running > 0 { ", " (seen.running) " running" }
                @if let Some(last) = seen.last { ", last call " (parts.ago(last)) }
            }
        }
    }
}

/// What is sent elsewhere, and what waits for that.
fn sending(health: &ProjectHealth, parts: &Parts<'_>) -> Markup {
    html! {
        @if let Some(error) = &health.telemetry_error { p { (mark(Tone::Bad, "telemetry")) " " (text(error)) } }
        @if let Some(status) = &health.telemetry { (telemetry(status, parts)) }
    }
}

fn telemetry(status: &Status, parts: &Parts<'_>) -> Markup {
    let to = status.otlp.as_deref().unwrap_or_default();
    html! {
        @match status.state {
            State::Off => {}
            State::Untrusted => { p { (mark(Tone::Warn, "not sent")) " Nothing goes to " (code(to)) " before you trust the file that names it: " (code("waypost trust config")) "." } }
            State::On => { @for part in &status.parts { (sent(part, to, parts)) } }
        }
    }
}

fn sent(part: &Part, to: &str, parts: &Parts<'_>) -> Markup {
    html! {
        p {
            @if part.error.is_some() { (mark(Tone::Bad, "not taken")) }
            @else if part.waiting > 0 { (mark(Tone::Warn, "waiting")) }
            @else { (mark(Tone::Good, "sent")) }
            " " (part.signals) " to " (code(to)) ": " (count(part.waiting, "record")) " waiting"
            @if part.refused > 0 { ", " (part.refused) " refused" }
            @if let Some(at) = part.taken_at { ", last taken " (parts.ago(at)) }
            @if let Some(error) = &part.error { ". " (text(error)) @if let Some(next) = part.next_try { "; tried again at " (parts.clock(next)) } }
            @if let Some(why) = &part.refusal { ". " (text(why)) }
        }
    }
}

fn index(told: &Told) -> Markup {
    let scan = &told.index;
    html! {
        h2 { "Index" }
        @if let Some(error) = &scan.error { p.warning { "The last scan failed: " (text(error)) } }
        @for warning in &scan.warnings { p.warning { (text(warning)) } }
        @match &told.disk {
            None => { p.dim { "It is looked at just now." } }
            Some(disk) => { (disk_use(disk, scan.scans)) }
        }
        @if !scan.failed.is_empty() {
            h3 { "Could not be read" }
            ul.findings {
                @for failed in scan.failed.iter().take(TOLD) { li { (code(&failed.what)) ": " (text(&failed.why)) } }
                @if scan.failed.len() > TOLD { li.dim { "and " (scan.failed.len() - TOLD) " more; " (code("waypost index scan --json")) " names them all" } }
            }
        }
    }
}

fn disk_use(disk: &Disk, scans: u64) -> Markup {
    html! {
        @if let Some(index) = &disk.index {
            p {
                @match index.state {
                    IndexState::Ready => { (mark(Tone::Good, "ready")) }
                    IndexState::Missing => { (mark(Tone::Busy, "not made yet")) }
                    IndexState::Older | IndexState::Damaged => { (mark(Tone::Warn, "made anew by the next scan")) }
                    IndexState::Newer => { (mark(Tone::Bad, "of a newer Waypost")) }
                }
                " " (count(scans, "scan")) " since this server began"
                @if let Some(why) = &index.why { ": " (text(why)) }
            }
            @if !index.rows.is_empty() {
                details data-keep="index-rows" {
                    summary { (many(index.rows.values().sum())) " rows" }
                    ul.tables { @for (table, rows) in &index.rows { li { (table) " " span.dim { (many(*rows)) } } } }
                }
            }
        }
        p {
            "Index " strong { (bytes(disk.index_bytes)) } ", activity " strong { (bytes(disk.activity_bytes)) }
            ", all that is kept on this machine " strong { (bytes(disk.state_bytes)) } " in " (code(&disk.folder.display().to_string())) "."
        }
    }
}

/// How large something is, for people.
#[expect(clippy::cast_precision_loss, reason = "it is shown with two digits")]
fn bytes(number: u64) -> String {
    let short = |unit: u64| number as f64 / unit as f64;
    match number {
        0..1_000 => format!("{number} bytes"),
        1_000..1_000_000 => format!("{:.0} KB", short(1_000)),
        1_000_000..1_000_000_000 => format!("{:.1} MB", short(1_000_000)),
        _ => format!("{:.1} GB", short(1_000_000_000)),
    }
}
