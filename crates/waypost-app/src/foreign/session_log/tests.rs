//! Logs as people and programs write them, and as nobody would.

use super::*;
use crate::foreign::mutations::each_mutation;

/// What a log leaves open, or why it is refused.
fn open(name: &str, text: &str) -> Result<Vec<String>, String> {
    let session = NamedSession { day: "2026-11-15".to_owned(), number: 1 };
    let log = read(name, text.as_bytes()).and_then(|log| log.about(&session));
    log.map(|log| log.open()).map_err(|why| why.to_string())
}

fn md(text: &str) -> Result<Vec<String>, String> {
    open("2026-11-15-session-01.md", text)
}

fn json(text: &str) -> Result<Vec<String>, String> {
    open("2026-11-15-session-01.json", text)
}

const TABLES: &str = "\
# Session 1 - 2026-11-15

- **Date**: 2026-11-15

## Protocol Compliance

### Session Start (COMPLETE ALL before work)

| Req | Step | Status | Evidence |
|-----|------|--------|----------|
| MUST | Read `.agents/HANDOFF.md` | [x] | Content in context |
| **MUST** | Review export: `grep -iE \"key|token\" [file].json` | [ ] | nothing exported |
| MUST | List skill scripts | [N/A] | Sub-agent, no skills |
| MUST | Read constraints | [N/A] | |
| MUST | Activate Serena | [x] | Serena unreachable |
| SHOULD | Search memories | [ ] | |
| MUST NOT | Update HANDOFF.md | [x] | HANDOFF.md unchanged |
| MUST NOT | Force push | [ ] | |
| MUST NOT | Edit main | [x] | Updated the table |

## Findings

| Finding | Severity | Status |
|---------|----------|--------|
| One | MUST fix | [ ] |

## Next Steps

- [ ] People MUST look at it
";

#[test]
fn a_must_that_is_not_done_is_open_and_told_with_its_line() {
    assert_eq!(
        md(TABLES).unwrap(),
        [
            "line 12: Review export: `grep -iE \"key|token\" [file].json` (not ticked)",
            "line 14: Read constraints (nothing says why it does not apply)",
            "line 15: Activate Serena (ticked, but its evidence is `Serena unreachable`)",
            "line 19: Edit main (it was done: `Updated the table`)",
        ]
    );
}

#[test]
fn checklists_have_several_shapes() {
    for (text, expected) in [
        ("| MUST | Commit | [x] | |\n", &[][..]),
        ("| MUST | Commit | [ ] | |\n", &["line 1: Commit (not ticked)"]),
        (
            "## Protocol Compliance\n| Phase | Requirement | Status | Evidence |\n|-|-|-|-|\n\
             | 1 | `activate` | ✅ PASS | output |\n| 2 | Read it | ❌ FAIL | |\n",
            &["line 5: Read it (it says `❌ fail`)"],
        ),
        (
            "| MUST Requirement | Status |\n|-|-|\n| Commit | PASS |\n| Lint | PENDING |\n",
            &["line 4: Lint (it says `pending`)"],
        ),
        (
            "| Req | Step | Evidence |\n|-|-|-|\n| MUST | Commit | c6912d4 |\n| MUST | Lint | |\n",
            &["line 4: Lint (nothing says whether it is done)"],
        ),
        ("| MUST | Commit | [x] done |\n", &[]),
        ("- [x] MUST: Commit\n* [ ] **MUST** lint\n", &["line 2: **MUST** lint (not ticked)"]),
        (
            "## Session End Checklist\n- [x] Commit\n- [ ] Lint - later\n",
            &["line 3: Lint (not ticked)"],
        ),
        (
            "## Session Protocol Compliance\n- ✅ Read it\n- ⏳ Lint pending\n",
            &["line 3: Lint pending (it says `⏳`)"],
        ),
        (
            "## Protocol Compliance\n```markdown\n- [ ] Commit\n```\n",
            &["line 3: Commit (not ticked)"],
        ),
        ("| Level | Requirement | Status |\n|-|-|-|\n| shall | a | done |\n", &[]),
        ("| MUST | Route to qa | [x] | SKIPPED: docs-only |\n", &[]),
        ("| MUST | Run tests | [x] | 12 passed, 1 skipped |\n", &[]),
        ("| SHOULD | Commit | [ ] | |\n", &[]),
        ("\u{feff}| MUST | a | [X] | |\r\n| MUST | b | [ ] | |\r\n", &["line 2: b (not ticked)"]),
        ("Req | Step | Status\n--- | --- | ---\nMUST | a | [ ]\n", &["line 3: a (not ticked)"]),
        (
            "| MUST (if exported) | a | \\[x\\] | yes |\n| MUST (x) | b | \\[ \\] | |\n",
            &["line 2: b (not ticked)"],
        ),
        ("> | MUST | a | [ ] | |\n", &["line 1: a (not ticked)"]),
    ] {
        assert_eq!(md(text).unwrap(), expected, "{text}");
    }
}

