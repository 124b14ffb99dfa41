//! Given a session's life so far, when somebody pauses, resumes or ends it, then this follows.

use super::super::tests::{given, started};
use super::super::{Command, decide};
use super::*;
use crate::event::{Event, SessionOutcome};
use crate::evidence::{Provenance, Run, Tree};

const DAY: i64 = 24 * 60 * 60 * 1000;

fn pause_command() -> Command {
    Command::Pause { reason: "lunch".into(), context: Some("half of the form is done".into()) }
}

/// Resuming soon after the last event of `given`, whose times are the sequence numbers.
fn resume_command() -> Command {
    Command::Resume { now: at(100), attended: false, commit: None }
}

fn end_command(outcome: SessionOutcome) -> Command {
    Command::End(SessionEnded { outcome, summary: Some("done".into()), next_notes: None })
}

fn note() -> Command {
    Command::Note { kind: "note".into(), text: "x".into() }
}

fn commit(sha: &str) -> Command {
    Command::AddCommit(CommitAdded {
        unruled: false,
        unproven: Vec::new(),
        sha: sha.into(),
        message: "Add".into(),
        checkpoint: Some(2),
    })
}

fn run(provenance: Provenance) -> Command {
    Command::RecordRun(Run {
        worktree: None,
        command: "cargo".into(),
        sha256: "0".into(),
        patterns: Vec::new(),
        status: 0,
        tree_before: Tree::Id("t".into()),
        tree_after: Tree::Id("t".into()),
        provenance,
        duration_ms: None,
        tests: None,
        before: None,
        failed: Vec::new(),
        compared: None,
        flaky: Vec::new(),
    })
}

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis).unwrap()
}

/// A session after these commands, all of which have to be accepted.
fn after(commands: impl IntoIterator<Item = Command>) -> Vec<Known> {
    let mut events = vec![started(Some("Add login"))];
    for command in commands {
        events.extend(decide(&given(&events), command).unwrap());
    }
    events
}

#[test]
fn a_pause_keeps_its_reason_and_context_and_a_resume_ends_it() {
    let paused = given(&after([pause_command()]));
    assert_eq!(paused.lifecycle, Lifecycle::Paused);
    let pause = paused.pause.unwrap();
    assert_eq!((pause.reason.as_str(), pause.since), ("lunch", at(2)));
    assert_eq!(pause.context.as_deref(), Some("half of the form is done"));

    let resumed = given(&after([pause_command(), resume_command()]));
    assert_eq!((resumed.lifecycle, resumed.resumed), (Lifecycle::Active, 1));
    assert!(resumed.pause.is_some(), "whoever goes on wants to know");
}

#[test]
fn pausing_twice_and_resuming_what_is_active_is_refused() {
    let paused = given(&after([pause_command()]));
    assert_eq!(decide(&paused, pause_command()), Err(Refusal::Paused));
    assert_eq!(decide(&given(&after([])), resume_command()), Err(Refusal::NotPaused));
}

#[test]
fn what_is_over_takes_nothing_but_a_resume_and_what_hooks_see() {
    for (outcome, lifecycle) in [
        (SessionOutcome::Completed, Lifecycle::Completed),
        (SessionOutcome::Failed, Lifecycle::Failed),
    ] {
        let events = after([end_command(outcome)]);
        let over = given(&events);
        assert_eq!((over.lifecycle, over.ended_at), (lifecycle, Some(at(2))));
        let name = Command::Name { objective: "Other".into(), workflow: None, conversation: None };
        let sha = "a".repeat(40);
        for command in [
            note(),
            name,
            commit(&sha),
            pause_command(),
            end_command(outcome),
            run(Provenance::Verified),
        ] {
            assert_eq!(decide(&over, command), Err(Refusal::Over(lifecycle)));
        }
        assert_eq!(decide(&over, run(Provenance::Observed)).unwrap().len(), 1);
        let again = given(&after([end_command(outcome), resume_command(), note()]));
        assert_eq!((again.lifecycle, again.ended_at), (Lifecycle::Active, None));
    }
}

#[test]
fn a_paused_session_takes_notes_and_can_be_ended_but_not_named() {
    let unnamed = vec![started(None), Known::SessionPaused { reason: "x".into(), context: None }];
    let name = Command::Name { objective: "Other".into(), workflow: None, conversation: None };
    assert_eq!(decide(&given(&unnamed), name), Err(Refusal::Paused));
    after([pause_command(), note(), end_command(SessionOutcome::Completed)]);
}

#[test]
fn an_active_session_counts_as_abandoned_after_a_day_without_anybody() {
    let state = given(&after([]));
    let last = state.updated_at.unwrap().as_millis();
    assert_eq!(state.lifecycle_at(at(last + DAY - 1), false), Lifecycle::Active);
    assert_eq!(state.lifecycle_at(at(last + DAY), false), Lifecycle::Abandoned);
    assert_eq!(state.lifecycle_at(at(last + DAY), true), Lifecycle::Active);
    assert_eq!(state.lifecycle, Lifecycle::Active, "no event says so");
    let resume = Command::Resume { now: at(last + DAY), attended: false, commit: None };
    assert_eq!(decide(&state, resume).unwrap(), [Known::SessionResumed { commit: None }]);
    let paused = given(&after([pause_command()]));
    assert_eq!(paused.lifecycle_at(at(last + 9 * DAY), false), Lifecycle::Paused);
}

