//! What was built: agents, commits and cost by checkpoint, and what is open now.

use std::collections::BTreeMap;

use maud::{Markup, html};
use serde::Serialize;
use waypost_app::documents::plan;
use waypost_app::error::AppError;
use waypost_core::tables::{AgentRow, CommitRow, UsageCountedRow};
use waypost_core::text::spoken::count;
use waypost_core::time::Timestamp;

use super::cost::Sum;
use super::head::{Head, bar, briefly};
use super::plan::status;
use super::seen::{Seen, conversation_address};
use super::timeline::happened;
use crate::parts::{Parts, Tone, code, many, mark, nothing, text, usd};

/// How many rows of each sort are looked at, the latest.
const MOST: u32 = 500;
/// How many beginnings and ends of checkpoints.
const MOST_EVENTS: usize = 1000;

#[derive(Debug, Serialize)]
pub(super) struct Told {
    checkpoints_total: u64,
    checkpoints_completed: u64,
    tasks_completed: u64,
    /// By checkpoint; what belongs to none is last.
    parts: Vec<Part>,
}

/// A checkpoint, and what was done for it.
#[derive(Debug, Default, Serialize)]
struct Part {
    checkpoint: Option<u64>,
    title: Option<String>,
    status: plan::PlanStatus,
    current: bool,
    tasks_completed: usize,
    tasks_total: usize,
    commits: Vec<Commit>,
    agents: Vec<Agent>,
    cost: Sum,
}

#[derive(Debug, Serialize)]
struct Commit {
    sha: String,
    message: String,
    time: Option<Timestamp>,
    unproven_files: u64,
    unruled: bool,
}

#[derive(Debug, Serialize)]
struct Agent {
    #[serde(rename = "agent")]
    name: String,
    conversation: Option<String>,
    prompt: Option<String>,
    summary: Option<String>,
    status: String,
    started_at: Timestamp,
    ended_at: Option<Timestamp>,
    tokens: Option<u64>,
    tool_calls: Option<u64>,
}

pub(super) fn look(seen: &Seen<'_>) -> Result<Told, AppError> {
    let build = &seen.state().build;
    let mut parts = planned(seen);
    let place = |parts: &mut BTreeMap<u64, Part>, checkpoint: Option<u64>| {
        let number = checkpoint.unwrap_or(u64::MAX);
        parts.entry(number).or_insert_with(|| Part { checkpoint, ..Part::default() });
        number
    };
    let spans = spans(seen)?;
    // What was under way when a record was made.
    let under_way = |seq: u64| {
        let begun = spans.iter().rev().find(|(began, _)| *began < seq);
        begun.and_then(|(_, checkpoint)| *checkpoint)
    };
    for commit in seen.latest::<CommitRow>("seq", None, MOST)? {
        let number = place(&mut parts, commit.checkpoint.or_else(|| under_way(commit.seq)));
        if let Some(part) = parts.get_mut(&number) {
            part.commits.push(Commit::of(commit));
        }
    }
    for used in seen.latest::<UsageCountedRow>("seq", None, MOST * 10)? {
        let number = place(&mut parts, used.checkpoint);
        if let Some(part) = parts.get_mut(&number) {
            part.cost.add(&used);
        }
    }
    for agent in seen.latest::<AgentRow>("seq", None, MOST)? {
        let number = place(&mut parts, under_way(agent.seq));
        if let Some(part) = parts.get_mut(&number) {
            part.agents.push(Agent::of(agent));
        }
    }
    Ok(Told {
        checkpoints_total: build.total,
        checkpoints_completed: build.done(),
        tasks_completed: build.tasks_completed,
        parts: parts.into_values().collect(),
    })
}

/// The checkpoints of the plan and of the build, by their numbers.
fn planned(seen: &Seen<'_>) -> BTreeMap<u64, Part> {
    let build = &seen.state().build;
    let plan = seen.plan().ok().flatten().unwrap_or_default();
    let current = (build.total > 0).then(|| build.current()).flatten();
    let number = |number: u64| {
        let planned = plan.checkpoint(number);
        let is_under_way = build.under_way.contains(&number);
        let status = match planned {
            Some(planned) => planned.status.clone(),
            None if build.completed.contains(&number) => plan::PlanStatus::Completed,
            None if is_under_way => plan::PlanStatus::InProgress,
            None => plan::PlanStatus::Pending,
        };
        let done = |task: &&plan::Task| task.status.is_completed();
        let part = Part {
            checkpoint: Some(number),
            title: planned.map(|planned| planned.title.clone()),
            status,
            current: current == Some(number),
            tasks_completed: planned.map_or(0, |planned| planned.tasks().filter(done).count()),
            tasks_total: planned.map_or(0, |planned| planned.tasks().count()),
            ..Part::default()
        };
        (number, part)
    };
    let planned = plan.checkpoints.iter().map(|checkpoint| checkpoint.number);
    (1..=build.total).chain(planned).map(number).collect()
}

/// From which record on which checkpoint was under way, in order.
fn spans(seen: &Seen<'_>) -> Result<Vec<(u64, Option<u64>)>, AppError> {
    let types = ["checkpoint_started", "checkpoint_completed"];
    let events = happened(seen, false, Some(&types), None, MOST_EVENTS)?;
    let spans = events.into_iter().rev().map(|event| {
        let began = event.kind == "checkpoint_started";
        let checkpoint = event.what.as_deref().and_then(|what| what.parse().ok());
        (event.seq, checkpoint.filter(|_| began))
    });
    Ok(spans.collect())
}

