//! Random histories: what is folded, step by step or at once, is the same; what was written is told whole; and the state
//! that decides stays small however long they are.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::actor::Actor;
use crate::agents::Agents;
use crate::event::Event;
use crate::record::Record;
use crate::session::{COMPACTED_ABOVE, MAX_HANDOFFS};
use crate::time::Timestamp;

/// The most that the state may take that hooks and tools read, in bytes, however many agents worked.
const MAX_STATE: usize = 64 * 1024;

/// Something that somebody does.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "there are few of them at a time")]
enum Deed {
    Orchestrate(Orch),
    StartSubagent(u8),
    EndSubagent(u8),
    /// What the last verdict wants is done.
    ResolveLast,
    /// The oldest handoff is accepted.
    AcceptFirst,
    /// Somebody thinks something of the oldest open decision.
    ReviewFirst(bool),
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["architect", "Security", "security", "coder"]).prop_map(str::to_owned)
}

fn words() -> impl Strategy<Value = VerdictWord> {
    prop::sample::select(VerdictWord::ALL.to_vec())
}

fn given_verdict() -> impl Strategy<Value = Orch> {
    let wants = prop::collection::vec("[a-z]{1,8}", 0..3);
    (name(), words(), 0.0..=1.0_f64, wants, any::<(bool, bool)>()).prop_map(
        |(agent, word, confidence, conditions, (asked, is_seen))| {
            Orch::Judge(VerdictGiven {
                confidence: Confidence::new(confidence).unwrap(),
                conditions,
                asked,
                provenance: if is_seen { Provenance::Observed } else { Provenance::Claimed },
                ..verdict(&agent, word)
            })
        },
    )
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        6 => name().prop_map(|agent| Deed::Orchestrate(invoke(&agent))),
        4 => (name(), any::<bool>()).prop_map(|(agent, failed)| {
            Deed::Orchestrate(Orch::Complete(Completion { failed, ..completion(&agent) }))
        }),
        3 => "[a-z ]{1,12}x".prop_map(|text| Deed::Orchestrate(decide_on(&text))),
        4 => given_verdict().prop_map(Deed::Orchestrate),
        2 => name().prop_map(|agent| Deed::Orchestrate(Orch::HandOver(handoff(&agent)))),
        1 => Just(Deed::Orchestrate(Orch::Compact)),
        3 => (0..6_u8).prop_map(Deed::StartSubagent),
        3 => (0..6_u8).prop_map(Deed::EndSubagent),
        2 => Just(Deed::ResolveLast),
        2 => Just(Deed::AcceptFirst),
        2 => any::<bool>().prop_map(Deed::ReviewFirst),
    ]
}

fn command(state: &SessionState, deed: Deed) -> Option<Command> {
    let conversation = || "c1".parse().unwrap();
    let orchestrate = |command| Command::Orchestrate(Box::new(command));
    Some(match deed {
        Deed::Orchestrate(command) => orchestrate(command),
        Deed::StartSubagent(number) => Command::StartSubagent {
            conversation: conversation(),
            subagent: format!("s{number}"),
            agent_type: "explore".into(),
            tree: None,
        },
        Deed::EndSubagent(number) => Command::EndSubagent {
            conversation: conversation(),
            subagent: format!("s{number}"),
            files: Vec::new(),
        },
        Deed::ResolveLast => {
            let verdict = state.ledger.verdicts.last()?.seq;
            orchestrate(Orch::Resolve { verdict, how: "done".into() })
        }
        Deed::AcceptFirst => {
            let handoff = state.orchestration.handoffs.first()?.seq;
            orchestrate(Orch::Accept(HandoffAccepted { handoff, checked: Vec::new() }))
        }
        Deed::ReviewFirst(approved) => {
            let decision = state.orchestration.decisions.first()?.id.clone();
            orchestrate(Orch::Review { decision, by: "lead".into(), approved })
        }
    })
}

fn record(seq: u64, event: Known) -> Record {
    let time = Timestamp::from_millis(i64::try_from(seq).unwrap()).unwrap();
    Record { seq, time, actor: Actor::Human, event: Event::from(event) }
}

/// The records that these deeds lead to, and the state that was folded on the way. What is refused leads to nothing.
fn played(deeds: Vec<Deed>) -> (Vec<Record>, SessionState) {
    let (mut records, mut state) = (Vec::new(), SessionState::default());
    let add = |records: &mut Vec<Record>, state: &mut SessionState, event| {
        let record = record(state.version + 1, event);
        state.apply(&record);
        records.push(record);
    };
    add(&mut records, &mut state, started(Some("Add login")));
    for deed in deeds {
        let events = command(&state, deed).map(|command| decide(&state, command));
        for event in events.into_iter().flatten().flatten() {
            add(&mut records, &mut state, event);
        }
    }
    (records, state)
}

/// The state after it was kept and read again.
fn kept(state: &SessionState) -> SessionState {
    serde_json::from_str(&serde_json::to_string(state).unwrap()).unwrap()
}

/// What the records say, counted without any fold.
fn count(records: &[Record], is: fn(&Known) -> bool) -> usize {
    let known = records.iter().filter_map(|record| match &record.event {
        Event::Known(event) => Some(event),
        Event::Other(_) => None,
    });
    known.filter(|event| is(event)).count()
}

fn is_begun(event: &Known) -> bool {
    matches!(event, Known::AgentInvoked(_) | Known::SubagentStarted { .. })
}

