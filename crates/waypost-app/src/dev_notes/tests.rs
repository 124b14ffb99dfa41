//! Given records and a file, then these notes are in it afterwards, and everything else as it was.

use waypost_core::actor::Actor;
use waypost_core::event::{Event, Focus, Known};
use waypost_core::time::Timestamp;

use super::*;

fn records(events: Vec<Known>) -> Vec<Record> {
    let time = Timestamp::from_millis(1_794_700_800_000).unwrap();
    let numbered = (1..).zip(events);
    numbered
        .map(|(seq, event)| Record { seq, time, actor: Actor::Human, event: Event::Known(event) })
        .collect()
}

fn noted(kind: &str, text: &str) -> Known {
    Known::NoteAdded { note_kind: kind.into(), text: text.into() }
}

fn some() -> Vec<Record> {
    let focus = Focus { task: Some("1.1.1".into()), ..Focus::default() };
    records(vec![
        noted("decision", "of \"all\"\n"),
        noted("note", "not this"),
        Known::BuildStarted { total: 2 },
        Known::CheckpointStarted { checkpoint: 2 },
        noted("Deviation", "of a checkpoint"),
        Known::FocusSet(focus),
        noted("blocker", "of a task"),
        Known::FocusSet(Focus::default()),
        Known::CheckpointCompleted { checkpoint: 2 },
        noted("resolution", "of all again"),
    ])
}

fn told(bytes: &[u8]) -> Vec<String> {
    let each = read(bytes).into_iter();
    each.map(|note| {
        let DevNote { id, scope, reference, category, content, record, .. } = note;
        let about = reference.map(|about| format!(" {about}")).unwrap_or_default();
        let record = record.map(|record| format!(" ({record})")).unwrap_or_default();
        format!("{id} {scope}{about}: {category}: {content}{record}")
    })
    .collect()
}

#[test]
fn notes_of_its_categories_are_kept_with_what_they_were_about() {
    let id: SessionId = "2026-11-15_x_abcdef".parse().unwrap();
    let learnt = from_records::learnt(&some());
    let bytes = merged(empty(&id, &learnt).as_bytes(), &learnt).unwrap();
    assert_eq!(
        told(&bytes),
        [
            "dn-001 session: decision: of \"all\"\n (1)",
            "dn-002 checkpoint 2: deviation: of a checkpoint (5)",
            "dn-003 task 1.1.1: blocker: of a task (7)",
            "dn-004 session: resolution: of all again (10)",
        ]
    );
    let value: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(value["notes"][0]["scope"], json!({"type": "session", "ref": null}));
    assert_eq!(value["session_id"], "2026-11-15_x_abcdef");
    assert_eq!(merged(&bytes, &learnt).unwrap(), bytes, "none is added twice");
}

#[test]
fn what_others_wrote_keeps_its_bytes_and_ids_go_on_after_theirs() {
    let learnt = from_records::learnt(&some()[..1]);
    for (before, front, back) in [
        (
            "{ // mine\n\t\"x\" : [1,2],\n\t\"notes\": [\n\t\t{\"id\":\"dn-041\",  \"content\":\"by hand\"}\n\t],\n\t\"y\": 1e2\n}\n",
            "{ // mine\n\t\"x\" : [1,2],\n\t\"notes\": [\n\t\t{\"id\":\"dn-041\",  \"content\":\"by hand\"}",
            "\n\t],\n\t\"y\": 1e2\n}\n",
        ),
        (
            r#"{"notes":[{"id":"dn-041","content":"by hand","record":"1"}], "y" :2}"#,
            r#"{"notes":[{"id":"dn-041","content":"by hand","record":"1"}"#,
            r#"], "y" :2}"#,
        ),
    ] {
        let after = String::from_utf8(merged(before.as_bytes(), &learnt).unwrap()).unwrap();
        assert!(after.starts_with(front), "{after}");
        assert!(after.ends_with(back), "{after}");
        let notes = told(after.as_bytes());
        assert_eq!(notes.len(), 2, "{after}");
        assert!(notes[1].starts_with("dn-042 session: decision:"), "{after}");
        assert_eq!(merged(after.as_bytes(), &learnt).unwrap(), after.as_bytes());
    }
    let odd = br#"{"notes": [{"id": "dn-18446744073709551615"}, {"id": "dn-x"}]}"#;
    assert!(told(&merged(odd, &learnt).unwrap())[0].starts_with("dn-001"));
    assert!(told(&merged(b"{}", &learnt).unwrap())[0].starts_with("dn-001"));
}

#[test]
fn a_file_that_is_not_understood_is_left_alone_and_reads_as_nothing() {
    let learnt = from_records::learnt(&some());
    for odd in ["[]", "{", "{\"notes\": {}}", "{\"notes\": [], \"notes\": []}", "nothing"] {
        let error = merged(odd.as_bytes(), &learnt).unwrap_err();
        assert!(error.message.starts_with("dev-notes.json cannot be read"), "{error}");
        assert!(read(odd.as_bytes()).is_empty());
    }
    let odd = br#"{"notes": [1, {}, {"content": ""}, {"content": "{{CONTENT}}"},
        {"_example": true, "content": "x"}, {"id": 7, "content": "y", "scope": {"ref": 2}}]}"#;
    assert_eq!(told(odd), ["7 session 2: : y"]);
}
