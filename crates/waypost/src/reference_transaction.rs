//! Git's `reference-transaction` hook: git calls this very program by that name, at every change of a ref.
//!
//! Git calls it several times for one commit, so whatever does not concern Waypost ends at once. It ends with 1 only if
//! a change is refused for a reason that is known: a failure, or work that takes too long, stops nobody.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use rustix::io::Errno;
use waypost_app::enforce::ref_updates;
use waypost_app::machine::called_in::CalledIn;
use waypost_app::machine::deadline::in_force;
use waypost_app::view::refs::RefChange;

use crate::wiring;

/// What the hook is called.
const NAME: &str = "reference-transaction";
/// How long looking at a commit may take: somebody waits for git.
const LIMIT: Duration = Duration::from_secs(5);

/// Whether a program that is called so is called by git, as its hook. Whatever is moved aside under a longer name is,
/// too, and does nothing.
pub(crate) fn is_called(program: &OsStr) -> Option<bool> {
    let name = Path::new(program).file_name()?.as_encoded_bytes();
    name.starts_with(NAME.as_bytes()).then_some(name.len() == NAME.len())
}

/// Answers git. `kept` is a hook that was there before this one.
pub(crate) fn run(phase: Option<&OsStr>, kept: Option<&Path>) -> ExitCode {
    std::panic::set_hook(Box::new(|_| std::process::exit(0)));
    let phase = phase.unwrap_or_default();
    let is_ours = phase == "prepared" || phase == "committed";
    if !is_ours && kept.is_none() {
        return ExitCode::SUCCESS;
    }
    let mut told = Vec::new();
    // What was read until then is still what git said.
    let _ = Stdin.read_to_end(&mut told);
    if let Some(code) = kept.and_then(|kept| run_kept(kept, phase, &told)) {
        return code;
    }
    let changes = RefChange::read(&told);
    if !is_ours || changes.clone().next().is_none() {
        return ExitCode::SUCCESS;
    }
    let cwd = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let Some(place) = CalledIn::of(&cwd, std::env::var_os("GIT_DIR").as_deref()) else {
        return ExitCode::SUCCESS;
    };
    if !place.is_kept() {
        return ExitCode::SUCCESS;
    }
    let host = wiring::host();
    if phase == "committed" {
        ref_updates::made(&host, &place, changes);
        return ExitCode::SUCCESS;
    }
    let Some(reason) = ref_updates::objection(&host, &place, changes, watch) else {
        return ExitCode::SUCCESS;
    };
    let _ = writeln!(std::io::stderr(), "{reason}");
    ExitCode::FAILURE
}

/// Lets the change go ahead if this takes too long.
fn watch() {
    let waiting = || {
        std::thread::sleep(in_force(LIMIT));
        std::process::exit(0);
    };
    // Without a second thread every single step still has a limit of its own.
    let _ = std::thread::Builder::new().stack_size(64 * 1024).spawn(waiting);
}

/// Runs the hook that was there before; how to end if it did not agree.
fn run_kept(kept: &Path, phase: &OsStr, told: &[u8]) -> Option<ExitCode> {
    let start = |command: &mut Command| command.arg(phase).stdin(Stdio::piped()).spawn();
    let started = start(&mut Command::new(kept)).or_else(|error| {
        // Git gives what does not say who reads it to the shell.
        if Errno::from_io_error(&error) == Some(Errno::NOEXEC) {
            return start(Command::new("/bin/sh").arg(kept));
        }
        Err(error)
    });
    // One that cannot be started, git would not have run either.
    let mut child = started.ok()?;
    if let Some(mut stdin) = child.stdin.take() {
        // It need not read what it is told.
        let _ = stdin.write_all(told);
    }
    match child.wait().ok()?.code() {
        Some(0) => None,
        code => Some(ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))),
    }
}

/// Standard input without a buffer of its own.
struct Stdin;

impl Read for Stdin {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        Ok(rustix::io::read(rustix::stdio::stdin(), buffer)?)
    }
}
