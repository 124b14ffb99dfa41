//! What happened in a session, in words and as data.

use serde::Serialize;
use waypost_core::event::{
    Event, GitChanged, Known, PolicyCompiled, SessionOutcome, Shared, TailCut, What,
};
use waypost_core::evidence::{Evidence, Mark, Run, Sort};
use waypost_core::gate::ruling::Ruling;
use waypost_core::id::{SessionId, StreamId};
use waypost_core::record::Record;
use waypost_core::text::{one_line, shortened};
use waypost_core::time::Timestamp;

use crate::error::AppError;
use crate::view::View;

/// One thing that happened.
#[derive(Debug, Serialize)]
pub struct Entry {
    /// Its place in the stream.
    pub seq: u64,
    /// When.
    pub time: Timestamp,
    /// Who.
    pub actor: waypost_core::actor::Actor,
    /// What, as it was recorded.
    pub event: serde_json::Value,
    /// What, in words.
    pub summary: String,
}

/// Everything that happened in a session.
pub fn of(view: &View<'_>, session: Option<&str>) -> Result<(SessionId, Vec<Entry>), AppError> {
    let session = view.session(session)?;
    let records = view.log.records(&StreamId::Session(session.id.clone()))?;
    Ok((session.id, records.into_iter().map(entry).collect()))
}

fn entry(record: Record) -> Entry {
    Entry {
        seq: record.seq,
        time: record.time,
        summary: summary(&record.event),
        event: record.event.to_value().unwrap_or_default(),
        actor: record.actor,
    }
}

/// An event in a few words.
pub fn summary(event: &Event) -> String {
    let Event::Known(known) = event else {
        return format!("{} (of a newer version)", one_line(&event.type_name()));
    };
    match known {
        Known::ProjectInitialised { waypost } => format!("project set up by waypost {waypost}"),
        Known::PolicyLost(lost) => lost.told().to_owned(),
        Known::PolicyCompiled(compiled) => compiled_summary(compiled),
        Known::SessionNamed { objective, .. } => format!("session named: {}", text(objective)),
        Known::SessionStarted(_)
        | Known::SessionPaused { .. }
        | Known::SessionResumed {}
        | Known::SessionEnded(_)
        | Known::SessionArchived { .. }
        | Known::CommitAdded(_) => life_summary(known),
        Known::BuildStarted { .. }
        | Known::BuildExtended { .. }
        | Known::CheckpointStarted { .. }
        | Known::CheckpointCompleted { .. }
        | Known::TaskCompleted { .. }
        | Known::GitChanged(_)
        | Known::FocusSet(_) => work_summary(known),
        Known::ConversationAttached(_)
        | Known::ConversationDetached { .. }
        | Known::PolicyPinned { .. }
        | Known::TurnStarted { .. }
        | Known::EditObserved { .. }
        | Known::EditsFound { .. }
        | Known::SubagentStarted { .. }
        | Known::SubagentEnded { .. }
        | Known::StopAllowed { .. } => conversation_summary(known),
        Known::CommandRan(run) => run_summary(run),
        Known::RulingMade(ruling) => ruling_summary(ruling),
        Known::EvidenceRecorded(_)
        | Known::GateMarked(_)
        | Known::GateCleared { .. }
        | Known::GatesPassed { .. }
        | Known::ModeSet { .. }
        | Known::Shared(_)
        | Known::ConfigTrusted { .. } => gate_summary(known),
        Known::PhaseChecked(_)
        | Known::PhaseSkipped { .. }
        | Known::PhaseRetried { .. }
        | Known::RolledBack { .. }
        | Known::TrackExtended(_)
        | Known::TrackStarted(_)
        | Known::PhaseEntered { .. }
        | Known::TrackCompleted { .. }
        | Known::ViolationRecorded(_)
        | Known::ViolationRecovered { .. } => track_summary(known),
        Known::NoteAdded { note_kind, text: note } => {
            format!("{}: {}", one_line(note_kind), text(note))
        }
        Known::SessionAdopted { .. }
        | Known::SessionImported(_)
        | Known::ArtifactsChanged { .. }
        | Known::CopySetAside { .. }
        | Known::CopyTrusted { .. } => copy_summary(known),
        Known::TailCut(cut) => cut_summary(cut),
        Known::LossAccepted { up_to } => format!("accepted that records up to {up_to} are lost"),
    }
}

