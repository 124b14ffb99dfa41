//! A phase of a session's workflow: how it went, and what was written or done in it.

use maud::{Markup, html};
use serde::Serialize;
use waypost_app::documents::{beside, plan, spec};
use waypost_app::error::AppError;
use waypost_core::course::Passage;

use super::head::{Head, result, took};
use super::seen::Seen;
use super::{build, docs, plan as plan_part, spec as spec_part};
use crate::parts::{Parts, Tone, code, mark, nothing, text};

/// The phases that something is known of besides how they went.
const SPEC: &str = "spec";
const PLAN: &str = "plan";
const BUILD: &str = "build";
const DOCS: &str = "docs";

#[derive(Debug, Serialize)]
pub(super) struct Told {
    phase: String,
    /// What it is for.
    purpose: Option<String>,
    current: bool,
    /// How it went; none where the session's workflow does not have it.
    passage: Option<Passage>,
    content: Content,
}

/// What belongs to a phase.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Content {
    Spec(spec_part::Told),
    Plan(plan_part::Told),
    Build(build::Told),
    Docs(docs::Told),
    /// What is to be done in it.
    Tasks(Vec<PhaseTask>),
}

#[derive(Debug, Serialize)]
struct PhaseTask {
    name: String,
    text: String,
}

/// The phases that can be looked at, the one that the session is in first.
pub(super) fn names(seen: &Seen<'_>) -> Vec<String> {
    let course = &seen.glance.story.course;
    let mut names: Vec<String> = course.phases.iter().map(|one| one.phase.clone()).collect();
    let here = seen.state().phase().to_owned();
    let has = |name: &str| beside::has(&seen.view, seen.id(), name);
    let builds = seen.state().build.total > 0 || names.is_empty();
    for (name, is_there) in [(SPEC, has(spec::FILE)), (PLAN, has(plan::FILE)), (BUILD, builds)] {
        if is_there && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names.sort_by_key(|name| *name != here);
    names
}

pub(super) fn look(seen: &Seen<'_>, phase: &str) -> Result<Told, AppError> {
    let course = &seen.glance.story.course;
    let passage = course.phases.iter().find(|one| one.phase.eq_ignore_ascii_case(phase)).cloned();
    let current = course.current().filter(|_| course.completed_at.is_none());
    let is_current = current.is_some_and(|one| one.phase.eq_ignore_ascii_case(phase));
    let defined = passage.as_ref().and_then(|one| course.definition()?.phase(&one.phase));
    let content = match phase {
        SPEC => Content::Spec(spec_part::look(seen)),
        PLAN => Content::Plan(plan_part::look(seen)),
        BUILD => Content::Build(build::look(seen)?),
        DOCS => Content::Docs(docs::look(seen)?),
        _ if passage.is_none() => {
            let names = names(seen).join(", ");
            return Err(AppError::refused(format!("session {} has no phase `{phase}`", seen.id()))
                .hint(format!("it has {names}")));
        }
        _ => {
            let tasks = defined.map(|phase| phase.tasks.as_slice()).unwrap_or_default();
            let task = |task: &waypost_core::track::PhaseTask| PhaseTask {
                name: task.name.clone(),
                text: task.text.clone(),
            };
            Content::Tasks(tasks.iter().map(task).collect())
        }
    };
    Ok(Told {
        phase: phase.to_owned(),
        purpose: defined.map(|phase| phase.purpose.clone()).filter(|text| !text.is_empty()),
        current: is_current,
        passage,
        content,
    })
}

pub(super) fn show(told: &Told, head: &Head, parts: &Parts<'_>) -> Markup {
    html! {
        section.phase id={ "phase-" (told.phase) } {
            h2 { (text(&told.phase)) }
            @if let Some(purpose) = &told.purpose { p.dim { (text(purpose)) } }
            @if let Some(passage) = &told.passage { (went(passage, told.current, parts)) }
        }
        @match &told.content {
            Content::Spec(spec) => (spec_part::show(spec)),
            Content::Plan(plan) => (plan_part::show(plan)),
            Content::Build(build) => (build::show(build, head, parts)),
            Content::Docs(docs) => (docs::show(docs, parts)),
            Content::Tasks(tasks) => (to_do(tasks)),
        }
    }
}

/// How a phase went.
fn went(passage: &Passage, current: bool, parts: &Parts<'_>) -> Markup {
    let (tone, word) = result(passage.checkpoint, passage.started_at.is_some(), current);
    html! {
        div.facts {
            (mark(tone, word))
            @if let Some(started) = passage.started_at { span { "from " (parts.at(started)) } }
            @if let Some(completed) = passage.completed_at { span { "to " (parts.at(completed)) } }
            @if passage.started_at.is_some() { span { (took(passage.active_ms, passage.paused_ms)) } }
            @if passage.attempts > 1 { span { (passage.attempts) " tries" } }
            @if passage.elsewhere { span { "done before it was followed here" } }
        }
        @if let Some(reason) = &passage.skipped { p { (mark(Tone::Calm, "skipped")) " " (text(reason)) } }
        (list("What must hold, and did not", &passage.errors))
        (list("What should hold, and did not", &passage.warnings))
        (list("What would put it right", &passage.next_steps))
        @if !passage.evidence.is_empty() {
            details id={ "given-" (passage.phase) } {
                summary { "What was given as evidence" }
                dl.pairs {
                    @for (name, value) in &passage.evidence {
                        dt { (text(name)) }
                        dd { (text(&value.as_str().map_or_else(|| value.to_string(), str::to_owned))) }
                    }
                }
            }
        }
    }
}

fn list(title: &str, items: &[String]) -> Markup {
    html! {
        @if !items.is_empty() {
            h3 { (title) }
            ul { @for item in items { li { (text(item)) } } }
        }
    }
}

fn to_do(tasks: &[PhaseTask]) -> Markup {
    html! {
        @if tasks.is_empty() {
            (nothing("This phase names no tasks.", html! { p { "Its gates say when it is complete: " (code("waypost phase show")) } }))
        } @else {
            h3 { "Tasks" }
            ol.plain {
                @for (place, task) in tasks.iter().enumerate() {
                    li {
                        @if task.text.trim().is_empty() { (text(&task.name)) } @else {
                            details id={ "task-" (place) } {
                                summary { (text(&task.name)) }
                                (crate::markdown::render(&task.text, &crate::markdown::Marks::default()))
                            }
                        }
                    }
                }
            }
        }
    }
}