fn check(records: &[Record], state: &SessionState) {
    let agents = Agents::of(records);
    let of = &state.orchestration;
    // Everything that was written is told, once.
    assert_eq!(agents.invocations.len(), count(records, is_begun));
    let decided = count(records, |event| matches!(event, Known::DecisionRecorded(_)));
    let judged = count(records, |event| matches!(event, Known::VerdictGiven(_)));
    let handed = count(records, |event| matches!(event, Known::HandoffCreated(_)));
    assert_eq!((agents.decisions.len(), agents.verdicts.len()), (decided, judged));
    assert_eq!(agents.handoffs.len(), handed);
    // The state counts the same, and what it still holds is what the history says of it.
    let counted = (of.invoked, of.decided, of.judged);
    let told = (agents.invocations.len() as u64, decided as u64, judged as u64);
    assert_eq!(counted, told);
    for held in &of.invocations {
        let told = agents.invocations.iter().find(|work| work.seq == held.seq).unwrap();
        assert_eq!((&told.agent, told.status), (&held.agent, held.status), "{held:?}");
    }
    let archived: u64 = agents.compactions.iter().map(|known| known.range.count).sum();
    assert_eq!(of.archived, archived);
    for known in &agents.compactions {
        let range = &known.range;
        assert_eq!(agents.within(range.from, range.to).count() as u64, range.count, "{range:?}");
    }
    let waiting: Vec<u64> = of.handoffs.iter().map(|known| known.seq).collect();
    let told = agents.handoffs.iter().filter(|known| known.accepted.is_none());
    assert_eq!(waiting, told.map(|known| known.seq).collect::<Vec<_>>());
    // What the ledger holds open is open in the history.
    for held in state.ledger.verdicts.iter().filter(|held| held.open > 0) {
        let told = agents.verdicts.iter().find(|known| known.seq == held.seq).unwrap();
        assert!(told.is_open(), "{held:?}");
    }
    let ids: BTreeSet<&str> =
        agents.decisions.iter().map(|known| known.decision.id.as_str()).collect();
    assert_eq!(ids.len(), decided, "every decision has an id of its own");
}

fn is_bounded(state: &SessionState) {
    let of = &state.orchestration;
    assert!(of.invocations.len() <= 64 + COMPACTED_ABOVE, "{}", of.invocations.len());
    assert!(of.decisions.len() <= 32 && of.handoffs.len() <= MAX_HANDOFFS);
    let size = serde_json::to_string(state).unwrap().len();
    assert!(size < MAX_STATE, "{size}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_whole_history_is_what_was_written(deeds in prop::collection::vec(deed(), 0..120)) {
        let (records, state) = played(deeds);
        check(&records, &state);
        is_bounded(&state);
    }

    #[test]
    fn a_snapshot_and_the_rest_are_the_same_as_all_of_it(
        deeds in prop::collection::vec(deed(), 0..80), cut in any::<prop::sample::Index>(),
    ) {
        let (records, state) = played(deeds);
        prop_assert_eq!(&SessionState::fold(&records), &state);
        let cut = cut.index(records.len() + 1);
        let mut resumed = kept(&SessionState::fold(&records[..cut]));
        records[cut..].iter().for_each(|record| resumed.apply(record));
        prop_assert_eq!(resumed, state);
    }

    #[test]
    fn any_beginning_of_a_history_is_one(deeds in prop::collection::vec(deed(), 0..60)) {
        let (records, _) = played(deeds);
        for end in 0..=records.len() {
            // A compaction is written together with what makes it necessary: without it, the state is only longer.
            let state = SessionState::fold(&records[..end]);
            check(&records[..end], &state);
            is_bounded(&state);
        }
    }
}

#[test]
fn the_state_is_as_small_after_a_hundred_thousand_invocations_as_after_a_hundred() {
    let (mut state, mut sizes) = (SessionState::default(), Vec::new());
    state.apply(&record(1, started(None)));
    let (mut invocations, mut longest) = (0_u64, 0);
    while invocations < 100_000 {
        let agent = format!("agent-{}", invocations % 7);
        // Every third one is never completed.
        let begun = Known::AgentInvoked(Box::new(invocation(&agent)));
        let mut events = super::super::with_compaction(&state, begun);
        if invocations % 3 > 0 {
            events.push(Known::AgentCompleted(Box::new(crate::event::AgentCompleted {
                agent,
                invocation: state.version + 1,
                status: InvocationStatus::Completed,
                summary: "done".into(),
                artifacts: Vec::new(),
                recommendations: Vec::new(),
                blockers: Vec::new(),
                handoff_to: None,
                handoff_reason: String::new(),
            })));
        }
        if invocations % 10 == 0 {
            events.push(Known::DecisionRecorded(Box::new(decision(&invocations.to_string()))));
            let word = VerdictWord::Conditional;
            let agent = format!("judge-{}", invocations % 50);
            events.push(Known::VerdictGiven(Box::new(VerdictGiven {
                conditions: vec!["x".into()],
                ..verdict(&agent, word)
            })));
        }
        for event in events {
            state.apply(&record(state.version + 1, event));
        }
        invocations += 1;
        longest = longest.max(state.orchestration.invocations.len());
        if matches!(invocations, 1_000 | 100_000) {
            sizes.push(serde_json::to_string(&state).unwrap().len());
        }
    }
    assert_eq!(state.orchestration.invoked, 100_000);
    assert!(longest <= 64 + COMPACTED_ABOVE, "{longest}");
    is_bounded(&state);
    // Numbers have more digits then.
    assert!(sizes[1] < sizes[0] + sizes[0] / 4, "{sizes:?}");
}
