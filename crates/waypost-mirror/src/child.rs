//! A server that is started here: it has a process group of its own, which ends with it.

use std::fmt;
use std::io::ErrorKind;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::net::unix::pipe::{Receiver, Sender};
use waypost_app::machine::deadline::in_force;
use waypost_app::mirror::Fault;
use waypost_core::text::{one_line, shortened};

/// How long a server has that is asked to end.
const LAST: Duration = Duration::from_secs(2);
/// How often it is looked whether it has.
const LOOK: Duration = Duration::from_millis(10);

/// A server that runs.
pub(crate) struct Running {
    child: Child,
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Running").field(&self.child.id()).finish()
    }
}

/// Starts a server. Its standard input and output are given back; what it writes to its log is dropped.
pub(crate) fn start(words: &[String], folder: &Path) -> Result<(Running, Receiver, Sender), Fault> {
    let Some((program, arguments)) = words.split_first() else {
        return Err(Fault::NotInstalled("no program is named".to_owned()));
    };
    let shown = shortened(&one_line(program), 120);
    let child = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn();
    let mut child = child.map_err(|error| match error.kind() {
        ErrorKind::NotFound => Fault::NotInstalled(format!("{shown} is not installed")),
        _ => Fault::Down(format!("{shown} cannot be started: {error}")),
    })?;
    let ends = child.stdout.take().zip(child.stdin.take());
    let running = Running { child };
    let (output, input) =
        ends.ok_or_else(|| Fault::Down(format!("{shown} has no standard input and output")))?;
    let failed = |error: std::io::Error| Fault::Down(format!("{shown}: {error}"));
    let output = Receiver::from_owned_fd(OwnedFd::from(output)).map_err(failed)?;
    let input = Sender::from_owned_fd(OwnedFd::from(input)).map_err(failed)?;
    Ok((running, output, input))
}

impl Running {
    /// How it ended, if it did.
    pub(crate) fn ended(&mut self) -> Option<String> {
        self.child.try_wait().ok().flatten().map(|status| status.to_string())
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            // All of it may have ended by itself.
            let _ = kill_process_group(group, signal);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.signal(Signal::TERM);
        let began = Instant::now();
        while self.ended().is_none() && began.elapsed() < in_force(LAST) {
            thread::sleep(LOOK);
        }
        // Also what it started itself and what did not listen.
        self.signal(Signal::KILL);
        let _ = self.child.wait();
    }
}
