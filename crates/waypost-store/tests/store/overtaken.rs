//! A store that does not lock: it lets several decide at once, takes what comes first, and tells the others.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use waypost_core::event::Event;
use waypost_core::id::{SessionId, StreamId};
use waypost_core::key::Keyring;
use waypost_core::record::{Draft, Position};
use waypost_core::session::SessionState;
use waypost_core::time::Timestamp;
use waypost_store::event_log::{Each, Folds, Knows, Reached};
use waypost_store::memory::MemoryStore;
use waypost_store::upkeep::{Lock, Upkeep};
use waypost_store::{
    Backoff, EventLog, Held, Mark, Relation, Repaired, Report, StoreError, Streams, Work,
};

use crate::support::{add, note, notes, ring, session};

/// Streams in memory that nobody holds: an append compares where the stream ends with where it was read.
#[derive(Debug)]
pub(crate) struct Optimistic {
    kept: MemoryStore,
    /// How many others add something between somebody's reading and appending.
    rivals: Mutex<u32>,
}

impl Optimistic {
    pub(crate) fn with_rivals(rivals: u32) -> Self {
        Self { kept: MemoryStore::new(ring()), rivals: Mutex::new(rivals) }
    }

    /// Another one is quicker, as long as there are any.
    fn let_a_rival_add(&self, stream: &StreamId) -> Result<(), StoreError> {
        let mut rivals = self.rivals.lock().unwrap();
        if *rivals > 0 {
            *rivals -= 1;
            let (mut held, mut end) = (self.kept.hold(stream)?, Position::start(stream));
            held.load(Knows::Nothing, &mut end, &mut |_, _| {})?;
            held.append(vec![note("a rival's")], &mut |_, _| {})?;
        }
        Ok(())
    }
}

struct Unheld<'a> {
    store: &'a Optimistic,
    stream: &'a StreamId,
    end: Position,
}

impl Held for Unheld<'_> {
    fn load(
        &mut self,
        _from: Knows<'_>,
        position: &mut Position,
        each: Each<'_>,
    ) -> Result<Reached, StoreError> {
        self.store.kept.load(self.stream, position, each)?;
        self.end.clone_from(position);
        Ok(Reached::End)
    }

    fn append(&mut self, drafts: Vec<Draft>, each: Each<'_>) -> Result<Vec<String>, StoreError> {
        self.store.let_a_rival_add(self.stream)?;
        let mut held = self.store.kept.hold(self.stream)?;
        let mut end = self.end.clone();
        held.load(Knows::Nothing, &mut end, &mut |_, _| {})?;
        if end != self.end {
            let (path, expected) = (self.store.place(self.stream), self.end.seq);
            return Err(StoreError::Overtaken { path, expected, actual: end.seq });
        }
        held.append(drafts, each)
    }
}

impl EventLog for Optimistic {
    fn ring(&self) -> &Keyring {
        self.kept.ring()
    }
    fn create(&self, stream: &StreamId) -> Result<bool, StoreError> {
        self.kept.create(stream)
    }
    fn exists(&self, stream: &StreamId) -> bool {
        self.kept.exists(stream)
    }
    fn sessions(&self) -> Result<Vec<SessionId>, StoreError> {
        self.kept.sessions()
    }
    fn load(
        &self,
        s: &StreamId,
        position: &mut Position,
        each: Each<'_>,
    ) -> Result<(), StoreError> {
        self.kept.load(s, position, each)
    }
    fn hold<'a>(&'a self, stream: &'a StreamId) -> Result<Box<dyn Held + 'a>, StoreError> {
        Ok(Box::new(Unheld { store: self, stream, end: Position::start(stream) }))
    }
    fn mark(&self, stream: &StreamId) -> Result<Mark, StoreError> {
        self.kept.mark(stream)
    }
    fn mark_of_all(&self) -> String {
        self.kept.mark_of_all()
    }
}

impl Folds for Optimistic {
    fn fold(&self, stream: &StreamId, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.kept.fold(stream, name)
    }
    fn keep_fold(&self, stream: &StreamId, name: &str, content: &[u8]) -> Result<(), StoreError> {
        self.kept.keep_fold(stream, name, content)
    }
    fn forget_fold(&self, stream: &StreamId, name: &str) -> Result<(), StoreError> {
        self.kept.forget_fold(stream, name)
    }
}

