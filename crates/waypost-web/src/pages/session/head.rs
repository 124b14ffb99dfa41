//! The head of a session's page: what it is for, where it is, what it took, what to do next, its phases at a glance.

use maud::{Markup, html};
use serde::Serialize;
use waypost_app::error::AppError;
use waypost_app::standing::glance::Stood;
use waypost_app::tracks::build::BuildProgress;
use waypost_app::view::copy::{Kept, LEGACY};
use waypost_core::course::{Passage, PhaseResult};
use waypost_core::gate::FindingStatus;
use waypost_core::id::SessionId;
use waypost_core::next_step::Voice;
use waypost_core::session::{Archive, Lifecycle, Pause};
use waypost_core::text::spoken::{count, long, short};
use waypost_core::time::Timestamp;

use super::seen::Seen;
use super::spoken;
use crate::actions::forms::{self, Subject};
use crate::asked::segment;
use crate::parts::{Parts, Tone, code, many, mark, text, usd};

/// What is told of a session wherever one looks.
#[derive(Debug, Serialize)]
pub(super) struct Head {
    pub(super) project: ToldProject,
    pub(super) session_id: SessionId,
    objective: Option<String>,
    pub(super) kept: Kept,
    /// What there is to say about how it is kept.
    remark: Option<String>,
    /// What leads out of it.
    way_out: Vec<String>,
    lifecycle: Lifecycle,
    workflow: String,
    phase: String,
    branch: Option<String>,
    pub(super) worktree: Option<String>,
    base_branch: Option<String>,
    started_at: Option<Timestamp>,
    updated_at: Option<Timestamp>,
    ended_at: Option<Timestamp>,
    version: u64,
    /// Whether new conversations of its work tree join it.
    current: bool,
    pause: Option<Pause>,
    archived: Option<Archive>,
    build: BuildProgress,
    violations: u64,
    cost: ToldCost,
    /// How often work was taken up again.
    resumed: u64,
    /// Where it comes from, if another program kept it before.
    imported: Option<String>,
    phases: Vec<Cell>,
    /// Where it stands; none where its gates cannot be asked.
    standing: Option<ToldStanding>,
    #[serde(skip)]
    pub(super) address: String,
}

#[derive(Debug, Serialize)]
pub(super) struct ToldProject {
    pub(super) id: String,
    name: String,
}

/// What it used so far, as far as it was counted.
#[derive(Debug, Serialize)]
struct ToldCost {
    usd: Option<f64>,
    tokens: u64,
    unpriced_tokens: u64,
}

/// A phase at a glance.
#[derive(Debug, Serialize)]
struct Cell {
    phase: String,
    result: PhaseResult,
    started: bool,
    current: bool,
    active_ms: i64,
    attempts: u32,
    skipped: Option<String>,
}

/// Where it stands.
#[derive(Debug, Default, Serialize)]
struct ToldStanding {
    next: Option<String>,
    /// The gates that are open.
    open: Vec<String>,
    gates: usize,
    remarks: Vec<String>,
    /// Why that cannot be told.
    problem: Option<String>,
}

impl Head {
    /// What can be done to it, folded away, and beside that taking it along.
    pub(super) fn deeds(&self, parts: &Parts<'_>) -> Markup {
        let lifecycle = self.lifecycle.to_string();
        // Whatever is not live is only a folder, and can be taken over.
        let kept = if self.kept == Kept::Live { "live" } else { "copy" };
        let subject = Subject {
            project: &self.project.id,
            worktree: self.worktree.as_deref(),
            session: self.session_id.as_str(),
            version: self.version,
            lifecycle: &lifecycle,
            kept,
            current: self.current,
            back: &self.address,
        };
        html! {
            div.toolbar {
                details #deeds { summary { @if self.kept == Kept::Live { "Pause, note, switch and so on" } @else { "Take it over" } } (forms::session(&subject, parts)) }
                @if self.kept == Kept::Live {
                    a href={ (self.address) "/export.html" } download { "Export as one page" }
                }
            }
        }
    }