fn cut_summary(cut: &TailCut) -> String {
    match cut.lost {
        Some(lost) => format!("DAMAGE: acknowledged records up to {lost} were lost"),
        None => format!("{} bytes of an unfinished write were cut off", cut.bytes),
    }
}

fn track_summary(event: &Known) -> String {
    let what = |protocol: bool| if protocol { "protocol" } else { "workflow" };
    match event {
        Known::TrackStarted(started) => {
            let what = what(started.conversation.is_some());
            format!("{what} {} started", text(&started.definition.name))
        }
        Known::PhaseEntered { conversation, from, to } => {
            let what = what(conversation.is_some());
            format!("{what}: {} -> {}", text(from), text(to))
        }
        Known::TrackCompleted { conversation, summary, .. } => {
            let summary = summary.as_deref().map(|summary| format!(": {}", text(summary)));
            let what = what(conversation.is_some());
            format!("{what} complete{}", summary.unwrap_or_default())
        }
        Known::ViolationRecorded(violation) => {
            format!("VIOLATION of {}: {}", text(&violation.gate), text(&violation.reason))
        }
        Known::ViolationRecovered { gate, recovery, .. } => {
            format!("{} holds after all: {}", text(gate), text(recovery))
        }
        other => phase_summary(other),
    }
}

fn phase_summary(event: &Known) -> String {
    match event {
        Known::PhaseChecked(checked) if checked.passed => {
            format!("phase {} complete", text(&checked.phase))
        }
        Known::PhaseChecked(checked) => {
            let why = text(&checked.errors.join("; "));
            format!("phase {} NOT complete: {why}", text(&checked.phase))
        }
        Known::PhaseSkipped { phase, reason } => {
            format!("phase {} left out: {}", text(phase), text(reason))
        }
        Known::PhaseRetried { phase, .. } => format!("phase {} tried again", text(phase)),
        Known::RolledBack { from, to, reason } => {
            format!("workflow: {} back to {}: {}", text(from), text(to), text(reason))
        }
        Known::TrackExtended(definition) => {
            format!("workflow: {} phases are known now", definition.phases.len())
        }
        _ => String::new(),
    }
}

fn conversation_summary(event: &Known) -> String {
    match event {
        Known::ConversationAttached(attached) => format!(
            "{} {} attached ({}{})",
            attached.harness,
            short(attached.conversation.as_str()),
            attached.source,
            if attached.checked { "" } else { ", caller not checked" }
        ),
        Known::ConversationDetached { conversation, reason } => {
            format!("{} detached ({reason})", short(conversation.as_str()))
        }
        Known::PolicyPinned { policy, .. } => format!("gates pinned ({})", short(policy)),
        Known::TurnStarted { .. } => "turn started".to_owned(),
        Known::EditObserved { tool, path, .. } => format!("{tool} changed {}", text(path)),
        Known::EditsFound { files, unenforced, .. } => {
            let unseen =
                if *unenforced { ", in a turn of which no hook saw a tool call" } else { "" };
            format!("changes that no hook saw{unseen}: {}", text(&files.join(", ")))
        }
        Known::SubagentStarted { subagent, agent_type, .. } => {
            format!("subagent {} started ({})", text(subagent), text(agent_type))
        }
        Known::SubagentEnded { subagent, .. } => format!("subagent {} ended", text(subagent)),
        _ => "stop allowed".to_owned(),
    }
}

fn compiled_summary(compiled: &PolicyCompiled) -> String {
    format!("gates compiled ({}): {}", short(&compiled.policy), compiled.changes.join(", "))
}

