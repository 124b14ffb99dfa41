//! One session of every system, as its own program would have left it, with what is odd in real ones. Written for these
//! tests: nothing in it comes from anybody's project.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::fixtures::{put, second_version};

pub(crate) const FOLDER: &str = "2026-02-16_track-sessions_j3ehqn";
pub(crate) const PRAXIS: &str = "3fa9c1d0-5d1e-4f3a-9a51-2d7a6f1e0c11";
pub(crate) const LOG: &str = "2025-12-20-session-44-tidy-up";
pub(crate) const REQUIREMENTS: &str = "requirements_cad0ac4d";
pub(crate) const NOTE: &str = "SESSION-2026-01-18_01-add-login";
pub(crate) const STATE: &str = "b7e1c9d2-77aa-4b0e-8f51-0d7a6f1e0c42";

const LOG_TEXT: &str = "# Session 44: Tidy up\n\n**Date**: 2025-12-20\n**Branch**: `chore/tidy`\n**Starting Commit**: \
`0608a2d`\n**Objective**: Tidy the sheds up\n\n## Protocol Compliance\n\n### Session Start\n\n| Req | Step | Status | \
Evidence |\n|-----|------|--------|----------|\n| MUST | Read the handoff | [x] | Content in context |\n| MUST | Run \
`a \\| b` | [x] | Output above |\n| SHOULD | Search memories | [N/A] | |\n\n### Session End\n\n| Req | Step | Status | \
Evidence |\n|-----|------|--------|----------|\n| MUST | Commit all changes | [x] | 2c3a34df |\n| MUST NOT | Push to \
main | [x] | nothing pushed |\n\n## Decisions Made\n\n- **Paint**: green, since it was there\n\n## Next Session\n\n- \
Oil the hinges\n";

const MEMORY: &str = "# Session State\n\n**Session ID**: 2026-01-04-session-12\n**Started At**: \
2026-01-04T14:30:00Z\n**Objective**: Mend the roof\n**Branch**: roof\n**Current Phase**: WORKING\n\n## Phase \
Status\n\n| Phase | Status | Evidence |\n|-------|--------|----------|\n| SERENA_INIT | ✅ complete | tool output \
|\n| CONTEXT | pending | |\n";

const HISTORY: &str = "# Session History\n\n## 2026-01-03-session-11\n\n- **Objective**: Buy tiles\n- **Status**: \
COMPLETE\n- **Duration**: 2h\n- **Key Decisions**:\n  - red ones\n";

const VIOLATIONS: &str = "# Session Violations Log\n\n## 2026-01-03-session-11\n\n| Timestamp | Phase | Requirement | \
Severity | Recovery |\n|---|---|---|---|---|\n| 2026-01-03T10:00:00Z | SESSION_END | Commit all changes | MUST | \
committed later |\n";

const NOTE_TEXT: &str = "---\ntitle: SESSION-2026-01-18_01-add-login\ntype: session\npermalink: \
sessions/session-2026-01-18-01-add-login\nstatus: PAUSED\ncreated: 2026-01-18\nupdated: 2026-01-19\nbranch: \
feat/login\nstarting-commit: 5562e39\ntags: [session, login]\n---\n\n# SESSION Add login\n\n**Status:** \
PAUSED\n**Objective:** Let people in by [[FEAT-001-login]]\n\n## Acceptance Criteria\n\n- [x] [[FEAT-001-login]] is \
written\n- [ ] Everybody gets in\n\n## Observations\n\n- [decision] Passkeys only #auth\n- [fact] Two doors\n\n## \
Relations\n\n- implements [[FEAT-001-login]]\n";

/// A session of a workflow that goes on.
fn praxis() -> Value {
    json!({
        "session_id": PRAXIS, "workflow_type": "spec_creation_v1", "target_file": "specs/2024-05-06-bird-feeder/",
        "current_phase": 2, "completed_phases": [0, 1], "checkpoints": {"0": "passed", "1": "passed"},
        "phase_artifacts": {
            "0": {"phase_number": 0, "evidence": {"files": ["a.md"], "n": 3}, "outputs": {}, "commands_executed": [],
                  "timestamp": "2024-05-06T09:00:00.123456"},
            "1": {"phase_number": 1, "evidence": {"coverage": 0.5}, "outputs": {}, "commands_executed": [],
                  "timestamp": "2024-05-06T10:00:00"},
        },
        "created_at": "2024-05-06T08:00:00", "updated_at": "2024-05-06T10:00:01", "metadata": {"of_theirs": [1, {"b": null}]},
    })
}

/// A log in JSON.
fn log() -> Value {
    json!({
        "schemaVersion": "1.0",
        "session": {"number": 45, "date": "2025-12-21", "branch": "chore/tidy", "startingCommit": "0608a2d",
                    "objective": "Tidy the attic up"},
        "protocolCompliance": {
            "sessionStart": {"handoffRead": {"level": "MUST", "Complete": true, "Evidence": "read"}, "notOnMain": true},
            "sessionEnd": {"changesCommitted": {"level": "MUST", "complete": false, "evidence": ""}},
        },
        "workLog": [{"time": "10:00", "entry": "Carried boxes"}], "decisions": ["Keep the lamp"], "nextSteps": ["Sell it"],
    })
}

