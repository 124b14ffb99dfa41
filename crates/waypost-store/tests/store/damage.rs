//! Files that somebody else damaged: nothing is written over what is broken, what is derived is made
//! again, and no loss is forgotten.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::crashes::{files, log};
use crate::sim::{Fault, SimDisk};
use crate::support::{add, note, notes, session};
use waypost_core::id::StreamId;
use waypost_core::session::SessionState;
use waypost_store::disk::Disk;
use waypost_store::{Copies, Loaded, Relation, StoreError, Streams};

const NOTES: [&str; 4] = ["one", "two", "three", "four"];

/// A stream of four notes, the last of which is too long for a first look.
fn four() -> SimDisk {
    let disk = SimDisk::default();
    let log = log(&disk);
    log.create(&session("s")).unwrap();
    for text in &NOTES[..3] {
        add(&log, &session("s"), &[text]).unwrap();
    }
    add(&log, &session("s"), &[&NOTES[3].repeat(2000)]).unwrap();
    // Long as it is, the append has left a snapshot.
    disk.remove(&snapshot_file()).unwrap();
    disk
}

fn log_file() -> PathBuf {
    log(&SimDisk::default()).place(&session("s"))
}

fn head_file() -> PathBuf {
    Path::new("/waypost/heads").join(session("s").to_string().replace('/', "-"))
}

fn snapshot_file() -> PathBuf {
    log_file().with_file_name("snapshot")
}

fn content(disk: &SimDisk, path: &Path) -> Vec<u8> {
    disk.read(path, u64::MAX).unwrap().unwrap()
}

/// Where the record with this number ends.
fn end_of(log: &[u8], record: usize) -> usize {
    log.split_inclusive(|byte| *byte == b'\n').take(record).map(<[u8]>::len).sum()
}

fn faults(log: &Streams) -> Vec<String> {
    log.verify::<SessionState>(&session("s")).unwrap().faults
}

/// The last record that is told to be lost.
fn lost(log: &Streams) -> Option<u64> {
    let report = log.verify::<SessionState>(&session("s")).unwrap();
    report.lost.map(|lost| lost.to)
}

/// A way to damage a file.
type Damage = (&'static str, fn(&mut Vec<u8>));

/// Damage to the log that keeps anything from being added.
const BROKEN: [Damage; 12] = [
    ("all zeros", |log| log.fill(0)),
    ("zeros from the third record on", |log| {
        let start = end_of(log, 2);
        log[start..].fill(0);
    }),
    ("a bit in the last record", |log| {
        let place = log.len() - 100;
        log[place] ^= 1;
    }),
    ("its last bytes", |log| {
        let place = log.len() - 2;
        log[place] ^= 1;
    }),
    ("empty", Vec::clear),
    ("cut at a record", |log| log.truncate(end_of(log, 3))),
    ("cut at the record before", |log| log.truncate(end_of(log, 2))),
    ("cut inside that record", |log| log.truncate(end_of(log, 2) + 9)),
    ("its last line twice", |log| log.extend(log[end_of(log, 3)..].to_vec())),
    ("its first line twice", |log| log.extend(log[..end_of(log, 1)].to_vec())),
    ("a line more", |log| log.extend(b"{}\n")),
    ("an empty line more", |log| log.push(b'\n')),
];

/// What a process that is about to add something knows of the stream.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Knows {
    Nothing,
    Snapshot,
    Everything,
}

/// Adds a note to a log that is damaged after the process has come to know what it knows.
fn add_to(
    disk: &SimDisk,
    knows: Knows,
    change: impl FnOnce(&mut Vec<u8>),
) -> Result<Option<String>, StoreError> {
    let log = log(disk);
    let loaded: Option<Loaded<SessionState>> = match knows {
        Knows::Nothing => None,
        Knows::Snapshot => log.load_and_refresh::<SessionState>(&session("s")).ok().and(None),
        Knows::Everything => Some(log.load(&session("s")).unwrap()),
    };
    let snapshot = disk.read(&snapshot_file(), u64::MAX).unwrap();
    assert_eq!(snapshot.is_some(), knows == Knows::Snapshot);
    disk.damage(&log_file(), change);
    log.transact_from(&session("s"), loaded, |_: &SessionState| {
        Ok::<_, StoreError>((vec![note("after")], ()))
    })
    .map(|(transacted, _)| transacted.warning)
}

