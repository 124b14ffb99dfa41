//! Commands without credentials: whatever people, agents and other programs wrote is gone over
//! before it can become an event.

use std::borrow::Cow;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{BuildCommand, Command, CompletePhase, OrchestrationCommand};
use crate::event::{
    CommitAdded, PastConversation, PastMark, SessionImported, SharedFact, Violation,
};
use crate::evidence::{Evidence, Run};
use crate::redact::{MARKER, redact, redact_named};

/// The command, with what looks like a credential taken out of every text that was written freely.
#[expect(clippy::too_many_lines, reason = "one match over all commands")]
pub(super) fn redacted(mut command: Command) -> Command {
    match &mut command {
        Command::Start(started) => both(&mut started.objective, &mut started.branch),
        Command::Name { objective, .. } => text(objective),
        Command::Note { kind, text: note } => [kind, note].into_iter().for_each(text),
        Command::Pause { reason, context } => {
            text(reason);
            given(context);
        }
        Command::End(ended) => both(&mut ended.summary, &mut ended.next_notes),
        Command::SkipPhase { reason, skipped, .. } => {
            text(reason);
            reasons(skipped);
        }
        Command::Detach { reason, .. }
        | Command::RollBack { reason, .. }
        | Command::Archive { reason } => text(reason),
        Command::AddCommit(commit) => of_commit(commit),
        Command::Build(build) => of_build(build),
        Command::ChangeGit(changed) => both(&mut changed.branch, &mut changed.base_branch),
        Command::SetFocus(change) => both(&mut change.feature, &mut change.task),
        Command::Import(imported) => of_imported(imported),
        Command::RecordEvidence(evidence) => of_evidence(evidence),
        Command::Mark(mark) => given(&mut mark.note),
        Command::RecordRun(run) => of_run(run),
        Command::ObserveEdit { path, .. } => text(path),
        Command::FindEdits { files, .. } | Command::EndSubagent { files, .. } => {
            files.iter_mut().for_each(text);
        }
        Command::CountUsage(counted) => {
            counted.used.iter_mut().for_each(|used| text(&mut used.model));
        }
        Command::StartSubagent { agent_type, .. } => text(agent_type),
        Command::ReturnSubagent { called, .. } => {
            [&mut called.agent_type, &mut called.about].into_iter().for_each(text);
        }
        Command::Orchestrate(command) => of_agents(command),
        Command::StartTrack(started, skipped) => {
            given(&mut started.target);
            fields(&mut started.options);
            reasons(skipped);
        }
        Command::CompleteTrack { summary, next_notes, .. } => both(summary, next_notes),
        Command::CompletePhase(complete) => of_phase(complete),
        Command::Advance(advance) => {
            reasons(&mut advance.recovered);
            violations(&mut advance.forced);
        }
        Command::Miss { missed, .. } => violations(missed),
        Command::Recover { recovered, .. } => reasons(recovered),
        Command::Attach { .. }
        | Command::BeginTurn { .. }
        | Command::Clear { .. }
        | Command::Gates(_)
        | Command::Pass { .. }
        | Command::SetMode { .. }
        | Command::SettleStop { .. }
        | Command::EnterWorktree { .. }
        | Command::HandOn { .. }
        | Command::RetryPhase { .. }
        | Command::Rule(_)
        | Command::Resume { .. }
        | Command::Adopt { .. }
        | Command::NoteArtifacts(_)
        | Command::SetCopyAside { .. }
        | Command::AcceptLoss => {}
    }
    command
}

/// The same for what counts beyond a session.
pub(super) fn of_shared(what: &mut SharedFact) {
    match what {
        SharedFact::Run(run) => of_run(run),
        SharedFact::Evidence(evidence) => of_evidence(evidence),
        SharedFact::Mark(mark) => given(&mut mark.note),
        SharedFact::Cleared(_) | SharedFact::Proven(_) | SharedFact::Failing(_) => {}
    }
}