fn life_summary(event: &Known) -> String {
    match event {
        Known::SessionStarted(started) => match &started.objective {
            Some(objective) => format!("session started: {}", text(objective)),
            None => "session started, without a name".to_owned(),
        },
        Known::SessionPaused { reason, .. } => format!("session paused: {}", text(reason)),
        Known::SessionEnded(ended) => {
            let outcome = match ended.outcome {
                SessionOutcome::Completed => "session completed",
                SessionOutcome::Failed => "session failed",
            };
            match &ended.summary {
                Some(summary) => format!("{outcome}: {}", text(summary)),
                None => outcome.to_owned(),
            }
        }
        Known::SessionArchived { reason } => format!("session archived: {}", text(reason)),
        Known::CommitAdded(commit) => {
            let sha: String = commit.sha.chars().take(12).collect();
            format!("commit {sha}: {}", text(&commit.message))
        }
        _ => "session resumed".to_owned(),
    }
}

fn work_summary(event: &Known) -> String {
    match event {
        Known::BuildStarted { total: 1 } => "build started, with 1 checkpoint".to_owned(),
        Known::BuildStarted { total } => format!("build started, with {total} checkpoints"),
        Known::BuildExtended { total } => format!("build extended to {total} checkpoints"),
        Known::CheckpointStarted { checkpoint } => format!("checkpoint {checkpoint} started"),
        Known::CheckpointCompleted { checkpoint } => format!("checkpoint {checkpoint} completed"),
        Known::TaskCompleted { task } => format!("task {} completed", text(task)),
        Known::GitChanged(changed) => git_summary(changed),
        Known::FocusSet(focus) => format!("focus: {}", text(&focus.to_string())),
        _ => String::new(),
    }
}

fn git_summary(changed: &GitChanged) -> String {
    let branch = changed.branch.as_ref().map(|name| format!("on branch {name}"));
    let worktree = changed.worktree.as_ref().map(|name| match name.as_str() {
        "" => "in the main work tree".to_owned(),
        name => format!("in work tree {name}"),
    });
    let base = changed.base_branch.as_ref().map(|name| format!("based on {name}"));
    let told: Vec<String> = [branch, worktree, base].into_iter().flatten().collect();
    format!("session is {} now", text(&told.join(", ")))
}

fn copy_summary(event: &Known) -> String {
    match event {
        Known::SessionAdopted { records, .. } => {
            format!("taken over from the published copy with {records} records")
        }
        Known::SessionImported(imported) => {
            format!("taken over from another program's format ({})", one_line(&imported.format))
        }
        Known::ArtifactsChanged { files } => {
            let names: Vec<&str> = files.keys().map(String::as_str).collect();
            format!("changed beside the published copy: {}", text(&names.join(", ")))
        }
        Known::CopySetAside { reason, kept } => {
            format!("COPY SET ASIDE ({}): {}", one_line(kept), text(reason))
        }
        Known::CopyTrusted { session, records, head } => {
            format!("copy of {session} trusted: {records} records, {}", short(head))
        }
        _ => String::new(),
    }
}

fn gate_summary(event: &Known) -> String {
    match event {
        Known::EvidenceRecorded(evidence) => evidence_summary(evidence),
        Known::GateMarked(mark) => mark_summary(mark),
        Known::GateCleared { gate, .. } => format!("gate {} cleared", one_line(gate)),
        Known::GatesPassed { triggered, consumed, .. } => {
            let mut told = Vec::new();
            if !triggered.is_empty() {
                told.push(format!("passed {}", triggered.join(", ")));
            }
            if !consumed.is_empty() {
                told.push(format!("used up {}", consumed.join(", ")));
            }
            told.join("; ")
        }
        Known::ModeSet { mode } => format!("mode {}", one_line(mode)),
        Known::Shared(shared) => {
            let Shared { branch, what } = &**shared;
            let place =
                if branch.is_empty() { "for good".to_owned() } else { format!("on {branch}") };
            let what = match what {
                What::Run(run) => run_summary(run),
                What::Evidence(evidence) => evidence_summary(evidence),
                What::Mark(mark) => mark_summary(mark),
                What::Cleared(gate) => format!("gate {gate} cleared"),
            };
            format!("{what}, {place}")
        }
        Known::ConfigTrusted { sha256 } => format!("configuration trusted ({})", short(sha256)),
        _ => String::new(),
    }
}