    pub(super) fn of(seen: &Seen<'_>) -> Self {
        let (glance, state) = (&seen.glance, seen.state());
        let standing = seen.stood().map(|stood| ToldStanding::of(stood.as_deref()));
        let course = &glance.story.course;
        let current = course.current().filter(|_| course.completed_at.is_none());
        let current = current.map(|passage| passage.number);
        let phases = course.phases.iter().map(|passage| Cell::of(passage, current));
        Self {
            project: ToldProject { id: seen.listed.id.clone(), name: seen.listed.name.clone() },
            session_id: seen.id().clone(),
            objective: state.objective.clone(),
            kept: glance.kept,
            remark: glance.remark.clone(),
            way_out: glance.way_out.iter().map(|step| step.words(Voice::Person)).collect(),
            lifecycle: seen.view.lifecycle(state),
            workflow: state.workflow.clone(),
            phase: state.phase().to_owned(),
            branch: state.branch.clone(),
            worktree: state.worktree.clone(),
            base_branch: state.base_branch.clone(),
            started_at: state.started_at,
            updated_at: state.updated_at,
            ended_at: state.ended_at,
            version: state.version,
            current: seen.view.is_current(seen.id()),
            pause: state.pause.clone().filter(|_| state.lifecycle == Lifecycle::Paused),
            archived: state.archived.clone(),
            build: BuildProgress::of(&state.build),
            violations: state.violations,
            cost: ToldCost {
                usd: state.usage.usd().filter(|_| !state.usage.is_unused()),
                tokens: state.usage.tokens.all(),
                unpriced_tokens: state.usage.unpriced,
            },
            resumed: state.resumed,
            imported: state
                .imported
                .as_ref()
                .filter(|_| glance.kept != Kept::Legacy)
                .map(|imported| imported.format.clone()),
            phases: phases.collect(),
            standing,
            address: seen.address(),
        }
    }

    /// What people call it.
    pub(super) fn title(&self) -> &str {
        self.objective.as_deref().unwrap_or(self.session_id.as_str())
    }

    pub(super) fn crumbs(&self) -> Vec<(String, String)> {
        let project = format!("/projects/{}", segment(&self.project.id));
        vec![
            ("Inbox".to_owned(), "/".to_owned()),
            (self.project.name.clone(), project),
            (self.session_id.to_string(), self.address.clone()),
        ]
    }

    pub(super) fn show(&self, parts: &Parts<'_>) -> Markup {
        html! {
            (self.facts(parts))
            (self.kept())
            (self.rests(parts))
            @if let Some(standing) = &self.standing { (standing.show(self)) }
            (self.strip())
        }
    }

    fn facts(&self, parts: &Parts<'_>) -> Markup {
        html! {
            div.facts id="facts" {
                (mark(tone(self.lifecycle), &self.lifecycle.to_string()))
                @if self.workflow != "none" && !self.workflow.is_empty() {
                    span { "workflow " strong { (text(&self.workflow)) } ", in " strong { (text(&self.phase)) } }
                } @else { span { "no workflow" } }
                @if let Some(total) = self.build.checkpoints_total {
                    span { strong { (self.build.checkpoints_completed.len()) } " of " (count(total, "checkpoint")) }
                }
                @if let Some(branch) = &self.branch {
                    span { "on " (code(branch)) @if let Some(base) = &self.base_branch { " from " (code(base)) } }
                }
                @if let Some(tree) = &self.worktree { span { "work tree " (code(tree)) } }
                @if let Some(started) = self.started_at { span { "began " (parts.ago(started)) } }
                @match (self.ended_at, self.updated_at) {
                    (Some(ended), _) => span { "ended " (parts.ago(ended)) },
                    (None, Some(updated)) => span { "last event " (parts.ago(updated)) },
                    (None, None) => {}
                }
                (self.cost.show())
                @if self.resumed > 0 { span { "resumed " (count(self.resumed, "time")) } }
                @if self.violations > 0 {
                    a href={ (self.address) "?tab=violations" } { (mark(Tone::Bad, &count(self.violations, "violation"))) }
                }
                @if let Some(format) = &self.imported { span { "imported from " (code(format)) } }
            }
        }
    }

