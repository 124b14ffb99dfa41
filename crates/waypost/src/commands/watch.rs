//! `waypost watch`

mod approve;
mod keys;
mod layout;
mod line;
mod live;
mod page;
mod plain;
mod screen;

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use waypost_app::machine::host::Host;
use waypost_app::watch::{self, Board, CostToday, Watch};

use super::CommandOutcome;
use crate::{ui, wiring};

/// Watch what goes on in all projects of this machine
///
/// One screen that is always true: what needs you, who is at work, what is held, what was done today, where nothing was
/// enforced, and what today cost. The projects are those of the index (`waypost onboard`), those in which a conversation
/// began, and the one here. On a terminal the screen is live: arrows or j and k move, o shows the session, b its brief,
/// a approves a gate, q quits, ? tells every key. Elsewhere, and with --once, it is printed once as plain lines.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost watch
  waypost watch --once                                       for a script, or a look in passing
  waypost watch --json | jq -r '.rows[] | select(.group == \"needs_you\") | .text'")]
pub(super) struct WatchArgs {
    /// Print it once and end
    #[arg(long)]
    once: bool,
    /// Give JSON, once
    #[arg(long)]
    json: bool,
}

/// Everything, as JSON.
#[derive(Serialize)]
struct Told<'a> {
    #[serde(flatten)]
    board: &'a Board,
    cost_today: &'a CostToday,
}

impl WatchArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        if !self.once && !self.json && is_for_a_screen() {
            return live::run(host);
        }
        let mut watch = Watch::new(host)?;
        watch.look()?;
        watch.look_for_lapses();
        let board = watch.look()?;
        let cost = watch::cost_today(host, &wiring::transcripts(host));
        if self.json {
            ui::json(&Told { board: &board, cost_today: &cost })?;
        } else {
            plain::tell(&board, &cost, host.moment());
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Whether somebody sits at a terminal that can do more than print lines.
fn is_for_a_screen() -> bool {
    let dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
    !dumb && std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}
