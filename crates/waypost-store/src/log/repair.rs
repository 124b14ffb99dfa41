//! Putting a damaged stream together again from everything that still has records of it.
//!
//! Nothing is thrown away: what lay there before is kept aside, and what could not be found again is
//! recorded in the stream as lost.

use std::collections::BTreeMap;
use std::io::ErrorKind::PermissionDenied;
use std::path::Path;

use serde::Deserialize;
use waypost_core::actor::Actor;
use waypost_core::event::{Event, Known, TailCut};
use waypost_core::id::StreamId;
use waypost_core::key::SignatureError;
use waypost_core::loss::Loss;
use waypost_core::record::{Draft, Position, Record, RecordError};
use waypost_core::time::Timestamp;

use super::upkeep::MAX_STREAM;
use super::{FileLog, name_of};
use crate::disk::Disk;
use crate::head::Head;
use crate::os::is_about_what_lies_there;
use crate::upkeep::{Repaired, Upkeep};
use crate::{StoreError, files, head, os};

/// What stands in the first record of a stream whose earlier records are gone.
const RESTORED: &str = r#""type":"session_restored""#;

/// What is found of a stream before anything is changed.
struct FoundRecords {
    /// Its file's content, where that can be read.
    own: Option<Vec<u8>>,
    head: Head,
    chain: Chain,
    lost: Option<Loss>,
}

impl<D: Disk> FileLog<D> {
    /// Puts a stream together again from its own file, what was kept of its end, and its copies.
    pub(super) fn repair_file(
        &self,
        stream: &StreamId,
        now: Timestamp,
        begin: Option<Event>,
    ) -> Result<Option<Repaired>, StoreError> {
        let _lock = self.lock_stream(stream)?;
        let found = self.find(stream)?;
        if found.is_whole() {
            return Ok(None);
        }
        let restored = found.chain.restored;
        let mut repaired =
            Repaired { restored, lost: found.lost, kept: None, records: found.chain.position.seq };
        let FoundRecords { own, head, mut chain, lost, .. } = found;
        let path = self.path_of(stream);
        if own.as_deref() != Some(&chain.bytes) || lost.is_some() {
            repaired.kept = self.keep_aside(stream, own.as_deref(), chain.position.seq)?;
            let bytes = own.as_ref().map_or(0, Vec::len).saturating_sub(chain.own) as u64;
            let cut = TailCut {
                bytes,
                kept: repaired.kept.clone(),
                lost: lost.filter(|lost| !lost.in_doubt).map(|lost| lost.to),
                head_missing: false,
                in_doubt: lost.is_some_and(|lost| lost.in_doubt),
                restored,
            };
            let begin = begin.filter(|_| chain.position.seq == 0);
            for event in begin.into_iter().chain([Known::TailCut(cut).into()]) {
                let draft = Draft { time: now, actor: Actor::Waypost, event };
                let line = chain.position.append(stream, self.ring.current(), &draft)?;
                chain.bytes.extend(line.into_bytes());
            }
            let folder = self.folder_of(stream);
            self.make_folder(&folder)?;
            files::replace_on(&self.disk, &path, &chain.bytes, true)?;
        }
        let path = self.head_of(stream);
        if matches!(head, Head::Unreadable(_)) {
            self.move_aside(&path)?;
        }
        self.make_folder(&self.root.join("heads"))?;
        head::write(&self.disk, &path, None, stream, &self.ring, (&head, &chain.position))?;
        repaired.records = chain.position.seq;
        self.drop_snapshots(stream)?;
        Ok(Some(repaired))
    }

    /// What repairing it would come to; nothing changes.
    pub(super) fn examine_file(&self, stream: &StreamId) -> Result<Option<Repaired>, StoreError> {
        let found = self.find(stream)?;
        let Chain { restored, position, .. } = &found.chain;
        let (restored, records) = (*restored, position.seq);
        let repaired = Repaired { restored, lost: found.lost, kept: None, records };
        Ok((!found.is_whole()).then_some(repaired))
    }