    /// Where it is kept otherwise than usual: what that means, and what to do.
    fn kept(&self) -> Markup {
        let (tone, word, means) = match self.kept {
            Kept::Live => return html! {},
            Kept::Copy => (
                Tone::Calm,
                "published copy",
                "Its records are here only as a published copy, which verifies.",
            ),
            Kept::Unverified => (
                Tone::Warn,
                "unverified",
                "Nobody here can vouch for it: its copy is signed with a key that is not known here.",
            ),
            Kept::Legacy => (Tone::Warn, "legacy", LEGACY),
            Kept::Damaged => (
                Tone::Bad,
                "damaged",
                "Its records cannot be read as a whole. What can be read is shown.",
            ),
            Kept::Newer => (
                Tone::Warn,
                "newer",
                "A newer Waypost wrote it. What this one understands is shown.",
            ),
        };
        html! {
            div.warning id="kept" role="status" {
                p { (mark(tone, word)) " " (means) }
                @if let Some(remark) = self.remark.as_ref().filter(|remark| *remark != means) { p { (text(remark)) } }
                @for step in &self.way_out { p { "Next: " (spoken(step)) } }
                @if self.kept == Kept::Unverified {
                    p { "Next: " (code(&format!("waypost trust copy {}", self.session_id))) " accepts exactly this, after you looked at it" }
                }
            }
        }
    }

    fn rests(&self, parts: &Parts<'_>) -> Markup {
        html! {
            @if let Some(pause) = &self.pause {
                div.note id="pause" {
                    p { (mark(Tone::Warn, "paused")) " " (parts.ago(pause.since)) ": " (text(&pause.reason)) }
                    @if let Some(context) = &pause.context { p.dim { (text(context)) } }
                }
            }
            @if let Some(archived) = &self.archived {
                div.note id="archived" { p { (mark(Tone::Calm, "archived")) " " (parts.ago(archived.since)) ": " (text(&archived.reason)) } }
            }
        }
    }

    /// The phases, a cell each: its result, how long it was worked on, and its share of all that time.
    fn strip(&self) -> Markup {
        let longest = self.phases.iter().map(|cell| cell.active_ms).max().unwrap_or(0).max(1);
        html! {
            @if !self.phases.is_empty() {
                ol.strip aria-label="Phases" {
                    @for cell in &self.phases {
                        @let (tone, word) = cell.mark();
                        li class=[cell.current.then_some("current")] {
                            a href=(phase_address(&self.address, &cell.phase)) {
                                span.name { (text(&cell.phase)) }
                                (mark(tone, word))
                                @if cell.started || cell.active_ms > 0 { span.dim { (briefly(cell.active_ms)) } }
                            }
                            (bar(cell.active_ms, longest))
                        }
                    }
                }
            }
        }
    }
}

/// A share as a bar. What it says stands beside it as a word.
pub(super) fn bar(part: i64, whole: i64) -> Markup {
    let share = part.max(0).saturating_mul(1000) / whole.max(1);
    html! {
        svg.bar width="100%" height="4" viewBox="0 0 1000 4" preserveAspectRatio="none" aria-hidden="true" {
            rect.all width="1000" height="4" {}
            rect.part width=(share.min(1000)) height="4" {}
        }
    }
}

impl ToldCost {
    fn show(&self) -> Markup {
        let more = if self.unpriced_tokens > 0 { "+" } else { "" };
        html! {
            @if let Some(amount) = self.usd { span { strong { (usd(amount)) (more) } } }
            @if self.tokens > 0 { span { (many(self.tokens)) " tokens" @if self.usd.is_none() { ", price unknown" } } }
        }
    }
}

