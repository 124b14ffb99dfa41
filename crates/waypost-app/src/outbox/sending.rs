//! Sending what waits, stream by stream, one process at a time.

use std::path::PathBuf;

use waypost_core::id::StreamId;
use waypost_core::record::{Position, Record};
use waypost_core::time::Timestamp;
use waypost_store::{EventLog, Work, files};

use super::batch::Batch;
use super::cursor::{self, Cursor, Found};
use super::health::Health;
use super::{Destination, NotTaken, Range, Taken, Waits};
use crate::error::AppError;
use crate::view::View;

/// What waits in a project for a destination.
#[derive(Debug)]
pub struct Outbox<'a, D> {
    view: &'a View<'a>,
    destination: &'a D,
    range: Range,
    waits: Waits,
    folder: PathBuf,
}

/// What sending came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Sent {
    /// How many parcels were taken.
    pub sent: u64,
    /// How many the destination does not want, ever.
    pub refused: u64,
    /// Why nothing more was taken, where something is left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What somebody should be told.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Why sending a stream ended early.
enum Stop {
    /// The destination takes nothing now.
    Later { why: String, after: Option<std::time::Duration> },
    /// How far it was sent cannot be written down.
    Failed(AppError),
}

impl<'a, D: Destination> Outbox<'a, D> {
    /// The records of `range` for a destination. Where it is told what happens from a time on, that time is the one
    /// when it was first known, which is kept.
    pub fn new(view: &'a View<'a>, destination: &'a D, range: Range, waits: Waits) -> Self {
        let name = match range {
            Range::From(_) => destination.name().to_owned(),
            Range::Before(_) => format!("{}-before", destination.name()),
        };
        let folder = view.project.store.join("outbox").join(name);
        Self { view, destination, range, waits, folder }
    }

    /// Notes that the destination is told what happens from now on, if that is not known yet.
    pub fn begin(&self) -> Result<(), AppError> {
        let (known, _) = Health::read(&self.folder);
        match known {
            Some(_) => Ok(()),
            None => self.fresh().write(&self.folder),
        }
    }

    /// How the destination is doing.
    pub fn health(&self) -> Health {
        Health::read(&self.folder).0.unwrap_or_else(|| self.fresh())
    }

    fn fresh(&self) -> Health {
        let (Range::From(time) | Range::Before(time)) = self.range;
        Health::new(self.destination.address(), time)
    }

    /// The records that it is about.
    fn range(&self, health: &Health) -> Range {
        match self.range {
            Range::From(_) => Range::From(health.since),
            Range::Before(_) => Range::Before(health.since),
        }
    }

    /// How many records of each stream were not looked at for it yet, of those that have any.
    pub fn waiting(&self) -> Result<Vec<(StreamId, u64)>, AppError> {
        let range = self.range(&self.health());
        let mut waiting = Vec::new();
        for (stream, mark) in self.view.log.watch()? {
            if !self.destination.wants(&stream) {
                continue;
            }
            let found = Cursor::<D::Carried>::read(&self.folder, &stream, D::FOLD);
            let sent = match found {
                Found::Cursor(cursor) if cursor.bytes == mark.bytes => continue,
                Found::Cursor(cursor) => cursor.sent,
                Found::None | Found::Damaged(_) => 0,
            };
            let mut count = 0;
            // What cannot be read does not wait; that it is damaged is told elsewhere.
            let _ = self.view.log.each(&stream, |record| {
                count += u64::from(record.seq > sent && range.holds(&record));
            });
            if count > 0 {
                waiting.push((stream, count));
            }
        }
        Ok(waiting)
    }

    /// Sends everything that waits, as far as the destination takes it. Waits for whoever else sends there.
    pub fn send(&self) -> Result<Sent, AppError> {
        self.send_of(&|_| true)
    }

