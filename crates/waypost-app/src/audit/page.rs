//! An audit as a page: one file that needs nothing else and runs nothing.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use waypost_core::text::spoken::count;

use super::card::{parts, verified_percent};
use super::{Audit, Counts, Worst};

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}\
h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2rem}\
table{border-collapse:collapse}td,th{padding:.25rem .75rem;text-align:right;border-bottom:1px solid #ddd}\
td:first-child,th:first-child,td:nth-child(2),th:nth-child(2){text-align:left}\
.bar{display:flex;height:1.5rem;margin:1rem 0}blockquote{margin:.25rem 0;padding-left:.75rem;border-left:3px solid #c62828}\
small{color:#666}";

/// The page. `limits` says what an audit cannot know.
pub fn page(audit: &Audit, limits: &[String]) -> String {
    let title = match verified_percent(&audit.counts) {
        Some(percent) => format!("{percent}% of “done” was verified"),
        None => "No claims that can be judged".to_owned(),
    };
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                // Nothing in it may run or fetch anything, whatever somebody wrote.
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { (title) }
                p { (count(audit.counts.claims, "claim")) " in " (count(audit.counts.turns, "turn")) " of " (count(audit.conversations, "conversation")) }
                (bar(&audit.counts))
                table {
                    tr { th { "Project" } th { "Week" } th { "Turns" } th { "Claims" } @for (_, _, name) in parts(&audit.counts) { th { (name) } } }
                    @for row in &audit.weeks {
                        tr {
                            td { (row.project.display()) } td { (row.week) }
                            td { (row.counts.turns) } td { (row.counts.claims) }
                            @for (number, _, _) in parts(&row.counts) { td { (number) } }
                        }
                    }
                }
                @if !audit.worst.is_empty() {
                    h2 { "The worst" }
                    @for worst in &audit.worst { (of_worst(worst)) }
                }
                @if audit.would_hold > 0 {
                    h2 { "What gates would have held" }
                    p { (held(audit)) }
                }
                h2 { "What this cannot know" }
                ul { @for limit in limits { li { (limit) } } }
            }
        }
    };
    page.into_string()
}

/// How many turns a gate on a test run before a stop would have held, and which of the project do so now.
fn held(audit: &Audit) -> String {
    let turns = count(audit.would_hold, "turn");
    match audit.gates.as_slice() {
        [] => format!("A gate on the tests before a stop would have held {turns}."),
        gates => format!("Before a stop, {} would have held {turns}.", gates.join(" or ")),
    }
}

fn bar(counts: &Counts) -> Markup {
    html! {
        div.bar {
            @for (number, colour, name) in parts(counts) {
                @if number > 0 {
                    span style={ "background:" (colour) ";flex-grow:" (number) } title={ (number) " " (name) } {}
                }
            }
        }
    }
}

fn of_worst(worst: &Worst) -> Markup {
    html! {
        div {
            blockquote { (worst.quote) }
            p {
                strong { (worst.class.replace('_', " ")) } ": " (worst.why) br;
                small {
                    @if let Some(time) = worst.time { (time.to_string()) " · " }
                    (worst.client) " " (worst.conversation) " · " (worst.file.display()) ", byte " (worst.at)
                }
            }
        }
    }
}
