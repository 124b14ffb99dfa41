//! Codex' tools, as the gates see them.

use std::borrow::Cow;
use std::path::PathBuf;

use serde::Deserialize;
use waypost_app::error::AppError;
use waypost_app::harness::{Does, Event, Input, Tool, ToolEnd, asks_who_calls, digest_of};
use waypost_core::patch;

use crate::harnesses::shape::mcp;

/// The tool that runs a command line, whatever the model calls it.
const SHELL: &str = "Bash";
/// The tool that changes files.
pub(super) const PATCH: &str = "apply_patch";
/// How what a command printed begins where it is not all of it.
const CUT: &str = "Warning: truncated output";

/// Tools that change nothing, which go on when nothing can be decided.
const HARMLESS: &[&str] = &[
    "create_goal",
    "get_goal",
    "list_mcp_resource_templates",
    "list_mcp_resources",
    "read_mcp_resource",
    "request_user_input",
    "tool_search",
    "update_goal",
    "update_plan",
    "view_image",
    "wait_agent",
    "web_search",
];

/// The tool that asks the user something.
const ASKING: &str = "request_user_input";

#[derive(Deserialize, Default)]
struct Given {
    command: Option<String>,
}

#[derive(Deserialize, Default)]
struct Response {
    #[serde(rename = "isError", default)]
    is_error: bool,
}

/// The tool that an event is about.
pub(super) fn tool(input: &Input<'_>) -> Result<Tool, AppError> {
    let name = input
        .tool
        .as_deref()
        .ok_or_else(|| AppError::refused("the hook's input has no tool_name"))?;
    let (does, others) = does(name, input)?;
    let asks = name.rsplit("__").next().is_some_and(asks_who_calls);
    let given = input.arguments.filter(|_| asks).and_then(|raw| digest_of(raw.get()));
    Ok(Tool {
        name: name.to_owned(),
        call: input.call.as_deref().map(str::to_owned),
        does,
        others,
        starts: None,
        subagent: None,
        given,
    })
}

fn does(name: &str, input: &Input<'_>) -> Result<(Does, Vec<PathBuf>), AppError> {
    let given =
        || input.arguments.and_then(|raw| serde_json::from_str::<Given>(raw.get()).ok()?.command);
    let missing = || AppError::refused(format!("the input of {name} has no command"));
    match name {
        SHELL => Ok((
            Does::Shell { command: given().ok_or_else(missing)?, background: false },
            Vec::new(),
        )),
        PATCH => {
            let text = given().ok_or_else(missing)?;
            let mut files = patch::files(&text).into_iter().map(PathBuf::from);
            // A patch that names no file that can be told may change any.
            Ok(files.next().map_or((Does::EditUnnamed, Vec::new()), |first| {
                (Does::Edit(first), files.collect())
            }))
        }
        ASKING => Ok((Does::Ask, Vec::new())),
        _ if HARMLESS.contains(&name) => Ok((Does::Other, Vec::new())),
        _ => Ok(mcp::does(name, input)),
    }
}

/// Whether an event is about a command line.
pub(super) fn is_shell(input: &Input<'_>) -> bool {
    input.tool.as_deref() == Some(SHELL)
}

/// How the call ended, as far as the event tells: of a command line it does not.
pub(super) fn ended(input: &Input<'_>) -> ToolEnd {
    if is_shell(input) || input.event != Some(Event::AfterTool) {
        return ToolEnd::Unclear;
    }
    let response: Response =
        input.response.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    if response.is_error { ToolEnd::Failed(1) } else { ToolEnd::Succeeded }
}

/// What a command line printed, unless the middle of it was left out.
pub(super) fn printed<'i>(input: &Input<'i>) -> Vec<Cow<'i, str>> {
    let text = input.response.and_then(|raw| serde_json::from_str::<Cow<'i, str>>(raw.get()).ok());
    text.filter(|text| !text.starts_with(CUT)).into_iter().collect()
}

/// Whether the tool can do no harm, so that it goes on even if nothing can be decided.
pub(super) fn is_harmless(name: &str) -> bool {
    HARMLESS.contains(&name) || name.starts_with("mcp__waypost__")
}