    fn find(&self, stream: &StreamId) -> Result<FoundRecords, StoreError> {
        let path = self.path_of(stream);
        let own = match self.disk.read(&path, MAX_STREAM) {
            Ok(own) => Some(own.unwrap_or_default()),
            // Something else lies there. What is only out of reach may still be all there.
            Err(error) if error.kind() != PermissionDenied && is_about_what_lies_there(&error) => {
                None
            }
            Err(error) => return Err(StoreError::io("cannot read", &path)(error)),
        };
        let others = self.copies.as_ref().map_or_else(Vec::new, |copies| copies.of(stream));
        let torn = self.torn_of(stream);
        let mut sources = vec![own.as_deref().unwrap_or_default()];
        sources.extend(others.iter().chain(&torn).map(Vec::as_slice));
        let chain = self.assemble(stream, &sources)?;
        let head = self.read_head(stream)?;
        let mut acknowledged = chain.beyond;
        let mut other_hash = false;
        if let Some(position) = head.acknowledged() {
            acknowledged = acknowledged.max(position.seq);
            other_hash = chain.hash_at(position.seq).is_some_and(|hash| *hash != position.hash);
        }
        let end = chain.position.seq;
        let told = acknowledged <= chain.told;
        let torn_slot = matches!(&head, Head::At { position, damaged: true, .. }
            if position.seq == end && chain.told <= end);
        let lost = if torn_slot && acknowledged <= end && !other_hash {
            // The slot may have been destroyed together with a record that it told of.
            Some(Loss { from: end + 1, to: end + 1, in_doubt: true })
        } else if told {
            None
        } else if acknowledged > end {
            Some(Loss { from: end + 1, to: acknowledged, in_doubt: false })
        } else {
            other_hash.then_some(Loss { from: acknowledged, to: acknowledged, in_doubt: false })
        };
        Ok(FoundRecords { own, head, chain, lost })
    }

    /// The longest stream that the lines of `sources` make, the first one's before the others'.
    fn assemble(&self, stream: &StreamId, sources: &[&[u8]]) -> Result<Chain, StoreError> {
        let accepted = self.trusted(stream).unwrap_or_default();
        // What a newer Waypost wrote is not damage, wherever it stands: it may chain in another way.
        let newer = sources[0]
            .split(|byte| *byte == b'\n')
            .zip(1..)
            .find_map(|(line, number)| Some((number, Position::newer_format(line)?)));
        if let Some((number, version)) = newer {
            let (path, source) = (self.path_of(stream), RecordError::Version(version));
            return Err(StoreError::Record { path, number, source });
        }
        let mut lines: BTreeMap<String, Vec<(bool, &[u8])>> = BTreeMap::new();
        let mut numbers = Vec::new();
        for (place, source) in sources.iter().enumerate() {
            for line in source.split(|byte| *byte == b'\n') {
                if let Ok(Link { prev, seq }) = serde_json::from_slice(line) {
                    numbers.push((seq, line));
                    lines.entry(prev).or_default().push((place == 0, line));
                }
            }
        }
        let mut chain = Chain::start(stream);
        // One whose earlier records are gone begins with the record that says so.
        let restored = |line: &&(bool, &[u8])| String::from_utf8_lossy(line.1).contains(RESTORED);
        let begins: Vec<(bool, &[u8])> =
            lines.values().flatten().filter(restored).copied().collect();
        'next: loop {
            let is_first = chain.position.seq == 0;
            let begins = begins.iter().filter(|_| is_first);
            for (is_own, line) in
                lines.get(&chain.position.hash).into_iter().flatten().chain(begins)
            {
                let whole = [line, &b"\n"[..]].concat();
                match self.read_line(stream, &mut chain.position, accepted.as_ref(), &whole) {
                    Ok(record) => chain.push(&record, &whole, *is_own),
                    // What somebody signed whose key is not known is not damage.
                    Err(source @ RecordError::Signature(SignatureError::UnknownKey(_)))
                        if *is_own =>
                    {
                        let (path, number) = (self.path_of(stream), chain.position.seq + 1);
                        return Err(StoreError::Record { path, number, source });
                    }
                    Err(_) => continue,
                }
                continue 'next;
            }
            break;
        }
        chain.beyond = self.beyond(stream, &numbers, chain.position.seq);
        Ok(chain)
    }

    fn read_line(
        &self,
        stream: &StreamId,
        position: &mut Position,
        accepted: Option<&Position>,
        line: &[u8],
    ) -> Result<Record, RecordError> {
        let mut next = position.clone();
        let read = next.read(stream, &self.ring, line).or_else(|error| match error {
            RecordError::Signature(SignatureError::UnknownKey(_))
                if accepted.is_some_and(|accepted| next.seq < accepted.seq) =>
            {
                next = position.clone();
                next.read_unverified(stream, &self.ring, line)
            }
            error => Err(error),
        })?;
        *position = next;
        Ok(read)
    }

    /// The last record that is there, well signed, without those that lead to it; 0 if there is none.
    fn beyond(&self, stream: &StreamId, lines: &[(u64, &[u8])], end: u64) -> u64 {
        let later = lines.iter().filter(|(seq, _)| *seq > end);
        let signed = later.filter(|(seq, line)| {
            let Ok(Link { prev, .. }) = serde_json::from_slice(line) else { return false };
            let before = Position { seq: seq - 1, hash: prev, bytes: 0 };
            let whole = [line, &b"\n"[..]].concat();
            before.clone().read(stream, &self.ring, &whole).is_ok()
        });
        signed.map(|(seq, _)| *seq).max().unwrap_or(0)
    }

    /// What was cut off the stream's end at other times.
    fn torn_of(&self, stream: &StreamId) -> Vec<Vec<u8>> {
        let folder = self.root.join("torn");
        let names = self.disk.names(&folder).unwrap_or_default();
        let prefix = format!("{}-", name_of(stream));
        let own = names.iter().filter(|name| name.starts_with(&prefix));
        own.filter_map(|name| self.disk.read(&folder.join(name), MAX_STREAM).ok().flatten())
            .collect()
    }

    /// Keeps what lies in the stream's place, whatever it is; where, below the project's store.
    fn keep_aside(
        &self,
        stream: &StreamId,
        own: Option<&[u8]>,
        end: u64,
    ) -> Result<Option<String>, StoreError> {
        let folder = self.root.join("torn");
        self.make_folder(&folder)?;
        match own {
            Some([]) => Ok(None),
            Some(own) => {
                let name = self.free_name(&format!("{}-damaged-after-{end}", name_of(stream)));
                files::replace_on(&self.disk, &folder.join(&name), own, true)?;
                Ok(Some(format!("torn/{name}")))
            }
            None => self.move_aside(&self.path_of(stream)),
        }
    }

    /// Moves away what is in the way of a file; where to, below the project's store.
    pub(super) fn move_aside(&self, path: &Path) -> Result<Option<String>, StoreError> {
        let folder = self.root.join("torn");
        self.make_folder(&folder)?;
        let owner = path.parent().and_then(Path::file_name).unwrap_or_default();
        let name = path.file_name().unwrap_or_default();
        let name = format!("{}-{}", owner.to_string_lossy(), name.to_string_lossy());
        let name = self.free_name(&name);
        match self.disk.rename(path, &folder.join(&name)) {
            Ok(()) => Ok(Some(format!("torn/{name}"))),
            Err(error) if os::is_absent(&error) => Ok(None),
            Err(error) => Err(StoreError::io("cannot move away", path)(error)),
        }
    }

    /// A name that nothing in `torn/` has: what was kept there before stays.
    fn free_name(&self, name: &str) -> String {
        let taken = self.disk.names(&self.root.join("torn")).unwrap_or_default();
        let numbered = (1..).map(|number: u64| format!("{name}-{number}"));
        let mut all = std::iter::once(name.to_owned()).chain(numbered);
        all.find(|name| !taken.contains(name)).unwrap_or_default()
    }

    /// Forgets every fold of the stream; they are made again from the records.
    fn drop_snapshots(&self, stream: &StreamId) -> Result<(), StoreError> {
        let folder = self.folder_of(stream);
        for name in ["snapshot", "story"] {
            let path = folder.join(name);
            if self.disk.remove(&path).is_err() {
                self.move_aside(&path)?;
            }
        }
        Ok(())
    }
}

