//! Searching sessions by what they are called, and transcripts by what was said.

use std::collections::BTreeMap;
use std::path::PathBuf;

use maud::{Markup, html};
use serde::Serialize;
use waypost_app::desk::Desk;
use waypost_app::error::AppError;
use waypost_app::index::{self, FoundMessage, Rows};
use waypost_core::tables::{Cell, ConversationRow, ProjectRow, SessionRow};
use waypost_core::text::spoken::count;
use waypost_core::time::Timestamp;

use super::project::{address, status};
use super::{Page, Param, Sheet};
use crate::asked::{Asked, query, segment};
use crate::marked::{Piece, Words, marked};
use crate::parts::{Parts, Tone, code, mark, nothing, text};

/// How many sessions are shown.
const MOST_SESSIONS: u32 = 20;
/// How many places in transcripts are shown.
const MOST_SAID: u32 = 50;
/// How many of all projects are looked through for those of one.
const MOST_LOOKED_AT: u32 = 300;
/// How many of one conversation are shown.
const MOST_OF_ONE: usize = 4;

pub(super) struct Search;

/// What was found.
#[derive(Debug, Serialize)]
pub(super) struct Told {
    /// What was looked for.
    q: String,
    /// The project that was searched; none is all.
    project: Option<Named>,
    /// Sessions, the best first.
    sessions: Vec<FoundSession>,
    /// Conversations in which it was said, the best first.
    conversations: Vec<Conversation>,
    /// Whether so much has these words that only some of it was compared to tell what is the best.
    common: bool,
    /// Whether there is an index yet.
    indexed: bool,
}

/// A project.
#[derive(Debug, Clone, Serialize)]
struct Named {
    id: String,
    name: String,
}

#[derive(Debug, Serialize)]
struct FoundSession {
    project: Named,
    session_id: String,
    lifecycle: String,
    branch: Option<String>,
    updated_at: Option<Timestamp>,
    title: Vec<Piece>,
    id: Vec<Piece>,
}

/// A conversation in which something was said.
#[derive(Debug, Serialize)]
struct Conversation {
    /// Its id.
    id: String,
    client: String,
    folder: Option<String>,
    /// The session that it worked in.
    session: Option<InSession>,
    places: Vec<Place>,
    /// How many more places there are in it.
    more: usize,
}

#[derive(Debug, Serialize)]
struct InSession {
    project: String,
    session_id: String,
    objective: Option<String>,
}

/// A place where it was said.
#[derive(Debug, Serialize)]
struct Place {
    /// Where in the transcript its line begins.
    offset: u64,
    time: Option<Timestamp>,
    /// Who: `human`, `client`, `agent`, `subagent`.
    by: String,
    /// What stands around it; none where the transcript cannot be read any more.
    text: Option<Vec<Piece>>,
}

impl Page for Search {
    type Told = Told;
    const NAME: &'static str = "search";
    const PATH: &'static str = "/search";
    const ABOUT: &'static str =
        "Sessions by what they are called, and transcripts by what was said";
    const QUERY: &'static [Param] = &[
        Param { name: "q", about: "The words" },
        Param { name: "project", about: "The id of the only project to search" },
    ];

    fn look(&self, desk: &Desk, asked: &Asked) -> Result<Told, AppError> {
        let q = asked.get("q").unwrap_or_default().to_owned();
        let rows = desk.rows()?;
        let listed = asked.get("project").map(|id| desk.project(id)).transpose()?;
        let roots: Option<Vec<PathBuf>> = listed
            .as_ref()
            .map(|listed| listed.project.work_trees().into_iter().map(|tree| tree.root).collect());
        let project = listed.map(|listed| Named { id: listed.id, name: listed.name });
        let mut told = Told {
            indexed: rows.is_some(),
            q,
            project,
            sessions: Vec::new(),
            conversations: Vec::new(),
            common: false,
        };
        if let Some(rows) = rows.filter(|_| !told.q.is_empty()) {
            let of = told.project.as_ref().map(|project| project.id.as_str());
            told.common = rows.is_common(&told.q, of)?;
            told.sessions = sessions(&rows, &told.q, of, desk.host.moment())?;
            told.conversations = conversations(desk, &rows, &told.q, of.zip(roots.as_deref()))?;
        }
        Ok(told)
    }

    fn show(&self, told: &Told, _: &Asked, parts: &Parts<'_>) -> Sheet {
        let is_empty = told.sessions.is_empty() && told.conversations.is_empty();
        let body = html! {
            div.pj {
            (form(told))
            @if !told.indexed {
                (nothing("There is no index yet.", html! { p { "It is being made; what is found appears here as soon as it is read." } }))
            } @else if told.q.is_empty() {
                p.dim { "Sessions are found by the words of their objective, id and branch; conversations by what was said in them. All words have to be there." }
            } @else if is_empty {
                (nothing("Nothing is found.", html! { p { "Sessions are found by words or how they begin, what was said by whole words. Fewer words find more." } }))
            }
            @if told.common && !is_empty {
                p.dim role="status" { "These words stand in so many places that only some of those are here. More words find what you mean." }
            }
            @if !told.sessions.is_empty() {
                h2 { "Sessions" }
                ol.rows.found { @for session in &told.sessions { (session_row(session, parts)) } }
            }
            @if !told.conversations.is_empty() {
                h2 { "Said in conversations" }
                ol.rows.said { @for conversation in &told.conversations { (conversation_row(conversation, parts)) } }
            }
            }
        };
        let title =
            if told.q.is_empty() { "Search".to_owned() } else { format!("Search: {}", told.q) };
        Sheet { title, crumbs: vec![("Inbox".to_owned(), "/".to_owned())], body }
    }
}

