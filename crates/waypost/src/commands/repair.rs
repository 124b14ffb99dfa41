//! `waypost repair`

use std::process::ExitCode;
use waypost_core::text::spoken::count;

use clap::Args;
use serde_json::json;
use waypost_app::machine::host::Host;
use waypost_app::share::repair::{self, Mended};
use waypost_app::view::View;

use super::CommandOutcome;
use crate::ui::{self, BAD, BOLD, DIM, GOOD, WARN};

/// Put damaged records together again from everything that still has them
///
/// Takes what the published copy, other copies that were kept and ends that were cut off still have.
/// Nothing is thrown away: what lay there before is kept in `torn/` of the project's store. What cannot
/// be found again is recorded as lost, and `waypost verify` names it until you accept that with
/// `waypost trust loss`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost repair                      everything of this project that is damaged
  waypost repair 2026-11-15_add       one session
  waypost repair project              the project's own records
  waypost repair key                  another key, where the one that there was is gone for good
  waypost repair --dry-run            what would be found again and what is lost; nothing is changed")]
pub(super) struct RepairArgs {
    /// A session's id, or enough of its beginning, or `project`, or `key`
    id: Option<String>,
    /// Only tell what would be done
    #[arg(long)]
    dry_run: bool,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl RepairArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        if self.id.as_deref() == Some("key") {
            return self.key(host);
        }
        let view = View::open(host)?;
        let mended = repair::repair(&view, self.id.as_deref(), self.dry_run)?;
        if self.json {
            ui::json(&mended)?;
        } else if mended.is_empty() {
            ui::note("nothing is damaged");
        } else {
            for one in &mended {
                tell(one, self.dry_run);
            }
        }
        let failed = mended.iter().any(|one| one.failed.is_some());
        Ok(ExitCode::from(if failed { 3 } else { 0 }))
    }

    fn key(self, host: &Host) -> CommandOutcome {
        if self.dry_run {
            let usable = host.keyring().map(drop);
            ui::note(usable.err().map_or("the key can be used".to_owned(), |error| error.message));
            return Ok(ExitCode::SUCCESS);
        }
        let id = repair::key(host)?;
        if self.json {
            ui::json(&json!({"key": id}))?;
        } else {
            ui::line(format!("{} signs from now on", ui::paint(BOLD, format!("key {id}"))));
            ui::note("accept what the old one signed, as it is now: waypost trust copy --all");
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn tell(one: &Mended, dry_run: bool) {
    let name = ui::paint(BOLD, &one.stream);
    if let Some(failed) = &one.failed {
        ui::line(format!("{} {name} {}", ui::paint(BAD, "✗"), ui::indented(failed, 2)));
        return;
    }
    let mark = if one.lost.is_some() { ui::paint(WARN, "!") } else { ui::paint(GOOD, "✓") };
    let done = if dry_run { "would have" } else { "has" };
    let records = ui::paint(DIM, format!("{done} {}", count(one.records, "record")));
    ui::line(format!("{mark} {name} {records}"));
    if one.restored > 0 {
        ui::line(format!("  {} found again elsewhere", one.restored));
    }
    if let Some(kept) = &one.kept {
        ui::line(format!("  what lay there before is kept: {kept}"));
    }
    if let Some(lost) = one.lost {
        ui::line(format!("  {lost}"));
        if !dry_run {
            ui::line(format!("  accept that: waypost trust loss {}", one.stream));
        }
    }
}
