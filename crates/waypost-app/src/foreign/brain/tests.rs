//! Tests of the readers and writers of states and notes.

use serde_json::{Map, Value, json};
use waypost_core::time::Timestamp;

use super::*;
use crate::foreign::mutations::each_mutation;
use crate::foreign::session::Brought;

const SECRET: &str = "a secret of our own that is long enough";
/// Made with the algorithm itself, outside of this code.
const SIGNATURE: &str = "85e0d5d43be6c654cc1771f11d0e537b268378a373c4f4daaea908949d106b6e";

const FULL_NOTE: &str = "---\ntitle: SESSION-2026-02-06_01-workflow\ntype: session\nstatus: IN_PROGRESS\ncreated: 2026-02-05\n\
    updated: 2026-02-06\nbranch: main\nstarting-commit: 5562e39\ntags: [session, a]\n---\n\n# SESSION Workflow\n\n\
    **Objective:** Rebuild [[ADR-001]] from the transcript\n\n## Acceptance Criteria\n\n- [x] [[ADR-001]] created\n\
    - [ ] All numbers match\n\n## Session Start Protocol (BLOCKING)\n\n| Req Level | Step | Status | Evidence |\n|---|---|---|---|\n\
    | MUST | Initialize | [x] | called `a|b` |\n\n## Key Decisions\n\n- [decision] Renamed it #naming\n\n## Commits\n\n\
    - 08b0ca6 `feat: enrich`\n\n## Observations\n\n- [fact] 24 agents #count\n\n## Relations\n\n- implements [[TASK-005]]\n";

fn state() -> Map<String, Value> {
    let state = json!({
        "sessionId": "7c9e6679-7425-40de-944b-e07fc1f90ae7", "currentMode": "coding",
        "modeHistory": [{"mode": "analysis", "timestamp": "2026-01-18T10:00:00.000Z"}],
        "protocolStartComplete": true, "protocolEndComplete": false,
        "protocolStartEvidence": {"version": "1.5", "brain": "x"}, "protocolEndEvidence": {},
        "orchestratorWorkflow": {"workflowPhase": "validation", "version": 2.5,
            "decisions": [{"type": "technical", "description": "d"}]},
        "version": 7, "createdAt": "2026-01-18T10:00:00.000Z", "updatedAt": "2026-01-18T10:31:00.000Z",
        "_signature": SIGNATURE
    });
    state.as_object().unwrap().clone()
}

fn reading(name: &str, text: &str) -> Option<Reading> {
    let file = ForeignFile::of(name, name, text.as_bytes()).unwrap();
    read(&file, &Times::new(&|_: Timestamp| 0))
}

fn session(name: &str, text: &str) -> Brought {
    let Some(Reading::Sessions(mut sessions)) = reading(name, text) else { panic!("{name}") };
    sessions.remove(0)
}

#[test]
fn a_signature_is_checked_as_it_was_made() {
    assert_eq!(verify(&state(), SECRET), Signature::Valid);
    assert_eq!(verify(&state(), "another secret"), Signature::Invalid);
    let with = |key: &str, value: Value| {
        let mut state = state();
        state.insert(key.to_owned(), value);
        state
    };
    assert_eq!(verify(&with("currentMode", "disabled".into()), SECRET), Signature::Invalid);
    // What the algorithm does not cover.
    let nested = json!({"workflowPhase": "complete", "version": 2.5, "decisions": []});
    assert_eq!(verify(&with("orchestratorWorkflow", nested), SECRET), Signature::Valid);
    let mut unsigned = state();
    unsigned.remove("_signature");
    assert_eq!(verify(&unsigned, SECRET), Signature::Absent);
}

#[test]
fn what_a_signature_is_worth_is_said() {
    let told = |secret: Option<&str>| {
        let mut state = session("s.json", &Value::Object(state()).to_string());
        check(&mut state, secret);
        state.remarks.join("; ")
    };
    assert!(told(Some(SECRET)).contains("only the names and values at the top level"));
    assert!(told(Some("wrong")).contains("its signature is wrong"));
    assert!(told(None).contains("not checked"));
}

