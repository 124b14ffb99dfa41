//! `waypost session set-state`

use std::io::{IsTerminal, Read};
use std::process::ExitCode;

use clap::Args;
use serde_json::{Map, Value, json};
use waypost_app::error::{AppError, Kind};
use waypost_app::machine::host::Host;
use waypost_app::orchestration::set_state;
use waypost_app::view::View;

use super::super::CommandOutcome;
use crate::ui;

/// No more bytes than this are read.
const MAX_INPUT: u64 = 16 * 1024 * 1024;
/// Stands for what is read from standard input.
const STDIN: &str = "-";

/// Change how a session stands, by JSON as `get-state` prints it
///
/// Takes a whole state or some of its fields. `mode` (or `currentMode`), `feature` (or `activeFeature`), `task` (or
/// `activeTask`) and `orchestratorWorkflow.workflowPhase` are set. What stands behind the recorded entries of
/// `agentHistory`, `decisions`, `verdicts` and `pendingHandoffs` is recorded, as somebody's word: no gate takes such
/// a verdict. An invocation that is open may be completed. Everything else has to be what the records tell.
/// A refused call changes nothing.
///
/// With `version` it is refused if the session has another one by now; then the exit status is 1, and
/// `{"conflict": {"expected": …, "actual": …}}` is printed. Without, it meets the session as it is: the last one
/// to set a field wins.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost session set-state '{\"mode\": \"planning\"}'
  waypost session set-state 2026-11-15_add '{\"version\": 7, \"task\": \"1.2\"}'
  waypost session get-state | jq '.activeTask = \"1.3\"' | waypost session set-state")]
pub(super) struct SetStateArgs {
    /// A session's id or enough of its beginning, the JSON, or `-` for JSON on standard input
    #[arg(value_name = "ID|JSON|-")]
    given: Vec<String>,
    /// Give JSON; it always does
    #[arg(long)]
    json: bool,
}

impl SetStateArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let (named, text) = self.told()?;
        let given = read(&text)?;
        let view = View::open(host)?.expecting(set_state::version_of(&given)?);
        let changed = set_state::set(&view, named.as_deref(), &given).inspect_err(conflict)?;
        ui::warnings(&changed.warnings);
        ui::json(&changed.document)?;
        Ok(ExitCode::SUCCESS)
    }

    /// The session that is named, and the JSON.
    fn told(&self) -> Result<(Option<String>, String), AppError> {
        let is_json = |word: &str| word == STDIN || word.trim_start().starts_with(['{', '[', '"']);
        let (named, json) = match self.given.as_slice() {
            [] => (None, STDIN),
            [json] if is_json(json) => (None, json.as_str()),
            [named] => (Some(named), STDIN),
            [named, json] if !is_json(named) => (Some(named), json.as_str()),
            _ => {
                return Err(AppError::configuration(
                    "give an id and one JSON object, or one of them",
                )
                .hint("quote the JSON, so that it is one word"));
            }
        };
        let text = if json == STDIN { stdin()? } else { json.to_owned() };
        Ok((named.cloned(), text))
    }
}

fn stdin() -> Result<String, AppError> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return Err(AppError::configuration("no state is given")
            .hint("give JSON as an argument, or on standard input"));
    }
    let mut bytes = Vec::new();
    let read = stdin.lock().take(MAX_INPUT + 1).read_to_end(&mut bytes);
    let unread =
        |why: String| AppError::configuration(format!("standard input cannot be read: {why}"));
    read.map_err(|error| unread(error.to_string()))?;
    if bytes.len() as u64 > MAX_INPUT {
        return Err(unread("it is too long".to_owned()).hint("give only what is to be changed"));
    }
    String::from_utf8(bytes).map_err(|_| unread("it is not UTF-8".to_owned()))
}

fn read(text: &str) -> Result<Map<String, Value>, AppError> {
    let wrong = |why: String| {
        AppError::configuration(format!("the state is not a JSON object: {why}"))
            .hint("give an object such as {\"mode\": \"planning\"}")
    };
    match serde_json::from_str(text) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(wrong("it is another value".to_owned())),
        Err(error) => Err(wrong(error.to_string())),
    }
}

/// A conflict is told to programs, too.
fn conflict(error: &AppError) {
    if let Kind::Conflict { expected, actual } = error.kind {
        let told = json!({"conflict": {"expected": expected, "actual": actual}});
        ui::line(told);
    }
}
