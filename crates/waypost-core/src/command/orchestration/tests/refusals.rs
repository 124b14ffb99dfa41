//! What is refused, of every command: nothing follows from it.

use super::*;
use crate::session::MAX_HANDOFFS;

const TEXT: usize = 64 * 1024;

fn is_too_long(command: Orch, part: &str) {
    match does(&after([invoke("a")]), command) {
        Err(Refusal::TooLong { what, .. }) => assert_eq!(what, part),
        other => panic!("{part}: {other:?}"),
    }
}

fn is_empty(command: Orch, part: &str) {
    match does(&after([invoke("a")]), command) {
        Err(Refusal::Empty(what)) => assert_eq!(what, part),
        other => panic!("{part}: {other:?}"),
    }
}

fn has_too_many(command: Orch, list: &str) {
    match refusal(&after([invoke("a")]), command) {
        OrchestrationRefusal::TooMany { what, found, max } => {
            assert_eq!((what, found), (list, max + 1));
        }
        other => panic!("{list}: {other:?}"),
    }
}

fn long() -> String {
    "x".repeat(TEXT + 1)
}

fn many() -> Vec<String> {
    vec!["x".into(); 101]
}

fn item() -> Vec<String> {
    vec!["x".repeat(4 * 1024 + 1)]
}

#[test]
fn what_an_agent_is_given_has_a_name_a_prompt_and_bounds() {
    let told = || invocation("a");
    is_empty(invoke(" \n"), "agent");
    is_too_long(invoke(&"x".repeat(65)), "agent");
    is_empty(Orch::Invoke(AgentInvoked { prompt: " ".into(), ..told() }), "prompt");
    is_too_long(Orch::Invoke(AgentInvoked { prompt: long(), ..told() }), "prompt");
    has_too_many(Orch::Invoke(AgentInvoked { artifacts: many(), ..told() }), "artifacts");
    is_too_long(Orch::Invoke(AgentInvoked { artifacts: item(), ..told() }), "artifacts");
    let context = json!({"much": long()}).as_object().unwrap().clone();
    is_too_long(Orch::Invoke(AgentInvoked { context, ..told() }), "context");
    let from = Some("x".repeat(65));
    is_too_long(Orch::Invoke(AgentInvoked { handoff_from: from, ..told() }), "handoff_from");
    let fits = AgentInvoked { prompt: "x".repeat(TEXT), ..invocation(&"x".repeat(64)) };
    assert_eq!(does(&after([]), Orch::Invoke(fits)).unwrap().len(), 1);
}

#[test]
fn a_completion_is_refused_where_nothing_is_open_and_names_what_is() {
    let nothing = |open: &[&str]| OrchestrationRefusal::NothingOpen {
        agent: "b".into(),
        open: open.iter().map(|&name| name.to_owned()).collect(),
    };
    assert_eq!(refusal(&after([]), complete("b")), nothing(&[]));
    assert_eq!(refusal(&after([invoke("a"), invoke("c")]), complete("b")), nothing(&["a", "c"]));
    let done = after([invoke("b"), complete("b")]);
    assert_eq!(refusal(&done, complete("b")), nothing(&[]));
    let told = refusal(&after([invoke("a")]), complete("b")).to_string();
    assert_eq!(told, "b has no open invocation; open: a");
}

#[test]
fn a_subagent_that_hooks_see_is_completed_by_them_alone() {
    let mut events = history([]);
    events.push(Known::SubagentStarted {
        conversation: "c1".parse().unwrap(),
        subagent: "s1".into(),
        agent_type: "security".into(),
        tree: None,
    });
    let open = vec!["security".to_owned()];
    let refused = OrchestrationRefusal::NothingOpen { agent: "security".into(), open };
    assert_eq!(refusal(&given(&events), complete("security")), refused);
}

#[test]
fn what_an_agent_leaves_has_bounds() {
    let done = || completion("a");
    let complete = Orch::Complete;
    is_empty(complete(Completion { summary: String::new(), ..done() }), "summary");
    is_too_long(complete(Completion { summary: long(), ..done() }), "summary");
    has_too_many(complete(Completion { artifacts: many(), ..done() }), "artifacts");
    has_too_many(complete(Completion { recommendations: many(), ..done() }), "recommendations");
    has_too_many(complete(Completion { blockers: many(), ..done() }), "blockers");
    is_too_long(complete(Completion { blockers: item(), ..done() }), "blockers");
    is_too_long(complete(Completion { handoff_reason: Some(long()), ..done() }), "handoff_reason");
    let to = Some("x".repeat(65));
    is_too_long(complete(Completion { handoff_to: to, ..done() }), "handoff_to");
}

