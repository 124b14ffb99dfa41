//! A log cut at every byte, and a bit of every byte flipped: recovered or reported, as the crash
//! rules say.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use waypost_testkit::{TestEnv, everything};

/// How many copies of the project are worked on at once.
const WORKERS: usize = 2;

/// A session whose files can be put back to how they were.
struct Stream {
    env: TestEnv,
    session: String,
    log: Vec<u8>,
    head: Vec<u8>,
    snapshot: Option<Vec<u8>>,
    /// The head before the last record.
    earlier_head: Vec<u8>,
    /// Where each record ends.
    ends: Vec<usize>,
}

impl Stream {
    fn of(env: TestEnv, session: String) -> Self {
        let log = fs::read(env.log_of(&session)).unwrap();
        let ends = (1..=log.len()).filter(|end| log[end - 1] == b'\n').collect();
        let (head, earlier_head, snapshot) = (Vec::new(), Vec::new(), None);
        let mut stream = Self { env, session, log, head, snapshot, earlier_head, ends };
        stream.head = fs::read(stream.head_file()).unwrap();
        stream.snapshot = fs::read(stream.snapshot_file()).ok();
        stream
    }

    /// Three records, from the command line, and no snapshot.
    fn small() -> Self {
        let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
        env.init();
        let session = env.start("Cut");
        env.ok(&["note", "add", "one", "--session", &session]);
        let before = Self::of(env, session);
        before.env.ok(&["note", "add", "two", "--session", &before.session]);
        drop(fs::remove_file(before.snapshot_file()));
        let (earlier_head, env) = (before.head, before.env);
        let stream = Self { earlier_head, ..Self::of(env, before.session) };
        assert_eq!((stream.ends.len(), stream.snapshot.is_some()), (3, false));
        stream
    }

    /// The records of a conversation, with a snapshot of all of them.
    fn with_snapshot() -> Self {
        let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
        env.write("waypost.toml", "[project]\n");
        env.ok(&["init", "--harness", "claude-code"]);
        env.hook("SessionStart", &json!({"source": "startup"}));
        let sessions = env.json(&["list", "--all", "--json"]);
        let session = sessions[0]["session_id"].as_str().unwrap().to_owned();
        env.before_edit(&env.project().join("src/lib.txt"));
        let stream = Self::of(env, session);
        assert!(stream.snapshot.is_some());
        stream
    }

    fn log_file(&self) -> PathBuf {
        self.env.log_of(&self.session)
    }

    fn head_file(&self) -> PathBuf {
        self.env.store().join("heads").join(format!("session-{}", self.session))
    }

    fn snapshot_file(&self) -> PathBuf {
        self.log_file().with_file_name("snapshot")
    }

    /// Puts everything back, with the log cut after `keep` bytes.
    fn cut(&self, keep: usize) {
        fs::write(self.log_file(), &self.log[..keep]).unwrap();
        fs::write(self.head_file(), &self.head).unwrap();
        match &self.snapshot {
            Some(content) => fs::write(self.snapshot_file(), content).unwrap(),
            None => drop(fs::remove_file(self.snapshot_file())),
        }
    }

    fn verify(&self, at: &str) -> (bool, String) {
        let output = self.env.waypost(&["verify", &self.session]);
        let told = everything(&output);
        let status = output.status.code();
        assert!(matches!(status, Some(0 | 3)), "{at}: {told}");
        (status == Some(0), told)
    }

    /// The log is cut after `keep` bytes, and records up to `acknowledged` had been acknowledged.
    fn survives(&self, keep: usize, acknowledged: usize) {
        let at = format!("{keep} of {} bytes", self.log.len());
        let whole = self.ends.iter().filter(|end| **end <= keep).count();
        let (lost, torn) = (whole < acknowledged, self.ends[..whole].last().unwrap_or(&0) < &keep);
        self.cut(keep);
        let (fine, told) = self.verify(&at);
        assert_eq!(fine, !lost, "{at}: {told}");
        if lost {
            assert!(told.contains(&format!("record {acknowledged} had been")), "{at}: {told}");
        }
        let output = self.env.waypost(&["note", "add", "after", "--session", &self.session]);
        let told = everything(&output);
        // Of what was acknowledged, no more than a last line that is torn may be missing.
        if lost && !(torn && whole + 1 == acknowledged) {
            assert!(matches!(output.status.code(), Some(1 | 3)), "{at}: {told}");
            assert_eq!(fs::read(self.log_file()).unwrap(), &self.log[..keep], "{at}");
            assert_eq!(fs::read(self.head_file()).unwrap(), self.head, "{at}: the proof is gone");
            return assert!(!self.verify(&at).0, "{at}");
        }
        assert!(output.status.success(), "{at}: {told}");
        assert_eq!(told.contains("warning"), lost || torn, "{at}: {told}");
        let history = self.env.json(&["history", &self.session, "--json"]);
        let events = history["events"].as_array().unwrap();
        let mended = usize::from(lost || torn);
        assert_eq!(events.len(), whole + mended + 1, "{at}");
        assert_eq!(events.last().unwrap()["event"]["text"], "after", "{at}");
        let (fine, told) = self.verify(&at);
        assert_eq!(fine, !lost, "{at}, afterwards: {told}");
    }

    /// A flipped bit of the byte at `place` is told.
    fn flip(&self, path: &Path, good: &[u8], place: usize) {
        let mut bad = good.to_vec();
        bad[place] ^= 1 << (place % 8);
        fs::write(path, bad).unwrap();
        let at = format!("{}, byte {place} of {}", path.display(), good.len());
        let (fine, told) = self.verify(&at);
        assert!(!fine, "{at}: {told}");
    }
}

/// Does `work` in every worker, each with a stream of its own; it is told which worker it is.
fn in_each_worker(stream: fn() -> Stream, work: impl Fn(usize, Stream) + Sync) {
    std::thread::scope(|scope| {
        for worker in 0..WORKERS {
            let work = &work;
            scope.spawn(move || work(worker, stream()));
        }
    });
}

#[test]
fn a_log_cut_at_any_byte_goes_on_or_is_refused_and_lost_records_stay_told() {
    in_each_worker(Stream::small, |worker, stream| {
        for keep in (worker..=stream.log.len()).step_by(WORKERS) {
            stream.survives(keep, 3);
        }
    });
}

#[test]
fn a_record_that_was_never_acknowledged_may_be_cut_at_any_byte() {
    in_each_worker(Stream::small, |worker, mut stream| {
        // The process died before it had written the head.
        stream.head.clone_from(&stream.earlier_head);
        let last = stream.ends[1];
        for keep in (last + worker..=stream.log.len()).step_by(WORKERS) {
            stream.survives(keep, 2);
        }
    });
}

#[test]
fn a_flipped_bit_in_any_byte_of_log_snapshot_and_head_is_told() {
    in_each_worker(Stream::with_snapshot, |worker, stream| {
        let snapshot = stream.snapshot.clone().unwrap();
        for (file, good) in [
            (stream.log_file(), &stream.log),
            (stream.snapshot_file(), &snapshot),
            (stream.head_file(), &stream.head),
        ] {
            for place in (worker..good.len()).step_by(WORKERS) {
                stream.flip(&file, good, place);
            }
            fs::write(&file, good).unwrap();
            assert!(stream.verify("put back").0);
        }
    });
}