fn evidence_summary(evidence: &Evidence) -> String {
    let verb = match evidence.sort {
        Sort::Read => "read",
        Sort::Called => "called",
        Sort::Skill => "used the skill",
        Sort::Fields => "recorded fields for",
    };
    format!("{verb} {} ({})", text(&evidence.subject), evidence.provenance)
}

fn mark_summary(mark: &Mark) -> String {
    let until = mark.until.map(|until| format!(" until {until}")).unwrap_or_default();
    let how = if mark.signature.is_some() { ", signed" } else { "" };
    format!("gate {} satisfied ({}{how}){until}", one_line(&mark.gate), mark.provenance)
}

fn run_summary(run: &Run) -> String {
    let fits = if run.patterns.is_empty() {
        "no gate waits for it".to_owned()
    } else {
        format!("fits {}", run.patterns.join(", "))
    };
    format!("{} ran, status {} ({}; {fits})", text(&run.command), run.status, run.provenance)
}

fn ruling_summary(ruling: &Ruling) -> String {
    let action: Vec<String> = ruling.action.kinds.iter().map(ToString::to_string).collect();
    let gates: Vec<&str> = ruling.unmet().map(|finding| finding.gate.as_str()).collect();
    let how = if ruling.gave_way {
        "gave way to"
    } else {
        match ruling.outcome {
            waypost_core::gate::ruling::Outcome::Deny => "denied",
            waypost_core::gate::ruling::Outcome::Warn => "warned before",
            waypost_core::gate::ruling::Outcome::Allow => "allowed",
        }
    };
    format!("{} {how} {} ({})", ruling.id, action.join(", "), gates.join(", "))
}

fn text(text: &str) -> String {
    shortened(&one_line(text), 100)
}

fn short(id: &str) -> String {
    id.chars().take(8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use waypost_core::event::{Focus, WorkflowPhase};

    #[test]
    fn what_is_worked_on_reads_well() {
        let git = |branch: &str, worktree: Option<&str>| {
            Known::GitChanged(GitChanged {
                branch: Some(branch.into()),
                worktree: worktree.map(str::to_owned),
                base_branch: Some("main".into()),
            })
        };
        let focus = Focus {
            feature: Some("login".into()),
            task: Some("form".into()),
            workflow_phase: Some(WorkflowPhase::Validation),
        };
        for (event, words) in [
            (Known::BuildStarted { total: 1 }, "build started, with 1 checkpoint"),
            (Known::BuildStarted { total: 5 }, "build started, with 5 checkpoints"),
            (Known::BuildExtended { total: 6 }, "build extended to 6 checkpoints"),
            (Known::CheckpointStarted { checkpoint: 2 }, "checkpoint 2 started"),
            (Known::CheckpointCompleted { checkpoint: 2 }, "checkpoint 2 completed"),
            (Known::TaskCompleted { task: "1.2.3".into() }, "task 1.2.3 completed"),
            (git("x", None), "session is on branch x, based on main now"),
            (
                git("x", Some("")),
                "session is on branch x, in the main work tree, based on main now",
            ),
            (git("x", Some("wt")), "session is on branch x, in work tree wt, based on main now"),
            (Known::FocusSet(focus), "focus: feature login, task form, validation"),
            (Known::FocusSet(Focus::default()), "focus: none"),
            (Known::SessionArchived { reason: "a\ntrial".into() }, "session archived: a trial"),
        ] {
            assert_eq!(summary(&Event::from(event)), words);
        }
    }
}
