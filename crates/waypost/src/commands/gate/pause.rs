//! `waypost gate pause` and `waypost gate unpause`

use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use waypost_app::enforce::pausing::{self, Pausing};
use waypost_app::view::View;

use super::super::CommandOutcome;
use super::super::which::WhichSessionLast;
use super::time;
use crate::ui;

/// Let gates rest for a while: only you can, at a terminal
///
/// Without a name all gates of the session rest. They stand there again after the time that you name, when you say so,
/// or when the last conversation of the session is over. That they rest is recorded, and told wherever the session is
/// shown.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost gate pause                    all gates, until this conversation is over
  waypost gate pause --for 30m
  waypost gate pause commit_plan --for 1h
  waypost gate unpause")]
pub(super) struct GatePauseArgs {
    /// The gates; none: all of them
    #[arg(value_name = "GATE")]
    gates: Vec<String>,
    /// For how long, such as 30m or 1h
    #[arg(long = "for", value_name = "TIME")]
    ttl: Option<String>,
    #[command(flatten)]
    which: Which,
}

/// Let gates that rest stand there again
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost gate unpause
  waypost gate unpause commit_plan")]
pub(super) struct GateUnpauseArgs {
    /// The gates; none: all of them
    #[arg(value_name = "GATE")]
    gates: Vec<String>,
    #[command(flatten)]
    which: Which,
}

#[derive(Debug, Args)]
struct Which {
    #[command(flatten)]
    session: WhichSessionLast,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl GatePauseArgs {
    pub(super) fn run(self, view: &View<'_>) -> CommandOutcome {
        let ttl = self.ttl.as_deref().map(time).transpose()?;
        let (session, gates) = self.which.session.after(&self.gates);
        let paused = pausing::pause(view, session, gates, ttl)?;
        self.which.tell(&paused)
    }
}

impl GateUnpauseArgs {
    pub(super) fn run(self, view: &View<'_>) -> CommandOutcome {
        let (session, gates) = self.which.session.after(&self.gates);
        let paused = pausing::unpause(view, session, gates)?;
        self.which.tell(&paused)
    }
}

impl Which {
    fn tell(&self, pausing: &Pausing) -> CommandOutcome {
        let Pausing { session, resting } = pausing;
        if self.json {
            let named = |name: &str| (!name.is_empty()).then(|| name.to_owned());
            let resting =
                resting.iter().map(|(name, until)| json!({"gate": named(name), "until": until}));
            ui::json(&json!({"session_id": session, "paused": resting.collect::<Vec<_>>()}))?;
            return Ok(ExitCode::SUCCESS);
        }
        for (name, until) in resting {
            let name = if name.is_empty() { "all gates" } else { name };
            let until = until.map_or_else(
                || "until the last conversation of the session is over".to_owned(),
                |until| format!("until {until}"),
            );
            ui::line(format!("{} paused {until}", ui::on_one_line(name)));
        }
        if resting.is_empty() {
            ui::line("no gate is paused");
        }
        Ok(ExitCode::SUCCESS)
    }
}
