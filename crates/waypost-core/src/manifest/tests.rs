//! Tests of manifests: what other tools find in them, and that every byte is covered.

use serde_json::{Value, json};

use super::*;
use crate::actor::Actor;
use crate::event::{
    CommitAdded, Focus, GitChanged, Known, SessionEnded, SessionImported, SessionOutcome,
    SessionStarted, WorkflowPhase,
};
use crate::key::{Key, Keyring};
use crate::time::Timestamp;

fn id() -> SessionId {
    "2026-02-14_feature-dark-mode_a1b2c3".parse().unwrap()
}

fn records(events: Vec<Known>) -> Vec<Record> {
    let minute = |n: u64| {
        let millis = 1_771_063_200_000 + i64::try_from(n).unwrap() * 60_000;
        Timestamp::from_millis(millis).unwrap()
    };
    let record = |(seq, event): (u64, Known)| Record {
        seq,
        time: minute(seq),
        actor: Actor::Human,
        event: event.into(),
    };
    (1..).zip(events).map(record).collect()
}

fn started() -> Known {
    Known::SessionStarted(SessionStarted {
        objective: Some("Implement dark mode".into()),
        workflow: "none".into(),
        branch: Some("feature/dark-mode".into()),
        commit: None,
        worktree: None,
    })
}

fn shown(events: Vec<Known>) -> Value {
    let records = records(events);
    let lifecycle = SessionState::fold(&records).lifecycle;
    serde_json::to_value(Manifest::of(&id(), &records, "00", lifecycle)).unwrap()
}

#[test]
fn of_agents_it_shows_what_is_open_and_how_many_there_were_however_many() {
    let invoked = |number: usize| {
        let text = json!({"type": "agent_invoked", "agent": "qa", "prompt": format!("{number}")});
        serde_json::from_value::<Known>(text).unwrap()
    };
    assert_eq!(shown(vec![started()])["waypost"].get("orchestration"), None);
    let last = 3000_u64;
    let compacted =
        |to: u64| json!({"type": "history_compacted", "from": 2, "to": to, "count": to - 1});
    let mut events = vec![started()];
    events.extend((2..=last).map(|number| invoked(usize::try_from(number).unwrap())));
    events.push(serde_json::from_value(compacted(last - 3)).unwrap());
    let verdict = json!({"type": "verdict_given", "agent": "security", "verdict": "conditional",
        "confidence": 0.5, "reasoning": "r", "conditions": ["c"], "provenance": "claimed"});
    events.push(serde_json::from_value(verdict).unwrap());
    let handoff = json!({"type": "handoff_created", "from_agent": "a", "to_agent": "b", "reason": "r",
        "context": "c"});
    events.push(serde_json::from_value(handoff).unwrap());
    let shown = shown(events)["waypost"]["orchestration"].clone();
    assert_eq!((&shown["invoked"], &shown["archived"]), (&json!(last - 1), &json!(last - 4)));
    assert_eq!(
        (&shown["verdicts"][0]["agent"], &shown["verdicts"][0]["open"]),
        (&json!("security"), &json!(1))
    );
    assert_eq!(shown["handoffs"][0]["to_agent"], "b");
    assert!(shown.to_string().len() < 16 * 1024, "{}", shown.to_string().len());
}

#[test]
fn a_session_without_a_workflow_shows_as_quick_and_building() {
    let commit = CommitAdded {
        unruled: false,
        unproven: Vec::new(),
        sha: "ab".repeat(20),
        message: "feat: x".into(),
        checkpoint: Some(1),
    };
    let shown = shown(vec![started(), Known::CommitAdded(commit)]);
    assert_eq!(shown["$schema"], SCHEMA);
    assert_eq!(shown["topic"], "Implement dark mode");
    assert_eq!(shown["session_type"], "quick");
    assert_eq!(shown["current_phase"], "build");
    assert_eq!(shown["status"], "active");
    assert_eq!(shown["created_at"], shown["phase_history"]["build_started_at"]);
    assert_eq!(shown["commits"][0]["checkpoint"], 1);
    assert_eq!(shown["git"]["branch"], "feature/dark-mode");
    assert_eq!(shown["artifacts"]["plan_readable"], "plan.md");
    assert_eq!(shown["waypost"]["version"], 2);
    assert_eq!(shown["waypost"]["workflow"], "none");
}

