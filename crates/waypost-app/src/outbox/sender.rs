//! Sending in the background of a server, for as long as it serves. It looks at the streams now and then, as others do
//! who want to know what other processes append; whoever appends knows nothing of it.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender as Channel, channel};
use std::thread;
use std::time::{Duration, SystemTime};

use waypost_core::id::StreamId;
use waypost_store::look;

use super::Waits;
use crate::error::AppError;
use crate::machine::host::Host;
use crate::view::View;
use crate::view::marks::Marks;

/// What is done in the background.
pub trait Sends: Send {
    /// What its thread is called.
    fn name(&self) -> &'static str;

    /// Whether the project's file asks for it at all.
    fn is_wanted(&self, view: &View<'_>) -> bool;

    /// Sends what waits of some streams, where no wait is on. Whether nothing of them is left.
    fn send_due(
        &self,
        view: &View<'_>,
        waits: Waits,
        of: &dyn Fn(&StreamId) -> bool,
    ) -> Result<bool, AppError>;

    /// Nothing was to be sent this time.
    fn rest(&self);
}

/// How a sender goes about it.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// How often it is looked whether anything happened.
    pub every: Duration,
    /// How long is waited after nothing was taken.
    pub waits: Waits,
    /// How long the end waits for what is being sent.
    pub last: Duration,
}

impl Pace {
    /// The usual one.
    pub const USUAL: Self = Self {
        every: Duration::from_secs(1),
        waits: Waits::USUAL,
        last: Duration::from_millis(500),
    };
}

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
    pub fn start(host: Host, sends: Box<dyn Sends>, pace: Pace) -> Self {
        let (end, told) = channel();
        let (tell, ended) = channel();
        let begun = thread::Builder::new().name(sends.name().to_owned()).spawn(move || {
            Background { host, sends, pace, off: None, seen: None }.run(&told);
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
            // Whoever ends does not wait for somebody who is slow: what was taken by then is sent once more.
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
    sends: Box<dyn Sends>,
    pace: Pace,
    /// The project's file, as it stood when it asked for nothing.
    off: Option<(PathBuf, Stamp)>,
    /// How file and streams stood when nothing was left to send.
    seen: Option<(Stamp, Marks)>,
}

impl Background {
    fn run(&mut self, told: &Receiver<()>) {
        loop {
            // Nobody hears what goes wrong here: how it is doing is kept, and damage is told where it is.
            let _ = self.look();
            match told.recv_timeout(self.pace.every) {
                Err(RecvTimeoutError::Timeout) => {}
                Ok(()) | Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn look(&mut self) -> Result<(), AppError> {
        // Most projects ask for nothing, and cost no more than this.
        if self.off.as_ref().is_some_and(|(file, then)| stamp(file) == *then) {
            return Ok(());
        }
        let view = View::open(&self.host)?;
        let file = view.project.config_file();
        let now = stamp(&file);
        self.off = (!self.sends.is_wanted(&view)).then_some((file, now));
        if self.off.is_some() {
            return Ok(());
        }
        // Asked before anything is sent: what is added meanwhile is found next time.
        let marks = Marks::now(&view)?;
        let before = self.seen.as_ref().filter(|(then, _)| *then == now).map(|(_, marks)| marks);
        if before == Some(&marks) {
            self.sends.rest();
            return Ok(());
        }
        let has_moved = |stream: &StreamId| match (before, stream) {
            (Some(before), StreamId::Session(id)) => marks.differs(before, Some(id.as_str())),
            (None, _) | (_, StreamId::Project) => true,
        };
        if self.sends.send_due(&view, self.pace.waits, &has_moved)? {
            self.seen = Some((now, marks));
        }
        Ok(())
    }
}
