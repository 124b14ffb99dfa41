//! What waits for a destination gets there, once and in order, whatever happens to the destination, to the sender and to
//! the files of the outbox.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use waypost_app::machine::host::{Clock, Host};
use waypost_app::outbox::{Destination, NotTaken, Outbox, Range, Sent, Taken, Waits};
use waypost_app::sessions::begin::Begin;
use waypost_app::sessions::start;
use waypost_app::setup::project_record;
use waypost_app::view::View;
use waypost_core::command::Command;
use waypost_core::event::{Event, Known};
use waypost_core::id::{SessionId, StreamId};
use waypost_core::record::{Position, Record};
use waypost_core::time::Timestamp;
use waypost_store::InFiles;

use crate::world::World;

const WAITS: Waits = Waits { first: Duration::from_secs(4), longest: Duration::from_secs(16) };

/// What the destination does with what it is sent next.
#[derive(Clone)]
enum Does {
    Take,
    TakeAndDie,
    Fail(Option<u64>),
}

/// A destination that remembers the notes that it took, each with how many there were before.
#[derive(Default)]
struct Fake {
    script: RefCell<VecDeque<Does>>,
    /// What it never takes.
    unfit: Option<&'static str>,
    /// How many parcels came at a time.
    batches: RefCell<Vec<usize>>,
    taken: Mutex<Vec<String>>,
}

impl Destination for Fake {
    type Parcel = String;
    type Carried = u64;
    const FOLD: u32 = 1;

    fn name(&self) -> &'static str {
        "fake"
    }

    fn address(&self) -> &'static str {
        "nowhere"
    }

    fn wants(&self, stream: &StreamId) -> bool {
        matches!(stream, StreamId::Session(_))
    }

    fn parcels(&self, notes: &mut u64, _: &StreamId, _: &Position, record: &Record) -> Vec<String> {
        let Event::Known(Known::NoteAdded { text, .. }) = &record.event else { return Vec::new() };
        *notes += 1;
        vec![format!("{notes} {text}")]
    }

    fn weight(&self, parcel: &String) -> usize {
        parcel.len()
    }

    fn send(&self, parcels: &[String]) -> Result<Taken, NotTaken> {
        let does = self.script.borrow_mut().pop_front().unwrap_or(Does::Take);
        if let Does::Fail(after) = does {
            let (why, after) = ("it is down".to_owned(), after.map(Duration::from_secs));
            return Err(NotTaken::Later { why, after });
        }
        if self.unfit.is_some_and(|unfit| parcels.iter().any(|one| one.ends_with(unfit))) {
            return Err(NotTaken::Unfit { why: "it does not like it".to_owned() });
        }
        self.batches.borrow_mut().push(parcels.len());
        self.taken.lock().unwrap().extend_from_slice(parcels);
        assert!(!matches!(does, Does::TakeAndDie), "killed");
        Ok(Taken::default())
    }
}

impl Fake {
    fn that(does: impl IntoIterator<Item = Does>) -> Self {
        Self { script: RefCell::new(does.into_iter().collect()), ..Self::default() }
    }

    fn taken(&self) -> Vec<String> {
        self.taken.lock().unwrap().clone()
    }
}

/// A project with one session.
fn begun(world: &World) -> (Host, SessionId) {
    let host = world.host();
    let view = View::open(&host).unwrap();
    project_record::record(&view, None).unwrap();
    let begin = Begin { objective: Some("Add login"), ..Begin::default() };
    let id = start::start(&view, &begin).unwrap().session;
    (host, id)
}

/// Somebody writes notes, all at once.
fn note(host: &Host, id: &SessionId, texts: &[String]) {
    let view = View::open(host).unwrap();
    let note = |text: &String| Command::Note { kind: "note".to_owned(), text: text.clone() };
    view.execute_all(id, &view.actor(), texts.iter().map(note)).unwrap();
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(ToString::to_string).collect()
}

