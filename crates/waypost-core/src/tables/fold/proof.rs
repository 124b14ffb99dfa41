//! The rows of what gates ask for: evidence, marks, gates, violations and commits.

use super::super::rows::{CommitRow, EvidenceRow, GateRow, ViolationRow};
use super::super::told::text;
use super::SessionRows;
use crate::event::{CommitAdded, SessionImported, Violation};
use crate::evidence::{Evidence, Mark, Run, Sort};
use crate::gate::ruling::{Outcome, Ruling};
use crate::id::ConversationId;
use crate::record::Record;
use crate::session::Basics;

impl SessionRows {
    /// What was known of it before it was kept here. What was imported before is replaced.
    pub(super) fn import(&mut self, record: &Record, imported: &SessionImported) {
        for commit in Basics::read(&imported.manifest).commits {
            let row = CommitRow {
                session: self.session,
                sha: commit.sha.clone(),
                seq: record.seq,
                time: commit.created_at,
                message: text(&commit.message),
                checkpoint: commit.checkpoint,
                unproven: 0,
                unruled: false,
            };
            self.commits.insert(commit.sha, row);
        }
        for (place, violation) in imported.past.violations.iter().enumerate() {
            let key = (record.seq, place as u64);
            let row = ViolationRow {
                session: self.session,
                seq: key.0,
                place: key.1,
                time: violation.time,
                conversation: None,
                gate: violation.requirement.clone(),
                requirement: text(&violation.requirement),
                severity: violation.severity.clone(),
                reason: String::new(),
                recovery: violation.recovery.as_deref().map(text),
                recovered_at: None,
            };
            self.violations.insert(key, row);
        }
    }

    pub(super) fn commit(&mut self, record: &Record, commit: &CommitAdded) {
        let row = CommitRow {
            session: self.session,
            sha: commit.sha.clone(),
            seq: record.seq,
            time: Some(record.time),
            message: text(&commit.message),
            checkpoint: commit.checkpoint,
            unproven: commit.unproven.len() as u64,
            unruled: commit.unruled,
        };
        self.commits.insert(commit.sha.clone(), row);
    }

    fn evidence(&self, record: &Record, kind: &str, subject: &str) -> EvidenceRow {
        EvidenceRow {
            session: self.session,
            seq: record.seq,
            time: record.time,
            conversation: record.actor.conversation().map(ToString::to_string),
            kind: kind.to_owned(),
            subject: text(subject),
            status: None,
            tests: None,
            failed: None,
            tree: None,
            provenance: String::new(),
        }
    }

    pub(super) fn ran(&mut self, record: &Record, run: &Run) {
        self.evidence.push(EvidenceRow {
            status: Some(run.status.into()),
            tests: run.tests.map(|tests| tests.executed()),
            failed: run.tests.map(|tests| tests.failed),
            tree: run
                .tree_after
                .id()
                .filter(|id| run.tree_before.id() == Some(id))
                .map(str::to_owned),
            provenance: run.provenance.to_string(),
            ..self.evidence(record, "run", &run.command)
        });
    }

    pub(super) fn seen(&mut self, record: &Record, evidence: &Evidence) {
        let kind = match evidence.sort {
            Sort::Read => "read",
            Sort::Called => "called",
            Sort::Skill => "skill",
            Sort::Fields => "fields",
        };
        self.evidence.push(EvidenceRow {
            provenance: evidence.provenance.to_string(),
            ..self.evidence(record, kind, &evidence.subject)
        });
    }

    pub(super) fn mark(&mut self, record: &Record, mark: &Mark) {
        self.evidence.push(EvidenceRow {
            tree: mark.tree.clone(),
            provenance: mark.provenance.to_string(),
            ..self.evidence(record, "mark", &mark.gate)
        });
        self.gate(record, &mark.gate, &mark.provenance.to_string());
    }

    /// What came of a gate.
    pub(super) fn gate(&mut self, record: &Record, gate: &str, status: &str) {
        let row = self.gates.entry(gate.to_owned()).or_insert_with(|| GateRow {
            session: self.session,
            gate: gate.to_owned(),
            status: String::new(),
            time: record.time,
            why: None,
            held: 0,
            warned: 0,
        });
        status.clone_into(&mut row.status);
        row.time = record.time;
    }

    pub(super) fn gates(&mut self, record: &Record, gates: &[String], status: &str) {
        for gate in gates {
            self.gate(record, gate, status);
        }
    }

    pub(super) fn rule(&mut self, record: &Record, ruling: &Ruling) {
        for finding in ruling.unmet() {
            let held = ruling.outcome == Outcome::Deny;
            self.gate(record, &finding.gate, if held { "held" } else { "warned" });
            if let Some(row) = self.gates.get_mut(&finding.gate) {
                row.why = Some(text(&finding.why));
                *(if held { &mut row.held } else { &mut row.warned }) += 1;
            }
        }
    }

    pub(super) fn miss(&mut self, record: &Record, violation: &Violation) {
        let row = ViolationRow {
            session: self.session,
            seq: record.seq,
            place: 0,
            time: Some(record.time),
            conversation: violation.conversation.as_ref().map(ToString::to_string),
            gate: violation.gate.clone(),
            requirement: text(&violation.requirement),
            severity: violation.severity.clone(),
            reason: text(&violation.reason),
            recovery: None,
            recovered_at: None,
        };
        self.violations.insert((record.seq, 0), row);
    }

    pub(super) fn recover(
        &mut self,
        record: &Record,
        conversation: Option<&ConversationId>,
        gate: &str,
        recovery: &str,
    ) {
        let whose = conversation.map(ConversationId::as_str);
        let open = self.violations.values_mut().filter(|row| row.recovery.is_none());
        for row in open.filter(|row| row.gate == gate && row.conversation.as_deref() == whose) {
            row.recovery = Some(text(recovery));
            row.recovered_at = Some(record.time);
        }
    }
}
