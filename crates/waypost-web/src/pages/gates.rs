//! Gates by sessions: what came of each gate in the sessions in which something happened last.

use std::collections::BTreeMap;

use maud::{Markup, html};
use serde::Serialize;
use waypost_app::desk::Desk;
use waypost_app::error::AppError;
use waypost_app::index::{Ask, Rows};
use waypost_core::tables::{Cell, GateRow, ProjectRow, SessionRow};
use waypost_core::text::spoken::count;

use super::{Page, Param, Sheet};
use crate::asked::{Asked, segment};
use crate::parts::{Parts, Tone, code, nothing, text};

/// So many sessions are shown.
const MOST: u32 = 30;
/// Of so many the gates are looked at: one in which no gate had a say is passed over.
const LOOKED_AT: u32 = 90;

pub(super) struct Gates;

/// What came of gates.
#[derive(Debug, Serialize)]
pub(super) struct Told {
    /// Whether there is an index that could know it.
    indexed: bool,
    project: Option<ProjectRow>,
    projects: Vec<ProjectRow>,
    /// The last one first.
    sessions: Vec<Column>,
    gates: Vec<Line>,
}

/// A session.
#[derive(Debug, Serialize)]
struct Column {
    project: String,
    project_name: String,
    session: String,
    objective: Option<String>,
}

/// A gate.
#[derive(Debug, Serialize)]
struct Line {
    gate: String,
    /// How often it held something in these sessions.
    held: u64,
    /// How often it warned.
    warned: u64,
    /// What came of it in each session.
    cells: Vec<Option<GateRow>>,
}

impl Page for Gates {
    type Told = Told;
    const NAME: &'static str = "gates";
    const PATH: &'static str = "/gates";
    const ABOUT: &'static str = "What came of each gate in the last sessions";
    const QUERY: &'static [Param] =
        &[Param { name: "project", about: "The project's id; all projects, if none" }];

    fn look(&self, desk: &Desk, asked: &Asked) -> Result<Told, AppError> {
        let none = (Vec::new(), Vec::new());
        let Some(rows) = desk.rows()? else {
            let (projects, project) = (Vec::new(), None);
            return Ok(Told { indexed: false, project, projects, sessions: none.0, gates: none.1 });
        };
        let projects: Vec<ProjectRow> =
            rows.of(Ask { by: Some(("name", false)), ..Ask::default() })?;
        let wanted = asked.get("project");
        let project = projects.iter().find(|project| Some(project.id.as_str()) == wanted).cloned();
        if let (Some(wanted), None) = (wanted, &project) {
            return Err(AppError::refused(format!("no project has the id {wanted}")));
        }
        let (sessions, gates) = table(&rows, &projects, wanted)?;
        Ok(Told { indexed: true, project, projects, sessions, gates })
    }

    fn show(&self, told: &Told, _: &Asked, _: &Parts<'_>) -> Sheet {
        let mut crumbs = Vec::new();
        if let Some(project) = &told.project {
            let address = format!("/projects/{}", segment(&project.id));
            crumbs = vec![
                ("Projects".to_owned(), "/projects".to_owned()),
                (project.name.clone(), address),
            ];
        }
        let body = html! {
            (projects(told))
            @if told.gates.is_empty() { (no_gates(told)) } @else { (matrix(told)) }
        };
        Sheet { title: "Gates".to_owned(), crumbs, body }
    }
}

fn table(
    rows: &Rows,
    projects: &[ProjectRow],
    wanted: Option<&str>,
) -> Result<(Vec<Column>, Vec<Line>), AppError> {
    let with: Vec<_> =
        wanted.map(|id| ("project", Cell::Text(id.to_owned()))).into_iter().collect();
    let last = Ask {
        with: &with,
        by: Some(("updated_at", true)),
        most: Some(LOOKED_AT),
        ..Ask::default()
    };
    let names: BTreeMap<&str, &str> =
        projects.iter().map(|project| (project.id.as_str(), project.name.as_str())).collect();
    let (mut columns, mut lines) = (Vec::new(), BTreeMap::<String, Line>::new());
    for session in rows.of::<SessionRow>(last)? {
        if columns.len() == MOST as usize {
            break;
        }
        let with = [("session", Cell::Int(session.session))];
        let gates = rows.of::<GateRow>(Ask { with: &with, ..Ask::default() })?;
        if gates.is_empty() {
            continue;
        }
        let place = columns.len();
        for gate in gates {
            let line = lines.entry(gate.gate.clone()).or_insert_with(|| Line {
                gate: gate.gate.clone(),
                held: 0,
                warned: 0,
                cells: Vec::new(),
            });
            line.held += gate.held;
            line.warned += gate.warned;
            line.cells.resize(place, None);
            line.cells.push(Some(gate));
        }
        columns.push(Column {
            project_name: names.get(session.project.as_str()).unwrap_or(&"").to_string(),
            project: session.project,
            session: session.id,
            objective: session.objective,
        });
    }
    let mut lines: Vec<Line> = lines.into_values().collect();
    for line in &mut lines {
        line.cells.resize(columns.len(), None);
    }
    lines.sort_by(|one, other| {
        (other.held, other.warned, &one.gate).cmp(&(one.held, one.warned, &other.gate))
    });
    Ok((columns, lines))
}

