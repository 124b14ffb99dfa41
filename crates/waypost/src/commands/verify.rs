//! `waypost verify`

use std::process::ExitCode;
use waypost_core::text::spoken::count;

use clap::Args;
use waypost_app::machine::host::Host;
use waypost_app::share::verify;
use waypost_app::view::View;

use super::CommandOutcome;
use crate::ui::{self, BAD, DIM, GOOD};

/// Check streams from the first byte to the last: chain, signatures, state
///
/// Ends with status 3 and names the first bad record if anything was changed, lost or forged, in a
/// stream or in a published copy of this work tree. A copy that is behind, ahead or a second head is
/// told of and is no fault. One whose key is not known here is unverified: status 1 if you asked for
/// it by its id.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost verify                 every stream of this project
  waypost verify 2026-11-15_add  one session")]
pub(super) struct VerifyArgs {
    /// A session's id, or enough of its beginning
    id: Option<String>,
    /// Every stream of this project (the default without an id)
    #[arg(long, conflicts_with = "id")]
    all: bool,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl VerifyArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        let verified = verify::verify(&view, self.id.as_deref())?;
        if self.json {
            ui::json(&verified)?;
        }
        let mut bad = false;
        let unverified = self.id.is_some() && verified.iter().any(|stream| stream.unverified);
        for stream in &verified {
            bad |= !stream.faults.is_empty();
            if self.json {
                continue;
            }
            let mark = if stream.faults.is_empty() {
                ui::paint(GOOD, "✓")
            } else {
                ui::paint(BAD, "✗")
            };
            ui::line(format!(
                "{mark} {} {}",
                stream.stream,
                ui::paint(DIM, count(stream.records, "record"))
            ));
            for note in &stream.notes {
                ui::line(format!("  {note}"));
            }
            for fault in &stream.faults {
                ui::error(&fault.what, std::slice::from_ref(&fault.fix));
            }
        }
        Ok(ExitCode::from(match (bad, unverified) {
            (true, _) => 3,
            (false, true) => 1,
            (false, false) => 0,
        }))
    }
}
