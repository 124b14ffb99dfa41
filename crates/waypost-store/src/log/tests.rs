//! Streams in real files: appended, read back, torn, mended, forged.

use std::fs;

use waypost_core::actor::Actor;
use waypost_core::event::{Known, SessionStarted};
use waypost_core::key::Key;
use waypost_core::record::Draft;
use waypost_core::sealed;
use waypost_core::session::SessionState;
use waypost_core::time::Timestamp;

use super::*;
use crate::event_log::{Knows, Reached};
use crate::streams::SNAPSHOT;
use crate::{Streams, Transacted};

struct Fixture {
    _folder: tempfile::TempDir,
    files: FileLog,
    log: Streams,
    stream: StreamId,
}

fn fixture() -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let ring = Keyring::new(Key::from_bytes(vec![1; 32]));
    // However busy the machine is, nobody gives up on a lock.
    let patience = Patience::silent(std::time::Duration::from_secs(3600));
    let files = FileLog::new(folder.path().join("waypost"), ring).patient(patience);
    let log = Streams::from(files.clone());
    let stream = StreamId::Session("2026-11-15_test_aaaaaa".parse().unwrap());
    assert!(log.create(&stream).unwrap());
    assert!(!log.create(&stream).unwrap());
    Fixture { _folder: folder, files, log, stream }
}

fn now() -> Timestamp {
    Timestamp::from_millis(0).unwrap()
}

fn draft(event: Known) -> Draft {
    Draft { time: now(), actor: Actor::Human, event: event.into() }
}

impl Fixture {
    fn note(&self, text: &str) -> Result<Transacted<u64>, StoreError> {
        self.log.transact(&self.stream, |state: &SessionState| {
            let note = Known::NoteAdded { note_kind: "note".into(), text: text.into() };
            Ok((vec![draft(note)], state.version))
        })
    }

    fn path(&self) -> PathBuf {
        self.log.place(&self.stream)
    }

    fn faults(&self) -> Vec<String> {
        self.log.verify::<SessionState>(&self.stream).unwrap().faults
    }
}

#[test]
fn what_was_appended_is_there_and_verifies() {
    let fixture = fixture();
    for n in 0..50 {
        assert_eq!(fixture.note(&format!("note {n}")).unwrap().value, n);
    }
    assert_eq!(fixture.log.records(&fixture.stream).unwrap().len(), 50);
    assert_eq!(fixture.faults(), Vec::<String>::new());
    let loaded = fixture.log.load_and_refresh::<SessionState>(&fixture.stream).unwrap();
    assert_eq!(loaded.state.version, 50);
    let again = fixture.log.load::<SessionState>(&fixture.stream).unwrap();
    assert_eq!((again.behind, again.state), (0, loaded.state));
}

#[test]
fn a_refused_decision_changes_nothing() {
    let fixture = fixture();
    fixture.note("a").unwrap();
    let before = fs::read(fixture.path()).unwrap();
    let refused = fixture.log.transact(&fixture.stream, |_: &SessionState| {
        Err::<(Vec<Draft>, ()), _>(StoreError::NoKey { path: PathBuf::new() })
    });
    assert!(refused.is_err());
    assert_eq!(fs::read(fixture.path()).unwrap(), before);
}

#[test]
fn an_unacknowledged_torn_end_is_cut_kept_aside_and_recorded() {
    let fixture = fixture();
    fixture.note("a").unwrap();
    let mut content = fs::read(fixture.path()).unwrap();
    content.extend_from_slice(b"{\"actor\":{\"kin");
    fs::write(fixture.path(), &content).unwrap();
    assert_eq!(fixture.faults(), Vec::<String>::new(), "it never was acknowledged");
    let warning = fixture.note("b").unwrap().warning.unwrap();
    assert!(warning.contains("14 bytes"), "{warning}");
    assert_eq!(fixture.log.records(&fixture.stream).unwrap().len(), 3);
    assert_eq!(fixture.faults(), Vec::<String>::new());
    let kept = fixture.files.root.join("torn/session-2026-11-15_test_aaaaaa-after-1");
    assert_eq!(fs::read(kept).unwrap(), b"{\"actor\":{\"kin");
}

