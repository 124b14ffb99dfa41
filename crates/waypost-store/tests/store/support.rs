//! What the tests of event logs share.

use waypost_core::actor::Actor;
use waypost_core::event::{Event, Known};
use waypost_core::id::StreamId;
use waypost_core::key::{Key, Keyring};
use waypost_core::record::{Draft, Record};
use waypost_core::session::SessionState;
use waypost_core::time::Timestamp;
use waypost_store::{StoreError, Streams, Transacted};

pub(crate) fn now() -> Timestamp {
    Timestamp::from_millis(0).unwrap()
}

pub(crate) fn ring() -> Keyring {
    Keyring::new(Key::from_bytes(vec![1; 32]))
}

pub(crate) fn session(name: &str) -> StreamId {
    StreamId::Session(format!("2026-11-15_{name}_aaaaaa").parse().unwrap())
}

pub(crate) fn note(text: &str) -> Draft {
    let event = Known::NoteAdded { note_kind: "note".into(), text: text.into() };
    Draft { time: now(), actor: Actor::Human, event: event.into() }
}

/// Adds notes in one transaction. Returns the version that the decision saw.
pub(crate) fn add(
    log: &Streams,
    stream: &StreamId,
    texts: &[&str],
) -> Result<Transacted<u64>, StoreError> {
    log.transact(stream, |state: &SessionState| {
        Ok((texts.iter().map(|text| note(text)).collect(), state.version))
    })
}

/// The texts of all notes, in order.
pub(crate) fn notes(records: &[Record]) -> Vec<String> {
    records
        .iter()
        .filter_map(|record| match &record.event {
            Event::Known(Known::NoteAdded { text, .. }) => Some(text.clone()),
            _ => None,
        })
        .collect()
}
