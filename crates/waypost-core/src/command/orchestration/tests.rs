//! Agents that work for each other: given what happened, when somebody wants something recorded, then this follows.

mod compaction;
mod random;
mod refusals;

use serde_json::{Map, json};

use super::super::tests::{given, started};
use super::super::{Command, Refusal, decide};
use super::{Completion, OrchestrationCommand, OrchestrationRefusal};
use crate::event::{
    AgentInvoked, DecisionRecorded, DecisionType, HandoffAccepted, HandoffCreated,
    InvocationStatus, Known, SessionEnded, SessionOutcome,
};
use crate::evidence::{Confidence, Provenance, VerdictGiven, VerdictWord};
use crate::session::{Lifecycle, PendingHandoff, SessionState};

use OrchestrationCommand as Orch;

fn invocation(agent: &str) -> AgentInvoked {
    AgentInvoked {
        agent: agent.into(),
        prompt: "Look at the login".into(),
        context: Map::new(),
        artifacts: Vec::new(),
        handoff_from: None,
    }
}

fn invoke(agent: &str) -> Orch {
    Orch::Invoke(invocation(agent))
}

fn completion(agent: &str) -> Completion {
    Completion { agent: agent.into(), summary: "Looked".into(), ..Completion::default() }
}

fn complete(agent: &str) -> Orch {
    Orch::Complete(completion(agent))
}

fn decision(description: &str) -> DecisionRecorded {
    DecisionRecorded {
        id: String::new(),
        decision_type: DecisionType::Technical,
        description: description.into(),
        rationale: "It is simpler".into(),
        decided_by: "architect".into(),
        approved_by: Vec::new(),
        rejected_by: Vec::new(),
    }
}

fn decide_on(description: &str) -> Orch {
    Orch::Decide { decision: decision(description), salt: "2026-11-15_login_aaaaaa".into() }
}

fn verdict(agent: &str, word: VerdictWord) -> VerdictGiven {
    VerdictGiven {
        agent: agent.into(),
        verdict: word,
        confidence: Confidence::new(0.9).unwrap(),
        reasoning: "It holds".into(),
        conditions: Vec::new(),
        blockers: Vec::new(),
        provenance: Provenance::Observed,
        seen_as: None,
        tree_before: None,
        tree_after: None,
        own_work: Vec::new(),
        undone: false,
        unwatched: false,
        asked: false,
    }
}

fn handoff(to: &str) -> HandoffCreated {
    HandoffCreated {
        from_agent: "architect".into(),
        to_agent: to.into(),
        reason: "The design is done".into(),
        context: "See ADR.md".into(),
        artifacts: Vec::new(),
        preserved_context: None,
        checklist: vec!["tests pass".into()],
    }
}

/// What a command leads to.
fn does(state: &SessionState, command: Orch) -> Result<Vec<Known>, Refusal> {
    decide(state, Command::Orchestrate(Box::new(command)))
}

/// The events of a session in which these commands were accepted one after the other.
fn history(commands: impl IntoIterator<Item = Orch>) -> Vec<Known> {
    let mut events = vec![started(Some("Add login"))];
    for command in commands {
        events.extend(does(&given(&events), command).unwrap());
    }
    events
}

fn after(commands: impl IntoIterator<Item = Orch>) -> SessionState {
    given(&history(commands))
}