#[test]
fn nothing_is_written_over_a_log_that_is_broken() {
    for (what, change) in BROKEN {
        for knows in [Knows::Nothing, Knows::Snapshot, Knows::Everything] {
            let disk = four();
            let refused = add_to(&disk, knows, change).unwrap_err();
            let (told, broken) = (refused.to_string(), disk.image());
            assert!(refused.is_integrity(), "{what}, {knows:?}: {told}");
            assert!(told.contains("events.jsonl"), "{what}, {knows:?}: {told}");
            assert!(!faults(&log(&disk)).is_empty(), "{what}, {knows:?}");
            for _ in 0..2 {
                assert!(add(&log(&disk), &session("s"), &["again"]).is_err(), "{what}, {knows:?}");
            }
            assert_eq!(
                disk.image(),
                broken,
                "{what}, {knows:?}: refused, and changed all the same"
            );
        }
    }
}

#[test]
fn who_only_looks_sees_that_the_end_is_not_what_the_snapshot_knows() {
    for (what, change) in BROKEN.iter().filter(|(what, _)| !what.ends_with("more")) {
        let disk = four();
        log(&disk).load_and_refresh::<SessionState>(&session("s")).unwrap();
        disk.damage(&log_file(), change);
        let seen = log(&disk).load::<SessionState>(&session("s"));
        assert!(seen.is_err_and(|error| error.is_integrity()), "{what}");
    }
}

/// Damage that leaves a last line without an end.
const TORN: [Damage; 5] = [
    ("its newline", |log| log.truncate(log.len() - 1)),
    ("its last bytes", |log| log.truncate(log.len() - 100)),
    ("nearly all of it", |log| log.truncate(end_of(log, 3) + 1)),
    ("its newline changed", |log| *log.last_mut().unwrap() = b' '),
    ("its last page zeros", |log| {
        let start = log.len() - 4096;
        log[start..].fill(0);
    }),
];

#[test]
fn a_last_line_that_is_torn_is_kept_aside_and_its_loss_stays_told() {
    for knows in [Knows::Nothing, Knows::Snapshot, Knows::Everything] {
        for (what, change) in TORN {
            let disk = four();
            let mut torn = content(&disk, &log_file());
            let third = end_of(&torn, 3);
            change(&mut torn);
            let warning = add_to(&disk, knows, change).unwrap();
            assert!(warning.unwrap().contains("record 4 had been acknowledged"), "{what}");
            let log = log(&disk);
            assert_eq!(
                notes(&log.records(&session("s")).unwrap()),
                ["one", "two", "three", "after"]
            );
            let kept = Path::new("/waypost/torn/session-2026-11-15_s_aaaaaa-after-3");
            assert_eq!(content(&disk, kept), torn[third..], "{what}");
            assert!(add(&log, &session("s"), &["more"]).unwrap().warning.is_none());
            assert_eq!(lost(&log), Some(4), "{what}");
        }
    }
}

#[test]
fn a_log_that_was_rolled_back_with_its_head_takes_nothing_while_a_snapshot_knows_better() {
    let disk = four();
    let before = (content(&disk, &log_file()), content(&disk, &head_file()));
    add(&log(&disk), &session("s"), &["five"]).unwrap();
    log(&disk).load_and_refresh::<SessionState>(&session("s")).unwrap();
    disk.damage(&log_file(), |log| *log = before.0);
    disk.damage(&head_file(), |head| *head = before.1);
    for _ in 0..2 {
        let refused = add(&log(&disk), &session("s"), &["after"]).unwrap_err();
        assert!(matches!(refused, StoreError::Lost { found: 4, known: 5, .. }), "{refused}");
    }
}

#[derive(Debug)]
struct CopiesOf(Vec<Vec<u8>>);

impl Copies for CopiesOf {
    fn of(&self, _stream: &StreamId) -> Vec<Vec<u8>> {
        self.0.clone()
    }
}

