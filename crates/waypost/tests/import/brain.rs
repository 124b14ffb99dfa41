//! Brain's notes and states: brought in, gone on with, and taken out again.

use std::fs;

use serde_json::{Value, json};
use waypost_testkit::TestEnv;

use crate::leaves::missing;
use crate::{import, outcomes, project};

const NOTE: &str = "SESSION-2026-01-18_01-add-login";
const ID: &str = "b7e1c9d2-4f3a-4c55-9a51-2d7a6f1e0c11";

/// A note with two blocks of front matter, statuses of parts of the work, and lines of another system.
const TEXT: &str = "---\r\ntitle: SESSION-2026-01-18_01-add-login\r\ntype: note\r\n---\r\n\r\n---\r\ntype: session\r\n\
    status: IN_PROGRESS\r\nupdated: 2026-01-19\r\n---\r\n\r\n# SESSION Add login\r\n\r\n**Status:** IN_PROGRESS\r\n\
    **Branch:** feat/login\r\n**Objective:** Let people log in, see [[ADR-001]]\r\n\r\n## Acceptance Criteria\r\n\r\n\
    - [x] [requirement] A form #ui\r\n- [ ] [requirement] A session #auth\r\n\r\n## Work Log\r\n\r\n**Status**: Complete\r\n\r\n\
    - [x] [complete] Drew the form #ui\r\n\r\n## Commits\r\n\r\n| SHA | Message | Files |\r\n|---|---|---|\r\n\
    | 08b0ca6 | feat: a form | 3 |\r\n\r\n## Relations\r\n\r\n- implements [[FEAT-001]]\r\n";

fn state() -> Value {
    json!({
        "sessionId": ID, "currentMode": "planning", "modeHistory": [{"mode": "planning", "timestamp": "2026-01-18T10:00:00.000Z"}],
        "protocolStartComplete": true, "protocolEndComplete": false,
        "protocolStartEvidence": {"brainMcpInitialized": "yes"}, "protocolEndEvidence": {},
        "orchestratorWorkflow": {"activeAgent": "qa", "workflowPhase": "validation", "agentHistory": [], "verdicts": [],
            "decisions": [{"id": "1", "type": "scope", "description": "No passwords", "rationale": "risk", "decidedBy": "architect",
                "approvedBy": ["critic"], "rejectedBy": [], "timestamp": "2026-01-18T10:10:00.000Z"}],
            "pendingHandoffs": [], "compactionHistory": [], "startedAt": "2026-01-18T10:00:00.000Z",
            "lastAgentChange": "2026-01-18T10:00:00.000Z"},
        "activeFeature": "FEAT-001", "version": 3, "createdAt": "2026-01-18T10:00:00.000Z",
        "updatedAt": "2026-01-18T10:31:00.000Z", "of another": {"kept": [1, 2.5, null]},
    })
}

/// A note as Brain's memory keeps it.
fn kept(title: &str, body: &str) -> String {
    format!("---\ntitle: {title}\ntype: note\n---\n\n{body}\n")
}

fn export(env: &TestEnv, id: &str) -> (String, Value) {
    let written = env.json(&["export", id, "--format", "brain", "--json"]);
    (written["text"].as_str().unwrap().to_owned(), written["lost"].clone())
}

