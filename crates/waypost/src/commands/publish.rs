//! `waypost publish`

use std::process::ExitCode;

use clap::Args;
use waypost_app::machine::host::Host;
use waypost_app::share::publish;
use waypost_app::view::View;

use super::CommandOutcome;
use crate::ui::{self, BOLD, DIM};

/// Write a session's published copy into the work tree
///
/// Waypost keeps the copy up to date from then on, and that of every session that follows a
/// workflow; `publish` in waypost.toml says otherwise. What lies there already is compared first:
/// what goes on from this session's end is taken over, what goes another way is kept apart and told.
/// Without an id: the calling agent's session, else the current one of the work tree, else its only
/// active one.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost publish
  waypost publish 2026-11-15_add && git add agents/sessions && git commit -m \"Session\"")]
pub(super) struct PublishArgs {
    /// A session's id, or enough of its beginning
    id: Option<String>,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl PublishArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        let session = view.session(self.id.as_deref())?;
        let published = publish::publish(&view, &session.id)?;
        ui::warnings(&published.warnings);
        if self.json {
            ui::json(&published)?;
            return Ok(ExitCode::SUCCESS);
        }
        let folder = view.project.relative(&published.folder);
        let how = if published.written { "written" } else { "as it was" };
        let what = format!("{how}, up to record {}", published.version);
        ui::line(format!("{} {}", ui::paint(BOLD, folder), ui::paint(DIM, what)));
        Ok(ExitCode::SUCCESS)
    }
}
