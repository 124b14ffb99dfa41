//! A workflow session: numbered phases, their timing, explicit flags.

use serde_json::json;
use waypost_testkit::TestEnv;

use crate::shapes::{Compared, Is};

const WORKFLOW: &str = "version = \"v1\"\nfirst_phase = 0\n\n[[phase]]\nname = \"Planning\"\n\n\
                        [[phase]]\nname = \"Building\"\n";

pub(crate) fn compare(compared: &mut Compared) {
    let mut env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.write(".waypost/workflows/spec.toml", WORKFLOW);
    env.init_with("[project]\n");
    let at = |env: &mut TestEnv, time: &str| env.time = format!("2025-10-23T{time}.000Z");
    at(&mut env, "07:00:00");
    env.ok(&["start", "--workflow", "spec", "--target", "specs/my-spec"]);
    at(&mut env, "07:30:00");
    env.ok(&["phase", "complete"]);
    at(&mut env, "08:15:00");
    env.ok(&["phase", "complete"]);
    let id = env.json(&["list", "--json"])[0]["session_id"].clone();
    let found = env.json(&["status", id.as_str().unwrap_or_default(), "--json"])["track"].clone();
    let fields = [
        ("session_id", Is::Text),
        ("workflow_type", Is::Text),
        ("target_file", Is::Text),
        ("workflow_structure/total_phases", Is::Number),
        ("workflow_structure/starting_phase", Is::Number),
        ("workflow_structure/indexing_scheme", Is::Text),
        ("workflow_structure/workflow_version", Is::Text),
        ("current_phase", Is::Number),
        ("completed_phases/0", Is::Number),
        ("phase_timing/0/started_at", Is::Text),
        ("phase_timing/0/completed_at", Is::Text),
        ("phase_timing/0/duration_seconds", Is::Number),
        ("lifecycle/completed", Is::Flag),
        ("lifecycle/completed_at", Is::TextOrNull),
        ("lifecycle/total_duration_seconds", Is::Number),
        ("lifecycle/paused", Is::Flag),
        ("lifecycle/paused_at", Is::TextOrNull),
        ("lifecycle/paused_reason", Is::TextOrNull),
        ("lifecycle/paused_context", Is::TextOrNull),
        ("lifecycle/resumed_at", Is::TextOrNull),
        ("lifecycle/resume_count", Is::Number),
        ("lifecycle/last_error", Is::TextOrNull),
        ("lifecycle/last_error_at", Is::TextOrNull),
        ("phase_artifacts/0/phase_number", Is::Number),
        ("phase_artifacts/0/evidence", Is::Object),
        ("phase_artifacts/0/outputs", Is::Object),
        ("phase_artifacts/0/commands_executed", Is::List),
        ("phase_artifacts/0/timestamp", Is::Text),
        ("checkpoints/0", Is::Text),
        ("created_at", Is::Text),
        ("updated_at", Is::Text),
        ("metadata/spec_path", Is::Text),
        ("metadata/user_options", Is::Object),
        ("metadata/agent_version", Is::Text),
    ];
    compared.shape("workflow/session", &found, &fields);
    assert_eq!(found["current_phase"], 1, "it stays at the last valid phase");
    let took = |phase: &str| found["phase_timing"][phase]["duration_seconds"].clone();
    assert_eq!((took("0"), took("1")), (json!(1800), json!(2700)));
    assert_eq!(found["lifecycle"]["total_duration_seconds"], 4500);
}