#[test]
fn a_note_goes_out_as_it_came_and_with_what_happened_since() {
    let env = project();
    let path = env.home().join("brain").join(format!("{NOTE}.md"));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, TEXT).unwrap();
    let report = import(&env, &path);
    assert_eq!(outcomes(&report), [(NOTE.to_owned(), "imported".to_owned())], "{report:#}");
    let shown = env.json(&["show", NOTE, "--json"]);
    assert_eq!(shown["lifecycle"], "abandoned", "the work log's status is not its own");
    assert_eq!(shown["branch"], "feat/login");
    assert_eq!(shown["imported"]["original"][format!("{NOTE}.md")], TEXT);
    assert_eq!(export(&env, NOTE), (TEXT.to_owned(), json!([])));
    env.ok(&["resume", NOTE]);
    env.ok(&["note", "add", "Tokens are short", "--kind", "decision"]);
    env.ok(&["end", NOTE, "--summary", "People log in"]);
    let (text, _) = export(&env, NOTE);
    let gone: Vec<&str> =
        TEXT.lines().filter(|line| !text.lines().any(|kept| kept == *line)).collect();
    assert_eq!(gone, ["status: IN_PROGRESS", "updated: 2026-01-19", "**Status:** IN_PROGRESS"]);
    assert!(
        text.contains("status: COMPLETE\r\n") && text.contains("**Status:** COMPLETE\r\n"),
        "{text}"
    );
    let again = project();
    let back = again.home().join(format!("{NOTE}.md"));
    fs::write(&back, text).unwrap();
    import(&again, &back);
    let shown = again.json(&["show", NOTE, "--json"]);
    assert_eq!(shown["lifecycle"], "completed");
    let notes = shown["imported"]["past"]["notes"].to_string();
    assert!(notes.contains("Tokens are short") && notes.contains("People log in"), "{notes}");
}

#[test]
fn a_state_in_a_note_is_one_session_with_what_lies_beside_it() {
    let env = project();
    let folder = env.home().join("brain/sessions");
    fs::create_dir_all(&folder).unwrap();
    let put = |name: String, text: String| fs::write(folder.join(name), text).unwrap();
    let whole = kept(&format!("sessions/session-{ID}"), &format!("{:#}", state()));
    put(format!("session-{ID}.md"), whole.clone());
    put("current-session.md".to_owned(), kept("sessions/current-session", ID));
    let ran = json!({"agent": "qa", "status": "completed", "startedAt": "2026-01-18T10:20:00.000Z",
        "input": {"prompt": "Try it"}, "output": {"summary": "It works", "blockers": []}});
    put(
        format!("session-{ID}-agent-qa.md"),
        kept(&format!("session-{ID}-agent-qa"), &ran.to_string()),
    );
    let report = import(&env, &folder);
    assert_eq!(outcomes(&report), [(ID.to_owned(), "imported".to_owned())], "{report:#}");
    assert!(report["no_session"][0]["reason"].as_str().unwrap().contains(ID), "{report:#}");
    let told = env.ok(&["show", "b7e1c9d2"]);
    assert!(told.contains("agent (qa): completed: Try it -> It works"), "{told}");
    assert!(told.contains("No passwords: risk (scope) (approved by critic)"), "{told}");
    let (text, lost) = export(&env, ID);
    assert_eq!(text, whole);
    assert!(lost[0].as_str().unwrap().contains("beside its state"), "{lost}");
    assert_eq!(outcomes(&import(&env, &folder)), [(ID.to_owned(), "unchanged".to_owned())]);
}

#[test]
fn nothing_of_a_state_is_lost_when_it_goes_on_here() {
    let env = project();
    let path = env.home().join("one.json");
    fs::write(&path, state().to_string()).unwrap();
    import(&env, &path);
    assert_eq!(env.json(&["show", ID, "--json"])["focus"]["feature"], "FEAT-001");
    let (text, lost) = export(&env, ID);
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), state());
    assert_eq!(lost, json!([]));
    env.ok(&["resume", ID]);
    env.ok(&["note", "add", "It was cold", "--kind", "fact"]);
    let out: Value = serde_json::from_str(&export(&env, ID).0).unwrap();
    let changed: Vec<String> = missing(&state(), &out)
        .into_iter()
        .filter(|leaf| !["/version", "/updatedAt"].iter().any(|key| leaf.starts_with(key)))
        .collect();
    assert_eq!(changed, Vec::<String>::new());
    assert!(out["protocolEndEvidence"].to_string().contains("fact: It was cold"), "{out:#}");
}

