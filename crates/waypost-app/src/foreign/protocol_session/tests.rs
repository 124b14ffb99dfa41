//! Tests of logs, states and memories.

use waypost_core::time::Timestamp;

use super::*;
use crate::foreign::mutations::each_mutation;
use crate::foreign::session::Brought;

const JSON: &str = r#"{
  "session": {"number": 131, "date": "2026-01-04", "branch": "feat/x", "startingCommit": "0608a2d",
              "objective": "[Migrated from markdown]", "traceId": "t-1"},
  "protocolCompliance": {
    "sessionStart": {"handoffRead": {"level": "MUST", "Complete": true, "Evidence": "Content in context"}, "notOnMain": true},
    "sessionEnd": {"changesCommitted": {"level": "MUST", "complete": true, "evidence": "Commit SHA: 2c3a34d"},
                   "tasksUpdated": {"level": "SHOULD", "complete": false}}
  },
  "workLog": [{"time": "2026-01-04", "entry": "Resolved the conflicts"}, "Ran the tests"],
  "decisions": [{"decision": "Rebase", "rationale": "linear"}],
  "endingCommit": "f51b6b39", "nextSteps": ["Open the PR", "Tell them"], "episodeMetrics": {"filesChanged": 5}
}"#;

const MARKDOWN: &str = "# Session 131: Merge conflicts\n\n**Date**: 2026-01-04\n**Status**: COMPLETE\n- **Branch**: `feat/x`\n\
    - **Starting Commit**: `0608a2d`\n\n## Objective\n\nResolve the conflicts of PR 754.\n\n## Session Log\n\n### Work\n\nDone `a|b`.\n\n\
    ## Decisions\n\n- Rebase, not merge\n\n### Session End (COMPLETE ALL before closing)\n\n\
    | Req | Step | Status | Evidence |\n|-----|------|--------|----------|\n| MUST | Run `a|b` lint | [x] | Clean |\n\
    | MUST | Commit | [x] | Commit SHA: 2c3a34df3c9835835d56bcf0b4cf09d0b414296a |\n| SHOULD | Plan | [N/A] | none here |\n\n\
    ## Next Session\n\nTell them.\n";

const CURRENT: &str = "# Session State\n\n## Metadata\n\n- **Session ID**: 2026-01-04-session-131\n- **Objective**: Resolve\n\
    - **Branch**: feat/x\n- **Starting Commit**: 0608a2d\n- **Started At**: 2026-01-04T14:30:00Z\n- **Current Phase**: WORKING\n\n\
    ## Phase Status\n\n| Phase | Status | Evidence |\n|---|---|---|\n| SERENA_INIT | COMPLETE | Tool output |\n| GIT_STATE | PENDING | |\n\n\
    ## Checklist (Start)\n\n| Req | Step | Status | Evidence |\n|---|---|---|---|\n| MUST | Create session log | [x] | File exists |\n";

const HISTORY: &str = "# Session History\n\n## Recent Sessions (Last 10)\n\n### 2025-12-20-session-03\n\n- **Objective**: PR batch review\n\
    - **Outcome**: COMPLETE\n- **Commit SHA**: 981ebf7\n- **Key Decisions**:\n  - Merged PRs\n  - Deferred the review\n\
    - **Next Session Notes**: Plan the epic\n\n### 2025-12-20-session-02\n\n- **Objective**: Remediation\n- **Outcome**: INCOMPLETE\n";

const VIOLATIONS: &str = "# Session Violations Log\n\n## Violations\n\n### 2025-12-20-session-03\n\n\
    | Timestamp | Phase | Requirement | Severity | Recovery |\n|---|---|---|---|---|\n\
    | 14:23:00 | SKILL_VALIDATION | MUST read it | CRITICAL | Read at 14:25:00 |\n\n### 2025-12-20-session-02\n\n\
    | Timestamp | Phase | Requirement | Severity | Recovery |\n|---|---|---|---|---|\n| (none recorded) | | | | |\n";

const STATE: &str = r#"{"session_id": "2026-01-04-session-131", "objective": "Resolve", "branch": "feat/x",
  "starting_commit": "0608a2d", "started_at": "2026-01-04T14:30:00Z", "current_phase": "WORKING",
  "phases_completed": ["INIT", "SERENA_INIT"], "checklist": {"start": [{"req": "MUST", "step": "Log", "status": "[x]", "evidence": "x"}]},
  "evidence": {"serena": "Tool output"}, "violations": [{"timestamp": "2026-01-04T15:00:00Z", "phase": "GIT_STATE",
  "requirement": "clean", "severity": "CRITICAL", "recovery": null}], "own": 1}"#;

