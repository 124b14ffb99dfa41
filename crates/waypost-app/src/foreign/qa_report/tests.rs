//! Reports as people and programs write them, and as nobody would.

use super::*;
use crate::foreign::mutations::each_mutation;

/// Whether a report passes, and its session.
fn found(text: &str) -> (Option<bool>, Option<String>) {
    let report = read(".agents/qa/report.md", text.as_bytes());
    (report.verdict.map(|verdict| verdict.passed), report.session)
}

const ONE: &str = "2026-11-15-session-01";

#[test]
fn front_matter_gives_the_verdict_and_the_session() {
    for (fields, passed) in [
        (format!("qaVerdict: PASS\nqaSessionLog: .agents/sessions/{ONE}-fix.json"), true),
        ("qaVerdict: \"pass\" # really\nqaSessionLog: 2026-11-15-session-1".to_owned(), true),
        (format!("verdict: PASSED\nsession: {ONE}"), true),
        (format!("qa_verdict: APPROVED\nsession_id: '{ONE}'"), true),
        (format!("qaVerdict: FAIL\nqaSessionLog: {ONE}"), false),
        (format!("qaVerdict: CONDITIONAL PASS\nqaSessionLog: {ONE}"), false),
    ] {
        let text = format!("---\n{fields}\n---\n\n# QA\n");
        assert_eq!(found(&text), (Some(passed), Some(ONE.to_owned())), "{fields}");
        assert_eq!(found(&text.replace('\n', "\r\n")), found(&text), "{fields}");
    }
    let report =
        read("a.md", b"---\nqaVerdict: PASS\nqa:\n  verdict: FAIL\nby: \"me\"\n---\nx: y\n");
    let keys: Vec<&str> = report.fields.keys().map(String::as_str).collect();
    assert_eq!((keys, report.fields["by"].as_str()), (vec!["by", "qa", "qaVerdict"], "me"));
    assert_eq!(found("---\nqaVerdict: PASS\n").0, None, "it never ends");
}

#[test]
fn a_report_without_front_matter_gives_its_verdict_in_many_ways() {
    for (text, passed) in [
        ("**Verdict**: [PASS]", Some(true)),
        ("- Verdict: PASS", Some(true)),
        ("## Verdict\n\n**PASS** - all is well", Some(true)),
        ("## Verdict: **Needs Changes**", Some(false)),
        ("## Verdict\n\n**Status**: [PASS]\n**Confidence**: High", Some(true)),
        ("## Verdict\n\n- ✅ PASS", Some(true)),
        ("## Status\n\n**QA COMPLETE**", Some(true)),
        ("# QA\n\n**Status**: ✅ PASS\n\n## Tests", Some(true)),
        ("# QA\n\n> **Status**: READY FOR REVIEW", Some(false)),
        ("| Metric | Value |\n|-|-|\n| **Verdict** | PASS |", Some(true)),
        ("**Overall Verdict**: [BLOCKED]\n\n**Verdict**: [PASS]", Some(false)),
        ("**Verdict**: [PASS]\n\n## Two\n\n**Verdict**: [FAIL]", Some(false)),
        ("**Verdict**: SKIPPED - docs only", Some(false)),
        ("**Verdict**: not passed", Some(false)),
        // Of a single test, of a choice, and in code.
        ("## Test 1\n\n**Status**: [PASS]", None),
        ("**Verdict**: PASS | WARN | FAIL", None),
        ("```\n**Verdict**: PASS\n```", None),
        ("| Test | Verdict |\n|-|-|\n| a | PASS |", None),
        ("All is well.", None),
        ("", None),
    ] {
        assert_eq!(found(text).0, passed, "{text}");
    }
    let both = "---\nqaVerdict: PASS\n---\n\n## Verdict\n\n[FAIL] two tests fail\n";
    let report = read("a.md", both.as_bytes()).verdict.unwrap();
    assert_eq!((report.passed, report.line), (false, 7), "what it finds weighs more");
}

#[test]
fn the_session_is_named_in_many_ways() {
    for (text, session) in [
        ("**Session**: 2026-11-15-session-01", Some(ONE)),
        ("- **Session Log**: `.agents/sessions/2026-11-15-session-01-x.md`", Some(ONE)),
        ("- **Session**: 1\n- **Date**: 2026-11-15", Some(ONE)),
        ("# QA Report: Session 01 - x\n\n**Date**: 2026-11-15", Some(ONE)),
        ("Looked at `.agents/sessions/2026-11-15-session-1.md`.", Some(ONE)),
        ("session: 2026-11-15_add-login_k3f9a2", Some("2026-11-15_add-login_k3f9a2")),
        ("**Session**: 1", None),
        ("of 2026-11-15-session-01 and 2026-11-15-session-02", None),
        ("**Session**: 2026-11-15-session-010", Some("2026-11-15-session-10")),
        ("", None),
    ] {
        assert_eq!(found(text).1.as_deref(), session, "{text}");
    }
    let named = read(".agents/qa/2026-11-15-session-01-qa.md", b"## Verdict\nPASS\n");
    assert_eq!(named.session.as_deref(), Some(ONE));
    let said = read(
        ".agents/qa/2026-11-15-session-02-qa.md",
        b"---\nsession: 2026-11-15-session-1\n---\n",
    );
    assert_eq!(said.session.as_deref(), Some(ONE), "what it says is more than its name");
}

#[test]
fn ten_thousand_broken_reports_are_read() {
    let whole = format!(
        "---\nqaVerdict: PASS\nqaSessionLog: .agents/sessions/{ONE}.json\n---\n\n# QA: Session 1\n\n\
         **Date**: 2026-11-15\n\n| Metric | Value |\n|---|---|\n| `a | b` | 1 |\n\n## Verdict\n\n\
         [PASS] fine ✅\n"
    );
    each_mutation(&whole, 10_000, |bytes| {
        let _ = read(".agents/qa/2026-11-15-session-01.md", bytes);
    });
}
