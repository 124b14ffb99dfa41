//! Answers that take long to find: each is found in the background, kept with its question, and found again when somebody
//! asks for it later. Whoever asks gets what is known, and as of when.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use waypost_core::key::sha256_hex;
use waypost_core::time::Timestamp;

use crate::machine::host::Host;

/// For how long whoever asks first waits, so that a quick answer is there at once.
pub(super) const FIRST: Duration = Duration::from_millis(250);
/// At most this part of the time is spent with one question.
const SHARE: u32 = 20;
/// How many questions are kept, of each sort.
const MAX_KEPT: usize = 64;
/// How often it is told how far finding one has come.
const TOLD: Duration = Duration::from_millis(500);

/// What is known of what somebody asked.
#[derive(Debug)]
pub struct Answer<V> {
    /// The answer; none before it was found once.
    pub value: Option<Arc<V>>,
    /// As of when that is.
    pub as_of: Option<Timestamp>,
    /// Whether it is being found just now.
    pub running: bool,
    /// How much of it was done.
    pub done: u64,
    /// How much there is to be done, as far as that is known.
    pub all: u64,
}

/// What came of looking.
pub(super) enum Looked<V> {
    /// What it was told from is as it was then.
    Same,
    /// An answer, and what tells whether it would still be the same.
    Found(V, Option<String>),
}

/// How whoever looks tells how far that has come.
pub(super) type Tell<'a> = &'a mut dyn FnMut(u64, u64);

/// Answers of one sort.
#[derive(Debug)]
pub(super) struct Answers<V> {
    kept: Mutex<BTreeMap<String, Kept<V>>>,
    /// Wakes those who wait for a first answer.
    came: Condvar,
    /// One is found after the other.
    turn: Mutex<()>,
    /// Grows when there is something new.
    moved: Arc<AtomicU64>,
}

#[derive(Debug)]
struct Kept<V> {
    answer: Answer<V>,
    /// The hash of the answer.
    hash: String,
    /// What tells whether it would still be the same.
    mark: Option<String>,
    /// When it may be looked again.
    again: Instant,
    /// When somebody last asked.
    asked: Instant,
}

