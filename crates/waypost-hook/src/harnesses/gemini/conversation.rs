//! Gemini CLI's chats: one JSON document (until 0.38), or a line for each message as it becomes known, where a later
//! one of the same id replaces what was there, `$set` sets fields and `$rewindTo` takes messages back. Read in the
//! sources of 0.61; they name no folder but by its digest or a short name, which `.project_root` beside them explains.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;
use waypost_app::harness::{Does, ToolEnd};
use waypost_app::transcripts::{
    Belongs, By, CallEnd, Entry, Files, Folder, Form, Reading, Returned, TranscriptReader, Usage,
    What,
};
use waypost_core::key::sha256_hex;
use waypost_core::time::Timestamp;

use crate::calls::{self, text, tokens};

/// Tools that change nothing and run nothing.
const HARMLESS: [&str; 18] = [
    "activate_skill",
    "ask_user",
    "complete_task",
    "enter_plan_mode",
    "exit_plan_mode",
    "get_internal_docs",
    "glob",
    "google_web_search",
    "grep_search",
    "list_directory",
    "list_mcp_resources",
    "read_file",
    "read_many_files",
    "read_mcp_resource",
    "search_file_content",
    "update_topic",
    "web_fetch",
    "write_todos",
];

/// Its chats.
#[derive(Debug)]
pub(in crate::harnesses) struct Chats;

impl TranscriptReader for Chats {
    fn client(&self) -> &'static str {
        super::FACTS.name
    }

    fn folder(&self) -> Folder {
        Folder { variable: ("GEMINI_CLI_HOME", ".gemini"), below_home: ".gemini" }
    }

    fn files(&self) -> &'static [&'static str] {
        &["tmp/*/chats/*.json", "tmp/*/chats/*.jsonl", "tmp/*/chats/*/*.jsonl"]
    }

    fn belongs(&self, file: &Path) -> Belongs {
        let name = |path: &Path| path.file_stem().map(|name| name.to_string_lossy().into_owned());
        let part = !file.parent().is_some_and(|above| above.ends_with("chats"));
        let whose = if part { file.parent().and_then(name) } else { name(file) };
        let form = if file.extension().is_some_and(|end| end == "json") {
            Form::Whole
        } else {
            Form::Lines
        };
        let whose = whose.unwrap_or_default();
        // A session's own file is named after the beginning of its id, a subagent's folder after all of it.
        let short = if part {
            whose.get(..8).unwrap_or(&whose)
        } else {
            whose.rsplit('-').next().unwrap_or(&whose)
        };
        Belongs { conversation: short.to_owned(), part, form }
    }

    fn begin<'f>(&self, file: &Path, files: &'f dyn Files) -> Box<dyn Reading + 'f> {
        let place = file.ancestors().find(|above| above.ends_with("chats")).and_then(Path::parent);
        let named = place.and_then(|place| files.content(&place.join(".project_root")));
        let root = named.and_then(|bytes| String::from_utf8(bytes).ok());
        Box::new(Chat {
            folder: root.map(|root| PathBuf::from(root.trim())),
            is_told: false,
            calls: BTreeSet::new(),
            texts: BTreeSet::new(),
        })
    }
}

/// A chat that is being read.
#[derive(Debug)]
struct Chat {
    folder: Option<PathBuf>,
    is_told: bool,
    /// The calls and texts that were told: a message is written again whenever there is more of it.
    calls: BTreeSet<(String, bool)>,
    texts: BTreeSet<String>,
}

impl Reading for Chat {
    fn take(&mut self, bytes: &[u8], at: u64, out: &mut dyn FnMut(Entry)) -> bool {
        let Ok(record) = serde_json::from_slice::<Value>(bytes) else { return false };
        if !record.is_object() {
            return false;
        }
        if let Some(folder) =
            self.folder.clone().filter(|_| !std::mem::replace(&mut self.is_told, true))
        {
            out(Entry { at, time: None, subagent: None, what: What::In(folder) });
        }
        if record.get("$rewindTo").is_some() {
            let why = "the conversation was taken back to an earlier message".to_owned();
            out(Entry { at, time: None, subagent: None, what: What::Missing(why) });
            return true;
        }
        let set = record.get("$set").unwrap_or(&record);
        let mut is_read = true;
        for message in set.get("messages").and_then(Value::as_array).into_iter().flatten() {
            is_read &= self.message(message, at, out);
        }
        if text(&record, "id").is_some() {
            is_read &= self.message(&record, at, out);
        }
        is_read
    }
}

impl Chat {
    /// Says whether all of it could be read.
    fn message(&mut self, message: &Value, at: u64, out: &mut dyn FnMut(Entry)) -> bool {
        let time = text(message, "timestamp").and_then(Timestamp::lenient);
        let mut tell = |what| out(Entry { at, time, subagent: None, what });
        let id = text(message, "id").unwrap_or_default().to_owned();
        let said = content(message.get("content"));
        let is_new = !said.trim().is_empty()
            && self.texts.insert(format!("{id} {}", sha256_hex(&[said.as_bytes()])));
        match text(message, "type").unwrap_or_default() {
            "user" if is_new => {
                let by = if said.trim_start().starts_with('<') { By::Client } else { By::Human };
                tell(What::Prompt { text: said, by });
            }
            "gemini" => {
                if is_new {
                    tell(What::Said(said));
                }
                for call in message.get("toolCalls").and_then(Value::as_array).into_iter().flatten()
                {
                    self.call(call, &mut tell);
                }
                if let Some(used) = message.get("tokens").filter(|used| used.is_object()) {
                    let Some(usage) = usage(id, message, used) else { return false };
                    tell(What::Used(usage));
                }
            }
            "info" if said.contains("compressed") => tell(What::Compacted),
            _ => {}
        }
        true
    }

