//! The session manifest, version 2.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use serde_json::{Value, json};
use waypost_testkit::TestEnv;
use waypost_testkit::mcp::{Client, OLDER};

use crate::shapes::{Compared, Is};

pub(crate) fn compare(compared: &mut Compared) {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with("[project]\n");
    let mut client = Client::start(&env, OLDER, &[]);
    let begin = json!({"objective": "Dark mode", "description": "A toggle", "workflow": "full"});
    let started = client.works("session_start", begin);
    let id = started["session_id"].as_str().unwrap();
    client.works("session_update_git", json!({"base_branch": "main"}));
    client.works("session_init_build", json!({"checkpoints_total": 5}));
    let sha = env.git(&["rev-parse", "HEAD"]);
    let commit = json!({"sha": sha.trim(), "message": "feat: add it", "checkpoint": 1});
    client.works("session_add_commit", commit);
    client.works("session_complete_checkpoint", json!({"checkpoint_id": 1}));
    let text = std::fs::read(env.copy_of(id).join("state.json")).unwrap();
    let found: Value = serde_json::from_slice(&text).unwrap();
    let fields = [
        ("$schema", Is::Text),
        ("session_id", Is::Text),
        ("topic", Is::Text),
        ("description", Is::Text),
        ("session_type", Is::Text),
        ("created_at", Is::Text),
        ("updated_at", Is::Text),
        ("current_phase", Is::Text),
        ("status", Is::Text),
        ("phase_history/spec_started_at", Is::TextOrNull),
        ("phase_history/spec_completed_at", Is::TextOrNull),
        ("phase_history/plan_started_at", Is::TextOrNull),
        ("phase_history/plan_completed_at", Is::TextOrNull),
        ("phase_history/build_started_at", Is::TextOrNull),
        ("phase_history/build_completed_at", Is::TextOrNull),
        ("phase_history/docs_started_at", Is::TextOrNull),
        ("phase_history/docs_completed_at", Is::TextOrNull),
        ("build_progress/checkpoints_total", Is::Number),
        ("build_progress/checkpoints_completed/0", Is::Number),
        ("build_progress/current_checkpoint", Is::NumberOrNull),
        ("git/branch", Is::Text),
        ("git/worktree", Is::TextOrNull),
        ("git/base_branch", Is::Text),
        ("commits/0/sha", Is::Text),
        ("commits/0/message", Is::Text),
        ("commits/0/checkpoint", Is::Number),
        ("commits/0/created_at", Is::Text),
        ("artifacts/spec", Is::Text),
        ("artifacts/plan", Is::Text),
        ("artifacts/plan_readable", Is::Text),
    ];
    compared.shape("manifest/state.json", &found, &fields);
}
