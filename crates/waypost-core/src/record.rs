//! Records: how events stand in a stream, one line each, chained by hash and signed.
//!
//! The bytes on disk are the canonical form. A line is taken apart and put together again on
//! reading, and has to come out the same: any other bytes are damage.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::actor::Actor;
use crate::canonical::{self, CanonicalError};
use crate::event::Event;
use crate::id::StreamId;
use crate::key::{Key, Keyring, SignatureError, sha256_hex};
use crate::time::Timestamp;

/// The format version of record lines.
pub const FORMAT: u64 = 1;

const PURPOSE: &str = "waypost-record";
/// What stands in the record with which a stream begins whose earlier records are gone. The signature covers its number,
/// and it says itself which records are missing, so that none can be left out without a word.
const RESTORED: &str = r#""type":"session_restored""#;

/// An event that is about to be recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// When it happened.
    pub time: Timestamp,
    /// Who caused it.
    pub actor: Actor,
    /// What happened.
    pub event: Event,
}

/// An event with its place in the stream.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Its place, from 1.
    pub seq: u64,
    /// When it happened.
    pub time: Timestamp,
    /// Who caused it.
    pub actor: Actor,
    /// What happened.
    pub event: Event,
}

/// Where a stream stands: after which record, and how the next one chains to it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, Deserialize)]
pub struct Position {
    /// The last record's sequence number; 0 before the first.
    pub seq: u64,
    /// The last record's hash.
    pub hash: String,
    /// How many bytes of the stream lie before.
    pub bytes: u64,
}

/// What is wrong with a record line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// The line is not a record in canonical form.
    #[error("it is not a record in canonical form")]
    Malformed,
    /// The line is of a format that this version does not read.
    #[error("it was made by a newer Waypost (v{0}; this one reads v{FORMAT})")]
    Version(u64),
    /// The sequence numbers do not follow each other.
    #[error("it has sequence number {found} where {expected} belongs")]
    Sequence {
        /// What belongs there.
        expected: u64,
        /// What stands there.
        found: u64,
    },
    /// The record does not continue the one before.
    #[error("it does not continue the record before it (the hash chain is broken)")]
    Chain,
    /// The signature does not hold.
    #[error(transparent)]
    Signature(#[from] SignatureError),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire<'a> {
    #[serde(borrow)]
    actor: &'a RawValue,
    #[serde(borrow)]
    event: &'a RawValue,
    mac: &'a str,
    prev: &'a str,
    seq: u64,
    time: &'a str,
    v: u64,
}

impl Position {
    /// Before the first record of `stream`.
    pub fn start(stream: &StreamId) -> Self {
        Self {
            seq: 0,
            hash: sha256_hex(&[b"waypost-genesis\0", stream.to_string().as_bytes()]),
            bytes: 0,
        }
    }

    /// The hash after `count` lines of `bytes`, which were checked before.
    pub fn hash_after(stream: &StreamId, bytes: &[u8], count: usize) -> String {
        let line =
            count.checked_sub(1).and_then(|last| bytes.split(|byte| *byte == b'\n').nth(last));
        line.map_or_else(|| Self::start(stream).hash, |line| sha256_hex(&[line]))
    }