/// The host at a later time.
fn later(host: &Host, seconds: i64) -> Host {
    let now = host.now().as_millis() + seconds * 1000;
    Host { clock: Clock::Fixed(Timestamp::from_millis(now).unwrap()), ..host.clone() }
}

fn always() -> Range {
    Range::From(Timestamp::from_millis(0).unwrap())
}

fn send(host: &Host, fake: &Fake) -> Sent {
    let view = View::open(host).unwrap();
    Outbox::new(&view, fake, always(), WAITS).send().unwrap()
}

fn file(world: &World, name: &str) -> PathBuf {
    world.path("repo/.git/waypost/outbox/fake").join(name)
}

on_each_store!(a_destination_that_was_down_gets_everything_once_and_in_order);
fn a_destination_that_was_down_gets_everything_once_and_in_order(world: &World) {
    let (host, id) = begun(world);
    let fake = Fake::that([Does::Take, Does::Fail(None), Does::Fail(None)]);
    note(&host, &id, &texts(&["a", "b"]));
    assert_eq!(send(&host, &fake).sent, 2);
    note(&host, &id, &texts(&["c"]));
    assert_eq!(send(&host, &fake).error.as_deref(), Some("it is down"));
    note(&host, &id, &texts(&["d"]));
    assert_eq!(send(&host, &fake).error.as_deref(), Some("it is down"));
    let view = View::open(&host).unwrap();
    let outbox = Outbox::new(&view, &fake, always(), WAITS);
    assert_eq!(outbox.waiting().unwrap(), [(StreamId::Session(id), 2)]);
    assert_eq!(outbox.health().failures, 2);
    assert_eq!(send(&host, &fake).sent, 2);
    assert_eq!(fake.taken(), ["1 a", "2 b", "3 c", "4 d"]);
    assert_eq!((outbox.waiting().unwrap(), outbox.health().error), (Vec::new(), None));
    // Nothing more is asked of it.
    assert_eq!(send(&host, &fake), Sent::default());
    assert_eq!(*fake.batches.borrow(), [2, 2]);
}

#[test]
fn the_wait_doubles_and_is_never_shorter_than_the_destination_asks_for() {
    let world = World::new(InFiles);
    let (host, id) = begun(&world);
    note(&host, &id, &texts(&["a"]));
    let fake = Fake::that([
        Does::Fail(None),
        Does::Fail(None),
        Does::Fail(Some(100)),
        Does::Fail(Some(1)),
    ]);
    // By chance between half and all of it.
    for (shortest, longest) in [(2, 4), (4, 8), (100, 100), (8, 16)] {
        send(&host, &fake);
        let view = View::open(&host).unwrap();
        let outbox = Outbox::new(&view, &fake, always(), WAITS);
        let at = |seconds: i64| later(&host, seconds).now();
        assert!(!outbox.is_due(at(shortest - 1)), "{shortest}");
        assert!(outbox.is_due(at(longest)), "{longest}");
    }
}

#[test]
fn whoever_is_killed_before_it_is_noted_sends_the_same_once_more_and_nothing_is_lost() {
    let world = World::new(InFiles);
    let (host, id) = begun(&world);
    note(&host, &id, &texts(&["a"]));
    let fake = Fake::that([Does::Take, Does::TakeAndDie]);
    send(&host, &fake);
    note(&host, &id, &texts(&["b"]));
    catch_unwind(AssertUnwindSafe(|| send(&host, &fake))).unwrap_err();
    note(&host, &id, &texts(&["c"]));
    send(&host, &fake);
    assert_eq!(fake.taken(), ["1 a", "2 b", "2 b", "3 c"]);
}

