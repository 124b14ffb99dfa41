//! `waypost man`

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory};
use waypost_app::error::AppError;

use super::{Cli, CommandOutcome};
use crate::ui;

/// Write the manual pages, one for each command
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost man --output ~/.local/share/man/man1")]
pub(super) struct ManArgs {
    /// The folder to write them to; it is made where it is missing
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,
}

impl ManArgs {
    pub(super) fn run(self) -> CommandOutcome {
        let failed = |error: io::Error| {
            AppError::refused(format!("cannot write to {}: {error}", self.output.display()))
                .because(error)
                .hint("name a folder that can be written to")
        };
        std::fs::create_dir_all(&self.output).map_err(failed)?;
        clap_mangen::generate_to(Cli::command(), &self.output).map_err(failed)?;
        ui::note(format!("the manual pages are in {}", self.output.display()));
        Ok(ExitCode::SUCCESS)
    }
}
