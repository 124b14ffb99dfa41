//! How an audit looks.

use maud::{Markup, html};
use waypost_app::audit::{Audit, Counts, LIMITS, Row, Worst};
use waypost_core::text::spoken::count;

use super::{EVER, Listed, Told};
use crate::asked::{Asked, segment};
use crate::chart::{Bar, Chart};
use crate::pages::session::spoken;
use crate::parts::{Parts, Tone, code, mark, nothing, text};
use crate::period::Period;

/// How far back it is often asked for.
const PERIODS: [(&str, &str); 4] =
    [("7d", "7 days"), ("30d", "30 days"), ("90d", "90 days"), (EVER, "All")];

/// What a claim can be worth: how many were, the class of its colour, the word.
fn worths(counts: &Counts) -> [(u64, &'static str, &'static str); 5] {
    [
        (counts.verified, "verified", "verified"),
        (counts.stale, "stale", "stale"),
        (counts.failed, "failed", "failed"),
        (counts.never_ran, "never", "never ran"),
        (counts.not_seen, "unseen", "not seen"),
    ]
}

pub(super) fn body(told: &Told, asked: &Asked, parts: &Parts<'_>) -> Markup {
    html! {
        (choices(told, asked))
        (progress(told))
        @match &told.found {
            None => {}
            Some(found) if found.conversations == 0 => {
                (nothing("No client keeps a conversation of that time.", html! {
                    p { "Waypost reads the transcripts that clients keep on this machine, whether or not it was there. " a href="/audit?since=all" { "Look at all of them" } "." }
                }))
            }
            Some(found) => { (figures(told, found, parts)) }
        }
    }
}

fn choices(told: &Told, asked: &Asked) -> Markup {
    html! {
        nav.tabs.small aria-label="Since" {
            @for (since, name) in PERIODS {
                a href={ "/audit" (asked.query_with(&["project", "since"], "since", Some(since))) }
                    aria-current=[(told.since == since).then_some("true")] { (name) }
            }
        }
        details.ask data-keep="audit-form" {
            summary { "Other dates, or one project" }
            form method="get" action="/audit" {
                label { "Since" input id="ask-since" name="since" value=(told.since) placeholder="2026-11-01 or 30d"; }
                label { "Project"
                    select id="ask-project" name="project" {
                        option value="" { "All projects" }
                        @for Listed { id, name, .. } in &told.projects {
                            option value=(id) selected[told.project.as_ref() == Some(id)] { (text(name)) }
                        }
                    }
                }
                button type="submit" { "Show" }
            }
        }
    }
}

fn progress(told: &Told) -> Markup {
    // Looking whether anything changed is not worth a word.
    if !told.reading || (told.found.is_some() && told.to_read == 0) {
        return html! {};
    }
    html! {
        p #reading role="status" {
            (mark(Tone::Busy, "reading…")) " "
            @if told.to_read > 0 { (told.read) " of " (count(told.to_read, "conversation")) " " progress max=(told.to_read) value=(told.read) aria-label="Conversations read" {} }
            @else { "looking for conversations" }
            @if told.found.is_some() { span.dim { " Until then, this is what was read before." } }
            @else { span.dim { " The figures appear here by themselves; without scripts, load the page again." } }
        }
    }
}

fn figures(told: &Told, found: &Audit, parts: &Parts<'_>) -> Markup {
    html! {
        p.lead.sentence { (sentence(&found.counts, found.conversations)) }
        @if found.counts.claims > 0 {
            (legend(&found.counts))
            (chart(told))
        }
        (weeks(told, found))
        (worst(told, &found.worst, parts))
        @if found.would_hold > 0 { (held(found)) }
        h2 { "What this cannot know" }
        ul.limits { @for limit in LIMITS { li { (limit) } } }
        p.dim {
            @if let Some(as_of) = told.as_of { "As of " (parts.clock(as_of)) ". " }
            @if found.unreadable > 0 { (count(found.unreadable, "line")) " could not be read. " }
            "The same as " (code(&command(told))) "."
        }
    }
}

/// All of it in a sentence.
fn sentence(counts: &Counts, conversations: u64) -> Markup {
    let of = count(conversations, "conversation");
    html! {
        @if counts.claims == 0 { "In " (of) ", no agent said that something was done, fixed or tested." }
        @else {
            "In " (of) ", agents said " strong { (count(counts.claims, "time")) }
            " that something was done, fixed or tested; " strong { (counts.verified) } " of these "
            (if counts.verified == 1 { "was" } else { "were" }) " verified."
        }
    }
}

fn legend(counts: &Counts) -> Markup {
    html! {
        ul.legend {
            @for (number, class, name) in worths(counts) {
                li { svg width="12" height="12" aria-hidden="true" { rect class=(class) width="12" height="12" {} } " " (number) " " (name) }
            }
        }
    }
}