#[test]
fn two_who_send_at_once_send_nothing_twice() {
    struct Shared<'a>(&'a Mutex<Vec<String>>);
    impl Destination for Shared<'_> {
        type Parcel = String;
        type Carried = u64;
        const FOLD: u32 = 1;
        fn name(&self) -> &'static str {
            "fake"
        }
        fn address(&self) -> &'static str {
            "nowhere"
        }
        fn wants(&self, stream: &StreamId) -> bool {
            Fake::default().wants(stream)
        }
        fn parcels(&self, n: &mut u64, s: &StreamId, at: &Position, one: &Record) -> Vec<String> {
            Fake::default().parcels(n, s, at, one)
        }
        fn weight(&self, parcel: &String) -> usize {
            parcel.len()
        }
        fn send(&self, parcels: &[String]) -> Result<Taken, NotTaken> {
            self.0.lock().unwrap().extend_from_slice(parcels);
            Ok(Taken::default())
        }
    }
    let world = World::new(InFiles);
    let (host, id) = begun(&world);
    let taken = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..20 {
                    let view = View::open(&host).unwrap();
                    Outbox::new(&view, &Shared(&taken), always(), WAITS).send().unwrap();
                }
            });
        }
        for number in 0..20 {
            note(&host, &id, &[format!("n{number}")]);
        }
    });
    let view = View::open(&host).unwrap();
    Outbox::new(&view, &Shared(&taken), always(), WAITS).send().unwrap();
    let expected: Vec<String> = (0..20).map(|number| format!("{} n{number}", number + 1)).collect();
    assert_eq!(*taken.lock().unwrap(), expected);
}

#[test]
fn much_is_sent_in_parts_and_what_was_taken_of_it_is_not_sent_again() {
    let world = World::new(InFiles);
    let (host, id) = begun(&world);
    let all: Vec<String> = (1..=1300).map(|number| format!("n{number}")).collect();
    note(&host, &id, &all);
    let fake = Fake::that([Does::Take, Does::Fail(None)]);
    assert_eq!(send(&host, &fake).sent, 512);
    assert_eq!(send(&host, &fake).sent, 788);
    let expected: Vec<String> = (1..=1300).map(|number| format!("{number} n{number}")).collect();
    assert_eq!(fake.taken(), expected);
    assert_eq!(*fake.batches.borrow(), [512, 512, 276]);
}

#[test]
fn what_a_destination_never_takes_is_left_out_and_counted_and_the_rest_goes_on() {
    let world = World::new(InFiles);
    let (host, id) = begun(&world);
    note(&host, &id, &texts(&["a", "b", "bad", "c", "d", "e"]));
    let fake = Fake { unfit: Some("bad"), ..Fake::default() };
    let sent = send(&host, &fake);
    assert_eq!((sent.sent, sent.refused, sent.error), (5, 1, None));
    assert_eq!(fake.taken(), ["1 a", "2 b", "4 c", "5 d", "6 e"]);
    let view = View::open(&host).unwrap();
    let health = Outbox::new(&view, &fake, always(), WAITS).health();
    assert_eq!((health.refused, health.refusal.as_deref()), (1, Some("it does not like it")));
    note(&host, &id, &texts(&["f"]));
    assert_eq!(send(&host, &fake).sent, 1);
}

#[test]
fn what_was_taken_of_a_part_stays_taken_if_the_rest_fails() {
    let world = World::new(InFiles);
    let (host, id) = begun(&world);
    note(&host, &id, &texts(&["a", "b", "bad", "c"]));
    // The whole, then its first half, which is taken; then it is down.
    let fake =
        Fake { unfit: Some("bad"), ..Fake::that([Does::Take, Does::Take, Does::Fail(None)]) };
    assert_eq!(send(&host, &fake).sent, 1);
    assert_eq!(send(&host, &fake).sent, 2);
    assert_eq!(fake.taken(), ["1 a", "2 b", "4 c"], "what is carried was carried over");
}

