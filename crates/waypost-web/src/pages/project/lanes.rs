//! Sessions as lanes: a row for each, with a cell for each phase of its workflow that leads to that phase.

use maud::{Markup, html};
use serde::Serialize;
use waypost_app::view::View;
use waypost_core::id::SessionId;
use waypost_core::tables::{PhaseCell, PhaseStatus, SessionRow};
use waypost_core::text::spoken::count;
use waypost_core::time::Timestamp;

use super::choice::status;
use super::{Told, here};
use crate::actions::forms::{self, Subject};
use crate::asked::{Asked, query, segment};
use crate::pages::projects::{Cost, cost};
use crate::parts::{Parts, Tone, code, mark, nothing, text};

/// How many phases a lane shows; the session's own page shows all.
const MOST_CELLS: usize = 12;

/// A session in its lane.
#[derive(Debug, Serialize)]
pub(super) struct Lane {
    session_id: String,
    objective: Option<String>,
    lifecycle: String,
    kept: String,
    damage: Option<String>,
    workflow: String,
    phases: Vec<PhaseCell>,
    checkpoints: Option<u64>,
    checkpoints_completed: u64,
    attached: u64,
    violations: u64,
    branch: Option<String>,
    worktree: Option<String>,
    updated_at: Option<Timestamp>,
    version: u64,
    cost: Cost,
    current: bool,
}

impl Lane {
    pub(super) fn of(view: &View<'_>, row: SessionRow) -> Self {
        let id: Option<SessionId> = row.id.parse().ok();
        let chosen = view.project_state().ok();
        let chosen = chosen.as_ref().and_then(|state| state.current(row.worktree.as_deref()));
        let now = view.host.moment();
        // Somebody may be at work in silence: that is only known by looking.
        let looked = id
            .as_ref()
            .filter(|_| status(&row, now) == "abandoned" && row.attached > 0 && row.kept == "live");
        let seen = looked.and_then(|id| Some(view.lifecycle(&*view.glance(id).ok()?).to_string()));
        Self {
            lifecycle: seen.unwrap_or_else(|| status(&row, now).to_owned()),
            phases: row.phase_cells(),
            cost: Cost::of(&row.usage()),
            current: row.lifecycle == "active"
                && chosen.is_some_and(|chosen| Some(chosen) == id.as_ref()),
            session_id: row.id,
            objective: row.objective,
            kept: row.kept,
            damage: row.damage,
            workflow: row.workflow,
            checkpoints: row.checkpoints,
            checkpoints_completed: row.checkpoints_completed,
            attached: row.attached,
            violations: row.violations,
            branch: row.branch,
            worktree: row.worktree,
            updated_at: row.updated_at,
            version: row.version,
        }
    }
}

/// The address of a session's page.
pub(in crate::pages) fn address(project: &str, session: &str) -> String {
    format!("/projects/{}/sessions/{}", segment(project), segment(session))
}

/// The sessions of a page, and the ways to the others.
pub(super) fn list(told: &Told, asked: &Asked, parts: &Parts<'_>) -> Markup {
    html! {
        @if told.sessions.is_empty() && told.indexed { (none(told, asked)) }
        ol.rows.lanes { @for lane in &told.sessions { (row(lane, told, asked, parts)) } }
        (pages(told, asked))
    }
}

fn none(told: &Told, asked: &Asked) -> Markup {
    let is_chosen = ["q", "status", "branch", "workflow", "kind", "page"];
    if is_chosen.iter().any(|name| asked.get(name).is_some()) {
        return nothing("No session fits.", html! { p { a href="?" { "Show all sessions" } } });
    }
    let folder = &told.project.folder;
    nothing(
        "There is no session yet.",
        html! {
            p { "Start an agent in " (code(folder)) ": its conversation appears here. Or begin one with " (code("waypost start --objective \"…\"")) "." }
        },
    )
}

