//! After acknowledged records were lost: the session goes on where that was a torn line, nothing is
//! written behind a greater loss, and either stays told for good.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::PathBuf;

use waypost_testkit::{TestEnv, everything};

/// A session of five records.
struct Five {
    env: TestEnv,
    session: String,
}

impl Five {
    /// With `snapshot`, all but the last two are in a snapshot.
    fn new(snapshot: bool) -> Self {
        let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
        env.init();
        let session = env.start("Mend");
        // Publishing has read the state, and left it for the next reader.
        fs::remove_file(env.log_of(&session).with_file_name("snapshot")).unwrap();
        let long = "long ".repeat(if snapshot { 1_000 } else { 1 });
        for text in ["one", &long, "three", "four"] {
            env.ok(&["note", "add", text, "--session", &session]);
        }
        let five = Self { env, session };
        assert_eq!(five.log().with_file_name("snapshot").exists(), snapshot);
        five
    }

    fn log(&self) -> PathBuf {
        self.env.log_of(&self.session)
    }

    fn head(&self) -> PathBuf {
        self.env.store().join("heads").join(format!("session-{}", self.session))
    }

    /// Cuts the log after `records` and `more` bytes of the next.
    fn cut(&self, records: usize, more: usize) {
        let content = fs::read_to_string(self.log()).unwrap();
        let whole: usize = content.split_inclusive('\n').take(records).map(str::len).sum();
        fs::write(self.log(), &content[..whole + more]).unwrap();
    }

    /// Adds a note, which has to succeed. Returns what was told.
    fn note(&self, text: &str, at: &str) -> String {
        let output = self.env.waypost(&["note", "add", text, "--session", &self.session]);
        assert!(output.status.success(), "{at}: note `{text}`: {}", everything(&output));
        everything(&output)
    }

    /// `verify` says with status 3 what `named` says.
    fn is_told(&self, named: &str, at: &str) {
        let output = self.env.waypost(&["verify", &self.session]);
        let told = everything(&output);
        assert_eq!(output.status.code(), Some(3), "{at}: {told}");
        assert!(told.contains(named), "{at}: expected `{named}` in: {told}");
    }

    /// How often the stream was mended.
    fn mended(&self) -> usize {
        let history = self.env.json(&["history", &self.session, "--json"]);
        let events = history["events"].as_array().unwrap();
        events.iter().filter(|entry| entry["event"]["type"] == "tail_cut").count()
    }
}

#[test]
fn a_session_whose_last_record_is_torn_goes_on_past_its_number_and_is_mended_once() {
    for snapshot in [false, true] {
        let five = Five::new(snapshot);
        let at = format!("snapshot: {snapshot}");
        five.cut(4, 7);
        assert!(five.note("first", &at).contains("acknowledged"), "{at}");
        for text in ["second", "third", "fourth", "fifth", "sixth"] {
            let told = five.note(text, &at);
            assert!(!told.contains("warning"), "{at}: told once is enough: {told}");
        }
        assert_eq!(five.mended(), 1, "{at}");
        assert_eq!(five.env.notes(&five.session).len(), 3 + 6, "{at}");
        five.is_told("before record 5", &at);
    }
}

/// However often somebody tries, and whatever else is asked for in between.
#[test]
fn a_session_that_lost_more_takes_no_more_and_the_loss_stays_told() {
    for snapshot in [false, true] {
        for (keep, more) in [(1, 0), (1, 7), (3, 0), (3, 7), (4, 0)] {
            let five = Five::new(snapshot);
            let at = format!("{keep} records and {more} bytes, snapshot: {snapshot}");
            five.cut(keep, more);
            let (log, head) = (fs::read(five.log()).unwrap(), fs::read(five.head()).unwrap());
            for text in ["first", "second"] {
                let output = five.env.waypost(&["note", "add", text, "--session", &five.session]);
                let told = everything(&output);
                assert_eq!(output.status.code(), Some(3), "{at}: {told}");
                assert!(told.contains("events.jsonl") && told.contains(" next: "), "{at}: {told}");
                five.env.waypost(&["status", &five.session]);
                five.env.waypost(&["resume", &five.session]);
                five.is_told("record 5 had been acknowledged", &at);
            }
            assert_eq!(fs::read(five.log()).unwrap(), log, "{at}");
            assert_eq!(fs::read(five.head()).unwrap(), head, "{at}");
        }
    }
}

#[test]
fn a_crash_between_mending_and_writing_the_head_does_not_end_the_session() {
    let five = Five::new(false);
    let head = fs::read(five.head()).unwrap();
    five.cut(4, 7);
    five.note("mends", "");
    fs::write(five.head(), head).unwrap();
    for text in ["goes on", "and on", "and on"] {
        five.note(text, "");
    }
    assert_eq!(five.env.notes(&five.session).len(), 3 + 4);
    five.is_told("before record 5", "");
}

/// Whoever cuts the log can write to the head too, but cannot sign: no part of it that was ever
/// there makes the cut log look whole.
#[test]
fn a_head_pieced_together_from_its_own_parts_does_not_hide_a_cut() {
    let five = Five::new(false);
    let head = fs::read(five.head()).unwrap();
    let (first, second) = head.split_at(head.len() / 2);
    let blank = vec![b' '; first.len()];
    five.cut(4, 0);
    for (attack, parts) in [
        ("first half twice", [first, first]),
        ("second half twice", [second, second]),
        ("halves exchanged", [second, first]),
        ("first half erased", [&blank, second]),
        ("second half erased", [first, &blank]),
        ("all erased", [&blank, &blank]),
        ("first half alone", [first, &[]]),
        ("second half alone", [second, &[]]),
        ("empty", [&[], &[]]),
    ] {
        fs::write(five.head(), parts.concat()).unwrap();
        five.is_told("", attack);
    }
}

/// A part of the head that a crash tore is written anew by the next append. One that was destroyed
/// to hide a cut must not be, without a word.
#[test]
fn a_destroyed_part_of_the_head_does_not_let_a_cut_be_forgotten() {
    for half in [0, 1] {
        let five = Five::new(false);
        let at = format!("half {half}");
        let mut head = fs::read(five.head()).unwrap();
        let size = head.len() / 2;
        head[half * size..(half + 1) * size].fill(b'x');
        fs::write(five.head(), head).unwrap();
        five.cut(4, 0);
        five.is_told("", &at);
        // Refused or mended, but not forgotten.
        for text in ["after", "and after"] {
            five.env.waypost(&["note", "add", text, "--session", &five.session]);
            five.is_told("", &at);
        }
    }
}

#[test]
fn a_damaged_session_that_is_named_is_told_as_damaged_and_not_as_unknown() {
    let five = Five::new(false);
    let content = fs::read_to_string(five.log()).unwrap().replace("\"one\"", "\"oNe\"");
    fs::write(five.log(), &content).unwrap();
    let (id, prefix) = (five.session.as_str(), &five.session[..14]);
    for args in [
        &["note", "add", "x", "--session", id][..],
        &["note", "add", "x", "--session", prefix],
        &["history", id],
        &["status", id],
    ] {
        let output = five.env.waypost(args);
        let told = everything(&output);
        assert_eq!(output.status.code(), Some(3), "{args:?}: {told}");
        assert!(told.contains("record 2"), "{args:?}: {told}");
    }
    assert_eq!(fs::read_to_string(five.log()).unwrap(), content);
}
