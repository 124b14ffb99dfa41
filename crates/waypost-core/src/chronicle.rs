//! What the records of a session tell in full, in their order: what was written down, committed and run, how it came here
//! and how it ended. Not bounded, so nothing that decides is made of it.

#![deny(clippy::wildcard_enum_match_arm, reason = "a new event has to be decided on here")]

use serde::Serialize;

use crate::actor::Actor;
use crate::event::{
    CommitAdded, Event, Known, Past, PastNote, SessionEnded, SessionImported, SessionOutcome,
    SessionRestored,
};
use crate::evidence::RecordedRun;
use crate::record::Record;
use crate::session::{Basics, Lifecycle};
use crate::time::Timestamp;

/// What the records of a session tell.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Chronicle {
    /// The commit it began at.
    pub starting_commit: Option<String>,
    /// How it last ended, if it did.
    pub ended: Option<SessionEnded>,
    /// What was written down.
    pub notes: Vec<Note>,
    /// The commits that belong to it.
    pub commits: Vec<Commit>,
    /// What ran.
    pub evidence: Vec<RecordedRun>,
    /// How it came here, with its original, if another program kept it before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported: Option<SessionImported>,
}

/// A note with its place in the stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    /// The record.
    pub seq: u64,
    /// When it was written. What was imported does not always say.
    pub time: Option<Timestamp>,
    /// Who recorded it.
    pub actor: Actor,
    /// Who wrote it, in words. What was imported does not always say.
    pub by: Option<String>,
    /// What sort of note.
    pub kind: String,
    /// The text, verbatim.
    pub text: String,
}

/// A commit with its place in the stream.
#[derive(Debug, Clone, Serialize)]
pub struct Commit {
    /// The record.
    pub seq: u64,
    /// When it was made or recorded. What was imported does not always say.
    pub time: Option<Timestamp>,
    /// The commit.
    #[serde(flatten)]
    pub commit: CommitAdded,
}

impl Chronicle {
    /// What these records tell.
    pub fn of<'a>(records: impl IntoIterator<Item = &'a Record>) -> Self {
        let mut chronicle = Self::default();
        for record in records {
            chronicle.add(record);
        }
        chronicle
    }

    /// What was known before it was kept here. What was imported before is replaced.
    fn import(&mut self, record: &Record, imported: &SessionImported) {
        let (past, basics) = (&imported.past, Basics::read(&imported.manifest));
        let note = |note: &PastNote| Note {
            seq: record.seq,
            time: note.time,
            actor: record.actor.clone(),
            by: note.by.clone(),
            kind: note.kind.clone(),
            text: note.text.clone(),
        };
        let mut notes: Vec<Note> = past.notes.iter().map(note).collect();
        let ended = ended(past, basics.lifecycle());
        if !basics.lifecycle().is_over() {
            // What came of it so far is no end.
            let told = [("summary", &past.summary), ("next", &past.next_notes)];
            let told = told.into_iter().filter_map(|(kind, text)| Some((kind, text.clone()?)));
            notes.extend(told.map(|(kind, text)| {
                note(&PastNote { kind: kind.to_owned(), text, by: None, time: None })
            }));
        }
        let commits = basics.commits.into_iter().map(|commit| Commit {
            seq: record.seq,
            time: commit.created_at,
            commit: CommitAdded {
                checkpoint: commit.checkpoint,
                ..CommitAdded::new(commit.sha, commit.message)
            },
        });
        *self = Self {
            starting_commit: past.starting_commit.clone(),
            ended,
            notes,
            commits: commits.collect(),
            evidence: Vec::new(),
            imported: Some(imported.clone()),
        };
    }

    /// What a mirror held of it: no more than what the top of a manifest says.
    fn restore(&mut self, record: &Record, restored: &SessionRestored) {
        let commits = Basics::read(&restored.basics).commits.into_iter().map(|commit| Commit {
            seq: record.seq,
            time: commit.created_at,
            commit: CommitAdded {
                checkpoint: commit.checkpoint,
                ..CommitAdded::new(commit.sha, commit.message)
            },
        });
        let text = |key: &str| restored.story.get(key)?.as_str().map(str::to_owned);
        let commit = restored.state.get("commit").and_then(|commit| commit.as_str());
        *self = Self {
            starting_commit: commit.map(str::to_owned),
            commits: commits.collect(),
            ended: ended(
                &Past {
                    summary: text("summary"),
                    next_notes: text("next_notes"),
                    ..Past::default()
                },
                Basics::read(&restored.basics).lifecycle(),
            ),
            ..Self::default()
        };
    }

    fn commit(&mut self, record: &Record, commit: &CommitAdded) {
        match self.commits.iter_mut().find(|known| known.commit.sha == commit.sha) {
            Some(Commit { commit: known, .. }) => {
                known.checkpoint = commit.checkpoint.or(known.checkpoint);
            }
            None => self.commits.push(Commit {
                seq: record.seq,
                time: Some(record.time),
                commit: commit.clone(),
            }),
        }
    }

    /// Takes one more record into account.
    #[expect(clippy::too_many_lines, reason = "one match over all events")]
    pub fn add(&mut self, record: &Record) {
        let (seq, time) = (record.seq, record.time);
        let Event::Known(event) = &record.event else { return };
        match event {
            Known::SessionStarted(started) => {
                self.starting_commit.clone_from(&started.commit);
            }
            Known::SessionImported(imported) => self.import(record, imported),
            Known::SessionRestored(restored) => self.restore(record, restored),
            Known::SessionEnded(ended) => self.ended = Some(ended.clone()),
            Known::NoteAdded { note_kind, text } => self.notes.push(Note {
                seq,
                time: Some(time),
                actor: record.actor.clone(),
                by: Some(record.actor.label()),
                kind: note_kind.clone(),
                text: text.clone(),
            }),
            Known::CommitAdded(commit) => self.commit(record, commit),
            Known::CommandRan(run) => self.evidence.push(RecordedRun {
                seq,
                time,
                conversation: record.actor.conversation().cloned(),
                run: run.clone(),
            }),
            // Of these the state, the course or the violations tell, or nobody asks for them.
            Known::ProjectInitialised { .. }
            | Known::PolicyCompiled(_)
            | Known::PolicyLost(_)
            | Known::SessionNamed { .. }
            | Known::SessionPaused { .. }
            | Known::SessionResumed { .. }
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
            | Known::UsageCounted(_)
            | Known::SubagentCalled(_)
            | Known::AgentInvoked(_)
            | Known::AgentCompleted(_)
            | Known::DecisionRecorded(_)
            | Known::DecisionReviewed { .. }
            | Known::VerdictGiven(_)
            | Known::VerdictResolved { .. }
            | Known::HandoffCreated(_)
            | Known::HandoffAccepted(_)
            | Known::HistoryCompacted(_)
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

/// How it ended in another program, if it did and anything is told of that.
fn ended(past: &Past, lifecycle: Lifecycle) -> Option<SessionEnded> {
    let failed = lifecycle == Lifecycle::Failed;
    let outcome = if failed { SessionOutcome::Failed } else { SessionOutcome::Completed };
    let (summary, next_notes) = (past.summary.clone(), past.next_notes.clone());
    let is_told = summary.is_some() || next_notes.is_some();
    (is_told && lifecycle.is_over()).then_some(SessionEnded { outcome, summary, next_notes })
}