#[test]
fn a_torn_record_that_was_acknowledged_is_reported_before_and_after_the_next_append() {
    let fixture = fixture();
    fixture.note("a").unwrap();
    fixture.note("b").unwrap();
    let content = fs::read(fixture.path()).unwrap();
    fs::write(fixture.path(), &content[..content.len() - 1]).unwrap();
    assert!(fixture.faults()[0].contains("record 2 had been acknowledged"));
    let warning = fixture.note("c").unwrap().warning.unwrap();
    assert!(warning.contains("missing"), "{warning}");
    let report = fixture.log.verify::<SessionState>(&fixture.stream).unwrap();
    assert_eq!(report.lost.map(|lost| lost.to), Some(2));
}

#[test]
fn a_stream_that_lost_whole_records_takes_no_more_and_keeps_its_head() {
    let fixture = fixture();
    for text in ["a", "b", "c"] {
        fixture.note(text).unwrap();
    }
    let head = fs::read(fixture.files.head_of(&fixture.stream)).unwrap();
    let content = fs::read_to_string(fixture.path()).unwrap();
    let first = content.split_inclusive('\n').next().unwrap();
    fs::write(fixture.path(), first).unwrap();
    let refused = fixture.note("d").unwrap_err().to_string();
    assert!(refused.contains("events.jsonl: ends after record 1, but record 3"), "{refused}");
    assert_eq!(fs::read_to_string(fixture.path()).unwrap(), first);
    assert_eq!(fs::read(fixture.files.head_of(&fixture.stream)).unwrap(), head);
}

/// A folder cannot be written over, and what nobody may read cannot be either.
#[test]
fn whatever_lies_in_the_place_of_a_head_makes_way() {
    for folder in [true, false] {
        let fixture = fixture();
        fixture.note("a").unwrap();
        let head = fixture.files.head_of(&fixture.stream);
        fs::remove_file(&head).unwrap();
        if folder {
            fs::create_dir_all(head.join("deep")).unwrap();
        } else {
            std::os::unix::fs::symlink(&head, &head).unwrap();
        }
        let warning = fixture.note("b").unwrap().warning.unwrap();
        assert!(warning.contains("made again from 1 good record"), "{warning}");
        assert_eq!(fixture.note("c").unwrap().warning, None);
        assert!(fs::symlink_metadata(&head).unwrap().is_file());
        let aside = fixture.files.root.join("torn/head-session-2026-11-15_test_aaaaaa-after-1");
        assert!(fs::symlink_metadata(aside).is_ok());
    }
}

#[test]
fn every_flipped_bit_of_a_stream_is_reported() {
    let fixture = fixture();
    fixture.note("a").unwrap();
    fixture.note("b").unwrap();
    let content = fs::read(fixture.path()).unwrap();
    for byte in 0..content.len() {
        let mut flipped = content.clone();
        flipped[byte] ^= 1;
        fs::write(fixture.path(), &flipped).unwrap();
        assert!(!fixture.faults().is_empty(), "byte {byte}");
    }
}

#[test]
fn a_damaged_record_is_never_appended_to() {
    let fixture = fixture();
    fixture.note("a").unwrap();
    let content = fs::read_to_string(fixture.path()).unwrap().replace("\"a\"", "\"b\"");
    fs::write(fixture.path(), &content).unwrap();
    assert!(fixture.note("c").unwrap_err().is_integrity());
    assert_eq!(fs::read_to_string(fixture.path()).unwrap(), content);
}

#[test]
fn a_forged_or_missing_head_is_reported() {
    let fixture = fixture();
    fixture.note("a").unwrap();
    let head = fixture.files.head_of(&fixture.stream);
    let content = fs::read(&head).unwrap();
    for byte in 0..content.len() {
        let mut flipped = content.clone();
        flipped[byte] ^= 4;
        fs::write(&head, &flipped).unwrap();
        assert!(!fixture.faults().is_empty(), "byte {byte}");
    }
    fs::remove_file(&head).unwrap();
    assert!(fixture.faults()[0].contains("head is missing"));
}