fn of_agents(command: &mut OrchestrationCommand) {
    let all = |list: &mut Vec<String>| list.iter_mut().for_each(text);
    match command {
        OrchestrationCommand::Invoke(invoked) => {
            [&mut invoked.agent, &mut invoked.prompt].into_iter().for_each(text);
            given(&mut invoked.handoff_from);
            fields(&mut invoked.context);
            all(&mut invoked.artifacts);
        }
        OrchestrationCommand::Complete(completion) => {
            [&mut completion.agent, &mut completion.summary].into_iter().for_each(text);
            both(&mut completion.handoff_to, &mut completion.handoff_reason);
            all(&mut completion.artifacts);
            all(&mut completion.recommendations);
            all(&mut completion.blockers);
        }
        OrchestrationCommand::Decide { decision, .. } => {
            text(&mut decision.description);
            [&mut decision.rationale, &mut decision.decided_by].into_iter().for_each(text);
            all(&mut decision.approved_by);
            all(&mut decision.rejected_by);
        }
        OrchestrationCommand::Review { by, .. } => text(by),
        OrchestrationCommand::Judge(verdict) => {
            [&mut verdict.agent, &mut verdict.reasoning].into_iter().for_each(text);
            all(&mut verdict.conditions);
            all(&mut verdict.blockers);
            all(&mut verdict.own_work);
        }
        OrchestrationCommand::Resolve { how, .. } => text(how),
        OrchestrationCommand::HandOver(handoff) => {
            [&mut handoff.from_agent, &mut handoff.to_agent].into_iter().for_each(text);
            [&mut handoff.reason, &mut handoff.context].into_iter().for_each(text);
            all(&mut handoff.artifacts);
            all(&mut handoff.checklist);
            handoff.preserved_context.iter_mut().for_each(fields);
        }
        OrchestrationCommand::Accept(accepted) => all(&mut accepted.checked),
        OrchestrationCommand::Compact => {}
    }
}

fn of_imported(imported: &mut SessionImported) {
    value(&mut imported.manifest);
    fields(&mut imported.original);
    imported.remarks.iter_mut().for_each(text);
    imported.past = gone_over(&imported.past).unwrap_or_default();
    // Phases are known by their names in both.
    imported.definition = imported.definition.take().and_then(|it| gone_over(&it));
    imported.bound();
}

/// What is texts all over, gone over as what it becomes in the record.
fn gone_over<T: Serialize + DeserializeOwned>(of: &T) -> Option<T> {
    let mut written = serde_json::to_value(of).ok()?;
    value(&mut written);
    if let Ok(clean) = serde_json::from_value(written.clone()) {
        return Some(clean);
    }
    // A name of a conversation that looked like a credential is none any more.
    keep_readable::<PastConversation>(&mut written, "conversations");
    keep_readable::<PastMark>(&mut written, "satisfied");
    serde_json::from_value(written).ok()
}

/// Of a list, only what can still be read.
fn keep_readable<T: DeserializeOwned>(of: &mut Value, list: &str) {
    if let Some(Value::Array(items)) = of.get_mut(list) {
        items.retain(|item| T::deserialize(item).is_ok());
    }
}

/// Takes what looks like a credential out of what is to be imported. Returns how many texts that were.
pub fn redact_import(imported: &mut SessionImported) -> usize {
    let marked = |imported: &SessionImported| {
        let texts =
            [imported.manifest.to_string(), Value::from(imported.original.clone()).to_string()];
        texts.iter().map(|text| text.matches(MARKER).count()).sum::<usize>()
    };
    let before = marked(imported);
    of_imported(imported);
    marked(imported).saturating_sub(before)
}

fn of_commit(commit: &mut CommitAdded) {
    text(&mut commit.message);
    commit.unproven.iter_mut().for_each(text);
}

fn of_run(run: &mut Run) {
    text(&mut run.command);
    run.failed.iter_mut().chain(&mut run.flaky).for_each(text);
    if let Some(compared) = &mut run.compared {
        compared.new.iter_mut().for_each(text);
    }
}

fn of_evidence(evidence: &mut Evidence) {
    text(&mut evidence.subject);
    fields(&mut evidence.fields);
}

fn of_build(build: &mut BuildCommand) {
    match build {
        BuildCommand::CompleteTask { task } => text(task),
        BuildCommand::Begin { .. }
        | BuildCommand::Extend { .. }
        | BuildCommand::StartCheckpoint { .. }
        | BuildCommand::CompleteCheckpoint { .. } => {}
    }
}

fn of_phase(complete: &mut CompletePhase) {
    fields(&mut complete.evidence);
    let told = [&mut complete.errors, &mut complete.warnings, &mut complete.next_steps];
    told.into_iter().flatten().for_each(text);
    reasons(&mut complete.skipped);
}

fn reasons(of: &mut [(String, String)]) {
    for (_, reason) in of {
        text(reason);
    }
}

fn violations(of: &mut [Violation]) {
    for violation in of {
        text(&mut violation.reason);
    }
}

fn both(one: &mut Option<String>, other: &mut Option<String>) {
    given(one);
    given(other);
}

