//! The one timeline of a session: its phases, conversations, rulings, runs, commits and notes, the latest first. It is asked
//! of the index in parts, so that it costs the same however long the session is.

use maud::{Markup, html};
use serde::Serialize;
use waypost_app::error::AppError;
use waypost_app::index::Ask;
use waypost_app::watch::{self, WatchState};
use waypost_core::tables::{Cell, CommitRow, ConversationRow, LogRow};
use waypost_core::text::spoken::count;
use waypost_core::text::{one_line, shortened};
use waypost_core::time::Timestamp;

use super::head::Head;
use super::kinds::{self, GROUPS};
use super::seen::{Seen, conversation_address, number};
use crate::asked::Asked;
use crate::pages::inbox::tone;
use crate::parts::{Parts, Tone, code, mark, nothing, text};

/// How many things are shown at once.
const MOST: usize = 60;
/// Among how many commits it is looked what one is about.
const MOST_COMMITS: u32 = 500;
/// How many conversations are shown.
const MOST_CONVERSATIONS: u32 = 40;

#[derive(Debug, Serialize)]
pub(super) struct Told {
    kind: Option<String>,
    /// Whether there is an index: without one nothing is known of the past.
    indexed: bool,
    conversations: Vec<Joined>,
    events: Vec<Happened>,
    /// Where the next part begins, if there is more.
    before: Option<u64>,
}

/// A conversation of the session.
#[derive(Debug, Serialize)]
struct Joined {
    id: String,
    harness: String,
    attached_at: Timestamp,
    detached_at: Option<Timestamp>,
    reason: Option<String>,
    turns: u64,
    attached: bool,
    /// What its agent does, as all pages call it.
    state: Option<WatchState>,
}

/// Something that happened.
#[derive(Debug, Serialize)]
pub(super) struct Happened {
    pub(super) seq: u64,
    pub(super) time: Timestamp,
    pub(super) actor: String,
    /// The type of event, or the tool.
    pub(super) kind: String,
    pub(super) what: Option<String>,
    /// Of a tool call: how it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<i64>,
    /// Whether it is a tool call that a hook saw.
    activity: bool,
}

impl From<LogRow> for Happened {
    fn from(row: LogRow) -> Self {
        Self {
            seq: row.number,
            time: row.time,
            actor: row.actor,
            kind: row.kind,
            what: row.what,
            status: row.status,
            activity: row.activity,
        }
    }
}

pub(super) fn look(seen: &Seen<'_>, asked: &Asked) -> Result<Told, AppError> {
    let kind = asked.get("kind").map(str::to_lowercase);
    let before = asked.number("before")?;
    let calls = kind.as_deref() == Some("calls");
    let types = if calls { None } else { kinds::types(kind.as_deref()) };
    let mut events = happened(seen, calls, types.as_deref(), before, MOST + 1)?;
    let more = events.len() > MOST;
    events.truncate(MOST);
    let last = events.last().map(|event| event.seq);
    name_commits(seen, &mut events)?;
    Ok(Told {
        kind,
        indexed: seen.rows.is_some(),
        conversations: if before.is_none() { conversations(seen)? } else { Vec::new() },
        before: if more { last } else { None },
        events,
    })
}

/// What happened before a record, the latest first, of these types. Each type is asked for by itself, so that a rare one
/// is found however long ago it was.
pub(super) fn happened(
    seen: &Seen<'_>,
    activity: bool,
    types: Option<&[&str]>,
    before: Option<u64>,
    most: usize,
) -> Result<Vec<Happened>, AppError> {
    let Some(rows) = &seen.rows else { return Ok(Vec::new()) };
    let (from, to) = (Cell::Int(0), Cell::Int(before.map_or(i64::MAX, number)));
    let of = |kind: Option<&str>| {
        let mut with =
            vec![("session", Cell::Int(seen.key)), ("activity", Cell::Int(i64::from(activity)))];
        with.extend(kind.map(|kind| ("kind", Cell::Text(kind.to_owned()))));
        rows.of::<LogRow>(Ask {
            with: &with,
            within: Some(("number", &from, &to)),
            by: Some(("number", true)),
            most: u32::try_from(most).ok(),
            ..Ask::default()
        })
    };
    let mut found = Vec::new();
    match types {
        None => found.extend(of(None)?),
        Some(types) => {
            for kind in types {
                found.extend(of(Some(kind))?);
            }
        }
    }
    found.sort_by_key(|row| std::cmp::Reverse(row.number));
    found.truncate(most);
    Ok(found.into_iter().map(Happened::from).collect())
}

/// Says of commits what they are about.
fn name_commits(seen: &Seen<'_>, events: &mut [Happened]) -> Result<(), AppError> {
    let is_commit = |event: &Happened| !event.activity && event.kind == "commit_added";
    if !events.iter().any(is_commit) {
        return Ok(());
    }
    let known: Vec<CommitRow> = seen.latest("seq", None, MOST_COMMITS)?;
    for event in events.iter_mut().filter(|event| is_commit(event)) {
        let sha = event.what.take().unwrap_or_default();
        let commit = known.iter().find(|commit| commit.sha == sha);
        let short: String = sha.chars().take(10).collect();
        let about = commit.map(|commit| one_line(&commit.message)).unwrap_or_default();
        event.what = Some(format!("{short} {about}").trim_end().to_owned());
    }
    Ok(())
}

