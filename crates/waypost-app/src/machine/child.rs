//! A command whose output is passed on as it comes and looked at on its way.
//!
//! What the command is connected to stays what it was: a terminal where there is one (of our own, which
//! says the same size), else a pipe. Where standard output and standard error lead to the same place,
//! both go through one channel, so that their order stays.

use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::termios::{self, OptionalActions};

/// How much is read at once.
const PIECE: usize = 64 * 1024;

/// Runs a command, passes on what it prints, and shows every piece of it to `see`.
pub fn run(mut command: Command, see: &mut dyn FnMut(&[u8])) -> io::Result<ExitStatus> {
    let (stdout, stderr) = (io::stdout(), io::stderr());
    let mut channels = Vec::new();
    let own = Channel::to(stdout.as_fd(), &mut channels)?;
    let other = if is_same(stdout.as_fd(), stderr.as_fd()) {
        own.try_clone()?
    } else {
        Channel::to(stderr.as_fd(), &mut channels)?
    };
    command.stdout(Stdio::from(own)).stderr(Stdio::from(other));
    let child = command.spawn()?;
    // It holds the other ends of the channels.
    drop(command);
    pass_on(child, &mut channels, see)
}

/// What the command prints, and where it goes.
struct Channel<'a> {
    from: OwnedFd,
    to: BorrowedFd<'a>,
    is_open: bool,
    /// Whether somebody still takes what is passed on.
    is_heard: bool,
}

impl<'a> Channel<'a> {
    /// A channel to `to`; returns the end that the command writes to.
    fn to(to: BorrowedFd<'a>, channels: &mut Vec<Self>) -> io::Result<OwnedFd> {
        let (from, end) = if termios::isatty(to) { terminal_like(to)? } else { pipe()? };
        channels.push(Self { from, to, is_open: true, is_heard: true });
        Ok(end)
    }

    /// Passes one piece on, if there is one.
    fn pass(&mut self, piece: &mut [u8], see: &mut dyn FnMut(&[u8])) {
        match rustix::io::read(&self.from, &mut *piece) {
            Ok(count) if count > 0 => {
                let bytes = &piece[..count];
                see(bytes);
                // Whoever stops listening does not end the run: how it ends still has to be seen.
                self.is_heard = self.is_heard && write_all(self.to, bytes).is_ok();
            }
            Err(Errno::INTR) => {}
            Ok(_) | Err(_) => self.is_open = false,
        }
    }
}

/// Passes everything on until the command has ended. What it leaves behind may hold the channels open
/// for longer, and is not waited for.
fn pass_on(
    mut child: Child,
    channels: &mut [Channel<'_>],
    see: &mut dyn FnMut(&[u8]),
) -> io::Result<ExitStatus> {
    let (ended, ends) = pipe()?;
    let mut piece = vec![0; PIECE];
    thread::scope(|scope| {
        let waiting = scope.spawn(move || {
            let status = child.wait();
            drop(ends);
            status
        });
        let mut is_over = false;
        while !is_over {
            is_over = wait(&ended, channels, &mut piece, see)?;
        }
        for channel in channels {
            fcntl_setfl(&channel.from, OFlags::NONBLOCK)?;
            while channel.is_open {
                channel.pass(&mut piece, see);
            }
        }
        waiting.join().unwrap_or_else(|_| Err(io::Error::other("waiting for the command failed")))
    })
}

/// Waits for something to pass on, or the end, and tells whether it is the end.
fn wait(
    ended: &OwnedFd,
    channels: &mut [Channel<'_>],
    piece: &mut [u8],
    see: &mut dyn FnMut(&[u8]),
) -> io::Result<bool> {
    let open: Vec<usize> = (0..channels.len()).filter(|at| channels[*at].is_open).collect();
    let mut polled = vec![PollFd::new(ended, PollFlags::IN)];
    polled.extend(open.iter().map(|at| PollFd::new(&channels[*at].from, PollFlags::IN)));
    match poll(&mut polled, None) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    let ready: Vec<bool> = polled.iter().map(|one| !one.revents().is_empty()).collect();
    for (at, _) in open.iter().zip(&ready[1..]).filter(|(_, ready)| **ready) {
        channels[*at].pass(piece, see);
    }
    Ok(ready[0])
}

fn write_all(to: BorrowedFd<'_>, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(to, bytes) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(count) => bytes = &bytes[count..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => drop(poll(&mut [PollFd::new(&to, PollFlags::OUT)], None)),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(pipe_with(PipeFlags::CLOEXEC)?)
}

/// A terminal of our own, as large as the one that it stands for.
fn terminal_like(shown: BorrowedFd<'_>) -> io::Result<(OwnedFd, OwnedFd)> {
    use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let ours = openpt(flags)?;
    grantpt(&ours)?;
    unlockpt(&ours)?;
    let theirs = ioctl_tiocgptpeer(&ours, flags)?;
    termios::tcsetwinsize(&theirs, termios::tcgetwinsize(shown)?)?;
    // The terminal that is shown ends lines in its own way.
    let mut plain = termios::tcgetattr(&theirs)?;
    plain.make_raw();
    termios::tcsetattr(&theirs, OptionalActions::Now, &plain)?;
    Ok((ours, theirs))
}

/// Whether both lead to the same place.
fn is_same(one: BorrowedFd<'_>, other: BorrowedFd<'_>) -> bool {
    match (rustix::fs::fstat(one), rustix::fs::fstat(other)) {
        (Ok(one), Ok(other)) => (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino),
        _ => false,
    }
}
