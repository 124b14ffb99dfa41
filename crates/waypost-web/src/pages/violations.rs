//! What was missed: musts that were not met when their action happened, of all projects, the last first.

use std::collections::BTreeMap;

use maud::{Markup, html};
use serde::Serialize;
use waypost_app::desk::Desk;
use waypost_app::error::AppError;
use waypost_app::index::{Ask, Rows};
use waypost_core::tables::{Cell, ProjectRow, SessionRow, ViolationRow};
use waypost_core::text::spoken::count;

use super::{Page, Param, Sheet};
use crate::asked::{Asked, segment};
use crate::parts::{Parts, Tone, code, mark, nothing, text};

/// So many are on a page.
const ON_PAGE: usize = 50;
/// So many are looked through, the last ones.
const LOOKED_AT: u32 = 2_000;

const QUERY: &[Param] = &[
    Param { name: "project", about: "The project's id; all projects, if none" },
    Param { name: "gate", about: "Only of this gate" },
    Param { name: "severity", about: "Only of this severity" },
    Param {
        name: "open",
        about: "`yes`: only those whose gate does not hold since; `no`: only the others",
    },
    Param { name: "page", about: "Which page, from 1" },
];

pub(super) struct Violations;

/// What was missed.
#[derive(Debug, Serialize)]
pub(super) struct Told {
    /// Whether there is an index that could know it.
    indexed: bool,
    violations: Vec<Missed>,
    /// How many there are of what is asked for, among those that were looked through.
    found: usize,
    /// How many of them are open.
    open: usize,
    page: u32,
    more: bool,
    /// Whether there are older ones that were not looked through.
    older: bool,
    /// How often each gate was missed, whatever else is asked for.
    gates: Vec<(String, usize)>,
    severities: Vec<String>,
    projects: Vec<ProjectRow>,
}

/// A violation.
#[derive(Debug, Serialize)]
struct Missed {
    #[serde(flatten)]
    row: ViolationRow,
    project: String,
    project_name: String,
    session_id: String,
    objective: Option<String>,
}

impl Page for Violations {
    type Told = Told;
    const NAME: &'static str = "violations";
    const PATH: &'static str = "/violations";
    const ABOUT: &'static str = "What was missed in all projects, the last first";
    const QUERY: &'static [Param] = QUERY;

    fn look(&self, desk: &Desk, asked: &Asked) -> Result<Told, AppError> {
        let page = asked.page()?;
        let Some(rows) = desk.rows()? else {
            return Ok(Told {
                indexed: false,
                violations: Vec::new(),
                found: 0,
                open: 0,
                page,
                more: false,
                older: false,
                gates: Vec::new(),
                severities: Vec::new(),
                projects: Vec::new(),
            });
        };
        gathered(&rows, asked, page)
    }

    fn show(&self, told: &Told, asked: &Asked, parts: &Parts<'_>) -> Sheet {
        let body = html! {
            @if told.indexed { (filters(told, asked)) (totals(told, asked)) }
            @if told.violations.is_empty() { (none(told, asked)) }
            @else {
                ol.rows { @for missed in &told.violations { (item(missed, parts)) } }
                (turning(told, asked))
            }
        };
        Sheet { title: "Violations".to_owned(), crumbs: Vec::new(), body }
    }
}

/// The sessions of violations, each looked up once.
struct Sessions<'r> {
    rows: &'r Rows,
    known: BTreeMap<i64, Option<SessionRow>>,
}

impl Sessions<'_> {
    fn of(&mut self, key: i64) -> Result<Option<&SessionRow>, AppError> {
        if !self.known.contains_key(&key) {
            let row = self.rows.one::<SessionRow>("session", Cell::Int(key))?;
            self.known.insert(key, row);
        }
        Ok(self.known.get(&key).and_then(Option::as_ref))
    }
}

