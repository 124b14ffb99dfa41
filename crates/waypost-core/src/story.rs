//! What a brief tells of a session's past: how its workflow went, what people and agents wrote down
//! last, what was changed. Bounded like the state, but nothing decides on it, so texts are in it.

#![deny(clippy::wildcard_enum_match_arm, reason = "a new event has to be decided on here")]

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::course::{self, Course};
use crate::event::{Event, Known, PastNote, PastStep, SessionImported, SessionRestored};
use crate::evidence::{VerdictGiven, VerdictWord};
use crate::projection::Projection;
use crate::record::Record;
use crate::session::Basics;
use crate::text::shortened;

/// How much of each sort is remembered, the latest.
const MAX_SAID: usize = 12;
/// How many commits are remembered.
const MAX_COMMITS: usize = 5;
/// How many files are remembered whose change was recorded.
const MAX_FILES: usize = 200;
/// How much of a text is remembered, in characters; the record has all of it.
const MAX_TEXT: usize = 2000;
/// How much of a text that was imported is, and how much of a name.
const MAX_IMPORTED: usize = 1000;
const MAX_NAME: usize = 64;
/// How many agents' summaries are remembered, and how many concerns.
const MAX_AGENTS: usize = 5;
const MAX_CONCERNS: usize = 16;
/// How many wishes or files of one agent, and how much of each.
const MAX_WANTS: usize = 10;
const MAX_WANT: usize = 300;

/// Something that somebody wrote down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// Who, or where it stands.
    pub by: String,
    /// What.
    pub text: String,
}

/// Work that was handed over, and that nobody accepted yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandedOver {
    /// Its record.
    pub seq: u64,
    /// Who recorded it.
    pub by: String,
    /// Who hands over.
    pub from_agent: String,
    /// Who goes on.
    pub to_agent: String,
    /// Why.
    pub reason: String,
    /// What whoever goes on has to know.
    pub context: String,
    /// The files that it is about.
    pub artifacts: Vec<String>,
    /// What has to be looked at first.
    pub checklist: Vec<String>,
}

/// What an agent that judged the work still wants done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Concern {
    /// The record of its verdict.
    pub seq: u64,
    /// The agent.
    pub agent: String,
    /// What it said.
    pub verdict: VerdictWord,
    /// Whether it was seen to be that agent.
    pub counts: bool,
    /// Its blockers and conditions.
    pub wants: Vec<String>,
}

/// What a brief tells of a session's past.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Story {
    /// How the workflow went.
    #[serde(with = "course::kept")]
    pub course: Course,
    /// What keeps the work from going on.
    pub blockers: Vec<Said>,
    /// What is not known yet.
    pub questions: Vec<Said>,
    /// What was decided.
    pub decisions: Vec<Said>,
    /// What it is to reach, as far as notes say so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<Said>,
    /// What was left for whoever goes on.
    pub handoffs: Vec<Said>,
    /// Handoffs that nobody accepted yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub handed: Vec<HandedOver>,
    /// What agents that judged the work still want done: of each its latest verdict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub concerns: Vec<Concern>,
    /// What agents said when they were done, the latest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<Said>,
    /// The latest commits: hash and message.
    pub commits: Vec<(String, String)>,
    /// Files whose change was recorded.
    pub edited: BTreeSet<String>,
    /// What came of it, as was said last.
    pub summary: Option<String>,
    /// What whoever comes next should know, as was said last.
    pub next_notes: Option<String>,
    /// Whether another program kept the session before Waypost did.
    pub began_elsewhere: bool,
}

impl Projection for Story {
    const FOLD: u64 = 6;
    const NAME: &'static str = "story";

