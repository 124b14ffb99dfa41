//! What calls are made of, whatever client they come from.

use std::path::PathBuf;

use serde_json::Value;
use waypost_app::harness::{Does, Tool, ToolEnd};
use waypost_app::transcripts::{CallEnd, MAX_TOKENS, Returned};

/// A tool that does that.
pub(crate) fn tool(name: &str, call: &str, does: Does, others: Vec<PathBuf>) -> Tool {
    let (name, call) = (name.to_owned(), Some(call.to_owned()));
    Tool { name, call, does, others, starts: None, subagent: None, given: None }
}

/// A command line.
pub(crate) fn shell(command: &str, background: bool) -> Does {
    Does::Shell { command: command.to_owned(), background }
}

/// The files that a patch changes, in the form in which models write patches.
pub(crate) fn patched(patch: &str) -> Vec<PathBuf> {
    const MARKS: [&str; 4] =
        ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
    let names = patch.lines().filter_map(|line| {
        let mark = MARKS.iter().find(|mark| line.starts_with(**mark))?;
        Some(PathBuf::from(line[mark.len()..].trim()))
    });
    names.collect()
}

/// What changes these files; nobody knows which, if there are none.
pub(crate) fn editing(mut files: Vec<PathBuf>) -> (Does, Vec<PathBuf>) {
    if files.is_empty() {
        return (Does::EditUnnamed, files);
    }
    let first = files.remove(0);
    (Does::Edit(first), files)
}

/// A text in an object.
pub(crate) fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name).and_then(Value::as_str)
}

/// A number of tokens in an object, none where it says nothing; not what no message can have used.
pub(crate) fn tokens(value: &Value, name: &str) -> Option<u64> {
    match value.get(name) {
        None | Some(Value::Null) => Some(0),
        Some(number) => number.as_u64().filter(|number| *number <= MAX_TOKENS),
    }
}

/// A call that ended with an exit status.
pub(crate) fn ended(status: i32) -> CallEnd {
    CallEnd::Ran(if status == 0 { ToolEnd::Succeeded } else { ToolEnd::Failed(status) })
}

/// A call that is over, of a tool that is understood.
pub(crate) fn returned(call: &str, tool: Option<Tool>, end: CallEnd) -> Returned {
    Returned { call: call.to_owned(), tool, understood: true, end, printed: None }
}
