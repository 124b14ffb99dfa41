//! How much clients' messages hold at the moment: what they asked and was not answered yet, and the
//! answers that they have not read. A client that only asks would make it grow without end.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

/// How many bytes of messages may be held at once: a few of the longest, or thousands of the usual ones.
const MAX_HELD: usize = 32 * 1024 * 1024;
/// What a message counts for at least. Whatever is kept beside it (tasks, channels) is about as much.
const LEAST: usize = 4 * 1024;

/// What is held at the moment.
#[derive(Debug, Default)]
pub(crate) struct Load {
    held: AtomicUsize,
    less: Notify,
}

/// A part of it, until this is dropped.
#[derive(Debug)]
pub(crate) struct Charge {
    load: Arc<Load>,
    bytes: usize,
}

impl Load {
    /// Adds a message, however much is held already.
    pub(crate) fn add(self: &Arc<Self>, bytes: usize) -> Charge {
        let bytes = bytes.max(LEAST);
        self.held.fetch_add(bytes, Ordering::SeqCst);
        Charge { load: Arc::clone(self), bytes }
    }

    /// Whether another message would be too much.
    pub(crate) fn is_full(&self) -> bool {
        self.held.load(Ordering::SeqCst) >= MAX_HELD
    }

    /// Waits until another message is not too much.
    pub(crate) async fn room(&self) {
        loop {
            // Looked at after it is waited for, so that nothing is missed in between.
            let mut less = std::pin::pin!(self.less.notified());
            less.as_mut().enable();
            if !self.is_full() {
                return;
            }
            less.await;
        }
    }
}

impl Charge {
    /// The message has become longer.
    pub(crate) fn grow(&mut self, bytes: usize) {
        self.bytes += bytes;
        self.load.held.fetch_add(bytes, Ordering::SeqCst);
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.load.held.fetch_sub(self.bytes, Ordering::SeqCst);
        self.load.less.notify_waiters();
    }
}
