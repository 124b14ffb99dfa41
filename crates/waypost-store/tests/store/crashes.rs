//! Crashes and faults at every single operation: nothing acknowledged is lost, nothing half done.

use std::io::ErrorKind;

use crate::sim::{ALL_LEAVES, Fault, SimDisk};
use crate::support::{add, notes, ring, session};
use waypost_core::session::SessionState;
use waypost_store::{FileLog, verify};

fn log(disk: &SimDisk) -> FileLog<SimDisk> {
    FileLog::on(disk.clone(), "/waypost".into(), ring())
}

/// One thing that a process does to a stream.
#[derive(Debug, Clone, Copy)]
enum Operation {
    Add(&'static str),
    AddTwo(&'static str, &'static str),
    AddLong,
    Refresh,
}

impl Operation {
    fn texts(self) -> Vec<String> {
        match self {
            Self::Add(text) => vec![text.to_owned()],
            Self::AddTwo(one, two) => vec![one.to_owned(), two.to_owned()],
            // Longer than what is left to readers: the append writes a snapshot itself.
            Self::AddLong => vec!["long ".repeat(1000)],
            Self::Refresh => Vec::new(),
        }
    }

    /// Whether it was acknowledged.
    fn run(self, log: &FileLog<SimDisk>) -> bool {
        let texts = self.texts();
        if texts.is_empty() {
            return log.load_and_refresh::<SessionState>(&session("s")).is_ok();
        }
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        add(log, &session("s"), &texts).is_ok()
    }
}

/// Creates the stream and plays the operations until one fails. Returns the notes that were
/// acknowledged and those that were tried.
fn play(disk: &SimDisk, operations: &[Operation]) -> (Vec<String>, Vec<String>) {
    let log = log(disk);
    let (mut acknowledged, mut tried) = (Vec::new(), Vec::new());
    if log.create(&session("s")).is_err() {
        return (acknowledged, tried);
    }
    for operation in operations {
        tried.extend(operation.texts());
        if !operation.run(&log) {
            break;
        }
        acknowledged.extend(operation.texts());
    }
    (acknowledged, tried)
}

const OPERATIONS: [Operation; 4] =
    [Operation::Add("a"), Operation::AddTwo("b", "c"), Operation::AddLong, Operation::Refresh];

/// All workloads of one to three operations.
fn workloads() -> Vec<Vec<Operation>> {
    let mut all = Vec::new();
    for one in OPERATIONS {
        all.push(vec![one]);
        for two in OPERATIONS {
            all.push(vec![one, two]);
            all.extend(OPERATIONS.map(|three| vec![one, two, three]));
        }
    }
    all
}

/// After a crash: what is there is what was acknowledged, or more of what was tried; nothing that
/// was acknowledged is said to be lost; and work goes on.
fn check_recovery(disk: &SimDisk, acknowledged: &[String], tried: &[String], what: &str) {
    let log = log(disk);
    let stream = session("s");
    let found = notes(&log.records(&stream).unwrap());
    assert!(found.starts_with(acknowledged), "{what}: {found:?} lost of {acknowledged:?}");
    assert!(tried.starts_with(&found), "{what}: {found:?} was never tried");
    let report = verify::verify::<SessionState, _>(&log, &stream).unwrap();
    let lost = report.faults.iter().any(|fault| fault.contains("acknowledged"));
    assert!(!lost, "{what}: {:?}", report.faults);
    if !log.exists(&stream) {
        log.create(&stream).unwrap();
    }
    add(&log, &stream, &["after"]).unwrap_or_else(|error| panic!("{what}: {error}"));
    let after = notes(&log.records(&stream).unwrap());
    assert_eq!(after[..after.len() - 1], found, "{what}");
    assert_eq!(after.last().map(String::as_str), Some("after"), "{what}");
}

#[test]
fn a_crash_at_any_operation_loses_nothing_that_was_acknowledged() {
    let mut crashes = 0;
    for workload in workloads() {
        for fault in [Fault::Crash, Fault::CrashWithin] {
            for operation in 1.. {
                let disk = SimDisk::with_fault(operation, fault);
                let (acknowledged, tried) = play(&disk, &workload);
                for leaves in ALL_LEAVES {
                    let what = format!("{workload:?} {fault:?} at {operation}, {leaves:?}");
                    check_recovery(&disk.after_crash(leaves), &acknowledged, &tried, &what);
                    crashes += 1;
                }
                if !disk.was_reached() {
                    break;
                }
            }
        }
    }
    assert!(crashes > 5_000, "only {crashes} crashes were tried");
}

#[test]
fn an_error_at_any_operation_is_reported_and_nothing_is_half_done() {
    let kinds = [ErrorKind::StorageFull, ErrorKind::Interrupted, ErrorKind::Other];
    for workload in workloads() {
        for kind in kinds {
            for fault in [Fault::Fail(kind), Fault::Short(kind)] {
                for operation in 1.. {
                    let disk = SimDisk::with_fault(operation, fault);
                    let (acknowledged, tried) = play(&disk, &workload);
                    let reached = disk.was_reached();
                    disk.clear_fault();
                    let what = format!("{workload:?} {fault:?} at {operation}");
                    check_recovery(&disk, &acknowledged, &tried, &what);
                    if !reached {
                        break;
                    }
                }
            }
        }
    }
}

/// A small generator of numbers that depend on nothing but the seed.
struct Seeded(u64);

impl Seeded {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

#[test]
fn ten_thousand_seeded_lives_with_crashes_and_faults_lose_nothing() {
    for seed in 1..=10_000u64 {
        let mut random = Seeded(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut disk = SimDisk::default();
        log(&disk).create(&session("s")).unwrap();
        let mut acknowledged: Vec<String> = Vec::new();
        for life in 0..3 {
            let fault = match random.below(4) {
                0 => Fault::Crash,
                1 => Fault::CrashWithin,
                2 => Fault::Fail(ErrorKind::StorageFull),
                _ => Fault::Short(ErrorKind::Other),
            };
            disk.set_fault(1 + random.below(12), fault);
            let mut maybe = acknowledged.clone();
            for step in 0..random.below(4) {
                let text = format!("{seed}-{life}-{step}");
                maybe.push(text.clone());
                if add(&log(&disk), &session("s"), &[&text]).is_err() {
                    break;
                }
                acknowledged.clone_from(&maybe);
            }
            let leaves = ALL_LEAVES[usize::try_from(random.below(5)).unwrap()];
            disk = disk.after_crash(leaves);
            let found = notes(&log(&disk).records(&session("s")).unwrap());
            assert!(found.starts_with(&acknowledged), "seed {seed}: {found:?} {acknowledged:?}");
            assert!(maybe.starts_with(&found), "seed {seed}: {found:?} {maybe:?}");
            acknowledged = found;
        }
    }
}
