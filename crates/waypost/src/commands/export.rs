//! `waypost export`

use std::path::PathBuf;
use std::process::ExitCode;
use waypost_core::text::spoken::count;

use clap::Args;
use waypost_app::machine::host::Host;
use waypost_app::share::export;
use waypost_app::view::View;

use super::CommandOutcome;
use crate::ui;

/// Write a session as one JSON document
///
/// It holds the state and every record byte for byte, so that signatures and the hash chain can be
/// verified again elsewhere. A session whose records are damaged is not exported.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost export 2026-11-15_add --output login.json
  waypost export 2026-11-15_add | jq -r '.records[]'")]
pub(super) struct ExportArgs {
    /// A session's id, or enough of its beginning
    id: String,
    /// A file that is not there yet; without it: standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Give JSON (it is the only format)
    #[arg(long)]
    json: bool,
}

impl ExportArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        let exported = export::export(&view, Some(&self.id))?;
        let Some(path) = self.output else {
            ui::json(&exported)?;
            return Ok(ExitCode::SUCCESS);
        };
        let document = ui::json_text(&exported)? + "\n";
        export::write(&host.cwd.join(&path), &document)?;
        let records = exported.records.len();
        ui::note(format!(
            "{} with {}: {}",
            exported.session_id,
            count(records, "record"),
            path.display()
        ));
        Ok(ExitCode::SUCCESS)
    }
}
