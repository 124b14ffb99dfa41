//! A project: what goes on in it, its sessions as lanes with a cell for each phase, its gates.

mod choice;
mod gates;
mod lanes;

use maud::{Markup, html};
use serde::Serialize;
use waypost_app::desk::Desk;
use waypost_app::error::AppError;
use waypost_app::view::View;
use waypost_core::tables::{Cell, ProjectRow};

use super::projects::{Listed, cost, counts};
use super::{Page, Param, Sheet};
use crate::actions::forms;
use crate::asked::{Asked, query};
use crate::parts::{Parts, code, nothing, text};
use choice::{Choice, Choices};
use gates::GatesTold;
use lanes::Lane;

pub(super) use choice::status;
pub(super) use lanes::address;

/// What can be asked for, as names of its query.
const QUERY: [&str; 7] = ["q", "status", "branch", "workflow", "kind", "page", "act"];

pub(super) struct Project;

/// What there is to tell of a project.
#[derive(Debug, Serialize)]
pub(super) struct Told {
    #[serde(flatten)]
    project: Listed,
    /// The session that new conversations in its main work tree join.
    current: Option<Current>,
    /// What can be chosen among its sessions, and how many there are of each.
    choices: Choices,
    /// The sessions that fit, the latest first.
    sessions: Vec<Lane>,
    /// How many fit.
    fit: u64,
    /// Which page of them this is, from 1.
    page: u32,
    /// How many pages there are.
    pages: u32,
    /// The gates in force, and what is wrong with them.
    gates: GatesTold,
    /// Whether there is an index yet.
    indexed: bool,
}

/// The session that is current.
#[derive(Debug, Serialize)]
struct Current {
    session_id: String,
    objective: Option<String>,
}

impl Page for Project {
    type Told = Told;
    const NAME: &'static str = "project";
    const PATH: &'static str = "/projects/{project}";
    const ABOUT: &'static str = "A project, its sessions by phase, and its gates";
    const QUERY: &'static [Param] = &[
        Param { name: "q", about: "Only sessions with these words in id, objective or branch" },
        Param {
            name: "status",
            about: "Only sessions that are active, paused, completed, failed, abandoned or archived",
        },
        Param { name: "branch", about: "Only sessions of this branch" },
        Param { name: "workflow", about: "Only sessions that follow this workflow" },
        Param {
            name: "kind",
            about: "Only sessions that are kept so: live, copy, legacy, unverified, damaged or newer",
        },
        Param { name: "page", about: "Which page, from 1" },
        Param { name: "act", about: "The session whose actions are shown" },
    ];

    fn look(&self, desk: &Desk, asked: &Asked) -> Result<Told, AppError> {
        let listed = desk.project(asked.needed("project")?)?;
        let view = desk.view(&listed)?;
        let choice = Choice::of(asked)?;
        let rows = desk.rows()?;
        let known = match &rows {
            Some(rows) => rows.one::<ProjectRow>("id", Cell::Text(listed.id.clone()))?,
            None => None,
        };
        let (rows, project) = match (rows, known) {
            (Some(rows), Some(known)) => {
                let project = Listed::of(desk, &rows, &known)?;
                (Some(rows), project)
            }
            _ => (None, Listed::unread(desk, &listed)),
        };
        let found = match &rows {
            Some(rows) => choice.found(rows, &listed.id, desk.host.moment())?,
            None => choice::Found::default(),
        };
        let lane = |row| Lane::of(&view, row);
        Ok(Told {
            current: current(&view),
            choices: match &rows {
                Some(rows) => Choices::of(rows, &listed.id, desk.host.moment())?,
                None => Choices::default(),
            },
            sessions: found.sessions.into_iter().map(lane).collect(),
            fit: found.fit,
            page: choice.page,
            pages: found.pages,
            gates: GatesTold::of(&view),
            indexed: rows.is_some(),
            project,
        })
    }

    fn show(&self, told: &Told, asked: &Asked, parts: &Parts<'_>) -> Sheet {
        let body = html! {
            div.pj {
            (overview(told, asked, parts))
            (choice::filters(&told.choices, asked))
            (lanes::list(told, asked, parts))
            (gates::section(&told.gates, &told.project.id))
            }
        };
        let crumbs = [("Inbox", "/"), ("Projects", "/projects")];
        let crumbs = crumbs.map(|(name, address)| (name.to_owned(), address.to_owned())).to_vec();
        Sheet { title: told.project.name.clone(), crumbs, body }
    }
}

fn current(view: &View<'_>) -> Option<Current> {
    let session = view.current().ok().flatten()?;
    let objective = view.glance(&session).ok().and_then(|state| state.objective.clone());
    Some(Current { session_id: session.to_string(), objective })
}

fn overview(told: &Told, asked: &Asked, parts: &Parts<'_>) -> Markup {
    let project = &told.project;
    let back = here(&project.address(), asked, "act", None);
    let of = query(&[("project", &project.id)]);
    html! {
        p.counts { (counts(project)) }
        p.facts {
            span { (code(&project.folder)) }
            @if let Some(branch) = &project.branch { span { "on " (code(branch)) } }
            @if project.cost.tokens > 0 { span { (cost(&project.cost)) } }
            @if let Some(last) = project.last { span { (parts.ago(last)) } }
        }
        div.bar {
            a href={ "/gates" (of) } { "Gates matrix" }
            a href={ "/violations" (of) } { "Violations" }
            a href={ "/cost" (of) } { "Cost" }
            form method="post" action="/do/scan" {
                (parts.carried())
                input type="hidden" name="back" value=(back);
                button type="submit" { "Read it again" }
            }
        }
        @match &told.current {
            Some(current) => div.chosen {
                p {
                    "New conversations join "
                    a href=(lanes::address(&project.id, &current.session_id)) {
                        (text(current.objective.as_deref().unwrap_or(&current.session_id)))
                    }
                    "."
                }
                (forms::none_current(&project.id, None, &back, parts))
            },
            None => p.dim { "No session is current: each new conversation gets one of its own." },
        }
        @if !told.indexed {
            (nothing("This project is being read.", html! { p { "Its sessions appear here as soon as that is done." } }))
        }
    }
}

/// The same page with another value in its query.
fn here(address: &str, asked: &Asked, name: &str, value: Option<&str>) -> String {
    format!("{address}{}", asked.query_with(&QUERY, name, value))
}
