//! Crashes and faults at every single operation: nothing acknowledged is lost, nothing refused comes
//! back, nothing is half done.

use std::io::ErrorKind;

use crate::journal::{Leaves, all_leaves};
use crate::sim::{Fault, Image, SimDisk};
use crate::support::{add, notes, ring, session};
use waypost_core::session::SessionState;
use waypost_store::{FileLog, StoreError, Streams};

pub(crate) fn log(disk: &SimDisk) -> Streams {
    files(disk).into()
}

pub(crate) fn files(disk: &SimDisk) -> FileLog<SimDisk> {
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

    fn run(self, log: &Streams) -> Result<(), StoreError> {
        let texts = self.texts();
        if texts.is_empty() {
            return log.load_and_refresh::<SessionState>(&session("s")).map(drop);
        }
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        add(log, &session("s"), &texts).map(drop)
    }
}

/// What became of the notes that were added.
#[derive(Debug, Clone, Default, PartialEq)]
struct Played {
    /// They were acknowledged: they have to be there.
    acknowledged: Vec<String>,
    /// Nobody was told what became of them: they may be there, from the first on.
    unanswered: Vec<String>,
    /// How often it was said that something could not be taken back.
    unsettled: usize,
}

/// Creates the stream and plays the operations until the machine stops. What fails is not repeated.
fn play(disk: &SimDisk, operations: &[Operation]) -> Played {
    let log = log(disk);
    let mut played = Played::default();
    let created = (0..3).any(|_| log.create(&session("s")).is_ok());
    if !created {
        return played;
    }
    for operation in operations {
        match operation.run(&log) {
            Ok(()) => played.acknowledged.extend(operation.texts()),
            Err(_) if disk.is_down() => {
                played.unanswered = operation.texts();
                break;
            }
            Err(StoreError::Unsettled { .. }) => {
                played.unsettled += 1;
                played.unanswered = operation.texts();
                break;
            }
            Err(_) => {}
        }
    }
    played
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

/// Looks at a disk afterwards: what was acknowledged is there, what was refused is not, nothing is
/// said to be lost, and work goes on.
fn check(disk: &SimDisk, played: &Played, what: &str) {
    let log = log(disk);
    let stream = session("s");
    let found = notes(&log.records(&stream).unwrap_or_else(|error| panic!("{what}: {error}")));
    let Played { acknowledged, unanswered, .. } = played;
    assert!(found.starts_with(acknowledged), "{what}: {found:?} lost of {played:?}");
    let more = &found[acknowledged.len()..];
    assert!(unanswered.starts_with(more), "{what}: {found:?} was refused: {played:?}");
    if !log.exists(&stream) {
        assert!(log.create(&stream).unwrap(), "{what}");
    }
    add(&log, &stream, &["after"]).unwrap_or_else(|error| panic!("{what}: {error}"));
    let after = notes(&log.records(&stream).unwrap());
    assert_eq!(after[..after.len() - 1], found, "{what}");
    assert_eq!(after.last().map(String::as_str), Some("after"), "{what}");
    let report = log.verify::<SessionState>(&stream).unwrap();
    assert_eq!(report.faults, [] as [String; 0], "{what}");
}

/// Crashes of a disk, each way that leaves something else than the others. One of them leaves
/// everything, as if there had been none.
#[derive(Default)]
struct Crashes {
    tried: usize,
    last: Vec<(Image, Played)>,
}

impl Crashes {
    fn check(&mut self, disk: &SimDisk, played: &Played, what: &str) {
        let mut seen: Vec<(Image, Played)> = Vec::new();
        for leaves in all_leaves() {
            let after = disk.after_crash(leaves);
            let image = (after.image(), played.clone());
            if seen.contains(&image) {
                continue;
            }
            // What the operation before left, too, has been looked at already.
            if !self.last.contains(&image) {
                check(&after, played, &format!("{what}, {leaves:?}"));
                self.tried += 1;
            }
            seen.push(image);
        }
        self.last = seen;
    }
}

#[test]
fn a_crash_at_any_operation_loses_nothing_that_was_acknowledged() {
    let mut crashes = Crashes::default();
    for workload in workloads() {
        for fault in [Fault::Crash, Fault::CrashWithin] {
            for operation in 1.. {
                let disk = SimDisk::with_fault(operation, fault);
                let played = play(&disk, &workload);
                crashes.check(&disk, &played, &format!("{workload:?} {fault:?} at {operation}"));
                if !disk.was_reached() {
                    break;
                }
            }
        }
    }
    assert!(crashes.tried > 5_000, "only {} crashes were tried", crashes.tried);
}

#[test]
fn an_error_at_any_operation_leaves_nothing_of_what_was_refused_neither_now_nor_after_a_crash() {
    let mut crashes = Crashes::default();
    for workload in workloads() {
        for fault in [FAILS[0], FAILS[1], Fault::Fail(ErrorKind::Interrupted)] {
            for operation in 1.. {
                let disk = SimDisk::with_fault(operation, fault);
                let played = play(&disk, &workload);
                let what = format!("{workload:?} {fault:?} at {operation}");
                assert_eq!((&*played.unanswered, played.unsettled), (&[][..], 0), "{what}");
                crashes.check(&disk, &played, &what);
                if !disk.was_reached() {
                    break;
                }
            }
        }
    }
}

/// Short, and with a stream that was empty, one that is not, and a snapshot that is written.
const SHORT: [[Operation; 3]; 2] = [
    [Operation::Add("a"), Operation::AddTwo("b", "c"), Operation::Add("d")],
    [Operation::AddLong, Operation::Refresh, Operation::Add("d")],
];

/// Plays `SHORT` with `first` at every operation and `then` at every later one.
fn each_pair(first: &[Fault], then: Fault, mut look: impl FnMut(&SimDisk, &Played, &str)) {
    for workload in SHORT {
        for fault in first {
            for operation in 1.. {
                for later in 1.. {
                    let disk = SimDisk::with_fault(operation, *fault);
                    disk.add_fault(operation + later, then);
                    let played = play(&disk, &workload);
                    let what = format!(
                        "{workload:?} {fault:?} at {operation}, {then:?} {later} behind it"
                    );
                    look(&disk, &played, &what);
                    if !disk.was_reached() {
                        break;
                    }
                }
                let disk = SimDisk::with_fault(operation, *fault);
                play(&disk, &workload);
                if !disk.was_reached() {
                    break;
                }
            }
        }
    }
}

const FAILS: [Fault; 2] = [Fault::Fail(ErrorKind::Other), Fault::Short(ErrorKind::StorageFull)];

#[test]
fn a_crash_anywhere_behind_an_error_anywhere_brings_nothing_back_and_loses_nothing() {
    let mut crashes = Crashes::default();
    for then in [Fault::Crash, Fault::CrashWithin] {
        each_pair(&FAILS, then, |disk, played, what| crashes.check(disk, played, what));
    }
    assert!(crashes.tried > 1_000, "only {} crashes were tried", crashes.tried);
}

#[test]
fn a_second_error_anywhere_behind_the_first_does_not_keep_it_from_being_taken_back() {
    let mut crashes = Crashes::default();
    for then in FAILS {
        each_pair(&FAILS, then, |disk, played, what| {
            assert_eq!(played.unsettled, 0, "{what}");
            crashes.check(disk, played, what);
        });
    }
}

/// The process alone is killed, right behind an error: others go on with what the system believes to
/// be on disk. Then the machine stops, too.
#[test]
fn what_others_add_to_what_a_killed_process_left_is_never_lost() {
    let mut crashes = Crashes::default();
    each_pair(&FAILS, Fault::CrashWithin, |disk, played, what| {
        let disk = disk.for_others();
        let others = log(&disk);
        others.create(&session("s")).unwrap();
        add(&others, &session("s"), &["others"]).unwrap_or_else(|error| panic!("{what}: {error}"));
        let acknowledged = notes(&others.records(&session("s")).unwrap());
        assert!(acknowledged.starts_with(&played.acknowledged), "{what}");
        let played = Played { acknowledged, ..Played::default() };
        crashes.check(&disk, &played, what);
    });
}

#[test]
fn a_disk_that_takes_nothing_any_more_is_told_apart_from_one_that_stored_nothing() {
    let mut unsettled = 0;
    for workload in SHORT {
        for operation in 1.. {
            let disk = SimDisk::with_fault(operation, Fault::Dead);
            let played = play(&disk, &workload);
            check(&disk.for_others(), &played, &format!("{workload:?} dead at {operation}"));
            unsettled += played.unsettled;
            if !disk.was_reached() {
                break;
            }
        }
    }
    assert!(unsettled > 0, "a sync that failed cannot be taken back on such a disk");
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

    fn fault(&mut self) -> Fault {
        match self.below(4) {
            0 => Fault::Crash,
            1 => Fault::CrashWithin,
            2 => Fault::Fail(ErrorKind::StorageFull),
            _ => Fault::Short(ErrorKind::Other),
        }
    }

    fn leaves(&mut self) -> Leaves {
        let all = all_leaves();
        all[usize::try_from(self.below(all.len() as u64)).unwrap()]
    }
}

#[test]
fn ten_thousand_seeded_lives_with_crashes_and_faults_lose_nothing() {
    for seed in 1..=10_000u64 {
        let mut random = Seeded(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut disk = SimDisk::default();
        let (mut acknowledged, mut unanswered) = (Vec::new(), Vec::new());
        for life in 0..3 {
            log(&disk).create(&session("s")).unwrap();
            for _ in 0..=random.below(2) {
                let fault = random.fault();
                disk.add_fault(1 + random.below(24), fault);
            }
            for step in 0..random.below(4) {
                let text = format!("{seed}-{life}-{step}");
                match add(&log(&disk), &session("s"), &[&text]) {
                    Ok(_) => {
                        // What nobody was told of is acknowledged with it, or is gone for good.
                        unanswered.push(text);
                        let found = notes(&log(&disk.for_others()).records(&session("s")).unwrap());
                        fits(&found, &acknowledged, &unanswered, seed);
                        assert_eq!(found.last(), unanswered.last(), "seed {seed}");
                        (acknowledged, unanswered) = (found, Vec::new());
                    }
                    Err(_) if disk.is_down() => {
                        unanswered.push(text);
                        break;
                    }
                    Err(error) => {
                        assert!(
                            !matches!(error, StoreError::Unsettled { .. }),
                            "seed {seed}: {error}"
                        );
                    }
                }
            }
            // Only the process was killed, or the whole machine stopped.
            let (leaves, is_killed) = (random.leaves(), random.below(2) == 0);
            disk = if is_killed { disk.for_others() } else { disk.after_crash(leaves) };
            let found = notes(&log(&disk).records(&session("s")).unwrap());
            fits(&found, &acknowledged, &unanswered, seed);
            if !is_killed {
                (acknowledged, unanswered) = (found, Vec::new());
            }
        }
    }
}

/// What is there is what was acknowledged, and of what nobody was told of any, in order.
fn fits(found: &[String], acknowledged: &[String], unanswered: &[String], seed: u64) {
    assert!(found.starts_with(acknowledged), "seed {seed}: {found:?} {acknowledged:?}");
    let mut left = unanswered.iter();
    let is_known = found[acknowledged.len()..].iter().all(|text| left.any(|other| other == text));
    assert!(is_known, "seed {seed}: {found:?} {acknowledged:?} {unanswered:?}");
}
