//! All projects of this machine: what goes on in each, when something last happened, what it cost.

mod add;

use maud::{Markup, html};
use serde::Serialize;
use waypost_app::desk::Desk;
use waypost_app::error::AppError;
use waypost_app::index::{Ask, Failed, ListedProject, Rows};
use waypost_app::machine::project;
use waypost_app::watch::Totals;
use waypost_core::tables::{Cell, ProjectRow, SessionRow};
use waypost_core::text::spoken::count;
use waypost_core::time::Timestamp;
use waypost_core::usage::Usage;

use super::{Page, Param, Sheet};
use crate::asked::{Asked, segment};
use crate::parts::{Parts, Tone, code, many, mark, nothing, text, usd};

pub(super) use add::Add;

/// How much of what could not be read is told.
const MOST_FAILED: usize = 50;
/// The columns that tell what sessions cost.
const COST: [&str; 3] = ["nano_usd", "priced", "unpriced"];

pub(super) struct Projects;

/// What there is to tell of all projects.
#[derive(Debug, Serialize)]
pub(super) struct Told {
    /// Those that people look at.
    projects: Vec<Listed>,
    /// Those that were put away.
    archived: Vec<Listed>,
    /// Whether there is an index yet.
    indexed: bool,
    /// What could not be read.
    failed: Vec<Failed>,
    /// How many more of that there are.
    more_failed: usize,
}

/// What there is to tell of one.
#[derive(Debug, Serialize)]
pub(super) struct Listed {
    /// Its id.
    pub(super) id: String,
    /// What people call it.
    pub(super) name: String,
    /// Its folder.
    pub(super) folder: String,
    /// Whether it is there.
    pub(super) present: bool,
    /// Whether it was put away.
    pub(super) archived: bool,
    /// The branch that is checked out.
    pub(super) branch: Option<String>,
    /// What goes on in it now.
    pub(super) totals: Totals,
    /// How many sessions it has.
    pub(super) sessions: u64,
    /// When something last happened.
    pub(super) last: Option<Timestamp>,
    /// What it cost, as far as it was counted.
    pub(super) cost: Cost,
}

/// What something cost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct Cost {
    /// In US dollars, as far as prices are known; none where no price is.
    pub(super) usd: Option<f64>,
    /// The tokens.
    pub(super) tokens: u64,
    /// How many of them have no known price.
    pub(super) unpriced: u64,
}

impl Cost {
    pub(super) fn of(usage: &Usage) -> Self {
        let tokens = usage.priced.saturating_add(usage.unpriced);
        Self { usd: usage.usd().filter(|_| tokens > 0), tokens, unpriced: usage.unpriced }
    }
}

impl Page for Projects {
    type Told = Told;
    const NAME: &'static str = "projects";
    const PATH: &'static str = "/projects";
    const ABOUT: &'static str = "All projects, with what goes on in each and what it cost";
    const QUERY: &'static [Param] = &[];

    fn look(&self, desk: &Desk, _: &Asked) -> Result<Told, AppError> {
        let rows = desk.rows()?;
        let known = rows.as_ref().map(|rows| rows.projects()).transpose()?.unwrap_or_default();
        let mut listed = Vec::new();
        if let Some(rows) = &rows {
            for project in &known {
                listed.push(Listed::of(desk, rows, project)?);
            }
        }
        listed.sort_by(|one, other| other.last.cmp(&one.last).then(one.name.cmp(&other.name)));
        let (archived, projects) = listed.into_iter().partition(|project| project.archived);
        let mut failed = desk.scanned().failed;
        let more_failed = failed.len().saturating_sub(MOST_FAILED);
        failed.truncate(MOST_FAILED);
        Ok(Told { projects, archived, indexed: rows.is_some(), failed, more_failed })
    }

    fn show(&self, told: &Told, _: &Asked, parts: &Parts<'_>) -> Sheet {
        let body = html! {
            div.pj {
            div.bar {
                a.button href="/projects/add" { "Add a project" }
                form method="post" action="/do/scan" {
                    (parts.carried())
                    input type="hidden" name="back" value="/projects";
                    button type="submit" { "Read everything again" }
                }
            }
            @if !told.indexed {
                (nothing("The index is being made.", html! { p { "Projects appear here as soon as it is read; this page shows them by itself." } }))
            } @else if told.projects.is_empty() {
                (nothing("There is no project yet.", html! {
                    p { "In the folder of a project, run " (code("waypost init")) ", or " a href="/projects/add" { "add one" } " that has sessions already." }
                }))
            }
            ol.rows.projects { @for project in &told.projects { (row(project, parts)) } }
            @if !told.archived.is_empty() {
                details.away data-keep="away" {
                    summary { (count(told.archived.len(), "project")) " put away" }
                    ol.rows.projects { @for project in &told.archived { (row(project, parts)) } }
                }
            }
            (unread(told))
            }
        };
        let crumbs = vec![("Inbox".to_owned(), "/".to_owned())];
        Sheet { title: "Projects".to_owned(), crumbs, body }
    }
}