    #[expect(clippy::too_many_lines, reason = "one match over all events")]
    fn apply(&mut self, record: &Record) {
        self.course.apply(record);
        let Event::Known(event) = &record.event else { return };
        match event {
            Known::SessionImported(imported) => self.import(record, imported),
            Known::SessionRestored(restored) => self.restore(restored),
            Known::NoteAdded { note_kind, text } => self.hear(note_kind, record, text),
            Known::TrackCompleted { summary, next_notes, .. } => {
                self.end(record, summary.as_deref(), next_notes.as_deref());
            }
            Known::SessionEnded(ended) => {
                self.end(record, ended.summary.as_deref(), ended.next_notes.as_deref());
            }
            // Recorded once more, with its checkpoint.
            Known::CommitAdded(commit)
                if self.commits.iter().any(|(sha, _)| *sha == commit.sha) => {}
            Known::CommitAdded(commit) => {
                let message = shortened(&commit.message, MAX_TEXT);
                keep(&mut self.commits, (commit.sha.clone(), message), MAX_COMMITS);
            }
            Known::DecisionRecorded(decision) => {
                let mut told = said(record, &decision.description);
                told.by = shortened(&decision.decided_by, MAX_NAME);
                keep(&mut self.decisions, told, MAX_SAID);
            }
            Known::AgentCompleted(completed) => {
                let by = shortened(&completed.agent, MAX_NAME);
                let text = shortened(&completed.summary, MAX_IMPORTED);
                keep(&mut self.agents, Said { by, text }, MAX_AGENTS);
            }
            Known::VerdictGiven(verdict) => self.concern(record, verdict),
            Known::VerdictResolved { verdict, .. } => {
                self.concerns.retain(|known| known.seq != *verdict);
            }
            Known::HandoffCreated(handoff) => self.handed.push(HandedOver {
                seq: record.seq,
                by: record.actor.label(),
                from_agent: handoff.from_agent.clone(),
                to_agent: handoff.to_agent.clone(),
                reason: shortened(&handoff.reason, MAX_IMPORTED),
                context: shortened(&handoff.context, MAX_TEXT),
                artifacts: shortened_all(&handoff.artifacts),
                checklist: handoff.checklist.clone(),
            }),
            Known::HandoffAccepted(accepted) => {
                self.handed.retain(|known| known.seq != accepted.handoff);
            }
            Known::EditObserved { path, .. } => self.touch(std::slice::from_ref(path)),
            Known::EditsFound { files, .. } => self.touch(files),
            // Of these the course tells, or a brief tells nothing.
            Known::ProjectInitialised { .. }
            | Known::PolicyCompiled(_)
            | Known::PolicyLost(_)
            | Known::SessionStarted(_)
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
            | Known::SubagentStarted { .. }
            | Known::SubagentEnded { .. }
            | Known::UsageCounted(_)
            | Known::SubagentCalled(_)
            | Known::AgentInvoked(_)
            | Known::DecisionReviewed { .. }
            | Known::HistoryCompacted(_)
            | Known::CommandRan(_)
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
            | Known::StopAllowed { .. }
            | Known::WorktreeEntered { .. }
            | Known::DebtHandedOn { .. }
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

/// The first of them, and of each the beginning.
fn shortened_all<'a>(texts: impl IntoIterator<Item = &'a String>) -> Vec<String> {
    texts.into_iter().take(MAX_WANTS).map(|text| shortened(text, MAX_WANT)).collect()
}

impl Story {
    /// What `records` tell.
    pub fn of<'a>(records: impl IntoIterator<Item = &'a Record>) -> Self {
        let mut story = Self::default();
        for record in records {
            story.apply(record);
        }
        story
    }

    fn concern(&mut self, record: &Record, verdict: &VerdictGiven) {
        let counts = verdict.provenance.counts();
        self.concerns.retain(|known| known.agent != verdict.agent || known.counts != counts);
        let wants = shortened_all(verdict.blockers.iter().chain(&verdict.conditions));
        if !wants.is_empty() {
            let (seq, agent, verdict) = (record.seq, verdict.agent.clone(), verdict.verdict);
            keep(&mut self.concerns, Concern { seq, agent, verdict, counts, wants }, MAX_CONCERNS);
        }
    }

    fn hear(&mut self, kind: &str, record: &Record, text: &str) {
        self.take(kind, said(record, text));
    }

    fn take(&mut self, kind: &str, said: Said) {
        match kind {
            "blocker" => keep(&mut self.blockers, said, MAX_SAID),
            // What was resolved stands no longer in the way.
            "resolution" => drop(self.blockers.pop()),
            "decision" => keep(&mut self.decisions, said, MAX_SAID),
            // The first ones are what it is about.
            "goal" if self.goals.len() < MAX_SAID => self.goals.push(said),
            "question" => keep(&mut self.questions, said, MAX_SAID),
            "handoff" => keep(&mut self.handoffs, said, MAX_SAID),
            _ => {}
        }
    }

    /// What was written down before Waypost kept the session.
    fn import(&mut self, record: &Record, imported: &SessionImported) {
        *self = Self {
            course: std::mem::take(&mut self.course),
            began_elsewhere: true,
            ..Self::default()
        };
        self.course.bound();
        let (past, basics) = (&imported.past, Basics::read(&imported.manifest));
        for PastNote { kind, text, by, .. } in &past.notes {
            self.take(kind, imported_said(by.as_deref(), text));
        }
        if !basics.lifecycle().is_over() {
            let is_open = |step: &&PastStep| step.level == "MUST" && step.done == Some(false);
            for step in past.checklist.iter().filter(is_open).take(MAX_SAID) {
                let text = format!("still to do: {}", shortened(&step.step, MAX_IMPORTED));
                self.take("goal", imported_said(None, &text));
            }
        }
        for commit in basics.commits.iter().rev().take(MAX_COMMITS).rev() {
            let message = shortened(&commit.message, MAX_IMPORTED);
            self.commits.push((shortened(&commit.sha, MAX_NAME), message));
        }
        self.end(record, past.summary.as_deref(), past.next_notes.as_deref());
    }

    /// What a mirror held of it.
    fn restore(&mut self, restored: &SessionRestored) {
        *self = serde_json::from_value(restored.story.clone()).unwrap_or_default();
    }

    fn end(&mut self, record: &Record, summary: Option<&str>, notes: Option<&str>) {
        if let Some(summary) = summary {
            self.summary = Some(shortened(summary, MAX_TEXT));
        }
        if let Some(notes) = notes {
            self.next_notes = Some(shortened(notes, MAX_TEXT));
            keep(&mut self.handoffs, said(record, notes), MAX_SAID);
        }
    }

    fn touch(&mut self, files: &[String]) {
        for file in files {
            if self.edited.len() < MAX_FILES {
                self.edited.insert(file.clone());
            }
        }
    }
}

/// What somebody wrote down before Waypost kept the session.
fn imported_said(by: Option<&str>, text: &str) -> Said {
    let by = shortened(by.unwrap_or("imported"), MAX_NAME);
    Said { by, text: shortened(text, MAX_IMPORTED) }
}

fn said(record: &Record, text: &str) -> Said {
    Said { by: record.actor.label(), text: shortened(text, MAX_TEXT) }
}

fn keep<T>(list: &mut Vec<T>, one: T, most: usize) {
    list.push(one);
    let surplus = list.len().saturating_sub(most);
    list.drain(..surplus);
}
