//! Checking a stream from its first byte to its last.

use waypost_core::event::{Event, Known};
use waypost_core::id::StreamId;
use waypost_core::loss::Loss;
use waypost_core::record::{Position, Record};

use super::FileLog;
use crate::StoreError;
use crate::disk::Disk;
use crate::event_log::Each;
use crate::head::Head;
use crate::upkeep::Report;

/// Checks chain, signatures and head of a stream in files.
pub(super) fn check<D: Disk>(
    log: &FileLog<D>,
    stream: &StreamId,
    each: Each<'_>,
) -> Result<Report, StoreError> {
    let mut report = Report::start(stream);
    let head = log.read_head(stream)?;
    let acknowledged = head.acknowledged();
    let mut position = Position::start(stream);
    let mut hash_at_head = position.hash.clone();
    let mut cuts = Vec::new();
    let torn = log.visit(stream, &mut position, &mut |position, record| {
        match &record.event {
            Event::Known(Known::TailCut(cut)) => {
                report.lost = Loss::after_cut(report.lost, record.seq, cut);
            }
            Event::Known(Known::LossAccepted { .. }) => report.lost = None,
            Event::Known(Known::SessionRestored(restored)) => report.lost = Some(restored.loss()),
            Event::Known(_) | Event::Other(_) => {}
        }
        if acknowledged.is_some_and(|head| head.seq == position.seq) {
            hash_at_head.clone_from(&position.hash);
        }
        if matches!(record.event, Event::Known(Known::TailCut(_))) {
            cuts.push(record.clone());
        }
        each(position, record);
    });
    report.records = position.seq;
    let Some(torn) = report.fault(torn)? else { return Ok(report) };
    tell_cuts(&mut report, &cuts);
    let path = log.head_of(stream);
    match &head {
        Head::Unreadable(why) => report.faults.push(why.to_string()),
        Head::Missing => {
            report.faults.push(format!("{}: the head is missing", path.display()));
        }
        Head::At { position: head, damaged, .. } => {
            if *damaged {
                let path = path.display();
                report.faults.push(format!("{path}: one of the head's two slots is damaged"));
            }
            compare_head(&mut report, log, head, (&position, &hash_at_head), &torn);
        }
    }
    report.is_readable = true;
    Ok(report)
}

/// Notes what was cut off at other times.
fn tell_cuts(report: &mut Report, records: &[Record]) {
    for record in records {
        let Event::Known(Known::TailCut(cut)) = &record.event else {
            continue;
        };
        let seq = record.seq;
        match (cut.lost, cut.head_missing) {
            (None, _) if cut.in_doubt => {}
            (Some(lost), _) => report
                .notes
                .push(format!("before record {seq}, acknowledged records up to {lost} were lost")),
            (None, true) => report
                .notes
                .push(format!("before record {seq} the head was missing and was made again")),
            (None, false) if cut.restored > 0 => report.notes.push(format!(
                "before record {seq}, {} of the records were taken from elsewhere",
                cut.restored
            )),
            (None, false) => report.notes.push(format!(
                "before record {seq}, {} bytes of an unfinished write were cut off",
                cut.bytes
            )),
        }
    }
}

/// Compares the head with where the records end.
fn compare_head<D: Disk>(
    report: &mut Report,
    log: &FileLog<D>,
    head: &Position,
    (end, hash_at_head): (&Position, &str),
    torn: &[u8],
) {
    let path = log.path_of(&report.stream);
    if head.seq > end.seq {
        report.faults.push(format!(
            "{}: ends after record {}, but record {} had been acknowledged",
            path.display(),
            end.seq,
            head.seq
        ));
    } else if hash_at_head != head.hash {
        report.faults.push(format!(
            "{}: record {} is not the one that was acknowledged",
            path.display(),
            head.seq
        ));
    } else if !torn.is_empty() {
        report.notes.push(format!(
            "{} bytes of an unfinished write stand at the end; the next append cuts them off",
            torn.len()
        ));
    }
}