/// What a line says about its place.
#[derive(Deserialize)]
struct Link {
    prev: String,
    seq: u64,
}

/// Records that follow each other.
struct Chain {
    bytes: Vec<u8>,
    position: Position,
    /// The hash of every record.
    hashes: BTreeMap<u64, String>,
    /// How many bytes of it are the stream's own.
    own: usize,
    /// How many records come from elsewhere.
    restored: u64,
    /// Up to which record the last one tells that others are lost: whoever repaired it got no further
    /// than that, and the head does not know it yet.
    told: u64,
    /// The last record that is there without those that lead to it.
    beyond: u64,
}

impl Chain {
    fn start(stream: &StreamId) -> Self {
        let position = Position::start(stream);
        let (bytes, hashes) = (Vec::new(), BTreeMap::new());
        Self { bytes, position, hashes, own: 0, restored: 0, told: 0, beyond: 0 }
    }

    fn push(&mut self, record: &Record, line: &[u8], is_own: bool) {
        self.bytes.extend(line);
        self.hashes.insert(record.seq, self.position.hash.clone());
        if is_own {
            self.own += line.len();
        } else {
            self.restored += 1;
        }
        self.told = match &record.event {
            Event::Known(Known::TailCut(cut)) => {
                cut.lost.or(cut.in_doubt.then_some(record.seq)).unwrap_or(0)
            }
            Event::Known(_) | Event::Other(_) => 0,
        };
    }

    fn hash_at(&self, number: u64) -> Option<&String> {
        self.hashes.get(&number)
    }
}

impl FoundRecords {
    fn is_whole(&self) -> bool {
        let head_fits = match &self.head {
            Head::At { position, damaged, .. } => {
                let fits = |hash: &String| *hash == position.hash;
                !damaged
                    && (position.seq == 0 || self.chain.hash_at(position.seq).is_some_and(fits))
            }
            Head::Missing | Head::Unreadable(_) => false,
        };
        self.own.as_deref() == Some(&self.chain.bytes) && self.lost.is_none() && head_fits
    }
}
