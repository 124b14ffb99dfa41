//! The tools, in the order in which clients see them. To add one: a file in the folder of its
//! toolset that implements `Tool`, and a line here.

mod orchestration;
mod protocol;
mod requirements;
mod session;
mod workflow;

use crate::tool::Entry;

/// All tools.
pub(crate) const ALL: &[Entry] = &[
    Entry::of::<protocol::session_start::SessionStart>(),
    Entry::of::<protocol::validate_gate::ValidateGate>(),
    Entry::of::<protocol::advance_phase::AdvancePhase>(),
    Entry::of::<protocol::record_evidence::RecordEvidence>(),
    Entry::of::<protocol::session_end::SessionEnd>(),
    Entry::of::<protocol::get_blocked_reason::GetBlockedReason>(),
    Entry::of::<session::get_state::SessionGetState>(),
    Entry::of::<session::list::SessionList>(),
    Entry::of::<session::show::SessionShow>(),
    Entry::of::<session::brief::SessionBrief>(),
    Entry::of::<session::pause::SessionPause>(),
    Entry::of::<session::resume::SessionResume>(),
    Entry::of::<session::delete::SessionDelete>(),
    Entry::of::<session::transition_phase::SessionTransitionPhase>(),
    Entry::of::<session::init_build::SessionInitBuild>(),
    Entry::of::<session::start_checkpoint::SessionStartCheckpoint>(),
    Entry::of::<session::complete_checkpoint::SessionCompleteCheckpoint>(),
    Entry::of::<session::complete_task::SessionCompleteTask>(),
    Entry::of::<session::add_commit::SessionAddCommit>(),
    Entry::of::<session::set_status::SessionSetStatus>(),
    Entry::of::<session::update_git::SessionUpdateGit>(),
    Entry::of::<session::set_focus::SessionSetFocus>(),
    Entry::of::<session::add_note::SessionAddNote>(),
    Entry::of::<workflow::list::WorkflowList>(),
    Entry::of::<workflow::start::WorkflowStart>(),
    Entry::of::<workflow::get_phase::WorkflowGetPhase>(),
    Entry::of::<workflow::get_task::WorkflowGetTask>(),
    Entry::of::<workflow::complete_phase::WorkflowCompletePhase>(),
    Entry::of::<workflow::retry_phase::WorkflowRetryPhase>(),
    Entry::of::<workflow::rollback::WorkflowRollback>(),
    Entry::of::<workflow::get_errors::WorkflowGetErrors>(),
    Entry::of::<orchestration::agent_invoke::AgentInvoke>(),
    Entry::of::<orchestration::agent_complete::AgentComplete>(),
    Entry::of::<orchestration::decision_record::DecisionRecord>(),
    Entry::of::<orchestration::verdict_record::VerdictRecord>(),
    Entry::of::<orchestration::handoff_create::HandoffCreate>(),
    Entry::of::<orchestration::handoff_accept::HandoffAccept>(),
    Entry::of::<orchestration::mode_set::ModeSet>(),
    Entry::of::<orchestration::history_compact::HistoryCompact>(),
    Entry::of::<requirements::status::RequirementStatus>(),
    Entry::of::<requirements::satisfy::RequirementSatisfy>(),
    Entry::of::<requirements::clear::RequirementClear>(),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    #[test]
    fn every_tool_says_all_that_clients_ask_for() {
        for entry in ALL {
            let tool = serde_json::to_value((entry.describe)()).unwrap();
            let name = entry.name;
            assert!(tool["title"].is_string() && tool["description"].is_string(), "{name}");
            assert_eq!(tool["inputSchema"]["type"], "object", "{name}");
            assert_eq!(tool["inputSchema"]["additionalProperties"], Value::Bool(false), "{name}");
            for common in ["session_id", "session_dir", "expected_version"] {
                assert!(tool["inputSchema"]["properties"][common].is_object(), "{name}: {common}");
            }
            assert_eq!(tool["outputSchema"]["type"], "object", "{name}");
            assert!(tool["outputSchema"]["properties"]["error"].is_object(), "{name}");
            for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
                assert!(tool["annotations"][hint].is_boolean(), "{name}: {hint}");
            }
        }
    }

    #[test]
    fn tools_stand_together_by_toolset_and_no_two_have_one_name() {
        assert!(ALL.is_sorted_by_key(|entry| entry.toolset));
        let names: BTreeSet<_> = ALL.iter().map(|entry| entry.name).collect();
        assert_eq!(names.len(), ALL.len());
    }
}
