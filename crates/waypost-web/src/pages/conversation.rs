//! A conversation: who, with which model, what it used, its sessions and subagents, and what was said and done, the
//! transcript beside the records. Of a long transcript only the part is read that is shown.

mod look;
mod records;
mod show;
mod talk;
mod words;

use serde::Serialize;
use waypost_app::cost::Used;
use waypost_app::desk::Desk;
use waypost_app::error::AppError;
use waypost_app::rulings::explain::Explanation;
use waypost_app::transcripts::window::Part;
use waypost_core::tables::AgentRow;
use waypost_core::time::Timestamp;

use super::{Page, Param, Sheet};
use crate::asked::{Asked, segment};
use crate::parts::Parts;
use records::Record;
use talk::Item;

pub(super) struct Conversation;

/// What can be given in the query.
const QUERY: &[Param] = &[
    Param { name: "project", about: "The project whose records are shown beside the transcript" },
    Param {
        name: "session",
        about: "The session whose records are shown; all that it was in, if none",
    },
    Param {
        name: "part",
        about: "The subagent whose transcript is shown; the conversation's own, if none",
    },
    Param {
        name: "from",
        about: "The place in the transcript around which is shown; its end, if none",
    },
    Param { name: "q", about: "Only what has these words" },
    Param {
        name: "page",
        about: "Where there is no transcript: which page of the records, the last first",
    },
    Param { name: "explain", about: "The record of `session` whose ruling is explained" },
];

/// A conversation.
#[derive(Debug, Serialize)]
pub(super) struct Told {
    conversation: String,
    /// Whether there is an index that could know it.
    indexed: bool,
    client: Option<String>,
    folder: Option<String>,
    /// The client's own command that goes back to it.
    reopen: Option<String>,
    began: Option<Timestamp>,
    /// When something was last added to the transcript.
    last: Option<Timestamp>,
    /// When it left the last session that it was in.
    ended: Option<Timestamp>,
    used: Option<Used>,
    sessions: Vec<InSession>,
    agents: Vec<Agent>,
    /// The subagent whose transcript is shown.
    part: Option<String>,
    talk: Option<Talk>,
    /// Why the transcript cannot be shown.
    unread: Option<String>,
    found: Option<Found>,
    /// What the records tell, where there is no transcript.
    records: Vec<Record>,
    /// Whether there are more of them.
    more: bool,
    explained: Option<Explained>,
}

/// A session that it was in.
#[derive(Debug, Serialize)]
struct InSession {
    project: String,
    project_name: String,
    session: String,
    objective: Option<String>,
    lifecycle: String,
    harness: String,
    attached_at: Timestamp,
    detached_at: Option<Timestamp>,
    reason: Option<String>,
    turns: u64,
}

/// An agent that it gave work to.
#[derive(Debug, Serialize)]
struct Agent {
    #[serde(flatten)]
    row: Option<AgentRow>,
    /// The name of its transcript, by which that is shown.
    part: Option<String>,
}

/// A part of the transcript, with what the records tell of the same time.
#[derive(Debug, Serialize)]
struct Talk {
    file: String,
    entries: Vec<Item>,
    from: u64,
    earlier: Option<u64>,
    later: Option<u64>,
    length: u64,
    unreadable: u64,
    /// Whether what comes next is shown here, too.
    is_last: bool,
}

/// What was searched for.
#[derive(Debug, Serialize)]
struct Found {
    hits: Vec<Part>,
    /// Whether there are more than these.
    more: bool,
}

/// A ruling that is explained, or why it cannot be.
#[derive(Debug, Serialize)]
struct Explained {
    session: String,
    seq: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<Explanation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Page for Conversation {
    type Told = Told;
    const NAME: &'static str = "conversation";
    const PATH: &'static str = "/conversations/{conversation}";
    const ABOUT: &'static str =
        "A conversation: what it used, its sessions and subagents, what was said and done";
    const QUERY: &'static [Param] = QUERY;

    fn look(&self, desk: &Desk, asked: &Asked) -> Result<Told, AppError> {
        look::look(desk, asked)
    }

    fn show(&self, told: &Told, asked: &Asked, parts: &Parts<'_>) -> Sheet {
        let name: String = told.conversation.chars().take(8).collect();
        let mut crumbs = vec![("Projects".to_owned(), "/projects".to_owned())];
        if let Some(latest) = told.sessions.first() {
            let project = format!("/projects/{}", segment(&latest.project));
            let session = format!("{project}/sessions/{}", segment(&latest.session));
            let objective = latest.objective.clone().unwrap_or_else(|| latest.session.clone());
            crumbs.push((latest.project_name.clone(), project));
            crumbs.push((objective, session));
        }
        let body = show::body(told, asked, parts);
        Sheet { title: format!("Conversation {name}"), crumbs, body }
    }
}
