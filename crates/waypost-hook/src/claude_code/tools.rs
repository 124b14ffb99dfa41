//! Claude Code's tools, as the gates see them.

use std::path::PathBuf;

use serde::Deserialize;
use waypost_app::error::AppError;
use waypost_app::hook::observe::Ended;
use waypost_app::hook::tool::{Does, Tool};
use waypost_core::evidence::tested_nothing;
use waypost_core::shell;

use super::mcp;
use crate::input::Input;

/// Tools that change nothing, which go on when nothing can be decided.
const HARMLESS: &[&str] = &[
    "AskUserQuestion",
    "EnterPlanMode",
    "ExitPlanMode",
    "Glob",
    "Grep",
    "LS",
    "LSP",
    "ListMcpResourcesTool",
    "NotebookRead",
    "Read",
    "ReadMcpResourceTool",
    "TodoRead",
    "TodoWrite",
    "ToolSearch",
    "WebFetch",
    "WebSearch",
];
/// Waypost's own commands that only look, and the one that leads out of damage.
const LOOKING: &[&str] = &["brief", "doctor", "list", "repair", "status", "verify"];

#[derive(Deserialize, Default)]
struct ToolInput {
    file_path: Option<String>,
    notebook_path: Option<String>,
    path: Option<String>,
    command: Option<String>,
    run_in_background: Option<bool>,
    skill: Option<String>,
}

#[derive(Deserialize, Default)]
struct ToolResponse {
    stdout: Option<String>,
    stderr: Option<String>,
    interrupted: Option<bool>,
    #[serde(rename = "backgroundTaskId")]
    background_task: Option<String>,
    #[serde(rename = "returnCodeInterpretation")]
    interpretation: Option<String>,
}

/// The tool that an event is about.
pub(super) fn tool(input: &Input<'_>) -> Result<Tool, AppError> {
    let name = input
        .tool_name
        .as_deref()
        .ok_or_else(|| AppError::refused("the hook's input has no tool_name"))?;
    let call = input.tool_use_id.as_deref().map(str::to_owned);
    let (does, others) = if name.starts_with("mcp__") {
        mcp::does(name, input)
    } else {
        (does(name, input)?, vec![])
    };
    Ok(Tool { name: name.to_owned(), call, does, others })
}

fn does(name: &str, input: &Input<'_>) -> Result<Does, AppError> {
    let known = ["Bash", "Edit", "Grep", "MultiEdit", "NotebookEdit", "Read", "Skill", "Write"];
    if !known.contains(&name) {
        return Ok(Does::Other);
    }
    let given: ToolInput =
        input.arguments.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    let missing = |what: &str| AppError::refused(format!("the input of {name} has no {what}"));
    if name == "Bash" {
        let command = given.command.ok_or_else(|| missing("command"))?;
        let background =
            given.run_in_background.unwrap_or(false) || response(input).background_task.is_some();
        return Ok(Does::Shell { command, background });
    }
    if name == "Skill" {
        return Ok(given.skill.map_or(Does::Other, Does::Skill));
    }
    if name == "Grep" {
        return Ok(given.path.map_or(Does::Other, |path| Does::Look(PathBuf::from(path))));
    }
    let path = given.file_path.or(given.notebook_path).ok_or_else(|| missing("file_path"))?;
    let path = PathBuf::from(path);
    Ok(if name == "Read" { Does::Read(path) } else { Does::Edit(path) })
}

/// How the tool call ended, where the status is really known.
pub(super) fn ended(input: &Input<'_>, failed: bool) -> Ended {
    if failed {
        let error = input.error.as_deref().unwrap_or_default();
        let status = error
            .strip_prefix("Exit code ")
            .and_then(|rest| rest.lines().next())
            .and_then(|status| status.trim().parse().ok());
        return if input.is_interrupt {
            Ended::Unclear
        } else {
            Ended::Failed(status.unwrap_or(1))
        };
    }
    let response = response(input);
    if response.interrupted == Some(true) || response.interpretation.is_some() {
        return Ended::Unclear;
    }
    let says = |text: &Option<String>| text.as_deref().is_some_and(tested_nothing);
    if says(&response.stdout) || says(&response.stderr) {
        return Ended::Empty;
    }
    Ended::Succeeded
}

fn response(input: &Input<'_>) -> ToolResponse {
    // Tools answer in many shapes; one that is not an object says nothing about a background task.
    input.response.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}

/// Whether the tool can do no harm, so that it goes on even if nothing can be decided.
pub(super) fn is_harmless(input: &Input<'_>) -> bool {
    let name = input.tool_name.as_deref();
    name.is_some_and(|name| HARMLESS.contains(&name) || name.starts_with("mcp__waypost__"))
}

/// Whether it is a command line of Waypost's own that only looks.
pub(super) fn is_harmless_command(input: &Input<'_>) -> bool {
    input.tool_name.as_deref() == Some("Bash")
        && matches!(does("Bash", input), Ok(Does::Shell { command, .. }) if only_looks(&command))
}

fn only_looks(command: &str) -> bool {
    let analysis = shell::analyse(command);
    let [only] = analysis.commands.as_slice() else {
        return false;
    };
    let subcommand = only.words.get(1).filter(|word| word.literal).map(|word| word.text.as_str());
    analysis.opaque.is_none()
        && only.name() == Some("waypost")
        && only.words[0].text == "waypost"
        && subcommand.is_some_and(|subcommand| LOOKING.contains(&subcommand))
}
