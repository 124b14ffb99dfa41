//! What a policy keeps, and what tightens it.

use super::*;
use crate::gate::proof::ran::{Fresh, RanProof};
use crate::gate::{Level, Source};

fn gate(id: &str, before: Before) -> Gate {
    Gate {
        message: "do it".into(),
        source: Source::new("waypost.toml", 3),
        ..Gate::new(id, vec![before], Proof::Ran(RanProof::new(format!("{id}*"), Fresh::Tree)))
    }
}

fn policy() -> Policy {
    Policy { gates: vec![gate("a", Before::Stop), gate("b", Before::Edit)], ..Policy::default() }
}

#[test]
fn a_policy_reads_back_whole_and_in_part() {
    let (text, hash) = policy().encode().unwrap();
    assert_eq!(Policy::decode(text.as_bytes(), &hash).unwrap(), policy());
    let details = ActionParts::default();
    let excerpt = Policy::excerpt(text.as_bytes(), &hash, &[Before::Edit], details).unwrap();
    assert_eq!(excerpt.gates, [gate("b", Before::Edit)]);
    let ran = excerpt.watched.ran.iter().map(WatchedRun::name);
    assert_eq!(ran.collect::<Vec<_>>(), ["a*", "b*"]);
}

#[test]
fn changed_bytes_are_not_taken_for_the_policy() {
    let (text, hash) = policy().encode().unwrap();
    let other = text.replace("must", "may");
    assert!(matches!(Policy::decode(other.as_bytes(), &hash), Err(PolicyError::Hash)));
}

#[test]
fn tightening_adds_gates_and_keeps_those_that_were_loosened_or_removed() {
    let mut newer = Policy {
        sessions_dir: "src".into(),
        enforcement: Enforcement::Report,
        mode: "disabled".into(),
        protocol: None,
        gates: vec![gate("c", Before::Push)],
        runners: vec![Profile::default()],
        ..Policy::default()
    };
    newer.gates.push(Gate { level: Level::May, ..gate("a", Before::Stop) });
    newer.gates.push(Gate {
        proof: Proof::Never("nothing".into()),
        accept_claimed: true,
        ..gate("b", Before::Commit)
    });
    let tightened = policy().tightened_by(&newer);
    assert_eq!(tightened.enforcement, Enforcement::Block);
    assert_eq!(tightened.sessions_dir, "agents/sessions");
    assert!(tightened.runners.is_empty(), "what counts as a run waits");
    let ids: Vec<&str> = tightened.gates.iter().map(|gate| gate.id.as_str()).collect();
    assert_eq!(ids, ["a", "b", "c"]);
    assert_eq!(tightened.gates[0].level, Level::Must);
    let both = Gate { before: vec![Before::Edit, Before::Commit], ..gate("b", Before::Edit) };
    assert_eq!(tightened.gates[1], both, "more actions count, another proof waits");
    assert_eq!(tightened.tightened_by(&newer), tightened);
}

#[test]
fn a_higher_level_holds_at_once() {
    let mild = Policy {
        gates: vec![Gate { level: Level::Should, ..gate("a", Before::Stop) }],
        ..Policy::default()
    };
    assert_eq!(mild.tightened_by(&policy()).gates[0], gate("a", Before::Stop));
}

#[test]
fn changes_are_told_in_words_and_moving_a_gate_in_its_file_is_none() {
    let mut newer = policy();
    newer.gates[0].source.line = 99;
    assert!(policy().changes_to(&newer).is_empty());
    newer.gates[0].level = Level::May;
    newer.gates.remove(1);
    newer.gates.push(gate("c", Before::Push));
    assert_eq!(
        policy().changes_to(&newer),
        ["gate a was changed", "gate c was added", "gate b was removed"]
    );
}

#[test]
fn a_protocol_that_can_be_read_takes_the_place_of_one_that_never_could() {
    let named = |protocol: &str, steps: Option<&str>| Policy {
        protocol: Some(protocol.to_owned()),
        protocol_steps: steps.map(str::to_owned),
        ..policy()
    };
    let read = named("B.md", Some("b"));
    assert_eq!(named("A.md", None).tightened_by(&read).protocol.as_deref(), Some("B.md"));
    let kept = [named("A.md", Some("a")), named("builtin", None)];
    for known in kept {
        assert_eq!(known.tightened_by(&read).protocol, known.protocol);
    }
    let unread = named("B.md", None);
    assert_eq!(named("A.md", None).tightened_by(&unread).protocol.as_deref(), Some("A.md"));
}
