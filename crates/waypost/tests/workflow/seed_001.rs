//! The session file and the display of the design for workflow sessions, reproduced from commands.
//!
//! What differs from its examples, and why:
//! - Ids are Waypost's own; times have milliseconds.
//! - The example has phase 2 failed and phase 3 begun. A failed phase is not complete, so the workflow
//!   stays in it: it is neither listed nor counted as completed, and its time is not in the average.
//! - The example's `current_phase` of 5 belongs to the end, its `phase_timing` to the middle: both are
//!   reproduced, one after the other. Its display says 3.5 hours where its times add up to more.
//! - `outputs` are the files that changed, not free text; `agent_version` is not known to Waypost.
//! - What the display calls "Implementation (1.2 hr) ❌" stands apart from the completed phases.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use serde_json::{Value, json};
use waypost_testkit::TestEnv;

use super::project::refused;

const SPEC_EXECUTION: &str = r#"version = "v1"
first_phase = 0

[[phase]]
name = "Planning"
[[phase]]
name = "Setup"
[[phase]]
name = "Implementation"

[[phase.gate]]
id = "coverage"
accept = "claimed"
message = "Add more tests to reach 80% coverage."

[phase.gate.proof.fields]
tests_passing = { type = "string" }
coverage = { type = "number", check = "value >= 80" }

[[phase]]
name = "Review"
[[phase]]
name = "Documentation"
[[phase]]
name = "Release"
"#;

fn env() -> TestEnv {
    let mut env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.write(".waypost/workflows/spec_execution_v1.toml", SPEC_EXECUTION);
    env.init_with("[project]\n");
    at(&mut env, "07:00:00");
    env.ok(&[
        "start",
        "--workflow",
        "spec_execution_v1",
        "--target",
        ".praxis-os/specs/my-spec",
        "--option",
        "strict=true",
    ]);
    env
}

fn at(env: &mut TestEnv, time: &str) {
    env.time = format!("2025-10-23T{time}.000Z");
}

fn complete(env: &mut TestEnv, time: &str, evidence: &[&str]) {
    at(env, time);
    env.ok(&[&["phase", "complete"], evidence].concat());
}

