//! All agents that are attached to a session now: where, on what, since when, and what holds them.

use maud::{Markup, html};
use serde::Serialize;
use waypost_app::desk::Desk;
use waypost_app::error::AppError;
use waypost_app::index::{Ask, Rows};
use waypost_app::view::View;
use waypost_app::watch::{AgentNow, Group, WatchRow, WatchState, agents};
use waypost_core::tables::{Cell, LogRow, SessionRow, session_key};
use waypost_core::text::spoken::count;
use waypost_core::text::{one_line, shortened};
use waypost_core::time::Timestamp;

use super::{Page, Param, Sheet};
use crate::asked::{Asked, segment};
use crate::parts::{Parts, Tone, code, mark, nothing, text};

/// In so many sessions it is looked who is at work.
const MOST: usize = 60;
/// Among so many calls the last one of each agent is looked for.
const LOOKED_AT: u32 = 40;

pub(super) struct LiveAgents;

/// Who is there.
#[derive(Debug, Serialize)]
pub(super) struct Told {
    agents: Vec<Live>,
    /// How many agents are at work, as everywhere.
    working: usize,
    /// Whether there are more sessions than were looked at.
    more: bool,
    /// Whether it was looked yet.
    looked: bool,
}

#[derive(Debug, Serialize)]
struct Live {
    #[serde(flatten)]
    agent: AgentNow,
    project: String,
    project_id: Option<String>,
    worktree: Option<String>,
    branch: Option<String>,
    session: String,
    objective: Option<String>,
    phase: Option<String>,
    /// When its turn began.
    turn_began: Option<Timestamp>,
    /// The last tool call of it that a hook saw.
    last_call: Option<LogRow>,
}

impl Page for LiveAgents {
    type Told = Told;
    const NAME: &'static str = "live_agents";
    const PATH: &'static str = "/live-agents";
    const ABOUT: &'static str = "All agents that are attached to a session now, and what they do";
    const QUERY: &'static [Param] = &[];

    fn look(&self, desk: &Desk, _: &Asked) -> Result<Told, AppError> {
        let board = desk.board();
        let rows = desk.rows()?;
        let looked = board.is_some();
        let board = board.unwrap_or_default();
        let may_be = board.rows.iter().filter(|row| row.group != Group::Done);
        let may_be =
            may_be.filter(|row| row.session_id.is_some() && row.state != WatchState::Resting);
        let mut found: Vec<Live> = may_be
            .clone()
            .take(MOST)
            .flat_map(|row| of_session(desk, rows.as_deref(), row))
            .collect();
        found.sort_by_key(|live| {
            (live.agent.state, std::cmp::Reverse(live.last_call.as_ref().map(|call| call.time)))
        });
        let working = board.totals.working;
        Ok(Told { agents: found, working, more: may_be.count() > MOST, looked })
    }

    fn show(&self, told: &Told, _: &Asked, parts: &Parts<'_>) -> Sheet {
        let body = html! {
            p.lead {
                strong { (told.working) } " at work · " strong { (told.agents.len()) } " attached"
                @if told.more { " · only those of " (MOST) " sessions are shown" }
            }
            @if told.agents.is_empty() { (nobody(told)) }
            ol.rows { @for live in &told.agents { (item(live, parts)) } }
        };
        Sheet { title: "Live".to_owned(), crumbs: Vec::new(), body }
    }
}

/// The agents of a row of the board. What cannot be looked at now is told by the inbox.
fn of_session(desk: &Desk, rows: Option<&Rows>, row: &WatchRow) -> Vec<Live> {
    let look = || -> Result<Vec<Live>, AppError> {
        let (Some(session), Some(project)) = (&row.session_id, &row.project_id) else {
            return Ok(Vec::new());
        };
        let listed = desk.project(project)?;
        let tree = row.worktree.as_deref().unwrap_or_default();
        let seen_from = listed.project.work_tree(tree).unwrap_or(listed.project);
        let view = View::with(&desk.host, seen_from, desk.ring()?);
        let key = session_key(project, session);
        let calls = rows.map_or(Ok(Vec::new()), |rows| last_calls(rows, key))?;
        let live = |agent: AgentNow| -> Result<Live, AppError> {
            let id: String = agent.conversation.as_str().chars().take(8).collect();
            let label = format!("{} {id}", agent.harness);
            // What was found by looking stands in brackets, and nobody called it.
            let is_own =
                |call: &&LogRow| call.actor.starts_with(&label) && !call.kind.starts_with('(');
            let turn_began = match (rows, agent.turn) {
                (Some(rows), Some(turn)) => time_of(rows, key, turn)?,
                _ => None,
            };
            Ok(Live {
                last_call: calls.iter().find(is_own).cloned(),
                turn_began,
                project: row.project.clone(),
                project_id: row.project_id.clone(),
                worktree: row.worktree.clone(),
                branch: row.branch.clone(),
                session: session.to_string(),
                objective: row.objective.clone(),
                phase: row.phase.clone(),
                agent,
            })
        };
        agents(&view, session)?.into_iter().map(live).collect()
    };
    look().unwrap_or_default()
}

