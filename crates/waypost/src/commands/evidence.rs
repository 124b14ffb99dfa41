//! `waypost evidence`

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};
use waypost_app::enforce::record;
use waypost_app::error::AppError;
use waypost_app::machine::host::Host;
use waypost_app::view::View;
use waypost_core::evidence::Run;

use super::CommandOutcome;
use super::which::{WhichSession, WhichSessionLast};
use crate::ui::{self, BOLD, DIM};

/// Record what a gate asks for, and look at what counts as proof
#[derive(Debug, Args)]
pub(super) struct EvidenceArgs {
    #[command(subcommand)]
    command: EvidenceCommand,
}

#[derive(Debug, Subcommand)]
enum EvidenceCommand {
    Record(EvidenceRecordArgs),
    List(EvidenceListArgs),
}

/// Record the fields that a gate asks for
///
/// What an agent records is claimed, and counts only for gates with `accept = "claimed"`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost evidence record plan-ready tasks=12 reviewed=true
  waypost evidence record plan-ready 'files=[\"a.rs\", \"b.rs\"]'")]
struct EvidenceRecordArgs {
    /// The gate
    gate: String,
    /// The fields; values are JSON where they are that, else text
    #[arg(value_name = "NAME=VALUE", required = true)]
    fields: Vec<String>,
    #[command(flatten)]
    session: WhichSessionLast,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

/// List what counts as proof in a session
#[derive(Debug, Args)]
struct EvidenceListArgs {
    #[command(flatten)]
    session: WhichSession,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl EvidenceArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        match self.command {
            EvidenceCommand::Record(record) => record.run(&view),
            EvidenceCommand::List(list) => list.run(&view),
        }
    }
}

/// What was given as `NAME=VALUE`; values are JSON where they are that, else text.
pub(super) fn fields_of(given: &[String]) -> Result<Map<String, Value>, AppError> {
    let mut fields = Map::new();
    for field in given {
        let (name, value) = field.split_once('=').ok_or_else(|| {
            AppError::configuration(format!("`{field}` is not of the form NAME=VALUE"))
                .hint("for example: tests=12")
        })?;
        fields.insert(name.to_owned(), record::value_of(value));
    }
    Ok(fields)
}

impl EvidenceRecordArgs {
    fn run(self, view: &View<'_>) -> CommandOutcome {
        let (session, fields) = self.session.after(&self.fields);
        let recorded = record::record(view, session, &self.gate, fields_of(fields)?)?;
        if self.json {
            ui::json(&json!({
                "session_id": recorded.session,
                "gate": recorded.gate,
                "provenance": recorded.provenance,
                "objections": recorded.objections,
            }))?;
        } else {
            let what = format!("recorded ({})", recorded.provenance);
            ui::line(format!("{} {}", ui::paint(BOLD, &recorded.gate), ui::paint(DIM, what)));
            recorded.objections.iter().for_each(ui::warning);
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl EvidenceListArgs {
    fn run(self, view: &View<'_>) -> CommandOutcome {
        let listed = record::list(view, self.session.named())?;
        if self.json {
            ui::json(&listed)?;
            return Ok(ExitCode::SUCCESS);
        }
        let line = |time, what: String, provenance: &dyn std::fmt::Display| {
            let time = ui::paint(DIM, ui::moment(time));
            ui::line(format!("{time}  {} ({provenance})", ui::on_one_line(&what)));
        };
        for known in &listed.runs {
            let Run { command, status, .. } = &known.run;
            let what = format!("{command} ended with {status}, {}", known.run.tests_told());
            line(known.time, what, &known.run.provenance);
        }
        for known in &listed.evidence {
            let sort = format!("{:?}", known.evidence.sort).to_lowercase();
            line(
                known.time,
                format!("{sort} {}", known.evidence.subject),
                &known.evidence.provenance,
            );
        }
        for known in &listed.marks {
            line(known.time, format!("gate {}", known.mark.gate), &known.mark.provenance);
        }
        if listed.runs.is_empty() && listed.evidence.is_empty() && listed.marks.is_empty() {
            ui::note("nothing has been recorded yet that a gate asks for");
        }
        Ok(ExitCode::SUCCESS)
    }
}
