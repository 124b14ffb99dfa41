//! Other processes, followed by what they do: a busy machine changes nothing of what comes of them.

use std::fs;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::process::Child;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, kill_process, pidfd_open, waitid,
};

/// What is done in some folders from now on.
#[derive(Debug)]
pub struct Watch {
    inotify: OwnedFd,
}

#[expect(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a test that cannot see what it waits for has failed"
)]
impl Watch {
    /// Begins to watch folders.
    pub fn on<P: AsRef<Path>>(folders: &[P]) -> Self {
        let inotify = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).unwrap();
        for folder in folders {
            inotify::add_watch(&inotify, folder.as_ref(), WatchFlags::ALL_EVENTS).unwrap();
        }
        Self { inotify }
    }

    /// Waits until `count` things were done in the folders, by whomever, or the process has ended.
    /// Gives how many were done.
    pub fn wait(&self, count: usize, child: &Child) -> usize {
        let process = pidfd_open(pid(child), PidfdFlags::empty()).unwrap();
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut events = Reader::new(&self.inotify, &mut buffer);
        let mut seen = 0;
        while seen < count {
            match events.next() {
                // Too many to be listed, which is as good as enough.
                Ok(event) if event.events().contains(ReadFlags::QUEUE_OVERFLOW) => break,
                Ok(_) => seen += 1,
                Err(_) => {
                    let mut watched = [process.as_fd(), self.inotify.as_fd()]
                        .map(|one| PollFd::from_borrowed_fd(one, PollFlags::IN));
                    rustix::io::retry_on_intr(|| poll(&mut watched, None)).unwrap();
                    let [ended, _] = watched;
                    if !ended.revents().is_empty() {
                        break;
                    }
                }
            }
        }
        seen
    }
}

/// Waits until a process has ended, but only so long: for a moment to kill it at, never for a verdict.
#[expect(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a test's own child")]
pub fn wait_at_most(child: &Child, limit: Duration) {
    let process = pidfd_open(pid(child), PidfdFlags::empty()).unwrap();
    let mut watched = [PollFd::from_borrowed_fd(process.as_fd(), PollFlags::IN)];
    let limit = limit.try_into().unwrap();
    rustix::io::retry_on_intr(|| poll(&mut watched, Some(&limit))).unwrap();
}

/// Stops a process, and waits until it stands still. False if it ended before.
#[expect(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a test's own child")]
pub fn stop(child: &Child) -> bool {
    kill_process(pid(child), Signal::STOP).unwrap();
    // Whoever waits for its end afterwards must still find it.
    let state = WaitIdOptions::STOPPED | WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    let state = rustix::io::retry_on_intr(|| waitid(WaitId::Pid(pid(child)), state)).unwrap();
    state.is_some_and(|state| state.stopped())
}

/// Lets a stopped process go on.
#[expect(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a test's own child")]
pub fn go_on(child: &Child) {
    kill_process(pid(child), Signal::CONT).unwrap();
}

/// Waits for the end of a process, and gives how many bytes it and what it waited for have read.
#[expect(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a test's own child")]
pub fn read_until_end(child: &Child) -> u64 {
    // Until somebody asks for its status, its accounts are still there.
    let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    rustix::io::retry_on_intr(|| waitid(WaitId::Pid(pid(child)), ended)).unwrap();
    let accounts = fs::read_to_string(format!("/proc/{}/io", child.id())).unwrap();
    let read = accounts.lines().find_map(|line| line.strip_prefix("rchar: "));
    read.and_then(|bytes| bytes.parse().ok()).unwrap()
}

#[expect(clippy::unwrap_used, reason = "a test's own child")]
fn pid(child: &Child) -> Pid {
    Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap()
}