#[test]
fn ending_completes_it_and_resuming_takes_that_back() {
    let ended = Known::SessionEnded(SessionEnded {
        outcome: SessionOutcome::Completed,
        summary: None,
        next_notes: None,
    });
    let paused = Known::SessionPaused { reason: "lunch".into(), context: None };
    let over = shown(vec![
        started(),
        paused.clone(),
        Known::SessionResumed { commit: None },
        ended.clone(),
    ]);
    assert_eq!(over["status"], "complete");
    assert_eq!(over["current_phase"], "complete");
    assert!(over["phase_history"]["build_completed_at"].is_string());
    assert_eq!(over["waypost"]["timing"]["active_ms"], 120_000);
    assert_eq!(over["waypost"]["timing"]["paused_ms"], 60_000);
    let again = shown(vec![started(), ended, Known::SessionResumed { commit: None }]);
    assert_eq!(again["status"], "active");
    assert_eq!(again["current_phase"], "build");
    assert!(again["phase_history"]["build_completed_at"].is_null());
    assert_eq!(shown(vec![started(), paused])["status"], "paused");
}

#[test]
fn nobody_recorded_that_a_session_was_abandoned_yet_it_shows_as_paused() {
    let manifest = Manifest::of(&id(), &records(vec![started()]), "00", Lifecycle::Abandoned);
    let shown = serde_json::to_value(manifest).unwrap();
    assert_eq!(
        (&shown["status"], &shown["waypost"]["lifecycle"]),
        (&json!("paused"), &json!("abandoned"))
    );
}

#[test]
fn what_another_program_wrote_is_shown_again_with_keys_that_nobody_knows() {
    let foreign = json!({
        "$schema": "Session state manifest v2 - programmatic updates only",
        "session_id": "2026-02-14_feature-dark-mode_a1b2c3",
        "topic": "Dark mode",
        "description": null,
        "prior_session": "2026-02-01_theme",
        "session_type": "full",
        "created_at": "2026-02-14T10:00:00.566903+00:00",
        "current_phase": "plan",
        "status": "paused",
        "phase_history": {"spec_started_at": "2026-02-14T11:00:00+01:00", "demo_started_at": "x"},
        "build_progress": {"checkpoints_total": 0, "checkpoints_completed": [], "tranche": 2},
        "git": {"branch": "main", "remote": "origin"},
        "commits": [{"sha": "abc1234", "message": "m", "checkpoint_id": 3, "created_at": "naive"}],
        "artifacts": {"spec": "spec.md", "diagrams": "d/"},
    });
    let imported = SessionImported::of_manifest("manifest", foreign);
    let shown =
        shown(vec![Known::SessionImported(imported), Known::SessionResumed { commit: None }]);
    assert_eq!(shown["prior_session"], "2026-02-01_theme");
    assert_eq!(shown["status"], "active");
    assert_eq!(shown["current_phase"], "plan");
    assert_eq!(shown["created_at"], "2026-02-14T10:00:00.566Z");
    assert_eq!(shown["phase_history"]["spec_started_at"], "2026-02-14T10:00:00.000Z");
    assert_eq!(shown["phase_history"]["demo_started_at"], "x");
    assert_eq!(shown["build_progress"]["checkpoints_total"], 0);
    assert_eq!(shown["build_progress"]["tranche"], 2);
    assert_eq!(shown["git"]["remote"], "origin");
    assert_eq!(shown["commits"][0]["checkpoint"], 3);
    assert_eq!(shown["commits"][0]["checkpoint_id"], 3);
    assert_eq!(shown["artifacts"]["diagrams"], "d/");
}

#[test]
fn checkpoints_show_as_they_were_completed() {
    let build = |events: Vec<Known>| {
        let begun = [started(), Known::BuildStarted { total: 3 }];
        shown(begun.into_iter().chain(events).collect())["build_progress"].clone()
    };
    let progress = |done: Value, current: Value| {
        json!({
            "checkpoints_total": 3,
            "checkpoints_completed": done,
            "current_checkpoint": current
        })
    };
    let completed = |checkpoint| Known::CheckpointCompleted { checkpoint };
    assert_eq!(build(vec![]), progress(json!([]), json!(1)));
    let at_two = Known::CheckpointStarted { checkpoint: 2 };
    assert_eq!(build(vec![completed(3), at_two]), progress(json!([3]), json!(2)));
    let all = vec![completed(3), completed(1), completed(2)];
    assert_eq!(build(all), progress(json!([1, 2, 3]), Value::Null));
    let nothing = shown(vec![started()]);
    assert_eq!(nothing["build_progress"]["checkpoints_total"], Value::Null);
    assert_eq!(nothing["waypost"].get("build"), None);
}

