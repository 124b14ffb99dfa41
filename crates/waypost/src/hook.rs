//! `waypost hook HARNESS`: reads one event, writes one answer.

use std::ffi::{OsStr, OsString};
use std::io::{IsTerminal, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use waypost_app::harness::{Calls, Facts, Harness};
use waypost_app::machine::deadline;
use waypost_app::machine::process::{self, Process};
use waypost_hook::{Setting, Through};

use crate::wiring;

/// Standard input without a buffer of its own.
struct Stdin;

impl Read for Stdin {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        Ok(rustix::io::read(rustix::stdio::stdin(), buffer)?)
    }
}

fn is_set(name: &&str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}

/// How the process that calls is told, by what is known of the harness.
fn caller(facts: &Facts) -> fn() -> Option<Process> {
    match facts.calls {
        Calls::Socket => || process::caller(std::io::stdin()),
        // What agents run has these variables, and a hook has not.
        Calls::Pipe if facts.markers.iter().any(is_set) => || None,
        Calls::Pipe => || process::caller_by_pipe(std::io::stdin()),
        Calls::Unknown => || None,
    }
}

/// Answers an event of a harness that leaves the arguments of a hook out: it runs the hooks of another one's settings, and
/// of these the program alone. `None` where nobody is known to call so, or somebody sits at a terminal.
pub(crate) fn run_bare() -> Option<ExitCode> {
    let calls = |facts: &&Facts| {
        facts.calls_bare.as_ref().is_some_and(is_set) && !facts.markers.iter().any(is_set)
    };
    let facts = wiring::harness_facts().find(calls)?;
    if std::io::stdin().is_terminal() {
        return None;
    }
    Some(answered(wiring::harness(OsStr::new(facts.name))?, Through::Borrowed))
}

/// Answers an event; `None` if this is not how a harness calls it.
pub(crate) fn run(args: &[OsString]) -> Option<ExitCode> {
    let (harness, flags) = args.split_first()?;
    let (harness, through) = (wiring::harness(harness)?, Through::of(flags)?);
    Some(answered(harness, through))
}

fn answered(harness: &'static dyn Harness, through: Through) -> ExitCode {
    waypost_hook::install_panic_hook();
    let mut host = wiring::host();
    host.expect_longer = || waypost_hook::expect(deadline::in_force(deadline::COLD));
    host.notice = Some(waypost_hook::note_mended);
    let setting = Setting {
        host,
        harness,
        project_dir: harness.facts().project_dir.and_then(std::env::var_os).map(PathBuf::from),
        caller: caller(harness.facts()),
        through,
        guard: |limit, otherwise| waypost_hook::guard(deadline::in_force(limit), otherwise),
    };
    // What was read before an error still tells which way to fail.
    let (bytes, complete) = waypost_hook::read_event(Stdin).unwrap_or_else(|_| (Vec::new(), false));
    let output = waypost_hook::answer(&setting, &bytes, complete);
    // An answer that cannot be written must not pass for "allowed".
    let mut stdout = std::io::stdout().lock();
    let written = stdout.write_all(output.stdout.as_bytes()).and_then(|()| stdout.flush());
    let _ = std::io::stderr().write_all(output.stderr.as_bytes());
    let status = if written.is_err() { 2 } else { output.status };
    ExitCode::from(status)
}
