//! Everything about one session: where it stands, and what its records tell.

use serde::Serialize;
use waypost_core::actor::Actor;
use waypost_core::event::{CommitAdded, Event, Known, SessionEnded};
use waypost_core::evidence::RecordedRun;
use waypost_core::id::StreamId;
use waypost_core::record::Record;
use waypost_core::time::Timestamp;

use crate::error::AppError;
use crate::status::{self, SessionStatus};
use crate::violations::{self, Recorded};
use crate::workspace::Workspace;

/// Everything about one session.
#[derive(Debug, Serialize)]
pub struct Shown {
    /// Where it stands.
    #[serde(flatten)]
    pub status: SessionStatus,
    /// The workflow it follows.
    pub workflow: String,
    /// The commit it began at.
    pub starting_commit: Option<String>,
    /// How it last ended, if it did.
    pub ended: Option<SessionEnded>,
    /// What was written down.
    pub notes: Vec<Note>,
    /// The commits that belong to it.
    pub commits: Vec<Commit>,
    /// The musts that were missed.
    pub violation_details: Vec<Recorded>,
    /// What ran.
    pub evidence: Vec<RecordedRun>,
}

/// A note with its place in the stream.
#[derive(Debug, Serialize)]
pub struct Note {
    /// The record.
    pub seq: u64,
    /// When.
    pub time: Timestamp,
    /// Who.
    pub actor: Actor,
    /// What sort of note.
    pub kind: String,
    /// The text, verbatim.
    pub text: String,
}

/// A commit with its place in the stream.
#[derive(Debug, Serialize)]
pub struct Commit {
    /// The record.
    pub seq: u64,
    /// When it was recorded.
    pub time: Timestamp,
    /// The commit.
    #[serde(flatten)]
    pub commit: CommitAdded,
}

/// Everything about one session.
pub fn of(workspace: &Workspace<'_>, session: Option<&str>) -> Result<Shown, AppError> {
    let status = status::of(workspace, session)?;
    let records = workspace.log.records(&StreamId::Session(status.session_id.clone()))?;
    let mut shown = Shown {
        status,
        workflow: String::new(),
        starting_commit: None,
        ended: None,
        notes: Vec::new(),
        commits: Vec::new(),
        violation_details: Vec::new(),
        evidence: Vec::new(),
    };
    for record in &records {
        shown.add(record);
    }
    Ok(shown)
}

impl Shown {
    fn add(&mut self, record: &Record) {
        let (seq, time) = (record.seq, record.time);
        let Event::Known(event) = &record.event else {
            return;
        };
        match event {
            Known::SessionStarted(started) => {
                self.workflow.clone_from(&started.workflow);
                self.starting_commit.clone_from(&started.commit);
            }
            Known::SessionEnded(ended) => self.ended = Some(ended.clone()),
            Known::NoteAdded { note_kind, text } => self.notes.push(Note {
                seq,
                time,
                actor: record.actor.clone(),
                kind: note_kind.clone(),
                text: text.clone(),
            }),
            Known::CommitAdded(commit) => {
                self.commits.push(Commit { seq, time, commit: commit.clone() });
            }
            Known::CommandRan(run) => {
                self.evidence.push(RecordedRun { seq, time, run: run.clone() });
            }
            _ => self.violation_details.extend(violations::violation(record)),
        }
    }
}
