//! What a requirement stands before: `trigger_tools`.

use waypost_core::gate::Before;

use super::fields::{Fields, shown};
use super::patterns;
use crate::config::Problem;
use crate::foreign::yaml::Node;

/// The tools that change files, and trigger what says nothing else.
const EDITING: &[&str] = &["Edit", "Write", "MultiEdit"];
/// Tools that trigger nothing there, whatever is written; the last one does here: it changes files.
const TRIGGERING: &[&str] =
    &["Edit", "Write", "MultiEdit", "Bash", "EnterPlanMode", "ExitPlanMode", "NotebookEdit"];
const SHELL: &str = "Bash";

/// What is wrong with them.
pub(super) fn check(fields: &Fields<'_>) -> Result<(), Problem> {
    let Some(given) = fields.get("trigger_tools") else { return Ok(()) };
    let Some(items) = given.plain().and_then(Node::as_list) else {
        return Err(fields.wrong("trigger_tools", "must be a list of tools"));
    };
    let wrong = |item: &Node, why: &str| {
        let why = format!("in `trigger_tools`, {why}");
        Err(fields.dropped(&given.at_line(item.line), &why))
    };
    for item in items.iter().filter(|item| item.as_str().is_none()) {
        if item.as_map().is_none() {
            return wrong(item, &format!("a tool is text or a map, not {}", item.type_name()));
        }
        if item.get("tool").and_then(Node::as_str).is_none() {
            return wrong(item, "a map must have `tool`, the name of one");
        }
        let Some(pattern) = item.get("command_pattern") else { continue };
        let Some(text) = pattern.as_str() else {
            return wrong(pattern, "`command_pattern` must be text");
        };
        if let Err(why) = patterns::taken(text) {
            return wrong(pattern, &format!("`command_pattern`: {why}"));
        }
    }
    Ok(())
}

/// What it stands before; what never triggers is told.
pub(super) fn of(fields: &Fields<'_>, notes: &mut Vec<Problem>) -> Vec<Before> {
    let Some(given) = fields.get("trigger_tools") else { return vec![Before::Edit] };
    let items = given.plain().and_then(Node::as_list).unwrap_or_default();
    let mut before = Vec::new();
    for item in items {
        let name = item.as_str().or_else(|| item.get("tool").and_then(Node::as_str));
        let name = name.unwrap_or_default();
        let pattern = item.get("command_pattern").and_then(Node::as_str);
        match one(name, pattern) {
            Ok(one) => add(&mut before, one),
            Err(why) => notes.push(fields.note(&given.at_line(item.line), &why)),
        }
    }
    if before.is_empty() {
        notes.push(
            fields.note(&given.at, "no tool triggers it, so it never stands before anything"),
        );
    }
    as_edits(before)
}

fn one(tool: &str, pattern: Option<&str>) -> Result<Before, String> {
    match pattern {
        // An empty one is found in every line.
        Some("") if tool == SHELL => Ok(Before::Tool(tool.to_owned())),
        Some(pattern) if tool == SHELL => patterns::taken(pattern).map(Before::Line),
        Some(_) => Err(format!(
            "`{}` with a `command_pattern` never triggers: only {SHELL} has a command line",
            shown(tool)
        )),
        None if TRIGGERING.contains(&tool) => Ok(Before::Tool(tool.to_owned())),
        None => Err(format!(
            "the tool `{}` triggers no requirement; those that do are {}",
            shown(tool),
            TRIGGERING.join(", ")
        )),
    }
}

fn add(before: &mut Vec<Before>, one: Before) {
    if !before.contains(&one) {
        before.push(one);
    }
}

/// Whoever names the tools that change and write files means every change of a file.
fn as_edits(before: Vec<Before>) -> Vec<Before> {
    let tool = |name: &str| Before::Tool(name.to_owned());
    if !before.contains(&tool("Edit")) || !before.contains(&tool("Write")) {
        return before;
    }
    let is_edit = |one: &Before| {
        EDITING.iter().any(|name| *one == tool(name)) || *one == tool("NotebookEdit")
    };
    let others = before.into_iter().filter(|one| !is_edit(one));
    std::iter::once(Before::Edit).chain(others).collect()
}
