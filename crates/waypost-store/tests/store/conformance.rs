//! What every event log does: one suite, run over each of them.

use crate::sim::SimDisk;
use crate::support::{add, note, notes, now, ring, session};
use waypost_core::id::StreamId;
use waypost_core::record::Draft;
use waypost_core::session::SessionState;
use waypost_store::memory::MemoryLog;
use waypost_store::{EventLog, FileLog, Patience, StoreError};

fn a_new_stream_is_empty_and_its_name_is_taken(log: &impl EventLog) {
    assert!(log.create(&session("new")).unwrap());
    assert!(!log.create(&session("new")).unwrap());
    assert!(log.records(&session("new")).unwrap().is_empty());
    assert_eq!(log.state::<SessionState>(&session("new")).unwrap(), SessionState::default());
}

fn what_was_appended_is_there_in_order(log: &impl EventLog) {
    let stream = session("order");
    log.create(&stream).unwrap();
    assert_eq!(add(log, &stream, &["a", "b"]).unwrap().value, 0);
    assert_eq!(add(log, &stream, &["c"]).unwrap().value, 2);
    let records = log.records(&stream).unwrap();
    assert_eq!(notes(&records), ["a", "b", "c"]);
    assert_eq!(records.iter().map(|record| record.seq).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(log.state::<SessionState>(&stream).unwrap().version, 3);
}

fn a_refused_decision_changes_nothing(log: &impl EventLog) {
    let stream = session("refused");
    log.create(&stream).unwrap();
    add(log, &stream, &["a"]).unwrap();
    let refused = log.transact(&stream, now(), |_: &SessionState| {
        Err::<(Vec<Draft>, ()), _>(StoreError::NoKey { path: "x".into() })
    });
    assert!(refused.is_err());
    assert_eq!(notes(&log.records(&stream).unwrap()), ["a"]);
}

fn a_decision_without_events_appends_nothing(log: &impl EventLog) {
    let stream = session("nothing");
    log.create(&stream).unwrap();
    assert_eq!(add(log, &stream, &[]).unwrap().value, 0);
    assert!(log.records(&stream).unwrap().is_empty());
}

fn streams_do_not_touch_each_other(log: &impl EventLog) {
    for stream in [session("one"), session("two"), StreamId::Project] {
        log.create(&stream).unwrap();
    }
    add(log, &session("one"), &["1"]).unwrap();
    add(log, &session("two"), &["2"]).unwrap();
    assert_eq!(notes(&log.records(&session("one")).unwrap()), ["1"]);
    assert_eq!(notes(&log.records(&session("two")).unwrap()), ["2"]);
    assert!(log.records(&StreamId::Project).unwrap().is_empty());
}

fn sessions_are_listed_in_order_without_the_project(log: &impl EventLog) {
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

fn decisions_see_each_other_however_many_there_are(log: &(impl EventLog + Sync)) {
    let stream = session("many");
    log.create(&stream).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..25 {
                    log.transact(&stream, now(), |state: &SessionState| {
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

fn any_text_comes_back_as_it_was(log: &impl EventLog) {
    let stream = session("text");
    log.create(&stream).unwrap();
    let texts = ["", "\n\r\t\u{0}", "ünï\u{202e}cödé 🧭", "{\"a\":1}", "\u{2028}"];
    add(log, &stream, &texts).unwrap();
    assert_eq!(notes(&log.records(&stream).unwrap()), texts);
}

fn conforms(log: &(impl EventLog + Sync), shared: bool) {
    a_new_stream_is_empty_and_its_name_is_taken(log);
    what_was_appended_is_there_in_order(log);
    a_refused_decision_changes_nothing(log);
    a_decision_without_events_appends_nothing(log);
    streams_do_not_touch_each_other(log);
    sessions_are_listed_in_order_without_the_project(log);
    any_text_comes_back_as_it_was(log);
    if shared {
        decisions_see_each_other_however_many_there_are(log);
    }
}

#[test]
fn the_memory_log_conforms() {
    conforms(&MemoryLog::default(), true);
}

#[test]
fn the_file_log_conforms() {
    let folder = tempfile::tempdir().unwrap();
    // However busy the machine is, nobody gives up on a lock.
    let patience = Patience::silent(std::time::Duration::from_secs(3600));
    let log = FileLog::new(folder.path().join("a folder with späces"), ring()).patient(patience);
    conforms(&log, true);
}

#[test]
fn the_file_log_on_a_simulated_disk_conforms() {
    // Its lock is none: it is one process' disk.
    conforms(&FileLog::on(SimDisk::default(), "/waypost".into(), ring()), false);
}