fn gathered(rows: &Rows, asked: &Asked, page: u32) -> Result<Told, AppError> {
    let last = Ask { by: Some(("time", true)), most: Some(LOOKED_AT), ..Ask::default() };
    let all = rows.of::<ViolationRow>(last)?;
    let older = all.len() == LOOKED_AT as usize;
    let projects: Vec<ProjectRow> = rows.of(Ask { by: Some(("name", false)), ..Ask::default() })?;
    let mut sessions = Sessions { rows, known: BTreeMap::new() };
    let (mut gates, mut severities) = (BTreeMap::<String, usize>::new(), Vec::<String>::new());
    let mut fitting = Vec::new();
    for row in all {
        // Only where a project is asked for has every session to be known.
        if let Some(wanted) = asked.get("project")
            && sessions.of(row.session)?.is_none_or(|session| session.project != wanted)
        {
            continue;
        }
        *gates.entry(row.gate.clone()).or_default() += 1;
        if !severities.contains(&row.severity) {
            severities.push(row.severity.clone());
        }
        if fits(&row, asked) {
            fitting.push(row);
        }
    }
    let (found, open) =
        (fitting.len(), fitting.iter().filter(|row| row.recovery.is_none()).count());
    let past = (page as usize - 1).saturating_mul(ON_PAGE);
    let more = found > past.saturating_add(ON_PAGE);
    let mut violations = Vec::new();
    for row in fitting.into_iter().skip(past).take(ON_PAGE) {
        let Some(session) = sessions.of(row.session)? else { continue };
        let name = projects.iter().find(|project| project.id == session.project);
        violations.push(Missed {
            project: session.project.clone(),
            project_name: name.map(|project| project.name.clone()).unwrap_or_default(),
            session_id: session.id.clone(),
            objective: session.objective.clone(),
            row,
        });
    }
    let mut gates: Vec<(String, usize)> = gates.into_iter().collect();
    gates.sort_by(|one, other| (other.1, &one.0).cmp(&(one.1, &other.0)));
    severities.sort();
    Ok(Told {
        indexed: true,
        violations,
        found,
        open,
        page,
        more,
        older,
        gates,
        severities,
        projects,
    })
}

fn fits(row: &ViolationRow, asked: &Asked) -> bool {
    let is_open = match asked.get("open") {
        Some("yes") => row.recovery.is_none(),
        Some("no") => row.recovery.is_some(),
        _ => true,
    };
    let is = |name, own: &str| asked.get(name).is_none_or(|given| given == own);
    is_open && is("gate", &row.gate) && is("severity", &row.severity)
}

fn names() -> Vec<&'static str> {
    QUERY.iter().map(|param| param.name).filter(|name| *name != "page").collect()
}

fn filters(told: &Told, asked: &Asked) -> Markup {
    let chosen = |name, value: &str| asked.get(name).unwrap_or_default() == value;
    let of_projects = told.projects.iter().map(|one| (one.id.clone(), one.name.clone()));
    let of_gates = told.gates.iter().map(|(gate, _)| (gate.clone(), gate.clone()));
    let of_severities = told.severities.iter().map(|one| (one.clone(), one.clone()));
    let of_open = [("yes", "Open"), ("no", "Recovered")];
    let of_open = of_open.map(|(value, name)| (value.to_owned(), name.to_owned()));
    let all = [
        Choice::new("project", "Project", "All projects", of_projects.collect()),
        Choice::new("gate", "Gate", "All gates", of_gates.collect()),
        Choice::new("severity", "Severity", "Any", of_severities.collect()),
        Choice::new("open", "State", "Any", of_open.into()),
    ];
    html! {
        form.filters {
            @for Choice { name, label, any, options } in &all {
                span.field {
                    label for=(name) { (label) } " "
                    select id=(name) name=(name) {
                        option value="" { (any) }
                        @for (value, shown) in options {
                            option value=(value) selected[chosen(name, value)] { (text(shown)) }
                        }
                    }
                }
            }
            button type="submit" { "Show" }
        }
    }
}

