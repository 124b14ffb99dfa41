//! Nothing that counts is displaced, nothing that was used up comes back, and all of it stays small.

use super::*;
use crate::event::{ConversationAttached, Event, Known};
use crate::evidence::Sort;
use crate::record::Record;
use crate::session::SessionState;

fn id(name: &str) -> ConversationId {
    name.parse().unwrap()
}

fn record(seq: u64, actor: &str, event: Known) -> Record {
    let actor = match actor {
        "" => Actor::Human,
        name => Actor::Agent { harness: "h".into(), conversation: id(name), subagent: None },
    };
    let time = Timestamp::from_millis(0).unwrap();
    Record { seq, time, actor, event: Event::Known(event) }
}

fn origin(record: &Record) -> EvidenceOrigin<'_> {
    EvidenceOrigin { seq: record.seq, time: record.time, actor: &record.actor }
}

fn evidence(subject: &str, provenance: Provenance) -> Evidence {
    let fields = serde_json::Map::new();
    Evidence { sort: Sort::Read, subject: subject.into(), sha256: None, fields, provenance }
}

fn mark(gate: &str, note: &str) -> Mark {
    Mark {
        gate: gate.into(),
        provenance: Provenance::Approved,
        conversation: None,
        until: None,
        tree: None,
        note: Some(note.into()),
        shown: None,
        signature: None,
        signed_at: None,
    }
}

fn attach(name: &str) -> Known {
    Known::ConversationAttached(ConversationAttached {
        conversation: id(name),
        harness: "h".into(),
        source: "startup".into(),
        checked: false,
        traceparent: None,
    })
}

fn detach(name: &str) -> Known {
    Known::ConversationDetached { conversation: id(name), reason: "over".into() }
}

#[test]
fn the_hundredth_piece_of_evidence_displaces_none_of_the_others() {
    let mut ledger = Ledger::default();
    for seq in 1..=100 {
        let read = evidence(&format!("file-{seq}"), Provenance::Observed);
        let happened = record(seq, "one", Known::EvidenceRecorded(read.clone()));
        ledger.add_evidence(origin(&happened), &read, Apart::Each);
        let approved = mark(&format!("gate-{seq}"), "ok");
        ledger.add_mark(origin(&record(seq, "", Known::GateMarked(approved.clone()))), &approved);
    }
    assert_eq!((ledger.evidence.len(), ledger.marks.len()), (100, 100));
    assert!(ledger.evidence.iter().any(|known| known.evidence.subject == "file-1"));
    assert!(ledger.marks.iter().any(|known| known.mark.gate == "gate-1"));
}

#[test]
fn what_is_only_reported_displaces_nothing_that_counts() {
    let mut ledger = Ledger::default();
    for (seq, provenance) in [(1, Provenance::Observed), (2, Provenance::Reported)] {
        let read = evidence("a", provenance);
        let happened = record(seq, "one", Known::EvidenceRecorded(read.clone()));
        ledger.add_evidence(origin(&happened), &read, Apart::Each);
    }
    assert_eq!(ledger.evidence.len(), 2);
}

#[test]
fn of_a_conversation_that_is_forgotten_only_the_latest_of_all_stays() {
    let mut ledger = Ledger::default();
    for (seq, whose) in [(1, "one"), (2, "two"), (3, "one")] {
        let subject = if seq == 3 { "b" } else { "a" };
        let read = evidence(subject, Provenance::Observed);
        let happened = record(seq, whose, Known::EvidenceRecorded(read.clone()));
        ledger.add_evidence(origin(&happened), &read, Apart::Each);
    }
    ledger.forget(&id("one"));
    let left: Vec<u64> = ledger.evidence.iter().map(|known| known.seq).collect();
    assert_eq!(left, [2, 3], "of a, the other one's is later; of b there is no other");
}

#[test]
fn what_was_used_up_stays_used_up_however_many_come_after_it() {
    let mut state = SessionState::default();
    let mut seq = 0;
    let mut happen = |state: &mut SessionState, actor: &str, event: Known| {
        seq += 1;
        state.apply(&record(seq, actor, event));
    };
    happen(&mut state, "", Known::GateMarked(mark("deploy", "ok")));
    happen(&mut state, "a", attach("a"));
    let passed = |name: &str| Known::GatesPassed {
        conversation: id(name),
        triggered: Vec::new(),
        consumed: vec!["deploy".into()],
    };
    happen(&mut state, "a", passed("a"));
    happen(&mut state, "a", detach("a"));
    for number in 0..3000 {
        let name = format!("c{number}");
        happen(&mut state, &name, attach(&name));
        happen(&mut state, &name, passed(&name));
        happen(&mut state, &name, detach(&name));
    }
    assert!(!state.conversations.contains_key(&id("a")), "it was forgotten");
    assert!(state.ledger.spent_until("deploy", &id("a")) >= 3, "what it used up was not");
    assert!(state.ledger.spent.len() < 1100, "{}", state.ledger.spent.len());
}

#[test]
fn thousands_of_conversations_and_long_notes_leave_a_small_state() {
    let mut state = SessionState::default();
    let mut seq = 0;
    for number in 0..4000 {
        let name = format!("c{number}");
        seq += 1;
        state.apply(&record(seq, &name, attach(&name)));
        seq += 1;
        let read = evidence("AGENTS.md", Provenance::Observed);
        state.apply(&record(seq, &name, Known::EvidenceRecorded(read)));
    }
    for number in 0..20 {
        seq += 1;
        let long = mark(&format!("gate-{number}"), &"x".repeat(60_000));
        state.apply(&record(seq, "", Known::GateMarked(long)));
    }
    let size = serde_json::to_string(&state).unwrap().len();
    assert!(size < 300_000, "{size}");
    assert!(state.conversations.contains_key(&id("c3999")));
}
