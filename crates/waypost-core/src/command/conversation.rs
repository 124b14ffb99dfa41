//! Commands about one conversation: joining and leaving, turns, edits, subagents, stops.

use super::Command;
use crate::engine;
use crate::event::{ConversationAttached, Known, Violation};
use crate::gate::Level;
use crate::gate::ruling::{Outcome, Ruling};
use crate::id::ConversationId;
use crate::session::SessionState;

/// What happens if a command about a conversation meets `state`. Any other is nobody's here.
pub(super) fn decide(state: &SessionState, command: Command) -> Vec<Known> {
    match command {
        Command::Attach { attached, policy } => attach(state, attached, policy),
        Command::Detach { conversation, reason } => {
            let attached = state.conversations.get(&conversation).is_some_and(|c| c.attached);
            let event = Known::ConversationDetached { conversation, reason };
            if attached { vec![event] } else { Vec::new() }
        }
        Command::BeginTurn { conversation, tree, policy } => {
            let mut events = pin(state, &conversation, policy);
            events.push(Known::TurnStarted { conversation, tree });
            events
        }
        Command::ObserveEdit { conversation, tool, path } => {
            let matters = state.edit_matters(&conversation);
            let event = Known::EditObserved { conversation, tool, path };
            if matters { vec![event] } else { Vec::new() }
        }
        Command::SettleStop { ruling, found, unenforced } => {
            settle_stop(state, ruling, found, unenforced)
        }
        Command::FindEdits { conversation, files } => {
            let matters = state.edit_matters(&conversation) && !files.is_empty();
            let event = Known::EditsFound { conversation, files, unenforced: false };
            if matters { vec![event] } else { Vec::new() }
        }
        Command::StartSubagent { conversation, subagent, agent_type } => {
            let known = at_work(state, &conversation, &subagent);
            let event = Known::SubagentStarted { conversation, subagent, agent_type };
            if known { Vec::new() } else { vec![event] }
        }
        Command::EndSubagent { conversation, subagent } => {
            // Compaction too ends a subagent, one that never began.
            let known = at_work(state, &conversation, &subagent);
            let event = Known::SubagentEnded { conversation, subagent };
            if known { vec![event] } else { Vec::new() }
        }
        _ => Vec::new(),
    }
}

fn attach(state: &SessionState, attached: ConversationAttached, policy: String) -> Vec<Known> {
    let conversation = attached.conversation.clone();
    let mut events = vec![Known::ConversationAttached(attached)];
    events.extend(pin(state, &conversation, policy));
    events
}

fn pin(state: &SessionState, conversation: &ConversationId, policy: String) -> Vec<Known> {
    let known = state.conversations.get(conversation).and_then(|c| c.policy.as_ref());
    if known == Some(&policy) {
        return Vec::new();
    }
    vec![Known::PolicyPinned { conversation: conversation.clone(), policy }]
}

fn at_work(state: &SessionState, conversation: &ConversationId, subagent: &String) -> bool {
    state.conversations.get(conversation).is_some_and(|known| known.subagents.contains(subagent))
}

fn settle_stop(
    state: &SessionState,
    ruling: Ruling,
    files: Vec<String>,
    unenforced: bool,
) -> Vec<Known> {
    let conversation = ruling.action.conversation.clone();
    if !engine::is_armed(state, &ruling.facts, &ruling.action) {
        let open = state.conversations.get(&conversation).is_some_and(|known| known.turn_open);
        let tree = ruling.facts.tree;
        let mut events = Vec::new();
        // Whoever made them, no hook told of a call: that is worth knowing, and holds nobody.
        if unenforced && !files.is_empty() {
            let conversation = conversation.clone();
            events.push(Known::EditsFound { conversation, files, unenforced });
        }
        if open || unenforced {
            events.push(Known::StopAllowed { conversation, tree });
        }
        return events;
    }
    let edited = state.conversations.get(&conversation).is_some_and(|known| known.edited);
    let mut events = Vec::new();
    if !edited {
        let conversation = conversation.clone();
        events.push(Known::EditsFound { conversation, files, unenforced });
    }
    let tree = ruling.facts.tree.clone();
    let (gave_way, outcome) = (ruling.gave_way, ruling.outcome);
    if gave_way {
        let unmet = ruling.unmet().filter(|finding| finding.level == Level::Must);
        events.extend(unmet.map(|finding| {
            Known::ViolationRecorded(Violation {
                conversation: Some(conversation.clone()),
                gate: finding.gate.clone(),
                requirement: finding.message.clone(),
                severity: finding.level.to_string(),
                reason: format!(
                    "the stop was held {} times and nothing moved; {}",
                    engine::MAX_STOP_BLOCKS,
                    finding.why
                ),
                phase: None,
                forced: false,
            })
        }));
    }
    if gave_way || outcome != Outcome::Allow {
        events.push(Known::RulingMade(Box::new(ruling.recorded())));
    }
    if outcome != Outcome::Deny {
        events.push(Known::StopAllowed { conversation, tree });
    }
    events
}
