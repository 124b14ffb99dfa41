//! `waypost restore`

use std::process::ExitCode;

use clap::Args;
use clap::builder::PossibleValuesParser;
use waypost_app::error::AppError;
use waypost_app::machine::host::Host;
use waypost_app::mirror::{self, MirrorKind};
use waypost_app::view::View;
use waypost_core::next_step::Voice;
use waypost_core::text::spoken::{count, name};

use super::CommandOutcome;
use crate::{ui, wiring};

/// Bring sessions back from a mirror
///
/// For sessions whose records are gone, with their published copies: a mirror holds the state that it was last
/// shown, and none of the records. So the session goes on where it was, `waypost verify` names the records that
/// are gone, and `waypost trust loss ID` accepts that. What somebody changed in a mirror is refused.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost restore --from serena                    every session that is gone
  waypost restore --from notes 2026-11-19_login    one of them")]
pub(super) struct RestoreArgs {
    /// The mirror
    #[arg(long, value_name = "MIRROR", value_parser = PossibleValuesParser::new(MirrorKind::ALL.map(MirrorKind::name)))]
    from: String,
    /// The session: its id, or enough of its beginning
    id: Option<String>,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl RestoreArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let from = MirrorKind::named(&self.from)
            .ok_or_else(|| AppError::configuration(format!("there is no mirror {}", self.from)))?;
        let view = View::open(host)?;
        let restored = mirror::restore(&view, &wiring::servers(), from, self.id.as_deref())?;
        if self.json {
            ui::json(&restored)?;
        } else {
            for one in &restored.restored {
                let objective = one.objective.as_deref().map(name).unwrap_or_default();
                let lost = count(one.lost, "record");
                ui::line(format!("{}  {objective}  restored, without its {lost}", one.session));
            }
            for id in &restored.here {
                ui::line(format!("{id}  is here already"));
            }
            if restored.restored.is_empty() && restored.here.is_empty() {
                ui::line(format!("{} gave nothing back", from.name()));
            }
            for next in restored.next().iter().take(3) {
                ui::field("next", next.words(Voice::PERSON));
            }
        }
        if restored.refused.is_empty() {
            return Ok(ExitCode::SUCCESS);
        }
        for refused in &restored.refused {
            ui::error(&format!("refused: {refused}"), &[]);
        }
        // What was changed is damage, as it is anywhere else.
        Ok(ExitCode::from(3))
    }
}
