//! What every event log does: one suite, run over each of them.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use waypost_core::id::StreamId;
use waypost_core::record::{Draft, Position};
use waypost_core::session::SessionState;
use waypost_store::blobs::Kind;
use waypost_store::event_log::Each;
use waypost_store::memory::MemoryStore;
use waypost_store::{
    Blobs, EventLog, FileBlobs, FileLog, Patience, Relation, Standing, StoreError, Streams, Work,
};

use crate::overtaken::Optimistic;
use crate::sim::SimDisk;
use crate::support::{add, note, notes, now, ring, session};

fn a_new_stream_is_empty_and_its_name_is_taken(log: &Streams) {
    assert!(log.create(&session("new")).unwrap());
    assert!(!log.create(&session("new")).unwrap());
    assert!(log.records(&session("new")).unwrap().is_empty());
    assert_eq!(log.load::<SessionState>(&session("new")).unwrap().state, SessionState::default());
}

fn what_was_appended_is_there_in_order(log: &Streams) {
    let stream = session("order");
    log.create(&stream).unwrap();
    assert_eq!(add(log, &stream, &["a", "b"]).unwrap().value, 0);
    assert_eq!(add(log, &stream, &["c"]).unwrap().value, 2);
    let records = log.records(&stream).unwrap();
    assert_eq!(notes(&records), ["a", "b", "c"]);
    assert_eq!(records.iter().map(|record| record.seq).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(log.load::<SessionState>(&stream).unwrap().state.version, 3);
}

fn a_refused_decision_changes_nothing(log: &Streams) {
    let stream = session("refused");
    log.create(&stream).unwrap();
    add(log, &stream, &["a"]).unwrap();
    let refused = log.transact(&stream, |_: &SessionState| {
        Err::<(Vec<Draft>, ()), _>(StoreError::NoKey { path: "x".into() })
    });
    assert!(refused.is_err());
    assert_eq!(notes(&log.records(&stream).unwrap()), ["a"]);
}

fn a_decision_without_events_appends_nothing(log: &Streams) {
    let stream = session("nothing");
    log.create(&stream).unwrap();
    assert_eq!(add(log, &stream, &[]).unwrap().value, 0);
    assert!(log.records(&stream).unwrap().is_empty());
}

fn streams_do_not_touch_each_other(log: &Streams) {
    for stream in [session("one"), session("two"), StreamId::Project] {
        log.create(&stream).unwrap();
    }
    add(log, &session("one"), &["1"]).unwrap();
    add(log, &session("two"), &["2"]).unwrap();
    assert_eq!(notes(&log.records(&session("one")).unwrap()), ["1"]);
    assert_eq!(notes(&log.records(&session("two")).unwrap()), ["2"]);
    assert!(log.records(&StreamId::Project).unwrap().is_empty());
}

fn sessions_are_listed_in_order_without_the_project(log: &Streams) {
    for name in ["list-b", "list-a"] {
        log.create(&session(name)).unwrap();
    }
    let sessions = log.sessions().unwrap();
    let listed: Vec<&str> = sessions
        .iter()
        .map(waypost_core::id::SessionId::as_str)
        .filter(|id| id.contains("list"))
        .collect();
    assert_eq!(listed, ["2026-11-15_list-a_aaaaaa", "2026-11-15_list-b_aaaaaa"]);
}

fn decisions_see_each_other_however_many_there_are(log: &Streams) {
    let stream = session("many");
    log.create(&stream).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..25 {
                    log.transact(&stream, |state: &SessionState| {
                        let text = (state.version + 1).to_string();
                        Ok::<_, StoreError>((vec![note(&text)], ()))
                    })
                    .unwrap();
                }
            });
        }
    });
    let expected: Vec<String> = (1..=100).map(|n: u32| n.to_string()).collect();
    assert_eq!(notes(&log.records(&stream).unwrap()), expected);
}

