//! What a record is called in the log of a session, and the few words that go with it.

#![deny(clippy::wildcard_enum_match_arm, reason = "a new event has to be decided on here")]

use crate::event::{Event, Known, SessionOutcome, SharedFact};
use crate::evidence::Run;
use crate::gate::ruling::Ruling;
use crate::text::{one_line, shortened};

/// How much of a text stands in a row, in characters.
pub(super) const MAX_TEXT: usize = 2000;

/// A text, as far as a row has room for it.
pub(super) fn text(text: &str) -> String {
    shortened(text, MAX_TEXT)
}

/// An event's type, and what exactly happened.
pub(super) fn told(event: &Event) -> (String, Option<String>) {
    let Event::Known(known) = event else { return (event.type_name(), None) };
    let (name, what) = known_event(known);
    (name.to_owned(), what.map(|what| text(&what)))
}

#[expect(clippy::too_many_lines, reason = "one match over all events")]
fn known_event(event: &Known) -> (&'static str, Option<String>) {
    let some = |text: &str| Some(text.to_owned());
    match event {
        Known::ProjectInitialised { waypost, .. } => ("project_initialised", some(waypost)),
        Known::PolicyCompiled(compiled) => ("policy_compiled", Some(compiled.changes.join("; "))),
        Known::PolicyLost(lost) => ("policy_lost", some(lost.told())),
        Known::SessionStarted(started) => ("session_started", started.objective.clone()),
        Known::SessionNamed { objective, .. } => ("session_named", some(objective)),
        Known::SessionPaused { reason, .. } => ("session_paused", some(reason)),
        Known::SessionResumed { commit } => ("session_resumed", commit.clone()),
        Known::SessionEnded(ended) => {
            let outcome = match ended.outcome {
                SessionOutcome::Completed => "completed",
                SessionOutcome::Failed => "failed",
            };
            let summary = ended.summary.as_ref().map(|summary| format!("{outcome}: {summary}"));
            ("session_ended", Some(summary.unwrap_or_else(|| outcome.to_owned())))
        }
        Known::CommitAdded(commit) => ("commit_added", Some(commit.sha.clone())),
        Known::SessionArchived { reason } => ("session_archived", some(reason)),
        Known::BuildStarted { total } => ("build_started", Some(total.to_string())),
        Known::BuildExtended { total } => ("build_extended", Some(total.to_string())),
        Known::CheckpointStarted { checkpoint } => {
            ("checkpoint_started", Some(checkpoint.to_string()))
        }
        Known::CheckpointCompleted { checkpoint } => {
            ("checkpoint_completed", Some(checkpoint.to_string()))
        }
        Known::TaskCompleted { task } => ("task_completed", some(task)),
        Known::GitChanged(changed) => ("git_changed", changed.branch.clone()),
        Known::FocusSet(focus) => ("focus_set", Some(focus.to_string())),
        Known::ConversationAttached(attached) => {
            ("conversation_attached", Some(attached.conversation.to_string()))
        }
        Known::ConversationDetached { conversation, .. } => {
            ("conversation_detached", Some(conversation.to_string()))
        }
        Known::PolicyPinned { policy, .. } => ("policy_pinned", some(policy)),
        Known::TurnStarted { conversation, .. } => ("turn_started", Some(conversation.to_string())),
        Known::EditObserved { path, .. } => ("edit_observed", some(path)),
        Known::EditsFound { files, .. } => ("edits_found", Some(files.join("\n"))),
        Known::WorktreeEntered { worktree, .. } => ("worktree_entered", some(worktree)),
        Known::DebtHandedOn { to, .. } => ("debt_handed_on", Some(to.to_string())),
        Known::SubagentStarted { agent_type, .. } => ("subagent_started", some(agent_type)),
        Known::UsageCounted(counted) => {
            let tokens = counted.used.iter().map(|used| used.tokens.all());
            ("usage_counted", Some(tokens.fold(0, u64::saturating_add).to_string()))
        }
        Known::SubagentEnded { subagent, .. } => ("subagent_ended", some(subagent)),
        Known::SubagentCalled(called) => ("subagent_called", some(&called.about)),
        Known::AgentInvoked(invoked) => ("agent_invoked", some(&invoked.agent)),
        Known::AgentCompleted(completed) => ("agent_completed", some(&completed.agent)),
        Known::DecisionRecorded(decision) => ("decision_recorded", some(&decision.description)),
        Known::DecisionReviewed { decision, .. } => ("decision_reviewed", some(decision)),
        Known::VerdictGiven(given) => {
            ("verdict_given", Some(format!("{}: {}", given.agent, given.verdict.name())))
        }
        Known::VerdictResolved { how, .. } => ("verdict_resolved", some(how)),
        Known::HandoffCreated(handoff) => {
            ("handoff_created", Some(format!("{} to {}", handoff.from_agent, handoff.to_agent)))
        }
        Known::HandoffAccepted(accepted) => {
            ("handoff_accepted", Some(accepted.handoff.to_string()))
        }
        Known::HistoryCompacted(compacted) => {
            ("history_compacted", Some(compacted.count.to_string()))
        }
        Known::CommandRan(run) => ("command_ran", Some(ran(run))),
        Known::EvidenceRecorded(evidence) => ("evidence_recorded", some(&evidence.subject)),
        Known::GateMarked(mark) => ("gate_marked", some(&mark.gate)),
        Known::GateCleared { gate, .. } => ("gate_cleared", some(gate)),
        Known::GatesPaused(paused) => ("gates_paused", Some(paused.gates.join(", "))),
        Known::GatesUnpaused { gates } => ("gates_unpaused", Some(gates.join(", "))),
        Known::CarriedOver(carried) => ("carried_over", Some(carried.session.to_string())),
        Known::GatesPassed { triggered, .. } => ("gates_passed", Some(triggered.join(", "))),
        Known::ModeSet { mode } => ("mode_set", some(mode)),
        Known::Shared(shared) => {
            let what = match &shared.what {
                SharedFact::Run(run) => ran(run),
                SharedFact::Evidence(evidence) => evidence.subject.clone(),
                SharedFact::Mark(mark) => mark.gate.clone(),
                SharedFact::Cleared(gate) => gate.clone(),
                SharedFact::Proven(count) => count.what.clone(),
                SharedFact::Failing(_) => String::new(),
            };
            ("shared", Some(what))
        }
        Known::ConfigTrusted { sha256 } => ("config_trusted", some(sha256)),
        Known::RulingMade(ruling) => ("ruling_made", Some(ruled(ruling))),
        Known::ViolationRecorded(violation) => ("violation_recorded", some(&violation.gate)),
        Known::ViolationRecovered { gate, .. } => ("violation_recovered", some(gate)),
        Known::TrackStarted(_) => ("track_started", None),
        Known::PhaseEntered { to, .. } => ("phase_entered", some(to)),
        Known::PhaseChecked(checked) => ("phase_checked", some(&checked.phase)),
        Known::PhaseSkipped { phase, .. } => ("phase_skipped", some(phase)),
        Known::PhaseRetried { phase, .. } => ("phase_retried", some(phase)),
        Known::RolledBack { to, .. } => ("rolled_back", some(to)),
        Known::TrackExtended(_) => ("track_extended", None),
        Known::TrackCompleted { summary, .. } => ("track_completed", summary.clone()),
        Known::StopAllowed { conversation, .. } => ("stop_allowed", Some(conversation.to_string())),
        Known::NoteAdded { note_kind, text } => {
            ("note_added", Some(format!("{note_kind}: {text}")))
        }
        Known::TailCut(cut) => ("tail_cut", Some(cut.bytes.to_string())),
        Known::LossAccepted { up_to } => ("loss_accepted", Some(up_to.to_string())),
        Known::SessionAdopted { .. } => ("session_adopted", None),
        Known::SessionRestored(restored) => ("session_restored", some(&restored.from)),
        Known::SessionImported(imported) => ("session_imported", some(&imported.format)),
        Known::ArtifactsChanged { files } => {
            let names: Vec<&str> = files.keys().map(String::as_str).collect();
            ("artifacts_changed", Some(names.join("\n")))
        }
        Known::CopySetAside { reason, .. } => ("copy_set_aside", some(reason)),
        Known::CurrentChosen { session, .. } => {
            ("current_chosen", session.as_ref().map(ToString::to_string))
        }
        Known::ProjectRemoved { said, .. } => ("project_removed", some(said.words())),
        Known::GatesSwitched { session, off, .. } => {
            let how = if *off { "off" } else { "on" };
            ("gates_switched", Some(format!("{how}: {session}")))
        }
        Known::CopyTrusted { session, .. } => ("copy_trusted", Some(session.to_string())),
    }
}

fn ran(run: &Run) -> String {
    format!("{} ended with {}", run.command, run.status)
}

/// What was ruled, by which gates, and in the next line why.
fn ruled(ruling: &Ruling) -> String {
    let what: Vec<String> = ruling.action.kinds.iter().map(ToString::to_string).collect();
    let gates: Vec<&str> = ruling.unmet().map(|finding| finding.gate.as_str()).collect();
    let ruled = format!("{} {}: {}", ruling.outcome, what.join(", "), gates.join(", "));
    let why: Vec<String> = ruling.unmet().map(|finding| one_line(&finding.why)).collect();
    if why.is_empty() { ruled } else { format!("{ruled}\n{}", why.join("; ")) }
}
