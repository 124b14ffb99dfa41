//! The last sessions: what each was for, what came of it, and what it left for the next. Whoever tells
//! of the past across sessions tells this.

use serde::Serialize;
use waypost_core::id::{SessionId, StreamId};
use waypost_core::session::Lifecycle;
use waypost_core::story::Story;
use waypost_core::text::shortened;
use waypost_core::time::Timestamp;

use crate::documents::spec;
use crate::error::AppError;
use crate::sessions::list::{self, Filter, ListedSession};
use crate::view::View;
use crate::view::copy::{self, Kept};

/// How many are told of, unless somebody asks for more.
pub const LAST: usize = 10;
/// How many decisions of one are told.
const MAX_DECISIONS: usize = 12;
/// How much of a text is told, in characters.
const MAX_TEXT: usize = 1000;

/// A session among the last.
#[derive(Debug, Serialize)]
pub struct PastSession {
    /// The session.
    pub session_id: SessionId,
    /// What it was for.
    pub objective: Option<String>,
    /// COMPLETE, FAILED, ABANDONED, PAUSED, ACTIVE or ARCHIVED.
    pub outcome: &'static str,
    /// Its last commit.
    pub commit_sha: Option<String>,
    /// What was decided in it.
    pub key_decisions: Vec<String>,
    /// What whoever comes next should know.
    pub next_session_notes: Option<String>,
    /// What came of it.
    pub summary: Option<String>,
    /// Its branch.
    pub branch: Option<String>,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// When something last happened.
    pub updated_at: Option<Timestamp>,
    /// How many musts were missed.
    pub violations: u64,
}

/// The last sessions that are wanted, the newest first, at most `most` of them.
pub fn of(view: &View<'_>, filter: &Filter, most: usize) -> Result<Vec<PastSession>, AppError> {
    let mut sessions = list::list(view, filter)?.sessions;
    let when = |one: &ListedSession| (one.updated_at, one.started_at, one.session_id.clone());
    sessions.sort_by_key(|one| std::cmp::Reverse(when(one)));
    sessions.into_iter().take(most).map(|listed| told(view, listed)).collect()
}

fn told(view: &View<'_>, listed: ListedSession) -> Result<PastSession, AppError> {
    let story = story(view, &listed)?;
    let decisions = story.decisions.iter().map(|said| said.text.clone());
    let trusted = listed.kept != Kept::Unverified;
    let written = if trusted { spec::of(view, &listed.session_id).decisions } else { Vec::new() };
    let mut key_decisions: Vec<String> = decisions
        .chain(written.into_iter().map(|decision| decision.title))
        .map(|text| shortened(&text, MAX_TEXT))
        .collect();
    // The latest are worth most.
    key_decisions.drain(..key_decisions.len().saturating_sub(MAX_DECISIONS));
    Ok(PastSession {
        outcome: outcome(listed.lifecycle),
        commit_sha: story.commits.last().map(|(sha, _)| sha.clone()),
        key_decisions,
        next_session_notes: story.next_notes.map(|text| shortened(&text, MAX_TEXT)),
        summary: story.summary.map(|text| shortened(&text, MAX_TEXT)),
        session_id: listed.session_id,
        objective: listed.objective,
        branch: listed.branch,
        started_at: listed.started_at,
        updated_at: listed.updated_at,
        violations: listed.violations,
    })
}

/// What its records tell, as far as they can be read. Nobody vouches for what is unverified.
fn story(view: &View<'_>, listed: &ListedSession) -> Result<Story, AppError> {
    let stream = StreamId::Session(listed.session_id.clone());
    match listed.kept {
        Kept::Live => view.story(&listed.session_id),
        Kept::Damaged | Kept::Newer => {
            let mut records = Vec::new();
            // What cannot be read is told of where the session is listed.
            let _ = view.log.each(&stream, |record| records.push(record));
            Ok(Story::of(&records))
        }
        Kept::Copy | Kept::Legacy => {
            let copy = copy::of(view, &listed.session_id)?;
            Ok(copy.map(|copy| Story::of(&copy.records)).unwrap_or_default())
        }
        Kept::Unverified => Ok(Story::default()),
    }
}

fn outcome(lifecycle: Lifecycle) -> &'static str {
    match lifecycle {
        Lifecycle::Completed => "COMPLETE",
        Lifecycle::Failed => "FAILED",
        Lifecycle::Abandoned => "ABANDONED",
        Lifecycle::Paused => "PAUSED",
        Lifecycle::Archived => "ARCHIVED",
        Lifecycle::Active | Lifecycle::Unstarted => "ACTIVE",
    }
}
