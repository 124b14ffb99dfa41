//! Given events, when somebody wants to go on, then these events follow.

use proptest::prelude::*;

use super::*;
use crate::command::decide;
use crate::command::tests::{given, started};
use crate::event::ConversationAttached;
use crate::track::builtin::{self, Watching};
use crate::track::{BLOCKED, TrackStarted, VIOLATION};

fn me() -> ConversationId {
    "c1".parse().unwrap()
}

fn begun() -> Vec<Known> {
    let attached = ConversationAttached {
        conversation: me(),
        harness: "mcp".into(),
        source: "startup".into(),
        checked: false,
        traceparent: None,
    };
    vec![
        started(Some("Test")),
        Known::ConversationAttached(attached),
        Known::TrackStarted(Box::new(TrackStarted::new(
            Some(me()),
            builtin::protocol("s", Watching::ByNobody, None),
        ))),
    ]
}

fn advance(to: &str, forced: &[&str]) -> Command {
    Command::Advance(Advance {
        conversation: Some(me()),
        to: to.into(),
        recovered: Vec::new(),
        forced: forced.iter().map(|gate| violation(gate, true)).collect(),
    })
}

fn violation(gate: &str, forced: bool) -> Violation {
    Violation {
        conversation: Some(me()),
        gate: gate.into(),
        requirement: "MUST do it".into(),
        severity: "CRITICAL".into(),
        reason: "it was not done".into(),
        phase: Some("INIT".into()),
        forced,
    }
}

fn miss(gate: &str) -> Command {
    Command::Miss { conversation: Some(me()), missed: vec![violation(gate, false)] }
}

fn then(events: &mut Vec<Known>, command: Command) {
    let more = decide(&given(events), command).unwrap();
    events.extend(more);
}

fn track(events: &[Known]) -> Track {
    given(events).track(Some(&me())).unwrap().clone()
}

#[test]
fn phases_are_entered_in_order_and_none_is_left_out() {
    let mut events = begun();
    assert_eq!(track(&events).phase, "INIT");
    then(&mut events, advance("SERENA_READY", &[]));
    assert_eq!(track(&events).phase, "SERENA_READY");
    for wrong in ["SERENA_READY", "INIT", "WORKING", "NOWHERE"] {
        let refused = decide(&given(&events), advance(wrong, &[])).unwrap_err();
        assert!(matches!(refused, Refusal::NotNext { .. }), "{wrong}: {refused}");
    }
}

#[test]
fn a_missed_gate_blocks_until_it_holds_and_the_track_is_where_it_was() {
    let mut events = begun();
    then(&mut events, miss("SERENA_INIT"));
    assert_eq!((track(&events).state(), track(&events).phase.as_str()), (BLOCKED, "INIT"));
    assert_eq!(decide(&given(&events), miss("SERENA_INIT")).unwrap(), [], "told once");
    let recovered = vec![("SERENA_INIT".to_owned(), "it was called".to_owned())];
    let recover = Command::Recover { conversation: Some(me()), recovered };
    then(&mut events, recover.clone());
    assert_eq!(track(&events).state(), "INIT");
    assert_eq!(decide(&given(&events), recover).unwrap(), [], "there is nothing to recover");
}

#[test]
fn force_is_a_violation_and_bounded() {
    let mut events = begun();
    for (to, gate) in [
        ("SERENA_READY", "SERENA_INIT"),
        ("SKILLS_VALIDATED", "SKILL_VALIDATION"),
        ("CONTEXT_LOADED", "CONTEXT_RETRIEVAL"),
    ] {
        then(&mut events, advance(to, &[gate]));
    }
    let state = given(&events);
    assert_eq!((state.violations, track(&events).state()), (3, VIOLATION));
    let fourth = decide(&state, advance("READY", &["SESSION_LOG"]));
    assert_eq!(fourth, Err(Refusal::ForcedTooOften));
    then(&mut events, advance("READY", &[]));
}

#[test]
fn a_track_that_is_done_goes_nowhere() {
    let mut events = begun();
    let done = || Command::CompleteTrack {
        conversation: Some(me()),
        summary: Some("done".into()),
        next_notes: None,
    };
    then(&mut events, done());
    assert_eq!(track(&events).phase, "COMPLETE");
    let nothing = Err(Refusal::NoTrack("protocol"));
    assert_eq!(decide(&given(&events), done()), nothing);
    assert_eq!(decide(&given(&events), advance("SERENA_READY", &[])), nothing);
    assert_eq!(decide(&given(&[started(None)]), advance("SERENA_READY", &[])), nothing);
}

#[test]
fn a_session_that_rests_or_is_over_goes_nowhere() {
    let mut events = begun();
    then(&mut events, Command::Pause { reason: "lunch".into(), context: None });
    assert_eq!(decide(&given(&events), advance("SERENA_READY", &[])), Err(Refusal::Paused));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn whatever_is_asked_for_the_phase_is_a_real_one_and_never_goes_back(
        steps in prop::collection::vec((0usize..12, 0usize..3), 0..12)
    ) {
        let mut events = begun();
        let names = track(&events).phases.clone();
        let mut place = 0;
        for (target, how) in steps {
            let to = names.get(target).map_or("NOWHERE", String::as_str);
            let command = match how {
                0 => advance(to, &[]),
                1 => advance(to, &["SERENA_INIT"]),
                _ => miss("SERENA_INIT"),
            };
            if let Ok(more) = decide(&given(&events), command) {
                events.extend(more);
            }
            let now = track(&events);
            let found = names.iter().position(|name| *name == now.phase).unwrap();
            prop_assert!(found == place || found == place + 1);
            prop_assert!(now.forced <= crate::track::MAX_FORCED);
            place = found;
        }
    }
}