fn sessions(name: &str, text: &str) -> Vec<Brought> {
    let utc = |_: Timestamp| 0;
    let file = ForeignFile::of(name, name, text.as_bytes()).unwrap();
    match read(&file, &Times::new(&utc)) {
        Some(Reading::Sessions(sessions)) => sessions,
        other => panic!("{name}: {other:?}"),
    }
}

fn only(name: &str, text: &str) -> Brought {
    let [one] = <[Brought; 1]>::try_from(sessions(name, text)).unwrap();
    one
}

#[test]
fn a_log_in_json_tells_what_was_done_decided_and_left() {
    let log = only("2026-01-04-session-131-merge.json", JSON);
    assert_eq!(log.name, "2026-01-04-session-131-merge");
    assert_eq!(log.manifest["status"], "complete", "nothing that must be is open");
    assert_eq!(log.manifest["git"]["branch"], "feat/x");
    assert_eq!(log.manifest["commits"][0]["sha"], "f51b6b39");
    let notes: Vec<(&str, &str)> =
        log.past.notes.iter().map(|note| (note.kind.as_str(), note.text.as_str())).collect();
    let expected = [
        ("work", "Resolved the conflicts"),
        ("work", "Ran the tests"),
        ("decision", "Rebase: linear"),
    ];
    assert_eq!(notes, expected);
    assert_eq!(log.past.next_notes.as_deref(), Some("Open the PR\nTell them"));
    assert_eq!(log.past.checklist.len(), 4);
    assert_eq!(
        log.original["2026-01-04-session-131-merge.json"]["episodeMetrics"]["filesChanged"],
        5
    );
}

#[test]
fn a_log_in_markdown_tells_the_same() {
    let log = only("2026-01-04-session-131-merge.md", MARKDOWN);
    assert_eq!(log.manifest["topic"], "Resolve the conflicts of PR 754.");
    assert_eq!(log.manifest["status"], "complete");
    assert_eq!(log.manifest["git"]["branch"], "feat/x");
    assert_eq!(log.past.starting_commit.as_deref(), Some("0608a2d"));
    assert_eq!(log.manifest["commits"][0]["sha"], "2c3a34df3c9835835d56bcf0b4cf09d0b414296a");
    assert_eq!(log.past.checklist.len(), 3);
    assert_eq!(log.past.checklist[2].done, None);
    assert_eq!(log.past.next_notes.as_deref(), Some("Tell them."));
    assert!(log.past.notes.iter().any(|note| note.kind == "decision"));
    assert_eq!(log.original["2026-01-04-session-131-merge.md"], MARKDOWN);
}

#[test]
fn a_log_and_its_twin_are_one_session() {
    let (markdown, json) = (
        only("2026-01-04-session-131-merge.md", MARKDOWN),
        only("2026-01-04-session-131-merge.json", JSON),
    );
    assert_eq!(markdown.name, json.name);
    let both = markdown.merged_with(json);
    assert_eq!(both.manifest["topic"], "Resolve the conflicts of PR 754.");
    assert_eq!(both.original.len(), 2);
    assert_eq!(both.manifest["commits"].as_array().unwrap().len(), 2);
    let state = only("session-current-state.md", CURRENT);
    let (number, is_bare) = known_by(&state).unwrap();
    assert_eq!((Some((number, false)), is_bare), (known_by(&both), true));
    let other = only("2026-01-04-session-131-another.json", JSON);
    assert_ne!(both.name, other.name, "somebody else took the same number");
    let with_state = both.merged_with(state);
    assert_eq!(with_state.name, "2026-01-04-session-131-merge");
    assert_eq!(with_state.past.phases.len(), 2);
}

