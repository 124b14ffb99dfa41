//! `waypost telemetry`

use std::process::ExitCode;

use clap::{Args, Subcommand};
use waypost_app::machine::host::Host;
use waypost_app::telemetry::{self, Flushed, Part, State, Status};
use waypost_app::view::View;
use waypost_core::next_step::Voice;
use waypost_core::text::spoken::count;

use super::CommandOutcome;
use crate::ui::{self, BAD, BOLD, DIM, GOOD, WARN};
use crate::wiring;

/// Send what happens to a collector of OpenTelemetry
///
/// Rulings, runs, phases, agents and usage of this project go to the collector that `[telemetry] otlp` in
/// waypost.toml names, once a human has said with `waypost trust config` that they may. `waypost mcp` and
/// `waypost serve` send while they run; without them, `waypost telemetry flush` does. What a collector
/// misses while it is down waits, and no work waits for it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost telemetry status              where it goes, and what waits
  waypost telemetry flush               send what waits, now
  waypost telemetry flush --all         also what happened before the collector was named")]
pub(super) struct TelemetryArgs {
    #[command(subcommand)]
    command: TelemetryCommand,
}

#[derive(Debug, Subcommand)]
enum TelemetryCommand {
    /// Send what waits
    ///
    /// Ends with 1 if the collector took not all of it; the rest waits.
    Flush {
        /// Also what happened before the collector was named
        #[arg(long)]
        all: bool,
        /// Give JSON
        #[arg(long)]
        json: bool,
    },
    /// Show where it goes, and what waits
    Status {
        /// Give JSON
        #[arg(long)]
        json: bool,
    },
}

impl TelemetryArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        match self.command {
            TelemetryCommand::Flush { all, json } => {
                let collector = wiring::collector();
                let flushed = telemetry::flush(&view, &collector, wiring::pace().waits, all)?;
                if json {
                    ui::json(&flushed)?;
                }
                Ok(tell(&flushed, json))
            }
            TelemetryCommand::Status { json } => {
                let status = telemetry::status(&view)?;
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

fn tell(flushed: &Flushed, json: bool) -> ExitCode {
    ui::warnings(&flushed.warnings);
    if flushed.refused > 0 {
        ui::warning(format!(
            "the collector refused {} for good: waypost telemetry status says why",
            count(flushed.refused, "signal")
        ));
    }
    if !json {
        ui::line(format!("{} sent", count(flushed.sent, "signal")));
    }
    if flushed.errors.is_empty() {
        return ExitCode::SUCCESS;
    }
    let waiting = count(flushed.waiting, "record");
    let verb = if flushed.waiting == 1 { "waits" } else { "wait" };
    let again = "see that the collector runs, then waypost telemetry flush; nothing is lost";
    ui::error(&format!("{}; {waiting} {verb}", flushed.errors.join("; ")), &[again.into()]);
    ExitCode::from(1)
}

fn show(status: &Status) {
    let (style, state) = match status.state {
        State::Off => (DIM, "off: waypost.toml names no collector"),
        State::Untrusted => (
            WARN,
            "held: no human on this machine trusts the waypost.toml that names the collector",
        ),
        State::On => (GOOD, "on"),
    };
    ui::field_in(style, "telemetry", state);
    if let Some(otlp) = &status.otlp {
        ui::field("collector", otlp);
        ui::field("content", if status.content { "sent, redacted" } else { "not sent" });
    }
    status.parts.iter().for_each(part);
    if let Some(next) = status.next() {
        ui::field("next", next.words(Voice::PERSON));
    }
}

fn part(part: &Part) {
    let waiting = match part.waiting {
        0 => "nothing waits".to_owned(),
        waiting => format!("{} to look through", count(waiting, "record")),
    };
    let since = ui::paint(DIM, format!("since {}", ui::moment(part.since)));
    ui::line(format!("  {}  {waiting}  {since}", ui::paint(BOLD, part.signals)));
    for (session, count) in &part.sessions {
        ui::line(format!("    {count:>6}  {session}"));
    }
    if let Some(taken_at) = part.taken_at {
        ui::field("last taken", ui::second(taken_at));
    }
    if let Some(error) = &part.error {
        ui::field_in(BAD, "failed", format!("{error} ({})", count(part.failures, "time")));
    }
    if let Some(next_try) = part.next_try {
        ui::field("next try", ui::second(next_try));
    }
    if part.refused > 0 {
        let why = part.refusal.as_deref().unwrap_or_default();
        let told = format!("{} for good: {why}", count(part.refused, "signal"));
        ui::field_in(WARN, "refused", told);
    }
}