impl Listed {
    pub(super) fn of(desk: &Desk, rows: &Rows, project: &ProjectRow) -> Result<Self, AppError> {
        let ProjectRow { id, name, working_dir, present, archived, .. } = project.clone();
        let with = [("project", Cell::Text(id.clone()))];
        let ask = Ask { with: &with, ..Ask::default() };
        let sums = rows.sums::<SessionRow>(ask, None, &COST)?.pop();
        let newest = Ask { by: Some(("updated_at", true)), most: Some(1), ..ask };
        let last = rows.of::<SessionRow>(newest)?.pop().and_then(|row| row.updated_at);
        let sum = |place: usize| {
            let sum = sums.as_ref().and_then(|sums| sums.sums.get(place)).copied();
            sum.unwrap_or_default().unsigned_abs()
        };
        let usage =
            Usage { nano_usd: sum(0), priced: sum(1), unpriced: sum(2), ..Usage::default() };
        let branch = || project::find_or_here(working_dir.as_ref()).ok()?.branch();
        Ok(Self {
            branch: if present { branch() } else { None },
            totals: desk.board().map(|board| board.totals_in(&id)).unwrap_or_default(),
            sessions: sums.as_ref().map_or(0, |sums| sums.rows),
            last,
            cost: Cost::of(&usage),
            id,
            name,
            folder: working_dir,
            present,
            archived,
        })
    }

    /// What is known of one that no index tells of yet.
    pub(super) fn unread(desk: &Desk, listed: &ListedProject) -> Self {
        Self {
            id: listed.id.clone(),
            name: listed.name.clone(),
            folder: listed.project.root.to_string_lossy().into_owned(),
            present: true,
            archived: false,
            branch: listed.project.branch(),
            totals: desk.board().map(|board| board.totals_in(&listed.id)).unwrap_or_default(),
            sessions: 0,
            last: None,
            cost: Cost::of(&Usage::default()),
        }
    }

    pub(super) fn address(&self) -> String {
        format!("/projects/{}", segment(&self.id))
    }
}

fn row(project: &Listed, parts: &Parts<'_>) -> Markup {
    html! {
        li.row data-row id={ "p-" (project.id) } {
            div.what {
                a.title href=(project.address()) data-open { (text(&project.name)) }
                p.counts { (counts(project)) }
                p.dim { (code(&project.folder)) }
                (deeds(project, parts))
            }
            div.where {
                @if let Some(branch) = &project.branch { (code(branch)) }
                span { (count(project.sessions, "session")) }
                (cost(&project.cost))
                @if let Some(last) = project.last { (parts.ago(last)) }
            }
        }
    }
}

/// What goes on in a project, in words, and nothing of what does not.
pub(super) fn counts(project: &Listed) -> Markup {
    let Totals { needs_you, working, held, done, unenforced, open } = project.totals;
    let all = [
        (needs_you, Tone::Warn, "needs you", "need you"),
        (held, Tone::Warn, "held", "held"),
        (unenforced, Tone::Bad, "unenforced", "unenforced"),
        (working, Tone::Busy, "at work", "at work"),
        (open, Tone::Calm, "open", "open"),
        (done, Tone::Good, "done today", "done today"),
    ];
    let is_quiet = all.iter().all(|(number, ..)| *number == 0);
    html! {
        @if !project.present { (mark(Tone::Bad, "not there any more")) }
        @else if is_quiet { span.dim { "nothing goes on" } }
        @for (number, tone, one, several) in all {
            @if number > 0 { (mark(tone, &format!("{number} {}", if number == 1 { one } else { several }))) }
        }
    }
}

/// What something cost: a sum that is not all of it says so.
pub(super) fn cost(cost: &Cost) -> Markup {
    let Cost { usd: known, tokens, unpriced } = *cost;
    let told = format!("{} tokens", many(tokens));
    html! {
        @match known {
            _ if tokens == 0 => {}
            Some(known) if unpriced > 0 => span.cost title={ (told) ", the price of some is unknown" } { (usd(known)) "+" },
            Some(known) => span.cost title=(told) { (usd(known)) },
            None => span.cost title="price unknown" { (told) ", price unknown" },
        }
    }
}

fn deeds(project: &Listed, parts: &Parts<'_>) -> Markup {
    let (action, word) =
        if project.archived { ("take_out", "Take it out") } else { ("put_away", "Put it away") };
    html! {
        details.deeds-of data-keep={ "deeds-" (project.id) } {
            summary { "Rename, " (word.to_lowercase().replace(" it", "")) }
            div.deeds {
                form.deed method="post" action="/do/rename" {
                    (parts.carried())
                    input type="hidden" name="project" value=(project.id);
                    input type="hidden" name="back" value="/projects";
                    label { "Name" input name="name" value=(project.name) maxlength="200"; }
                    button type="submit" { "Rename" }
                    span.dim { "Without a name it is called as its folder." }
                }
                form.deed method="post" action={ "/do/" (action) } {
                    (parts.carried())
                    input type="hidden" name="project" value=(project.id);
                    input type="hidden" name="back" value="/projects";
                    button type="submit" { (word) }
                    @if !project.archived { span.dim { "It is looked at no more. Nothing of it is lost." } }
                }
            }
        }
    }
}

fn unread(told: &Told) -> Markup {
    let all = told.failed.len() + told.more_failed;
    html! {
        @if all > 0 {
            details.unread data-keep="unread" {
                summary { (count(all, "thing")) " could not be read" }
                (failures(&told.failed))
                @if told.more_failed > 0 { p.dim { "and " (told.more_failed) " more" } }
            }
        }
    }
}

/// What could not be read, and why.
pub(super) fn failures(failed: &[Failed]) -> Markup {
    html! {
        ul.failures {
            @for failed in failed { li { (code(&failed.what)) " " (text(&failed.why)) } }
        }
    }
}