fn any_text_comes_back_as_it_was(log: &Streams) {
    let stream = session("text");
    log.create(&stream).unwrap();
    let texts = ["", "\n\r\t\u{0}", "ünï\u{202e}cödé 🧭", "{\"a\":1}", "\u{2028}"];
    add(log, &stream, &texts).unwrap();
    assert_eq!(notes(&log.records(&stream).unwrap()), texts);
}

fn whoever_watches_sees_every_stream_move(log: &Streams) {
    let (one, other) = (session("watched"), session("unmoved"));
    log.create(&one).unwrap();
    log.create(&other).unwrap();
    let before = log.watch().unwrap();
    add(log, &one, &["a"]).unwrap();
    let after = log.watch().unwrap();
    assert_ne!(before[&one], after[&one]);
    assert_eq!(before[&other], after[&other]);
    assert_eq!(after[&one], log.mark(&one).unwrap());
    assert_eq!(before.len(), after.len());
}

fn reading_goes_on_from_any_position(log: &Streams) {
    let stream = session("positions");
    log.create(&stream).unwrap();
    add(log, &stream, &["a", "b", "c"]).unwrap();
    let mut positions = vec![Position::start(&stream)];
    let mut start = Position::start(&stream);
    let each: Each<'_> = &mut |position, _| positions.push(position.clone());
    EventLog::load(&**log, &stream, &mut start, each).unwrap();
    for (seen, start) in positions.iter().enumerate() {
        let (mut position, mut records) = (start.clone(), Vec::new());
        EventLog::load(&**log, &stream, &mut position, &mut |_, record| records.push(record))
            .unwrap();
        assert_eq!(notes(&records), ["a", "b", "c"][seen..]);
        assert_eq!(&position, positions.last().unwrap());
    }
    let mut beyond = Position { seq: 4, hash: "0".repeat(64), bytes: 9_999 };
    assert!(EventLog::load(&**log, &stream, &mut beyond, &mut |_, _| {}).is_err());
}

fn what_records_came_to_is_kept_until_it_is_forgotten(log: &Streams) {
    let stream = session("folds");
    log.create(&stream).unwrap();
    add(log, &stream, &["a"]).unwrap();
    let whole = log.mark(&stream).unwrap().bytes;
    assert_eq!(log.load::<SessionState>(&stream).unwrap().behind, whole);
    log.load_and_refresh::<SessionState>(&stream).unwrap();
    assert_eq!(log.load::<SessionState>(&stream).unwrap().behind, 0);
    log.forget_fold(&stream, "snapshot").unwrap();
    let loaded = log.load_checked::<SessionState>(&stream).unwrap();
    assert_eq!((loaded.state.version, loaded.behind > 0), (1, true));
    assert_eq!(log.verify::<SessionState>(&stream).unwrap().faults, [] as [String; 0]);
}

fn a_copy_is_taken_over_where_it_goes_on(log: &Streams) {
    let (stream, path) = (session("copy"), Path::new("/copy"));
    log.create(&stream).unwrap();
    add(log, &stream, &["a"]).unwrap();
    let (short, _) = log.whole_records(&stream).unwrap();
    add(log, &stream, &["b"]).unwrap();
    let (whole, end) = log.whole_records(&stream).unwrap();
    assert_eq!(log.relation(&stream, &short).unwrap(), Relation::Behind);
    assert_eq!(log.take_over(&stream, path, &short).unwrap(), Relation::Behind);
    assert_eq!(log.take_over(&stream, path, &whole).unwrap(), Relation::Equal);
    let elsewhere = Streams::from(MemoryStore::new(ring()));
    assert_eq!(elsewhere.take_over(&stream, path, &whole).unwrap(), Relation::Ahead);
    assert_eq!(notes(&elsewhere.records(&stream).unwrap()), ["a", "b"]);
    add(&elsewhere, &stream, &["c"]).unwrap();
    let (longer, _) = elsewhere.whole_records(&stream).unwrap();
    assert_eq!(log.take_over(&stream, path, &longer).unwrap(), Relation::Ahead);
    assert_eq!(notes(&log.records(&stream).unwrap()), ["a", "b", "c"]);
    let Standing::Sound { records, .. } = log.check_copy(&stream, path, &longer).unwrap() else {
        panic!("it was signed with our key");
    };
    assert_eq!(notes(&records), ["a", "b", "c"]);
    assert_eq!(log.trusted(&stream).unwrap(), None);
    log.trust(&stream, &end).unwrap();
    assert_eq!(log.trusted(&stream).unwrap(), Some(end));
}

