//! Every bit of every byte that is kept: flipped, each of them is told.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{add, notes, ring, session};
use waypost_core::id::StreamId;
use waypost_core::key::Keyring;
use waypost_core::session::SessionState;
use waypost_store::{FileLog, Streams, keys};

/// A session of two notes whose snapshot is current.
struct Small {
    _folder: tempfile::TempDir,
    root: PathBuf,
    stream: StreamId,
}

impl Small {
    fn new(ring: Keyring) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("waypost");
        let small = Self { _folder: folder, root, stream: session("bits") };
        let log = small.log(ring);
        assert!(log.create(&small.stream).unwrap());
        add(&log, &small.stream, &["one ünï"]).unwrap();
        add(&log, &small.stream, &["two"]).unwrap();
        log.load_and_refresh::<SessionState>(&small.stream).unwrap();
        small
    }

    fn log(&self, ring: Keyring) -> Streams {
        FileLog::new(self.root.clone(), ring).into()
    }

    fn log_file(&self) -> PathBuf {
        self.log(ring()).place(&self.stream)
    }

    fn head_file(&self) -> PathBuf {
        self.root.join("heads").join(self.stream.to_string().replace('/', "-"))
    }

    fn snapshot_file(&self) -> PathBuf {
        self.log_file().with_file_name("snapshot")
    }

    /// What is wrong, in words; empty if nothing is.
    fn faults(&self, log: &Streams) -> Vec<String> {
        match log.verify::<SessionState>(&self.stream) {
            Ok(report) => report.faults,
            Err(error) => vec![error.to_string()],
        }
    }
}

/// Calls `look` with every bit of the file flipped in turn, and puts the file back. Returns how
/// many bits that were.
fn each_bit_flipped(path: &Path, mut look: impl FnMut(&str)) -> usize {
    let good = fs::read(path).unwrap();
    for byte in 0..good.len() {
        for bit in 0..8 {
            let mut bad = good.clone();
            bad[byte] ^= 1 << bit;
            fs::write(path, &bad).unwrap();
            look(&format!("{}, byte {byte} of {}, bit {bit}", path.display(), good.len()));
        }
    }
    fs::write(path, &good).unwrap();
    good.len() * 8
}

fn every_bit_is_told(which: fn(&Small) -> PathBuf) {
    let small = Small::new(ring());
    let log = small.log(ring());
    assert_eq!(small.faults(&log), [] as [String; 0]);
    let file = which(&small);
    let bits = each_bit_flipped(&file, |at| {
        assert!(!small.faults(&log).is_empty(), "{at}: nobody noticed");
    });
    assert!(bits > 3_000, "{bits} bits are not the whole file");
    assert_eq!(small.faults(&log), [] as [String; 0], "put back");
}

#[test]
fn given_any_bit_of_the_log_flipped_verify_tells_it() {
    every_bit_is_told(Small::log_file);
}

#[test]
fn given_any_bit_of_the_head_flipped_verify_tells_it() {
    every_bit_is_told(Small::head_file);
}

#[test]
fn given_any_bit_of_the_snapshot_flipped_verify_tells_it() {
    every_bit_is_told(Small::snapshot_file);
}

#[test]
fn given_any_bit_of_the_log_flipped_no_wrong_note_is_ever_read() {
    let small = Small::new(ring());
    let log = small.log(ring());
    let good = notes(&log.records(&small.stream).unwrap());
    each_bit_flipped(&small.log_file(), |at| {
        if let Ok(records) = log.records(&small.stream) {
            let read = notes(&records);
            // The last line's end is the one byte without which a record is only unfinished.
            assert_eq!(read[..], good[..1], "{at}");
        }
    });
}

#[test]
fn given_any_bit_of_a_snapshot_flipped_the_state_is_made_again_the_same() {
    let small = Small::new(ring());
    let log = small.log(ring());
    let good = log.load::<SessionState>(&small.stream).unwrap().state;
    each_bit_flipped(&small.snapshot_file(), |at| {
        assert_eq!(log.load::<SessionState>(&small.stream).unwrap().state, good, "{at}");
        let told = log.mend_snapshot::<SessionState>(&small.stream).unwrap();
        assert!(told.is_some_and(|told| told.contains("made again")), "{at}");
        assert_eq!(log.mend_snapshot::<SessionState>(&small.stream).unwrap(), None, "{at}: once");
    });
}

#[test]
fn given_any_bit_of_the_key_file_flipped_no_key_comes_out_of_it_that_verifies_anything() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key");
    assert!(keys::create(&file).unwrap());
    let small = Small::new(keys::load(&file, None).unwrap());
    let mut read = 0;
    let bits = each_bit_flipped(&file, |at| {
        let Ok(ring) = keys::load(&file, None) else { return };
        read += 1;
        assert!(!small.faults(&small.log(ring)).is_empty(), "{at}: it still verifies");
    });
    assert!(bits > 700, "{bits} bits are not the whole file");
    assert_eq!(read, 0, "the key's own id already tells");
    assert_eq!(small.faults(&small.log(keys::load(&file, None).unwrap())), [] as [String; 0]);
}