/// The last calls of a session, the last first.
fn last_calls(rows: &Rows, session: i64) -> Result<Vec<LogRow>, AppError> {
    if rows.one::<SessionRow>("session", Cell::Int(session))?.is_none() {
        return Ok(Vec::new());
    }
    let with = [("session", Cell::Int(session)), ("activity", Cell::Int(1))];
    let by = Some(("number", true));
    rows.of(Ask { with: &with, by, most: Some(LOOKED_AT), ..Ask::default() })
}

/// When a record was made.
fn time_of(rows: &Rows, session: i64, seq: u64) -> Result<Option<Timestamp>, AppError> {
    let with = [
        ("session", Cell::Int(session)),
        ("activity", Cell::Int(0)),
        ("number", Cell::Int(i64::try_from(seq).unwrap_or(i64::MAX))),
    ];
    let found = rows.of::<LogRow>(Ask { with: &with, most: Some(1), ..Ask::default() })?;
    Ok(found.first().map(|row| row.time))
}

fn nobody(told: &Told) -> Markup {
    if !told.looked {
        return nothing(
            "It is looked who is at work.",
            html! { p { "This page follows by itself." } },
        );
    }
    let next = html! {
        p { "An agent appears here as soon as its client starts in a project that is set up with " (code("waypost init")) "." }
    };
    nothing("No agent is attached to a session.", next)
}

fn item(live: &Live, parts: &Parts<'_>) -> Markup {
    let agent = &live.agent;
    let conversation = format!("/conversations/{}", segment(agent.conversation.as_str()));
    let session = live.project_id.as_ref().map(|project| {
        format!("/projects/{}/sessions/{}", segment(project), segment(&live.session))
    });
    let id: String = agent.conversation.as_str().chars().take(8).collect();
    html! {
        li.row data-row id={ "a-" (agent.conversation) } {
            div.what {
                (mark(tone(agent.state), agent.state.word()))
                a.title href=(conversation) data-open { (text(&agent.harness)) " " (text(&id)) }
                p {
                    "on " a href=[session] { (text(live.objective.as_deref().unwrap_or("an unnamed session"))) }
                    @if let Some(phase) = &live.phase { ", phase " (text(phase)) }
                }
                @if agent.state != WatchState::Working && agent.state != WatchState::Waiting { p { (text(&agent.text)) } }
                @if let Some(call) = &live.last_call { (last_call(call, parts)) }
                @if !agent.held.is_empty() && agent.state != WatchState::Held {
                    p { (mark(Tone::Warn, "held by")) " " @for gate in &agent.held { (code(gate)) " " } }
                }
                @if agent.unenforced { p { (mark(Tone::Bad, "unenforced")) " files changed and no hook saw a tool call" } }
                @if !agent.subagents.is_empty() { (subagents(agent)) }
            }
            div.where {
                span { (text(&live.project)) @if let Some(tree) = &live.worktree { " · " (text(tree)) } }
                @if let Some(branch) = &live.branch { (code(branch)) }
                @match (live.turn_began, agent.since) {
                    (Some(began), _) => span { "turn began " (parts.ago(began)) },
                    (None, Some(since)) => span { "joined " (parts.ago(since)) },
                    (None, None) => {},
                }
            }
        }
    }
}

fn last_call(call: &LogRow, parts: &Parts<'_>) -> Markup {
    let what = call.what.as_deref().map(|what| shortened(&one_line(what), 160));
    html! {
        p.doing {
            code { (text(&call.kind)) } " "
            @if let Some(what) = what { (text(&what)) " " }
            @if let Some(status) = call.status.filter(|status| *status != 0) { (mark(Tone::Bad, &format!("status {status}"))) " " }
            span.dim { (parts.ago(call.time)) }
        }
    }
}

fn subagents(agent: &AgentNow) -> Markup {
    let all = &agent.subagents;
    html! {
        p { "with " (count(all.len(), "subagent")) ":" }
        ul.tree { @for one in all {
            li { (mark(Tone::Busy, "at work")) " " (text(one.agent_type.as_deref().unwrap_or("a subagent"))) " " span.dim { (text(&one.name)) } }
        } }
    }
}

fn tone(state: WatchState) -> Tone {
    super::inbox::tone(state)
}
