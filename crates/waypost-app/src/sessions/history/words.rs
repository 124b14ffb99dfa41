//! Each event in a few words.

#![deny(clippy::wildcard_enum_match_arm, reason = "a new event needs words too")]

mod agents;

use waypost_core::event::{
    ConversationAttached, Event, GitChanged, Known, PausedGates, PhaseChecked, PolicyCompiled,
    SessionEnded, SessionOutcome, SessionStarted, Shared, SharedFact, TailCut,
};
use waypost_core::evidence::{Evidence, Mark, Run, Sort, listed};
use waypost_core::gate::ruling::{Outcome, Ruling};
use waypost_core::text::spoken::count;
use waypost_core::text::{one_line, shortened};

/// An event in a few words.
#[expect(clippy::too_many_lines, reason = "one match over all events")]
pub fn summary(event: &Event) -> String {
    let Event::Known(known) = event else {
        return format!("{} (of a newer version)", one_line(&event.type_name()));
    };
    match known {
        Known::ProjectInitialised { waypost, .. } => format!("project set up by waypost {waypost}"),
        Known::PolicyLost(lost) => lost.told().to_owned(),
        Known::PolicyCompiled(compiled) => compiled_summary(compiled),
        Known::ConfigTrusted { sha256 } => format!("configuration trusted ({})", short(sha256)),
        Known::TailCut(cut) => cut_summary(cut),
        Known::LossAccepted { up_to } => format!("accepted that records up to {up_to} are lost"),

        Known::SessionStarted(started) => started_summary(started),
        Known::SessionNamed { objective, .. } => format!("session named: {}", text(objective)),
        Known::SessionPaused { reason, .. } => format!("session paused: {}", text(reason)),
        Known::SessionResumed { commit: None } => "session resumed".to_owned(),
        Known::SessionResumed { commit: Some(commit) } => {
            format!("session resumed at commit {}", commit.chars().take(12).collect::<String>())
        }
        Known::SessionEnded(ended) => ended_summary(ended),
        Known::SessionArchived { reason } => format!("session archived: {}", text(reason)),
        Known::CommitAdded(commit) => {
            let sha: String = commit.sha.chars().take(12).collect();
            let unproven = match commit.unproven.as_slice() {
                [] => String::new(),
                files => format!(" (not proven: {})", text(&listed(files))),
            };
            format!("commit {sha}: {}{unproven}", text(&commit.message))
        }
        Known::NoteAdded { note_kind, text: note } => {
            format!("{}: {}", one_line(note_kind), text(note))
        }

        Known::BuildStarted { total } => {
            format!("build started, with {}", count(*total, "checkpoint"))
        }
        Known::BuildExtended { total } => {
            format!("build extended to {}", count(*total, "checkpoint"))
        }
        Known::CheckpointStarted { checkpoint } => format!("checkpoint {checkpoint} started"),
        Known::CheckpointCompleted { checkpoint } => format!("checkpoint {checkpoint} completed"),
        Known::TaskCompleted { task } => format!("task {} completed", text(task)),
        Known::GitChanged(changed) => git_summary(changed),
        Known::FocusSet(focus) => format!("focus: {}", text(&focus.to_string())),

        Known::ConversationAttached(attached) => attached_summary(attached),
        Known::ConversationDetached { conversation, reason } => {
            format!("{} detached ({reason})", short(conversation.as_str()))
        }
        Known::PolicyPinned { policy, .. } => format!("gates pinned ({})", short(policy)),
        Known::TurnStarted { .. } => "turn started".to_owned(),
        Known::EditObserved { tool, path, .. } => format!("{tool} changed {}", text(path)),
        Known::EditsFound { files, unenforced, .. } => {
            let unseen =
                if *unenforced { ", in a turn in which no hook saw a tool call" } else { "" };
            format!("changes that no hook saw{unseen}: {}", text(&files.join(", ")))
        }
        Known::DebtHandedOn { to, .. } => {
            format!("what is not proven is left to {}", short(to.as_str()))
        }
        Known::WorktreeEntered { worktree, .. } => match worktree.as_str() {
            "" => "went to the main work tree".to_owned(),
            name => format!("went to the work tree {}", text(name)),
        },
        Known::SubagentStarted { subagent, agent_type, .. } => {
            format!("subagent {} started ({})", text(subagent), text(agent_type))
        }
        Known::UsageCounted(counted) => {
            let tokens = counted.used.iter().map(|used| used.tokens.all());
            format!("used {} tokens", tokens.fold(0, u64::saturating_add))
        }
        Known::SubagentEnded { subagent, .. } => format!("subagent {} ended", text(subagent)),
        Known::SubagentCalled(called) => agents::called(called),
        Known::AgentInvoked(invoked) => agents::invoked(invoked),
        Known::AgentCompleted(done) => agents::completed(done),
        Known::DecisionRecorded(decision) => agents::decided(decision),
        Known::DecisionReviewed { decision, by, approved } => {
            agents::reviewed(decision, by, *approved)
        }
        Known::VerdictGiven(given) => agents::judged(given),
        Known::VerdictResolved { verdict, how } => agents::resolved(*verdict, how),
        Known::HandoffCreated(handoff) => agents::handed_over(handoff),
        Known::HandoffAccepted(accepted) => agents::accepted(accepted),
        Known::HistoryCompacted(range) => agents::compacted(range),
        Known::StopAllowed { .. } => "stop allowed".to_owned(),

        Known::CommandRan(run) => run_summary(run),
        Known::RulingMade(ruling) => ruling_summary(ruling),
        Known::EvidenceRecorded(evidence) => evidence_summary(evidence),
        Known::GateMarked(mark) => mark_summary(mark),
        Known::GateCleared { gate, .. } => format!("gate {} cleared", one_line(gate)),
        Known::GatesPaused(PausedGates { gates, until }) => {
            let until = until.map_or_else(String::new, |until| format!(" until {until}"));
            format!("{} paused{until}", gates_summary(gates))
        }
        Known::GatesUnpaused { gates } => format!("{} no longer paused", gates_summary(gates)),
        Known::CarriedOver(carried) => {
            let proofs = count(carried.evidence.len() + carried.marks.len(), "proof");
            format!("{proofs} carried over from {}", text(carried.from.as_str()))
        }
        Known::GatesPassed { triggered, consumed, .. } => passed_summary(triggered, consumed),
        Known::ModeSet { mode } => format!("mode {}", one_line(mode)),
        Known::Shared(shared) => shared_summary(shared),

        Known::TrackStarted(started) => {
            let what = track(started.conversation.is_some());
            format!("{what} {} started", text(&started.definition.name))
        }
        Known::TrackExtended(definition) => {
            format!("workflow: {} phases are known now", definition.phases.len())
        }
        Known::TrackCompleted { conversation, summary, .. } => {
            let summary = summary.as_deref().map(|summary| format!(": {}", text(summary)));
            let what = track(conversation.is_some());
            format!("{what} complete{}", summary.unwrap_or_default())
        }
        Known::PhaseEntered { conversation, from, to } => {
            let what = track(conversation.is_some());
            format!("{what}: {} -> {}", text(from), text(to))
        }
        Known::PhaseChecked(checked) => checked_summary(checked),
        Known::PhaseSkipped { phase, reason } => {
            format!("phase {} skipped: {}", text(phase), text(reason))
        }
        Known::PhaseRetried { phase, .. } => format!("phase {} tried again", text(phase)),
        Known::RolledBack { from, to, reason } => {
            format!("workflow: {} back to {}: {}", text(from), text(to), text(reason))
        }
        Known::ViolationRecorded(violation) => {
            format!("VIOLATION of {}: {}", text(&violation.gate), text(&violation.reason))
        }
        Known::ViolationRecovered { gate, recovery, .. } => {
            format!("{} now holds: {}", text(gate), text(recovery))
        }

        Known::SessionAdopted { records, .. } => {
            format!("taken over from the published copy with {}", count(*records, "record"))
        }
        Known::SessionRestored(restored) => {
            let lost = count(restored.up_to, "record");
            text(&format!("restored from {}, without the {lost} before", restored.from))
        }
        Known::SessionImported(imported) => {
            let from = imported.from.as_ref().map(|from| format!(" from {}", from.path));
            let from = from.unwrap_or_default();
            text(&format!("imported{from} ({})", imported.format))
        }
        Known::ArtifactsChanged { files } => {
            let names: Vec<&str> = files.keys().map(String::as_str).collect();
            format!("changed beside the published copy: {}", text(&names.join(", ")))
        }
        Known::CopySetAside { reason, kept } => {
            format!("COPY SET ASIDE ({}): {}", one_line(kept), text(reason))
        }
        Known::CurrentChosen { worktree, session } => {
            let place = worktree.as_deref().map_or_else(String::new, |name| format!(" in {name}"));
            match session {
                Some(session) => format!("{session} is the current session{}", text(&place)),
                None => format!("no session is current{}", text(&place)),
            }
        }
        Known::ProjectRemoved { said, .. } => format!("Waypost was taken out ({})", said.words()),
        Known::GatesSwitched { session, off, said } => {
            let how = if *off { "off" } else { "on again" };
            format!("gates of session {session} switched {how} ({})", said.words())
        }
        Known::CopyTrusted { session, records, head } => {
            format!("copy of {session} trusted: {}, {}", count(*records, "record"), short(head))
        }
    }
}

