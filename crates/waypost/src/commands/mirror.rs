//! `waypost mirror`

use std::process::ExitCode;

use clap::{Args, Subcommand};
use waypost_app::machine::host::Host;
use waypost_app::mirror::{self, Part, State, Status, Synced};
use waypost_app::view::View;
use waypost_core::next_step::Voice;
use waypost_core::text::spoken::count;

use super::CommandOutcome;
use crate::ui::{self, BAD, BOLD, DIM, GOOD, WARN};
use crate::wiring;

/// Show sessions where agents keep memories and notes
///
/// `[project] mirrors` in waypost.toml names the mirrors: `serena` and `notes`. Once a human has said with
/// `waypost trust config` that they may be, `waypost mcp` and `waypost serve` keep them up to date while they
/// run; without them, `waypost mirror sync` does. What a mirror misses while it is down waits, and no work
/// waits for it. `waypost restore` brings sessions back from a mirror.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost mirror status                 what the mirrors do not show yet
  waypost mirror sync                   bring them up to date, now
  waypost mirror sync --all             show every session once more")]
pub(super) struct MirrorArgs {
    #[command(subcommand)]
    command: MirrorCommand,
}

#[derive(Debug, Subcommand)]
enum MirrorCommand {
    /// Bring the mirrors up to date
    ///
    /// Ends with 1 if one of them took not all of it; the rest waits.
    Sync {
        /// Also what happened before there were mirrors, and once more what they show
        #[arg(long)]
        all: bool,
        /// Give JSON
        #[arg(long)]
        json: bool,
    },
    /// Show how the mirrors are doing
    Status {
        /// Give JSON
        #[arg(long)]
        json: bool,
    },
}

impl MirrorArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        match self.command {
            MirrorCommand::Sync { all, json } => {
                let servers = wiring::servers();
                let synced = mirror::sync(&view, &servers, wiring::pace().waits, all)?;
                if json {
                    ui::json(&synced)?;
                }
                Ok(tell(&synced, json))
            }
            MirrorCommand::Status { json } => {
                let status = mirror::status(&view)?;
                if json {
                    ui::json(&status)?;
                } else {
                    show(&status);
                }
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}

fn tell(synced: &Synced, json: bool) -> ExitCode {
    ui::warnings(&synced.warnings);
    ui::warnings(&synced.conflicts);
    if !json {
        ui::line(format!("{} mirrored", count(synced.sent, "record")));
    }
    if synced.errors.is_empty() {
        return ExitCode::SUCCESS;
    }
    let waiting = count(synced.waiting, "record");
    let verb = if synced.waiting == 1 { "waits" } else { "wait" };
    let again =
        "see that it runs, then waypost mirror sync; nothing is lost, and work goes on without it";
    ui::error(&format!("{}; {waiting} {verb}", synced.errors.join("; ")), &[again.into()]);
    ExitCode::from(1)
}

fn show(status: &Status) {
    if status.mirrors.is_empty() {
        ui::field_in(DIM, "mirrors", "none: waypost.toml names none");
    }
    status.mirrors.iter().for_each(part);
    if let Some(next) = status.next() {
        ui::field("next", next.words(Voice::PERSON));
    }
}

fn part(part: &Part) {
    let (style, state) = match part.state {
        State::Untrusted => (
            WARN,
            "held: no human on this machine trusts the waypost.toml that names it".to_owned(),
        ),
        State::On if part.waiting == 0 => (GOOD, "up to date".to_owned()),
        State::On => (GOOD, format!("{} to be shown", count(part.waiting, "record"))),
    };
    ui::line(format!("{}  {}", ui::paint(BOLD, part.mirror.name()), ui::paint(style, state)));
    ui::field("reached by", &part.address);
    for (session, count) in &part.sessions {
        ui::line(format!("    {count:>6}  {session}"));
    }
    if let Some(taken_at) = part.taken_at {
        ui::field("written", ui::second(taken_at));
    }
    if let Some(error) = &part.error {
        ui::field_in(BAD, "failed", format!("{error} ({})", count(part.failures, "time")));
    }
    if let Some(next_try) = part.next_try {
        ui::field("next try", ui::second(next_try));
    }
    if let Some(conflict) = &part.conflict {
        ui::field_in(WARN, "kept there", conflict);
    }
}