#[test]
fn decisions_and_what_is_thought_of_them_have_bounds() {
    let on = |decision| Orch::Decide { decision, salt: String::new() };
    is_empty(on(decision(" ")), "description");
    is_too_long(on(decision(&long())), "description");
    is_too_long(on(DecisionRecorded { rationale: long(), ..decision("x") }), "rationale");
    is_empty(on(DecisionRecorded { decided_by: String::new(), ..decision("x") }), "decided_by");
    is_too_long(on(DecisionRecorded { id: "x".repeat(65), ..decision("x") }), "id");
    has_too_many(on(DecisionRecorded { approved_by: many(), ..decision("x") }), "approved_by");
    has_too_many(on(DecisionRecorded { rejected_by: many(), ..decision("x") }), "rejected_by");
    let review = |by: &str| Orch::Review { decision: "x".into(), by: by.into(), approved: true };
    is_empty(review(" "), "reviewer");
    is_too_long(review(&"x".repeat(65)), "reviewer");
}

#[test]
fn verdicts_have_bounds_and_words() {
    let judge = |change: fn(&mut VerdictGiven)| {
        let mut verdict = verdict("security", VerdictWord::Approve);
        change(&mut verdict);
        Orch::Judge(verdict)
    };
    is_empty(judge(|verdict| verdict.agent = " ".into()), "agent");
    is_empty(judge(|verdict| verdict.reasoning = String::new()), "reasoning");
    is_too_long(judge(|verdict| verdict.reasoning = long()), "reasoning");
    has_too_many(judge(|verdict| verdict.conditions = many()), "conditions");
    has_too_many(judge(|verdict| verdict.blockers = many()), "blockers");
    is_too_long(judge(|verdict| verdict.blockers = item()), "blockers");
    is_empty(Orch::Resolve { verdict: 1, how: " ".into() }, "reason");
    for word in VerdictWord::ALL {
        assert_eq!(VerdictWord::named(word.name()), Some(word));
    }
    assert_eq!(VerdictWord::named("approved"), None);
    let told = OrchestrationRefusal::UnknownVerdict("lgtm\n".into()).to_string();
    assert!(told.contains("approve, reject, conditional, needs_revision"), "{told}");
    assert!(!told.contains('\n'), "{told}");
}

#[test]
fn a_confidence_goes_from_nought_to_one() {
    for number in [0.0, -0.0, 0.5, 1.0] {
        assert!(Confidence::new(number).is_some(), "{number}");
    }
    for number in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        assert_eq!(Confidence::new(number), None, "{number}");
    }
    assert!(serde_json::from_str::<Confidence>("1.5").is_err());
    assert_eq!(serde_json::to_string(&Confidence::new(-0.0).unwrap()).unwrap(), "0.0");
}

#[test]
fn handoffs_have_bounds_and_at_most_sixteen_wait() {
    let over = Orch::HandOver;
    is_empty(over(HandoffCreated { reason: " ".into(), ..handoff("a") }), "reason");
    is_empty(over(HandoffCreated { context: String::new(), ..handoff("a") }), "context");
    is_empty(over(handoff(" ")), "to_agent");
    is_empty(over(HandoffCreated { from_agent: String::new(), ..handoff("a") }), "from_agent");
    has_too_many(over(HandoffCreated { artifacts: many(), ..handoff("a") }), "artifacts");
    let preserved_context = json!({"much": long()}).as_object().cloned();
    is_too_long(over(HandoffCreated { preserved_context, ..handoff("a") }), "preserved_context");
    let checklist =
        |points: Vec<String>| over(HandoffCreated { checklist: points, ..handoff("a") });
    has_too_many(checklist(vec!["x".into(); 17]), "the checklist");
    is_too_long(checklist(vec!["x".repeat(257)]), "point of the checklist");
    is_empty(checklist(vec![String::new()]), "point of the checklist");
    has_too_many(Orch::Accept(HandoffAccepted { handoff: 2, checked: many() }), "what was found");

    let full = after((0..MAX_HANDOFFS).map(|_| over(handoff("a"))));
    assert_eq!(refusal(&full, over(handoff("a"))), OrchestrationRefusal::TooManyHandoffs);
    let waiting: Vec<String> = full.orchestration.handoffs.iter().map(PendingHandoff::id).collect();
    assert_eq!(waiting.len(), MAX_HANDOFFS, "none was displaced");
    assert_eq!(
        refusal(&full, Orch::Accept(HandoffAccepted { handoff: 1, checked: Vec::new() })),
        OrchestrationRefusal::NoHandoff { handoff: 1, waiting }
    );
}

#[test]
fn nothing_is_recorded_in_a_session_that_is_over() {
    let mut events = history([invoke("a"), Orch::HandOver(handoff("b"))]);
    let (outcome, summary) = (SessionOutcome::Completed, None);
    events.push(Known::SessionEnded(SessionEnded { outcome, summary, next_notes: None }));
    for command in [
        invoke("a"),
        complete("a"),
        decide_on("x"),
        Orch::Review { decision: "x".into(), by: "a".into(), approved: true },
        Orch::Judge(verdict("a", VerdictWord::Approve)),
        Orch::Resolve { verdict: 2, how: "x".into() },
        Orch::HandOver(handoff("a")),
        Orch::Accept(HandoffAccepted { handoff: 3, checked: Vec::new() }),
        Orch::Compact,
    ] {
        assert_eq!(does(&given(&events), command), Err(Refusal::Over(Lifecycle::Completed)));
    }
}