fn track(is_protocol: bool) -> &'static str {
    if is_protocol { "protocol" } else { "workflow" }
}

fn cut_summary(cut: &TailCut) -> String {
    match cut.lost {
        Some(lost) => format!("DAMAGE: acknowledged records up to {lost} were lost"),
        None if cut.restored > 0 => {
            format!("repaired: {} of the records before were taken from elsewhere", cut.restored)
        }
        None => format!("{} bytes of an unfinished write were cut off", cut.bytes),
    }
}

fn compiled_summary(compiled: &PolicyCompiled) -> String {
    format!("gates compiled ({}): {}", short(&compiled.policy), compiled.changes.join(", "))
}

fn started_summary(started: &SessionStarted) -> String {
    match &started.objective {
        Some(objective) => format!("session started: {}", text(objective)),
        None => "session started, without a name".to_owned(),
    }
}

fn ended_summary(ended: &SessionEnded) -> String {
    let outcome = match ended.outcome {
        SessionOutcome::Completed => "session completed",
        SessionOutcome::Failed => "session failed",
    };
    match &ended.summary {
        Some(summary) => format!("{outcome}: {}", text(summary)),
        None => outcome.to_owned(),
    }
}

fn attached_summary(attached: &ConversationAttached) -> String {
    let ConversationAttached { harness, conversation, source, .. } = attached;
    let checked = if attached.checked { "" } else { ", caller not checked" };
    format!("{harness} {} attached ({source}{checked})", short(conversation.as_str()))
}

