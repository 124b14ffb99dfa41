//! `waypost trust`

use std::io::Read;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;
use waypost_app::error::AppError;
use waypost_app::machine::host::Host;
use waypost_app::share::repair;
use waypost_app::share::trust;
use waypost_app::view::View;

use super::CommandOutcome;
use crate::ui::{self, BOLD, DIM};

/// Accept what this machine cannot check by itself (for people, not for agents)
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost key export                     on the machine that signed
  waypost trust key < exported           here
  waypost trust copy 2026-11-15_add      exactly as it is now, without the key
  waypost trust copy --all               all that is here, where the key is gone for good
  waypost trust loss 2026-11-15_add      that some of its records are gone for good
  waypost trust config                   the commands that waypost.toml names may be run")]
pub(super) struct TrustArgs {
    #[command(subcommand)]
    what: TrustCommand,
}

#[derive(Debug, Subcommand)]
enum TrustCommand {
    /// Accept signatures of another key, read from standard input
    ///
    /// A line that `waypost key export` printed, or the secret itself. This machine goes on signing
    /// with its own key.
    Key {
        /// Give JSON
        #[arg(long)]
        json: bool,
    },
    /// Let commands be run that this project's waypost.toml names, as long as it stays as it is
    ///
    /// Its gates are enforced either way.
    Config {
        /// Give JSON
        #[arg(long)]
        json: bool,
    },
    /// Accept that records are lost which `waypost repair` could not find again
    ///
    /// `waypost verify` names them until then. Nothing else does this.
    Loss {
        /// A session's id, or enough of its beginning, or `project`
        id: String,
        /// Give JSON
        #[arg(long)]
        json: bool,
    },
    /// Accept a published copy as it is now, whoever signed it
    ///
    /// With --all, everything of this project that is signed with keys that are not known here, live
    /// records included: where the key is gone for good.
    Copy {
        /// A session's id, or enough of its beginning
        #[arg(required_unless_present = "all")]
        id: Option<String>,
        /// Everything of this project
        #[arg(long, conflicts_with = "id")]
        all: bool,
        /// Give JSON
        #[arg(long)]
        json: bool,
    },
}

impl TrustArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        match self.what {
            TrustCommand::Key { json } => {
                let mut material = String::new();
                std::io::stdin().lock().take(64 * 1024).read_to_string(&mut material).map_err(
                    |error| {
                        AppError::configuration(format!("standard input: {error}")).because(error)
                    },
                )?;
                let (id, new) = trust::accept_key(host, &material)?;
                if json {
                    ui::json(&json!({"key": id, "new": new}))?;
                } else {
                    let how = if new { "trusted from now on" } else { "was trusted already" };
                    ui::line(format!("key {} {}", ui::paint(BOLD, id), ui::paint(DIM, how)));
                }
            }
            TrustCommand::Config { json } => {
                let view = View::open(host)?;
                let sha256 = trust::accept_config(&view)?;
                if json {
                    ui::json(&json!({"sha256": sha256}))?;
                } else {
                    let what = format!("trusted as it is now ({})", &sha256[..12]);
                    ui::line(format!(
                        "{} {}",
                        ui::paint(BOLD, "waypost.toml"),
                        ui::paint(DIM, what)
                    ));
                }
            }
            TrustCommand::Loss { id, json } => {
                let view = View::open(host)?;
                let (stream, loss) = trust::accept_loss(&view, &id)?;
                let stream = repair::name_of(&stream);
                if json {
                    ui::json(&json!({"stream": stream, "lost": loss}))?;
                } else {
                    let what = format!("goes on; you accepted that {loss}");
                    ui::line(format!("{} {}", ui::paint(BOLD, stream), ui::paint(DIM, what)));
                }
            }
            TrustCommand::Copy { id: None, json, .. } => copies(host, json)?,
            TrustCommand::Copy { id: Some(id), json, .. } => {
                let view = View::open(host)?;
                let (session, position) = trust::accept_copy(&view, &id)?;
                if json {
                    let (records, head) = (position.seq, &position.hash);
                    ui::json(&json!({"session_id": session, "records": records, "head": head}))?;
                } else {
                    let what = format!("trusted up to record {}", position.seq);
                    ui::line(format!("{} {}", ui::paint(BOLD, &session), ui::paint(DIM, what)));
                    ui::note(format!("go on in it: waypost resume {session}"));
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Accepts everything of this project that is signed with keys that are not known here.
fn copies(host: &Host, json: bool) -> Result<(), AppError> {
    let accepted = trust::accept_all(&View::open(host)?)?;
    if json {
        ui::json(&accepted)?;
    } else if accepted.is_empty() {
        ui::note("nothing here needs that");
    }
    for one in accepted.iter().filter(|_| !json) {
        let objective = one.objective.as_deref().map(ui::on_one_line).unwrap_or_default();
        let how = format!("trusted up to record {}, signed with key {}", one.records, one.key);
        ui::line(format!("{}  {objective}", ui::paint(BOLD, &one.what)));
        ui::line(format!("  {}", ui::paint(DIM, how)));
    }
    if !json && accepted.len() > 1 {
        ui::note(format!("{} trusted, exactly as they are now", accepted.len()));
    }
    Ok(())
}
