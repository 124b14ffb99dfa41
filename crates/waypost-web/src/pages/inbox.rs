//! What waits for a person, oldest first, and what is to be done about each.

use maud::{Markup, html};
use serde::Serialize;
use waypost_app::desk::Desk;
use waypost_app::error::AppError;
use waypost_app::view::View;
use waypost_app::watch::{CostToday, Group, Totals, WatchRow, WatchState};

use super::{Page, Param, Sheet};
use crate::asked::{Asked, segment};
use crate::offers::{self, Offered, Place, approval};
use crate::parts::{Parts, Tone, code, mark, nothing, text, usd};

/// How many things are shown. Whoever has more sees to these first.
const MOST: usize = 100;

pub(super) struct Inbox;

/// What waits.
#[derive(Debug, Serialize)]
pub(super) struct Told {
    totals: Totals,
    waiting: Vec<Waiting>,
    cost_today: Option<CostToday>,
    projects: usize,
    /// Whether it was looked yet.
    looked: bool,
}

/// Something that waits for a person.
#[derive(Debug, Serialize)]
struct Waiting {
    #[serde(flatten)]
    row: WatchRow,
    /// What could be approved.
    offers: Vec<Offered>,
}

impl Page for Inbox {
    type Told = Told;
    const NAME: &'static str = "inbox";
    const PATH: &'static str = "/";
    const ABOUT: &'static str = "What waits for a person, oldest first";
    const QUERY: &'static [Param] = &[];

    fn look(&self, desk: &Desk, _: &Asked) -> Result<Told, AppError> {
        let board = desk.board();
        let looked = board.is_some();
        let board = board.unwrap_or_default();
        let mut rows: Vec<&WatchRow> =
            board.rows.iter().filter(|row| row.group == Group::NeedsYou).collect();
        rows.sort_by_key(|row| row.since);
        rows.truncate(MOST);
        let waiting =
            rows.into_iter().map(|row| Waiting { offers: offered(desk, row), row: row.clone() });
        Ok(Told {
            totals: board.totals,
            waiting: waiting.collect(),
            cost_today: desk.cost_today(),
            projects: board.projects,
            looked,
        })
    }

    fn show(&self, told: &Told, _: &Asked, parts: &Parts<'_>) -> Sheet {
        let body = html! {
            (summary(told))
            @if told.waiting.is_empty() { (all_quiet(told)) }
            ol.rows {
                @for waiting in &told.waiting { (item(waiting, parts)) }
            }
        };
        Sheet { title: "Inbox".to_owned(), crumbs: Vec::new(), body }
    }
}

/// What could be approved in a row's session. What cannot be looked at now is told by the row itself.
fn offered(desk: &Desk, row: &WatchRow) -> Vec<Offered> {
    let is_held =
        matches!(row.state, WatchState::Approval | WatchState::Held | WatchState::Unproven);
    let (Some(session), Some(project), true) = (&row.session_id, &row.project_id, is_held) else {
        return Vec::new();
    };
    let look = || {
        let listed = desk.project(project)?;
        let tree = row.worktree.as_deref().unwrap_or_default();
        let project = listed.project.work_tree(tree).unwrap_or(listed.project);
        let view = View::with(&desk.host, project, desk.ring()?);
        Ok::<_, AppError>(offers::offered(&view, session, &row.gates))
    };
    let mut offered = look().unwrap_or_default();
    // The others wait for nobody now.
    offered.retain(|offered| offered.offer.asked);
    offered
}

fn summary(told: &Told) -> Markup {
    let Totals { working, open, done, .. } = told.totals;
    html! {
        p.lead {
            span { strong { (working) } " at work" } " · "
            span { strong { (open) } " open" } " · "
            span { strong { (done) } " done today" }
            @if let Some(cost) = &told.cost_today { " · " span { strong { (usd(cost.usd)) } " today" } }
        }
    }
}

fn all_quiet(told: &Told) -> Markup {
    if !told.looked {
        let next = html! { p { "What waits for you appears here in a moment." } };
        return nothing("Looking at your projects.", next);
    }
    if told.projects == 0 {
        let next = html! {
            p { "In the folder of a project, run " (code("waypost init")) ": it registers the hooks that let Waypost see what agents do." }
            p { "Projects that are set up already are found with " (code("waypost onboard DIR")) "." }
        };
        return nothing("There is no project yet.", next);
    }
    nothing("Nothing waits for you.", html! { p { "Whatever does appears here by itself." } })
}

fn item(waiting: &Waiting, parts: &Parts<'_>) -> Markup {
    let row = &waiting.row;
    let open = address(row);
    html! {
        li.row data-row id=[row.session_id.as_ref().map(|id| format!("w-{id}"))] {
            div.what {
                (mark(tone(row.state), row.state.word()))
                a.title href=[open.as_deref()] data-open {
                    (text(row.objective.as_deref().unwrap_or(&row.project)))
                }
                p { (text(&row.text)) }
                @for also in &row.also { p.dim { (text(also)) } }
                @for (at, offered) in waiting.offers.iter().enumerate() {
                    (approval(offered, place(row), parts, at == 0))
                }
            }
            div.where {
                span { (text(&row.project)) }
                @if let Some(branch) = &row.branch { (code(branch)) }
                @if let Some(since) = row.since { (parts.ago(since)) }
            }
        }
    }
}

fn place(row: &WatchRow) -> Place<'_> {
    Place {
        project: row.project_id.as_deref().unwrap_or_default(),
        worktree: row.worktree.as_deref().unwrap_or_default(),
        back: "/",
    }
}

pub(in crate::pages) fn tone(state: WatchState) -> Tone {
    match state {
        WatchState::Damaged | WatchState::Unenforced | WatchState::Unproven => Tone::Bad,
        WatchState::Question
        | WatchState::Approval
        | WatchState::Handoff
        | WatchState::Held
        | WatchState::Diverged
        | WatchState::Unverified
        | WatchState::Config
        | WatchState::Budget => Tone::Warn,
        WatchState::Working => Tone::Busy,
        WatchState::Done => Tone::Good,
        WatchState::Waiting | WatchState::Resting => Tone::Calm,
    }
}

fn address(row: &WatchRow) -> Option<String> {
    let project = segment(row.project_id.as_deref()?);
    Some(match &row.session_id {
        Some(session) => format!("/projects/{project}/sessions/{}", segment(session.as_str())),
        None => format!("/projects/{project}"),
    })
}