impl Commit {
    fn of(row: CommitRow) -> Self {
        Self {
            sha: row.sha,
            message: row.message,
            time: row.time,
            unproven_files: row.unproven,
            unruled: row.unruled,
        }
    }
}

impl Agent {
    fn of(row: AgentRow) -> Self {
        Self {
            name: row.agent,
            conversation: row.conversation,
            prompt: row.prompt,
            summary: row.summary,
            status: row.status,
            started_at: row.started_at,
            ended_at: row.ended_at,
            tokens: row.tokens,
            tool_calls: row.tool_calls,
        }
    }
}

pub(super) fn show(told: &Told, head: &Head, parts: &Parts<'_>) -> Markup {
    let open = told.parts.iter().find(|part| part.current);
    html! {
        @if told.checkpoints_total > 0 {
            p.lead {
                strong { (told.checkpoints_completed) } " of " (count(told.checkpoints_total, "checkpoint"))
                @if told.tasks_completed > 0 { " · " (count(told.tasks_completed, "task")) " done" }
            }
            (bar(i64::try_from(told.checkpoints_completed).unwrap_or(0), i64::try_from(told.checkpoints_total).unwrap_or(1)))
        }
        @if let Some(open) = open {
            p { strong { "Open now: " } "checkpoint " (open.checkpoint.unwrap_or_default()) @if let Some(title) = &open.title { ", " (text(title)) } }
        }
        @if told.parts.is_empty() {
            (nothing("Nothing was built yet.", html! { p { "Commits, agents and what they cost appear here as they come." } }))
        }
        @let has_checkpoints = told.parts.iter().any(|part| part.checkpoint.is_some());
        @for part in &told.parts { (one(part, has_checkpoints, head, parts)) }
    }
}

fn one(part: &Part, has_checkpoints: bool, head: &Head, parts: &Parts<'_>) -> Markup {
    let (tone, word) = status(&part.status);
    let id = part
        .checkpoint
        .map_or_else(|| "built-other".to_owned(), |number| format!("built-{number}"));
    let is_outside = has_checkpoints && part.checkpoint.is_none();
    let outside = if is_outside { " outside of any checkpoint" } else { "" };
    html! {
        section.checkpoint.current[part.current] id=(id) data-row {
            header {
                @if let Some(number) = part.checkpoint {
                    h3 { span.dim { (number) } " " (text(part.title.as_deref().unwrap_or("Checkpoint"))) }
                    (mark(tone, &word))
                    @if part.tasks_total > 0 { span.dim { (part.tasks_completed) " of " (count(part.tasks_total, "task")) } }
                } @else {
                    h3 { @if has_checkpoints { "Outside of any checkpoint" } @else { "Without checkpoints" } }
                }
                (part.cost.show())
            }
            @if !part.commits.is_empty() {
                h4 { "Commits" (outside) }
                ul.lines { @for commit in &part.commits { (commit_line(commit, parts)) } }
            }
            @if !part.agents.is_empty() {
                h4 { "Agents" (outside) }
                ul.lines { @for (place, agent) in part.agents.iter().enumerate() { (agent_line(agent, &format!("{id}-{place}"), head, parts)) } }
            }
        }
    }
}

fn commit_line(commit: &Commit, parts: &Parts<'_>) -> Markup {
    let sha: String = commit.sha.chars().take(10).collect();
    html! {
        li {
            (mark(Tone::Calm, "commit"))
            (code(&sha))
            span.said { (text(commit.message.lines().next().unwrap_or_default())) }
            @if commit.unruled { (mark(Tone::Bad, "no gate was asked")) }
            @if commit.unproven_files > 0 { (mark(Tone::Warn, &format!("{} unproven", count(commit.unproven_files, "file")))) }
            @if let Some(time) = commit.time { (parts.clock(time)) }
        }
    }
}

fn agent_line(agent: &Agent, id: &str, head: &Head, parts: &Parts<'_>) -> Markup {
    let tone = match agent.status.as_str() {
        "completed" => Tone::Good,
        "blocked" | "failed" => Tone::Bad,
        _ => Tone::Busy,
    };
    let lasted = agent.ended_at.map(|ended| ended.as_millis() - agent.started_at.as_millis());
    html! {
        li {
            (mark(tone, &agent.status.replace('_', " ")))
            @match &agent.conversation {
                Some(conversation) => a href=(conversation_address(&head.project.id, &head.session_id, conversation)) { (text(&agent.name)) },
                None => strong { (text(&agent.name)) },
            }
            @if agent.prompt.is_some() || agent.summary.is_some() {
                details.said id=(id) {
                    summary { (text(&waypost_core::text::shortened(&waypost_core::text::one_line(agent.summary.as_deref().or(agent.prompt.as_deref()).unwrap_or_default()), 140))) }
                    @if let Some(prompt) = &agent.prompt { p.dim { "Asked:" } p { (text(prompt)) } }
                    @if let Some(summary) = &agent.summary { p.dim { "Said:" } p { (text(summary)) } }
                }
            }
            @if let Some(tokens) = agent.tokens { span.dim { (many(tokens)) " tokens" } }
            @if let Some(calls) = agent.tool_calls { span.dim { (count(calls, "tool call")) } }
            @if let Some(lasted) = lasted { span.dim { (briefly(lasted)) } }
            (parts.clock(agent.started_at))
        }
    }
}

impl Sum {
    /// In a few words, where there is anything.
    fn show(&self) -> Markup {
        html! {
            @if self.tokens > 0 {
                span.dim {
                    @if self.priced > 0 { (usd(self.usd())) @if self.unpriced > 0 { "+" } ", " }
                    (many(self.tokens)) " tokens"
                    @if self.priced == 0 { ", price unknown" }
                }
            }
        }
    }
}