fn checked_summary(checked: &PhaseChecked) -> String {
    let phase = text(&checked.phase);
    if checked.passed {
        format!("phase {phase} complete")
    } else {
        format!("phase {phase} NOT complete: {}", text(&checked.errors.join("; ")))
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

fn gates_summary(gates: &[String]) -> String {
    if gates.is_empty() { "all gates".to_owned() } else { format!("gates {}", listed(gates)) }
}

fn passed_summary(triggered: &[String], consumed: &[String]) -> String {
    let told = [("passed", triggered), ("used up", consumed)];
    let told = told.into_iter().filter(|(_, gates)| !gates.is_empty());
    let told: Vec<String> =
        told.map(|(how, gates)| format!("{how} {}", gates.join(", "))).collect();
    told.join("; ")
}

fn shared_summary(shared: &Shared) -> String {
    let Shared { branch, what } = shared;
    let place = if branch.is_empty() { "for good".to_owned() } else { format!("on {branch}") };
    let what = match what {
        SharedFact::Run(run) => run_summary(run),
        SharedFact::Evidence(evidence) => evidence_summary(evidence),
        SharedFact::Mark(mark) => mark_summary(mark),
        SharedFact::Cleared(gate) => format!("gate {gate} cleared"),
        SharedFact::Proven(known) => {
            format!("{} proven by {}", one_line(&known.what), count(known.tests, "test"))
        }
        SharedFact::Failing(failing) => {
            format!("{} tests of {} fail", failing.failed.len(), one_line(&failing.what))
        }
    };
    format!("{what}, {place}")
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
    let until = if mark.tree.is_some() { " for one content".to_owned() } else { until };
    format!("gate {} satisfied ({}{how}){until}", one_line(&mark.gate), mark.provenance)
}

fn run_summary(run: &Run) -> String {
    let fits = if run.patterns.is_empty() {
        "no gate waits for it".to_owned()
    } else {
        format!("fits {}", run.patterns.join(", "))
    };
    let tests = run.tests.map_or_else(String::new, |_| format!("; {}", run.tests_told()));
    format!("{} ran, status {} ({}; {fits}{tests})", text(&run.command), run.status, run.provenance)
}

fn ruling_summary(ruling: &Ruling) -> String {
    let action: Vec<String> = ruling.action.kinds.iter().map(ToString::to_string).collect();
    let gates: Vec<&str> = ruling.unmet().map(|finding| finding.gate.as_str()).collect();
    let how = if ruling.gave_way {
        "gave way to"
    } else {
        match ruling.outcome {
            Outcome::Deny => "denied",
            Outcome::Warn => "warned before",
            Outcome::Allow => "allowed",
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