#[test]
fn a_state_tells_mode_focus_decisions_and_whoever_waits() {
    let mut fields = state();
    fields.remove("sessionId");
    fields.remove("_signature");
    fields.insert("activeTask".into(), "TASK-001".into());
    fields.insert("mode".into(), "planning".into());
    fields.insert("currentMode".into(), "dreaming".into());
    fields["orchestratorWorkflow"] = json!({
        "workflowPhase": "validation",
        "agentHistory": [{"agent": "implementer", "status": "blocked", "startedAt": "2026-01-18T10:06:00.000Z",
            "input": {"prompt": "do it"}, "output": {"summary": "s", "blockers": ["b1"]}}],
        "decisions": [{"type": "technical", "description": "d", "rationale": "r", "decidedBy": "architect"}],
        "verdicts": [{"agent": "security", "decision": "reject", "confidence": 0.8, "reasoning": "r"}],
        "pendingHandoffs": [{"fromAgent": "implementer", "toAgent": "qa", "reason": "r", "context": "c"}]
    });
    let state = session("my-session.json", &Value::Object(fields).to_string());
    assert_eq!(state.name, "my-session");
    assert_eq!(state.past.mode.as_deref(), Some("planning"));
    assert_eq!(state.past.focus.task.as_deref(), Some("TASK-001"));
    let kinds: Vec<&str> = state.past.notes.iter().map(|note| note.kind.as_str()).collect();
    assert_eq!(kinds, ["mode", "agent", "blocker", "decision", "verdict", "handoff"]);
    assert_eq!(state.past.notes[3].by.as_deref(), Some("architect"));
    assert_eq!(state.past.checklist.len(), 2);
}

#[test]
fn a_note_tells_status_criteria_decisions_and_links() {
    let note = session("SESSION-2026-02-06_01-workflow.md", FULL_NOTE);
    assert_eq!(note.name, "SESSION-2026-02-06_01-workflow");
    assert_eq!(note.manifest["status"], "active");
    assert_eq!(note.manifest["topic"], "Rebuild [[ADR-001]] from the transcript");
    assert_eq!(note.manifest["git"]["branch"], "main");
    assert_eq!(note.manifest["commits"][0]["sha"], "08b0ca6");
    assert_eq!(note.past.starting_commit.as_deref(), Some("5562e39"));
    let steps: Vec<(&str, Option<bool>)> =
        note.past.checklist.iter().map(|step| (step.step.as_str(), step.done)).collect();
    assert_eq!(
        steps[..2],
        [("[[ADR-001]] created", Some(true)), ("All numbers match", Some(false))]
    );
    assert!(steps.iter().any(|(step, _)| *step == "Initialize"), "{steps:?}");
    let kinds: Vec<&str> = note.past.notes.iter().map(|note| note.kind.as_str()).collect();
    assert_eq!(kinds, ["decision", "fact", "link"]);
    for (word, status) in
        [("PAUSED", "paused"), ("COMPLETE", "complete"), ("IN_PROGRESSpermalink: x", "active")]
    {
        let text = FULL_NOTE.replace("IN_PROGRESS", word);
        assert_eq!(session("SESSION-2026-02-06_01-x.md", &text).manifest["status"], status);
    }
}

#[test]
fn other_files_are_none_of_brain() {
    assert_eq!(reading("README.md", "# Brain\n"), None);
    assert_eq!(reading("x.md", "---\ntitle: x\ntype: adr\n---\n# X\n"), None);
    assert_eq!(reading("x.json", r#"{"mode": "coding"}"#), None);
    let vectors = r#"{"key": "k", "vectors": [{"name": "a", "state": {}}]}"#;
    assert!(matches!(reading("v.json", vectors), Some(Reading::NoSession(_))));
}

#[test]
fn damaged_files_are_read_or_not() {
    let state = Value::Object(state()).to_string();
    for (name, text) in [("s.json", state.as_str()), ("SESSION-2026-02-06_01-x.md", FULL_NOTE)] {
        each_mutation(text, 10_000, |bytes| {
            let Ok(file) = ForeignFile::of(name, name, bytes) else { return };
            if let Some(Reading::Sessions(mut sessions)) =
                read(&file, &Times::new(&|_: Timestamp| 0))
            {
                for one in &mut sessions {
                    check(one, Some(SECRET));
                }
            }
        });
    }
}