#[test]
fn a_log_without_a_checklist_is_refused_and_told_what_to_write() {
    for none in [
        "",
        "# Session 1\n\nDone.\n",
        "| PR | Title | Status |\n|-|-|-|\n| 1 | x | open |\n",
        "| **MUST** | an absolute requirement |\n",
        "# Notes\n- [ ] buy milk\n",
    ] {
        let why = md(none).unwrap_err();
        assert!(why.starts_with("it has no checklist; write one"), "{none}: {why}");
    }
    let why = md("# a\n```\n| MUST | Commit | [x] | |\n").unwrap_err();
    assert!(why.contains("code block that begins in line 2 and never ends"), "{why}");
    for none in ["{}", "[]", "", "{\"session\": {\"number\": 1}}", "{\"protocolCompliance\": {}}"] {
        let why = json(none).unwrap_err();
        assert!(why.contains("`protocolCompliance`"), "{none}: {why}");
    }
    let large = "x".repeat(MAX_BYTES + 1);
    assert!(md(&large).unwrap_err().contains("more than 1048576 bytes"));
}

const ITEMS: &str = r#"{
  "session": { "number": 1, "date": "2026-11-15", "branch": "" },
  "protocolCompliance": {
    "sessionStart": {
      "handoffRead": { "Evidence": "", "level": "MUST", "Complete": true },
      "branchVerified": { "Evidence": "", "level": "MUST", "Complete": false },
      "serenaActivated": { "evidence": "Serena MCP unavailable", "level": "MUST", "complete": true },
      "notOnMain": { "evidence": "", "level": "should", "complete": false },
      "logCreated": true,
      "serenaInitialized": false,
      "gitStatusVerified": false,
      "branch": "main",
      "memories": ["a", "b"]
    },
    "sessionEnd": {
      "handoffNotUpdated": { "evidence": "unchanged", "level": "MUST NOT", "complete": false },
      "lintRun": { "status": "complete", "notes": "0 errors" },
      "pushed": { "status": "in_progress" },
      "noExport": { "level": "MUST", "complete": "N/A", "evidence": "nothing to export" },
      "qa": { "completed": true, "required": true, "evidence": "SKIPPED: docs-only" },
      "two": { "level": "MUST", "Complete": true, "complete": false },
      "unsaid": { "level": "MUST", "evidence": "x" },
      "warnings": { "Evidence": ["none"] }
    }
  }
}"#;

#[test]
fn items_of_json_are_read_in_every_spelling() {
    assert_eq!(
        json(ITEMS).unwrap(),
        [
            "line 6: branchVerified (not ticked)",
            "line 7: serenaActivated (ticked, but its evidence is `Serena MCP unavailable`)",
            "line 10: serenaInitialized (not ticked)",
            "line 18: pushed (it says `in_progress`)",
            "line 21: two (not ticked)",
            "line 22: unsaid (nothing says whether it is done)",
        ]
    );
}