fn conversations(seen: &Seen<'_>) -> Result<Vec<Joined>, AppError> {
    let mut rows: Vec<ConversationRow> = seen.latest("attached_at", None, MOST_CONVERSATIONS)?;
    rows.sort_by_key(|row| std::cmp::Reverse(row.detached_at.is_none()));
    let agents = watch::agents(&seen.view, seen.id()).unwrap_or_default();
    let joined = rows.into_iter().map(|row| {
        let known = seen.state().conversations.iter().find(|(id, _)| id.as_str() == row.id);
        let attached = known.is_some_and(|(_, known)| known.attached);
        Joined {
            attached,
            state: agents
                .iter()
                .find(|agent| agent.conversation.as_str() == row.id)
                .map(|agent| agent.state),
            id: row.id,
            harness: row.harness,
            attached_at: row.attached_at,
            detached_at: row.detached_at,
            reason: row.reason,
            turns: row.turns,
        }
    });
    Ok(joined.collect())
}

pub(super) fn show(told: &Told, head: &Head, parts: &Parts<'_>) -> Markup {
    html! {
        @if !told.conversations.is_empty() {
            h2 { "Conversations" }
            ul.lines id="conversations" { @for joined in &told.conversations { (conversation(joined, head, parts)) } }
        }
        h2 id="timeline" { "Timeline" }
        (filters(told.kind.as_deref(), head))
        @if !told.indexed {
            (nothing("The index is being made.", html! { p { "What happened appears here by itself once it is there." } }))
        } @else if told.events.is_empty() {
            (empty(head))
        }
        ol.timeline { @for event in &told.events { (line(event, head, parts)) } }
        @if let Some(before) = told.before {
            p { a href=(further(told, head, before)) rel="next" { "Earlier" } }
        }
    }
}

fn further(told: &Told, head: &Head, before: u64) -> String {
    let kind = told.kind.as_deref().map(|kind| format!("&kind={}", crate::asked::segment(kind)));
    format!("{}?before={before}{}", head.address, kind.unwrap_or_default())
}

fn empty(head: &Head) -> Markup {
    nothing(
        "Nothing of this happened.",
        html! {
            p { a href={ (head.address) "?kind=all" } { "Everything that is recorded" } }
        },
    )
}

fn filters(kind: Option<&str>, head: &Head) -> Markup {
    let named = GROUPS.iter().filter(|group| !group.name.is_empty());
    let named = named.map(|group| (Some(group.name), group.title));
    let more = [(Some("calls"), "Tool calls"), (Some("all"), "All records")];
    let all = std::iter::once((None, "What matters")).chain(named).chain(more);
    html! {
        nav.filters aria-label="Of the timeline" {
            @for (name, title) in all {
                @let address = match name { Some(name) => format!("{}?kind={name}", head.address), None => head.address.clone() };
                a href=(address) aria-current=[(name == kind).then_some("true")] { (title) }
            }
        }
    }
}

fn conversation(joined: &Joined, head: &Head, parts: &Parts<'_>) -> Markup {
    let (tone, word) = match (joined.state, joined.attached) {
        (Some(state), _) => (tone(state), state.word()),
        (None, true) => (Tone::Calm, "attached"),
        (None, false) => (Tone::Calm, "left"),
    };
    let address = conversation_address(&head.project.id, &head.session_id, &joined.id);
    html! {
        li data-row id={ "c-" (joined.id) } {
            (mark(tone, word))
            a href=(address) data-open { (text(&joined.harness)) " " (code(short_id(&joined.id))) }
            span.dim { (count(joined.turns, "turn")) ", joined " (parts.ago(joined.attached_at)) }
            @if let Some(left) = joined.detached_at.filter(|_| !joined.attached) {
                span.dim { "left " (parts.ago(left)) @if let Some(reason) = &joined.reason { ": " (text(reason)) } }
            }
        }
    }
}

/// The first characters of an id, by which people know it.
pub(super) fn short_id(id: &str) -> &str {
    match id.char_indices().nth(8) {
        Some((end, _)) => &id[..end],
        None => id,
    }
}

/// Something that happened, on a line.
pub(super) fn line(event: &Happened, head: &Head, parts: &Parts<'_>) -> Markup {
    let what = event.what.as_deref();
    let (word, tone) = if event.activity {
        (event.kind.clone(), if event.status.unwrap_or(0) == 0 { Tone::Calm } else { Tone::Bad })
    } else {
        kinds::word(&event.kind, what)
    };
    let id = if event.activity { format!("a-{}", event.seq) } else { format!("r-{}", event.seq) };
    html! {
        li id=(id) {
            span.when { (parts.clock(event.time)) }
            (mark(tone, &word))
            div.said {
                @match what {
                    Some(id) if event.kind.starts_with("conversation_") => {
                        a href=(conversation_address(&head.project.id, &head.session_id, id)) { (code(short_id(id))) }
                    }
                    Some(ruling) if event.kind == "ruling_made" => {
                        @let (on, why) = kinds::ruled_on(ruling);
                        (text(&on))
                        @if let Some(why) = why { p.dim { (super::spoken(why)) } }
                    }
                    Some(what) if what.len() > 400 => {
                        details id={ "said-" (id) } { summary { (text(&beginning(what))) } pre { (text(what)) } }
                    }
                    Some(what) => (text(what)),
                    None => {}
                }
                @if let Some(status) = event.status.filter(|status| *status != 0) { " " span.dim { "ended with " (status) } }
            }
            span.who.dim { (text(&event.actor)) }
        }
    }
}

fn beginning(what: &str) -> String {
    shortened(&one_line(what), 200)
}
