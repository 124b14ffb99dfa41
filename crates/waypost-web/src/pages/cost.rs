//! What was used and what that cost: the figures of `waypost cost`, as of when they were last counted.

mod bars;
mod shown;

use std::cmp::Reverse;
use std::path::Path;

use serde::Serialize;
use waypost_app::cost::{By, Row};
use waypost_app::desk::{AskedCost, Budget, Desk};
use waypost_app::error::AppError;
use waypost_app::index::ListedProject;
use waypost_core::cost::Told as Tokens;
use waypost_core::tables::{Cell, SessionRow};
use waypost_core::time::Timestamp;

use super::{Page, Param, Sheet};
use crate::asked::{Asked, moment, segment};
use crate::parts::Parts;

/// How many rows are shown at once.
const ROWS: usize = 60;
/// From when on, where nobody says.
const SINCE: &str = "30d";
/// All that there is.
const EVER: &str = "all";
/// What can be asked for here. The others say more of one project than of all.
const BYS: [By; 9] = [
    By::Day,
    By::Week,
    By::Month,
    By::Block,
    By::Model,
    By::Project,
    By::Session,
    By::Phase,
    By::Agent,
];

pub(super) struct Cost;

/// What was used and what that cost.
#[derive(Debug, Serialize)]
pub(super) struct Told {
    by: &'static str,
    since: String,
    until: Option<String>,
    /// The project that it is about; none: all of them.
    project: Option<Project>,
    /// As of when; none before it was counted once.
    as_of: Option<Timestamp>,
    /// Whether it is being counted just now.
    counting: bool,
    #[serde(flatten)]
    found: Option<Found>,
    /// The open sessions that may use only so much.
    budgets: Vec<Budget>,
    #[serde(skip)]
    projects: Vec<Project>,
}

/// A project.
#[derive(Debug, Clone, Serialize)]
struct Project {
    id: String,
    name: String,
}

#[derive(Debug, Serialize)]
struct Found {
    total_usd: f64,
    tokens: Tokens,
    unpriced_tokens: u64,
    unknown_models: Vec<String>,
    prices_as_of: Option<String>,
    messages: u64,
    unreadable: u64,
    /// So many of the rows.
    rows: Vec<Named>,
    page: u32,
    pages: u32,
    /// The block of hours that is not over yet.
    running: Option<Row>,
    #[serde(skip)]
    bars: bars::Bars,
}

/// A row, and what people call what it is about.
#[derive(Debug, Serialize)]
struct Named {
    #[serde(flatten)]
    row: Row,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
}

impl Page for Cost {
    type Told = Told;
    const NAME: &'static str = "cost";
    const PATH: &'static str = "/cost";
    const ABOUT: &'static str = "What conversations used, and what that cost";
    const QUERY: &'static [Param] = &[
        Param {
            name: "by",
            about: "What it is summed up by: day (as it is), week, month, block, model, project, session, conversation, phase, checkpoint or agent",
        },
        Param {
            name: "since",
            about: "From when on: a day, a time, how long ago (30d, as it is), or all",
        },
        Param { name: "until", about: "Until when: a day, which counts, a time, or how long ago" },
        Param { name: "project", about: "The id of a project, whose prices hold" },
        Param { name: "page", about: "Which part of the rows, from 1" },
    ];

    fn look(&self, desk: &Desk, asked: &Asked) -> Result<Told, AppError> {
        let by = by(asked)?;
        let since = asked.get("since").unwrap_or(SINCE);
        let listed = asked.get("project").map(|id| desk.project(id)).transpose()?;
        let question = AskedCost {
            root: listed.as_ref().map(|listed| listed.project.root.clone()),
            by,
            since: if since == EVER { None } else { Some(moment("since", since)?) },
            until: asked.get("until").map(|until| moment("until", until)).transpose()?,
        };
        let answer = desk.cost(&question);
        let projects = desk.projects()?;
        let page = asked.page()?;
        let find = |cost: &waypost_app::cost::Cost| found(desk, &projects, by, cost, page);
        let found = answer.value.as_deref().map(find).transpose()?;
        let budgets = desk.budgets().value.map(|all| all.to_vec()).unwrap_or_default();
        let is_wanted =
            |budget: &Budget| listed.as_ref().is_none_or(|one| one.id == budget.project_id);
        Ok(Told {
            by: by.name(),
            since: since.to_owned(),
            until: asked.get("until").map(str::to_owned),
            project: listed.as_ref().map(Project::of),
            as_of: answer.as_of,
            counting: answer.running,
            found,
            budgets: budgets.into_iter().filter(is_wanted).collect(),
            projects: projects.iter().map(Project::of).collect(),
        })
    }

    fn show(&self, told: &Told, asked: &Asked, parts: &Parts<'_>) -> Sheet {
        Sheet {
            title: "Cost".to_owned(),
            crumbs: Vec::new(),
            body: shown::body(told, asked, parts),
        }
    }
}

