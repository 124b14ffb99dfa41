//! Events in their written form.

use super::*;

#[test]
fn an_event_says_its_type_and_version_and_reads_back() {
    let event = Event::from(Known::NoteAdded { note_kind: "note".into(), text: "hi".into() });
    let value = event.to_value().unwrap();
    assert_eq!(
        value,
        serde_json::json!({"type": "note_added", "v": 1, "note_kind": "note", "text": "hi"})
    );
    assert_eq!(Event::from_json(&value.to_string()).unwrap(), event);
}

#[test]
fn types_and_versions_of_a_newer_waypost_survive() {
    for newer in [
        serde_json::json!({"type": "dream_dreamt", "v": 1, "of": ["sheep"]}),
        serde_json::json!({"type": "note_added", "v": 2, "note": {"text": "hi"}}),
    ] {
        let event = Event::from_json(&newer.to_string()).unwrap();
        assert!(matches!(event, Event::Other(_)));
        assert_eq!(event.to_value().unwrap(), newer);
    }
}
