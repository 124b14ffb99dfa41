//! Verifying a long stream, beside parsing and hashing each of its lines once.

use std::fs;

use serde_json::Value;
use waypost_core::key::sha256_hex;
use waypost_core::session::SessionState;

use super::figure::{Figure, Target};
use super::pair::{by_turns, processor_time};
use super::{Bench, MANY, Stream};
use crate::failure::{During, Failure};

pub(super) fn measure(bench: &Bench<'_>) -> Result<Vec<Figure>, Failure> {
    let stream = bench.long;
    let pair = by_turns(
        bench.long_rounds(),
        1,
        || processor_time(|| verify_well(stream)),
        || processor_time(|| parse_and_hash(stream)),
    )?;
    Ok(vec![Figure::new(
        "verify, 100,000 events (processor)",
        "parse and SHA-256 every line once",
        pair,
        Target::AtMost(3.0),
    )])
}

fn verify_well(stream: &Stream<'_>) -> Result<(), Failure> {
    let report = stream.view.log.verify::<SessionState>(&stream.id);
    let report = report.during(|| format!("verifying {}", stream.id))?;
    if report.faults.is_empty() && report.records == MANY {
        return Ok(());
    }
    Err(Failure::new(format!("verifying {}: {report:?}", stream.id)))
}

fn parse_and_hash(stream: &Stream<'_>) -> Result<(), Failure> {
    let path = stream.path();
    let content = fs::read(&path).during(|| path.display().to_string())?;
    for line in content.split_inclusive(|byte| *byte == b'\n') {
        let value: Value = serde_json::from_slice(line).during(|| path.display().to_string())?;
        std::hint::black_box((value, sha256_hex(&[line])));
    }
    Ok(())
}
