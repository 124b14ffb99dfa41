//! Sessions of a session protocol: logs in both formats, the state, and Serena's memories.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use waypost_testkit::TestEnv;

use crate::leaves::missing;
use crate::{import, outcomes, project};

const LOG: &str = "2025-12-20-session-44-tidy-up";

fn markdown() -> &'static str {
    "# Session 44 - 2025-12-20\n\n## Session Info\n\n- **Date**: 2025-12-20\n- **Branch**: fix/parser\n\
     - **Starting Commit**: 51101b5\n- **Objective**: Mend the parser\n\n## Protocol Compliance\n\n\
     ### Session Start (COMPLETE ALL before work)\n\n| Req | Step | Status | Evidence |\n\
     |-----|------|--------|----------|\n| MUST | Read `a|b` | [x] | Content in context |\n\
     | MUST | List scripts | [N/A] | none in this project |\n| SHOULD | Search | [ ] | Not performed |\n\n\
     ### Git State\n\n- **Status**: clean\n\n### Work Blocked Until\n\nAll of the above is done.\n\n---\n\n\
     ## Work Log\n\n### The parser\n\n**Status**: Complete\n\n**What was done**:\n\n- Rewrote it\n\n\
     **Decisions made**:\n\n- **By hand**: no generator\n\n### Review\n\n**Status**: Blocked\n\nNobody was there.\n\n\
     ## Session End (COMPLETE ALL before closing)\n\n| Req | Step | Status | Evidence |\n|---|---|---|---|\n\
     | MUST | Commit | [x] | Commit SHA: 7c5d4b3 |\n| MUST | Export (if any) | [ ] | N/A (nothing to export) |\n\
     | MUST NOT | Change HANDOFF.md | [x] | unchanged |\n\n### Commits This Session\n\n\
     - `7c5d4b3` - fix: the parser\n- `8d6e5c4` - test: the parser\n\n## Notes for Next Session\n\n- Look at speed\n"
}

fn twin() -> Value {
    json!({
        "schemaVersion": "1.0",
        "session": {"number": 44, "date": "2025-12-20", "branch": "fix/parser", "startingCommit": "51101b5",
                    "objective": "[Migrated from markdown]", "traceId": "t"},
        "protocolCompliance": {
            "sessionStart": {"handoffRead": {"level": "MUST", "Complete": true, "Evidence": "read"}, "notOnMain": true},
            "sessionEnd": {"changesCommitted": {"level": "MUST", "complete": false, "evidence": ""}},
        },
        "workLog": [
            {"phase": "Parser", "action": "Rewrote it", "result": "faster", "files": ["a.rs", "b.rs"], "time": "14:30"},
            {"step": 2, "action": "Reviewed", "timestamp": "2025-12-20T15:00:00Z", "score": 7},
            "Pushed",
        ],
        "learnings": {"patterns": [{"pattern": "Read first", "context": "always"}], "avoidances": []},
        "endingCommit": "", "nextSteps": [], "own": {"key": [1, null, 2.5]},
    })
}