fn nothing_is_wrong_with_what_is_whole(log: &Streams) {
    let stream = session("whole");
    log.create(&stream).unwrap();
    add(log, &stream, &["a"]).unwrap();
    log.check_usable(&stream).unwrap();
    assert_eq!(log.examine(&stream).unwrap(), None);
    assert_eq!(log.repair(&stream, now(), None).unwrap(), None);
    assert_eq!(log.salvage::<SessionState>(&stream).version, 1);
    let report = log.verify::<SessionState>(&stream).unwrap();
    assert_eq!((report.records, report.lost, report.is_readable), (1, None, true));
}

fn work_is_done_by_one_at_a_time(log: &Streams) {
    let stream = session("work");
    let busy = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for work in [Work::Copy(&stream), Work::Copy(&stream)] {
                    let _lock = log.lock(work).unwrap();
                    assert!(!busy.swap(true, Ordering::SeqCst));
                    let _other = log.lock(Work::Index).unwrap();
                    busy.store(false, Ordering::SeqCst);
                }
            });
        }
    });
}

fn conforms(log: &Streams, shared: bool) {
    a_new_stream_is_empty_and_its_name_is_taken(log);
    what_was_appended_is_there_in_order(log);
    a_refused_decision_changes_nothing(log);
    a_decision_without_events_appends_nothing(log);
    streams_do_not_touch_each_other(log);
    sessions_are_listed_in_order_without_the_project(log);
    any_text_comes_back_as_it_was(log);
    whoever_watches_sees_every_stream_move(log);
    reading_goes_on_from_any_position(log);
    what_records_came_to_is_kept_until_it_is_forgotten(log);
    a_copy_is_taken_over_where_it_goes_on(log);
    if shared {
        nothing_is_wrong_with_what_is_whole(log);
        work_is_done_by_one_at_a_time(log);
        decisions_see_each_other_however_many_there_are(log);
    }
}

#[test]
fn the_memory_log_conforms() {
    conforms(&MemoryStore::new(ring()).into(), true);
}

#[test]
fn a_store_that_does_not_lock_conforms() {
    conforms(&Optimistic::with_rivals(0).into(), false);
}

#[test]
fn the_file_log_conforms() {
    let folder = tempfile::tempdir().unwrap();
    // However busy the machine is, nobody gives up on a lock.
    let patience = Patience::silent(std::time::Duration::from_secs(3600));
    let log = FileLog::new(folder.path().join("a folder with späces"), ring()).patient(patience);
    conforms(&log.into(), true);
}

#[test]
fn the_file_log_on_a_simulated_disk_conforms() {
    // Its lock is none: it is one process' disk.
    conforms(&FileLog::on(SimDisk::default(), "/waypost".into(), ring()).into(), false);
}

fn keeps_documents(blobs: &dyn Blobs) {
    let hash = "ab".repeat(32);
    assert!(blobs.blob(Kind::Policy, &hash).is_err());
    for _ in 0..2 {
        blobs.keep_blob(Kind::Policy, &hash, "a policy").unwrap();
        assert_eq!(blobs.blob(Kind::Policy, &hash).unwrap(), b"a policy");
    }
    assert!(blobs.blob(Kind::Definition, &hash).is_err(), "a kind is not another");
    assert!(blobs.definition(&hash).is_none());
    assert!(blobs.policy(&hash, b"a policy").is_err(), "it has another hash");
}

#[test]
fn every_store_of_documents_keeps_them() {
    let folder = tempfile::tempdir().unwrap();
    keeps_documents(&FileBlobs::new(folder.path().join("store")));
    keeps_documents(&MemoryStore::new(ring()));
}
