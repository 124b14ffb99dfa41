//! Tests of the readers and writers of states and notes.

mod vectors;

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
    assert!(told(Some(SECRET)).contains("covers only the values at the top level"));
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
fn criteria_are_a_checklist_and_not_told_twice() {
    let text = "---\ntype: session\nstatus: COMPLETE\n---\n# T\n\n## Acceptance Criteria\n\n- [x] [requirement] One #a\n\
        ### Later\n\n- [ ] [DEFERRED] Two: no time\n\n## Work Log\n\n**Status**: Pending\n\n- [ ] [fact] Three #b\n1. Four\n\
        ```\n- [fact] in code\n```\n\n## Key Decisions\n\n- Five\n- [a link](http://x) and [more] text\n";
    let note = session("SESSION-2026-02-06_01-x.md", text);
    let steps: Vec<&str> = note.past.checklist.iter().map(|step| step.step.as_str()).collect();
    assert_eq!(steps, ["One #a", "[DEFERRED] Two: no time"]);
    let notes: Vec<(&str, &str)> =
        note.past.notes.iter().map(|note| (note.kind.as_str(), note.text.as_str())).collect();
    let expected = [
        ("fact", "not done: Three #b"),
        ("work", "Four"),
        ("decision", "Five"),
        ("decision", "[a link](http://x) and [more] text"),
    ];
    assert_eq!(notes, expected);
    assert_eq!(note.manifest["status"], "complete");
    assert_eq!(note.remarks, ["it says that it is complete; 1 of its 2 criteria is open"]);
}

#[test]
fn a_status_is_read_where_brain_and_people_write_it() {
    let status = |text: &str| {
        let note = session("SESSION-2026-02-06_01-x.md", text);
        (note.manifest["status"].as_str().unwrap().to_owned(), note.remarks)
    };
    // As Brain's own tool creates a note: the type of any note, and the status as a section.
    let created = "---\ntitle: SESSION-2026-02-06_01-x\ntype: note\n---\n\n# X\n\n## Status\n\n**PAUSED**\n\n## Branch\n\n`main`\n";
    assert_eq!(status(created), ("paused".to_owned(), vec![]));
    assert_eq!(session("SESSION-2026-02-06_01-x.md", created).manifest["git"]["branch"], "main");
    // Written twice, with two blocks of front matter.
    let twice = "---\npermalink: a\n---\n\n---\n\ntitle: T\n\ntype: session\n\nstatus: in_progress\n\n---\n\n# X\n\n## Work\n\n**Status**: Complete\n";
    assert_eq!(status(twice), ("active".to_owned(), vec![]));
    let both = "---\ntype: session\nstatus: IN_PROGRESS\n---\n# X\n\n**Status:** COMPLETE\n";
    let (word, remarks) = status(both);
    assert_eq!(word, "active");
    assert!(remarks[0].contains("IN_PROGRESS") && remarks[0].contains("COMPLETE"), "{remarks:?}");
    let none = "---\ntype: session\n---\n# X\n";
    assert_eq!(status(none).0, "complete");
    let open = "---\ntype: session\n---\n# X\n\n## Checklist\n\n- [ ] Work completed\n";
    assert_eq!(status(open).0, "active");
    for (word, meant) in [
        ("Completed ✅", "complete"),
        ("on-hold", "paused"),
        ("abandoned", "paused"),
        ("partial", "active"),
    ] {
        let text = both.replace("status: IN_PROGRESS", &format!("status: {word}"));
        assert_eq!(status(&text).0, meant, "{word}");
    }
}

#[test]
fn commits_and_pauses_are_told_as_they_stand() {
    let text = "---\r\ntype: session\r\nstatus: PAUSED\r\n---\r\n# X\r\n\r\n**Ending Commit:** `9e26f39` feat: end\r\n\r\n\
        ## Commits\r\n\r\n| SHA | Message | Files |\r\n|---|---|---|\r\n| fa5e6c6 | docs: a | 54 files |\r\n- **1234567**: fix: b\r\n\
        - defaced nothing\r\n\r\n### Pause Point - 2026-02-07\r\n\r\n**Pausing because:** lunch\r\n**Resume from:** [[TASK-2]]\r\n";
    let note = session("SESSION-2026-02-06_01-x.md", text);
    let commits = note.manifest["commits"].as_array().unwrap();
    let commits: Vec<(&str, &str)> = commits
        .iter()
        .map(|one| (one["sha"].as_str().unwrap(), one["message"].as_str().unwrap()))
        .collect();
    assert_eq!(commits, [("fa5e6c6", "docs: a"), ("1234567", "fix: b"), ("9e26f39", "feat: end")]);
    let pause = note.past.pause.unwrap();
    assert_eq!(pause.reason, "lunch");
    assert_eq!(pause.since.unwrap().to_string(), "2026-02-07T00:00:00.000Z");
    assert!(note.past.next_notes.unwrap().contains("[[TASK-2]]"));
}

/// A note as Brain's memory keeps it.
fn kept(title: &str, body: &str) -> String {
    format!("---\ntitle: {title}\ntype: note\npermalink: {title}\n---\n\n{body}\n")
}

