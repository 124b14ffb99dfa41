//! Sending in the background of a server, for as long as it serves. It looks at the streams now and then, as others do
//! who want to know what other processes append; whoever appends knows nothing of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender as Channel, channel};
use std::thread;
use std::time::SystemTime;

use waypost_core::id::StreamId;
use waypost_store::look;

use super::sending::send_due;
use super::{Collector, Pace};
use crate::error::AppError;
use crate::machine::host::Host;
use crate::view::View;
use crate::view::marks::Marks;

/// Sends until it is dropped. What is being sent then is waited for, a moment.
#[derive(Debug)]
pub struct Sender {
    /// Dropped, it ends the thread.
    end: Option<Channel<()>>,
    /// Says that the thread has ended.
    ended: Receiver<()>,
    pace: Pace,
}

impl Sender {
    /// Begins to send what happens in the project around the host's folder, once there is one.
    pub fn start(host: Host, collector: Arc<dyn Collector>, pace: Pace) -> Self {
        let (end, told) = channel();
        let (tell, ended) = channel();
        let begun = thread::Builder::new().name("telemetry".to_owned()).spawn(move || {
            Background { host, collector, pace, off: None, seen: None }.run(&told);
            // Whoever waits may have gone.
            let _ = tell.send(());
        });
        // A machine without a thread to spare works all the same; what happens is sent another time.
        Self { end: begun.is_ok().then_some(end), ended, pace }
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        if self.end.take().is_some() {
            // Whoever ends does not wait for a collector that is slow: what it took by then is sent once more.
            let _ = self.ended.recv_timeout(self.pace.last);
        }
    }
}

/// What tells that a file may say something else.
type Stamp = Option<(u64, Option<SystemTime>)>;

fn stamp(file: &Path) -> Stamp {
    look::at(file).ok().map(|found| (found.len(), found.modified().ok()))
}

struct Background {
    host: Host,
    collector: Arc<dyn Collector>,
    pace: Pace,
    /// The project's file, as it stood when it named no collector.
    off: Option<(PathBuf, Stamp)>,
    /// How file and streams stood when nothing was left to send.
    seen: Option<(Stamp, Marks)>,
}

impl Background {
    fn run(&mut self, told: &Receiver<()>) {
        loop {
            // Nobody hears what goes wrong here: how the collector is doing is kept, and damage is told where it is.
            let _ = self.look();
            match told.recv_timeout(self.pace.every) {
                Err(RecvTimeoutError::Timeout) => {}
                Ok(()) | Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn look(&mut self) -> Result<(), AppError> {
        // Most projects name no collector, and cost no more than this.
        if self.off.as_ref().is_some_and(|(file, then)| stamp(file) == *then) {
            return Ok(());
        }
        let view = View::open(&self.host)?;
        let file = view.project.config_file();
        let now = stamp(&file);
        self.off = view.configuration().telemetry.is_none().then_some((file, now));
        if self.off.is_some() {
            return Ok(());
        }
        // Asked before anything is sent: what is added meanwhile is found next time.
        let marks = Marks::now(&view)?;
        let before = self.seen.as_ref().filter(|(then, _)| *then == now).map(|(_, marks)| marks);
        if before == Some(&marks) {
            return Ok(());
        }
        let has_moved = |stream: &StreamId| match (before, stream) {
            (Some(before), StreamId::Session(id)) => marks.differs(before, Some(id.as_str())),
            (None, _) | (_, StreamId::Project) => true,
        };
        let is_done = send_due(&view, &*self.collector, self.pace.waits, &has_moved)?;
        if is_done {
            self.seen = Some((now, marks));
        }
        Ok(())
    }
}