impl<V: Serialize + Send + Sync + 'static> Answers<V> {
    /// None yet. What is new is told by `moved`.
    pub(super) fn new(moved: &Arc<AtomicU64>) -> Arc<Self> {
        let moved = Arc::clone(moved);
        let (kept, came, turn) = (Mutex::default(), Condvar::new(), Mutex::default());
        Arc::new(Self { kept, came, turn, moved })
    }

    /// What is known. It is looked again if that is older than `stay`; `look` is given the mark of what is known.
    pub(super) fn ask(
        self: &Arc<Self>,
        question: &str,
        stay: Duration,
        host: &Host,
        look: impl FnOnce(Option<&str>, Tell<'_>) -> Looked<V> + Send + 'static,
    ) -> Answer<V> {
        self.begin(question, stay, host, look);
        self.known(&[question], Instant::now() + FIRST).pop().unwrap_or_else(Answer::none)
    }

    /// Begins to look, if what is known is older than `stay`, and waits for nothing.
    pub(super) fn begin(
        self: &Arc<Self>,
        question: &str,
        stay: Duration,
        host: &Host,
        look: impl FnOnce(Option<&str>, Tell<'_>) -> Looked<V> + Send + 'static,
    ) {
        let now = Instant::now();
        let mut all = self.lock();
        make_room(&mut all, question);
        let kept = all.entry(question.to_owned()).or_insert_with(|| Kept::new(now));
        kept.asked = now;
        if !kept.answer.running && kept.again <= now {
            (kept.answer.running, kept.answer.done, kept.answer.all) = (true, 0, 0);
            let (own, host, question) = (Arc::clone(self), host.clone(), question.to_owned());
            thread::spawn(move || own.find(&host, &question, stay, look));
        }
    }

    /// What is known of each question, once all were found for the first time, or at that time.
    pub(super) fn known(&self, questions: &[&str], until: Instant) -> Vec<Answer<V>> {
        let is_missing = |all: &mut BTreeMap<String, Kept<V>>| {
            let first = |kept: &Kept<V>| kept.answer.value.is_none() && kept.answer.running;
            questions.iter().any(|question| all.get(*question).is_some_and(first))
        };
        let left = until.saturating_duration_since(Instant::now());
        let waited = self.came.wait_timeout_while(self.lock(), left, is_missing);
        let (all, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let known = |question: &&str| all.get(*question).map(|kept| kept.answer.clone());
        questions.iter().map(|question| known(question).unwrap_or_else(Answer::none)).collect()
    }

    fn find(
        &self,
        host: &Host,
        question: &str,
        stay: Duration,
        look: impl FnOnce(Option<&str>, Tell<'_>) -> Looked<V>,
    ) {
        let ended = Ended { answers: self, question };
        let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let mark = self.lock().get(question).and_then(|kept| kept.mark.clone());
        let (begun, as_of) = (Instant::now(), host.moment());
        let mut told = begun;
        let looked = look(mark.as_deref(), &mut |done, all| {
            if let Some(kept) = self.lock().get_mut(question) {
                (kept.answer.done, kept.answer.all) = (done, all);
            }
            if told.elapsed() >= TOLD {
                told = Instant::now();
                self.move_on();
            }
        });
        let again = Instant::now() + stay.max(begun.elapsed() * SHARE);
        drop(turn);
        if let Some(kept) = self.lock().get_mut(question) {
            // Where it was told how far it has come, it is told that it has come to its end.
            let is_new = kept.take(looked, as_of, again) || kept.answer.all > 0;
            // Whoever sees that it moved sees that it has ended, and the other way round.
            kept.answer.running = false;
            if is_new {
                self.move_on();
            }
        }
        drop(ended);
    }

    fn move_on(&self) {
        self.moved.fetch_add(1, Ordering::AcqRel);
    }
}

impl<V> Answers<V> {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Kept<V>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whoever looked has ended, even if by a fault of its own.
struct Ended<'a, V> {
    answers: &'a Answers<V>,
    question: &'a str,
}

impl<V> Drop for Ended<'_, V> {
    fn drop(&mut self) {
        if let Some(kept) = self.answers.lock().get_mut(self.question) {
            kept.answer.running = false;
        }
        self.answers.came.notify_all();
    }
}

impl<V> Clone for Answer<V> {
    fn clone(&self) -> Self {
        Self { value: self.value.clone(), ..*self }
    }
}

impl<V> Answer<V> {
    pub(super) fn none() -> Self {
        Self { value: None, as_of: None, running: false, done: 0, all: 0 }
    }
}

impl<V: Serialize> Kept<V> {
    fn new(now: Instant) -> Self {
        Self { answer: Answer::none(), hash: String::new(), mark: None, again: now, asked: now }
    }

    /// Keeps what was found. Whether that is anything new.
    fn take(&mut self, looked: Looked<V>, as_of: Timestamp, again: Instant) -> bool {
        (self.again, self.answer.as_of) = (again, Some(as_of));
        let Looked::Found(value, mark) = looked else { return false };
        let hash = serde_json::to_vec(&value).map(|text| sha256_hex(&[&text])).unwrap_or_default();
        let is_new = self.answer.value.is_none() || hash != self.hash;
        (self.hash, self.mark, self.answer.value) = (hash, mark, Some(Arc::new(value)));
        is_new
    }
}

/// Forgets the question that nobody asked for longest, where there are too many.
fn make_room<V>(all: &mut BTreeMap<String, Kept<V>>, question: &str) {
    if all.len() < MAX_KEPT || all.contains_key(question) {
        return;
    }
    let oldest = all.iter().min_by_key(|(_, kept)| (kept.answer.running, kept.asked));
    if let Some(oldest) = oldest.map(|(question, _)| question.clone()) {
        all.remove(&oldest);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn host() -> Host {
        let clock = crate::machine::host::Clock::Fixed(Timestamp::saturating_from_millis(0));
        Host::from_env("/".into(), "waypost".into(), clock, |_| None)
    }

    fn ended(answers: &Arc<Answers<u64>>) {
        let all = answers.lock();
        let runs = |all: &mut BTreeMap<String, Kept<u64>>| all["q"].answer.running;
        drop(answers.came.wait_while(all, runs).unwrap());
    }

    #[test]
    fn what_is_kept_is_told_until_something_else_was_found() {
        let (moved, host) = (Arc::new(AtomicU64::new(0)), host());
        let answers = Answers::<u64>::new(&moved);
        let ask = |found: Looked<u64>| {
            let answer = answers.ask("q", Duration::ZERO, &host, move |_, _| found);
            ended(&answers);
            answer.value.map(|value| *value)
        };
        ask(Looked::Found(1, Some("m".to_owned())));
        assert_eq!(moved.load(Ordering::Acquire), 1);
        answers.lock().get_mut("q").unwrap().again = Instant::now();
        assert_eq!(ask(Looked::Found(1, None)), Some(1));
        assert_eq!(moved.load(Ordering::Acquire), 1, "the same is no news");
        answers.lock().get_mut("q").unwrap().again = Instant::now();
        assert_eq!(ask(Looked::Found(2, None)), Some(1), "nobody waits for the new one");
        assert_eq!(moved.load(Ordering::Acquire), 2);
        answers.lock().get_mut("q").unwrap().again = Instant::now();
        assert_eq!(ask(Looked::Same), Some(2));
        assert_eq!(moved.load(Ordering::Acquire), 2);
    }

    #[test]
    fn whoever_asks_several_waits_once_for_all_of_them() {
        let answers = Answers::<u64>::new(&Arc::new(AtomicU64::new(0)));
        let (go, wait) = mpsc::channel::<()>();
        answers.begin("a", Duration::ZERO, &host(), |_, _| Looked::Found(1, None));
        answers.begin("b", Duration::ZERO, &host(), move |_, _| {
            wait.recv().unwrap();
            Looked::Found(2, None)
        });
        let values = |until| {
            let known = answers.known(&["a", "b", "nobody asked"], until);
            known.iter().map(|answer| answer.value.as_deref().copied()).collect::<Vec<_>>()
        };
        assert_eq!(values(Instant::now())[1..], [None, None], "the time is over");
        go.send(()).unwrap();
        let long = Instant::now() + Duration::from_secs(600);
        assert_eq!(values(long), [Some(1), Some(2), None]);
    }

    #[test]
    fn one_that_breaks_is_asked_again() {
        let (moved, host) = (Arc::new(AtomicU64::new(0)), host());
        let answers = Answers::<u64>::new(&moved);
        answers.ask("q", Duration::ZERO, &host, |_, _| panic!("broken on purpose"));
        ended(&answers);
        answers.ask("q", Duration::ZERO, &host, |mark, _| {
            assert_eq!(mark, None);
            Looked::Found(3, None)
        });
        ended(&answers);
        assert_eq!(answers.lock()["q"].answer.value.as_deref(), Some(&3));
    }

    #[test]
    fn how_far_it_has_come_is_told_while_it_runs() {
        let (moved, host) = (Arc::new(AtomicU64::new(0)), host());
        let answers = Answers::<u64>::new(&moved);
        let (go, wait) = mpsc::channel::<()>();
        let answer = answers.ask("q", Duration::ZERO, &host, move |_, tell| {
            tell(3, 9);
            wait.recv().unwrap();
            Looked::Found(1, None)
        });
        assert!(answer.running && answer.value.is_none());
        assert_eq!((answer.done, answer.all), (3, 9));
        go.send(()).unwrap();
        ended(&answers);
    }
}