#[test]
fn a_state_in_a_note_is_read_with_what_is_kept_beside_it() {
    let id = "7c9e6679-7425-40de-944b-e07fc1f90ae7";
    let mut fields = state();
    fields["orchestratorWorkflow"] = json!({"version": 2.5, "agentHistory": [
        {"agent": "qa", "status": "in_progress", "startedAt": "2026-01-18T10:06:00.000Z", "input": {"prompt": "try"}}]});
    let text = kept(&format!("sessions/session-{id}"), &format!("{:#}", Value::Object(fields)));
    let mut whole = session(&format!("session-{id}.md"), &text);
    assert_eq!((whole.name.as_str(), whole.format), (id, STATE));
    assert_eq!(whole.original.values().next().unwrap(), &Value::from(text));
    check(&mut whole, Some(SECRET));
    assert!(whole.remarks[0].contains("signature is right"), "{:?}", whole.remarks);
    let ran = json!({"agent": "qa", "status": "completed", "startedAt": "2026-01-18T10:06:00.000Z",
        "input": {"prompt": "try"}, "output": {"summary": "works"}});
    let agent = session("a.md", &kept(&format!("session-{id}-agent-qa"), &ran.to_string()));
    let moved = json!({"sessionId": id, "compactedAt": "2026-01-18T10:00:00.000Z", "fullHistory": [
        {"agent": "analyst", "status": "completed", "startedAt": "2026-01-18T09:00:00.000Z", "input": {"prompt": "look"}}]});
    let history = session("h.md", &kept("x", &format!("```json\n{moved}\n```")));
    for part in [agent, history] {
        assert_eq!((part.format, part.name.as_str()), (PART, id));
        join(&mut whole, part);
    }
    let told: Vec<&str> = whole.past.notes.iter().map(|note| note.text.as_str()).collect();
    assert_eq!(told, ["analysis", "completed: look", "completed: try -> works"]);
    assert_eq!(whole.original.len(), 3);
}

#[test]
fn what_is_kept_beside_sessions_and_is_none_is_told() {
    let told = |name: &str, text: &str| match reading(name, text) {
        Some(Reading::NoSession(told)) => told,
        other => panic!("{other:?}"),
    };
    assert!(
        told("current-session.md", &kept("sessions/current-session", "7c9e6679"))
            .contains("7c9e6679")
    );
    assert!(told("current-session.md", "7c9e6679\n").contains("7c9e6679"));
    let gone = r#"{"deleted": true, "deletedAt": "2026-01-18T10:00:00.000Z"}"#;
    assert!(told("session.md", &kept("session", gone)).contains("deleted"));
    let broken = reading("session-x.md", &kept("sessions/session-x", "{\"currentMode\": }"));
    assert!(matches!(broken, Some(Reading::Refused(why)) if why.contains("put it right")));
    // A state without a name keeps the one that it gets as it goes on.
    let name = |version: u64| {
        let state = json!({"currentMode": "coding", "modeHistory": [], "createdAt": "2026-01-18T10:00:00Z", "version": version});
        session("session.md", &kept("session", &state.to_string())).name
    };
    assert_eq!(name(1), name(2));
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
    let within = kept("sessions/session-x", &state);
    let each =
        [("s.json", state.as_str()), ("SESSION-2026-02-06_01-x.md", FULL_NOTE), ("x.md", &within)];
    for (name, text) in each {
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

#[test]
fn kept_files_tell_the_same_as_when_they_lay_beside_each_other() {
    let id = "7c9e6679-7425-40de-944b-e07fc1f90ae7";
    let whole = session("s.json", &Value::Object(state()).to_string());
    let ran = |agent: &str, at: u8| {
        json!({"agent": agent, "status": "completed", "startedAt": format!("2026-01-18T10:0{at}:00.000Z"),
            "input": {"prompt": "try"}, "output": {"summary": "works"}})
        .to_string()
    };
    let named = session("a.md", &kept(&format!("session-{id}-agent-qa"), &ran("qa", 6)));
    let of_folder = session("agent-critic.md", &kept("agent-critic", &ran("critic", 7)));
    let mut expected = whole.clone();
    join(&mut expected, named.clone());
    join(&mut expected, of_folder.clone());
    let files = |all: &[&Brought]| all.iter().flat_map(|one| one.original.clone()).collect();
    let utc = |_: Timestamp| 0;
    let again = |all: &[&Brought], name: &str| again(&files(all), name, &Times::new(&utc));
    assert_eq!(again(&[&of_folder, &named, &whole], id), Some(expected));
    assert_eq!(again(&[&named], id), Some(named.clone()));
    let note = session("SESSION-2026-02-06_01-workflow.md", FULL_NOTE);
    assert_eq!(again(&[&note, &named], &note.name), Some(note.clone()));
    assert_eq!(again(&[&note], id), None);
    let lists: Vec<Option<&str>> =
        note.past.checklist.iter().map(|step| step.list.as_deref()).collect();
    let (criteria, start) = (Some("Acceptance Criteria"), Some("Session Start Protocol"));
    assert_eq!(lists, [criteria, criteria, start]);
    assert_eq!(whole.past.checklist[0].list.as_deref(), Some("protocolStartEvidence"));
}
