//! Everything about one session: where it stands, and what its records tell.

#![deny(clippy::wildcard_enum_match_arm, reason = "a new event has to be decided on here")]

use serde::Serialize;
use waypost_core::actor::Actor;
use waypost_core::event::{CommitAdded, Event, Known, SessionEnded};
use waypost_core::evidence::RecordedRun;
use waypost_core::id::StreamId;
use waypost_core::record::Record;
use waypost_core::session::{Basics, SessionState};
use waypost_core::story::Story;
use waypost_core::time::Timestamp;

use crate::documents::dev_notes::{self, DevNote};
use crate::documents::spec::{self, Spec};
use crate::error::AppError;
use crate::rulings::violations::{self, RecordedViolation};
use crate::standing::status::SessionStatus;
use crate::standing::{Asker, Stand};
use crate::tracks::workflow;
use crate::view::copy::{self, Kept};
use crate::view::{Session, View};

/// Everything about one session.
#[derive(Debug, Serialize)]
pub struct Shown {
    /// Where it stands.
    #[serde(flatten)]
    pub status: SessionStatus,
    /// How it is kept here.
    pub kept: Kept,
    /// What there is to say about that.
    pub remark: Option<String>,
    /// The commit it began at.
    pub starting_commit: Option<String>,
    /// How it last ended, if it did.
    pub ended: Option<SessionEnded>,
    /// What was written down.
    pub notes: Vec<Note>,
    /// The commits that belong to it.
    pub commits: Vec<Commit>,
    /// The musts that were missed.
    pub violation_details: Vec<RecordedViolation>,
    /// What ran.
    pub evidence: Vec<RecordedRun>,
    /// What its `spec.md` says of goals, open questions and decisions.
    pub spec: Spec,
    /// What was learnt while building, as `dev-notes.json` tells.
    pub dev_notes: Vec<DevNote>,
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

/// Everything about one session, also where it is only a folder in the work tree.
pub fn of(view: &View<'_>, named: &str) -> Result<Shown, AppError> {
    let id = view.id_by_prefix(named)?;
    let stream = StreamId::Session(id.clone());
    let (kept, remark, records) = if view.log.exists(&stream) {
        readable(view, &stream)?
    } else {
        match copy::of(view, &id)? {
            Some(copy) => (copy.kept, copy.remark, copy.records),
            None => return Err(AppError::refused(format!("nothing is left of session {id}"))),
        }
    };
    let (spec, dev_notes) = (spec::of(view, &id), dev_notes::of(view, &id));
    let session = Session { id, state: SessionState::fold(&records).into() };
    let story = Story::of(&records);
    let story = Story { course: story.course.at(view.host.now()), ..story };
    let policy = workflow::policy_in(view, &session)?;
    let asker = Asker::calling(view);
    let status = SessionStatus::of(view, Stand::with(view, session, policy, &asker, story)?);
    let mut shown = Shown {
        status,
        kept,
        remark,
        starting_commit: None,
        ended: None,
        notes: Vec::new(),
        commits: Vec::new(),
        violation_details: Vec::new(),
        evidence: Vec::new(),
        spec,
        dev_notes,
    };
    for record in &records {
        shown.add(record);
    }
    Ok(shown)
}

/// A stream's records, as far as they can be read.
fn readable(
    view: &View<'_>,
    stream: &StreamId,
) -> Result<(Kept, Option<String>, Vec<Record>), AppError> {
    let mut records = Vec::new();
    match view.log.each(stream, |record| records.push(record)) {
        Ok(()) => Ok((Kept::Live, None, records)),
        Err(error) if error.is_integrity() && !records.is_empty() => {
            let kept = if error.is_newer() { Kept::Newer } else { Kept::Damaged };
            let error = AppError::from(error);
            let way_out = error.next(view.voice()).join("; ");
            let told = format!("only as far as it can be read: {}; {way_out}", error.message);
            Ok((kept, Some(told), records))
        }
        Err(error) => Err(error.into()),
    }
}

impl Shown {
    #[expect(clippy::too_many_lines, reason = "one match over all events")]
    fn add(&mut self, record: &Record) {
        violations::note(&mut self.violation_details, record);
        let (seq, time) = (record.seq, record.time);
        let Event::Known(event) = &record.event else { return };
        match event {
            Known::SessionStarted(started) => {
                self.starting_commit.clone_from(&started.commit);
            }
            Known::SessionImported(imported) => {
                let basics = Basics::read(&imported.manifest);
                let time = basics.created_at.unwrap_or(time);
                let commits = basics.commits.into_iter().map(|commit| Commit {
                    seq,
                    time: commit.created_at.unwrap_or(time),
                    commit: CommitAdded {
                        checkpoint: commit.checkpoint,
                        ..CommitAdded::new(commit.sha, commit.message)
                    },
                });
                self.commits.extend(commits);
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
                match self.commits.iter_mut().find(|known| known.commit.sha == commit.sha) {
                    Some(Commit { commit: known, .. }) => {
                        known.checkpoint = commit.checkpoint.or(known.checkpoint);
                    }
                    None => self.commits.push(Commit { seq, time, commit: commit.clone() }),
                }
            }
            Known::CommandRan(run) => {
                self.evidence.push(RecordedRun {
                    seq,
                    time,
                    conversation: record.actor.conversation().cloned(),
                    run: run.clone(),
                });
            }
            // Of these the status or the violations tell, or nobody asks for them.
            Known::ProjectInitialised { .. }
            | Known::PolicyCompiled(_)
            | Known::PolicyLost(_)
            | Known::SessionNamed { .. }
            | Known::SessionPaused { .. }
            | Known::SessionResumed {}
            | Known::SessionArchived { .. }
            | Known::BuildStarted { .. }
            | Known::BuildExtended { .. }
            | Known::CheckpointStarted { .. }
            | Known::CheckpointCompleted { .. }
            | Known::TaskCompleted { .. }
            | Known::GitChanged(_)
            | Known::FocusSet(_)
            | Known::ConversationAttached(_)
            | Known::ConversationDetached { .. }
            | Known::PolicyPinned { .. }
            | Known::TurnStarted { .. }
            | Known::EditObserved { .. }
            | Known::EditsFound { .. }
            | Known::WorktreeEntered { .. }
            | Known::DebtHandedOn { .. }
            | Known::SubagentStarted { .. }
            | Known::SubagentEnded { .. }
            | Known::EvidenceRecorded(_)
            | Known::GateMarked(_)
            | Known::GateCleared { .. }
            | Known::GatesPaused(_)
            | Known::GatesUnpaused { .. }
            | Known::CarriedOver(_)
            | Known::GatesPassed { .. }
            | Known::ModeSet { .. }
            | Known::Shared(_)
            | Known::ConfigTrusted { .. }
            | Known::RulingMade(_)
            | Known::ViolationRecorded(_)
            | Known::ViolationRecovered { .. }
            | Known::TrackStarted(_)
            | Known::PhaseEntered { .. }
            | Known::PhaseChecked(_)
            | Known::PhaseSkipped { .. }
            | Known::PhaseRetried { .. }
            | Known::RolledBack { .. }
            | Known::TrackExtended(_)
            | Known::TrackCompleted { .. }
            | Known::StopAllowed { .. }
            | Known::TailCut(_)
            | Known::LossAccepted { .. }
            | Known::SessionAdopted { .. }
            | Known::ArtifactsChanged { .. }
            | Known::CopySetAside { .. }
            | Known::CurrentChosen { .. }
            | Known::ProjectRemoved { .. }
            | Known::GatesSwitched { .. }
            | Known::CopyTrusted { .. } => {}
        }
    }
}