    /// The same for somebody who knows that nothing was added to other streams.
    pub fn send_of(&self, of: &dyn Fn(&StreamId) -> bool) -> Result<Sent, AppError> {
        files::make_dir(&self.folder)?;
        let name = self.folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let _lock = self.view.log.lock(Work::Outbox(name))?;
        files::sweep_temporary(&self.folder);
        let (known, told) = Health::read(&self.folder);
        let mut sent = Sent { warnings: Vec::from_iter(told), ..Sent::default() };
        let is_new = known.is_none();
        let before = known.unwrap_or_else(|| self.fresh());
        let mut pass =
            Pass { outbox: self, range: self.range(&before), health: before.clone(), sent };
        if is_new {
            pass.health.write(&self.folder)?;
        }
        for (stream, mark) in self.view.log.watch()? {
            if !self.destination.wants(&stream) || !of(&stream) {
                continue;
            }
            match pass.stream(&stream, mark.bytes) {
                Ok(()) => {}
                Err(Stop::Failed(error)) => return Err(error),
                Err(Stop::Later { why, after }) => {
                    pass.health.fail(self.view.host, self.waits, &why, after);
                    pass.sent.error = Some(why);
                    break;
                }
            }
        }
        if pass.health != before {
            pass.health.write(&self.folder)?;
        }
        sent = pass.sent;
        Ok(sent)
    }
}

/// One pass over all streams, while nobody else sends.
struct Pass<'p, 'a, D> {
    outbox: &'p Outbox<'a, D>,
    range: Range,
    health: Health,
    sent: Sent,
}

impl<D: Destination> Pass<'_, '_, D> {
    /// Sends what waits of a stream.
    fn stream(&mut self, stream: &StreamId, bytes: u64) -> Result<(), Stop> {
        let mut cursor = self.cursor(stream, bytes);
        if cursor.bytes == bytes && bytes > 0 {
            return Ok(());
        }
        let (at, sent) = (cursor.at.clone(), cursor.sent);
        let mut read = self.from(stream, &mut cursor)?;
        if read.is_err() && at.seq > 0 && (&cursor.at, cursor.sent) == (&at, sent) {
            // The stream may have been put together again, so that it no longer leads through that place.
            cursor = cursor.carried_anew(stream, D::FOLD);
            read = self.from(stream, &mut cursor)?;
        }
        if let Err(error) = read {
            // As far as it can be read it was sent. What is wrong with it is told where the session is.
            self.sent.warnings.push(format!("{stream} cannot be read to its end: {error}"));
        }
        Ok(())
    }

    /// How far a stream was sent. Where that is lost, everything is sent that came since the destination is told.
    fn cursor(&mut self, stream: &StreamId, bytes: u64) -> Cursor<D::Carried> {
        let folder = &self.outbox.folder;
        match Cursor::read(folder, stream, D::FOLD) {
            // It is shorter than what was sent of it: records are gone, and others may stand in their place.
            Found::Cursor(cursor) if cursor.bytes > bytes => {
                self.sent.warnings.push(format!(
                    "{stream} is shorter than what was sent of it: its records may be sent again"
                ));
                Cursor::start(stream, D::FOLD)
            }
            Found::Cursor(cursor) => cursor,
            Found::None => Cursor::start(stream, D::FOLD),
            Found::Damaged(why) => {
                let path = cursor::file(folder, stream);
                self.sent.warnings.push(format!(
                    "{} cannot be used ({why}): it is made anew, and what was sent of {stream} may be sent again",
                    path.display()
                ));
                Cursor::start(stream, D::FOLD)
            }
        }
    }