    fn call(&mut self, call: &Value, tell: &mut dyn FnMut(What)) {
        let (Some(id), Some(name)) = (text(call, "id"), text(call, "name")) else { return };
        let nothing = Value::Null;
        let given = call.get("args").unwrap_or(&nothing);
        let path = || text(given, "file_path").or_else(|| text(given, "path")).map(PathBuf::from);
        let (does, understood) = match name {
            "run_shell_command" => {
                let command = text(given, "command").unwrap_or_default();
                let folder = text(given, "dir_path").or_else(|| text(given, "directory"));
                let line = match folder {
                    Some(folder) => {
                        format!("cd {} && {command}", waypost_core::text::shell_word(folder))
                    }
                    None => command.to_owned(),
                };
                let background = given.get("is_background").and_then(Value::as_bool) == Some(true);
                (calls::shell(&line, background), true)
            }
            "replace" | "write_file" => (path().map_or(Does::EditUnnamed, Does::Edit), true),
            "read_file" => (path().map_or(Does::Other, Does::Read), true),
            _ => (Does::Other, HARMLESS.contains(&name) || name.contains("__")),
        };
        let mut tool = calls::tool(name, id, does, Vec::new());
        if self.calls.insert((id.to_owned(), false)) {
            tell(What::Called { call: id.to_owned(), tool: tool.clone() });
        }
        let said = result(call.get("result"));
        let end = match text(call, "status").unwrap_or_default() {
            "success" => shell_end(&tool.does, &said),
            "error" => failed_end(&tool.does, &said),
            "cancelled" => CallEnd::Prevented,
            _ => return,
        };
        if !self.calls.insert((id.to_owned(), true)) {
            return;
        }
        if let Does::Shell { background, .. } = &mut tool.does {
            *background |= said.starts_with("Command moved to background");
        }
        let is_shell = matches!(tool.does, Does::Shell { .. });
        let printed = if is_shell { printed(&said).to_owned() } else { said };
        let returned = calls::returned(id, Some(tool), end);
        tell(What::Returned(Returned { understood, printed: Some(printed), ..returned }));
    }
}

/// How a tool ended that the client calls successful. Of a command line it says the status where it is not 0.
fn shell_end(does: &Does, said: &str) -> CallEnd {
    if !matches!(does, Does::Shell { .. }) {
        return CallEnd::Ran(ToolEnd::Succeeded);
    }
    let status = said.lines().rev().find_map(|line| line.strip_prefix("Exit Code: "));
    let is_cut = ["Command was cancelled", "Command was automatically"];
    match status.map(|status| status.trim().parse::<i32>()) {
        Some(Ok(status)) => calls::ended(status),
        _ if is_cut.iter().any(|start| said.starts_with(start)) => CallEnd::Ran(ToolEnd::Unclear),
        _ if said.lines().any(|line| line.starts_with("Signal: ") && line != "Signal: (none)") => {
            CallEnd::Ran(ToolEnd::Unclear)
        }
        _ => CallEnd::Ran(ToolEnd::Succeeded),
    }
}

/// What a command line printed, of what the model was told: its first line stands behind a name.
fn printed(said: &str) -> &str {
    let begins = ["Output: ", "Stdout: "].into_iter().filter_map(|name| {
        let at = if said.starts_with(name) { 0 } else { said.find(&format!("\n{name}"))? + 1 };
        Some(at + name.len())
    });
    begins.min().map_or(said, |at| &said[at..])
}

fn failed_end(does: &Does, said: &str) -> CallEnd {
    match shell_end(does, said) {
        CallEnd::Ran(ToolEnd::Failed(status)) => CallEnd::Ran(ToolEnd::Failed(status)),
        _ => CallEnd::Prevented,
    }
}

fn usage(id: String, message: &Value, used: &Value) -> Option<Usage> {
    let cached = tokens(used, "cached")?;
    let given = tokens(used, "input")?.saturating_add(tokens(used, "tool")?);
    Some(Usage {
        message: Some(id),
        model: text(message, "model").map(str::to_owned),
        input: given.saturating_sub(cached),
        output: tokens(used, "output")?.saturating_add(tokens(used, "thoughts")?),
        cache_read: cached,
        ..Usage::default()
    })
}

/// A text, or the texts of parts.
fn content(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let texts =
                parts.iter().filter_map(|part| part.as_str().or_else(|| text(part, "text")));
            texts.collect::<Vec<_>>().join("\n")
        }
        Some(one) => text(one, "text").unwrap_or_default().to_owned(),
        None => String::new(),
    }
}

/// What the model was told of a call.
fn result(result: Option<&Value>) -> String {
    let of_part = |part: &Value| {
        let response =
            part.get("functionResponse").and_then(|response| response.get("response"))?;
        let said = text(response, "output").or_else(|| text(response, "error"))?;
        Some(said.to_owned())
    };
    match result {
        Some(Value::Array(parts)) => {
            let said: Vec<String> = parts.iter().filter_map(of_part).collect();
            if said.is_empty() { content(result) } else { said.join("\n") }
        }
        Some(one) => of_part(one).unwrap_or_else(|| content(result)),
        None => String::new(),
    }
}
