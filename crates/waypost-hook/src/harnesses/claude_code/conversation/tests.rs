//! Lines that a real client wrote, and hostile ones.

use waypost_app::harness::{Does, ToolEnd};
use waypost_app::transcripts::{
    Belongs, By, CallEnd, Entry, Files, Form, TranscriptReader as _, What,
};
use waypost_core::tables::Cell;

use super::*;

struct Nothing;

impl Files for Nothing {
    fn content(&self, _: &Path) -> Option<Vec<u8>> {
        None
    }

    fn names(&self, _: &Path) -> Vec<String> {
        Vec::new()
    }

    fn rows(&self, _: &Path, _: &str, _: &[&str]) -> std::io::Result<Vec<Vec<Cell>>> {
        Ok(Vec::new())
    }
}

/// What the recorded lines of a real client tell.
fn told(lines: &str) -> Vec<Entry> {
    let mut reading = Conversations.begin(Path::new("x.jsonl"), &Nothing);
    let mut entries = Vec::new();
    for line in lines.lines() {
        assert!(reading.take(line.as_bytes(), 0, &mut |entry| entries.push(entry)), "{line}");
    }
    entries
}

#[test]
fn a_recorded_conversation_is_read() {
    let entries = told(include_str!("recorded.jsonl"));
    let mut calls = entries.iter().filter_map(|entry| match &entry.what {
        What::Returned(returned) => Some(returned),
        _ => None,
    });
    let mut next = || calls.next().unwrap();
    let written = next();
    assert!(matches!(written.tool.as_ref().unwrap().does, Does::Edit(_)));
    assert_eq!(written.end, CallEnd::Ran(ToolEnd::Succeeded));
    let failed = next();
    assert_eq!(failed.end, CallEnd::Ran(ToolEnd::Failed(3)));
    assert_eq!(failed.printed.as_deref(), Some("Exit code 3\nout\nerr"));
    assert_eq!(next().end, CallEnd::Ran(ToolEnd::Unclear), "grep found nothing");
    let piped = next();
    assert_eq!(piped.end, CallEnd::Ran(ToolEnd::Succeeded));
    assert!(piped.printed.as_ref().unwrap().contains("3 passed"));
    let behind = next();
    let does = &behind.tool.as_ref().unwrap().does;
    assert!(matches!(does, Does::Shell { background: true, .. }), "{does:?}");
    assert_eq!(next().end, CallEnd::Prevented, "there was no file to read");
    assert!(matches!(next().end, CallEnd::Ran(_)));
    let unknown = next();
    assert_eq!((unknown.end, unknown.understood), (CallEnd::Prevented, false));
    let prompts = entries.iter().filter_map(|entry| match &entry.what {
        What::Prompt { by, .. } => Some(*by),
        _ => None,
    });
    assert_eq!(prompts.collect::<Vec<_>>(), [By::Human, By::Client, By::Human]);
    let total = entries.iter().find_map(|entry| match &entry.what {
        What::Total(total) => Some(total),
        _ => None,
    });
    assert_eq!(total.unwrap().models[0].2.input, 10_000);
    assert!(!entries.iter().any(|entry| matches!(entry.what, What::Missing(_))));
}

#[test]
fn a_transcript_that_begins_in_the_middle_says_so() {
    let line = r#"{"parentUuid":"u1","type":"user","message":{"content":"go on"}}"#;
    assert!(matches!(told(line)[0].what, What::Missing(_)));
}

#[test]
fn files_of_subagents_belong_to_their_conversation() {
    let whole = Belongs { conversation: "c1".to_owned(), part: false, form: Form::Lines };
    assert_eq!(Conversations.belongs(Path::new("/h/projects/-p/c1.jsonl")), whole);
    let part = Conversations.belongs(Path::new("/h/projects/-p/c1/subagents/agent-a.jsonl"));
    assert_eq!(part, Belongs { part: true, ..whole });
}

#[test]
fn what_is_hostile_is_no_entry_and_no_panic() {
    let deep = format!("{{\"type\":\"user\",\"message\":{}", "[".repeat(200_000));
    for line in [&b"\x00\xff"[..], b"[]", b"{\"type\":3}", deep.as_bytes()] {
        let mut reading = Conversations.begin(Path::new("x.jsonl"), &Nothing);
        assert!(!reading.take(line, 0, &mut |entry| panic!("{entry:?}")));
    }
    let odd = [
        r#"{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","id":"a","input":7}]}}"#,
        r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"b","content":null}]}}"#,
        r#"{"type":"user","message":7}"#,
        r#"{"type":"assistant","message":{"content":{"a":1}}}"#,
    ];
    told(&odd.join("\n"));
}
