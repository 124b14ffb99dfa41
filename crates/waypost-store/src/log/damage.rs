//! What is wrong with a stream's end, and what is done about it before something is added.
//!
//! A last line that is torn is kept aside and told; a head that is missing is made again from records
//! that verify. Anything else is an error: nothing is ever added behind records that are broken, and
//! no head gives way that knows of records which are gone.

use waypost_core::event::TailCut;
use waypost_core::id::StreamId;
use waypost_core::record::{Position, Record};

use super::{FileLog, name_of};
use crate::disk::Disk;
use crate::event_log::Each;
use crate::head::Head;
use crate::upkeep::Upkeep;
use crate::{StoreError, files, tail};

/// What has to be told by the stream before something is added to it.
pub(super) struct Mending {
    /// What is recorded.
    pub(super) cut: TailCut,
    /// The line that was torn, as a copy of the stream has it: its record, and where the stream stands
    /// behind it.
    pub(super) restored: Option<(String, Record, Position)>,
}

impl<D: Disk> FileLog<D> {
    /// Compares a stream's end with what was acknowledged: by the head, and by whoever `knew` it
    /// before.
    pub(super) fn damage(
        &self,
        stream: &StreamId,
        head: &Head,
        knew: Option<&Position>,
        end: &Position,
        torn: &[u8],
    ) -> Result<Option<Mending>, StoreError> {
        let path = self.path_of(stream);
        let acknowledged = head.acknowledged();
        if acknowledged.is_some_and(|known| known.seq == end.seq && known.hash != end.hash) {
            return Err(StoreError::Head { path, number: end.seq });
        }
        let gone = knew.into_iter().chain(acknowledged).max_by_key(|known| known.seq);
        let mut cut = TailCut {
            bytes: torn.len() as u64,
            kept: None,
            lost: None,
            head_missing: false,
            in_doubt: false,
            restored: 0,
        };
        let mut restored = None;
        match gone.filter(|known| known.seq > end.seq) {
            Some(known) if known.seq == end.seq + 1 && !torn.is_empty() => {
                restored = self.restore(stream, known, end);
                cut.lost = restored.is_none().then_some(known.seq);
                cut.restored = u64::from(restored.is_some());
            }
            Some(known) => {
                return Err(StoreError::Lost { path, found: end.seq, known: known.seq });
            }
            None => {}
        }
        match head {
            // A slot that a crash tore belongs to a record that was synced before. If there is
            // none, the slot may have been destroyed together with its record.
            Head::At { position, damaged, .. } => {
                cut.in_doubt = *damaged && position.seq == end.seq;
            }
            Head::Missing | Head::Unreadable(_) => {
                self.check_all(stream, end)?;
                cut.head_missing = true;
            }
        }
        let is_sound = torn.is_empty() && !cut.head_missing && !cut.in_doubt;
        Ok((!is_sound).then_some(Mending { cut, restored }))
    }

    /// The record that was acknowledged as `known`, from a copy of the stream, if one has it.
    fn restore(
        &self,
        stream: &StreamId,
        known: &Position,
        end: &Position,
    ) -> Option<(String, Record, Position)> {
        let copies = self.copies.as_ref()?.of(stream);
        let follows = format!(r#""prev":"{}""#, end.hash);
        copies.iter().find_map(|copy| {
            let is_next =
                |line: &&[u8]| line.windows(follows.len()).any(|at| at == follows.as_bytes());
            let line = copy.split_inclusive(|byte| *byte == b'\n').find(is_next)?;
            let (mut position, mut found) = (end.clone(), None);
            let (path, trusted) = (self.path_of(stream), || self.trusted(stream));
            let from = (stream, &self.ring);
            let each: Each<'_> = &mut |_, record| found = Some(record);
            tail::read(&path, line, from, trusted, &mut position, each).ok()?;
            let record = found.filter(|_| position.hash == known.hash)?;
            Some((String::from_utf8(line.to_vec()).ok()?, record, position))
        })
    }

    /// Reads every record, which takes a while, where nothing else tells whether they are good. Others
    /// may add some meanwhile, behind `end`.
    pub(super) fn check_all(&self, stream: &StreamId, end: &Position) -> Result<(), StoreError> {
        let mut is_there = false;
        self.visit(stream, &mut Position::start(stream), &mut |position, _| {
            is_there |= position == end;
        })?;
        if is_there || end.seq == 0 {
            return Ok(());
        }
        Err(StoreError::Tail { path: self.path_of(stream), number: end.seq })
    }

    /// Keeps aside what is no record, and makes room for a head where none can be read. Returns what
    /// somebody should be told.
    pub(super) fn make_room(
        &self,
        stream: &StreamId,
        (head, end): (&Head, &Position),
        torn: &[u8],
        mending: &mut Mending,
    ) -> Result<String, StoreError> {
        let name = format!("{}-after-{}", name_of(stream), end.seq);
        let folder = self.root.join("torn");
        if !torn.is_empty() {
            self.make_folder(&folder)?;
            files::replace_on(&self.disk, &folder.join(&name), torn, true)?;
            mending.cut.kept = Some(format!("torn/{name}"));
        }
        if mending.cut.head_missing {
            self.make_folder(&self.root.join("heads"))?;
        }
        let Head::Unreadable(why) = head else { return Ok(describe(mending, end.seq)) };
        self.move_head_away(stream, end)?;
        Ok(format!("{why}; {}", describe(mending, end.seq)))
    }

    /// Makes room where something lies that is no head: a folder cannot be written over.
    pub(super) fn move_head_away(
        &self,
        stream: &StreamId,
        end: &Position,
    ) -> Result<(), StoreError> {
        let (path, folder) = (self.head_of(stream), self.root.join("torn"));
        self.make_folder(&folder)?;
        let aside = folder.join(format!("head-{}-after-{}", name_of(stream), end.seq));
        self.disk.rename(&path, &aside).map_err(StoreError::io("cannot move away", &path))
    }
}

fn describe(Mending { cut, restored }: &Mending, end: u64) -> String {
    let bytes = cut.bytes;
    if cut.in_doubt && cut.lost.is_none() {
        return format!(
            "a part of the head was destroyed: whether record {} had been acknowledged and is lost \
             cannot be told",
            end + 1
        );
    }
    match (cut.lost, restored, cut.head_missing) {
        (Some(lost), _, _) => format!(
            "the last line was torn: record {lost} had been acknowledged and is missing; \
             {bytes} bytes of it were kept aside"
        ),
        (None, Some(_), _) => {
            format!("the last line was torn: record {} was taken over from a copy", end + 1)
        }
        (None, None, true) => format!(
            "the head was missing and was made again from {end} good record{}; whether any behind \
             that are missing cannot be told",
            if end == 1 { "" } else { "s" }
        ),
        (None, None, false) => {
            format!("{bytes} bytes of an unfinished write were cut off and kept aside")
        }
    }
}
