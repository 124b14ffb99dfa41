//! Running git, with a time limit and without the caller's git variables.

use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use waypost_store::seen;

use crate::machine::deadline::in_force;

mod wait;

pub(crate) use wait::Ended;

/// Nothing that git is asked for may take longer than this in all.
pub const LIMIT: Duration = Duration::from_secs(18);

/// What is said of what did not come to an end in that time, which leaves a hook little for the rest.
const TOO_LONG: &str = "git took too long: with the rest, an answer took over 20 s";

/// When something has to be finished.
#[derive(Debug, Clone, Copy)]
pub struct Deadline(Instant);

impl Deadline {
    /// In `limit` from now.
    pub fn after(limit: Duration) -> Self {
        Self(Instant::now() + in_force(limit))
    }

    fn remaining(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }

    pub(crate) fn is_over(self) -> bool {
        self.remaining().is_zero()
    }
}

/// Why git gave no answer, in words.
#[derive(Debug, Clone, thiserror::Error)]
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
        // Nothing stands in for another object.
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .env("LC_ALL", "C")
        .args(["-c", "core.fsmonitor=false"]);
    command
}

/// Runs a git command and gives its output.
pub fn output<S: AsRef<OsStr>>(
    command: Command,
    args: impl IntoIterator<Item = S>,
    deadline: Deadline,
) -> Result<Vec<u8>, GitError> {
    told(command, args, None, deadline)
}

/// The same for a command that is told something: however long it is, and whether or not it is read.
pub fn output_of<S: AsRef<OsStr>>(
    command: Command,
    args: impl IntoIterator<Item = S>,
    input: Vec<u8>,
    deadline: Deadline,
) -> Result<Vec<u8>, GitError> {
    told(command, args, Some(input), deadline)
}

fn told<S: AsRef<OsStr>>(
    command: Command,
    args: impl IntoIterator<Item = S>,
    input: Option<Vec<u8>>,
    deadline: Deadline,
) -> Result<Vec<u8>, GitError> {
    let ended = ended(command, args, input, deadline)?;
    if ended.status.success() {
        return Ok(ended.stdout);
    }
    let errors = String::from_utf8_lossy(&ended.stderr);
    Err(failed(errors.lines().find(|line| !line.starts_with("warning"))))
}

/// That git failed, in its own words.
pub(crate) fn failed(said: Option<&str>) -> GitError {
    let said = waypost_core::text::one_line(said.unwrap_or("no message"));
    GitError(format!("git failed: {said}"))
}

/// Runs a git command to its end, however that is.
pub(crate) fn ended<S: AsRef<OsStr>>(
    mut command: Command,
    args: impl IntoIterator<Item = S>,
    input: Option<Vec<u8>>,
    deadline: Deadline,
) -> Result<Ended, GitError> {
    seen::beyond_files();
    let child = command
        .args(args)
        .stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.map_err(|error| GitError(format!("git cannot be started: {error}")))?;
    if let (Some(input), Some(mut stdin)) = (input, child.stdin.take()) {
        // Nobody waits for it: it ends with whoever has the other end, which may outlive the process.
        std::thread::spawn(move || stdin.write_all(&input));
    }
    match wait::until_end(&mut child, deadline) {
        Ok(Some(ended)) => Ok(ended),
        given_up => {
            // It is being given up either way.
            let _ = child.kill();
            let _ = child.wait();
            Err(GitError(match given_up {
                Err(error) => format!("git cannot be waited for: {error}"),
                Ok(_) => TOO_LONG.to_owned(),
            }))
        }
    }
}