/// The session in the words of workflow session files, from the published copy.
fn file(env: &TestEnv) -> Value {
    let id = env.json(&["list", "--json"])[0]["session_id"].as_str().unwrap().to_owned();
    let text = std::fs::read(env.copy_of(&id).join("state.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&text).unwrap();
    manifest["waypost"]["track"].clone()
}

/// That everything of `expected` is there; times may have milliseconds.
fn assert_has(found: &Value, expected: &Value, path: &str) {
    match expected {
        Value::Object(fields) => {
            for (name, value) in fields {
                assert_has(&found[name], value, &format!("{path}.{name}"));
            }
        }
        Value::String(text) if text.ends_with('Z') => {
            let found = found.as_str().unwrap_or_default().replace(".000Z", "Z");
            assert_eq!(&found, text, "{path}");
        }
        other => assert_eq!(found, other, "{path}"),
    }
}

#[test]
fn the_session_file_in_the_middle_of_the_work() {
    let mut env = env();
    complete(&mut env, "07:30:00", &["document=found"]);
    complete(&mut env, "08:15:00", &[]);
    complete(&mut env, "09:27:00", &["coverage=85", "tests_passing=45/45"]);
    let expected = json!({
        "workflow_type": "spec_execution_v1",
        "target_file": ".praxis-os/specs/my-spec",
        "workflow_structure": {
            "total_phases": 6,
            "starting_phase": 0,
            "indexing_scheme": "zero_based",
            "workflow_version": "v1"
        },
        "current_phase": 3,
        "completed_phases": [0, 1, 2],
        "phase_timing": {
            "0": {"started_at": "2025-10-23T07:00:00Z", "completed_at": "2025-10-23T07:30:00Z"},
            "1": {"started_at": "2025-10-23T07:30:00Z", "completed_at": "2025-10-23T08:15:00Z"},
            "2": {"started_at": "2025-10-23T08:15:00Z", "completed_at": "2025-10-23T09:27:00Z"},
            "3": {"started_at": "2025-10-23T09:27:00Z"}
        },
        "lifecycle": {
            "completed": false, "completed_at": null,
            "paused": false, "paused_at": null, "paused_reason": null, "paused_context": null,
            "resumed_at": null, "resume_count": 0,
            "last_error": null, "last_error_at": null
        },
        "phase_artifacts": {
            "0": {
                "phase_number": 0,
                "evidence": {"document": "found"},
                "outputs": [],
                "commands_executed": [],
                "timestamp": "2025-10-23T07:30:00Z"
            }
        },
        "checkpoints": {"0": "passed", "1": "passed", "2": "passed", "3": "pending"},
        "created_at": "2025-10-23T07:00:00Z",
        "updated_at": "2025-10-23T09:27:00Z",
        "metadata": {
            "spec_path": ".praxis-os/specs/my-spec",
            "user_options": {"strict": true}
        }
    });
    let found = file(&env);
    assert_has(&found, &expected, "");
    assert!(found["phase_timing"]["3"].get("completed_at").is_none(), "{found}");
}

#[test]
fn after_the_last_phase_it_is_complete_and_stays_in_a_real_one() {
    let mut env = env();
    for (number, time) in (0..).zip(["07:30", "08:15", "09:27", "10:00", "10:30", "11:00"]) {
        let found = file(&env);
        assert_eq!(found["current_phase"], number);
        assert_eq!(found["lifecycle"]["completed"], false);
        let evidence = ["coverage=85", "tests_passing=45/45"];
        complete(&mut env, &format!("{time}:00"), &evidence);
    }
    let found = file(&env);
    assert_eq!(found["current_phase"], 5, "never 6");
    assert_eq!(found["completed_phases"], json!([0, 1, 2, 3, 4, 5]));
    let expected = json!({"completed": true, "completed_at": "2025-10-23T11:00:00Z"});
    assert_has(&found["lifecycle"], &expected, "lifecycle");
    assert!(refused(&env, &["phase", "complete"]).contains("is complete"));
    assert_eq!(file(&env)["lifecycle"]["completed_at"], found["lifecycle"]["completed_at"]);
}

#[test]
fn a_pause_says_why_and_in_the_middle_of_what_and_its_time_is_no_work() {
    let mut env = env();
    complete(&mut env, "07:30:00", &[]);
    at(&mut env, "08:00:00");
    env.ok(&["pause", "--reason", "user_request", "--context", "half of the setup"]);
    let paused = json!({
        "paused": true, "paused_at": "2025-10-23T08:00:00Z",
        "paused_reason": "user_request", "paused_context": "half of the setup"
    });
    assert_has(&file(&env)["lifecycle"], &paused, "lifecycle");
    let id = env.json(&["list", "--json"])[0]["session_id"].as_str().unwrap().to_owned();
    assert!(refused(&env, &["phase", "complete", "--session", &id]).contains("is paused"));
    at(&mut env, "10:00:00");
    env.ok(&["resume"]);
    complete(&mut env, "10:15:00", &[]);
    let found = file(&env);
    let expected =
        json!({"resume_count": 1, "resumed_at": "2025-10-23T10:00:00Z", "paused": false});
    assert_has(&found["lifecycle"], &expected, "lifecycle");
    assert_eq!(found["phase_timing"]["1"]["active_seconds"], 45 * 60);
    assert_eq!(found["phase_timing"]["1"]["paused_seconds"], 120 * 60);
}

/// As in the example, but for phase 2: it failed, so the workflow is still in it.
#[test]
fn the_display_while_a_checkpoint_failed() {
    let mut env = env();
    complete(&mut env, "07:30:00", &[]);
    complete(&mut env, "08:15:00", &[]);
    at(&mut env, "10:25:00");
    refused(&env, &["phase", "complete", "coverage=65", "tests_passing=42/45"]);
    at(&mut env, "10:30:00");
    insta::assert_snapshot!(without_id(&env.ok(&["brief"])));
}

/// The example's figures: three phases of 30, 45 and 72 minutes, and the fourth takes long.
#[test]
fn the_display_in_the_middle_of_the_work() {
    let mut env = env();
    complete(&mut env, "07:30:00", &[]);
    complete(&mut env, "08:15:00", &[]);
    complete(&mut env, "09:27:00", &["coverage=85", "tests_passing=45/45"]);
    at(&mut env, "11:27:00");
    let told = env.ok(&["brief"]);
    for line in [
        "🎯 Progress: Phase 3 of 6 (50% complete)",
        "   Current: Phase 3 Review (started 2 hours ago)",
        "   Average phase time: 49 minutes",
        "   ⚠️  Current phase taking longer than average",
        "✅ Completed Phases:",
        "   Phase 0: Planning (30 min) ✅ Checkpoint PASSED",
        "   Phase 1: Setup (45 min) ✅ Checkpoint PASSED",
        "   Phase 2: Implementation (1.2 hr) ✅ Checkpoint PASSED",
        "🔄 Current Status: possibly_stalled",
    ] {
        assert!(told.lines().any(|known| known == line), "{line}\n{told}");
    }
    assert_eq!(told, env.ok(&["brief"]), "the same records at the same time give the same bytes");
    let told = env.json(&["brief", "--json", "--budget", "5000"]);
    assert_eq!(told["status"], "possibly_stalled");
    assert_eq!(told["timing"]["average_ms"], 49 * 60_000);
    assert_eq!(told["progress"]["percent"], 50);
}

/// Nothing is concluded from one phase, nor from phases that took next to no time.
#[test]
fn no_stall_and_no_estimate_before_there_is_something_to_compare_with() {
    let says = |env: &TestEnv| {
        let told = env.ok(&["brief"]);
        ["Average phase time", "longer than average", "Estimated remaining", "possibly_stalled"]
            .map(|part| told.contains(part))
    };
    let mut once = env();
    complete(&mut once, "07:30:00", &[]);
    at(&mut once, "10:30:00");
    assert_eq!(says(&once), [false; 4], "one phase is no comparison");
    let mut quick = env();
    complete(&mut quick, "07:00:20", &[]);
    complete(&mut quick, "07:00:40", &[]);
    at(&mut quick, "07:09:00");
    assert_eq!(says(&quick), [true, false, false, false], "nine minutes are not long");
    at(&mut quick, "07:11:00");
    assert_eq!(says(&quick), [true, true, true, true]);
}

/// Three days later, somebody else: what it is about, what was done, what is next, why it rested.
#[test]
fn whoever_comes_three_days_later_knows_where_to_go_on() {
    let mut env = env();
    complete(&mut env, "07:30:00", &[]);
    env.ok(&["note", "add", "Sign with Ed25519", "--kind", "decision"]);
    env.write("src/new.rs", "fn new() {}\n");
    at(&mut env, "08:00:00");
    env.ok(&["pause", "--reason", "waiting for the key", "--context", "src/new.rs is half done"]);
    env.time = "2025-10-26T08:00:00.000Z".to_owned();
    let paused = env.json(&["list", "--json"])[0]["session_id"].as_str().unwrap().to_owned();
    env.ok(&["resume"]);
    let told = env.ok(&["brief"]);
    for part in [
        &format!("Session {paused}: spec_execution_v1"),
        "Target: .praxis-os/specs/my-spec",
        "⏸ It was paused 3 days ago (",
        "): \"waiting for the key\". Context: \"src/new.rs is half done\"",
        "Phase 0: Planning (30 min) ✅ Checkpoint PASSED",
        "- \"Sign with Ed25519\" (human)",
        "src/new.rs",
        "Next step: work on phase Setup",
        "Worked on for 1 hour, paused for 3 days",
    ] {
        assert!(told.contains(part), "{part}\n{told}");
    }
}

fn without_id(text: &str) -> String {
    let id = text.split_whitespace().find(|word| word.starts_with("2025-10-23_")).unwrap();
    text.replace(id.trim_end_matches(':'), "ID")
}