#[test]
fn a_file_that_is_damaged_or_gone_loses_nothing_and_is_told() {
    let world = World::new(InFiles);
    let (host, id) = begun(&world);
    note(&host, &id, &texts(&["a"]));
    let cursor = format!("session-{id}.json");
    for (name, content) in [
        (cursor.as_str(), Some("")),
        (cursor.as_str(), Some("{\"v\":1,\"sent\"")),
        (cursor.as_str(), Some("{\"v\":9}")),
        (cursor.as_str(), None),
    ] {
        let fake = Fake::default();
        send(&host, &fake);
        fake.taken.lock().unwrap().clear();
        let path = file(&world, name);
        match content {
            Some(content) => std::fs::write(&path, content).unwrap(),
            None => std::fs::remove_file(&path).unwrap(),
        }
        let sent = send(&host, &fake);
        assert_eq!(sent.warnings.len(), usize::from(content.is_some()), "{sent:?}");
        assert_eq!(fake.taken(), ["1 a"], "{content:?}");
        assert_eq!(send(&host, &fake), Sent::default());
    }
    let fake = Fake::default();
    for content in ["", "[]", "{\"v\":9}"] {
        std::fs::write(file(&world, "destination.json"), content).unwrap();
        let sent = send(&host, &fake);
        assert!(sent.warnings[0].contains("destination.json"), "{sent:?}");
        assert_eq!(send(&host, &fake), Sent::default());
    }
    assert_eq!(fake.taken(), [] as [&str; 0], "how far was sent is known all the same");
}

#[test]
fn what_is_carried_is_made_again_where_it_cannot_be_read_and_nothing_is_sent_twice() {
    let world = World::new(InFiles);
    let (host, id) = begun(&world);
    let fake = Fake::default();
    note(&host, &id, &texts(&["a", "b"]));
    send(&host, &fake);
    let path = file(&world, &format!("session-{id}.json"));
    for (what, instead) in [("\"fold\":1", "\"fold\":0"), ("\"carried\":3", "\"carried\":[]")] {
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(what), "{text}");
        std::fs::write(&path, text.replace(what, instead)).unwrap();
        note(&host, &id, &texts(&["c"]));
        assert_eq!(send(&host, &fake).warnings, [] as [&str; 0]);
    }
    assert_eq!(fake.taken(), ["1 a", "2 b", "3 c", "4 c"]);
}

#[test]
fn a_new_destination_is_told_what_happens_from_then_on_and_what_was_before_if_asked() {
    let world = World::new(InFiles);
    let (host, id) = begun(&world);
    note(&host, &id, &texts(&["old"]));
    let now = later(&host, 60);
    note(&now, &id, &texts(&["new"]));
    let fake = Fake::default();
    let view = View::open(&now).unwrap();
    let new = Outbox::new(&view, &fake, Range::From(now.now()), WAITS);
    assert_eq!(new.waiting().unwrap().len(), 1);
    assert_eq!(new.send().unwrap().sent, 1);
    // Since when it is told is kept, whatever is said later.
    note(&later(&host, 90), &id, &texts(&["newer"]));
    let later_on = Outbox::new(&view, &fake, Range::From(later(&host, 600).now()), WAITS);
    assert_eq!(later_on.send().unwrap().sent, 1);
    let before = Outbox::new(&view, &fake, Range::Before(new.health().since), WAITS);
    assert_eq!(before.send().unwrap().sent, 1);
    assert_eq!(before.send().unwrap().sent, 0);
    assert_eq!(fake.taken(), ["2 new", "3 newer", "1 old"]);
}

#[test]
fn a_stream_that_is_shorter_than_what_was_sent_is_told_of_and_sent_anew() {
    let world = World::new(InFiles);
    let (host, id) = begun(&world);
    let log = world.path(&format!("repo/.git/waypost/sessions/{id}/events.jsonl"));
    note(&host, &id, &texts(&["a"]));
    let short = std::fs::read(&log).unwrap();
    note(&host, &id, &texts(&["b"]));
    let fake = Fake::default();
    send(&host, &fake);
    std::fs::write(&log, short).unwrap();
    let sent = send(&host, &fake);
    assert!(sent.warnings[0].contains("is shorter"), "{sent:?}");
    assert_eq!(fake.taken(), ["1 a", "2 b", "1 a"]);
}
