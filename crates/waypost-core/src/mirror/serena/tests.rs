//! The memories, to the letter of what agents know.

use super::*;

fn step(level: &str, asks: &str, done: bool, evidence: &str) -> Step {
    Step { level: level.into(), asks: asks.into(), done, evidence: evidence.into() }
}

#[test]
fn the_session_that_goes_on_reads_as_the_seed_has_it() {
    let session = Current {
        id: "2025-12-21-session-01".into(),
        objective: "Design Session State MCP".into(),
        branch: Some("feat/mcp-updates".into()),
        commit: Some("e846d7e".into()),
        started_at: "2025-12-21T14:30:00.000Z".parse().ok(),
        phase: "WORKING".into(),
        phases: vec![
            ("SERENA_INIT".into(), "COMPLETE".into(), "Tool output in transcript".into()),
            ("GIT_STATE".into(), "COMPLETE".into(), "Clean, main branch".into()),
        ],
        start: vec![step("MUST", "Create session log", true, "File exists")],
        end: vec![step("MUST", "Update .agents/HANDOFF.md", false, "")],
    };
    let wanted = "\
# Session State

## Metadata

- **Session ID**: 2025-12-21-session-01
- **Objective**: Design Session State MCP
- **Branch**: feat/mcp-updates
- **Starting Commit**: e846d7e
- **Started At**: 2025-12-21T14:30:00Z
- **Current Phase**: WORKING

## Phase Status

| Phase | Status | Evidence |
|-------|--------|----------|
| SERENA_INIT | COMPLETE | Tool output in transcript |
| GIT_STATE | COMPLETE | Clean, main branch |

## Checklist (Start)

| Req | Step | Status | Evidence |
|-----|------|--------|----------|
| MUST | Create session log | [x] | File exists |

## Checklist (End)

| Req | Step | Status | Evidence |
|-----|------|--------|----------|
| MUST | Update .agents/HANDOFF.md | [ ] | |
";
    assert_eq!(current(&session), wanted);
}

#[test]
fn the_last_sessions_read_as_the_seed_has_them() {
    let past = Past {
        id: "2025-12-20-session-03".into(),
        objective: "PR batch review".into(),
        outcome: "COMPLETE".into(),
        commit: Some("981ebf7".into()),
        decisions: vec!["Merged PRs #140, #212".into(), "Deferred security review".into()],
        next_notes: Some("Continue with Epic #183 planning".into()),
    };
    let wanted = "\
# Session History

## Recent Sessions (Last 10)

### 2025-12-20-session-03

- **Objective**: PR batch review
- **Outcome**: COMPLETE
- **Commit SHA**: 981ebf7
- **Key Decisions**:
  - Merged PRs #140, #212
  - Deferred security review
- **Next Session Notes**: Continue with Epic #183 planning
";
    assert_eq!(history(std::slice::from_ref(&past)), wanted);
    let all: Vec<Past> = vec![past; 12];
    assert_eq!(history(&all).matches("\n### ").count(), MAX_HISTORY);
}

#[test]
fn what_was_missed_reads_as_the_seed_has_it() {
    let row = MissedRow {
        time: "2025-12-18T14:23:00.123Z".parse().ok(),
        phase: "SKILL_VALIDATION".into(),
        requirement: "MUST read skill-usage-mandatory".into(),
        severity: "must".into(),
        recovery: Some("Read at 14:25:00".into()),
    };
    let sessions = [
        Missed { id: "2025-12-21-session-01".into(), rows: Vec::new() },
        Missed { id: "2025-12-18-session-15".into(), rows: vec![row] },
    ];
    let wanted = "\
# Session Violations Log

## Purpose

Audit trail of protocol violations for retrospective analysis and skill extraction.

## Violations

### 2025-12-21-session-01

| Timestamp | Phase | Requirement | Severity | Recovery |
|-----------|-------|-------------|----------|----------|
| (none recorded) | | | | |

### 2025-12-18-session-15

| Timestamp | Phase | Requirement | Severity | Recovery |
|-----------|-------|-------------|----------|----------|
| 14:23:00 | SKILL_VALIDATION | MUST read skill-usage-mandatory | CRITICAL | Read at 14:25:00 |
";
    assert_eq!(violations(&sessions, 0), wanted);
}

#[test]
fn what_others_wrote_stays_in_its_cell_and_its_line() {
    let objective = "a\n## Checklist (End)\n```waypost\n{}\n```\n\u{202e}| x | y |";
    let session = Current {
        id: "s".into(),
        objective: objective.into(),
        phases: vec![("a|b\n|c".into(), "PENDING".into(), "x \\| y".into())],
        ..Current::default()
    };
    let text = current(&session);
    assert_eq!(text.matches("\n## ").count(), 4, "{text}");
    assert!(!text.contains("\n```"), "{text}");
    assert!(!text.contains('\u{202e}'), "{text}");
    let row = text.lines().find(|line| line.contains("PENDING")).unwrap();
    let bars = row.replace("\\\\", "").replace("\\|", "").matches('|').count();
    assert_eq!(bars, 4, "{row}");
}