#[test]
fn a_last_line_that_is_torn_is_taken_from_a_copy_that_has_it() {
    let disk = four();
    let whole = content(&disk, &log_file());
    let mut changed = whole.clone();
    changed[end_of(&whole, 3) + 100] ^= 1;
    let behind = whole[..end_of(&whole, 3)].to_vec();
    for (copies, restored) in [
        (vec![whole.clone()], true),
        (vec![behind.clone(), changed.clone(), Vec::new(), whole.clone()], true),
        (vec![behind, changed, b"garbage\n".repeat(9)], false),
    ] {
        let disk = four();
        disk.damage(&log_file(), |log| log.truncate(log.len() - 9));
        let log = Streams::from(files(&disk).with_copies(Arc::new(CopiesOf(copies))));
        let warning = add(&log, &session("s"), &["after"]).unwrap().warning.unwrap();
        assert_eq!(warning.contains("record 4 was taken over"), restored, "{warning}");
        let expected = if restored { 5 } else { 4 };
        assert_eq!(notes(&log.records(&session("s")).unwrap()).len(), expected);
        assert_eq!(lost(&log), (!restored).then_some(4));
        assert_eq!(
            log.load::<SessionState>(&session("s")).unwrap().state.version,
            6 - u64::from(!restored)
        );
    }
}

const BAD_HEADS: [Damage; 6] = [
    ("empty", Vec::clear),
    ("garbage", |head| *head = b"\xff\x00{not what was written".to_vec()),
    ("zeros", |head| head.fill(0)),
    ("cut", |head| head.truncate(100)),
    ("flipped", |head| head.iter_mut().step_by(100).for_each(|byte| *byte ^= 1)),
    ("another's", |head| {
        let disk = SimDisk::default();
        log(&disk).create(&session("other")).unwrap();
        *head = content(&disk, Path::new("/waypost/heads/session-2026-11-15_other_aaaaaa"));
    }),
];

#[test]
fn a_head_that_is_gone_or_unreadable_is_made_again_and_that_is_told_once() {
    let gone: Damage = ("gone", |_| {});
    for (what, change) in BAD_HEADS.into_iter().chain([gone]) {
        let disk = four();
        disk.damage(&head_file(), change);
        if what == "gone" {
            // With its folder, as by `rm -r heads`.
            disk.remove(&head_file()).unwrap();
            disk.remove(head_file().parent().unwrap()).unwrap();
        }
        let log = log(&disk);
        let warning = add(&log, &session("s"), &["after"]).unwrap().warning.unwrap();
        assert!(warning.contains("made again from 4 good records"), "{what}: {warning}");
        assert_eq!(add(&log, &session("s"), &["more"]).unwrap().warning, None, "{what}");
        let found = notes(&log.records(&session("s")).unwrap());
        assert_eq!(found[4..], ["after", "more"], "{what}: stored once each");
        assert_eq!(faults(&log), [] as [String; 0], "{what}");
    }
}

#[test]
fn a_head_is_not_made_again_from_records_that_do_not_verify() {
    let disk = four();
    log(&disk).load_and_refresh::<SessionState>(&session("s")).unwrap();
    disk.damage(&log_file(), |log| log[50] ^= 1);
    disk.remove(&head_file()).unwrap();
    let refused = add(&log(&disk), &session("s"), &["after"]).unwrap_err().to_string();
    assert!(refused.contains("record 1"), "{refused}");
}

/// Whatever fails, it was stored and says so, or it says that it failed and was not stored.
#[test]
fn what_is_stored_says_so_where_only_the_head_cannot_be_written() {
    for head_is_gone in [false, true] {
        let mut warned = 0;
        for operation in 1.. {
            let disk = four();
            if head_is_gone {
                disk.remove(&head_file()).unwrap();
            }
            disk.add_fault(operation, Fault::Fail(std::io::ErrorKind::StorageFull));
            let added = add(&log(&disk), &session("s"), &["after"]);
            let found = notes(&log(&disk.for_others()).records(&session("s")).unwrap());
            assert_eq!(found[4..] == ["after"], added.is_ok(), "{operation}: {added:?}");
            let warning = added.ok().and_then(|added| added.warning).unwrap_or_default();
            warned += usize::from(warning.contains("this is recorded, but"));
            if !disk.was_reached() {
                break;
            }
        }
        assert!(warned > 0, "the head's write was never reached");
    }
}

