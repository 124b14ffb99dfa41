//! A stream's file while its lock is held: read to its end, compared with what was acknowledged, and added
//! to.

use waypost_core::actor::Actor;
use waypost_core::event::Known;
use waypost_core::id::StreamId;
use waypost_core::record::{Draft, Position, Record};

use super::FileLog;
use super::damage::Mending;
use super::reading::Behind;
use super::writing::End;
use crate::disk::Disk;
use crate::event_log::{Each, Held, Knows, Reached};
use crate::head::Head;
use crate::{StoreError, head};

/// A stream's file and its lock.
pub(super) struct HeldFile<'a, D: Disk> {
    log: &'a FileLog<D>,
    stream: &'a StreamId,
    _lock: D::Lock,
    found: Option<FoundEnd<D::Written>>,
}

/// A stream's end as it was found.
struct FoundEnd<W> {
    /// Where its own whole records end.
    end: Position,
    /// What stands behind them and is no record.
    torn: Vec<u8>,
    head: Head,
    mending: Option<Mending>,
    /// The stream's file and the head's, where they were kept open.
    open: Option<W>,
    open_head: Option<W>,
    /// Where the stream stands with what is taken from a copy.
    position: Position,
}

impl<'a, D: Disk> HeldFile<'a, D> {
    pub(super) fn new(log: &'a FileLog<D>, stream: &'a StreamId, lock: D::Lock) -> Self {
        Self { log, stream, _lock: lock, found: None }
    }

    /// The stream's end; where nobody has loaded it, it is looked at now.
    fn take_found(&mut self) -> Result<FoundEnd<D::Written>, StoreError> {
        if let Some(found) = self.found.take() {
            return Ok(found);
        }
        let mut position = Position::start(self.stream);
        let seen = self.log.look_to_append(self.stream, &position)?;
        self.find(seen, &mut position, None, &mut |_, _| {})
    }

    fn find(
        &self,
        (behind, open): (Behind, Option<D::Written>),
        position: &mut Position,
        knew: Option<&Position>,
        each: Each<'_>,
    ) -> Result<FoundEnd<D::Written>, StoreError> {
        let Self { log, stream, .. } = self;
        let torn = log.follow(stream, position, &behind, each)?;
        let end = position.clone();
        let (head, open_head) =
            head::read_to_write(&log.disk, &log.head_of(stream), stream, &log.ring)?;
        let mending = log.damage(stream, &head, knew, &end, &torn)?;
        if let Some((_, record, after)) = mending.as_ref().and_then(|one| one.restored.as_ref()) {
            position.clone_from(after);
            each(position, record.clone());
        }
        let position = position.clone();
        Ok(FoundEnd { end, torn, head, mending, open, open_head, position })
    }
}

impl<D: Disk> Held for HeldFile<'_, D> {
    fn load(
        &mut self,
        from: Knows<'_>,
        position: &mut Position,
        each: Each<'_>,
    ) -> Result<Reached, StoreError> {
        let seen = self.log.look_to_append(self.stream, position)?;
        let knew = match from {
            Knows::Nearer if matches!(seen.0, Behind::Far) => return Ok(Reached::Nothing),
            Knows::Nearer | Knows::Nothing => None,
            Knows::Longer(known) => Some(known),
        };
        self.found = Some(self.find(seen, position, knew, each)?);
        Ok(Reached::End)
    }

    fn append(
        &mut self,
        mut drafts: Vec<Draft>,
        each: Each<'_>,
    ) -> Result<Vec<String>, StoreError> {
        let found = self.take_found()?;
        let FoundEnd { end, torn, head, mending, open, open_head, mut position } = found;
        let Some(now) = drafts.first().map(|draft| draft.time) else { return Ok(Vec::new()) };
        let Self { log, stream, .. } = self;
        let (mut lines, mut warnings) = (String::new(), Vec::new());
        if let Some(mut mending) = mending {
            warnings.push(log.make_room(stream, (&head, &end), &torn, &mut mending)?);
            let Mending { cut, restored } = mending;
            let event = Known::TailCut(cut).into();
            drafts.insert(0, Draft { time: now, actor: Actor::Waypost, event });
            lines.extend(restored.map(|(line, ..)| line));
        }
        let mut added = Vec::new();
        for draft in drafts {
            lines.push_str(&position.append(stream, log.ring.current(), &draft)?);
            let Draft { time, actor, event } = draft;
            added.push((position.clone(), Record { seq: position.seq, time, actor, event }));
        }
        log.write_lines(stream, &End::of(&end, &torn, &head), open, &lines)?;
        for (position, record) in added {
            each(&position, record);
        }
        // It is on disk whatever becomes of the head.
        let path = log.head_of(stream);
        let open = open_head.as_ref();
        let written = head::write(&log.disk, &path, open, stream, &log.ring, (&head, &position));
        warnings.extend(written.err().map(|error| {
            format!("this is recorded, but its loss would not be noticed yet: {error}")
        }));
        Ok(warnings)
    }
}
