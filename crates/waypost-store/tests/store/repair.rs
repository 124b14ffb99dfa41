//! Putting a damaged stream together again, also where that is itself cut off by a crash.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::crashes::{files, log};
use crate::journal::{Leaves, Part, all_leaves};
use crate::sim::{Fault, SimDisk};
use crate::support::{add, notes, now, session};
use waypost_core::id::StreamId;
use waypost_core::loss::Loss;
use waypost_core::session::SessionState;
use waypost_store::disk::Disk;
use waypost_store::{Copies, Repaired, Streams};

const NOTES: [&str; 5] = ["one", "two", "three", "four", "five"];

#[derive(Debug)]
struct CopyOf(Vec<u8>);

impl Copies for CopyOf {
    fn of(&self, _: &StreamId) -> Vec<Vec<u8>> {
        vec![self.0.clone()]
    }
}

fn log_file() -> PathBuf {
    log(&SimDisk::default()).place(&session("s"))
}

/// A stream of five notes, all of it on disk, and a copy that has the first three.
fn five() -> (SimDisk, Vec<u8>) {
    let disk = SimDisk::default();
    let log = log(&disk);
    log.create(&session("s")).unwrap();
    for text in NOTES {
        add(&log, &session("s"), &[text]).unwrap();
    }
    let whole = disk.read(&log_file(), u64::MAX).unwrap().unwrap();
    let copy = whole.split_inclusive(|byte| *byte == b'\n').take(3).collect::<Vec<_>>().concat();
    // A head that a crash takes together with the record that it tells of could not tell of it.
    (disk.after_crash(Leaves { content: Part::All, names: true }), copy)
}

/// The bytes of a record, from 1.
fn place(log: &[u8], record: usize) -> std::ops::Range<usize> {
    let lines: Vec<usize> = log.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::len).collect();
    let start = lines[..record - 1].iter().sum();
    start..start + lines[record - 1]
}

fn repair(log: &Streams) -> Option<Repaired> {
    log.repair(&session("s"), now(), None).unwrap()
}

type Change = fn(&mut Vec<u8>);

/// What is done to the log, which notes are left, and up to which record something is lost.
const DAMAGE: [(&str, Change, &[&str], Option<u64>); 9] = [
    ("a byte of the second record", |log| flip(log, 2), &NOTES, None),
    ("a byte of the fourth record", |log| flip(log, 4), &["one", "two", "three"], Some(5)),
    (
        "a byte of the second and the fifth",
        |log| both(log),
        &["one", "two", "three", "four"],
        Some(5),
    ),
    ("the last record doubled", |log| twice(log, 5), &NOTES, None),
    ("a record in between doubled", |log| log.extend(log[place(log, 2)].to_vec()), &NOTES, None),
    ("two lines exchanged", exchange, &NOTES, None),
    ("garbage in between", |log| garbage(log), &NOTES, None),
    ("zeroed", |log| log.fill(0), &["one", "two", "three"], Some(5)),
    (
        "cut at a record",
        |log| log.truncate(place(log, 4).end),
        &["one", "two", "three", "four"],
        Some(5),
    ),
];

fn flip(log: &mut [u8], record: usize) {
    let middle = place(log, record).start + 30;
    log[middle] ^= 1;
}

fn both(log: &mut [u8]) {
    flip(log, 2);
    flip(log, 5);
}

fn twice(log: &mut Vec<u8>, record: usize) {
    log.extend(log[place(log, record)].to_vec());
}

fn exchange(log: &mut Vec<u8>) {
    let (second, third) = (log[place(log, 2)].to_vec(), log[place(log, 3)].to_vec());
    let start = place(log, 2).start;
    log.splice(start..start + second.len() + third.len(), [third, second].concat());
}

fn garbage(log: &mut Vec<u8>) {
    let start = place(log, 3).start;
    log.splice(start..start, b"{\"prev\":\"x\",\"seq\":3}\nnothing\n".iter().copied());
}

/// The stream is whole again, has these notes, tells what it lost and goes on.
fn is_whole(log: &Streams, left: &[&str], lost: Option<u64>, what: &str) {
    assert_eq!(notes(&log.records(&session("s")).unwrap()), left, "{what}");
    let report = log.verify::<SessionState>(&session("s")).unwrap();
    assert_eq!(report.faults, [] as [String; 0], "{what}");
    assert_eq!(report.lost.map(|lost| lost.to), lost, "{what}");
    assert_eq!(repair(log), None, "{what}: nothing is left to do");
    assert_eq!(add(log, &session("s"), &["after"]).unwrap().warning, None, "{what}");
}