#[test]
fn memories_and_the_state_in_their_place_are_sessions() {
    let state = only(".session-state.json", STATE);
    assert_eq!(state.name, "2026-01-04-session-131");
    assert_eq!((state.past.phases.len(), state.past.checklist.len()), (2, 1));
    assert_eq!(state.past.violations[0].requirement, "clean");
    assert_eq!(state.manifest["status"], "active");
    let current = only("session-current-state.md", CURRENT);
    assert_eq!(current.past.phase.as_deref(), Some("WORKING"));
    assert_eq!(current.past.checklist[0].step, "Create session log");
    let history = sessions("session-history.md", HISTORY);
    assert_eq!(history.len(), 2);
    assert_eq!(history[0].manifest["status"], "complete");
    assert_eq!(history[1].manifest["status"], "active");
    assert_eq!(history[0].past.notes.len(), 2);
    assert_eq!(history[0].past.next_notes.as_deref(), Some("Plan the epic"));
    let missed = sessions("session-violations-log.md", VIOLATIONS);
    assert_eq!(missed[0].past.violations[0].time.unwrap().to_string(), "2025-12-20T14:23:00.000Z");
    assert!(missed[1].past.violations.is_empty());
}

#[test]
fn what_is_said_of_a_part_is_not_said_of_the_session() {
    let text = "# Session 9: Parser\n\n**Date**: 2026-01-04\n**Status**: In Progress\n\n## Work Log\n\n### One\n\n\
        **Status**: COMPLETE\n\n## Outcome\n\nSome of it.\n";
    assert_eq!(only("2026-01-04-session-09.md", text).manifest["status"], "active");
    let ended = text.replace("Some of it.", "**Status**: [COMPLETE] all of it");
    assert_eq!(only("2026-01-04-session-09.md", &ended).manifest["status"], "complete");
    let odd = text.replace("In Progress", "SUPERSEDED - see elsewhere");
    let odd = only("2026-01-04-session-09.md", &odd);
    assert!(odd.remarks[0].starts_with("its status is `SUPERSEDED"), "{:?}", odd.remarks);
    let done = format!(
        "{text}\n## Session End\n\n| Req | Step | Status | Evidence |\n|---|---|---|---|\n| MUST | Commit | [x] | yes |\n"
    );
    let done = only("2026-01-04-session-09.md", &done);
    assert_eq!(done.manifest["status"], "complete");
    assert!(done.remarks[0].contains("everything in its checklists is done"), "{:?}", done.remarks);
}

#[test]
fn musts_that_are_open_are_named() {
    let text = MARKDOWN.replace("| [x] | Clean |", "| [ ] | |");
    let log = only("2026-01-04-session-131-merge.md", &text);
    assert_eq!(log.manifest["status"], "complete", "it says so");
    assert_eq!(log.remarks, ["1 must is open in its checklists: Run `a|b` lint"]);
}

#[test]
fn logs_are_read_however_they_are_called_and_written() {
    let of = |name: &str, text: &str| only(name, text).name;
    assert_eq!(of("log.json", JSON), "2026-01-04-session-131");
    assert_eq!(of("log.md", MARKDOWN), "2026-01-04-session-131");
    let short = r#"{"session_id": "x", "date": "2026-08-14", "objective": "Answer", "status": "complete", "commits": ["2ec94f2bcb"]}"#;
    let log = only("2026-08-14-session-pr-49-autofix.json", short);
    assert_eq!(
        (&log.manifest["status"], &log.manifest["commits"][0]["sha"]),
        (&"complete".into(), &"2ec94f2bcb".into())
    );
    let table = "\u{feff}# Session 3\r\n\r\n| Field | Value |\r\n|---|---|\r\n| Date | 2026-01-04 |\r\n| Branch | `feat/x` |\r\n\r\n\
        ## Objective\r\n\r\nDo it.\r\n";
    let log = only("2026-01-04-session-03.md", table);
    assert_eq!(
        (&log.manifest["git"]["branch"], &log.manifest["topic"]),
        (&"feat/x".into(), &"Do it.".into())
    );
    let plain =
        only("2026-01-04-session-315-sync.md", "\n# Session 315: Sync\n\n## Problem\n\nIt lags.\n");
    assert_eq!(plain.manifest["topic"], "Sync");
}

#[test]
fn memories_are_read_with_what_is_odd_in_them() {
    let history =
        HISTORY.replace("INCOMPLETE", "BLOCKED").replace("Merged PRs", "Merged `a|b` PRs");
    let history = sessions("session-history.md", &history);
    assert_eq!(history[1].manifest["status"], "paused");
    assert_eq!(history[1].past.pause.as_ref().unwrap().reason, "BLOCKED");
    let missed = VIOLATIONS
        .replace("MUST read it", r"MUST read a \| b")
        .replace("14:23:00", "2025-12-20T14:23:00+01:00");
    let missed = sessions("session-violations-log.md", &missed);
    assert_eq!(missed[0].past.violations[0].requirement, "MUST read a | b");
    assert_eq!(missed[0].past.violations[0].time.unwrap().to_string(), "2025-12-20T13:23:00.000Z");
    let state = STATE.replace("WORKING", "QA_COMPLETE");
    assert_eq!(only(".session-state.json", &state).manifest["status"], "active");
    let state = STATE.replace("WORKING", "COMPLETE");
    assert_eq!(only(".session-state.json", &state).manifest["status"], "complete");
}