fn refusal(state: &SessionState, command: Orch) -> OrchestrationRefusal {
    match does(state, command) {
        Err(Refusal::Orchestration(refusal)) => refusal,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_agent_is_at_work_from_its_invocation_until_it_is_done() {
    let state = after([invoke("security")]);
    assert_eq!(state.orchestration.active(), Some("security"));
    assert_eq!((state.orchestration.invoked, state.orchestration.archived), (1, 0));
    let state = after([invoke("security"), complete("security")]);
    assert_eq!(state.orchestration.active(), None);
    assert_eq!(state.orchestration.invocations[0].status, InvocationStatus::Completed);
}

#[test]
fn a_completion_is_that_of_the_agents_latest_open_invocation() {
    let events = history([invoke("a"), invoke("b"), invoke("a"), complete("a"), complete("a")]);
    let completed: Vec<u64> = events
        .iter()
        .filter_map(|event| match event {
            Known::AgentCompleted(completed) => Some(completed.invocation),
            _ => None,
        })
        .collect();
    assert_eq!(completed, [4, 2]);
    assert_eq!(given(&events).orchestration.active(), Some("b"));
}

#[test]
fn how_it_went_is_told_by_failure_and_blockers() {
    let blocked = Completion { blockers: vec!["no key".into()], ..completion("a") };
    let failed = Completion { failed: true, ..blocked.clone() };
    for (completion, status) in [
        (completion("a"), InvocationStatus::Completed),
        (blocked, InvocationStatus::Blocked),
        (failed, InvocationStatus::Failed),
    ] {
        assert_eq!(completion.status(), status);
        let state = after([invoke("a"), Orch::Complete(completion)]);
        assert_eq!(state.orchestration.invocations[0].status, status);
    }
}

#[test]
fn names_are_kept_on_one_line_and_whoever_is_not_named_is_nobody() {
    let given_by =
        AgentInvoked { handoff_from: Some(" arch\nitect ".into()), ..invocation(" sec\turity ") };
    let events = does(&after([]), Orch::Invoke(given_by)).unwrap();
    let [Known::AgentInvoked(invoked)] = &events[..] else { panic!("{events:?}") };
    assert!(!invoked.agent.contains(['\n', '\t']) && invoked.agent.starts_with("sec"));
    assert!(invoked.handoff_from.as_deref().is_some_and(|name| name.starts_with("arch")));
    let nobody = AgentInvoked { handoff_from: Some("  ".into()), ..invocation("security") };
    let events = does(&after([]), Orch::Invoke(nobody)).unwrap();
    let [Known::AgentInvoked(invoked)] = &events[..] else { panic!("{events:?}") };
    assert_eq!(invoked.handoff_from, None);
}

#[test]
fn a_decision_is_open_until_somebody_says_what_they_think_of_it() {
    let events = history([decide_on("SQLite"), decide_on("No ORM")]);
    let ids: Vec<String> =
        given(&events).orchestration.decisions.iter().map(|known| known.id.clone()).collect();
    for approved in [true, false] {
        let review = Orch::Review { decision: ids[0].clone(), by: "lead".into(), approved };
        let mut events = events.clone();
        events.extend(does(&given(&events), review).unwrap());
        let state = given(&events);
        assert_eq!(state.orchestration.decisions.len(), 1);
        assert_eq!(
            (&state.orchestration.decisions[0].id, state.orchestration.decided),
            (&ids[1], 2)
        );
    }
    let agreed = DecisionRecorded { approved_by: vec!["lead".into()], ..decision("x") };
    let state = after([Orch::Decide { decision: agreed, salt: String::new() }]);
    assert_eq!((state.orchestration.decisions.len(), state.orchestration.decided), (0, 1));
}

#[test]
fn ids_of_decisions_are_stable_and_their_own() {
    let id_of = |state: &SessionState, command: Orch| match &does(state, command).unwrap()[..] {
        [Known::DecisionRecorded(decision)] => decision.id.clone(),
        other => panic!("{other:?}"),
    };
    let first = id_of(&after([]), decide_on("SQLite"));
    assert_eq!(first, id_of(&after([]), decide_on("SQLite")), "the same again is the same");
    let elsewhere = Orch::Decide { decision: decision("SQLite"), salt: "another".into() };
    let others = [
        id_of(&after([decide_on("SQLite")]), decide_on("SQLite")),
        id_of(&after([]), decide_on("Postgres")),
        id_of(&after([]), elsewhere),
    ];
    assert!(others.iter().all(|other| *other != first), "{others:?}");
    let parts: Vec<usize> = first.split('-').map(str::len).collect();
    assert_eq!(parts, [8, 4, 4, 4, 12]);
    let own = DecisionRecorded { id: "adr-7".into(), ..decision("SQLite") };
    assert_eq!(id_of(&after([]), Orch::Decide { decision: own, salt: String::new() }), "adr-7");
}

#[test]
fn what_a_verdict_wants_is_open_until_it_is_resolved() {
    let wants = VerdictGiven {
        conditions: vec!["rotate the key".into()],
        ..verdict("security", VerdictWord::Conditional)
    };
    let resolve = |verdict| Orch::Resolve { verdict, how: "rotated".into() };
    let state = after([Orch::Judge(wants.clone())]);
    assert_eq!((state.ledger.verdicts[0].open, state.orchestration.judged), (1, 1));
    let state = after([Orch::Judge(wants), resolve(2)]);
    assert_eq!(state.ledger.verdicts[0].open, 0);
    assert_eq!(refusal(&state, resolve(2)), OrchestrationRefusal::NothingToResolve(2));
    assert_eq!(refusal(&state, resolve(1)), OrchestrationRefusal::NothingToResolve(1));
}

#[test]
fn a_handoff_waits_until_somebody_accepts_it_once() {
    let accept = |handoff| Orch::Accept(HandoffAccepted { handoff, checked: vec!["ok".into()] });
    let state = after([Orch::HandOver(handoff("coder")), Orch::HandOver(handoff("tester"))]);
    let waiting: Vec<_> = state.orchestration.handoffs.iter().map(PendingHandoff::id).collect();
    assert_eq!(waiting, ["handoff-2", "handoff-3"]);
    assert_eq!(state.orchestration.handoffs[0].checklist, ["tests pass"]);
    let commands = [Orch::HandOver(handoff("coder")), Orch::HandOver(handoff("tester")), accept(2)];
    let state = after(commands);
    assert_eq!(state.orchestration.handoffs.len(), 1);
    let waiting = vec!["handoff-3".to_owned()];
    assert_eq!(refusal(&state, accept(2)), OrchestrationRefusal::NoHandoff { handoff: 2, waiting });
}

#[test]
fn secrets_in_any_text_are_taken_out() {
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    let mut told = invocation("security");
    told.prompt = format!("use {secret}");
    told.context = json!({"token": secret}).as_object().unwrap().clone();
    let mut judged = verdict("security", VerdictWord::Reject);
    judged.blockers = vec![format!("{secret} is in the log")];
    let mut handed = handoff("coder");
    handed.preserved_context = json!({"key": secret}).as_object().cloned();
    let commands = [
        Orch::Invoke(told),
        Orch::Complete(Completion { summary: secret.clone(), ..completion("security") }),
        decide_on(&secret),
        Orch::Judge(judged),
        Orch::HandOver(handed),
    ];
    let written = format!("{:?}", history(commands));
    assert!(!written.contains(&secret) && written.contains("[redacted:"), "{written}");
}
