//! `waypost transcripts`

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use waypost_app::machine::host::Host;
use waypost_app::machine::project;
use waypost_app::machine::since::Since;
use waypost_app::transcripts::{Kept, Scope, search, show};
use waypost_core::text::spoken::count;

use super::CommandOutcome;
use crate::ui::{self, BOLD, DIM};
use crate::wiring;

/// Search and read what clients keep of their conversations
///
/// Transcripts are read where the clients keep them: nothing is copied or changed, and credentials are redacted.
/// Clients delete them after a while.
#[derive(Debug, Args)]
pub(super) struct TranscriptsArgs {
    #[command(subcommand)]
    command: TranscriptsCommand,
}

#[derive(Debug, Subcommand)]
enum TranscriptsCommand {
    Search(SearchArgs),
    Show(ShowArgs),
}

/// Find where something was said
///
/// In the conversations of this project: what humans and agents wrote, which commands were run and what they printed.
/// Case does not matter. Reads all of them, so it takes as long as that.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost transcripts search \"rate limit\"
  waypost transcripts search migrate --all --since 30d --json")]
struct SearchArgs {
    /// The words to find
    text: String,
    /// The folder whose conversations are searched; without it: this project
    #[arg(long, value_name = "DIR", conflicts_with = "all")]
    project: Option<PathBuf>,
    /// Search the conversations of all projects
    #[arg(long)]
    all: bool,
    /// Only what was said since: a day (2026-11-01), a time, or how long ago (7d, 12h)
    #[arg(long)]
    since: Option<Since>,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

/// Show a conversation
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost transcripts show 8c3b6078
  waypost transcripts show 8c3b6078-ed99-426a-a14e-ad70b75e0760 --json")]
struct ShowArgs {
    /// The conversation's id, or enough of its beginning
    id: String,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl TranscriptsArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let kept = wiring::transcripts(host);
        match self.command {
            TranscriptsCommand::Search(args) => args.run(host, &kept),
            TranscriptsCommand::Show(args) => args.run(&kept),
        }
    }
}

impl SearchArgs {
    fn run(self, host: &Host, kept: &[Kept]) -> CommandOutcome {
        let folder = self.project.map_or_else(|| host.cwd.clone(), |folder| host.cwd.join(folder));
        let root = if self.all { None } else { Some(project::find_or_here(&folder)?.root) };
        let since = self.since.map(|since| since.before(host.moment()));
        let found = search::search(kept, &Scope { root, since }, &self.text);
        if self.json {
            ui::json(&found)?;
            return Ok(ExitCode::SUCCESS);
        }
        let mut last = None;
        for hit in &found.hits {
            if last != Some(&hit.conversation) {
                let name = ui::paint(BOLD, ui::on_one_line(&hit.conversation));
                ui::line(format!("{name}  {}", hit.client));
                last = Some(&hit.conversation);
            }
            let time = hit.time.map_or_else(String::new, ui::moment);
            ui::line(format!("  {}  {}: {}", ui::paint(DIM, time), hit.by, hit.text));
        }
        if found.found == 0 {
            ui::note("nothing found");
        } else if found.found > found.hits.len() {
            ui::note(format!("{} more", found.found - found.hits.len()));
        }
        tell_unreadable(found.unreadable);
        Ok(ExitCode::SUCCESS)
    }
}

impl ShowArgs {
    fn run(self, kept: &[Kept]) -> CommandOutcome {
        let shown = show::show(kept, &self.id)?;
        if self.json {
            ui::json(&shown)?;
            return Ok(ExitCode::SUCCESS);
        }
        ui::line(ui::paint(BOLD, ui::on_one_line(&shown.conversation)));
        ui::field("client", shown.client);
        if let Some(folder) = &shown.folder {
            ui::field("folder", ui::on_one_line(&folder.display().to_string()));
        }
        for entry in &shown.entries {
            let time = entry.time.map_or_else(String::new, ui::second);
            ui::line(format!("\n{} {}", ui::paint(DIM, time), ui::paint(BOLD, entry.by)));
            ui::line(format!("  {}", ui::indented(&entry.text, 2)));
        }
        tell_unreadable(shown.unreadable);
        Ok(ExitCode::SUCCESS)
    }
}

/// What could not be read is told wherever transcripts are.
pub(super) fn tell_unreadable(lines: u64) {
    if lines > 0 {
        ui::note(format!("{} could not be read", count(lines, "line")));
    }
}
