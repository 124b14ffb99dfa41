//! The state of a session that another program kept until now.

use super::basics::Basics;
use super::fold::MAX_COMMITS;
use super::{Conversation, Imported, Lifecycle, Pause, SessionState};
use crate::event::{Focus, Past, PastMark, SessionImported};
use crate::evidence::{Mark, Provenance};
use crate::gate::modes;
use crate::ledger::EvidenceOrigin;
use crate::record::Record;
use crate::text::shortened;
use crate::time::Timestamp;
use crate::track::{PhaseResult, Track, TrackStarted};

/// How much of a text is in the state, in characters; the record has all of it.
const MAX_TEXT: usize = 1000;
/// How much of a name is in the state, in characters.
const MAX_NAME: usize = 255;
/// How many conversations and satisfied gates are.
const MAX_ENTRIES: usize = 256;

impl SessionState {
    /// It is what that program says it is. What was imported before is replaced.
    pub(super) fn import(&mut self, record: &Record, imported: &SessionImported) {
        let foreign = Basics::read(&imported.manifest);
        let past = &imported.past;
        let known = known_times(&foreign, past);
        let (earliest, latest) = (known.iter().min().copied(), known.iter().max().copied());
        *self = Self { version: self.version, loss: self.loss, ..Self::default() };
        self.lifecycle = foreign.lifecycle();
        self.objective = Some(shortened(&foreign.topic, MAX_TEXT));
        self.workflow = name(past.workflow.as_ref()).unwrap_or(foreign.session_type);
        self.branch = name(foreign.git.branch.as_ref());
        self.base_branch = name(foreign.git.base_branch.as_ref());
        self.build = foreign.build_progress.build();
        self.worktree.clone_from(&imported.worktree);
        self.started_at = foreign.created_at.or(earliest).or(Some(record.time));
        // What is kept by hand is often not told of what came last.
        self.updated_at = foreign.updated_at.max(latest).or(Some(record.time));
        self.commit = name(past.starting_commit.as_ref());
        let tighter = [modes::ANALYSIS, modes::PLANNING];
        self.mode = past.mode.clone().filter(|mode| tighter.contains(&mode.as_str()));
        self.focus = Focus {
            feature: name(past.focus.feature.as_ref()),
            task: name(past.focus.task.as_ref()),
            workflow_phase: past.focus.workflow_phase,
        };
        self.resumed = past.resumed;
        self.violations = past.violations.len().try_into().unwrap_or(u64::MAX);
        self.ended_at = match self.lifecycle {
            Lifecycle::Completed | Lifecycle::Failed => past.ended_at.or(self.updated_at),
            _ => None,
        };
        self.pause = past.pause.as_ref().map(|pause| Pause {
            reason: shortened(&pause.reason, MAX_TEXT),
            context: pause.context.as_ref().map(|context| shortened(context, MAX_TEXT)),
            since: pause.since.or(self.updated_at).unwrap_or(record.time),
        });
        let commits = foreign.commits.into_iter().map(|commit| commit.sha);
        self.commits.extend(commits.filter(|sha| !sha.is_empty()));
        let surplus = self.commits.len().saturating_sub(MAX_COMMITS);
        self.commits.drain(..surplus);
        self.follow(record.time, imported);
        self.meet(record, past);
        let name = imported.manifest.get("session_id").and_then(serde_json::Value::as_str);
        self.imported = Some(Imported {
            seq: record.seq,
            format: imported.format.clone(),
            name: name.map(|name| shortened(name, MAX_TEXT)),
            source: imported.from.as_ref().map(|from| shortened(&from.sha256, 64)),
        });
    }

    /// Where its workflow is.
    fn follow(&mut self, time: Timestamp, imported: &SessionImported) {
        let (past, Some(definition)) = (&imported.past, imported.definition.as_deref()) else {
            return;
        };
        let started = TrackStarted {
            target: past.target.clone(),
            at: past.phase.clone(),
            ..TrackStarted::new(None, definition.clone())
        };
        let began = self.started_at.unwrap_or(time);
        let Some(mut track) = Track::begin(&started, began) else { return };
        let known = past.phases.iter().find(|known| known.name == track.phase);
        track.entered_at = known.and_then(|known| known.started_at).unwrap_or(began);
        track.failed = known.is_some_and(|known| known.result == PhaseResult::Failed);
        for phase in past.phases.iter().filter(|known| known.result == PhaseResult::Skipped) {
            track.skip(&phase.name);
        }
        if past.complete {
            track.completed_at = Some(self.ended_at.or(self.updated_at).unwrap_or(time));
        }
        self.workflow.clone_from(&definition.name);
        self.track = Some(Box::new(track));
    }

    /// Who worked in it, and what was satisfied for them.
    fn meet(&mut self, record: &Record, past: &Past) {
        for known in past.conversations.iter().take(MAX_ENTRIES) {
            let mut conversation = Conversation::new(&known.harness);
            conversation.since = record.seq;
            conversation.first = record.seq;
            self.conversations.insert(known.conversation.clone(), conversation);
        }
        self.forget_detached();
        for mark in past.satisfied.iter().take(MAX_ENTRIES) {
            let time = mark.time.unwrap_or(record.time);
            let from = EvidenceOrigin { seq: record.seq, time, actor: &record.actor };
            self.ledger.add_mark(from, &claimed(mark));
        }
    }
}

fn name(told: Option<&String>) -> Option<String> {
    told.map(|told| shortened(told, MAX_NAME))
}

/// The times at which something is known to have happened.
fn known_times(foreign: &Basics, past: &Past) -> Vec<Timestamp> {
    let phases = past.phases.iter().flat_map(|phase| [phase.started_at, phase.completed_at]);
    let commits = foreign.commits.iter().map(|commit| commit.created_at);
    let others = [past.ended_at, past.resumed_at, foreign.created_at];
    phases.chain(commits).chain(others).flatten().collect()
}

/// Whoever said so there, here it is a claim: nobody saw it.
fn claimed(mark: &PastMark) -> Mark {
    Mark {
        gate: mark.gate.clone(),
        provenance: Provenance::Claimed,
        conversation: mark.conversation.clone(),
        until: mark.until,
        tree: None,
        note: mark.note.as_ref().map(|note| shortened(note, MAX_TEXT)),
        signature: None,
        signed_at: None,
    }
}
