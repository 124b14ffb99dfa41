//! The plan of a session: its checkpoints as cards with their progress, and the tasks of each.

use maud::{Markup, html};
use serde::Serialize;
use waypost_app::documents::plan::{self, Checkpoint, Group, Plan, PlanStatus, Task};
use waypost_core::text::spoken::count;

use super::head::bar;
use super::seen::Seen;
use crate::parts::{Tone, code, mark, nothing, text};

/// How many problems are shown.
const MOST_PROBLEMS: usize = 20;

#[derive(Debug, Serialize)]
pub(super) struct Told {
    /// The plan with the statuses that the session knows; none where there is none.
    plan: Option<Plan>,
    /// Why it cannot be read.
    problem: Option<String>,
    file: String,
    /// The checkpoint that work is at.
    current: Option<u64>,
}

pub(super) fn look(seen: &Seen<'_>) -> Told {
    let (view, session) = (&seen.view, &seen.glance.session);
    let (plan, problem) = match seen.plan() {
        Ok(plan) => (plan, None),
        Err(error) => (None, Some(error.message)),
    };
    let file = waypost_app::view::copy::folder_of(view, &session.id).join(plan::FILE);
    let build = &session.state.build;
    let current = (build.total > 0).then(|| build.current()).flatten();
    Told { plan, problem, file: file.display().to_string(), current }
}

pub(super) fn show(told: &Told) -> Markup {
    let written = html! { p { "It is written to " (code(&told.file)) "; " (code("waypost plan check")) " says what is wrong with it." } };
    let Some(plan) = &told.plan else {
        return nothing(told.problem.as_deref().unwrap_or("There is no plan here."), written);
    };
    html! {
        (problems(plan))
        @if plan.checkpoints.is_empty() {
            (nothing("The plan has no checkpoints yet.", written))
        } @else {
            p.lead { (plan.progress()) }
        }
        div.checkpoints {
            @for checkpoint in &plan.checkpoints { (card(checkpoint, told.current)) }
        }
    }
}

fn problems(plan: &Plan) -> Markup {
    html! {
        @if !plan.problems.is_empty() {
            details.warning id="plan-problems" {
                summary { "The plan has " (count(plan.problems.len(), "problem")) }
                ul {
                    @for problem in plan.problems.iter().take(MOST_PROBLEMS) {
                        li { @if !problem.path.is_empty() { (code(&problem.path)) ": " } (text(&problem.message)) }
                    }
                }
            }
        }
    }
}

fn card(checkpoint: &Checkpoint, current: Option<u64>) -> Markup {
    let (done, all) = (done(checkpoint.tasks()), checkpoint.tasks().count());
    let (tone, word) = status(&checkpoint.status);
    let is_current = current == Some(checkpoint.number);
    html! {
        section.checkpoint.current[is_current] id={ "checkpoint-" (checkpoint.number) } data-row {
            header {
                h3 { span.dim { (text(&checkpoint.id)) } " " (text(&checkpoint.title)) }
                (mark(tone, &word))
                @if all > 0 { span.dim { (done) " of " (count(all, "task")) } }
            }
            @if all > 0 { (bar(i64::try_from(done).unwrap_or(0), i64::try_from(all).unwrap_or(1))) }
            @if let Some(goal) = &checkpoint.goal { p { (text(goal)) } }
            @if !checkpoint.prerequisites.is_empty() { p.dim { "After checkpoint " (text(&checkpoint.prerequisites.join(", "))) } }
            @for group in &checkpoint.task_groups { (tasks(group)) }
            (files(checkpoint))
            (testing(checkpoint))
        }
    }
}

fn tasks(group: &Group) -> Markup {
    html! {
        @if let Some(title) = &group.title {
            h4 { @if !group.id.is_empty() { span.dim { (text(&group.id)) " " } } (text(title)) }
        }
        @if let Some(objective) = &group.objective { p.dim { (text(objective)) } }
        ul.tasks { @for task in &group.tasks { li { (one(task)) } } }
    }
}

fn one(task: &Task) -> Markup {
    let (tone, word) = status(&task.status);
    let title =
        html! { (mark(tone, &word)) " " span.dim { (text(&task.id)) } " " (text(&task.title)) };
    let has_more = task.description.is_some()
        || task.file_path.is_some()
        || !task.actions.is_empty()
        || !task.read_before.is_empty()
        || !task.depends_on.is_empty()
        || !task.related_files.is_empty();
    if !has_more {
        return html! { div.task { (title) } };
    }
    html! {
        details.task id={ "task-" (task.id) } {
            summary { (title) }
            @if let Some(file) = &task.file_path { p { (code(file)) } }
            @if let Some(description) = &task.description { p.said { (text(description)) } }
            @if !task.depends_on.is_empty() { p.dim { "After task " (text(&task.depends_on.join(", "))) } }
            @if !task.read_before.is_empty() {
                p.dim { "Read first:" }
                ul {
                    @for reading in &task.read_before {
                        li {
                            (code(&reading.file))
                            @if let Some(lines) = &reading.lines { " lines " (text(lines)) }
                            @if let Some(purpose) = &reading.purpose { ": " (text(purpose)) }
                        }
                    }
                }
            }
            @if !task.actions.is_empty() {
                ol {
                    @for action in &task.actions {
                        li {
                            (text(&action.command))
                            @if let Some(file) = &action.file { " " (code(file)) }
                            @if action.status.is_completed() { " " (mark(Tone::Good, "done")) }
                        }
                    }
                }
            }
            @if !task.related_files.is_empty() {
                p.dim { "See also " @for (place, file) in task.related_files.iter().enumerate() { @if place > 0 { ", " } (code(file)) } }
            }
        }
    }
}

fn files(checkpoint: &Checkpoint) -> Markup {
    html! {
        @if !checkpoint.files_after.is_empty() {
            details id={ "files-" (checkpoint.number) } {
                summary { (count(checkpoint.files_after.len(), "file")) " at its end" }
                ul {
                    @for file in &checkpoint.files_after {
                        li {
                            (code(&file.path))
                            @if let Some(status) = &file.status { " " span.dim { (text(status)) } }
                            @if let Some(about) = &file.description { ": " (text(about)) }
                        }
                    }
                }
            }
        }
    }
}

fn testing(checkpoint: &Checkpoint) -> Markup {
    let testing = &checkpoint.testing;
    html! {
        @if testing.approach.is_some() || !testing.verification_steps.is_empty() {
            details id={ "testing-" (checkpoint.number) } {
                summary { "How it is seen to be right" }
                @if let Some(approach) = &testing.approach { p { (text(approach)) } }
                ul { @for step in &testing.verification_steps { li { (text(step)) } } }
            }
        }
    }
}

fn done<'a>(tasks: impl Iterator<Item = &'a Task>) -> usize {
    tasks.filter(|task| task.status.is_completed()).count()
}

/// How far something of a plan has come, in a word.
pub(super) fn status(status: &PlanStatus) -> (Tone, String) {
    let (tone, word) = match status {
        PlanStatus::Pending => (Tone::Calm, "to do"),
        PlanStatus::InProgress => (Tone::Busy, "under way"),
        PlanStatus::Completed => (Tone::Good, "done"),
        PlanStatus::Blocked => (Tone::Bad, "blocked"),
        PlanStatus::Skipped => (Tone::Calm, "skipped"),
        PlanStatus::Other(word) => (Tone::Calm, word.as_str()),
    };
    (tone, word.to_owned())
}