/// Something that is chosen from a list.
struct Choice {
    name: &'static str,
    label: &'static str,
    /// What stands for no choice.
    any: &'static str,
    /// Values, and how they are shown.
    options: Vec<(String, String)>,
}

impl Choice {
    fn new(
        name: &'static str,
        label: &'static str,
        any: &'static str,
        options: Vec<(String, String)>,
    ) -> Self {
        Self { name, label, any, options }
    }
}

fn totals(told: &Told, asked: &Asked) -> Markup {
    html! {
        p.lead {
            strong { (told.found) } " " @if told.found == 1 { "violation" } @else { "violations" }
            " · " strong { (told.open) } " open"
            @if told.older { " · of the last " (LOOKED_AT) }
        }
        @if told.gates.len() > 1 {
            p { "By gate: " @for (place, (gate, times)) in told.gates.iter().take(12).enumerate() {
                @if place > 0 { ", " }
                a href={ "/violations" (asked.query_with(&names(), "gate", Some(gate))) } { (code(gate)) } " " (times)
            } }
        }
    }
}

fn none(told: &Told, asked: &Asked) -> Markup {
    if !told.indexed {
        return nothing(
            "The index is not made yet.",
            html! { p { "It is made now; this page follows by itself." } },
        );
    }
    if names().iter().any(|name| asked.get(name).is_some()) || told.page > 1 {
        return nothing(
            "No violation is like that.",
            html! { p { a href="/violations" { "Show all" } } },
        );
    }
    nothing(
        "Nothing was missed.",
        html! { p { "A violation is a must-gate that was not met when its action happened all the same." } },
    )
}

fn item(missed: &Missed, parts: &Parts<'_>) -> Markup {
    let Missed { row, .. } = missed;
    let session =
        format!("/projects/{}/sessions/{}", segment(&missed.project), segment(&missed.session_id));
    let (tone, word) =
        if row.recovery.is_some() { (Tone::Good, "recovered") } else { (Tone::Bad, "open") };
    html! {
        li.row data-row id={ "v-" (row.session) "-" (row.seq) "-" (row.place) } {
            div.what {
                (mark(tone, word))
                a.title href=(session) data-open { (text(&row.gate)) }
                " " span.dim { "(" (text(&row.severity)) ")" }
                p { (text(&row.requirement)) }
                @if !row.reason.is_empty() { p.dim { (text(&row.reason)) } }
                @if let Some(recovery) = &row.recovery {
                    p { "Recovered" @if let Some(time) = row.recovered_at { " " (parts.ago(time)) } ": " (text(recovery)) }
                }
                @if let Some(conversation) = &row.conversation {
                    p.dim { "by " a href={ "/conversations/" (segment(conversation)) } { "conversation " (text(&conversation.chars().take(8).collect::<String>())) } }
                }
            }
            div.where {
                span { (text(&missed.project_name)) }
                span { (text(missed.objective.as_deref().unwrap_or(&missed.session_id))) }
                @if let Some(time) = row.time { (parts.ago(time)) }
            }
        }
    }
}

fn turning(told: &Told, asked: &Asked) -> Markup {
    let mut all = names();
    all.push("page");
    let at = |page: u32| {
        let page = (page > 1).then(|| page.to_string());
        format!("/violations{}", asked.query_with(&all, "page", page.as_deref()))
    };
    let pages = told.found.div_ceil(ON_PAGE);
    html! {
        @if pages > 1 {
            nav.turning aria-label="Pages" {
                @if told.page > 1 { a href=(at(told.page - 1)) rel="prev" { "← Newer" } }
                span.dim { "page " (told.page) " of " (pages) ", " (count(told.found, "violation")) }
                @if told.more { a href=(at(told.page + 1)) rel="next" { "Older →" } }
            }
        }
    }
}