#[test]
fn a_forged_snapshot_is_reported_and_a_deleted_one_rebuilt() {
    let fixture = fixture();
    fixture
        .log
        .transact(&fixture.stream, |_: &SessionState| {
            let started = SessionStarted {
                objective: Some("Ship it".into()),
                workflow: "none".into(),
                branch: None,
                commit: None,
                worktree: None,
            };
            Ok::<_, StoreError>((vec![draft(Known::SessionStarted(started))], ()))
        })
        .unwrap();
    fixture.log.load_and_refresh::<SessionState>(&fixture.stream).unwrap();
    let snapshot = fixture.path().with_file_name("snapshot");
    let good = fs::read_to_string(&snapshot).unwrap();
    fs::write(&snapshot, good.replace("Ship it", "Skip it")).unwrap();
    assert!(!fixture.faults().is_empty());
    let loaded = fixture.log.load::<SessionState>(&fixture.stream).unwrap();
    assert_eq!(loaded.state.objective.as_deref(), Some("Ship it"), "the records tell");
    fixture.log.load_and_refresh::<SessionState>(&fixture.stream).unwrap();
    assert_eq!(fs::read_to_string(&snapshot).unwrap(), good, "rebuilt byte for byte");
}

#[test]
fn a_snapshot_of_another_version_is_stale_and_not_damaged() {
    let fixture = fixture();
    fixture.note("a").unwrap();
    let path = fixture.path().with_file_name("snapshot");
    let older = serde_json::json!({"position": {"seq": 1}, "state": {"shape": "of long ago"}});
    let owner = fixture.stream.to_string();
    let content = sealed::seal(fixture.log.ring().current(), SNAPSHOT, &owner, &older).unwrap();
    fs::write(&path, content).unwrap();
    assert_eq!(fixture.faults(), Vec::<String>::new());
    let loaded = fixture.log.load_and_refresh::<SessionState>(&fixture.stream).unwrap();
    assert_eq!(loaded.state.version, 1);
    assert_eq!(fixture.log.load::<SessionState>(&fixture.stream).unwrap().behind, 0);
}

#[test]
fn a_snapshot_that_passed_over_what_is_known_now_is_folded_anew() {
    let fixture = fixture();
    fixture.note("a").unwrap();
    let good = fixture.log.load_and_refresh::<SessionState>(&fixture.stream).unwrap();
    let path = fixture.path().with_file_name("snapshot");
    let older = serde_json::json!({
        "position": &good.position,
        "state": SessionState { objective: Some("another".into()), ..good.state.clone() },
    });
    let owner = fixture.stream.to_string();
    let content = sealed::seal(fixture.log.ring().current(), SNAPSHOT, &owner, &older).unwrap();
    fs::write(&path, content).unwrap();
    assert_eq!(fixture.faults(), Vec::<String>::new());
    let loaded = fixture.log.load_and_refresh::<SessionState>(&fixture.stream).unwrap();
    assert_eq!(loaded.state, good.state);
}

#[test]
fn many_threads_lose_no_update() {
    let fixture = fixture();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..25 {
                    fixture.note("x").unwrap();
                }
            });
        }
    });
    assert_eq!(fixture.log.records(&fixture.stream).unwrap().len(), 200);
    assert_eq!(fixture.faults(), Vec::<String>::new());
}

#[test]
fn whoever_is_far_behind_goes_on_from_what_is_nearer() {
    let fixture = fixture();
    fixture.note("one").unwrap();
    let mut position = fixture.log.load::<SessionState>(&fixture.stream).unwrap().position;
    for _ in 0..50 {
        fixture.note(&"x".repeat(100)).unwrap();
    }
    let (known, mut seen) = (position.clone(), 0);
    let mut held = fixture.log.hold(&fixture.stream).unwrap();
    let reached = held.load(Knows::Nearer, &mut position, &mut |_, _| seen += 1).unwrap();
    assert_eq!((reached, seen, &position), (Reached::Nothing, 0, &known));
    let reached = held.load(Knows::Nothing, &mut position, &mut |_, _| seen += 1).unwrap();
    assert_eq!((reached, seen, position.seq), (Reached::End, 50, 51));
}