fn given(written: &mut Option<String>) {
    if let Some(written) = written {
        text(written);
    }
}

fn text(written: &mut String) {
    if let Cow::Owned(clean) = redact(written) {
        *written = clean;
    }
}

fn value(written: &mut Value) {
    match written {
        Value::String(written) => text(written),
        Value::Array(items) => items.iter_mut().for_each(value),
        Value::Object(of) => fields(of),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Fields, whose names tell what their values are and were written freely too.
fn fields(of: &mut Map<String, Value>) {
    for (name, written) in of.iter_mut() {
        match written {
            Value::String(written) => {
                if let Cow::Owned(clean) = redact_named(name, written) {
                    *written = clean;
                }
            }
            other => value(other),
        }
    }
    if of.keys().any(|name| matches!(redact(name), Cow::Owned(_))) {
        let all = std::mem::take(of);
        of.extend(all.into_iter().map(|(name, value)| (redact(&name).into_owned(), value)));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::command::Advance;
    use crate::event::{CommitAdded, GitChanged, SessionStarted};
    use crate::evidence::{Mark, Provenance, Sort};

    fn violation(reason: &str) -> Violation {
        Violation {
            conversation: None,
            gate: "g".to_owned(),
            requirement: "r".to_owned(),
            severity: "must".to_owned(),
            reason: reason.to_owned(),
            phase: None,
            forced: false,
        }
    }

    /// Commands that hold `text` wherever somebody could have written it.
    fn commands(text: &str) -> Vec<Command> {
        let (owned, some) = (|| text.to_owned(), || Some(text.to_owned()));
        let Value::Object(fields) = json!({"a": [{"b": text}], (text): 1}) else {
            return Vec::new();
        };
        vec![
            Command::Start(SessionStarted {
                objective: some(),
                workflow: "none".to_owned(),
                branch: some(),
                commit: None,
                worktree: None,
            }),
            Command::Name { objective: owned(), workflow: None, conversation: None },
            Command::Note { kind: owned(), text: owned() },
            Command::Pause { reason: owned(), context: some() },
            Command::Archive { reason: owned() },
            Command::RollBack { to: "a".to_owned(), reason: owned(), reset: Vec::new() },
            Command::SkipPhase {
                phase: "a".to_owned(),
                reason: owned(),
                extended: None,
                skipped: vec![("b".to_owned(), owned())],
            },
            Command::AddCommit(CommitAdded {
                unruled: false,
                unproven: Vec::new(),
                sha: "s".to_owned(),
                message: owned(),
                checkpoint: None,
            }),
            Command::Build(BuildCommand::CompleteTask { task: owned() }),
            Command::ChangeGit(GitChanged {
                branch: some(),
                base_branch: some(),
                ..GitChanged::default()
            }),
            Command::FindEdits {
                elsewhere: None,
                conversation: "c".parse().unwrap(),
                files: vec![owned()],
            },
            Command::RecordEvidence(Evidence {
                sort: Sort::Fields,
                subject: owned(),
                sha256: None,
                fields,
                provenance: Provenance::Claimed,
            }),
            Command::Mark(Mark {
                gate: "g".to_owned(),
                provenance: Provenance::Claimed,
                conversation: None,
                until: None,
                tree: None,
                note: some(),
                shown: None,
                signature: None,
                signed_at: None,
            }),
        ]
    }

    /// The same of what workflows and protocols do.
    fn of_tracks(text: &str) -> Vec<Command> {
        let (owned, some) = (|| text.to_owned(), || Some(text.to_owned()));
        vec![
            Command::CompleteTrack { conversation: None, summary: some(), next_notes: some() },
            Command::Advance(Advance {
                conversation: None,
                to: "a".to_owned(),
                recovered: vec![("g".to_owned(), owned())],
                forced: vec![violation(text)],
            }),
            Command::Miss { conversation: None, missed: vec![violation(text)] },
            Command::Recover { conversation: None, recovered: vec![("g".to_owned(), owned())] },
        ]
    }

    #[test]
    fn no_command_keeps_a_credential() {
        let secret = format!("{}{}{}", "gh", "p_", "a1".repeat(18));
        let text = format!("see {secret}");
        for command in commands(&text).into_iter().chain(of_tracks(&text)) {
            assert!(format!("{command:?}").contains(&secret));
            let clean = format!("{:?}", redacted(command));
            assert!(!clean.contains(&secret) && clean.contains("[redacted:github]"), "{clean}");
        }
    }
}
