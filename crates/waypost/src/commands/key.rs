//! `waypost key`

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;
use waypost_app::error::AppError;
use waypost_app::machine::host::Host;
use waypost_app::machine::signing;
use waypost_app::share::trust;
use waypost_app::view::human;

use super::CommandOutcome;
use crate::passphrase;
use crate::ui::{self, BOLD, DIM};

/// Show, change or export the keys that sign (for people, not for agents)
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost key list
  waypost key rotate                     a new key signs; what the old one signed still verifies
  waypost key export | ssh other waypost trust key")]
pub(super) struct KeyArgs {
    #[command(subcommand)]
    what: KeyCommand,
}

#[derive(Debug, Subcommand)]
enum KeyCommand {
    /// List the keys that signatures are accepted from
    List {
        /// Give JSON
        #[arg(long)]
        json: bool,
    },
    /// Let a new key sign from now on
    Rotate {
        /// Give JSON
        #[arg(long)]
        json: bool,
    },
    /// Make the key that signed approvals are made with, protected by a passphrase
    ///
    /// Gates with `proof = { approval = "signed" }` ask for its signature. Agents do not know the
    /// passphrase, so they cannot approve in your place.
    Approval {
        /// Give JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the key that signs, for `waypost trust key` on another machine: it is a secret
    Export,
}

impl KeyArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        match self.what {
            KeyCommand::List { json } => {
                let keys = trust::list(host)?;
                if json {
                    ui::json(&keys)?;
                    return Ok(ExitCode::SUCCESS);
                }
                for key in keys {
                    let what = match (key.signs, key.from_environment) {
                        (true, true) => "signs, from the environment",
                        (true, false) => "signs",
                        (false, _) => "verifies",
                    };
                    ui::line(format!("{} {}", ui::paint(BOLD, key.id), ui::paint(DIM, what)));
                }
            }
            KeyCommand::Rotate { json } => {
                let id = trust::rotate(host)?;
                if json {
                    ui::json(&json!({"key": id}))?;
                } else {
                    ui::line(format!(
                        "key {} {}",
                        ui::paint(BOLD, id),
                        ui::paint(DIM, "signs now")
                    ));
                }
            }
            KeyCommand::Approval { json } => {
                let made = approval(host)?;
                if json {
                    ui::json(&json!({"public": made}))?;
                } else {
                    ui::line(format!("ed25519:{made}"));
                }
            }
            KeyCommand::Export => ui::line(trust::exported(host)?.trim_end()),
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The public key of a new approval key.
fn approval(host: &Host) -> Result<String, AppError> {
    human::only(host, "making an approval key")?;
    let path = host.approval_key_file();
    if let Some(known) = signing::public(&path)? {
        return Err(AppError::refused(format!("there is one already, at {}", path.display()))
            .hint(format!("its public key is ed25519:{known}")));
    }
    let words = passphrase::ask_for_new("Passphrase for your approval key")?;
    Ok(signing::create(&path, &words)?.to_string())
}
