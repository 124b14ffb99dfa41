//! One process from its spawn to its end, called as Claude Code calls a hook.

use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::failure::{During, Failure};

/// What is spawned: everything about it, so that nothing comes from the environment of the bench.
#[derive(Debug, Clone)]
pub(crate) struct Spawn {
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) folder: PathBuf,
    pub(crate) environment: Vec<(&'static str, OsString)>,
    pub(crate) stdin: Vec<u8>,
}

impl Spawn {
    /// Runs it to its end. Standard input is a Unix socket whose other end is this process, which
    /// is how the hook knows that the harness itself calls; all candidates get the same.
    pub(crate) fn run(&self) -> Result<(Duration, Output), Failure> {
        let during = || format!("running {}", self.program.display());
        let (mut ours, theirs) = UnixStream::pair().during(during)?;
        let mut command = self.command();
        command.stdin(Stdio::from(OwnedFd::from(theirs))).stderr(Stdio::piped());
        let start = Instant::now();
        let child = command.spawn().during(during)?;
        send(&mut ours, &self.stdin).during(during)?;
        let output = child.wait_with_output().during(during)?;
        Ok((start.elapsed(), output))
    }

    /// The same for whoever talks to it while it runs: standard output is a pipe.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .current_dir(&self.folder)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdout(Stdio::piped());
        command
    }

    /// Runs it, and insists that it succeeds.
    pub(crate) fn run_well(&self) -> Result<(Duration, Output), Failure> {
        let (took, output) = self.run()?;
        if output.status.success() {
            Ok((took, output))
        } else {
            Err(self.unexpected("exit status 0", &output))
        }
    }

    /// Runs it, and insists that it succeeds and says nothing.
    pub(crate) fn run_silently(&self) -> Result<Duration, Failure> {
        let (took, output) = self.run_well()?;
        if output.stdout.is_empty() {
            Ok(took)
        } else {
            Err(self.unexpected("an empty stdout", &output))
        }
    }

    /// What to say when it ended otherwise.
    pub(crate) fn unexpected(&self, expected: &str, output: &Output) -> Failure {
        let arguments: Vec<_> = self.arguments.iter().map(|word| word.to_string_lossy()).collect();
        Failure::new(format!(
            "{} {} in {}: expected {expected}, but {}\nstdin: {}\nstdout: {}\nstderr: {}",
            self.program.display(),
            arguments.join(" "),
            self.folder.display(),
            output.status,
            String::from_utf8_lossy(&self.stdin),
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
        ))
    }
}

/// A program that does not read its input may be gone already.
fn send(socket: &mut UnixStream, bytes: &[u8]) -> std::io::Result<()> {
    let sent = socket.write_all(bytes).and_then(|()| socket.shutdown(Shutdown::Write));
    match sent {
        Err(error) if matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::NotConnected) => {
            Ok(())
        }
        sent => sent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Spawn {
        Spawn {
            program: PathBuf::from("/bin/sh"),
            arguments: vec!["-c".into(), script.into()],
            folder: PathBuf::from("/"),
            environment: vec![("PATH", "/usr/bin:/bin".into())],
            stdin: b"hello".to_vec(),
        }
    }

    #[test]
    fn the_program_reads_its_input_to_the_end() {
        let (_, output) = shell("cat; pwd").run_well().unwrap();
        assert_eq!(output.stdout, b"hello/\n");
    }

    #[test]
    fn silence_and_success_are_insisted_on() {
        shell("exit 0").run_silently().unwrap();
        let loud = shell("echo noise").run_silently().unwrap_err().to_string();
        assert!(loud.contains("expected an empty stdout") && loud.contains("noise"), "{loud}");
        let failed = shell("echo why >&2; exit 2").run_silently().unwrap_err().to_string();
        assert!(failed.contains("expected exit status 0") && failed.contains("why"), "{failed}");
    }
}
