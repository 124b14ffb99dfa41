//! `waypost key`

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;
use waypost_app::host::Host;
use waypost_app::trust;

use super::Outcome;
use crate::ui::{self, BOLD, DIM};

/// Show, change or export the keys that sign (for people, not for agents)
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost key list
  waypost key rotate                     a new key signs; what the old one signed still verifies
  waypost key export | ssh other waypost trust key")]
pub(super) struct Key {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
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
    /// Print the key that signs, for `waypost trust key` on another machine: it is a secret
    Export,
}

impl Key {
    pub(super) fn run(self, host: &Host) -> Outcome {
        match self.what {
            What::List { json } => {
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
            What::Rotate { json } => {
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
            What::Export => ui::line(trust::exported(host)?.trim_end()),
        }
        Ok(ExitCode::SUCCESS)
    }
}
