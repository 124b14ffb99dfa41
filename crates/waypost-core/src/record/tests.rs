//! Records read back, and nothing else is taken for one.

use super::*;
use crate::event::Known;
use proptest::prelude::*;

fn stream() -> StreamId {
    StreamId::Session("2026-11-15_test_aaaaaa".parse().unwrap())
}

fn key() -> Key {
    Key::from_bytes(vec![5; 32])
}

fn note(text: &str) -> Draft {
    Draft {
        time: Timestamp::from_millis(1_794_734_575_000).unwrap(),
        actor: Actor::Human,
        event: Known::NoteAdded { note_kind: "note".into(), text: text.into() }.into(),
    }
}

fn log(texts: &[&str]) -> Vec<String> {
    let mut position = Position::start(&stream());
    texts.iter().map(|text| position.append(&stream(), &key(), &note(text)).unwrap()).collect()
}

fn read_all(lines: &[String], stream: &StreamId) -> Result<Vec<Record>, RecordError> {
    let mut position = Position::start(stream);
    let ring = Keyring::new(key());
    lines.iter().map(|line| position.read(stream, &ring, line.as_bytes())).collect()
}

#[test]
fn records_read_back_in_order() {
    let records = read_all(&log(&["a", "b"]), &stream()).unwrap();
    assert_eq!(records.iter().map(|record| record.seq).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(records[1].event, note("b").event);
}

#[test]
fn a_line_is_canonical_json_as_a_whole() {
    let line = &log(&["é\u{7}\"\\"])[0];
    assert!(canonical::is_canonical(line.trim_end()));
}

#[test]
fn every_flipped_bit_of_a_line_is_noticed() {
    let line = log(&["one"]).remove(0).into_bytes();
    let ring = Keyring::new(key());
    for byte in 0..line.len() {
        for bit in 0..8 {
            let mut flipped = line.clone();
            flipped[byte] ^= 1 << bit;
            let read = Position::start(&stream()).read(&stream(), &ring, &flipped);
            assert!(read.is_err(), "byte {byte} bit {bit}");
        }
    }
}

#[test]
fn deleted_swapped_repeated_and_foreign_records_are_noticed() {
    let lines = log(&["a", "b", "c"]);
    let pick = |order: &[usize]| order.iter().map(|i| lines[*i].clone()).collect::<Vec<_>>();
    for order in [&[1, 2][..], &[0, 2], &[0, 2, 1], &[0, 0, 1]] {
        assert!(read_all(&pick(order), &stream()).is_err(), "{order:?}");
    }
    assert_eq!(
        read_all(&lines, &StreamId::Project).unwrap_err(),
        RecordError::Signature(SignatureError::Wrong)
    );
}

#[test]
fn a_signed_record_of_another_chain_does_not_fit_in() {
    let mut lines = log(&["a", "b"]);
    lines[1] = log(&["x", "b"]).remove(1);
    assert_eq!(read_all(&lines, &stream()).unwrap_err(), RecordError::Chain);
}

#[test]
fn another_format_version_is_named() {
    let line = log(&["a"])[0].replace("\"v\":1}\n", "\"v\":2}\n");
    assert_eq!(read_all(&[line], &stream()).unwrap_err(), RecordError::Version(2));
}

proptest! {
    #[test]
    fn any_text_survives_a_record(text in any::<String>()) {
        let records = read_all(&log(&[&text]), &stream()).unwrap();
        prop_assert_eq!(&records[0].event, &note(&text).event);
    }

    #[test]
    fn every_prefix_of_a_log_is_a_log(texts in prop::collection::vec(".{0,20}", 0..6), cut in 0usize..6) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let lines = log(&texts);
        let cut = cut.min(lines.len());
        prop_assert_eq!(read_all(&lines[..cut], &stream()).unwrap().len(), cut);
    }
}
