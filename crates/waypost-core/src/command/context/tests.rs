//! Given a session, when somebody says where it belongs or what it works on, then this follows.

use super::super::tests::{given, started};
use super::super::{Command, decide};
use super::*;
use crate::event::Event;

fn git(branch: Option<&str>, worktree: Option<&str>, base_branch: Option<&str>) -> Command {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    Command::ChangeGit(GitChanged {
        branch: owned(branch),
        worktree: owned(worktree),
        base_branch: owned(base_branch),
    })
}

fn focus(feature: Option<&str>, task: Option<&str>, phase: Option<&str>) -> Command {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    Command::SetFocus(FocusChange {
        feature: owned(feature),
        task: owned(task),
        workflow_phase: owned(phase),
    })
}

/// A session after these commands, all of which have to be accepted.
fn after(commands: impl IntoIterator<Item = Command>) -> SessionState {
    let mut events = vec![started(None)];
    for command in commands {
        events.extend(decide(&given(&events), command).unwrap());
    }
    given(&events)
}

#[test]
fn git_changes_what_is_given_and_leaves_the_rest() {
    let state = after([git(Some("feature/x"), None, None), git(None, Some("wt"), Some("main"))]);
    assert_eq!(state.branch.as_deref(), Some("feature/x"));
    assert_eq!(state.worktree.as_deref(), Some("wt"));
    assert_eq!(state.base_branch.as_deref(), Some("main"));
    let back = after([git(None, Some("wt"), None), git(None, Some(""), None)]);
    assert_eq!(back.worktree, None, "the main work tree has no name");
}

#[test]
fn names_that_git_could_not_have_are_refused() {
    let state = after([]);
    let refused = |command| match decide(&state, command) {
        Err(Refusal::Context(refusal)) => refusal,
        other => panic!("{other:?}"),
    };
    let long = "x".repeat(256);
    for bad in [
        "", " ", "a b", "a\tb", "a\u{7}", "a..b", "-x", "/a", "a/", "a//b", ".a", "a/.b", "a.lock",
        "a.", "a~1", "a^", "a:b", "a?", "a*", "[a", "a\\b", "a@{1}", "@", &long,
    ] {
        let no_branch = ContextRefusal::NotABranch(bad.into());
        assert_eq!(refused(git(Some(bad), None, None)), no_branch);
        assert_eq!(refused(git(None, None, Some(bad))), no_branch);
    }
    for bad in [".", "..", "a/b", "../x", "a\nb", &long] {
        let no_worktree = ContextRefusal::NotAWorktree(bad.into());
        assert_eq!(refused(git(None, Some(bad), None)), no_worktree);
    }
    for good in ["main", "feature/auth", "fix-1.2", "a@b", "ü", "release/v1.0-rc1"] {
        decide(&state, git(Some(good), Some("my tree"), Some(good))).unwrap();
    }
    let nothing = ContextRefusal::Nothing("branch, worktree or base_branch");
    assert_eq!(refused(git(None, None, None)), nothing);
}

#[test]
fn another_feature_takes_the_task_out_and_the_same_one_does_not() {
    let given = [focus(Some("login"), Some("form"), Some("planning"))];
    let state = after(given.clone());
    assert_eq!(state.focus.to_string(), "feature login, task form, planning");
    let same = [focus(Some("login"), None, Some("implementation"))];
    let state = after(given.clone().into_iter().chain(same));
    assert_eq!(state.focus.to_string(), "feature login, task form, implementation");
    let state = after(given.clone().into_iter().chain([focus(Some("search"), None, None)]));
    assert_eq!(state.focus.to_string(), "feature search, planning");
    let both = [focus(Some("search"), Some("index"), None)];
    let state = after(given.clone().into_iter().chain(both));
    assert_eq!(state.focus.to_string(), "feature search, task index, planning");
    let state = after(given.clone().into_iter().chain([focus(Some(""), None, Some(""))]));
    assert!(state.focus.is_empty());
    let state = after(given.clone());
    assert_eq!(decide(&state, given[0].clone()).unwrap(), [], "nothing changes");
}

#[test]
fn a_focus_that_cannot_be_is_refused() {
    let state = after([]);
    let nothing = ContextRefusal::Nothing("feature, task or workflow_phase").into();
    assert_eq!(decide(&state, focus(None, None, None)), Err(nothing));
    let unknown = decide(&state, focus(None, None, Some("Planning\u{1b}"))).unwrap_err();
    assert_eq!(
        unknown.to_string(),
        "`Planning` is not a workflow phase; the phases are planning, implementation, validation, complete"
    );
    let long = "x".repeat(MAX_FOCUS + 1);
    for (command, what) in
        [(focus(Some(&long), None, None), "feature"), (focus(None, Some(&long), None), "task")]
    {
        let found = MAX_FOCUS + 1;
        let refused = Err(Refusal::TooLong { what, found, max: MAX_FOCUS });
        assert_eq!(decide(&state, command), refused);
    }
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    let kept = after([focus(Some(&secret), None, None)]).focus.feature.unwrap();
    assert!(kept.starts_with("[redacted:"), "{kept}");
}

#[test]
fn the_events_read_back_as_they_were_written() {
    let changed = GitChanged { base_branch: Some("main".into()), ..GitChanged::default() };
    let focus = Focus {
        feature: Some("login".into()),
        task: None,
        workflow_phase: Some(WorkflowPhase::Validation),
    };
    for (event, written) in [
        (Known::GitChanged(changed), r#"{"base_branch":"main","type":"git_changed","v":1}"#),
        (
            Known::FocusSet(focus),
            r#"{"feature":"login","type":"focus_set","v":1,"workflow_phase":"validation"}"#,
        ),
        (Known::FocusSet(Focus::default()), r#"{"type":"focus_set","v":1}"#),
        (
            Known::SessionArchived { reason: "a trial".into() },
            r#"{"reason":"a trial","type":"session_archived","v":1}"#,
        ),
    ] {
        let event = Event::from(event);
        assert_eq!(event.to_value().unwrap().to_string(), written);
        assert_eq!(Event::from_json(written).unwrap(), event);
    }
}