#[test]
fn what_another_program_wrote_of_a_build_stays_until_it_goes_on() {
    let foreign = json!({
        "topic": "x",
        "build_progress": {"checkpoints_total": 3, "checkpoints_completed": [2, 1], "tranche": 2},
        "git": {"branch": "main", "worktree": "elsewhere", "remote": "origin"},
    });
    let imported = SessionImported::of_manifest("manifest", foreign);
    let events = [Known::SessionImported(imported), Known::SessionResumed { commit: None }];
    let with = |event: Known| shown(events.iter().cloned().chain([event]).collect());
    let task = with(Known::TaskCompleted { task: "3.1".into() });
    assert_eq!(task["build_progress"]["checkpoints_completed"], json!([2, 1]));
    assert_eq!(task["build_progress"]["current_checkpoint"], Value::Null);
    assert_eq!(task["waypost"]["build"]["tasks"], json!(["3.1"]));
    let done = with(Known::CheckpointCompleted { checkpoint: 3 });
    assert_eq!(done["build_progress"]["checkpoints_completed"], json!([1, 2, 3]));
    assert_eq!(done["build_progress"]["tranche"], 2);
    let changed = GitChanged { base_branch: Some("main".into()), ..GitChanged::default() };
    let git = with(Known::GitChanged(changed))["git"].clone();
    let expected = json!({
        "branch": "main", "worktree": "elsewhere", "base_branch": "main", "remote": "origin"
    });
    assert_eq!(git, expected);
}

#[test]
fn focus_and_git_show_as_they_are_now() {
    let focus = Focus {
        feature: Some("login".into()),
        task: None,
        workflow_phase: Some(WorkflowPhase::Validation),
    };
    let changed = GitChanged {
        branch: Some("feature/x".into()),
        worktree: Some("wt".into()),
        base_branch: Some("main".into()),
    };
    let back = GitChanged { worktree: Some(String::new()), ..GitChanged::default() };
    let shown = shown(vec![
        started(),
        Known::FocusSet(focus),
        Known::GitChanged(changed),
        Known::GitChanged(back),
    ]);
    let expected = json!({"feature": "login", "workflow_phase": "validation"});
    assert_eq!(shown["waypost"]["focus"], expected);
    let expected = json!({"branch": "feature/x", "worktree": null, "base_branch": "main"});
    assert_eq!(shown["git"], expected);
}

#[test]
fn what_was_put_away_shows_as_what_it_had_come_to() {
    let ended = Known::SessionEnded(SessionEnded {
        outcome: SessionOutcome::Failed,
        summary: None,
        next_notes: None,
    });
    let archived = Known::SessionArchived { reason: "a trial".into() };
    let unfinished = shown(vec![started(), archived.clone()]);
    assert_eq!(
        (&unfinished["status"], &unfinished["current_phase"]),
        (&json!("paused"), &json!("build"))
    );
    assert_eq!(unfinished["waypost"]["lifecycle"], "archived");
    assert_eq!(unfinished["waypost"]["archived"]["reason"], "a trial");
    let failed = shown(vec![started(), ended, archived.clone()]);
    assert_eq!(
        (&failed["status"], &failed["current_phase"]),
        (&json!("failed"), &json!("complete"))
    );
    let again = shown(vec![started(), archived, Known::SessionResumed { commit: None }]);
    assert_eq!(again["status"], "active");
}

#[test]
fn older_manifests_are_read_too() {
    let older = json!({
        "session_id": "x",
        "current_phase": "complete",
        "phases": {"plan": {"status": "finalized", "started_at": "2025-12-28T13:15:00Z",
                            "finalized_at": "2025-12-28T13:35:00Z"}},
        "plan_state": {"checkpoints_completed": [1, 2], "current_checkpoint": null},
    });
    let read = Basics::read(&older);
    assert_eq!((read.topic.as_str(), read.status.as_str()), ("x", "complete"));
    assert!(read.phase_history.plan_completed_at.is_some());
    assert_eq!(read.build_progress.checkpoints_completed, [1, 2]);
    assert!(read.extra.contains_key("phases"));
    assert_eq!(Basics::read(&json!([1, 2])).topic, "(no topic)");
}

