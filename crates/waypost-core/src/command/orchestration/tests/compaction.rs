//! Above ten invocations the state keeps the last three, and those that are still open. Nothing is lost: records stay.

use super::*;
use crate::event::HistoryCompacted;
use crate::session::{COMPACTED_ABOVE, KEPT};

fn compactions(events: &[Known]) -> Vec<HistoryCompacted> {
    let compacted = events.iter().filter_map(|event| match event {
        Known::HistoryCompacted(range) => Some(range.clone()),
        _ => None,
    });
    compacted.collect()
}

fn worked(agents: usize) -> impl Iterator<Item = Orch> {
    (0..agents).flat_map(|_| [invoke("a"), complete("a")])
}

fn seqs(state: &SessionState) -> Vec<u64> {
    state.orchestration.invocations.iter().map(|known| known.seq).collect()
}

#[test]
fn ten_invocations_stay_and_the_eleventh_leaves_three() {
    let ten = history(worked(COMPACTED_ABOVE));
    assert_eq!(compactions(&ten), []);
    assert_eq!(given(&ten).orchestration.invocations.len(), COMPACTED_ABOVE);
    let state = given(&ten);
    let eleventh = does(&state, invoke("a")).unwrap();
    // One write: whoever is killed leaves both or none.
    let [Known::AgentInvoked(_), Known::HistoryCompacted(range)] = &eleventh[..] else {
        panic!("{eleventh:?}");
    };
    assert_eq!(*range, HistoryCompacted { from: 2, to: 16, count: 8 });
    let mut events = ten;
    events.extend(eleventh);
    let state = given(&events);
    assert_eq!(seqs(&state), [18, 20, 22], "the last three");
    assert_eq!(state.orchestration.invocations.len(), KEPT);
    assert_eq!((state.orchestration.invoked, state.orchestration.archived), (11, 8));
}

#[test]
fn ranges_follow_each_other_and_cover_everything_once() {
    let events = history(worked(100));
    let invoked: Vec<u64> = (1..)
        .zip(&events)
        .filter(|(_, event)| matches!(event, Known::AgentInvoked(_)))
        .map(|(seq, _)| seq)
        .collect();
    let (mut before, mut counted) = (0, 0);
    for range in compactions(&events) {
        assert!(before < range.from && range.from <= range.to, "{range:?}");
        let inside = invoked.iter().filter(|seq| (range.from..=range.to).contains(seq)).count();
        assert_eq!(range.count, inside as u64);
        let between = invoked.iter().filter(|seq| (before + 1..range.from).contains(seq)).count();
        assert_eq!(between, 0, "none is left out before {range:?}");
        (before, counted) = (range.to, counted + range.count);
    }
    let state = given(&events);
    assert_eq!(state.orchestration.archived, counted);
    assert_eq!(state.orchestration.invoked, 100);
    assert!(state.orchestration.invocations.len() <= COMPACTED_ABOVE);
}

#[test]
fn one_that_is_still_open_stays_and_can_be_completed() {
    let mut commands = vec![invoke("slow")];
    commands.extend(worked(30));
    let state = after(commands.clone());
    let slow = &state.orchestration.invocations[0];
    assert_eq!((slow.seq, slow.agent.as_str(), slow.archived), (2, "slow", true));
    assert_eq!(state.orchestration.active(), Some("slow"));
    commands.push(complete("slow"));
    let events = history(commands);
    assert!(matches!(events.last(), Some(Known::AgentCompleted(done)) if done.invocation == 2));
    let state = given(&events);
    assert_eq!(state.orchestration.active(), None);
    assert!(state.orchestration.invocations.iter().all(|known| known.agent == "a"));
}

#[test]
fn of_very_many_that_are_open_the_oldest_are_forgotten() {
    let state = after((0..200).map(|number| invoke(&format!("agent-{number}"))));
    let open: Vec<&str> = state.orchestration.open().map(|known| known.agent.as_str()).collect();
    assert!(open.len() <= 64 + COMPACTED_ABOVE, "{}", open.len());
    assert_eq!(open.last(), Some(&"agent-199"));
    assert_eq!(state.orchestration.invoked, 200);
    assert!(does(&state, complete("agent-199")).is_ok());
    assert!(matches!(
        refusal(&state, complete("agent-0")),
        OrchestrationRefusal::NothingOpen { .. }
    ));
}

#[test]
fn whoever_asks_for_it_leaves_three_and_is_told_where_there_are_no_more() {
    let events = history(worked(COMPACTED_ABOVE).chain([Orch::Compact]));
    let range = HistoryCompacted { from: 2, to: 14, count: 7 };
    assert_eq!(compactions(&events), [range]);
    assert_eq!(seqs(&given(&events)), [16, 18, 20]);
    let refused = OrchestrationRefusal::NotNeeded { held: 3, all: 10 };
    assert_eq!(refusal(&given(&events), Orch::Compact), refused);
    let refused = OrchestrationRefusal::NotNeeded { held: 3, all: 3 };
    assert_eq!(refusal(&after(worked(3)), Orch::Compact), refused);
}

#[test]
fn a_history_that_was_written_without_it_is_compacted_by_hand() {
    // As an import or another writer may leave it.
    let mut events = history([]);
    events.extend((0..12).map(|_| Known::AgentInvoked(Box::new(invocation("a")))));
    let state = given(&events);
    assert_eq!(state.orchestration.invocations.len(), 12);
    let compacted = does(&state, Orch::Compact).unwrap();
    let range = HistoryCompacted { from: 2, to: 10, count: 9 };
    assert_eq!(compacted, [Known::HistoryCompacted(range)]);
}

#[test]
fn subagents_that_hooks_see_are_compacted_alike() {
    let mut events = history([]);
    for number in 0..40 {
        let (conversation, subagent) = ("c1".parse().unwrap(), format!("s{number}"));
        let start = Command::StartSubagent {
            conversation,
            subagent: subagent.clone(),
            agent_type: "explore".into(),
            tree: None,
        };
        events.extend(decide(&given(&events), start).unwrap());
        events.push(Known::SubagentEnded {
            conversation: "c1".parse().unwrap(),
            subagent,
            files: Vec::new(),
        });
    }
    let state = given(&events);
    assert!(state.orchestration.invocations.len() <= COMPACTED_ABOVE);
    assert_eq!(state.orchestration.invoked, 40);
    assert!(!compactions(&events).is_empty());
    assert_eq!(state.orchestration.active(), None);
}

#[test]
fn two_conversations_may_call_their_subagents_alike() {
    let begin = |conversation: &str| Known::SubagentStarted {
        conversation: conversation.parse().unwrap(),
        subagent: "agent-1".into(),
        agent_type: "explore".into(),
        tree: None,
    };
    let end = |conversation: &str| Known::SubagentEnded {
        conversation: conversation.parse().unwrap(),
        subagent: "agent-1".into(),
        files: Vec::new(),
    };
    let mut events = history([]);
    events.extend([begin("one"), begin("two"), end("one")]);
    let open: Vec<u64> = given(&events).orchestration.open().map(|known| known.seq).collect();
    assert_eq!(open, [3], "that of the other conversation");
}