#[test]
fn a_stream_whose_records_are_gone_keeps_its_head_until_a_copy_has_them_all() {
    let disk = four();
    let (whole, head) = (content(&disk, &log_file()), content(&disk, &head_file()));
    disk.remove(&log_file()).unwrap();
    disk.remove(log_file().parent().unwrap()).unwrap();
    let log = log(&disk);
    let stream = session("s");
    let is_lost = |error: StoreError| matches!(error, StoreError::Lost { known: 4, .. });
    assert!(!log.create(&stream).unwrap(), "the name is not free");
    assert!(add(&log, &stream, &["after"]).is_err_and(is_lost));
    let take = |bytes: &[u8]| log.take_over(&stream, Path::new("/copy"), bytes);
    assert!(take(&whole[..end_of(&whole, 3)]).is_err_and(is_lost), "the copy is behind");
    assert_eq!(content(&disk, &head_file()), head, "the head is what proves the loss");
    assert_eq!(take(&whole).unwrap(), Relation::Ahead);
    assert_eq!(content(&disk, &log_file()), whole);
    assert_eq!(faults(&log), [] as [String; 0]);
    assert_eq!(add(&log, &stream, &["after"]).unwrap().warning, None);
}

#[test]
fn a_snapshot_tells_of_nothing_that_was_never_acknowledged() {
    let disk = four();
    log(&disk).load_and_refresh::<SessionState>(&session("s")).unwrap();
    let before = (content(&disk, &log_file()), content(&disk, &head_file()));
    add(&log(&disk), &session("s"), &["under way"]).unwrap();
    // As a reader sees it while the record is being synced; then that fails, and it is taken back.
    disk.damage(&head_file(), |head| *head = before.1);
    let seen = log(&disk).load_and_refresh::<SessionState>(&session("s")).unwrap();
    assert_eq!(seen.state.version, 5);
    disk.damage(&log_file(), |log| *log = before.0);
    assert_eq!(log(&disk).load::<SessionState>(&session("s")).unwrap().state.version, 4);
    assert_eq!(add(&log(&disk), &session("s"), &["after"]).unwrap().warning, None);
}

#[test]
fn who_has_read_what_was_taken_back_since_is_not_told_of_a_loss() {
    let disk = four();
    let before = (content(&disk, &log_file()), content(&disk, &head_file()));
    add(&log(&disk), &session("s"), &["under way"]).unwrap();
    let loaded = log(&disk).load::<SessionState>(&session("s")).unwrap();
    disk.damage(&head_file(), |head| *head = before.1);
    disk.damage(&log_file(), |log| *log = before.0);
    disk.remove(&snapshot_file()).unwrap();
    let decide = |state: &SessionState| Ok::<_, StoreError>((vec![note("after")], state.version));
    let (transacted, _) = log(&disk).transact_from(&session("s"), Some(loaded), decide).unwrap();
    assert_eq!((transacted.value, transacted.warning), (4, None));
}

/// A hook does this on every call: not one operation more.
#[test]
fn appending_and_looking_take_as_few_operations_as_they_can() {
    let disk = four();
    let log = log(&disk);
    log.load_and_refresh::<SessionState>(&session("s")).unwrap();
    let before = disk.operations();
    let loaded = log.load::<SessionState>(&session("s")).unwrap();
    assert_eq!(disk.operations() - before, 2, "the snapshot, and that the end is where it was");
    let append = |loaded| {
        let before = disk.operations();
        let (_, loaded) = log
            .transact_from(&session("s"), Some(loaded), |_: &SessionState| {
                Ok::<_, StoreError>((vec![note("x")], ()))
            })
            .unwrap();
        (disk.operations() - before, loaded)
    };
    let (_, loaded) = append(loaded);
    let (operations, _) = append(loaded);
    assert_eq!(operations, 6, "lock, a look, the head, append, sync, the head");
    log.load_and_refresh::<SessionState>(&session("s")).unwrap();
    let before = disk.operations();
    log.load::<SessionState>(&session("s")).unwrap();
    assert_eq!(disk.operations() - before, 2, "the snapshot, and one look");
}