#[test]
fn a_manifest_is_over_when_its_last_phase_is_whatever_its_status_says() {
    let read = |fields: serde_json::Value| {
        let read = Basics::read(&fields);
        (read.current_phase, read.status)
    };
    for (fields, phase, status) in [
        // The program that writes these leaves the status alone when it completes the last phase.
        (json!({"current_phase": "complete", "status": "active"}), "complete", "complete"),
        (json!({"current_phase": "completed"}), "complete", "complete"),
        (json!({"current_phase": "build", "status": "done"}), "build", "complete"),
        (json!({"current_phase": "complete", "status": "failed"}), "complete", "failed"),
        (json!({"current_phase": "Build", "status": "In Progress"}), "build", "active"),
        (
            json!({"current_phase": "spec", "phases": {"spec": {"status": "finalized_complete"}}}),
            "spec",
            "complete",
        ),
        // What it does not say, its times do.
        (json!({"phase_history": {"plan_started_at": "2026-01-01T00:00:00Z"}}), "plan", "active"),
        (json!({"current_phase": "review", "status": 7}), "spec", "active"),
    ] {
        assert_eq!(read(fields.clone()), (phase.to_owned(), status.to_owned()), "{fields}");
    }
}

#[test]
fn times_and_numbers_are_read_in_every_spelling() {
    let read = Basics::read(&json!({
        "created_at": "2026-01-29T12:00:00",
        "updated_at": 1_769_688_000,
        "current_phase": "build",
        "phases": {"spec": {"started_at": "2026-01-28"}, "build": {"current_checkpoint": 2}},
        "plan_state": {"checkpoints_total": "4", "checkpoints_completed": ["1", {"id": 3}]},
        "commits": [
            "1a2b3c4 Begin",
            {"hash": "5d6e7f8", "subject": "Go on", "date": "2026-01-29 13:00", "checkpoint_id": "2"},
            7,
        ],
    }));
    assert_eq!(read.created_at.unwrap().to_string(), "2026-01-29T12:00:00.000Z");
    assert_eq!(read.updated_at.unwrap().to_string(), "2026-01-29T12:00:00.000Z");
    let spec = read.phase_history.spec_started_at.unwrap();
    assert_eq!(spec.to_string(), "2026-01-28T00:00:00.000Z");
    let progress = &read.build_progress;
    assert_eq!(progress.checkpoints_completed, [1, 3]);
    assert_eq!((progress.checkpoints_total, progress.current_checkpoint), (Some(4), Some(2)));
    let commits: Vec<_> = read.commits.iter().map(|one| (&*one.sha, &*one.message)).collect();
    assert_eq!(commits, [("1a2b3c4", "Begin"), ("5d6e7f8", "Go on"), ("", "")]);
    assert_eq!(read.commits[1].checkpoint, Some(2));
    assert!(read.commits[1].created_at.is_some());
}

#[test]
fn which_checkpoint_is_being_planned_is_no_build() {
    let planning = json!({
        "current_phase": "plan",
        "build_progress": {"checkpoints_total": 0, "checkpoints_completed": []},
        "plan_state": {"checkpoints_total": 5, "current_checkpoint": 2, "checkpoints_completed": []},
    });
    let progress = Basics::read(&planning).build_progress;
    assert_eq!((progress.checkpoints_total, progress.current_checkpoint), (Some(0), None));
    let mut building = planning;
    building["current_phase"] = json!("build");
    let progress = Basics::read(&building).build_progress;
    assert_eq!((progress.checkpoints_total, progress.current_checkpoint), (Some(5), Some(2)));
}

#[test]
fn every_flipped_bit_of_the_text_is_noticed() {
    let key = Key::from_bytes(vec![7; 32]);
    let ring = Keyring::new(key.clone());
    let manifest = Manifest::of(&id(), &records(vec![started()]), "00", Lifecycle::Active);
    let text = seal(&manifest, &key).unwrap();
    assert!(open(&ring, &id(), text.as_bytes()).is_ok());
    assert!(open(&ring, &"other".parse().unwrap(), text.as_bytes()).is_err());
    assert!(is_ours(&serde_json::from_str(&text).unwrap()));
    for byte in 0..text.len() {
        assert!(open(&ring, &id(), &text.as_bytes()[..byte]).is_err());
        for bit in 0..8 {
            let mut flipped = text.clone().into_bytes();
            flipped[byte] ^= 1 << bit;
            assert!(open(&ring, &id(), &flipped).is_err(), "bit {bit} of byte {byte}");
        }
    }
}
