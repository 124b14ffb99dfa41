//! One durable event through the use case, beside the least that makes as many bytes durable.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use rustix::fs::{FlockOperation, flock};

use super::Bench;
use super::figure::{Figure, Target};
use super::pair::{by_turns, time};
use super::stream::Stream;
use crate::failure::{During, Failure};

/// Enough that all that follow have sequence numbers, and so lines, of one length.
const BEFORE: u64 = 1000;
/// Not one by one: what an append leaves to be written later would burden the other's sync. Enough
/// for several snapshots.
const AT_ONCE: usize = 20;

pub(super) fn measure(bench: &Bench<'_>) -> Result<Vec<Figure>, Failure> {
    let stream = Stream::begin(bench.project)?;
    stream.fill(BEFORE)?;
    let content = fs::read(stream.path()).during(|| stream.path().display().to_string())?;
    let line = content.split_inclusive(|byte| *byte == b'\n').next_back().unwrap_or_default();
    let bare = stream.path().with_file_name("bare");
    fs::write(&bare, &content).during(|| bare.display().to_string())?;
    let pair = by_turns(
        bench.rounds,
        AT_ONCE,
        || time(|| stream.note()),
        || time(|| append(&bare, line).during(|| bare.display().to_string())),
    )?;
    Ok(vec![Figure::new(
        "one durable note",
        "open, flock, append, fdatasync",
        pair,
        Target::AtMost(1.6),
    )])
}

pub(crate) fn append(path: &Path, line: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).open(path)?;
    flock(&file, FlockOperation::LockExclusive)?;
    file.write_all(line)?;
    file.sync_data()
}
