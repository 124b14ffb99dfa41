//! Commands without credentials: whatever people, agents and other programs wrote is gone over
//! before it can become an event.

use serde_json::Value;

use super::{BuildCommand, Command};
use crate::redact::redact;

/// The command, with what looks like a credential taken out of every text that was written freely.
pub(super) fn redacted(mut command: Command) -> Command {
    match &mut command {
        Command::Start(started) => given(&mut started.objective),
        Command::Name { objective, .. } => text(objective),
        Command::Note { kind, text: note } => {
            text(kind);
            text(note);
        }
        Command::Pause { reason, context } => {
            text(reason);
            given(context);
        }
        Command::End(ended) => both(&mut ended.summary, &mut ended.next_notes),
        Command::CompleteTrack { summary, next_notes, .. } => both(summary, next_notes),
        Command::StartTrack(started, _) => {
            given(&mut started.target);
            started.options.values_mut().for_each(value);
        }
        Command::CompletePhase(complete) => complete.evidence.values_mut().for_each(value),
        Command::SkipPhase { reason, .. }
        | Command::RollBack { reason, .. }
        | Command::Archive { reason } => text(reason),
        Command::AddCommit(commit) => text(&mut commit.message),
        Command::Build(BuildCommand::CompleteTask { task }) => text(task),
        Command::ChangeGit(changed) => both(&mut changed.branch, &mut changed.base_branch),
        Command::SetFocus(change) => both(&mut change.feature, &mut change.task),
        Command::Import(imported) => value(&mut imported.manifest),
        Command::RecordEvidence(evidence) => evidence.fields.values_mut().for_each(value),
        Command::Mark(mark) => given(&mut mark.note),
        Command::Attach { .. }
        | Command::Detach { .. }
        | Command::BeginTurn { .. }
        | Command::ObserveEdit { .. }
        | Command::RecordRun(_)
        | Command::Clear { .. }
        | Command::Pass { .. }
        | Command::SetMode { .. }
        | Command::SettleStop { .. }
        | Command::FindEdits { .. }
        | Command::StartSubagent { .. }
        | Command::EndSubagent { .. }
        | Command::RetryPhase { .. }
        | Command::Advance(_)
        | Command::Miss { .. }
        | Command::Recover { .. }
        | Command::Rule(_)
        | Command::Resume { .. }
        | Command::Build(_)
        | Command::Adopt { .. }
        | Command::NoteArtifacts(_)
        | Command::SetCopyAside { .. } => {}
    }
    command
}

fn both(one: &mut Option<String>, other: &mut Option<String>) {
    given(one);
    given(other);
}

pub(super) fn given(written: &mut Option<String>) {
    if let Some(written) = written {
        text(written);
    }
}

fn text(written: &mut String) {
    if let std::borrow::Cow::Owned(clean) = redact(written) {
        *written = clean;
    }
}

pub(super) fn value(written: &mut Value) {
    match written {
        Value::String(written) => text(written),
        Value::Array(items) => items.iter_mut().for_each(value),
        Value::Object(fields) => fields.values_mut().for_each(value),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