/// The state that stands in for Serena.
fn serena() -> Value {
    json!({"session_id": "2026-01-05-session-13", "objective": "Paint it", "branch": "paint",
        "starting_commit": "0608a2d", "started_at": "2026-01-05T14:30:00Z", "current_phase": "WORKING",
        "phases_completed": ["SERENA_INIT"], "checklist": [], "violations": [], "evidence": {"SERENA_INIT": "seen"}})
}

/// What is satisfied on a branch.
fn branch() -> Value {
    json!({
        "version": "2.0", "branch": "feature/auth", "project": "/home/dev/repo", "created_at": 1_763_000_000,
        "updated_at": 1_763_000_900, "requirements": {
            "commit_plan": {"scope": "session", "sessions": {"cad0ac4d": {"satisfied": true,
                "satisfied_at": 1_763_000_100, "satisfied_by": "skill", "metadata": {"skill": "plan"}}}},
            "ticket": {"scope": "branch", "satisfied": true, "satisfied_at": 1_763_000_200, "satisfied_by": "cli",
                "metadata": {"ticket": "#12"}},
        },
    })
}

/// Who works.
fn registry() -> Value {
    json!({"version": "1.0", "sessions": {"cad0ac4d-0f3a-4c55-9a51-2d7a6f1e0c11": {"pid": 1, "ppid": 2,
        "project_dir": "/home/dev/repo", "branch": "feature/auth", "started_at": 1_763_000_000,
        "last_active": 1_763_000_500}}})
}

/// How often what was called.
fn metrics() -> Value {
    json!({"version": "1.0", "session_id": "cad0ac4d", "branch": "feature/auth",
        "started_at": 1_763_000_000, "ended_at": null, "requirements": {}, "tools": {"Edit": {"count": 3, "blocked_count": 2}}, "errors": []})
}

/// A pause.
fn pause() -> Value {
    json!({"paused_at": "2025-11-13T02:20:00+00:00", "reason": "hotfix"})
}

/// A state of orchestration.
fn state() -> Value {
    json!({
        "sessionId": STATE, "currentMode": "planning", "modeHistory": [{"mode": "planning", "timestamp": "2026-01-18T10:00:00Z"}],
        "protocolStartComplete": true, "protocolEndComplete": false, "protocolStartEvidence": {"brain": "initialised"},
        "protocolEndEvidence": {}, "activeFeature": "login", "activeTask": "passkeys", "version": 3,
        "createdAt": "2026-01-18T10:00:00Z", "updatedAt": "2026-01-18T11:00:00Z",
        "orchestratorWorkflow": {"activeAgent": "qa", "workflowPhase": "validation", "agentHistory": [
            {"agent": "qa", "startedAt": "2026-01-18T10:30:00Z", "completedAt": null, "status": "in_progress",
             "input": {"prompt": "test it", "context": {}, "artifacts": []}, "output": null, "handoffFrom": null,
             "handoffTo": null, "handoffReason": ""}],
            "decisions": [{"id": "d1", "type": "technical", "description": "Passkeys", "rationale": "safer",
             "decidedBy": "architect", "approvedBy": [], "rejectedBy": [], "timestamp": "2026-01-18T10:10:00Z"}],
            "verdicts": [], "pendingHandoffs": [], "compactionHistory": [], "startedAt": "2026-01-18T10:00:00Z",
            "lastAgentChange": "2026-01-18T10:30:00Z"},
    })
}

/// Files by their paths in a project.
pub(crate) fn files() -> Vec<(String, String)> {
    let of_json = [
        (".agents/sessions/.session-state.json".to_owned(), serena()),
        (".agents/sessions/2025-12-21-session-45-attic.json".to_owned(), log()),
        (".git/requirements/feature-auth.json".to_owned(), branch()),
        (".git/requirements/sessions.json".to_owned(), registry()),
        (".git/requirements/sessions/cad0ac4d.json".to_owned(), metrics()),
        (".git/requirements/cad0ac4d.paused".to_owned(), pause()),
        ("brain/session-b7e1c9d2.json".to_owned(), state()),
        (format!(".praxis-os/state/{PRAXIS}.json"), praxis()),
    ];
    let of_text = [
        (format!(".agents/sessions/{LOG}.md"), LOG_TEXT),
        (".serena/memories/session-current-state.md".to_owned(), MEMORY),
        (".serena/memories/session-history.md".to_owned(), HISTORY),
        (".serena/memories/session-violations-log.md".to_owned(), VIOLATIONS),
        (format!("brain/sessions/{NOTE}.md"), NOTE_TEXT),
    ];
    let of_json =
        of_json.into_iter().map(|(path, it)| (path, serde_json::to_string_pretty(&it).unwrap()));
    of_json.chain(of_text.map(|(path, text)| (path, text.to_owned()))).collect()
}

/// All of them in a project, and a folder of a session.
pub(crate) fn lay_out(project: &Path) {
    for (path, text) in files() {
        let path = project.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    put(&project.join("agents/sessions").join(FOLDER), &second_version(FOLDER));
}