#[test]
fn a_session_that_began_here_comes_back_from_a_state_as_it_was() {
    let env = project();
    let id = env.start("Add login");
    env.ok(&["note", "add", "Tokens are short", "--kind", "decision"]);
    env.ok(&["note", "add", "Is it slow?", "--kind", "question"]);
    env.ok(&["pause", "--reason", "lunch"]);
    let (text, _) = export(&env, &id);
    let out: Value = serde_json::from_str(&text).unwrap();
    // Brain's schema allows these names at the top level and no others.
    let allowed = [
        "activeFeature",
        "activeTask",
        "createdAt",
        "currentMode",
        "modeHistory",
        "orchestratorWorkflow",
        "protocolEndComplete",
        "protocolEndEvidence",
        "protocolStartComplete",
        "protocolStartEvidence",
        "updatedAt",
        "version",
    ];
    for key in out.as_object().unwrap().keys() {
        assert!(allowed.contains(&key.as_str()), "{key}");
    }
    let decision = &out["orchestratorWorkflow"]["decisions"][0];
    assert_eq!(decision["decidedBy"], "orchestrator");
    assert_eq!(decision["id"].as_str().unwrap().len(), 36);
    let again = project();
    let back = again.home().join("anything.json");
    fs::write(&back, text).unwrap();
    let report = import(&again, &back);
    assert_eq!(outcomes(&report), [(id.clone(), "imported".to_owned())], "{report:#}");
    let shown = again.json(&["show", &id, "--json"]);
    assert_eq!((&shown["lifecycle"], &shown["objective"]), (&json!("paused"), &json!("Add login")));
    let past = &shown["imported"]["past"];
    assert_eq!(past["pause"]["reason"], "lunch");
    let notes: Vec<(&str, &str)> = past["notes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|note| (note["kind"].as_str().unwrap(), note["text"].as_str().unwrap()))
        .collect();
    assert_eq!(notes, [("decision", "Tokens are short"), ("question", "Is it slow?")]);
}

#[test]
fn a_note_is_the_same_session_whatever_its_file_is_called_and_its_outcome_is_told_once() {
    let env = project();
    let text = TEXT.replace(
        "## Relations",
        "## Summary\r\n\r\nHalf of it works.\r\n\r\n## Next Steps\r\n\r\nTry it.\r\n\r\n## Relations",
    );
    let path = env.home().join("n2.md");
    fs::write(&path, &text).unwrap();
    let report = import(&env, &path);
    assert_eq!(outcomes(&report), [(NOTE.to_owned(), "imported".to_owned())], "{report:#}");
    env.ok(&["resume", NOTE]);
    env.ok(&["note", "add", "Tokens are short", "--kind", "decision"]);
    let (text, _) = export(&env, NOTE);
    assert!(text.contains("Tokens are short"), "{text}");
    // What agents did for each other has its lines, too.
    let verdict =
        r#"{"agent": "qa", "decision": "reject", "confidence": 0.8, "reasoning": "It is slow"}"#;
    let workflow = format!("{{\"orchestratorWorkflow\": {{\"verdicts\": [{verdict}]}}}}");
    env.ok(&["session", "set-state", NOTE, &workflow]);
    let (text, _) = export(&env, NOTE);
    assert!(text.contains("- [verdict] reject (0.8): It is slow (qa)"), "{text}");
    assert_eq!(text.matches("Tokens are short").count(), 1, "{text}");
    assert_eq!(text.matches("Half of it works.").count(), 1, "{text}");
    assert_eq!(text.matches("Try it.").count(), 1, "{text}");
}

#[test]
fn a_complete_state_that_was_resumed_goes_out_as_one_that_goes_on() {
    let env = project();
    let mut done = state();
    done["orchestratorWorkflow"]["workflowPhase"] = "complete".into();
    done["protocolEndComplete"] = true.into();
    let path = env.home().join("one.json");
    fs::write(&path, done.to_string()).unwrap();
    import(&env, &path);
    env.ok(&["resume", ID]);
    let (text, _) = export(&env, ID);
    let again = project();
    let back = again.home().join("back.json");
    fs::write(&back, &text).unwrap();
    let report = import(&again, &back);
    assert_ne!(report["sessions"][0]["lifecycle"], "completed", "{text}");
    env.ok(&["end", ID, "--summary", "Done"]);
    let out: Value = serde_json::from_str(&export(&env, ID).0).unwrap();
    assert_eq!(out["orchestratorWorkflow"]["workflowPhase"], "complete");
}
