//! The hook: a harness' event in, its answer out. Runs on every tool call, so it is lean, and it
//! ends in exactly two ways: with status 0 and an answer, or with status 2, which denies.
//!
//! Everything that cannot be decided is decided in the right direction: what could do harm is
//! denied, reading goes on, and the user's own prompts are never held up. What the harnesses are is
//! known to [`harnesses`] alone.

mod answer;
mod calls;
mod failed;
mod fault;
pub mod harnesses;
mod mended;
pub mod transcripts;

use std::io::Read;
use std::path::PathBuf;
use std::time::Duration;

use waypost_app::harness::Harness;
use waypost_app::machine::host::Host;
use waypost_app::machine::process::Process;

pub use answer::answer;
pub use fault::{Otherwise, expect, guard, install_panic_hook};
pub use mended::note_mended;

/// Longer input is not read to its end.
pub const MAX_INPUT: u64 = 32 * 1024 * 1024;

/// Which registration of Waypost's hook called. Where there are several, a harness calls all of them at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Through {
    /// One that yields to no other: that of the user's own settings.
    Own,
    /// The one that a team shares, which yields to a local one.
    Shared,
    /// A plugin's, which yields to any in settings that the harness reads.
    Plugin,
    /// Another harness', whose settings this one runs too: it yields to any that is its own.
    Borrowed,
}

impl Through {
    /// The one that is called with these flags, if they are known.
    pub fn of<F: AsRef<std::ffi::OsStr>>(flags: &[F]) -> Option<Self> {
        match flags {
            [] => Some(Self::Own),
            [flag] if flag.as_ref() == "--shared" => Some(Self::Shared),
            [flag] if flag.as_ref() == "--plugin" => Some(Self::Plugin),
            _ => None,
        }
    }
}

/// Where the hook runs.
#[derive(Debug)]
pub struct Setting {
    /// The machine.
    pub host: Host,
    /// The harness that calls.
    pub harness: &'static dyn Harness,
    /// The folder that the harness was started in, if it says so.
    pub project_dir: Option<PathBuf>,
    /// Tells the process that called, if it is the harness.
    pub caller: fn() -> Option<Process>,
    /// Which registration of the hook called.
    pub through: Through,
    /// Told how to end if the work fails or takes too long, as soon as that is known.
    pub guard: fn(Duration, Otherwise),
}

/// Reads at most [`MAX_INPUT`] bytes of an event; whether that was all.
pub fn read_event(reader: impl Read) -> std::io::Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::with_capacity(4096);
    reader.take(MAX_INPUT + 1).read_to_end(&mut bytes)?;
    let complete = bytes.len() as u64 <= MAX_INPUT;
    Ok((bytes, complete))
}
