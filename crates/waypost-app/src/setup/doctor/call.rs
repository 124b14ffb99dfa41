//! Calling another program and waiting for its answer, but not for ever.

use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::machine::deadline::in_force;

/// Calls `command` as a harness does, through a socket, and gives how it ended and what it wrote.
pub(super) fn call(
    command: &mut Command,
    input: &[u8],
    limit: Duration,
) -> Result<(ExitStatus, String), String> {
    let limit = in_force(limit);
    let told = |error: std::io::Error| error.to_string();
    let (mut ours, theirs) = UnixStream::pair().map_err(told)?;
    let mut child = command
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(told)?;
    // A command that ends without reading is judged by its answer.
    let _ = ours.write_all(input);
    let _ = ours.shutdown(std::net::Shutdown::Write);
    let begun = Instant::now();
    let status = loop {
        match child.try_wait().map_err(told)? {
            Some(status) => break status,
            None if begun.elapsed() > limit => {
                // It is given up on either way.
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("no answer within {} s", limit.as_secs()));
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    let mut answer = String::new();
    if let Some(mut stdout) = child.stdout.take() {
        stdout.read_to_string(&mut answer).map_err(told)?;
    }
    Ok((status, answer))
}
