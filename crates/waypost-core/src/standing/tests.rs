//! Given what is known of a session, the next step; and given a step, its words for whoever asks.

use super::*;
use crate::gate::Source;
use crate::next_step::{Running, Tools};
use crate::track::Part;

fn source() -> Source {
    Source::new("waypost.toml", 1)
}

fn finding(gate: &str, level: Level, status: FindingStatus) -> GateFinding {
    GateFinding {
        gate: gate.into(),
        level,
        status,
        message: "do it".into(),
        why: "nothing ran".into(),
        next: NextStep::Run(Running::of(format!("{gate}*"))),
        source: source(),
    }
}

fn looked(gate: &str, before: &str, status: StepStatus) -> Looked {
    let step = LookedStep {
        step: "first".into(),
        level: Level::Must,
        late: false,
        requirement: "Read it.".into(),
        status,
        evidence: "nobody saw it".into(),
        next: NextStep::Show {
            gate: gate.into(),
            step: "first".into(),
            what: Box::new(NextStep::Read("HANDOFF.md".into())),
        },
    };
    Looked {
        gate: gate.into(),
        before: before.into(),
        level: Level::Must,
        blocking: true,
        part: Part::Start,
        status: if status == StepStatus::Open { GateStatus::Fail } else { GateStatus::Pass },
        steps: vec![step],
        source: source(),
    }
}

fn following(phase: Option<&str>, next: &str, gates: Vec<Looked>) -> Following {
    Following {
        phase: phase.map(str::to_owned),
        blocked_by: Vec::new(),
        is_behind_the_work: false,
        after: Some((next.to_owned(), next == "COMPLETE")),
        is_followed: true,
        gates,
    }
}

/// What is known of an active session with a name, and nothing else.
fn stand(change: impl FnOnce(&mut Situation<'_>)) -> Standing {
    let (session, build) = ("2026-11-16_a_abc123".parse().unwrap(), Build::default());
    let mut known = Situation {
        session: &session,
        lifecycle: Lifecycle::Active,
        is_named: true,
        findings: Vec::new(),
        following: None,
        progress: None,
        failed: None,
        build: &build,
        task: None,
        is_changed: true,
    };
    change(&mut known);
    Standing::of(&known)
}

const AGENT: Voice = Voice::Agent {
    tools: Tools { protocol: true, session: true, workflow: true, orchestration: true },
    hooked: false,
};

#[test]
fn a_session_that_rests_is_taken_up_again_before_anything_else() {
    let standing = stand(|known| {
        known.lifecycle = Lifecycle::Paused;
        known.findings =
            vec![(finding("a", Level::Must, FindingStatus::Missing), vec![Before::Edit])];
    });
    assert_eq!(
        standing.next_words(Voice::PERSON),
        "`waypost resume 2026-11-16_a_abc123` resumes it."
    );
    assert!(standing.next_words(AGENT).starts_with("call session_resume"));
}

#[test]
fn an_early_must_comes_first_and_a_late_one_is_told_with_the_work() {
    let early = (finding("early", Level::Must, FindingStatus::Missing), vec![Before::Edit]);
    let late =
        (finding("late", Level::Must, FindingStatus::Stale), vec![Before::Stop, Before::Commit]);
    let mild = (finding("mild", Level::Should, FindingStatus::Missing), vec![Before::Edit]);
    let both = stand(|known| known.findings = vec![mild.clone(), late.clone(), early]);
    assert_eq!(both.next_words(Voice::PERSON), "waypost run -- early (for early).");
    let names: Vec<&str> = both.open().map(|gate| gate.gate.as_str()).collect();
    assert_eq!(names, ["late", "early", "mild"], "the strictest first");
    assert!(!both.holds());
    let one = stand(|known| known.findings = vec![late]);
    assert_eq!(
        one.next_words(Voice::PERSON),
        "go on with the objective; before you are done: waypost run -- late (for late)."
    );
    let free = stand(|known| {
        known.findings =
            vec![(finding("met", Level::Must, FindingStatus::Met), vec![Before::Stop])];
    });
    assert_eq!(free.next_words(AGENT), "go on with the objective; no gate is open.");
    let warned = stand(|known| known.findings = vec![mild]);
    assert_eq!(warned.next_words(AGENT), "go on with the objective.");
}

#[test]
fn a_protocol_is_begun_then_gone_through_gate_by_gate() {
    let gates = |status| {
        vec![looked("SERENA_INIT", "SERENA_READY", status), looked("GIT_STATE", WORKING, status)]
    };
    let at = |phase, next: &str, status| {
        let next = next.to_owned();
        stand(move |known| known.following = Some(following(phase, &next, gates(status))))
    };
    let before = at(None, "", StepStatus::Open);
    assert_eq!(before.next_words(AGENT), "call session_start with the objective.");
    let held = at(Some("INIT"), "SERENA_READY", StepStatus::Open);
    assert_eq!(
        held.next_words(AGENT),
        "read HANDOFF.md, then call record_evidence with phase SERENA_INIT and step first (for \
         SERENA_INIT)."
    );
    let free = at(Some("INIT"), "SERENA_READY", StepStatus::Done);
    assert_eq!(free.next_words(AGENT), "call advance_phase: SERENA_READY can be entered.");
    assert!(free.next_words(Voice::PERSON).contains("`waypost phase advance`"));
    let working = at(Some(WORKING), "DOCUMENTING", StepStatus::Done);
    assert!(working.next_words(AGENT).starts_with("go on with the objective"));
}

#[test]
fn nobody_who_does_not_follow_a_protocol_is_told_to_begin_it() {
    let standing = stand(|known| {
        let gates = vec![looked("SERENA_INIT", "SERENA_READY", StepStatus::Open)];
        known.following = Some(Following { is_followed: false, ..following(None, "", gates) });
    });
    assert!(standing.next_words(Voice::PERSON).starts_with("go on"));
    assert_eq!(standing.open().count(), 1, "what it asks for is shown all the same");
}

#[test]
fn what_no_hook_sees_is_for_the_user_to_approve() {
    let read = NextStep::Read("AGENTS.md".into());
    assert_eq!(read.words_for(Voice::HOOKED, Some("g")), "read AGENTS.md");
    let unseen = read.words_for(AGENT, Some("g"));
    assert!(unseen.contains("ask the user: waypost gate approve g"), "{unseen}");
    let person = read.words_for(Voice::PERSON, Some("g"));
    assert!(person.contains("approve it yourself: waypost gate approve g"), "{person}");
}

#[test]
fn what_is_asked_before_a_stop_is_to_be_done_once_something_has_changed() {
    let gates = |known: &mut Situation<'_>| {
        let open = |gate: &str| finding(gate, Level::Must, FindingStatus::Missing);
        known.findings = vec![
            (open("tests"), vec![Before::Stop, Before::Commit]),
            (open("review"), vec![Before::End]),
        ];
    };
    let due = |standing: &Standing| -> Vec<String> {
        let due = standing.gates.iter().filter(|gate| gate.due);
        due.map(|gate| gate.gate.clone()).collect()
    };
    let before = stand(|known| {
        gates(known);
        known.is_changed = false;
    });
    assert_eq!(due(&before), ["review"]);
    assert_eq!(before.open().count(), 2, "it is open all the same");
    assert!(!before.next_words(Voice::PERSON).contains("tests"));
    let after = stand(gates);
    assert_eq!(due(&after), ["tests", "review"]);
    assert!(after.next_words(Voice::PERSON).contains("(for tests)"));
}
