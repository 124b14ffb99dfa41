//! Given events, when a command comes, then these events follow.

use super::*;
use crate::actor::Actor;
use crate::event::Event;
use crate::record::Record;
use crate::time::Timestamp;

pub(super) fn started(objective: Option<&str>) -> Known {
    Known::SessionStarted(SessionStarted {
        objective: objective.map(str::to_owned),
        workflow: "none".into(),
        branch: Some("main".into()),
        commit: None,
        worktree: None,
    })
}

pub(super) fn given(events: &[Known]) -> SessionState {
    let records: Vec<Record> = events
        .iter()
        .zip(1..)
        .map(|(event, seq)| Record {
            seq,
            time: Timestamp::from_millis(i64::try_from(seq).unwrap()).unwrap(),
            actor: Actor::Human,
            event: Event::from(event.clone()),
        })
        .collect();
    SessionState::fold(&records)
}

fn conversation() -> ConversationId {
    "c1".parse().unwrap()
}

fn attach_command() -> Command {
    let attached = ConversationAttached {
        conversation: conversation(),
        harness: "claude-code".into(),
        source: "startup".into(),
        checked: true,
        traceparent: None,
    };
    Command::Attach { attached, policy: "p1".into() }
}

fn attached() -> Vec<Known> {
    let mut events = vec![started(None)];
    events.extend(decide(&given(&events), attach_command()).unwrap());
    events
}

fn edit() -> Command {
    Command::ObserveEdit {
        elsewhere: None,
        subagent: None,
        conversation: conversation(),
        tool: "Edit".into(),
        path: "a".into(),
    }
}

#[test]
fn an_unnamed_session_is_named_once() {
    let name =
        |text: &str| Command::Name { objective: text.into(), workflow: None, conversation: None };
    let mut events = vec![started(None)];
    events.extend(decide(&given(&events), name("Add login")).unwrap());
    assert_eq!(given(&events).objective.as_deref(), Some("Add login"));
    assert_eq!(decide(&given(&events), name("Again")), Err(Refusal::AlreadyActive));
}

#[test]
fn nothing_happens_to_a_session_that_has_not_begun() {
    let note = Command::Note { kind: "note".into(), text: "x".into() };
    assert_eq!(decide(&given(&[]), note), Err(Refusal::Unstarted));
    assert_eq!(
        decide(
            &given(&[started(None)]),
            Command::Start(match started(None) {
                Known::SessionStarted(session) => session,
                _ => unreachable!(),
            })
        ),
        Err(Refusal::AlreadyActive)
    );
}

#[test]
fn texts_that_are_empty_or_too_long_are_refused() {
    let state = given(&[started(None)]);
    let note = |text: String| Command::Note { kind: "note".into(), text };
    assert_eq!(decide(&state, note(" \n".into())), Err(Refusal::Empty("note")));
    assert!(matches!(decide(&state, note("x".repeat(MAX_NOTE + 1))), Err(Refusal::TooLong { .. })));
    let name = Command::Name {
        objective: "x".repeat(MAX_OBJECTIVE + 1),
        workflow: None,
        conversation: None,
    };
    assert!(matches!(decide(&state, name), Err(Refusal::TooLong { .. })));
}

#[test]
fn only_the_first_edit_is_recorded_until_something_ran() {
    let mut events = attached();
    let first = decide(&given(&events), edit()).unwrap();
    assert_eq!(first.len(), 1);
    events.extend(first);
    assert_eq!(decide(&given(&events), edit()).unwrap(), []);
    events.push(Known::CommandRan(Run {
        worktree: None,
        command: "cargo".into(),
        sha256: "0".into(),
        patterns: vec!["cargo test*".into()],
        status: 0,
        tree_before: Tree::Id("t".into()),
        tree_after: Tree::Id("t".into()),
        provenance: crate::evidence::Provenance::Verified,
        duration_ms: None,
        tests: None,
        before: None,
        failed: Vec::new(),
        compared: None,
        flaky: Vec::new(),
    }));
    let after_run = decide(&given(&events), edit()).unwrap();
    assert_eq!(after_run.len(), 1);
    events.extend(after_run);
    assert_eq!(decide(&given(&events), edit()).unwrap(), []);
}

#[test]
fn a_policy_is_pinned_again_only_if_it_changed() {
    let events = attached();
    let turn = |policy: &str| Command::BeginTurn {
        conversation: conversation(),
        tree: None,
        policy: policy.into(),
    };
    assert_eq!(decide(&given(&events), turn("p1")).unwrap().len(), 1);
    assert_eq!(decide(&given(&events), turn("p2")).unwrap().len(), 2);
}

#[test]
fn a_conversation_detaches_once() {
    let mut events = attached();
    let detach = || Command::Detach { conversation: conversation(), reason: "other".into() };
    events.extend(decide(&given(&events), detach()).unwrap());
    assert!(!given(&events).conversations[&conversation()].attached);
    assert_eq!(decide(&given(&events), detach()).unwrap(), []);
}
