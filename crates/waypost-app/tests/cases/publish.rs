//! Publishing a session in which very much was written down.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use waypost_app::error::AppError;
use waypost_app::machine::host::Host;
use waypost_app::sessions::begin::Begin;
use waypost_app::share::publish::publish;
use waypost_app::view::View;
use waypost_core::actor::Actor;
use waypost_core::event::Known;
use waypost_core::id::{SessionId, StreamId};
use waypost_core::record::Draft;
use waypost_core::session::SessionState;
use waypost_store::{InFiles, seen};

use crate::world::World;

/// A session with a name, and with so many notes, each of which ends in `more`.
fn session(host: &Host, notes: usize, more: &str) -> SessionId {
    let view = View::open(host).unwrap();
    let begin = Begin { objective: Some("Add login"), ..Begin::default() };
    let session = view.start(&Actor::Human, &begin).unwrap();
    let stream = StreamId::Session(session.clone());
    let time = view.host.now();
    let append = |_: &SessionState| {
        let drafts = (0..notes).map(|number| {
            let text = format!("number {number}{more}");
            let event = Known::NoteAdded { note_kind: "decision".to_owned(), text };
            Draft { time, actor: Actor::Human, event: event.into() }
        });
        Ok::<_, AppError>((drafts.collect(), ()))
    };
    view.log.transact(&stream, append).unwrap();
    session
}

fn folder_of(view: &View<'_>, session: &SessionId) -> PathBuf {
    view.project.root.join("agents/sessions").join(session.as_str())
}

on_each_store!(a_session_with_more_notes_than_their_file_takes_is_published);
fn a_session_with_more_notes_than_their_file_takes_is_published(world: &World) {
    let host = world.host();
    let more = " and why".repeat(100);
    let session = session(&host, 6_000, &more);
    let view = View::open(&host).unwrap();
    let published = publish(&view, &session).unwrap();
    assert!(published.written);
    let [warning] = published.warnings.as_slice() else { panic!("{:?}", published.warnings) };
    let notes = fs::read(folder_of(&view, &session).join("dev-notes.json")).unwrap();
    assert!(notes.len() <= 4 * 1024 * 1024, "{}", notes.len());
    let notes: Value = serde_json::from_slice(&notes).unwrap();
    let kept = notes["notes"].as_array().unwrap();
    assert_eq!(kept[0]["content"], format!("number 0{more}"));
    let left_out = format!("the newest {} notes are not in it", 6_000 - kept.len());
    assert!(warning.starts_with("dev-notes.json is full"), "{warning}");
    assert!(warning.contains(&left_out) && warning.contains("waypost history"), "{warning}");
    let copy = fs::read(folder_of(&view, &session).join("events.jsonl")).unwrap();
    let (records, _) = view.log.whole_records(&StreamId::Session(session.clone())).unwrap();
    assert!(copy == records, "the copy has every record");
    let again = publish(&view, &session).unwrap();
    assert!(!again.written);
    assert_eq!(again.warnings, published.warnings);
}

#[test]
fn publishing_reads_the_records_once_and_the_copy_once_more_to_compare() {
    let world = World::new(InFiles);
    // Nothing is published but what is counted.
    let host = Host { subscribers: Vec::new(), ..world.host() };
    // More than is read at once where parts of a stream are enough.
    let session = session(&host, 3_000, &" and why".repeat(100));
    let view = View::open(&host).unwrap();
    view.load(&session).unwrap();
    let stream = view.log.place(&StreamId::Session(session.clone()));
    assert!(fs::metadata(&stream).unwrap().len() > 2 * 1024 * 1024);
    let (first, seen::Seen { read, .. }) = seen::of(|| publish(&view, &session));
    assert!(first.unwrap().written);
    // All of it, and what the note about the new dev notes is appended to, and that note.
    assert!(read[&stream] <= 3, "{read:?}");
    let view = View::open(&host).unwrap();
    view.load(&session).unwrap();
    let (again, seen::Seen { read, .. }) = seen::of(|| publish(&view, &session));
    assert!(!again.unwrap().written);
    // Once to compare with the copy, once to publish.
    assert!(read[&stream] <= 2, "{read:?}");
    let copy = folder_of(&view, &session).join("events.jsonl");
    // Once to see what it is worth, once to see whether it has to be written.
    assert_eq!(read[&copy], 2, "{read:?}");
}
