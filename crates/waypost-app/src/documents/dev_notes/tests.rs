//! Given records and a file, then these notes are in it afterwards, and everything else as it was.

use waypost_core::actor::Actor;
use waypost_core::event::{Event, Focus, Known};
use waypost_core::record::Record;
use waypost_core::session::SessionState;
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
    records(events())
}

fn events() -> Vec<Known> {
    let focus = Focus { task: Some("1.1.1".into()), ..Focus::default() };
    vec![
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
    ]
}

fn learnt_from(records: &[Record]) -> Vec<Learnt> {
    let mut state = SessionState::default();
    let mut found = Vec::new();
    for record in records {
        found.extend(learnt(&state, record));
        state.apply(record);
    }
    found
}

fn with(bytes: &[u8], learnt: &[Learnt]) -> Vec<u8> {
    let (bytes, left_out) = merged(bytes, learnt, MAX_BYTES).unwrap();
    assert_eq!(left_out, 0);
    bytes
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
    let learnt = learnt_from(&some());
    let bytes = with(empty(&id, &learnt).as_bytes(), &learnt);
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
    assert_eq!(with(&bytes, &learnt), bytes, "none is added twice");
}

#[test]
fn what_others_wrote_keeps_its_bytes_and_ids_go_on_after_theirs() {
    let learnt = learnt_from(&some()[..1]);
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
        let after = String::from_utf8(with(before.as_bytes(), &learnt)).unwrap();
        assert!(after.starts_with(front), "{after}");
        assert!(after.ends_with(back), "{after}");
        let notes = told(after.as_bytes());
        assert_eq!(notes.len(), 2, "{after}");
        assert!(notes[1].starts_with("dn-042 session: decision:"), "{after}");
        assert_eq!(with(after.as_bytes(), &learnt), after.as_bytes());
    }
    let odd = br#"{"notes": [{"id": "dn-18446744073709551615"}, {"id": "dn-x"}]}"#;
    assert!(told(&with(odd, &learnt))[0].starts_with("dn-001"));
    assert!(told(&with(b"{}", &learnt))[0].starts_with("dn-001"));
}

#[test]
fn a_file_that_is_not_understood_is_left_alone_and_reads_as_nothing() {
    let learnt = learnt_from(&some());
    for odd in ["[]", "{", "{\"notes\": {}}", "{\"notes\": [], \"notes\": []}", "nothing"] {
        let error = merged(odd.as_bytes(), &learnt, MAX_BYTES).unwrap_err();
        assert!(error.message.starts_with("dev-notes.json cannot be read"), "{error}");
        assert!(read(odd.as_bytes()).is_empty());
    }
    let odd = br#"{"notes": [1, {}, {"content": ""}, {"content": "{{CONTENT}}"},
        {"_example": true, "content": "x"}, {"id": 7, "content": "y", "scope": {"ref": 2}}]}"#;
    assert_eq!(told(odd), ["7 session 2: : y"]);
}

/// Files as people, agents and formatters leave them.
const LAYOUTS: [&str; 12] = [
    "{}",
    "",
    "// nothing yet\n",
    "{\"notes\":[]}",
    "{\"notes\": [ /* none */ ], \"y\": 1}",
    "{\n  \"notes\": [\n\n  ]\n}\n",
    "{\r\n\t\"notes\": [\r\n\t\t{\"id\": \"dn-007\"} // mine\r\n\t]\r\n}\r\n",
    "{\n    \"notes\": [\n        { \"id\": \"a\", },\n        1,\n    ],\n}",
    "{\"notes\":[{\"id\":\"dn-1\"},{\"id\":\"dn-2\"}]}",
    "{\"notes\": [{\n\"id\": \"x\",\n}]}",
    "\u{feff}{\"a\": \"]\", \"notes\": [\n   null /* b */ ] /* c */ } // d",
    "{\n\"notes\": [\n{\n\"id\": \"dn-3\"\n}\n]\n}\n",
];

#[test]
fn notes_that_are_added_at_once_look_as_if_each_had_been_added_alone() {
    let mut events = events();
    events.push(noted("discovery", "\u{1b}[31m \u{9b}31m \u{7f} \\ \" \u{2028} é"));
    events.extend((0..4).map(|number| noted("decision", &format!("number {number}"))));
    let learnt = learnt_from(&records(events));
    for layout in LAYOUTS {
        let at_once = with(layout.as_bytes(), &learnt);
        let mut alone = layout.as_bytes().to_vec();
        for one in learnt.chunks(1) {
            alone = with(&alone, one);
        }
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let (at_once, alone) = (text(at_once), text(alone));
        assert_eq!(at_once, alone, "{layout}");
        assert_eq!(told(at_once.as_bytes()).len(), learnt.len(), "{at_once}");
        assert!(!at_once.contains(['\u{1b}', '\u{9b}', '\u{7f}']), "{at_once}");
    }
}

#[test]
fn what_has_no_place_in_the_file_is_counted_and_comes_in_when_there_is_room() {
    let events = (0..9).map(|number| noted("decision", &format!("number {number}")));
    let learnt = learnt_from(&records(events.collect()));
    let all = with(b"{}", &learnt);
    let length = u64::try_from(all.len()).unwrap();
    assert_eq!(merged(b"{}", &learnt, length).unwrap(), (all.clone(), 0));
    let (most, left_out) = merged(b"{}", &learnt, length - 1).unwrap();
    assert_eq!((told(&most).as_slice(), left_out), (&told(&all)[..8], 1), "the newest is left out");
    assert_eq!(merged(&most, &learnt, length - 1).unwrap(), (most.clone(), 1), "and nothing moves");
    assert_eq!(with(&most, &learnt), all);
    assert_eq!(merged(b"{ }", &learnt, 3).unwrap(), (b"{ }".to_vec(), 9));
}

#[test]
fn many_notes_are_added_in_one_go() {
    let events = (0..20_000).map(|number| noted("decision", &format!("number {number}")));
    let learnt = learnt_from(&records(events.collect()));
    let (bytes, left_out) = merged(b"{}", &learnt, MAX_BYTES).unwrap();
    assert!(bytes.len() > 4_000_000 && bytes.len() <= 4 * 1024 * 1024);
    assert_eq!(read(&bytes).len() + left_out, learnt.len());
    assert!(left_out < learnt.len() / 2, "{left_out}");
}
