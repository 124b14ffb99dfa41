//! Tools of MCP servers: what they do, by what they are called and given.

use std::path::PathBuf;

use serde_json::{Map, Value};
use waypost_app::harness::Does;
use waypost_app::harness::Input;

/// Of what a tool's name speaks that writes files.
const WRITING: &[&str] = &[
    "append",
    "apply",
    "create",
    "delete",
    "edit",
    "insert",
    "move",
    "overwrite",
    "patch",
    "remove",
    "rename",
    "replace",
    "save",
    "update",
    "write",
];
/// Of what a tool's name speaks that runs command lines.
const RUNNING: &[&str] = &["bash", "command", "exec", "process", "run", "shell", "terminal"];
/// What tools call the files that they are given.
const FILES: &[&str] = &[
    "path",
    "file_path",
    "relative_path",
    "file",
    "filename",
    "filepath",
    "uri",
    "target_file",
    "source",
    "old_path",
    "destination",
    "new_path",
];

/// What the tool does, and the other files that it changes: one that says it writes a file and is
/// given one does, and one that says it runs commands and is given a line runs that.
pub(super) fn does(name: &str, input: &Input<'_>) -> (Does, Vec<PathBuf>) {
    let tool = name.rsplit("__").next().unwrap_or_default().to_ascii_lowercase();
    let says = |verbs: &[&str]| verbs.iter().any(|verb| tool.contains(verb));
    let given =
        input.arguments.and_then(|raw| serde_json::from_str::<Map<String, Value>>(raw.get()).ok());
    let Some(given) = given else { return (Does::Other, Vec::new()) };
    let text = |key: &str| given.get(key).and_then(Value::as_str);
    if let Some(command) = text("command").or_else(|| text("cmd")).filter(|_| says(RUNNING)) {
        // Such a tool succeeds when it has told how the command failed.
        return (Does::Shell { command: command.to_owned(), background: true }, Vec::new());
    }
    if let Some(name) = memory(&tool, &text) {
        return (Does::Read(name), Vec::new());
    }
    let path = |key: &&str| {
        let file = text(key)?;
        Some(PathBuf::from(file.strip_prefix("file://").unwrap_or(file)))
    };
    let mut files = FILES.iter().filter_map(path);
    match files.next() {
        None => (Does::Other, Vec::new()),
        Some(first) if says(WRITING) => (Does::Edit(first), files.collect()),
        Some(first) => (Does::Look(first), Vec::new()),
    }
}

/// The file that Serena keeps a memory in: whoever reads the memory reads the file.
fn memory<'a>(tool: &str, text: &impl Fn(&str) -> Option<&'a str>) -> Option<PathBuf> {
    if tool != "read_memory" {
        return None;
    }
    let name = text("memory_name").or_else(|| text("memory_file_name"))?;
    let name = name.strip_suffix(".md").unwrap_or(name);
    Some(PathBuf::from(format!(".serena/memories/{name}.md")))
}