fn sessions(
    rows: &Rows,
    q: &str,
    project: Option<&str>,
    now: Timestamp,
) -> Result<Vec<FoundSession>, AppError> {
    let names: BTreeMap<String, String> =
        rows.projects()?.into_iter().map(|row: ProjectRow| (row.id, row.name)).collect();
    let words = Words::begun(q);
    let found = rows.called(q, project, MOST_SESSIONS)?.into_iter().map(|row| {
        let name = names.get(&row.project).cloned().unwrap_or_default();
        FoundSession {
            title: words.all_of(row.objective.as_deref().unwrap_or(&row.id)),
            id: words.all_of(&row.id),
            lifecycle: status(&row, now).to_owned(),
            project: Named { id: row.project, name },
            session_id: row.id,
            branch: row.branch,
            updated_at: row.updated_at,
        }
    });
    Ok(found.collect())
}

/// Where it was said; of one project those conversations that worked in its sessions, or in its folders.
fn conversations(
    desk: &Desk,
    rows: &Rows,
    q: &str,
    only: Option<(&str, &[PathBuf])>,
) -> Result<Vec<Conversation>, AppError> {
    let most = if only.is_some() { MOST_LOOKED_AT } else { MOST_SAID };
    let mut known: BTreeMap<String, Option<SessionRow>> = BTreeMap::new();
    let mut found: Vec<FoundMessage> = Vec::new();
    for message in rows.said(q, most)? {
        let id = &message.transcript.conversation;
        if !known.contains_key(id) {
            known.insert(id.clone(), session_of(rows, id)?);
        }
        let session = known.get(id).and_then(Option::as_ref);
        let folder = message.transcript.folder.as_deref().map(PathBuf::from);
        let is_wanted = only.is_none_or(|(project, roots)| {
            session.is_some_and(|session| session.project == project)
                || folder.is_some_and(|folder| roots.iter().any(|root| folder.starts_with(root)))
        });
        if is_wanted && found.len() < MOST_SAID as usize {
            found.push(message);
        }
    }
    Ok(grouped(desk, q, found, &known))
}

/// The session that a conversation worked in last.
fn session_of(rows: &Rows, conversation: &str) -> Result<Option<SessionRow>, AppError> {
    let with = [("id", Cell::Text(conversation.to_owned()))];
    let ask = index::Ask { with: &with, most: Some(100), ..index::Ask::default() };
    let all = rows.of::<ConversationRow>(ask)?;
    let Some(last) = all.into_iter().max_by_key(|row| row.attached_at) else { return Ok(None) };
    rows.one("session", Cell::Int(last.session))
}

