//! Waiting for a process and reading what it says, in one thread and without looking again and again.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::{Child, ExitStatus};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::Deadline;

const CHUNK: usize = 16 * 1024;
/// The most that an unprivileged process can make a pipe hold.
const PIPE_CAPACITY: usize = 1024 * 1024;

/// What a process left when it ended.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

/// Waits for the end of a process whose output is piped. `None` if the deadline comes first.
///
/// The end of the process counts, not that of its output: something that it started may keep the
/// pipes open for as long as it likes.
pub(super) fn until_end(child: &mut Child, deadline: Deadline) -> io::Result<Option<Ended>> {
    let process = handle(child);
    let mut stdout = Pipe::new(child.stdout.take());
    let mut stderr = Pipe::new(child.stderr.take());
    loop {
        let mut watched: Vec<BorrowedFd<'_>> = Vec::with_capacity(3);
        watched.extend(process.as_ref().map(AsFd::as_fd));
        watched.extend(stdout.descriptor());
        watched.extend(stderr.descriptor());
        if watched.is_empty() {
            // Without a handle, the end of both pipes is the sign that the process is ending.
            break;
        }
        if !wait_for_any(&watched, deadline.remaining())? {
            return Ok(None);
        }
        // What was written before the process ended is in the pipes once the end is seen, so
        // they are read after looking for it.
        let has_ended = match &process {
            Some(process) => wait_for_any(&[process.as_fd()], Duration::ZERO)?,
            None => false,
        };
        stdout.read()?;
        stderr.read()?;
        if has_ended {
            stdout.drain()?;
            stderr.drain()?;
            break;
        }
        if deadline.is_over() {
            return Ok(None);
        }
    }
    let status = child.wait()?;
    Ok(Some(Ended { status, stdout: stdout.bytes, stderr: stderr.bytes }))
}

/// A descriptor that becomes readable when the process ends; none where the kernel has no such.
fn handle(child: &Child) -> Option<OwnedFd> {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw)?;
    pidfd_open(pid, PidfdFlags::empty()).ok()
}

/// Whether one of these can be read, or has come to its end, within `limit`.
fn wait_for_any(descriptors: &[BorrowedFd<'_>], limit: Duration) -> io::Result<bool> {
    let mut watched: Vec<PollFd<'_>> =
        descriptors.iter().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
    let limit = Timespec::try_from(limit).map_err(io::Error::other)?;
    // An interrupted wait begins again: signals are rare, and the limit is no promise to the millisecond.
    Ok(rustix::io::retry_on_intr(|| poll(&mut watched, Some(&limit)))? > 0)
}

/// One of the process' outputs, and what came out of it so far.
struct Pipe<R> {
    pipe: Option<R>,
    bytes: Vec<u8>,
}

impl<R: Read + AsFd> Pipe<R> {
    fn new(pipe: Option<R>) -> Self {
        Self { pipe, bytes: Vec::new() }
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    /// Reads once if that does not block, and closes the pipe at its end. Whether there was anything.
    fn read(&mut self) -> io::Result<bool> {
        let Some(pipe) = &mut self.pipe else {
            return Ok(false);
        };
        if !wait_for_any(&[pipe.as_fd()], Duration::ZERO)? {
            return Ok(false);
        }
        let mut buffer = [0; CHUNK];
        match pipe.read(&mut buffer) {
            Ok(0) => self.pipe = None,
            Ok(length) => self.bytes.extend_from_slice(&buffer[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        Ok(true)
    }

    /// Reads what an ended process left in the pipe, which is never more than a pipe can hold:
    /// whatever else still writes to it is not waited for.
    fn drain(&mut self) -> io::Result<()> {
        for _ in 0..PIPE_CAPACITY / CHUNK {
            if !self.read()? {
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    fn run(script: &str, limit: Duration) -> Option<Ended> {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::null());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let ended = until_end(&mut child, Deadline::after(limit)).unwrap();
        if ended.is_none() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        ended
    }

    const LONG: Duration = Duration::from_secs(600);

    #[test]
    fn all_output_and_the_status_are_there() {
        let script = "head -c 3000000 /dev/zero; head -c 200000 /dev/zero >&2; exit 3";
        let ended = run(script, LONG).unwrap();
        assert_eq!(ended.status.code(), Some(3));
        assert_eq!((ended.stdout.len(), ended.stderr.len()), (3_000_000, 200_000));
    }

    #[test]
    fn something_that_keeps_the_pipes_open_is_not_waited_for() {
        let ended = run("sleep 600 & echo $!; echo out; echo err >&2", LONG).unwrap();
        let stdout = String::from_utf8(ended.stdout).unwrap();
        let (pid, rest) = stdout.split_once('\n').unwrap();
        let pid = Pid::from_raw(pid.parse().unwrap()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        assert_eq!((rest, &ended.stderr[..]), ("out\n", &b"err\n"[..]));
    }

    #[test]
    fn something_that_writes_without_end_after_the_process_is_not_waited_for() {
        let ended = run("echo first; yes & echo $! >&2", LONG).unwrap();
        let pid = String::from_utf8(ended.stderr).unwrap().trim().parse().unwrap();
        let pid = Pid::from_raw(pid).unwrap();
        // It may have ended by itself already, its pipe being closed.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        assert!(ended.stdout.starts_with(b"first\n"));
    }

    #[test]
    fn closing_the_output_is_not_the_end() {
        let ended =
            run("exec >&- 2>&-; head -c 1000000 /dev/zero | wc -c >/dev/null; exit 7", LONG);
        assert_eq!(ended.unwrap().status.code(), Some(7));
    }

    #[test]
    fn a_deadline_ends_the_wait_for_the_silent_and_for_the_talkative() {
        assert!(run("exec sleep 600", Duration::from_millis(1)).is_none());
        assert!(run("exec yes", Duration::from_millis(1)).is_none());
    }
}
