//! Running git, with a time limit and without the caller's git variables.

use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Nothing that git is asked for may take longer than this in all.
pub const LIMIT: Duration = Duration::from_secs(18);

/// When something has to be finished.
#[derive(Debug, Clone, Copy)]
pub struct Deadline(Instant);

impl Deadline {
    /// In `limit` from now.
    pub fn after(limit: Duration) -> Self {
        Self(Instant::now() + limit)
    }

    fn is_over(self) -> bool {
        Instant::now() >= self.0
    }
}

/// Why git gave no answer, in words.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct GitError(String);

impl GitError {
    pub(crate) fn from_text(text: String) -> Self {
        Self(text)
    }
}

/// A git command in `root` that looks at nothing but what it is told, and calls no hooks.
pub fn command(root: &Path) -> Command {
    let mut command = configured(root);
    command.args(["-c", "core.hooksPath=/dev/null"]);
    command
}

/// The same with the user's own idea of where hooks are, for asking about it.
pub fn configured(root: &Path) -> Command {
    let mut command = Command::new("git");
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("GIT_") {
            command.env_remove(name);
        }
    }
    command
        .current_dir(root)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C")
        .args(["-c", "core.fsmonitor=false"]);
    command
}

/// Runs a git command and gives its output.
pub fn output<S: AsRef<OsStr>>(
    mut command: Command,
    args: impl IntoIterator<Item = S>,
    deadline: Deadline,
) -> Result<Vec<u8>, GitError> {
    let child = command
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.map_err(|error| GitError(format!("git cannot be started: {error}")))?;
    let stdout = child.stdout.take().map(collect);
    let stderr = child.stderr.take().map(collect);
    let succeeded = wait(&mut child, deadline)?;
    let output = stdout.and_then(|reader| reader.join().ok()).unwrap_or_default();
    if succeeded {
        return Ok(output);
    }
    let errors = stderr.and_then(|reader| reader.join().ok()).unwrap_or_default();
    let errors = String::from_utf8_lossy(&errors);
    let first = errors.lines().find(|line| !line.starts_with("warning")).unwrap_or("no message");
    Err(GitError(format!("git failed: {}", waypost_core::text::one_line(first))))
}

fn collect(mut pipe: impl Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read until the pipe broke is as good as it gets.
        let _ = pipe.read_to_end(&mut bytes);
        bytes
    })
}

fn wait(child: &mut Child, deadline: Deadline) -> Result<bool, GitError> {
    let mut pause = Duration::from_micros(200);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status.success()),
            Ok(None) if deadline.is_over() => {
                // It is being given up either way.
                let _ = child.kill();
                let _ = child.wait();
                return Err(GitError("git took too long".to_owned()));
            }
            Ok(None) => std::thread::sleep(pause),
            Err(error) => return Err(GitError(format!("git cannot be waited for: {error}"))),
        }
        pause = (pause * 2).min(Duration::from_millis(4));
    }
}
