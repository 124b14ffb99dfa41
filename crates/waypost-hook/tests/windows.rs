//! Turning the pages of a transcript: every part by itself, nothing twice, nothing left out, nothing secret.

#![expect(clippy::unwrap_used, reason = "a transcript that cannot be written has failed")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use waypost_app::transcripts::window::{Part, Said, Window};
use waypost_app::transcripts::{self, Found};

/// A transcript of these lines, where the client keeps its own.
fn transcript(home: &Path, lines: &[Value]) -> PathBuf {
    let file = home.join(".claude/projects/p/c1.jsonl");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let text = lines.iter().fold(String::new(), |text, line| text + &format!("{line}\n"));
    fs::write(&file, text).unwrap();
    file
}

fn found(home: &Path, client: &str, file: &Path) -> Found {
    let kept = transcripts::kept(waypost_hook::transcripts::ALL, home, |_| None);
    Found::known(&kept, client, file.to_str().unwrap()).unwrap()
}

fn prompt(number: usize, text: &str) -> Value {
    let parent = number.checked_sub(1).map(|before| format!("u{before}"));
    json!({"type": "user", "uuid": format!("u{number}"), "parentUuid": parent,
        "timestamp": "2026-11-15T12:00:00Z", "cwd": "/p", "message": {"role": "user", "content": text}})
}

fn words(part: &Part) -> &str {
    match &part.told {
        Said::Words { text, .. } | Said::Event { text } => text,
        Said::Call { about, .. } => about,
        Said::Result { .. } => "",
    }
}

/// All parts from the beginning, each turned to from the one before.
fn forward(found: &Found) -> Vec<Window> {
    let mut all = vec![found.window(Some(0)).unwrap()];
    while let Some(later) = all.last().and_then(|window| window.later) {
        all.push(found.window(Some(later)).unwrap());
    }
    all
}

#[test]
fn the_parts_of_a_long_transcript_hold_everything_once() {
    let home = tempfile::tempdir().unwrap();
    let text = |number: usize| format!("number {number} {}", "x".repeat(number * 37 % 900));
    let mut lines: Vec<Value> = (0..2_000).map(|number| prompt(number, &text(number))).collect();
    // Longer than any part, and right behind another.
    lines[700] = prompt(700, &format!("number 700 {}", "y".repeat(500_000)));
    let file = transcript(home.path(), &lines);
    let found = found(home.path(), "claude-code", &file);
    let windows = forward(&found);
    assert!(windows.len() > 5, "{}", windows.len());
    let parts: Vec<&Part> = windows.iter().flat_map(|window| &window.entries).collect();
    assert_eq!(parts.len(), 2_000);
    for (number, part) in parts.iter().enumerate() {
        assert!(words(part).starts_with(&format!("number {number} ")), "{number}");
        assert_eq!(found.said_at(part.at).unwrap().len(), 1, "{number}");
    }
    // Whoever turns back from the end sees the same.
    let mut back: BTreeMap<u64, usize> = BTreeMap::new();
    let mut at = None;
    loop {
        let window = found.window(at).unwrap();
        window.entries.iter().for_each(|part| *back.entry(part.at).or_default() += 1);
        match window.earlier {
            Some(earlier) => at = Some(earlier),
            None => break,
        }
    }
    assert_eq!(back.len(), 2_000);
    let last = found.window(None).unwrap();
    assert_eq!((last.later, last.length), (None, fs::metadata(&file).unwrap().len()));
    assert!(words(last.entries.last().unwrap()).starts_with("number 1999 "));
}

#[test]
fn an_address_stays_good_while_a_transcript_grows() {
    let home = tempfile::tempdir().unwrap();
    let lines: Vec<Value> = (0..900).map(|number| prompt(number, &"x".repeat(300))).collect();
    let file = transcript(home.path(), &lines[..600]);
    let found = found(home.path(), "claude-code", &file);
    let places = |window: &Window| window.entries.iter().map(|part| part.at).collect::<Vec<_>>();
    let at = found.window(None).unwrap().entries[3].at;
    let before = found.window(Some(at)).unwrap();
    transcript(home.path(), &lines);
    let after = found.window(Some(at)).unwrap();
    assert_eq!(after.from, before.from);
    assert!(places(&after).starts_with(&places(&before)) && places(&after).contains(&at));
}

#[test]
fn what_is_broken_or_cut_off_is_counted_and_hides_nothing() {
    let home = tempfile::tempdir().unwrap();
    let file = transcript(home.path(), &[prompt(0, "one"), prompt(1, "two")]);
    let mut text = fs::read_to_string(&file).unwrap();
    text.push_str("{\"type\": \"user\", \n");
    text.push_str(&prompt(2, "three").to_string()[..40]);
    fs::write(&file, text).unwrap();
    let found = found(home.path(), "claude-code", &file);
    let window = found.window(None).unwrap();
    assert_eq!(window.entries.iter().map(words).collect::<Vec<_>>(), ["one", "two"]);
    assert_eq!(window.unreadable, 1);
    assert!(found.window(Some(u64::MAX)).is_ok());
    assert_eq!(found.said_at(3).unwrap().len(), 0, "no line begins there");
    fs::write(&file, "").unwrap();
    assert!(found.window(None).unwrap().entries.is_empty());
    fs::remove_file(&file).unwrap();
    assert!(found.window(None).is_err());
}

#[test]
fn credentials_and_what_steers_a_terminal_are_taken_out() {
    let home = tempfile::tempdir().unwrap();
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    let said = format!("use {secret} \u{1b}[2J\u{202e}now");
    let call = json!({"type": "assistant", "uuid": "u1", "parentUuid": "u0", "cwd": "/p",
        "timestamp": "2026-11-15T12:00:00Z", "message": {"id": "m", "role": "assistant", "model": "m",
            "content": [{"type": "tool_use", "id": "t1", "name": "Bash",
                "input": {"command": format!("curl -H 'Authorization: Bearer {secret}' x")}}]}});
    let file = transcript(home.path(), &[prompt(0, &said), call]);
    let shown = found(home.path(), "claude-code", &file).window(None).unwrap();
    let told = serde_json::to_string(&shown).unwrap();
    assert_eq!(shown.entries.len(), 2);
    assert!(
        !told.contains(&secret) && !told.contains("\\u001b") && !told.contains('\u{202e}'),
        "{told}"
    );
}

#[test]
fn a_transcript_that_is_read_as_a_whole_has_parts_too() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join(".gemini/tmp/h/chats/session-2026-11-15T12-00-c1.json");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let message = |number: usize| {
        json!({"id": format!("m{number}"), "type": "user",
        "timestamp": "2026-11-15T12:00:00Z", "content": format!("number {number}")})
    };
    let chat = json!({"sessionId": "c1", "projectHash": "h", "startTime": "2026-11-15T12:00:00Z",
        "lastUpdated": "2026-11-15T12:00:00Z", "messages": (0..1_000).map(message).collect::<Vec<_>>()});
    fs::write(&file, chat.to_string()).unwrap();
    let found = found(home.path(), "gemini", &file);
    let windows = forward(&found);
    let said: Vec<&str> = windows.iter().flat_map(|window| &window.entries).map(words).collect();
    assert_eq!(said.len(), 1_000, "{windows:?}");
    assert!(said.iter().enumerate().all(|(number, said)| *said == format!("number {number}")));
    let hits = found.matching(&|part| words(part).ends_with("99")).unwrap().unwrap();
    assert_eq!(hits.len(), 10);
}