    /// The version of a line that a newer Waypost wrote, if that is what it is.
    pub fn newer_format(line: &[u8]) -> Option<u64> {
        #[derive(Deserialize)]
        struct Newer<'a> {
            v: u64,
            #[serde(borrow, rename = "mac")]
            _mac: &'a str,
        }
        let line: Newer<'_> = serde_json::from_slice(line).ok()?;
        (line.v > FORMAT).then_some(line.v)
    }

    /// Encodes `draft` as the next line (with its newline) and moves on.
    pub fn append(
        &mut self,
        stream: &StreamId,
        key: &Key,
        draft: &Draft,
    ) -> Result<String, CanonicalError> {
        let actor = canonical::to_string(&draft.actor)?;
        let event = canonical::of_value(&draft.event.to_value()?)?;
        let front = format!(r#"{{"actor":{actor},"event":{event},"#);
        let back = format!(
            r#""prev":"{}","seq":{},"time":"{}","v":{FORMAT}}}"#,
            self.hash,
            self.seq + 1,
            draft.time
        );
        let stream = stream.to_string();
        let mac = key.sign(PURPOSE, &[stream.as_bytes(), front.as_bytes(), back.as_bytes()]);
        let line = format!("{front}\"mac\":\"{mac}\",{back}\n");
        self.advance(&line);
        Ok(line)
    }

    /// Decodes and checks the next line (with its newline) and moves on.
    pub fn read(
        &mut self,
        stream: &StreamId,
        ring: &Keyring,
        line: &[u8],
    ) -> Result<Record, RecordError> {
        self.read_with(stream, line, |mac, parts| ring.verify(mac, PURPOSE, parts))
    }

    /// The same, but a signature with a key that is not in the keyring is let pass. Only for those
    /// who know the stream's content by its hash, or tell that nothing is known of it.
    pub fn read_unverified(
        &mut self,
        stream: &StreamId,
        ring: &Keyring,
        line: &[u8],
    ) -> Result<Record, RecordError> {
        self.read_with(stream, line, |mac, parts| match ring.verify(mac, PURPOSE, parts) {
            Err(SignatureError::UnknownKey(_)) => Ok(()),
            checked => checked,
        })
    }

    fn read_with(
        &mut self,
        stream: &StreamId,
        line: &[u8],
        check: impl FnOnce(&str, &[&[u8]]) -> Result<(), SignatureError>,
    ) -> Result<Record, RecordError> {
        let text = std::str::from_utf8(line).map_err(|_| RecordError::Malformed)?;
        let body = text.strip_suffix('\n').ok_or(RecordError::Malformed)?;
        let wire: Wire<'_> = serde_json::from_str(body).map_err(|_| {
            Self::newer_format(body.as_bytes()).map_or(RecordError::Malformed, RecordError::Version)
        })?;
        if wire.v != FORMAT {
            return Err(RecordError::Version(wire.v));
        }
        let (front, back) = signed_parts(body, &wire).ok_or(RecordError::Malformed)?;
        let stream = stream.to_string();
        check(wire.mac, &[stream.as_bytes(), front.as_bytes(), back.as_bytes()])?;
        let is_first = self.seq == 0 && self.bytes == 0;
        if is_first && wire.seq > 1 && wire.event.get().contains(RESTORED) {
            let record = decode(&wire)?;
            let before = Self::before_restored(&record).ok_or(RecordError::Chain)?;
            if wire.prev != before.hash || wire.seq != before.seq + 1 {
                return Err(RecordError::Chain);
            }
            *self = before;
            self.advance(text);
            return Ok(record);
        }
        if wire.seq != self.seq + 1 {
            return Err(RecordError::Sequence { expected: self.seq + 1, found: wire.seq });
        }
        if wire.prev != self.hash {
            return Err(RecordError::Chain);
        }
        let record = decode(&wire)?;
        self.advance(text);
        Ok(record)
    }

    /// Where a stream stands before the record with which it goes on though its records are gone.
    fn before_restored(record: &Record) -> Option<Self> {
        let restored = record.event.restored()?;
        Some(Self { seq: restored.up_to, hash: restored.head.clone(), bytes: 0 })
    }

    fn advance(&mut self, line: &str) {
        self.seq += 1;
        self.hash = sha256_hex(&[line.trim_end_matches('\n').as_bytes()]);
        self.bytes += line.len() as u64;
    }
}

/// The parts of the line around its signature, if the line is put together exactly as it should be.
/// Numbers need no second look: JSON has only one way to write a small whole one.
fn signed_parts<'a>(body: &'a str, wire: &Wire<'_>) -> Option<(&'a str, &'a str)> {
    let without_number = |rest: &'a str| rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let middle = body
        .strip_prefix(r#"{"actor":"#)?
        .strip_prefix(wire.actor.get())?
        .strip_prefix(r#","event":"#)?
        .strip_prefix(wire.event.get())?
        .strip_prefix(',')?;
    let back = middle.strip_prefix(r#""mac":""#)?.strip_prefix(wire.mac)?.strip_prefix("\",")?;
    let seq =
        back.strip_prefix(r#""prev":""#)?.strip_prefix(wire.prev)?.strip_prefix(r#"","seq":"#)?;
    let v = without_number(seq)
        .strip_prefix(r#","time":""#)?
        .strip_prefix(wire.time)?
        .strip_prefix(r#"","v":"#)?;
    let front = &body[..body.len() - middle.len()];
    (without_number(v) == "}").then_some((front, back))
}

fn decode(wire: &Wire<'_>) -> Result<Record, RecordError> {
    let (actor, event) = (wire.actor.get(), wire.event.get());
    if !canonical::is_canonical(actor) || !canonical::is_canonical(event) {
        return Err(RecordError::Malformed);
    }
    Ok(Record {
        seq: wire.seq,
        time: wire.time.parse().map_err(|_| RecordError::Malformed)?,
        actor: serde_json::from_str(actor).map_err(|_| RecordError::Malformed)?,
        event: Event::from_json(event).map_err(|_| RecordError::Malformed)?,
    })
}

#[cfg(test)]
mod tests;