impl Cell {
    fn of(passage: &Passage, current: Option<u64>) -> Self {
        Self {
            phase: passage.phase.clone(),
            result: passage.checkpoint,
            started: passage.started_at.is_some(),
            current: current == Some(passage.number),
            active_ms: passage.active_ms,
            attempts: passage.attempts,
            skipped: passage.skipped.clone(),
        }
    }

    fn mark(&self) -> (Tone, &'static str) {
        result(self.result, self.started, self.current)
    }
}

/// What became of a phase, in a word.
pub(super) fn result(result: PhaseResult, started: bool, current: bool) -> (Tone, &'static str) {
    match result {
        PhaseResult::Passed => (Tone::Good, "passed"),
        PhaseResult::Failed => (Tone::Bad, "failed"),
        PhaseResult::Skipped => (Tone::Calm, "skipped"),
        PhaseResult::Pending if current => (Tone::Busy, "now"),
        PhaseResult::Pending if started => (Tone::Warn, "left open"),
        PhaseResult::Pending => (Tone::Calm, "to come"),
    }
}

impl ToldStanding {
    fn of(stood: Result<&Stood, &AppError>) -> Self {
        let stood = match stood {
            Ok(stood) => stood,
            Err(error) => {
                let told = std::iter::once(error.message.clone()).chain(error.next(Voice::Person));
                let problem = Some(told.collect::<Vec<_>>().join("; "));
                return Self { problem, ..Self::default() };
            }
        };
        let open = stood.gates.iter().filter(|gate| gate.status != FindingStatus::Met);
        Self {
            next: Some(stood.next.clone()),
            open: open.map(|gate| gate.gate.clone()).collect(),
            gates: stood.gates.len(),
            remarks: stood.remarks.clone(),
            problem: None,
        }
    }

    fn show(&self, head: &Head) -> Markup {
        html! {
            section.stand id="stand" aria-label="Where it stands" {
                @if let Some(problem) = &self.problem { p.warning { (text(problem)) } }
                @if let Some(next) = &self.next { p { strong { "Next: " } (spoken(next)) } }
                @if !self.open.is_empty() {
                    p {
                        (mark(Tone::Warn, &format!("{} of {} open", self.open.len(), count(self.gates, "gate"))))
                        " "
                        a href={ (head.address) "?tab=gates" } { (text(&self.named())) }
                    }
                } @else if self.gates > 0 {
                    p { (mark(Tone::Good, "every gate is met")) }
                }
                @for remark in &self.remarks { p.warning { (text(remark)) } }
            }
        }
    }

    fn named(&self) -> String {
        let shown = self.open.iter().take(6).map(String::as_str).collect::<Vec<_>>().join(", ");
        match self.open.len().saturating_sub(6) {
            0 => shown,
            more => format!("{shown} and {more} more"),
        }
    }
}

/// The address of one of its phases.
pub(super) fn phase_address(address: &str, phase: &str) -> String {
    format!("{address}?phase={}", segment(phase))
}

/// How long something took, or that it did not begin.
pub(super) fn took(active_ms: i64, paused_ms: i64) -> String {
    let rested =
        if paused_ms >= 60_000 { format!(", rested {}", long(paused_ms)) } else { String::new() };
    format!("{} of work{rested}", long(active_ms))
}

/// How long something took, in few letters.
pub(super) fn briefly(millis: i64) -> String {
    if millis < 60_000 { "< 1 min".to_owned() } else { short(millis) }
}

fn tone(lifecycle: Lifecycle) -> Tone {
    match lifecycle {
        Lifecycle::Active => Tone::Busy,
        Lifecycle::Paused | Lifecycle::Abandoned => Tone::Warn,
        Lifecycle::Completed => Tone::Good,
        Lifecycle::Failed => Tone::Bad,
        Lifecycle::Unstarted | Lifecycle::Archived => Tone::Calm,
    }
}