#[test]
fn what_any_copy_still_has_is_found_again_and_the_rest_is_named() {
    for (what, change, left, lost) in DAMAGE {
        let (disk, copy) = five();
        disk.damage(&log_file(), change);
        let log = Streams::from(files(&disk).with_copies(Arc::new(CopyOf(copy))));
        let before = disk.image();
        let expected = log.examine(&session("s")).unwrap().unwrap();
        assert_eq!(disk.image(), before, "{what}: looking changes nothing");
        let done = repair(&log).unwrap();
        assert_eq!((done.restored, done.lost), (expected.restored, expected.lost), "{what}");
        let named = done.lost.map(|Loss { from, to, .. }| (from, to));
        assert_eq!(named, lost.map(|to| (left.len() as u64 + 1, to)), "{what}");
        is_whole(&log, left, lost, what);
    }
}

#[test]
fn a_repair_that_a_crash_cuts_off_is_done_again_and_loses_nothing_more() {
    let mut tried = 0;
    for (what, change, left, lost) in DAMAGE {
        for operation in 1.. {
            let (disk, copy) = five();
            disk.damage(&log_file(), change);
            disk.add_fault(operation, Fault::Crash);
            let copies = || Arc::new(CopyOf(copy.clone()));
            let _ = Streams::from(files(&disk).with_copies(copies())).repair(
                &session("s"),
                now(),
                None,
            );
            if !disk.was_reached() {
                break;
            }
            for leaves in all_leaves() {
                let disk = disk.after_crash(leaves);
                let log = Streams::from(files(&disk).with_copies(copies()));
                let what = format!("{what}, operation {operation}, {leaves:?}");
                repair(&log);
                is_whole(&log, left, lost, &what);
                tried += 1;
            }
        }
    }
    assert!(tried > 500, "{tried} crashes are not all of them");
}

#[test]
fn a_whole_stream_is_left_alone() {
    let (disk, copy) = five();
    let before = disk.image();
    let log = Streams::from(files(&disk).with_copies(Arc::new(CopyOf(copy))));
    assert_eq!(repair(&log), None);
    assert_eq!(disk.image(), before);
}

/// A disk that cannot read for now says nothing about what is on it.
#[test]
fn what_is_only_out_of_reach_is_neither_moved_nor_told_to_be_lost() {
    for kind in [ErrorKind::Other, ErrorKind::PermissionDenied] {
        for operation in 1..=3 {
            let (disk, copy) = five();
            disk.add_fault(operation, Fault::Fail(kind));
            let log = Streams::from(files(&disk).with_copies(Arc::new(CopyOf(copy))));
            let done = log.repair(&session("s"), now(), None);
            assert!(matches!(done, Ok(None) | Err(_)), "{kind}, operation {operation}: {done:?}");
            is_whole(&log, &NOTES, None, "afterwards");
        }
    }
}

#[test]
fn what_was_kept_before_stays() {
    let (disk, copy) = five();
    let log = Streams::from(files(&disk).with_copies(Arc::new(CopyOf(copy))));
    let (head, mut kept) = (Path::new("/waypost/heads/session-2026-11-15_s_aaaaaa"), Vec::new());
    let files = [log_file(), head.to_owned()];
    let before = files.clone().map(|path| disk.read(&path, u64::MAX).unwrap().unwrap());
    for _ in 0..3 {
        for (path, content) in files.iter().zip(&before) {
            disk.damage(path, |now| now.clone_from(content));
        }
        disk.damage(&log_file(), |log| flip(log, 2));
        kept.extend(repair(&log).unwrap().kept);
    }
    kept.sort();
    kept.dedup();
    assert_eq!(kept.len(), 3, "{kept:?}");
}

#[test]
fn what_a_newer_waypost_wrote_is_not_repaired_however_it_goes_on() {
    let disk = SimDisk::default();
    let log = log(&disk);
    log.create(&session("s")).unwrap();
    add(&log, &session("s"), &["one"]).unwrap();
    disk.damage(&log_file(), |log| log.extend(b"{\"mac\":\"x\",\"after\":\"y\",\"v\":2}\n"));
    let before = disk.read(&log_file(), u64::MAX).unwrap();
    for done in [log.examine(&session("s")), log.repair(&session("s"), now(), None)] {
        let error = done.unwrap_err();
        assert!(error.is_newer() && error.to_string().contains("a newer Waypost (v2"), "{error}");
    }
    assert!(add(&log, &session("s"), &["two"]).unwrap_err().is_newer());
    assert!(log.verify::<SessionState>(&session("s")).unwrap().is_newer);
    assert_eq!(disk.read(&log_file(), u64::MAX).unwrap(), before);
}