fn projects(told: &Told) -> Markup {
    if told.projects.len() < 2 {
        return html! {};
    }
    let here = told.project.as_ref().map(|project| project.id.as_str());
    html! {
        form.filters {
            label for="project" { "Project" }
            select id="project" name="project" {
                option value="" { "All projects" }
                @for project in &told.projects {
                    option value=(project.id) selected[here == Some(project.id.as_str())] { (text(&project.name)) }
                }
            }
            button type="submit" { "Show" }
        }
    }
}

fn no_gates(told: &Told) -> Markup {
    if !told.indexed {
        return nothing(
            "The index is not made yet.",
            html! { p { "It is made now; this page follows by itself." } },
        );
    }
    nothing(
        "No gate had a say in any session yet.",
        html! { p { "Gates are written in " (code("waypost.toml")) " as " (code("[[gate]]")) "; whatever one holds or lets pass appears here." } },
    )
}

fn matrix(told: &Told) -> Markup {
    html! {
        p.lead { (count(told.gates.len(), "gate")) " in the last " (count(told.sessions.len(), "session")) " in which one had a say." }
        div.scroll tabindex="0" role="region" aria-label="Gates by sessions" {
            table.matrix {
                thead { tr {
                    th scope="col" { "Gate" }
                    th.number scope="col" { "Held" }
                    th.number scope="col" { "Warned" }
                    @for column in &told.sessions { (heading(column, told.project.is_some())) }
                } }
                tbody { @for line in &told.gates { tr id={ "g-" (line.gate) } {
                    th scope="row" { (code(&line.gate)) }
                    td.number { (line.held) }
                    td.number { (line.warned) }
                    @for (cell, column) in line.cells.iter().zip(&told.sessions) { (field(cell.as_ref(), column)) }
                } } }
            }
        }
    }
}

fn heading(column: &Column, is_one_project: bool) -> Markup {
    let name = column.objective.clone().unwrap_or_else(|| unnamed(&column.session));
    html! {
        th scope="col" {
            a href=(address(column)) title={ (name) " (" (column.session) ")" } { (text(&name)) }
            @if !is_one_project { span.dim { (text(&column.project_name)) } }
        }
    }
}

/// What tells a session without a name from others: the end of its id.
fn unnamed(session: &str) -> String {
    format!("unnamed {}", session.rsplit('_').next().unwrap_or(session))
}

fn address(column: &Column) -> String {
    format!(
        "/projects/{}/sessions/{}?tab=gates",
        segment(&column.project),
        segment(&column.session)
    )
}

fn field(gate: Option<&GateRow>, column: &Column) -> Markup {
    let Some(gate) = gate else { return html! { td { span.dim title="it had no say" { "–" } } } };
    let (tone, word) = status(&gate.status);
    let times = |number: u64| match number {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        more => format!("{more} times"),
    };
    let mut about =
        format!("{} in {}: {}", gate.gate, column.session, gate.status.replace('_', " "));
    if gate.held > 0 {
        about.push_str(&format!("; held {}", times(gate.held)));
    }
    if gate.warned > 0 {
        about.push_str(&format!("; warned {}", times(gate.warned)));
    }
    if let Some(why) = gate.why.as_ref().filter(|_| gate.held + gate.warned > 0) {
        about.push_str(&format!("; last because {why}"));
    }
    html! {
        td {
            a href=(address(column)) title=(waypost_core::text::one_line(&about)) {
                (crate::parts::mark(tone, word))
                @match (gate.status.as_str(), gate.held) {
                    (_, 0) | ("held", 1) => {},
                    ("held", often) => { " " span.dim { "×" (often) } },
                    (_, often) => { " " span.dim { "held ×" (often) } },
                }
            }
        }
    }
}

/// How a gate stands, in a word.
fn status(status: &str) -> (Tone, &str) {
    match status {
        "held" => (Tone::Bad, "held"),
        "warned" => (Tone::Warn, "warned"),
        "passed" => (Tone::Good, "passed"),
        "used_up" => (Tone::Calm, "used up"),
        "paused" => (Tone::Warn, "paused"),
        "cleared" | "unpaused" => (Tone::Calm, status),
        // How well it is known that it is met.
        known => (Tone::Good, known),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_has_a_word_of_its_own() {
        assert_eq!(status("held"), (Tone::Bad, "held"));
        assert_eq!(status("used_up"), (Tone::Calm, "used up"));
        assert_eq!(status("approved"), (Tone::Good, "approved"));
    }
}
