//! `waypost run`

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use waypost_app::enforce::run;
use waypost_app::machine::host::Host;
use waypost_app::view::View;

use super::CommandOutcome;
use crate::{error, ui};

/// Run a command as verified evidence
///
/// Output and exit status are passed through, so it can be piped. That it ran, how it ended, how many
/// tests it executed, and what the work tree was before and after is recorded in the session. With
/// `--gate` it is the gate's own command, called as it has to be called here: `pytest` by `uv run` in a
/// project of uv's, say.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost run -- cargo test
  waypost run --gate tests-pass 2>&1 | tail -20
  waypost run -C packages/api -- npm test
  waypost run -- npm test | tail -20")]
pub(super) struct RunArgs {
    /// Run the command that this gate waits for, in its folder
    #[arg(long, value_name = "ID", conflicts_with = "folder")]
    gate: Option<String>,
    /// Run it in this folder
    #[arg(short = 'C', value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// The command and its arguments, after `--`; with --gate, further arguments for its command
    #[arg(last = true, required_unless_present = "gate", value_name = "COMMAND")]
    command: Vec<OsString>,
}

impl RunArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        let ran = match &self.gate {
            Some(gate) => run::run_gate(&view, gate, &self.command)?,
            None => vec![run::run(&view, &self.command, self.folder.as_deref())?],
        };
        let mut status = 0;
        for ran in &ran {
            status = ran.status;
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
            for told in [&ran.told, &ran.blamed].into_iter().flatten() {
                ui::note(told);
            }
        }
        // A status is one byte to the system; anything else was a failure, and stays one.
        Ok(ExitCode::from(u8::try_from(status).unwrap_or(1)))
    }
}
