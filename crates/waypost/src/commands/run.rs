//! `waypost run`

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Args;
use waypost_app::enforce::run;
use waypost_app::machine::host::Host;
use waypost_app::view::View;

use super::CommandOutcome;
use crate::{error, ui};

/// Run a command as verified evidence
///
/// Output and exit status are passed through, so it can be piped. That it ran, how it ended, and
/// what the work tree was before and after is recorded in the session.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost run -- cargo test
  waypost run -- npm test | tail -20")]
pub(super) struct RunArgs {
    /// The command and its arguments, after `--`
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

impl RunArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        let ran = run::run(&view, &self.command)?;
        match &ran.recorded {
            Ok(session) if ran.patterns.is_empty() => {
                let why = ran.why_not.as_deref().unwrap_or("no gate waits for this command");
                ui::note(format!("recorded in {session}; {why}"));
            }
            Ok(_) => {}
            Err(failed) if ran.status == 0 => {
                ui::warning("the command succeeded, but that could not be recorded:");
                return Ok(error::report(failed));
            }
            Err(failed) => {
                error::report(failed);
            }
        }
        // A status is one byte to the system; anything else was a failure, and stays one.
        Ok(ExitCode::from(u8::try_from(ran.status).unwrap_or(1)))
    }
}
