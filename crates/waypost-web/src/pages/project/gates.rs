//! The gates of a project that are in force, and what is wrong with what says so.

use maud::{Markup, html};
use serde::Serialize;
use waypost_app::enforce::gates;
use waypost_app::error::AppError;
use waypost_app::view::View;
use waypost_core::gate::Level;
use waypost_core::next_step::Voice;
use waypost_core::text::spoken::count;

use crate::asked::query;
use crate::parts::{Tone, code, mark, text};

/// How many are shown.
const MOST: usize = 200;

/// The gates in force.
#[derive(Debug, Default, Serialize)]
pub(super) struct GatesTold {
    /// Why it is not known which they are.
    error: Option<String>,
    gates: Vec<GateTold>,
    /// How many more there are.
    more: usize,
    /// What could not be understood.
    problems: Vec<String>,
    /// What holds otherwise than it may have been meant, or holds nobody.
    notes: Vec<String>,
    /// What the files say differently, and that holds only once a human is there.
    waiting: Vec<String>,
}

/// A gate in force.
#[derive(Debug, Serialize)]
struct GateTold {
    gate: String,
    level: Level,
    before: Vec<String>,
    message: String,
    source: String,
}

impl GatesTold {
    pub(super) fn of(view: &View<'_>) -> Self {
        Self::listed(view).unwrap_or_else(|error| {
            let error = Some(error.full_text(Voice::Person));
            Self { error, ..Self::default() }
        })
    }

    fn listed(view: &View<'_>) -> Result<Self, AppError> {
        let list = gates::list(view)?;
        let told = |problem: &waypost_app::config::Problem| problem.to_string();
        let gates = list.policy.gates.iter().map(|gate| GateTold {
            gate: gate.id.clone(),
            level: gate.level,
            before: gate.before.iter().map(ToString::to_string).collect(),
            message: gate.message.clone(),
            source: gate.source.to_string(),
        });
        Ok(Self {
            error: None,
            gates: gates.take(MOST).collect(),
            more: list.policy.gates.len().saturating_sub(MOST),
            problems: list.problems.iter().map(told).collect(),
            notes: list.left_out.iter().chain(&list.notes).map(told).collect(),
            waiting: list.waiting,
        })
    }
}

/// The gates, as a section of a page.
pub(super) fn section(told: &GatesTold, project: &str) -> Markup {
    let matrix = format!("/gates{}", query(&[("project", project)]));
    html! {
        h2 id="gates" { "Gates in force" }
        @if let Some(error) = &told.error { p.warning { (text(error)) } }
        @else {
                @for problem in &told.problems { p.warning { (text(problem)) } }
                @for waiting in &told.waiting { p.warning { "Not in force yet, until a person is there: " (text(waiting)) } }
                @if told.gates.is_empty() {
                    p.dim { "No gate stands before anything. Add one to " (code("waypost.toml")) "." }
                } @else {
                    (table(&told.gates))
                    p { a href=(matrix) { "What each finds in each session" } @if told.more > 0 { span.dim { ", and " (count(told.more, "more gate")) } } }
                }
                @for note in &told.notes { p.dim { (text(note)) } }
        }
    }
}

fn table(gates: &[GateTold]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Gates in force" {
            table.gates {
                thead { tr { th scope="col" { "Gate" } th scope="col" { "Before" } th scope="col" { "Asks" } th scope="col" { "Written in" } } }
                tbody {
                    @for gate in gates {
                        tr {
                            th scope="row" { (code(&gate.gate)) " " (level(gate.level)) }
                            td { (text(&gate.before.join(", "))) }
                            td { (text(&gate.message)) }
                            td.dim { (text(&gate.source)) }
                        }
                    }
                }
            }
        }
    }
}

fn level(level: Level) -> Markup {
    let tone = match level {
        Level::Must => Tone::Bad,
        Level::Should => Tone::Warn,
        Level::May => Tone::Calm,
    };
    mark(tone, &level.to_string())
}