fn chart(told: &Told) -> Markup {
    #[expect(clippy::cast_precision_loss, reason = "only to be drawn")]
    let bars = told.weeks.iter().filter(|(week, _)| !week.is_empty()).map(|(week, counts)| {
        let parts = worths(counts);
        let words = parts.iter().filter(|(number, _, _)| *number > 0);
        let words: Vec<String> =
            words.map(|(number, _, name)| format!("{number} {name}")).collect();
        Bar {
            name: week.clone(),
            parts: parts.map(|(number, class, _)| (number as f64, class)).to_vec(),
            told: if words.is_empty() { "no claims".to_owned() } else { words.join(", ") },
        }
    });
    let bars = Period::Week.filled(bars);
    let unit = |value: f64| {
        if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.1}") }
    };
    let title = "Claims by week, and what they were worth";
    Chart { id: "audit-chart", title, bars: &bars, unit }.columns()
}

fn weeks(told: &Told, found: &Audit) -> Markup {
    let mut rows: Vec<&Row> = found.weeks.iter().collect();
    rows.sort_by(|one, other| (&other.week, &one.project).cmp(&(&one.week, &other.project)));
    let names = ["Turns", "Claims", "Verified", "Stale", "Failed", "Never ran", "Not seen"];
    let by_project = told.project.is_none() && told.projects.len() > 1;
    html! {
        h2 { "By week" }
        div.scroll tabindex="0" role="region" aria-label="All figures by week" {
            table.figures {
                thead { tr {
                    th scope="col" { "Week from" }
                    @if by_project { th scope="col" { "Project" } }
                    @for name in names { th.number scope="col" { (name) } }
                } }
                tbody {
                    @for row in rows {
                        tr {
                            th.time scope="row" { @if row.week.is_empty() { "unknown" } @else { (row.week) } }
                            @if by_project { td { (project_of(told, row)) } }
                            (numbers(&row.counts))
                        }
                    }
                }
                tfoot { tr {
                    th scope="row" { "All" }
                    @if by_project { td {} }
                    (numbers(&found.counts))
                } }
            }
        }
    }
}

fn project_of(told: &Told, row: &Row) -> Markup {
    let listed = told.projects.iter().find(|listed| listed.root == row.project);
    html! {
        @match listed {
            Some(listed) => { a href={ "/projects/" (segment(&listed.id)) } { (text(&listed.name)) } }
            None => { (text(&row.project.display().to_string())) }
        }
    }
}

fn numbers(counts: &Counts) -> Markup {
    let Counts { turns, claims, verified, stale, failed, never_ran, not_seen } = *counts;
    html! { @for number in [turns, claims, verified, stale, failed, never_ran, not_seen] { td.number { (number) } } }
}

fn worst(told: &Told, all: &[Worst], parts: &Parts<'_>) -> Markup {
    html! {
        @if !all.is_empty() {
            h2 { "The worst" }
            ol.rows { @for worst in all { (of_worst(told, worst, parts)) } }
        }
    }
}

fn of_worst(told: &Told, worst: &Worst, parts: &Parts<'_>) -> Markup {
    let class = worst.class.replace('_', " ");
    let tone = if worst.class == "stale" { Tone::Warn } else { Tone::Bad };
    let listed = told.projects.iter().find(|listed| listed.root == worst.project);
    html! {
        li.row data-row id={ "worst-" (worst.conversation) "-" (worst.at) } {
            div {
                (mark(tone, &class))
                blockquote { (text(&worst.quote)) }
                p { (spoken(&worst.why)) }
                p.dim {
                    (text(worst.client)) " · "
                    a data-open href=(address(worst)) { "conversation " (text(&worst.conversation)) }
                    " · " (code(&worst.file.display().to_string())) ", byte " (worst.at)
                }
            }
            div.where {
                span { @match listed { Some(listed) => { (text(&listed.name)) } None => { (text(&worst.project.display().to_string())) } } }
                @if let Some(time) = worst.time { (parts.ago(time)) }
            }
        }
    }
}

/// The conversation, at what was said there.
fn address(worst: &Worst) -> String {
    format!("/conversations/{}?from={}", segment(&worst.conversation), worst.at)
}

fn held(found: &Audit) -> Markup {
    let turns = count(found.would_hold, "turn");
    html! {
        h2 { "What gates would have held" }
        p {
            @if found.gates.is_empty() {
                "A gate on the tests before a stop (" (code("waypost init")) " sets one up) would have held " strong { (turns) } "."
            } @else {
                "Before a stop, " @for (at, gate) in found.gates.iter().enumerate() { @if at > 0 { " or " } (code(gate)) }
                " would have held " strong { (turns) } "."
            }
        }
    }
}

/// What says the same in a terminal.
fn command(told: &Told) -> String {
    let since = if told.since == EVER { String::new() } else { format!(" --since {}", told.since) };
    let all = if told.project.is_none() { " --all" } else { "" };
    format!("waypost audit{all}{since}")
}