impl Project {
    fn of(listed: &ListedProject) -> Self {
        Self { id: listed.id.clone(), name: listed.name.clone() }
    }
}

fn by(asked: &Asked) -> Result<By, AppError> {
    let name = asked.get("by").unwrap_or("day");
    By::named(name).ok_or_else(|| {
        let all = By::ALL.map(By::name).join(", ");
        AppError::configuration(format!("`by` is none of {all}: {name}"))
    })
}

fn found(
    desk: &Desk,
    projects: &[ListedProject],
    by: By,
    cost: &waypost_app::cost::Cost,
    page: u32,
) -> Result<Found, AppError> {
    let mut rows: Vec<&Row> = cost.rows.iter().collect();
    if by.is_time() {
        rows.reverse();
    } else {
        let tokens = |row: &Row| row.tokens.input + row.tokens.output + row.tokens.cache_read;
        rows.sort_by_key(|row| {
            (Reverse(row.usd.unwrap_or_default().to_bits()), Reverse(tokens(row)), row.key.clone())
        });
    }
    let pages = u32::try_from(rows.len().div_ceil(ROWS)).unwrap_or(u32::MAX).max(1);
    let page = page.min(pages);
    let from = (page as usize - 1) * ROWS;
    let named = rows.iter().skip(from).take(ROWS).map(|row| named(desk, projects, by, row));
    let named = named.collect::<Result<Vec<Named>, AppError>>()?;
    let running = cost.rows.iter().find(|row| row.block.as_ref().is_some_and(|of| of.running));
    Ok(Found {
        total_usd: cost.total_usd,
        tokens: cost.tokens,
        unpriced_tokens: cost.unpriced_tokens,
        unknown_models: cost.unknown_models.clone(),
        prices_as_of: cost.prices_as_of.clone(),
        messages: cost.messages,
        unreadable: cost.unreadable,
        bars: bars::Bars::of(by, cost, &rows, |row| named_by(projects, by, &row.key)),
        rows: named,
        page,
        pages,
        running: running.cloned(),
    })
}

/// What people call a row's project, where it is one's.
fn named_by(projects: &[ListedProject], by: By, key: &str) -> Option<String> {
    of_root(projects, by, key).map(|listed| listed.name.clone())
}

fn of_root<'p>(projects: &'p [ListedProject], by: By, key: &str) -> Option<&'p ListedProject> {
    let is_it = |listed: &&ListedProject| listed.project.root == Path::new(key);
    projects.iter().find(is_it).filter(|_| by == By::Project)
}

fn named(desk: &Desk, projects: &[ListedProject], by: By, row: &Row) -> Result<Named, AppError> {
    let row = row.clone();
    if let Some(listed) = of_root(projects, by, &row.key) {
        let address = Some(format!("/projects/{}", segment(&listed.id)));
        return Ok(Named { row, name: Some(listed.name.clone()), address });
    }
    if by == By::Session
        && let Some(rows) = desk.rows()?
        && let Some(session) = rows.one::<SessionRow>("id", Cell::Text(row.key.clone()))?
    {
        let project = segment(&session.project);
        let address = Some(format!("/projects/{project}/sessions/{}", segment(&session.id)));
        return Ok(Named { row, name: session.objective, address });
    }
    Ok(Named { row, name: None, address: None })
}