impl Upkeep for Optimistic {
    fn place(&self, stream: &StreamId) -> PathBuf {
        self.kept.place(stream)
    }
    fn check_usable(&self, stream: &StreamId) -> Result<(), StoreError> {
        self.kept.check_usable(stream)
    }
    fn acknowledged(&self, stream: &StreamId) -> Result<Option<Position>, StoreError> {
        self.kept.acknowledged(stream)
    }
    fn is_silent_about(&self, stream: &StreamId, position: &Position) -> bool {
        self.kept.is_silent_about(stream, position)
    }
    fn check(&self, stream: &StreamId, each: Each<'_>) -> Result<Report, StoreError> {
        self.kept.check(stream, each)
    }
    fn examine(&self, stream: &StreamId) -> Result<Option<Repaired>, StoreError> {
        self.kept.examine(stream)
    }
    fn repair(
        &self,
        stream: &StreamId,
        now: Timestamp,
        begin: Option<Event>,
    ) -> Result<Option<Repaired>, StoreError> {
        self.kept.repair(stream, now, begin)
    }
    fn bytes(
        &self,
        stream: &StreamId,
        position: &mut Position,
        each: Each<'_>,
    ) -> Result<Vec<u8>, StoreError> {
        self.kept.bytes(stream, position, each)
    }
    fn raw(&self, stream: &StreamId) -> Result<Option<Vec<u8>>, StoreError> {
        self.kept.raw(stream)
    }
    fn take_over(&self, s: &StreamId, path: &Path, copy: &[u8]) -> Result<Relation, StoreError> {
        self.kept.take_over(s, path, copy)
    }
    fn trust(&self, stream: &StreamId, position: &Position) -> Result<(), StoreError> {
        self.kept.trust(stream, position)
    }
    fn trusted(&self, stream: &StreamId) -> Result<Option<Position>, StoreError> {
        self.kept.trusted(stream)
    }
    fn lock(&self, work: Work<'_>) -> Result<Box<dyn Lock + '_>, StoreError> {
        self.kept.lock(work)
    }
}

/// Waits for no time at all, notes for how long it should have been, and throws the same number always.
#[derive(Debug, Default)]
struct Noted {
    random: u32,
    waits: Mutex<Vec<Duration>>,
}

impl Backoff for Noted {
    fn random(&self) -> u32 {
        self.random
    }

    fn wait(&self, time: Duration) {
        self.waits.lock().unwrap().push(time);
    }
}

/// What adding one note came to with so many rivals: the version that was decided on, the waits, the stream.
fn added_among(rivals: u32, random: u32) -> (Result<u64, StoreError>, Vec<u128>, Vec<String>) {
    let waits = Arc::new(Noted { random, ..Noted::default() });
    let log = Streams::from(Optimistic::with_rivals(rivals)).waiting(Arc::clone(&waits) as _);
    let stream = session("s");
    log.create(&stream).unwrap();
    let added = add(&log, &stream, &["mine"]).map(|transacted| transacted.value);
    let waited = waits.waits.lock().unwrap().iter().map(Duration::as_millis).collect();
    (added, waited, notes(&log.records(&stream).unwrap()))
}

#[test]
fn whoever_is_overtaken_decides_again_up_to_three_times() {
    for rivals in 0..=3 {
        let (added, waits, notes) = added_among(rivals, u32::MAX);
        assert_eq!(added.unwrap(), u64::from(rivals), "it decided on what there was then");
        assert_eq!(waits, [20, 40, 80][..rivals as usize]);
        let mut expected = vec!["a rival's"; rivals as usize];
        expected.push("mine");
        assert_eq!(notes, expected, "and added it once");
    }
}

#[test]
fn after_the_third_retry_it_is_a_conflict_that_says_what_was_expected() {
    let (added, waits, notes) = added_among(4, u32::MAX);
    let error = added.unwrap_err();
    assert!(matches!(error, StoreError::Overtaken { expected: 3, actual: 4, .. }), "{error}");
    assert!(error.is_overtaken() && !error.is_integrity());
    assert_eq!(waits.len(), 3);
    assert_eq!(notes, ["a rival's"; 4], "nothing of it was added");
}

#[test]
fn each_wait_is_a_random_part_of_the_longest_one() {
    let (_, waits, _) = added_among(3, u32::MAX / 5);
    assert_eq!(waits, [4, 8, 16]);
    let (_, waits, _) = added_among(3, 0);
    assert_eq!(waits, [0, 0, 0]);
}

#[test]
fn whoever_decided_on_one_version_is_told_at_once() {
    let waits = Arc::new(Noted::default());
    let log = Streams::from(Optimistic::with_rivals(1)).waiting(Arc::clone(&waits) as _);
    log.create(&session("s")).unwrap();
    let error = add(&log.at_once(), &session("s"), &["mine"]).unwrap_err();
    assert!(matches!(error, StoreError::Overtaken { expected: 0, actual: 1, .. }), "{error}");
    assert!(waits.waits.lock().unwrap().is_empty());
    add(&log, &session("s"), &["mine"]).unwrap();
}

#[test]
fn nothing_else_is_tried_again() {
    let waits = Arc::new(Noted::default());
    let log = Streams::from(Optimistic::with_rivals(0)).waiting(Arc::clone(&waits) as _);
    let stream = session("s");
    log.create(&stream).unwrap();
    let mut decided = 0;
    // Not even where whoever decides met a conflict of their own.
    let path = || "x".into();
    for error in [
        StoreError::NoKey { path: path() },
        StoreError::Overtaken { path: path(), expected: 1, actual: 2 },
    ] {
        let mut error = Some(error);
        let refused = log.transact(&stream, |_: &SessionState| {
            decided += 1;
            Err::<(Vec<Draft>, ()), _>(error.take().unwrap())
        });
        assert!(refused.is_err());
    }
    assert_eq!(decided, 2);
    assert!(waits.waits.lock().unwrap().is_empty());
}

#[test]
fn two_at_once_do_not_displace_each_other() {
    let log = Streams::from(Optimistic::with_rivals(0));
    let stream = session("s");
    log.create(&stream).unwrap();
    std::thread::scope(|scope| {
        for name in ["one", "two"] {
            let (log, stream) = (&log, &stream);
            scope.spawn(move || {
                for _ in 0..20 {
                    // Whoever gives up tries again by hand, as a caller of the program does.
                    while add(log, stream, &[name]).is_err() {}
                }
            });
        }
    });
    let notes = notes(&log.records(&stream).unwrap());
    assert_eq!(notes.iter().filter(|note| *note == "one").count(), 20);
    assert_eq!(notes.len(), 40);
}
