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
use crate::track::{Phase, PhaseResult, Track};

/// How much of a text is in the state, in characters; the record has all of it.
const MAX_TEXT: usize = 1000;
/// How much of a name is in the state, in characters.
const MAX_NAME: usize = 255;
/// How many satisfied gates are, the latest. Of conversations, as many as of any that are over.
const MAX_MARKS: usize = 48;
/// How long the name of a gate or of what ran an agent may be, in characters.
const MAX_WORD: usize = 64;
/// How long a commit's hash is at most.
const MAX_SHA: usize = 64;

impl SessionState {
    /// It is what that program says it is. What was imported before is replaced.
    pub(super) fn import(&mut self, record: &Record, imported: &SessionImported) {
        let imported = &*imported.bounded();
        let foreign = Basics::read(&imported.manifest);
        let past = &imported.past;
        let earliest = known_times(&foreign, past).into_iter().min();
        let known_until = known_until(&foreign, past);
        *self = Self { version: self.version, loss: self.loss, ..Self::default() };
        self.lifecycle = foreign.lifecycle();
        self.objective = Some(shortened(&foreign.topic, MAX_TEXT));
        self.workflow = name(past.workflow.as_ref()).unwrap_or(foreign.session_type);
        self.branch = name(foreign.git.branch.as_ref());
        self.base_branch = name(foreign.git.base_branch.as_ref());
        self.build = foreign.build_progress.build();
        self.worktree.clone_from(&imported.worktree);
        self.started_at = foreign.created_at.or(earliest).or(Some(record.time));
        self.updated_at = known_until.or(Some(record.time));
        self.commit = past.starting_commit.as_ref().map(|sha| shortened(sha, MAX_SHA));
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
        let commits = foreign.commits.iter().rev().filter(|commit| !commit.sha.is_empty());
        let latest = commits.take(MAX_COMMITS).map(|commit| shortened(&commit.sha, MAX_SHA));
        self.commits.extend(latest);
        self.commits.reverse();
        self.follow(record.time, imported);
        self.meet(record, past);
        let called = imported.manifest.get("session_id").and_then(serde_json::Value::as_str);
        self.imported = Some(Imported {
            seq: record.seq,
            format: shortened(&imported.format, MAX_NAME),
            name: called.map(|called| shortened(called, MAX_TEXT)),
            source: imported.from.as_ref().map(|from| shortened(&from.sha256, MAX_SHA)),
        });
    }

    /// Publishing looks at files and sets others aside: that is no work, and reopens nothing. `untouched` is when something
    /// last happened to a session that was as it was imported.
    pub(super) fn stay_as_imported(&mut self, untouched: Option<Timestamp>) {
        if let (Some(updated_at), Some(imported)) = (untouched, &mut self.imported) {
            imported.seq = self.version;
            self.updated_at = Some(updated_at);
        }
    }

    /// Where its workflow is.
    fn follow(&mut self, time: Timestamp, imported: &SessionImported) {
        let (past, Some(definition)) = (&imported.past, imported.definition.as_deref()) else {
            return;
        };
        let began = self.started_at.unwrap_or(time);
        let Some(mut track) = Track::begin_at(definition, past.phase.as_deref(), began) else {
            return;
        };
        track.target = past.target.as_ref().map(|target| shortened(target, MAX_TEXT));
        let known = past.phases.iter().find(|known| known.name == track.phase);
        track.entered_at = known.and_then(|known| known.started_at).unwrap_or(began);
        track.failed = known.is_some_and(|known| known.result == PhaseResult::Failed);
        let is_skipped = |phase: &&Phase| {
            let mut known = past.phases.iter();
            known.any(|one| one.name == phase.name && one.result == PhaseResult::Skipped)
        };
        for phase in definition.phases.iter().filter(is_skipped) {
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
        for known in &past.conversations {
            let mut conversation = Conversation::new(&shortened(&known.harness, MAX_WORD));
            conversation.since = record.seq;
            conversation.first = record.seq;
            self.conversations.insert(known.conversation.clone(), conversation);
        }
        self.forget_detached();
        let mut latest: Vec<&PastMark> = past.satisfied.iter().collect();
        latest.sort_by_key(|mark| mark.time);
        for mark in &latest[latest.len().saturating_sub(MAX_MARKS)..] {
            let time = mark.time.unwrap_or(record.time);
            let from = EvidenceOrigin { seq: record.seq, time, actor: &record.actor };
            self.ledger.add_mark(from, &claimed(mark));
        }
    }
}

fn name(told: Option<&String>) -> Option<String> {
    told.map(|told| shortened(told, MAX_NAME))
}

impl SessionImported {
    /// When something last happened before it was imported, where that is known. What is kept by hand is often not
    /// told of what came last.
    pub(crate) fn known_until(&self) -> Option<Timestamp> {
        known_until(&Basics::read(&self.manifest), &self.past)
    }
}

fn known_until(foreign: &Basics, past: &Past) -> Option<Timestamp> {
    known_times(foreign, past).into_iter().max().max(foreign.updated_at)
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
        gate: shortened(&mark.gate, MAX_WORD),
        provenance: Provenance::Claimed,
        conversation: mark.conversation.clone(),
        until: mark.until,
        tree: None,
        note: mark.note.as_ref().map(|note| shortened(note, MAX_TEXT)),
        shown: None,
        signature: None,
        signed_at: None,
    }
}

#[cfg(test)]
mod tests;
