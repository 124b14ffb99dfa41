//! `waypost index`

use std::process::ExitCode;

use clap::{Args, Subcommand};
use waypost_app::index::{self, IndexState, Status};
use waypost_app::machine::host::Host;
use waypost_core::tables::ProjectRow;
use waypost_core::text::spoken::count;

use super::CommandOutcome;
use super::onboard::{bar, tell};
use crate::ui::{self, BAD, BOLD, DIM, GOOD, WARN};
use crate::wiring;

/// Keep an index of everything that agents on this machine did
///
/// A database that is made of the projects' records, their session folders and their activity. Reports and
/// pages are quick because of it, and nothing else needs it: delete it, and the next scan makes it anew.
/// `waypost onboard` adds projects.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost index scan                    read what happened since the last time
  waypost index status                  what is in it
  waypost index rebuild                 make it anew
  waypost index rename 4fe1c20a9b77 shop
  waypost index archive ~/old/shop      leave a project out of reports; --undo takes it back")]
pub(super) struct IndexArgs {
    #[command(subcommand)]
    command: IndexCommand,
}

#[derive(Debug, Subcommand)]
enum IndexCommand {
    /// Read what happened since the last time
    Scan(OutputArgs),
    /// Make it anew, from nothing
    Rebuild(OutputArgs),
    /// Show what is in it
    Status {
        /// Look at all of it, which takes longer
        #[arg(long)]
        check: bool,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Call a project by another name
    Rename {
        /// Its id, its name or its folder
        project: String,
        /// The name; empty: that of its folder
        name: String,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Leave a project out of reports
    Archive {
        /// Its id, its name or its folder
        project: String,
        /// Take it back
        #[arg(long)]
        undo: bool,
        #[command(flatten)]
        output: OutputArgs,
    },
}

#[derive(Debug, Args)]
struct OutputArgs {
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl IndexArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let kept = &wiring::transcripts(host);
        match self.command {
            IndexCommand::Status { check, output } => {
                let status = index::status(host, check)?;
                if output.json {
                    ui::json(&status)?;
                } else {
                    show(&status);
                }
                let usable = matches!(status.state, IndexState::Ready | IndexState::Missing);
                Ok(if usable { ExitCode::SUCCESS } else { ExitCode::from(1) })
            }
            IndexCommand::Scan(output) => {
                let bar = bar();
                let report = index::scan(host, kept, &mut |done, _, what| bar.show(done, what));
                bar.clear();
                tell(&report?, output.json)
            }
            IndexCommand::Rebuild(output) => {
                let bar = bar();
                let report = index::rebuild(host, kept, &mut |done, _, what| bar.show(done, what));
                bar.clear();
                tell(&report?, output.json)
            }
            IndexCommand::Rename { project, name, output } => {
                tell(&index::rename(host, kept, &project, &name)?, output.json)
            }
            IndexCommand::Archive { project, undo, output } => {
                tell(&index::archive(host, kept, &project, !undo)?, output.json)
            }
        }
    }
}

fn show(status: &Status) {
    let (style, state) = match status.state {
        IndexState::Missing => (WARN, "there is none yet: waypost index scan makes it"),
        IndexState::Ready => (GOOD, "ready"),
        IndexState::Damaged => (BAD, "damaged: waypost index scan makes it anew"),
        IndexState::Older => (WARN, "made by an older Waypost: waypost index scan makes it anew"),
        IndexState::Newer => (BAD, "made by a newer Waypost: use that one"),
    };
    ui::field_in(style, "index", state);
    if let Some(why) = &status.why {
        ui::field("why", why);
    }
    if let Some(file) = &status.file {
        ui::field("file", format!("{} ({})", file.display(), count(status.bytes, "byte")));
    }
    for (table, rows) in status.rows.iter().filter(|(_, rows)| **rows > 0) {
        ui::field(table, rows);
    }
    status.projects.iter().for_each(line);
}

fn line(project: &ProjectRow) {
    let state = match (project.present, project.archived) {
        (false, _) => ui::paint(BAD, "  not there"),
        (true, true) => ui::paint(DIM, "  archived"),
        (true, false) => String::new(),
    };
    let name = ui::paint(BOLD, &project.name);
    ui::line(format!("{} {name}{state}  {}", project.id, ui::paint(DIM, &project.working_dir)));
}