#[test]
fn a_commit_is_recorded_once_by_its_full_hash() {
    let sha = "0123456789abcdef0123456789abcdef01234567";
    let state = given(&after([commit(sha)]));
    assert_eq!(state.commits, [sha]);
    let seen = CommitAdded {
        unruled: false,
        unproven: Vec::new(),
        sha: sha.into(),
        message: "Add".into(),
        checkpoint: None,
    };
    let again = decide(&state, Command::AddCommit(seen.clone())).unwrap();
    assert_eq!(again, [], "whoever says it again changes nothing");
    let seen_first = after([Command::AddCommit(seen), commit(sha)]);
    assert_eq!(seen_first.len(), 3, "its checkpoint is told later");
    assert_eq!(given(&seen_first).commits, [sha]);
    for bad in ["0123456", "HEAD", &"A".repeat(40), &"a".repeat(41), ""] {
        assert_eq!(decide(&state, commit(bad)), Err(Refusal::NotACommit(bad.into())));
    }
}

#[test]
fn the_state_stays_bounded_however_many_commits_there_are() {
    let many = (0..100).map(|number| commit(&format!("{number:040x}")));
    let state = given(&after(many));
    assert_eq!(state.commits.len(), 32);
    assert_eq!(state.commits.last().unwrap(), &format!("{:040x}", 99));
}

#[test]
fn texts_that_are_empty_or_far_too_long_are_refused() {
    let state = given(&after([]));
    let pause = |reason: &str, context: Option<String>| {
        decide(&state, Command::Pause { reason: reason.into(), context })
    };
    assert_eq!(pause(" \n", None), Err(Refusal::Empty("reason")));
    assert_eq!(pause("x", Some(String::new())), Err(Refusal::Empty("context")));
    let long = "x".repeat(10_000_000);
    assert!(matches!(pause(&long, None), Err(Refusal::TooLong { .. })));
    assert!(matches!(pause("x", Some(long.clone())), Err(Refusal::TooLong { .. })));
    let ended =
        SessionEnded { outcome: SessionOutcome::Failed, summary: Some(long), next_notes: None };
    assert!(matches!(decide(&state, Command::End(ended)), Err(Refusal::TooLong { .. })));
}

#[test]
fn what_was_put_away_takes_nothing_until_it_is_resumed() {
    let archive = || Command::Archive { reason: "a trial".into() };
    for (before, lifecycle, ended) in [
        (vec![], Lifecycle::Active, 2),
        (vec![pause_command()], Lifecycle::Paused, 3),
        (vec![end_command(SessionOutcome::Failed)], Lifecycle::Failed, 2),
    ] {
        let commands = || before.iter().cloned().chain([archive()]);
        let away = given(&after(commands()));
        assert_eq!((away.lifecycle, away.ended_at), (Lifecycle::Archived, Some(at(ended))));
        let archived = away.archived.clone().unwrap();
        assert_eq!((archived.reason.as_str(), archived.before), ("a trial", lifecycle));
        for command in [note(), pause_command(), end_command(SessionOutcome::Failed), archive()] {
            assert_eq!(decide(&away, command), Err(Refusal::Over(Lifecycle::Archived)));
        }
        let again = given(&after(commands().chain([resume_command(), note()])));
        assert_eq!((again.lifecycle, again.ended_at), (Lifecycle::Active, None));
        assert_eq!(again.archived, None);
    }
    let empty = Command::Archive { reason: " ".into() };
    assert_eq!(decide(&given(&after([])), empty), Err(Refusal::Empty("reason")));
    assert_eq!(decide(&given(&[]), archive()), Err(Refusal::Unstarted));
}

#[test]
fn the_events_of_a_life_read_back_as_they_were_written() {
    let sha = "a".repeat(40);
    let commands =
        [pause_command(), resume_command(), commit(&sha), end_command(SessionOutcome::Completed)];
    let written: Vec<_> = after(commands)
        .into_iter()
        .skip(1)
        .map(|event| {
            let value = Event::from(event.clone()).to_value().unwrap();
            assert_eq!(Event::from_json(&value.to_string()).unwrap(), Event::from(event));
            value.to_string()
        })
        .collect();
    assert_eq!(
        written,
        [
            r#"{"context":"half of the form is done","reason":"lunch","type":"session_paused","v":1}"#,
            r#"{"type":"session_resumed","v":1}"#,
            &format!(
                r#"{{"checkpoint":2,"message":"Add","sha":"{sha}","type":"commit_added","v":1}}"#
            ),
            r#"{"outcome":"completed","summary":"done","type":"session_ended","v":1}"#,
        ]
    );
}
