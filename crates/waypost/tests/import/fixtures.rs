//! Session folders as their own program wrote them, with what is odd in real ones.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

/// A session of the first version that is complete: phases with words of their own, decisions, no status.
pub(crate) fn first_version(id: &str) -> Value {
    json!({
        "session_id": id,
        "created_at": "2025-12-28T12:00:00Z",
        "updated_at": "2025-12-28T13:30:00Z",
        "topic": "Build mode",
        "description": "How building works",
        "granularity": "feature",
        "parent_session": null,
        "current_phase": "complete",
        "phases": {
            "spec": {"status": "finalized", "started_at": "2025-12-28T12:00:00Z", "finalized_at": "2025-12-28T13:10:00Z"},
            "plan": {"status": "finalized", "started_at": "2025-12-28T13:15:00Z", "finalized_at": "2025-12-28T13:35:00Z"},
            "build": {"status": "completed", "started_at": "2025-12-28T13:40:00Z", "completed_at": "2025-12-28T14:00:00Z"},
        },
        "goals": {"high_level": ["Resume anywhere"], "mid_level": []},
        "open_questions": ["Which colour?"],
        "key_decisions": [{"decision": "One agent each", "rationale": "clean context", "made_at": "2025-12-28T12:30:00Z"}],
        "plan_state": {"status": "completed", "checkpoints_completed": [1, 2], "current_task": null, "summary": "all done"},
        "big": 9_007_199_254_740_993_u64,
        "ratio": 0.25,
    })
}

/// A session of the second version with all eight times of its phases.
pub(crate) fn second_version(id: &str) -> Value {
    json!({
        "$schema": "Session state manifest v2 - programmatic updates only",
        "session_id": id,
        "topic": "Track sessions",
        "description": null,
        "prior_session": "2026-02-14_before",
        "session_type": "full",
        "created_at": "2026-02-16T21:14:17.566903+00:00",
        "updated_at": "2026-02-17T04:15:00+00:00",
        "current_phase": "complete",
        "status": "complete",
        "phase_history": {
            "spec_started_at": "2026-02-16T21:14:17+00:00",
            "spec_completed_at": "2026-02-16T21:45:00+00:00",
            "plan_started_at": "2026-02-16T22:00:00+00:00",
            "plan_completed_at": "2026-02-16T22:50:00+00:00",
            "build_started_at": "2026-02-16T23:45:00+00:00",
            "build_completed_at": "2026-02-17T03:45:00+00:00",
            "docs_started_at": "2026-02-17T03:50:00+00:00",
            "docs_completed_at": "2026-02-17T04:15:00+00:00",
            "demo_started_at": "soon",
        },
        "build_progress": {"checkpoints_total": 2, "checkpoints_completed": [1, 2], "current_checkpoint": null, "tranche": 3},
        "git": {"branch": "main", "worktree": null, "base_branch": null, "remote": "origin"},
        "commits": [{"sha": "8d20e29", "message": "feat: x", "checkpoint_id": 1, "created_at": "2026-02-16T23:45:00+00:00"}],
        "artifacts": {"spec": "spec.md", "plan": "plan.json", "plan_readable": "plan.md", "diagrams": "d/"},
        "doc_updates": [{"path": "README.md", "done": true}],
    })
}

/// A folder with a manifest and what lies beside it.
pub(crate) fn put(folder: &Path, manifest: &Value) {
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("state.json", &(serde_json::to_string_pretty(manifest).unwrap() + "\n"));
    write("spec.md", "# Theirs\n");
    write(
        "research/one/state.json",
        r#"{"id": "one", "request": "find out", "status": "complete"}"#,
    );
    write("research/one/subagents/subagent_001.json", r#"{"id": 1, "found": ["x"]}"#);
    write("context/notes.md", "what was given\n");
}