#[test]
fn what_is_no_session_is_told_or_left_to_others() {
    let utc = |_: Timestamp| 0;
    let of = |name: &str, text: &str| {
        let file = ForeignFile::of(name, name, text.as_bytes()).unwrap();
        read(&file, &Times::new(&utc))
    };
    assert_eq!(of("README.md", "# Session tools\n\nHow to use them.\n"), None);
    assert_eq!(of("x.json", r#"{"session_id": "x", "topic": "y", "current_phase": "spec"}"#), None);
    assert_eq!(of("x.json", r#"{"branch": "b", "requirements": {}}"#), None);
    let schema = r#"{"$schema": "http://json-schema.org/x", "properties": {"session": {}}}"#;
    assert!(matches!(of("s.json", schema), Some(Reading::NoSession(_))));
    let handoff = "# Session Handoff - 2026-08-12\n\n- **Task**: Do it\n";
    assert!(matches!(of("2026-08-12-49-handoff.md", handoff), Some(Reading::NoSession(_))));
    let about = "# Session Protocol Validator: a bug\n\nIt MUST be mended.\n";
    assert_eq!(of("session-protocol-validator.md", about), None);
    assert_eq!(of("2026-01-04-session-01.md", "  \n"), None);
    let protocol = "# Session Protocol\n\nAgents MUST read it.\n";
    assert!(matches!(of("SESSION-PROTOCOL.md", protocol), Some(Reading::NoSession(_))));
}

#[test]
fn damaged_files_are_read_or_not() {
    let utc = |_: Timestamp| 0;
    let carried = format!(
        "{}, \"waypost\": {{\"changed\": true, \"files\": {{\"session-history.md\": {HISTORY:?}, \"s.json\": {STATE}}}}}}}",
        JSON.trim_end().trim_end_matches('}')
    );
    let carried = carried.replace("\"filesChanged\": 5,", "\"filesChanged\": 5},");
    assert_eq!(only("x.json", &carried).past.phases.len(), 2, "what it carries is read");
    for (name, text) in [
        ("x.json", carried.as_str()),
        ("2026-01-04-session-131.json", JSON),
        ("2026-01-04-session-131.md", MARKDOWN),
        (".session-state.json", STATE),
        ("session-current-state.md", CURRENT),
        ("session-history.md", HISTORY),
        ("session-violations-log.md", VIOLATIONS),
    ] {
        each_mutation(text, 10_000, |bytes| {
            if let Ok(file) = ForeignFile::of(name, name, bytes) {
                let _ = read(&file, &Times::new(&utc));
            }
        });
    }
}

fn again_of(all: &[&Brought], name: &str) -> Option<Brought> {
    let utc = |_: Timestamp| 0;
    let files = all.iter().flat_map(|one| one.original.clone()).collect();
    again(&files, name, &Times::new(&utc))
}

#[test]
fn kept_files_tell_the_same_as_when_they_lay_beside_each_other() {
    let name = "2026-01-04-session-131-merge";
    let markdown = only(&format!("{name}.md"), MARKDOWN);
    let json = only(&format!("{name}.json"), JSON);
    let (state, current) =
        (only(".session-state.json", STATE), only("session-current-state.md", CURRENT));
    let all = [&json, &current, &markdown, &state];
    let expected = [json.clone(), current.clone(), state.clone()]
        .into_iter()
        .fold(markdown.clone(), Brought::merged_with);
    let found = again_of(&all, name).unwrap();
    assert_eq!(found, expected);
    assert_eq!(again_of(&[&state, &markdown, &current, &json], name), Some(found));
    // A memory that came first has the session's number as its name.
    let later = again_of(&[&markdown, &state], "2026-01-04-session-131").unwrap();
    assert_eq!((later.name.as_str(), later.original.len()), (name, 2));
    let other = only("2026-01-04-session-131-another.json", JSON);
    let found = again_of(&[&markdown, &other, &state], name).unwrap();
    assert_eq!(found.original.len(), 1, "a state that could be of two logs is of none");
    let unnumbered = "# Session: Review\n\n**Status**: COMPLETE\n";
    let path = "a/sessions/2026-01-04-session-pr-12.md";
    let file = ForeignFile::of("2026-01-04-session-pr-12.md", path, unnumbered.as_bytes()).unwrap();
    let utc = |_: Timestamp| 0;
    let Some(Reading::Sessions(among)) = read(&file, &Times::new(&utc)) else { panic!() };
    assert_eq!(again_of(&[&among[0]], "2026-01-04-session-pr-12"), Some(among[0].clone()));
    assert_eq!(again_of(&[], name), None);
}

#[test]
fn a_session_keeps_only_its_own_part_of_a_memory() {
    for (name, text) in [("session-history.md", HISTORY), ("session-violations-log.md", VIOLATIONS)]
    {
        let before = sessions(name, text);
        let more = format!("{text}\n### 2025-12-21-session-01\n\n- **Objective**: More\n");
        let after = sessions(name, &more);
        assert_eq!(after[..2], before[..], "another session changes nothing");
        for one in &before {
            let kept = one.original[name].as_str().unwrap();
            assert_eq!(kept.matches("\n### ").count(), 1, "{kept}");
            assert_eq!(only(name, kept), *one);
            assert_eq!(again_of(&[one], &one.name).as_ref(), Some(one));
        }
    }
}

#[test]
fn states_and_memories_are_known_by_the_names_of_their_files() {
    let of = |name: &str, text: &str| known_by(&only(name, text)).unwrap();
    assert_eq!(of("one.json", JSON), (("2026-01-04".to_owned(), 131), false));
    assert_eq!(of("Session-State.json", STATE), (("2026-01-04".to_owned(), 131), true));
    assert!(of(".session-state.json", STATE).1 && of("session-current-state.md", CURRENT).1);
    assert!(known_by(&sessions("session-history.md", HISTORY)[0]).unwrap().1);
    let both = only("one.json", JSON).merged_with(only(".session-state.json", STATE));
    assert!(!known_by(&both).unwrap().1, "a log tells of it, too");
}

#[test]
fn steps_know_their_list_and_what_must_not_be_done() {
    let lists = |log: &Brought| -> Vec<String> {
        log.past.checklist.iter().map(|step| step.list.clone().unwrap_or_default()).collect()
    };
    let json = only("2026-01-04-session-131.json", JSON);
    assert_eq!(lists(&json), ["sessionStart", "sessionStart", "sessionEnd", "sessionEnd"]);
    let markdown = only("2026-01-04-session-131.md", MARKDOWN);
    assert_eq!(lists(&markdown), ["Session End"; 3]);
    assert_eq!(lists(&only("session-current-state.md", CURRENT)), ["Checklist (Start)"]);
    assert_eq!(lists(&only(".session-state.json", STATE)), ["start"]);
    let said = JSON
        .replace("\"level\": \"MUST\", \"Complete\"", "\"step\": \"Read HANDOFF\", \"Complete\"");
    assert_eq!(only("x.json", &said).past.checklist[0].step, "Read HANDOFF");
    // Logs in JSON say `false` of what was left alone, and those in Markdown tick it.
    for (item, is_kept) in [
        (r#"{"level": "MUST NOT", "complete": false, "evidence": "HANDOFF.md unchanged"}"#, true),
        (r#"{"level": "MUST NOT", "complete": true, "evidence": "HANDOFF.md unchanged"}"#, true),
        (r#"{"level": "MUST NOT", "complete": true, "evidence": "Updated the table"}"#, false),
        ("false", true),
        ("true", true),
    ] {
        let text = JSON.replace("\"notOnMain\": true", &format!("\"handoffNotUpdated\": {item}"));
        let log = only("x.json", &text);
        let step = log.past.checklist.iter().find(|step| step.step == "handoffNotUpdated");
        assert_eq!(step.unwrap().done, Some(is_kept), "{item}");
        assert_eq!(log.remarks.is_empty(), is_kept, "{item}: {:?}", log.remarks);
    }
    for (row, is_kept) in
        [("[x] | unchanged", true), ("[ ] | ", true), ("[x] | Updated the table", false)]
    {
        let row = format!("| MUST NOT | Update HANDOFF.md | {row} |\n| SHOULD |");
        let log = only("2026-01-04-session-131.md", &MARKDOWN.replace("| SHOULD |", &row));
        assert_eq!(log.past.checklist[2].done, Some(is_kept), "{row}");
    }
}