#[test]
fn other_places_of_checklists_in_json_are_found() {
    for (text, expected) in [
        (r#"{"protocol_compliance": {"session_end": {"lint": false}}}"#, 1),
        (r#"{"sessionEnd": {"lint": {"level": "MUST", "complete": false}}}"#, 1),
        (r#"{"session": {"checklist": [{"req": "MUST", "step": "a", "status": "[ ]"}]}}"#, 1),
        (r#"{"checklist": [{"req": "MUST", "step": "a", "status": "[x]"}]}"#, 0),
        (r#"{"protocolCompliance": {"log": {"status": "complete", "evidence": "x"}}} // end"#, 0),
        (r#"{"protocolCompliance": {"handoff": {"status": "not_applicable", "note": "ro"}}}"#, 0),
        (r#"{"protocolCompliance": {"retrospective": {"invoked": false}, "a": {"done": 1}}}"#, 0),
        (r#"{"compliance": {"x": {"level": "WHATEVER", "complete": false}}}"#, 1),
    ] {
        assert_eq!(json(text).unwrap().len(), expected, "{text}");
    }
}

#[test]
fn broken_json_is_refused_with_its_place() {
    let why = json("{\n  \"a\": tru\n}").unwrap_err();
    assert!(why.starts_with("it is not valid JSON: line 2, column 8"), "{why}");
    for broken in ["{", "{\"a\": }", "{'a': 1}", "\0", "{\"a\": \"\\u\"}", &"[".repeat(100_000)] {
        assert!(json(broken).is_err(), "{}", &broken[..broken.len().min(20)]);
    }
}

#[test]
fn a_log_that_says_that_it_is_about_another_session_is_refused() {
    let row = "\n| MUST | Commit | [x] | |\n";
    for (title, other) in [
        ("# Session 1 - 2026-11-15", false),
        ("# Session 01: x", false),
        ("# Session Log: 2026-11-15-session-01", false),
        ("# Session 2026-11-15", false),
        ("# Session log of PR 12", false),
        ("# Session 12 - 2026-11-15", true),
        ("# Session 2026-11-14-session-02", true),
        ("# Session 1\n**Date**: 2026-11-01", true),
        // The day before, where the writer is.
        ("# Session 1\n**Date**: 2026-11-14", false),
    ] {
        assert_eq!(md(&format!("{title}{row}")).is_err(), other, "{title}");
    }
    let log = |number: &str, date: &str| {
        json(&format!(
            "{{\"session\": {{\"number\": {number}, \"date\": {date}}}, \"sessionEnd\": {{\"a\": true}}}}"
        ))
    };
    assert_eq!(log("1", "\"2026-11-16\""), Ok(Vec::new()));
    assert_eq!(log("null", "null"), Ok(Vec::new()));
    let why = log("7", "\"2026-11-15\"").unwrap_err();
    assert!(why.contains("line 1 says that it is about session 7"), "{why}");
    assert!(log("\"01\"", "\"2025-11-15\"").unwrap_err().contains("2025-11-15"));
}

#[test]
fn ten_thousand_broken_logs_of_each_format_are_read_or_refused() {
    each_mutation(TABLES, 10_000, |bytes| {
        let _ = read("2026-11-15-session-01.md", bytes).map(|log| log.open());
    });
    each_mutation(ITEMS, 10_000, |bytes| {
        let _ = read("2026-11-15-session-01.json", bytes).map(|log| log.open());
    });
}

#[test]
fn hostile_lines_take_no_long_time() {
    let ticks: String = (1..1_400).map(|n| "`".repeat(n) + "a").collect();
    let rows = format!("| MUST | {ticks} | [ ] |\n");
    assert_eq!(md(&format!("{rows}| MUST | a | [x] |\n")).unwrap().len(), 0);
    let deep = format!("| {} | MUST |", "| ".repeat(100_000));
    assert!(md(&deep).is_err());
    assert!(md(&"<!--".repeat(200_000)).is_err());
    assert!(md(&"#".repeat(MAX_BYTES)).is_err());
}
