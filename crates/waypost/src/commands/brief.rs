//! `waypost brief`

use std::process::ExitCode;

use clap::Args;
use waypost_app::error::AppError;
use waypost_app::machine::host::Host;
use waypost_app::standing::brief;
use waypost_app::view::View;
use waypost_core::brief::tokens;

use super::CommandOutcome;
use crate::ui;

/// Tell in few words where the session stands, as agents are told
///
/// The same text that an agent gets when its conversation begins, comes back or was compacted.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost brief                the session of this work tree
  waypost brief --budget 300   only what matters most
  waypost brief --json         for scripts")]
pub(super) struct BriefArgs {
    /// A session's id, or enough of its beginning
    id: Option<String>,
    /// How many tokens it may have at most; what matters least is left out
    #[arg(long, value_name = "TOKENS", default_value_t = brief::BUDGET)]
    budget: usize,
    /// Give JSON, within the same budget
    #[arg(long)]
    json: bool,
}

impl BriefArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        let brief = brief::of(&view, self.id.as_deref())?;
        if self.json {
            let shown = |brief: &_| ui::json_text(brief).unwrap_or_default();
            let text = shown(&brief.fitted(self.budget, shown));
            if tokens(&text) > self.budget {
                return Err(AppError::configuration(format!(
                    "a brief of {} tokens is too short for JSON",
                    self.budget
                ))
                .hint(format!("it takes at least --budget {}", tokens(&text))));
            }
            ui::line(text);
        } else {
            ui::line(brief.text(self.budget));
        }
        Ok(ExitCode::SUCCESS)
    }
}