fn row(lane: &Lane, told: &Told, asked: &Asked, parts: &Parts<'_>) -> Markup {
    let (project, id) = (&told.project.id, &lane.session_id);
    let address = address(project, id);
    html! {
        li.lane data-row id={ "s-" (id) } {
            div.what {
                a.title href=(address) data-open { (text(lane.objective.as_deref().unwrap_or(id))) }
                p.facts {
                    (mark(tone(&lane.lifecycle), &lane.lifecycle))
                    @if lane.current { span.tag { "current" } }
                    (kept(lane))
                    @if lane.attached > 0 { span { (count(lane.attached, "agent")) " attached" } }
                    @if lane.violations > 0 { (mark(Tone::Bad, &count(lane.violations, "violation"))) }
                    @if let Some(branch) = &lane.branch { (code(branch)) }
                    @if let Some(worktree) = &lane.worktree { span { "in " (code(worktree)) } }
                    @if lane.objective.is_some() { (code(id)) }
                }
                @if let Some(damage) = &lane.damage { p.damage { (text(damage)) } }
            }
            (cells(lane, &address))
            div.sums {
                @if let Some(all) = lane.checkpoints {
                    span title="checkpoints" { (lane.checkpoints_completed) "/" (all) " checkpoints" }
                }
                (cost(&lane.cost))
                @if let Some(at) = lane.updated_at { (parts.ago(at)) }
                (deeds(lane, told, asked))
            }
            @if asked.get("act") == Some(id) { (acts(lane, told, asked, parts)) }
        }
    }
}

fn cells(lane: &Lane, address: &str) -> Markup {
    let more = lane.phases.len().saturating_sub(MOST_CELLS);
    html! {
        @if lane.phases.is_empty() {
            p.cells.dim { "no workflow" }
        } @else {
            ol.cells aria-label={ "Phases of " (lane.workflow) } {
                @for PhaseCell { phase, status } in lane.phases.iter().take(MOST_CELLS) {
                    li class=(status.word()) {
                        a href={ (address) (query(&[("phase", phase)])) } title={ (phase) ": " (status.word()) } aria-current=[(is_current(*status)).then_some("step")] {
                            span.phase { (text(phase)) }
                            span.status { (status.word()) }
                        }
                    }
                }
                @if more > 0 { li { a href=(address) { "+" (more) } } }
            }
        }
    }
}

fn is_current(status: PhaseStatus) -> bool {
    matches!(status, PhaseStatus::Current | PhaseStatus::Failed)
}

fn kept(lane: &Lane) -> Markup {
    let (tone, about) = match lane.kept.as_str() {
        "live" => return html! {},
        "copy" => (Tone::Calm, "published by another clone; resume takes it over"),
        "legacy" => (Tone::Calm, "of another program; resume converts it"),
        "unverified" => (Tone::Warn, "signed with a key that is not known here"),
        "newer" => (Tone::Warn, "a newer Waypost went on in it"),
        _ => (Tone::Bad, "it cannot be read to its end"),
    };
    html! { span title=(about) { (mark(tone, &lane.kept)) } }
}

fn tone(lifecycle: &str) -> Tone {
    match lifecycle {
        "active" => Tone::Busy,
        "completed" => Tone::Good,
        "failed" => Tone::Bad,
        "abandoned" => Tone::Warn,
        _ => Tone::Calm,
    }
}

/// What can be done to it is one more step away: forms in every row would be in everybody's way.
fn deeds(lane: &Lane, told: &Told, asked: &Asked) -> Markup {
    let id = &lane.session_id;
    let is_open = asked.get("act") == Some(id);
    let to = here(&told.project.address(), asked, "act", (!is_open).then_some(id.as_str()));
    html! {
        a.act href={ (to) "#s-" (id) } aria-expanded=(is_open) {
            @if is_open { "Close" } @else { "Act" }
            span.unseen { " on " (lane.objective.as_deref().unwrap_or(id)) }
        }
    }
}

fn acts(lane: &Lane, told: &Told, asked: &Asked, parts: &Parts<'_>) -> Markup {
    let back = here(&told.project.address(), asked, "act", None);
    let subject = Subject {
        project: &told.project.id,
        worktree: lane.worktree.as_deref(),
        session: &lane.session_id,
        version: lane.version,
        lifecycle: &lane.lifecycle,
        kept: &lane.kept,
        current: lane.current,
        back: &back,
    };
    forms::session(&subject, parts)
}

fn pages(told: &Told, asked: &Asked) -> Markup {
    let Told { page, pages, fit, .. } = told;
    let to = |page: u32| here(&told.project.address(), asked, "page", Some(&page.to_string()));
    html! {
        @if *fit > 0 {
            nav.pages aria-label="Pages" {
                @if *page > 1 { a href=(to(page - 1)) rel="prev" { "← Newer" } }
                span.dim { (count(*fit, "session")) @if *pages > 1 { ", page " (page) " of " (pages) } }
                @if page < pages { a href=(to(page + 1)) rel="next" { "Older →" } }
            }
        }
    }
}