fn put(env: &TestEnv, files: &[(&str, &str)]) -> PathBuf {
    let folder = env.home().join("other");
    for (name, text) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn out(env: &TestEnv, id: &str) -> String {
    env.ok(&["export", id, "--format", "session-log"])
}

fn notes(shown: &Value) -> Vec<(String, String)> {
    let text = |note: &Value, key: &str| note[key].as_str().unwrap().to_owned();
    let all = shown["notes"].as_array().unwrap().iter();
    all.map(|note| (text(note, "kind"), text(note, "text"))).collect()
}

#[test]
fn a_log_in_markdown_is_told_as_its_sections_mean_it() {
    let env = project();
    let folder = put(&env, &[(&format!("{LOG}.md"), markdown())]);
    let report = import(&env, &folder);
    assert_eq!(report["sessions"][0]["lifecycle"], "completed", "{report:#}");
    assert_eq!(report["sessions"][0]["remarks"], json!([]));
    let shown = env.json(&["show", LOG, "--json"]);
    assert_eq!(shown["objective"], "Mend the parser");
    let found = notes(&shown);
    let kinds: Vec<&str> = found.iter().map(|(kind, _)| kind.as_str()).collect();
    assert_eq!(kinds, ["work", "decision", "work"], "boilerplate blocks nothing: {found:?}");
    assert_eq!(found[1].1, "**By hand**: no generator");
    assert!(found[2].1.starts_with("Review\n"), "{found:?}");
    let past = &shown["imported"]["past"];
    assert_eq!(past["next_notes"], "- Look at speed");
    assert_eq!(past["checklist"][1]["done"], Value::Null);
    assert_eq!(past["checklist"][4]["done"], Value::Null, "it says why it does not apply");
    let commits = &shown["imported"]["manifest"]["commits"];
    assert_eq!(commits[1]["message"], "test: the parser", "{commits:#}");
    assert_eq!(commits.as_array().unwrap().len(), 2);
    assert_eq!(out(&env, LOG).trim_end(), markdown().trim_end());
}

#[test]
fn a_log_and_its_twin_are_one_session_and_come_back_as_one() {
    let env = project();
    let json = serde_json::to_string(&twin()).unwrap();
    let folder =
        put(&env, &[(&format!("a/{LOG}.md"), markdown()), (&format!("{LOG}.json"), &json)]);
    let report = import(&env, &folder);
    assert_eq!(outcomes(&report), [(LOG.to_owned(), "imported".to_owned())]);
    let shown = env.json(&["show", LOG, "--json"]);
    assert_eq!(shown["objective"], "Mend the parser", "a placeholder is no objective");
    let found = notes(&shown);
    let has = |text: &str| found.iter().any(|(_, known)| known == text);
    assert!(has("Parser: Rewrote it: faster\nfiles: a.rs; b.rs"), "{found:?}");
    assert!(has("2. Reviewed\nscore: 7") && has("Pushed"), "{found:?}");
    assert!(found.contains(&("learning".to_owned(), "Read first\ncontext: always".to_owned())));
    let whole: Value = serde_json::from_str(&out(&env, LOG)).unwrap();
    assert_eq!(missing(&twin(), &whole), Vec::<String>::new());
    let again = project();
    // Whatever the file is called.
    let folder = put(&again, &[("log.json", &whole.to_string())]);
    let report = import(&again, &folder);
    let id = report["sessions"][0]["session_id"].as_str().unwrap();
    let other = again.json(&["show", id, "--json"]);
    assert_eq!(other["imported"]["past"], shown["imported"]["past"]);
    assert_eq!(other["imported"]["manifest"], shown["imported"]["manifest"]);
    assert_eq!(other["lifecycle"], shown["lifecycle"]);
}

#[test]
fn what_happened_since_is_added_and_nothing_is_taken_away() {
    let env = project();
    let json = serde_json::to_string(&twin()).unwrap();
    let folder =
        put(&env, &[(&format!("a/{LOG}.md"), markdown()), (&format!("{LOG}.json"), &json)]);
    import(&env, &folder);
    env.ok(&["resume", LOG]);
    env.ok(&["note", "add", "Went on", "--session", LOG]);
    let open: Value = serde_json::from_str(&out(&env, LOG)).unwrap();
    assert_eq!(open["session"]["status"], "active");
    env.ok(&["end", LOG, "--summary", "Twice as fast", "--next-notes", "Tell them"]);
    let whole: Value = serde_json::from_str(&out(&env, LOG)).unwrap();
    let gone: Vec<String> = missing(&twin(), &whole);
    assert_eq!(gone, Vec::<String>::new());
    assert_eq!(whole["workLog"][3]["entry"], "Went on");
    assert_eq!(whole["nextSteps"], json!(["Tell them"]));
    assert_eq!(whole["outcomes"]["summary"], "Twice as fast");
    let mine = env.json(&["show", LOG, "--json"]);
    for (text, lifecycle) in [(open, "active"), (whole, "completed")] {
        let again = project();
        let report = import(&again, &put(&again, &[("x.json", &text.to_string())]));
        assert_eq!(report["sessions"][0]["lifecycle"], lifecycle, "{report:#}");
        let other = again.json(&["show", LOG, "--json"]);
        assert_eq!(other["imported"]["past"]["checklist"], mine["imported"]["past"]["checklist"]);
        assert_eq!(other["objective"], "Mend the parser");
        assert!(notes(&other).contains(&("note".to_owned(), "Went on".to_owned())));
    }
}

#[test]
fn two_logs_of_one_number_are_two_sessions_and_a_memory_finds_its_own() {
    let env = project();
    let log = |objective: &str| {
        format!("# Session 7\n\n**Date**: 2026-01-04\n**Objective**: {objective}\n")
    };
    let memory = "# Session State\n\n## Metadata\n\n- **Session ID**: 2026-01-05-session-02\n\
        - **Objective**: Three\n- **Started At**: 2026-01-05T10:00:00Z\n- **Current Phase**: QA_COMPLETE\n\n\
        ## Phase Status\n\n| Phase | Status | Evidence |\n|---|---|---|\n| SERENA_INIT | COMPLETE | it \\| that |\n";
    let folder = put(
        &env,
        &[
            ("2026-01-04-session-07.md", &log("One")),
            ("2026-01-04-session-07-other.md", &log("Two")),
            ("2026-01-05-session-02-third.md", "# Session 2: Third\n\n**Date**: 2026-01-05\n"),
            ("memories/session-current-state.md", memory),
        ],
    );
    let report = import(&env, &folder);
    let mut found: Vec<(&str, &str)> = report["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["session_id"].as_str().unwrap(), one["objective"].as_str().unwrap()))
        .collect();
    found.sort_unstable();
    let expected = [
        ("2026-01-04-session-07", "One"),
        ("2026-01-04-session-07-other", "Two"),
        ("2026-01-05-session-02-third", "Third"),
    ];
    assert_eq!(found, expected, "{report:#}");
    let third = env.json(&["show", "2026-01-05-session-02-third", "--json"]);
    assert_eq!(third["lifecycle"], "abandoned", "a phase before the end is not the end");
    assert_eq!(third["imported"]["past"]["phases"][0]["outputs"], json!(["it | that"]));
}

#[test]
fn a_session_of_ones_own_goes_out_as_a_log_and_comes_in_again() {
    let env = project();
    let id = env.start("Mend the parser");
    env.ok(&["note", "add", "By hand", "--kind", "decision"]);
    env.ok(&["note", "add", "Is it fast?", "--kind", "question"]);
    env.ok(&["end", &id, "--summary", "It is", "--next-notes", "Tell them\n\nand us"]);
    let log: Value = serde_json::from_str(&out(&env, &id)).unwrap();
    assert_eq!(log["session"]["objective"], "Mend the parser");
    for key in
        ["schemaVersion", "session", "protocolCompliance", "workLog", "endingCommit", "nextSteps"]
    {
        assert!(!log[key].is_null(), "{key} is asked for by the schema: {log:#}");
    }
    let again = project();
    let report = import(&again, &put(&again, &[("x.json", &log.to_string())]));
    let session = &report["sessions"][0];
    assert_eq!(session["lifecycle"], "completed", "{report:#}");
    let other = again.json(&["show", session["session_id"].as_str().unwrap(), "--json"]);
    let mine = env.json(&["show", &id, "--json"]);
    // Decisions stand apart from the work there, and all of this was written at the same moment.
    let sorted = |shown: &Value| {
        let mut notes = notes(shown);
        notes.sort();
        notes
    };
    assert_eq!(sorted(&other), sorted(&mine));
    assert_eq!(other["started_at"], mine["started_at"]);
    let past = &other["imported"]["past"];
    assert_eq!(
        (&past["summary"], &past["next_notes"]),
        (&json!("It is"), &json!("Tell them\n\nand us"))
    );
}

#[test]
fn ticks_of_an_imported_log_satisfy_nothing_here() {
    let env = project();
    import(&env, &put(&env, &[(&format!("{LOG}.md"), markdown())]));
    assert_eq!(env.event_types_of(LOG), ["session_imported"]);
    let shown = env.json(&["show", LOG, "--json"]);
    assert_eq!(shown["evidence"].as_array().map_or(0, Vec::len), 0, "{shown:#}");
}

#[test]
fn two_sessions_of_one_day_go_out_as_logs_and_stay_two() {
    let env = project();
    let ids = [env.start("Mend the parser"), env.start("Mend the lexer")];
    let again = project();
    let logs: Vec<Value> =
        ids.iter().map(|id| serde_json::from_str(&out(&env, id)).unwrap()).collect();
    for (id, log) in ids.iter().zip(&logs) {
        assert_eq!(log["waypost"], json!({"id": id}));
        assert_eq!(log["session"]["endedAt"], Value::Null, "it goes on: {log:#}");
    }
    let texts: Vec<String> = logs.iter().map(Value::to_string).collect();
    let folder = put(&again, &[("one.json", &texts[0]), ("two.json", &texts[1])]);
    let report = import(&again, &folder);
    let mut found: Vec<&str> = report["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["session_id"].as_str().unwrap())
        .collect();
    found.sort_unstable();
    let mut expected = ids.iter().map(String::as_str).collect::<Vec<_>>();
    expected.sort_unstable();
    assert_eq!(found, expected, "{report:#}");
    // And once more, from there.
    assert_eq!(serde_json::from_str::<Value>(&out(&again, &ids[0])).unwrap(), logs[0]);
}

#[test]
fn a_log_that_went_on_carries_its_id_lists_and_number() {
    let env = project();
    import(&env, &put(&env, &[(&format!("{LOG}.md"), markdown())]));
    env.ok(&["resume", LOG]);
    env.ok(&["pause", "--reason", "lunch"]);
    let log: Value = serde_json::from_str(&out(&env, LOG)).unwrap();
    assert_eq!((&log["waypost"]["id"], &log["session"]["number"]), (&json!(LOG), &json!(44)));
    assert_eq!(log["session"]["endedAt"], Value::Null);
    assert_eq!(log["nextSteps"], json!(["Look at speed"]));
    let compliance = &log["protocolCompliance"];
    let of = |side: &str| compliance[side].as_object().unwrap().len();
    assert_eq!((of("sessionStart"), of("sessionEnd")), (3, 3), "{compliance:#}");
    assert_eq!(compliance["sessionEnd"]["changeHandoffMd"]["complete"], false, "{compliance:#}");
    let mut alone = log.clone();
    alone["waypost"]["files"] = json!({});
    let again = project();
    import(&again, &put(&again, &[("x.json", &alone.to_string())]));
    let (mine, other) = (env.json(&["show", LOG, "--json"]), again.json(&["show", LOG, "--json"]));
    assert_eq!(other["lifecycle"], "paused");
    let sorted = |shown: &Value| {
        let mut steps = shown["imported"]["past"]["checklist"].as_array().unwrap().clone();
        steps.sort_by_key(|step| step["step"].to_string());
        steps
    };
    assert_eq!(sorted(&other), sorted(&mine), "without what it carries");
}