fn grouped(
    desk: &Desk,
    q: &str,
    found: Vec<FoundMessage>,
    known: &BTreeMap<String, Option<SessionRow>>,
) -> Vec<Conversation> {
    let mut shown: Vec<FoundMessage> = Vec::new();
    let mut conversations: Vec<Conversation> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for message in found {
        let (id, transcript) = (message.transcript.conversation.clone(), &message.transcript);
        let place = *places.entry(id.clone()).or_insert_with(|| {
            conversations.push(Conversation {
                id: id.clone(),
                client: transcript.client.clone(),
                folder: transcript.folder.clone(),
                session: known.get(&id).and_then(Option::as_ref).map(InSession::of),
                places: Vec::new(),
                more: 0,
            });
            conversations.len() - 1
        });
        let conversation = &mut conversations[place];
        if conversation.places.len() == MOST_OF_ONE {
            conversation.more += 1;
            continue;
        }
        conversation.places.push(Place {
            offset: message.message.offset,
            time: message.message.time,
            by: message.message.role.clone(),
            text: None,
        });
        shown.push(message);
    }
    let words = Words::whole(q);
    let texts = index::texts(&shown, &desk.transcripts());
    let mut next = vec![0; conversations.len()];
    for (message, text) in shown.iter().zip(texts) {
        let Some(place) = places.get(&message.transcript.conversation) else { continue };
        conversations[*place].places[next[*place]].text = text.map(|text| words.around_in(&text));
        next[*place] += 1;
    }
    conversations
}

impl InSession {
    fn of(row: &SessionRow) -> Self {
        Self {
            project: row.project.clone(),
            session_id: row.id.clone(),
            objective: row.objective.clone(),
        }
    }
}

fn form(told: &Told) -> Markup {
    html! {
        form.filters role="search" method="get" action="/search" aria-label="Search" {
            label { span { "Words" } input id="words" type="search" name="q" value=(told.q) required; }
            @if let Some(project) = &told.project { input type="hidden" name="project" value=(project.id); }
            button type="submit" { "Search" }
            @if let Some(project) = &told.project {
                span { "in " a href={ "/projects/" (segment(&project.id)) } { (text(&project.name)) } }
                a href={ "/search" (query(&[("q", &told.q)])) } { "Search all projects" }
            }
        }
    }
}

fn session_row(session: &FoundSession, parts: &Parts<'_>) -> Markup {
    html! {
        li.row data-row id={ "f-" (session.session_id) } {
            div.what {
                a.title href=(address(&session.project.id, &session.session_id)) data-open { (marked(&session.title)) }
                p.facts {
                    (mark(Tone::Calm, &session.lifecycle))
                    code { (marked(&session.id)) }
                }
            }
            div.where {
                span { (text(&session.project.name)) }
                @if let Some(branch) = &session.branch { (code(branch)) }
                @if let Some(at) = session.updated_at { (parts.ago(at)) }
            }
        }
    }
}

fn conversation_row(conversation: &Conversation, parts: &Parts<'_>) -> Markup {
    let to = format!("/conversations/{}", segment(&conversation.id));
    let first = conversation.places.first().map(|place| place.offset).unwrap_or_default();
    html! {
        li.row data-row id={ "c-" (conversation.id) } {
            div.what {
                p.facts {
                    a href={ (to) "#m-" (first) } data-open { (text(&conversation.client)) " " (code(&conversation.id)) }
                    @if let Some(session) = &conversation.session {
                        span {
                            "in "
                            a href=(address(&session.project, &session.session_id)) {
                                (text(session.objective.as_deref().unwrap_or(&session.session_id)))
                            }
                        }
                    } @else if let Some(folder) = &conversation.folder { span { "in " (code(folder)) } }
                }
                ol.places {
                    @for place in &conversation.places { (place_row(place, &to, parts)) }
                }
                @if conversation.more > 0 {
                    p { a href=(to) { (count(conversation.more, "more place")) } }
                }
            }
        }
    }
}

fn place_row(place: &Place, to: &str, parts: &Parts<'_>) -> Markup {
    html! {
        li {
            a href={ (to) "#m-" (place.offset) } {
                span.by { (place.by) }
                @if let Some(time) = place.time { " " (parts.ago(time)) }
            }
            @match &place.text {
                Some(pieces) => p { (marked(pieces)) },
                None => p.dim { "The transcript does not say it any more, or is too large to be read for a few words." },
            }
        }
    }
}
