//! The one place where those who subscribed are told what was appended to a stream.

use std::collections::BTreeMap;

use waypost_core::event::Known;
use waypost_core::id::StreamId;

use super::View;
use crate::error::AppError;
use crate::machine::host::Appended;

/// What nobody was told of yet, while more of the same is to come.
#[derive(Debug, Default)]
pub(super) struct Untold {
    /// How many work on something that is told as one.
    depth: u32,
    events: BTreeMap<StreamId, Vec<Known>>,
}

impl View<'_> {
    /// Does something of several writes that is told as one: nobody wants to hear of half of it. Gives
    /// also what somebody should be told.
    pub fn together<T>(
        &self,
        work: impl FnOnce() -> Result<T, AppError>,
    ) -> Result<(T, Vec<String>), AppError> {
        self.untold.borrow_mut().depth += 1;
        let done = work();
        let mut untold = self.untold.borrow_mut();
        untold.depth -= 1;
        let events =
            if untold.depth == 0 { std::mem::take(&mut untold.events) } else { BTreeMap::new() };
        drop(untold);
        // What was written is written, also where the rest was refused.
        let told = events.iter().flat_map(|(stream, events)| self.tell(stream, events)).collect();
        done.map(|value| (value, told))
    }

    /// Tells what was appended to a stream. Returns what somebody should be told.
    pub(super) fn announce(&self, stream: &StreamId, events: &[Known]) -> Vec<String> {
        if self.host.subscribers.is_empty() {
            return Vec::new();
        }
        let mut untold = self.untold.borrow_mut();
        if untold.depth > 0 {
            untold.events.entry(stream.clone()).or_default().extend_from_slice(events);
            return Vec::new();
        }
        drop(untold);
        self.tell(stream, events)
    }

    fn tell(&self, stream: &StreamId, events: &[Known]) -> Vec<String> {
        let (host, project, ring) = (self.host, &self.project, self.log.ring());
        let appended = Appended { host, project, ring, stream, events };
        let told = host.subscribers.iter().filter_map(|one| one.appended(&appended));
        let told: Vec<Vec<String>> = told.collect();
        if !told.is_empty() {
            // What they did may have changed it once more.
            self.look_again(stream);
        }
        told.into_iter().flatten().collect()
    }
}
