//! Commands about one conversation: joining and leaving, turns, edits, subagents, stops.

use super::{Command, orchestration};
use crate::engine;
use crate::event::{ConversationAttached, Known, SubagentCalled, Violation};
use crate::gate::Level;
use crate::gate::ruling::{GateFinding, Outcome, Ruling};
use crate::id::ConversationId;
use crate::session::{Conversation, SessionState};

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
        Command::ObserveEdit { conversation, subagent, tool, path, elsewhere } => {
            let matters =
                state.edit_matters(&conversation, subagent.as_deref(), elsewhere.as_deref());
            let event = Known::EditObserved { conversation, tool, path, elsewhere };
            if matters { vec![event] } else { Vec::new() }
        }
        Command::HandOn { conversation, to } => {
            let owes = state.conversations.get(&conversation).is_some_and(Conversation::owes);
            let event = Known::DebtHandedOn { conversation, to };
            if owes { vec![event] } else { Vec::new() }
        }
        Command::EnterWorktree { conversation, worktree, tree } => {
            let known = state.conversations.get(&conversation);
            let is_known = known.is_none_or(|known| known.elsewhere.contains_key(&worktree));
            let event = Known::WorktreeEntered { conversation, worktree, tree };
            if is_known { Vec::new() } else { vec![event] }
        }
        Command::SettleStop { ruling, found, unenforced } => {
            settle_stop(state, ruling, found, unenforced)
        }
        Command::FindEdits { conversation, files, elsewhere } => {
            let matters = state.edit_matters(&conversation, None, elsewhere.as_deref());
            let matters = matters && !files.is_empty();
            let event = Known::EditsFound { conversation, files, unenforced: false, elsewhere };
            if matters { vec![event] } else { Vec::new() }
        }
        Command::StartSubagent { conversation, subagent, agent_type, tree } => {
            if at_work(state, &conversation, &subagent) {
                return Vec::new();
            }
            let event = Known::SubagentStarted { conversation, subagent, agent_type, tree };
            orchestration::with_compaction(state, event)
        }
        Command::ReturnSubagent { conversation, called } => returned(state, &conversation, called),
        Command::EndSubagent { conversation, subagent, files } => {
            // Compaction too ends a subagent, one that never began.
            let known = at_work(state, &conversation, &subagent);
            let event = Known::SubagentEnded { conversation, subagent, files };
            if known { vec![event] } else { Vec::new() }
        }
        Command::CountUsage(counted) => {
            let is_known = state.conversations.contains_key(&counted.conversation);
            let is_news = is_known && !counted.used.is_empty();
            let event = Known::UsageCounted(Box::new(counted));
            if is_news { vec![event] } else { Vec::new() }
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

fn returned(
    state: &SessionState,
    conversation: &ConversationId,
    mut called: SubagentCalled,
) -> Vec<Known> {
    if called.subagent.is_empty() {
        let known = state.conversations.get(conversation).into_iter();
        let known = known.flat_map(|known| &known.subagents);
        let alike = known.filter(|(_, subagent)| subagent.agent_type == called.agent_type);
        let Some((name, _)) = alike.max_by_key(|(_, subagent)| subagent.since) else {
            return Vec::new();
        };
        called.subagent.clone_from(name);
    }
    vec![Known::SubagentCalled(Box::new(called))]
}

fn at_work(state: &SessionState, conversation: &ConversationId, subagent: &String) -> bool {
    state
        .conversations
        .get(conversation)
        .is_some_and(|known| known.subagents.contains_key(subagent))
}

fn settle_stop(
    state: &SessionState,
    ruling: Ruling,
    files: Vec<String>,
    unenforced: bool,
) -> Vec<Known> {
    let (conversation, elsewhere) =
        (ruling.action.conversation.clone(), ruling.action.elsewhere.clone());
    let known = state.conversations.get(&conversation);
    let of_subagent = ruling.action.subagent.is_some();
    let found = |files| {
        let (conversation, elsewhere) = (conversation.clone(), elsewhere.clone());
        Known::EditsFound { conversation, files, unenforced, elsewhere }
    };
    let allowed = |tree| {
        let (conversation, elsewhere) = (conversation.clone(), elsewhere.clone());
        Known::StopAllowed { conversation, tree, elsewhere }
    };
    if !engine::is_armed(state, &ruling.facts, &ruling.action) {
        let open = known.is_some_and(|known| match &elsewhere {
            None => known.turn_open,
            Some(worktree) => known.elsewhere.contains_key(worktree),
        });
        let tree = ruling.facts.tree;
        let mut events = Vec::new();
        // Whoever made them, no hook told of a call: that is worth knowing, and holds nobody.
        if unenforced && !files.is_empty() {
            events.push(found(files));
        }
        if (open || unenforced) && !of_subagent {
            events.push(allowed(tree));
        }
        return events;
    }
    let edited = known.is_some_and(|known| known.has_edited(elsewhere.as_deref()));
    let mut events = Vec::new();
    if !edited && (!files.is_empty() || ruling.action.commits.is_empty()) {
        events.push(found(files));
    }
    let tree = ruling.facts.tree.clone();
    let (gave_way, outcome) = (ruling.gave_way, ruling.outcome);
    if gave_way {
        let unmet = ruling.unmet().filter(|finding| finding.level == Level::Must);
        events.extend(unmet.map(|finding| violation(&conversation, finding)));
    }
    if gave_way || outcome != Outcome::Allow {
        events.push(Known::RulingMade(Box::new(ruling.recorded())));
    }
    // Whoever let a subagent work answers for what it changed, too.
    if outcome != Outcome::Deny && !of_subagent {
        events.push(allowed(tree));
    }
    events
}

/// A must that gave way because nothing moved any more.
fn violation(conversation: &ConversationId, finding: &GateFinding) -> Known {
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
}