    /// Sends what lies behind a place. What cannot be read is the inner error.
    fn from(
        &mut self,
        stream: &StreamId,
        cursor: &mut Cursor<D::Carried>,
    ) -> Result<Result<(), AppError>, Stop> {
        let (mut position, mut carried) = (cursor.at.clone(), cursor.carried.clone());
        let (mut batch, mut stopped) = (Batch::new(), None);
        let sent_before = cursor.sent;
        let Outbox { view, destination, .. } = *self.outbox;
        let (log, range): (&dyn EventLog, _) = (&*view.log, self.range);
        let mut each = |at: &Position, record: Record| {
            if stopped.is_some() {
                return;
            }
            let mut parcels = destination.parcels(&mut carried, stream, at, &record);
            if record.seq <= sent_before {
                return;
            }
            if !range.holds(&record) {
                parcels.clear();
            }
            let weight = parcels.iter().map(|parcel| destination.weight(parcel)).sum();
            batch.add(at, parcels, weight);
            if batch.is_full() {
                let full = std::mem::replace(&mut batch, Batch::new());
                stopped = self.batch(stream, cursor, (&full, &carried)).err();
            }
        };
        let read = log.load(stream, &mut position, &mut each);
        if let Some(stop) = stopped {
            return Err(stop);
        }
        self.batch(stream, cursor, (&batch, &carried))?;
        Ok(read.map_err(AppError::from))
    }

    /// Sends a batch, and notes how far that is. What is carried then is what came of all of it.
    fn batch(
        &mut self,
        stream: &StreamId,
        cursor: &mut Cursor<D::Carried>,
        (batch, carried): (&Batch<D::Parcel>, &D::Carried),
    ) -> Result<(), Stop> {
        if batch.records() == 0 {
            return Ok(());
        }
        self.part(stream, cursor, batch, (0, batch.records()))?;
        let (parcels, end) = batch.part(0, batch.records());
        if let Some(end) = end {
            (cursor.sent, cursor.bytes) = (end.seq, end.bytes);
            (cursor.at, cursor.carried) = (end.clone(), carried.clone());
        }
        self.write(stream, cursor, !parcels.is_empty())
    }

    /// Sends a part of a batch; where the destination does not want it as it is, by halves.
    fn part(
        &mut self,
        stream: &StreamId,
        cursor: &mut Cursor<D::Carried>,
        batch: &Batch<D::Parcel>,
        (from, to): (usize, usize),
    ) -> Result<(), Stop> {
        let (parcels, end) = batch.part(from, to);
        if parcels.is_empty() {
            return Ok(());
        }
        let count = parcels.len() as u64;
        match self.outbox.destination.send(parcels) {
            Ok(Taken { refused, told }) => {
                self.health.work(self.outbox.view.host.now());
                self.sent.sent += count.saturating_sub(refused);
                self.refuse(refused, told.as_deref().unwrap_or("it did not say why"));
            }
            Err(NotTaken::Later { why, after }) => return Err(Stop::Later { why, after }),
            Err(NotTaken::Unfit { why }) if to - from <= 1 => self.refuse(count, &why),
            Err(NotTaken::Unfit { .. }) => {
                let middle = from + (to - from) / 2;
                self.part(stream, cursor, batch, (from, middle))?;
                return self.part(stream, cursor, batch, (middle, to));
            }
        }
        // The whole batch is noted by whoever sends it.
        match end.filter(|_| to < batch.records()) {
            Some(end) => {
                (cursor.sent, cursor.bytes) = (end.seq, end.bytes);
                self.write(stream, cursor, true)
            }
            None => Ok(()),
        }
    }

    fn refuse(&mut self, count: u64, why: &str) {
        if count > 0 {
            self.sent.refused += count;
            self.health.refuse(count, why);
        }
    }

    fn write(
        &self,
        stream: &StreamId,
        cursor: &Cursor<D::Carried>,
        durable: bool,
    ) -> Result<(), Stop> {
        cursor.write(&self.outbox.folder, stream, durable).map_err(Stop::Failed)
    }
}

impl<D> Outbox<'_, D> {
    /// Whether the destination may be tried at a time.
    pub fn is_due(&self, now: Timestamp) -> bool {
        Health::read(&self.folder).0.is_none_or(|health| health.is_due(now))
    }
}
