//! Processes: which one is which, and whether a hook was really called by its harness.

use std::io::Read;
use std::os::fd::AsFd;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use waypost_store::look;

/// A process, told apart from a later one with the same number by when it started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// The process id.
    pub pid: u32,
    /// When it started, in the kernel's ticks since boot.
    pub started: u64,
}

impl Process {
    /// The running process with this id.
    pub fn running(pid: u32) -> Option<Self> {
        stat(pid).map(|(_, started)| Self { pid, started })
    }

    /// Whether it still runs.
    pub fn is_running(self) -> bool {
        Self::running(self.pid) == Some(self)
    }
}

/// The process that called this one through `stdin`: both the socket's peer and the parent.
/// `None` if stdin is no socket, or the two are not the same.
pub fn caller(stdin: impl AsFd) -> Option<Process> {
    let peer = rustix::net::sockopt::socket_peercred(stdin).ok()?.pid;
    let parent = rustix::process::getppid()?;
    (peer == parent)
        .then(|| u32::try_from(parent.as_raw_nonzero().get()).ok())?
        .and_then(Process::running)
}

/// The process that called this one through a pipe: the parent. `None` if stdin is no pipe. It is weaker than
/// [`caller`]: whoever is started by the same process can make itself look like that.
pub fn caller_by_pipe(stdin: impl AsFd) -> Option<Process> {
    let mode = rustix::fs::fstat(stdin).ok()?.st_mode;
    let is_pipe = rustix::fs::FileType::from_raw_mode(mode) == rustix::fs::FileType::Fifo;
    let parent = rustix::process::getppid()?;
    is_pipe.then(|| u32::try_from(parent.as_raw_nonzero().get()).ok())?.and_then(Process::running)
}

/// The ids of this process' ancestors, the nearest first. They are looked up once: a server whose
/// parent is gone has lost its client too.
pub fn ancestors() -> &'static [u32] {
    static FOUND: OnceLock<Vec<u32>> = OnceLock::new();
    FOUND.get_or_init(|| above(std::process::id()))
}

/// The process that started this one.
pub fn parent() -> Option<u32> {
    u32::try_from(rustix::process::getppid()?.as_raw_nonzero().get()).ok()
}

/// The ids of a process' ancestors, the nearest first.
pub fn above(mut pid: u32) -> Vec<u32> {
    let mut found = Vec::new();
    while let Some((parent, _)) = stat(pid) {
        if parent == 0 || found.len() > 64 {
            break;
        }
        found.push(parent);
        pid = parent;
    }
    found
}

/// What a process calls itself: its short name and the words of its command line, as far as they
/// can be read. A process may say what it likes there.
pub fn names(pid: u32) -> (String, Vec<String>) {
    let name = start_of(&format!("/proc/{pid}/comm"));
    let words = start_of(&format!("/proc/{pid}/cmdline"));
    (name.trim_end().to_owned(), words.split_terminator('\0').map(str::to_owned).collect())
}

/// The arguments that a process was started with; none where they cannot all be read.
pub fn arguments(pid: u32) -> Option<Vec<String>> {
    let bytes = all_of(&format!("/proc/{pid}/cmdline"))?;
    let text = String::from_utf8(bytes).ok()?;
    Some(text.split_terminator('\0').map(str::to_owned).collect())
}

/// The variables that a process was started with, as `NAME=value`; none where they cannot all be read.
pub fn environment(pid: u32) -> Option<Vec<String>> {
    let text = String::from_utf8_lossy(&all_of(&format!("/proc/{pid}/environ"))?).into_owned();
    Some(text.split_terminator('\0').map(str::to_owned).collect())
}

/// What a file of the kernel's holds, if that is something and not too much.
fn all_of(path: &str) -> Option<Vec<u8>> {
    const MAX: u64 = 4 * 1024 * 1024;
    let mut bytes = Vec::new();
    look::open(path).ok()?.take(MAX).read_to_end(&mut bytes).ok()?;
    let is_whole = !bytes.is_empty() && u64::try_from(bytes.len()).is_ok_and(|count| count < MAX);
    is_whole.then_some(bytes)
}

/// The first 4 KB of a file as text; nothing if it cannot be read.
fn start_of(path: &str) -> String {
    let mut bytes = Vec::new();
    // A process that has ended meanwhile has no name any more, and needs none.
    let _ = look::open(path).and_then(|file| file.take(4096).read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Parent and start time out of `/proc/<pid>/stat`.
fn stat(pid: u32) -> Option<(u32, u64)> {
    let text = stat_line(pid)?;
    let mut fields = text.split(' ');
    let parent = fields.nth(1)?.parse().ok()?;
    let started = fields.nth(17)?.parse().ok()?;
    Some((parent, started))
}

/// The terminal that a process belongs to, by the kernel's number for it, if it has one.
pub fn terminal(pid: u32) -> Option<u64> {
    let number: i64 = stat_line(pid)?.split(' ').nth(4)?.parse().ok()?;
    u64::try_from(number).ok().filter(|number| *number != 0)
}

/// What the kernel tells of a process, behind its name.
fn stat_line(pid: u32) -> Option<String> {
    // The file has no length that would tell how much to read; what is wanted is in the first part.
    let mut bytes = [0; 1024];
    let length = look::open(format!("/proc/{pid}/stat")).ok()?.read(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes[..length]);
    // The command's name stands in parentheses and may hold anything, parentheses too.
    Some(text.rsplit_once(") ")?.1.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn this_process_runs_and_an_earlier_one_of_its_number_does_not() {
        let own = Process::running(std::process::id()).unwrap();
        assert!(own.is_running());
        assert!(!Process { started: own.started - 1, ..own }.is_running());
        assert!(!ancestors().is_empty());
    }

    #[test]
    fn a_process_tells_its_name_and_one_that_is_gone_tells_nothing() {
        let (name, words) = names(std::process::id());
        assert!(!name.is_empty() && !name.ends_with('\n'));
        assert_eq!(words, std::env::args().collect::<Vec<_>>());
        assert_eq!(names(u32::MAX), (String::new(), Vec::new()));
    }

    #[test]
    fn a_file_or_pipe_is_no_caller() {
        assert_eq!(caller(fs::File::open("/dev/null").unwrap()), None);
        let (ours, _theirs) = std::os::unix::net::UnixStream::pair().unwrap();
        assert_eq!(caller(ours), None, "the peer is this process, not its parent");
    }
}
