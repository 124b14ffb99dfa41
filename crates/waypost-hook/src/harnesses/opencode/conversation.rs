//! OpenCode's sessions. Since version 1.2 it keeps them in a database, before that in a file for each session, message and
//! part. Messages and parts are the same objects in both, and [`Session`] reads them.

mod database;
mod storage;

use std::path::{Path, PathBuf};

use serde_json::Value;
use waypost_app::harness::{Does, ToolEnd};
use waypost_app::transcripts::{
    Belongs, By, CallEnd, Entry, Files, Folder, Form, Reading, Returned, TranscriptReader, Usage,
    What, Within,
};
use waypost_core::time::Timestamp;

use crate::calls::{self, text, tokens};

/// Tools that change nothing and run nothing.
const HARMLESS: [&str; 10] = [
    "codesearch",
    "glob",
    "grep",
    "list",
    "question",
    "read",
    "skill",
    "todoread",
    "todowrite",
    "webfetch",
];

/// Its sessions.
#[derive(Debug)]
pub(in crate::harnesses) struct Sessions;

impl TranscriptReader for Sessions {
    fn client(&self) -> &'static str {
        super::FACTS.name
    }

    fn folder(&self) -> Folder {
        Folder { variable: ("XDG_DATA_HOME", "opencode"), below_home: ".local/share/opencode" }
    }

    fn files(&self) -> &'static [&'static str] {
        &["opencode.db", "opencode-*.db", "storage/session/*/*.json"]
    }

    fn within(&self, file: &Path, files: &dyn Files) -> std::io::Result<Option<Vec<Within>>> {
        if is_database(file) { database::sessions(file, files).map(Some) } else { Ok(None) }
    }

    fn belongs(&self, file: &Path) -> Belongs {
        let in_database = is_database(file) || file.parent().is_some_and(is_database);
        let (name, form) = if in_database {
            (file.file_name(), Form::Rows)
        } else {
            (file.file_stem(), Form::Whole)
        };
        let conversation = name.map(|name| name.to_string_lossy().into_owned());
        Belongs { conversation: conversation.unwrap_or_default(), part: false, form }
    }

    fn is_scattered(&self) -> bool {
        true
    }

    fn begin<'f>(&self, file: &Path, files: &'f dyn Files) -> Box<dyn Reading + 'f> {
        let Belongs { conversation: id, form, .. } = self.belongs(file);
        match file.parent().filter(|_| form == Form::Rows) {
            Some(database) => Box::new(database::Stored::new(database, id, files)),
            None => Box::new(storage::Stored::new(file, id, files)),
        }
    }
}

fn is_database(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "db")
}

/// A session whose messages are read one after the other.
struct Session<'o> {
    at: u64,
    /// A session that another one started is a subagent's.
    subagent: Option<String>,
    out: &'o mut dyn FnMut(Entry),
    is_read: bool,
}

impl<'o> Session<'o> {
    fn begin(
        id: &str,
        parent: Option<&str>,
        folder: Option<&str>,
        at: u64,
        out: &'o mut dyn FnMut(Entry),
    ) -> Self {
        let subagent = parent.map(|_| id.to_owned());
        let mut begun = Self { at, subagent, out, is_read: true };
        if let Some(folder) = folder {
            begun.tell(None, What::In(PathBuf::from(folder)));
        }
        begun
    }

    fn tell(&mut self, time: Option<Timestamp>, what: What) {
        (self.out)(Entry { at: self.at, time, subagent: self.subagent.clone(), what });
    }

    /// Takes a message with its parts, each none if it cannot be read.
    fn message(
        &mut self,
        id: &str,
        message: Option<&Value>,
        parts: impl IntoIterator<Item = Option<Value>>,
    ) {
        let Some(message) = message else {
            return self.tell(None, What::Missing("a message cannot be read".to_owned()));
        };
        let created = message.get("time").and_then(|time| time.get("created")?.as_i64());
        let time = created.map(Timestamp::saturating_from_millis);
        let is_user = text(message, "role") == Some("user");
        let mut prompt = Vec::new();
        for part in parts {
            let Some(part) = part else {
                let why = "a part of a message cannot be read".to_owned();
                self.tell(time, What::Missing(why));
                continue;
            };
            let is_made_up = part.get("synthetic").and_then(Value::as_bool) == Some(true);
            match text(&part, "type").unwrap_or_default() {
                "text" if is_user && !is_made_up => {
                    prompt.push(text(&part, "text").unwrap_or_default().to_owned());
                }
                "text" if !is_user && !is_made_up => {
                    let said = text(&part, "text").unwrap_or_default().to_owned();
                    self.tell(time, What::Said(said));
                }
                "tool" => call(&part, &mut |what| self.tell(time, what)),
                "compaction" => self.tell(time, What::Compacted),
                _ => {}
            }
        }
        if !prompt.is_empty() {
            self.tell(time, What::Prompt { text: prompt.join("\n"), by: By::Human });
        }
        if let Some(used) = message.get("tokens").filter(|_| !is_user) {
            match usage(id, message, used) {
                Some(usage) => self.tell(time, What::Used(usage)),
                None => self.is_read = false,
            }
        }
        let stopped = message.get("error").and_then(|error| text(error, "name"));
        if stopped == Some("MessageAbortedError") {
            self.tell(time, What::Interrupted);
        }
    }
}

fn usage(id: &str, message: &Value, used: &Value) -> Option<Usage> {
    let nothing = Value::Null;
    let cache = used.get("cache").unwrap_or(&nothing);
    let mut usage = Usage {
        message: None,
        model: text(message, "modelID").map(str::to_owned),
        input: tokens(used, "input")?,
        output: tokens(used, "output")?.saturating_add(tokens(used, "reasoning")?),
        cache_read: tokens(cache, "read")?,
        cache_write_5m: tokens(cache, "write")?,
        cache_write_1h: 0,
    };
    usage.message = Some(name(message, &usage).unwrap_or_else(|| id.to_owned()));
    Some(usage)
}

/// What an answer and its copies have in common: a fork of a session has all that was said before, under new ids.
fn name(message: &Value, usage: &Usage) -> Option<String> {
    let time = message.get("time")?;
    let (created, completed) = (time.get("created")?.as_i64()?, time.get("completed")?.as_i64()?);
    let Usage { input, output, cache_read, cache_write_5m, .. } = usage;
    Some(format!("{created}-{completed}-{input}-{output}-{cache_read}-{cache_write_5m}"))
}

fn call(part: &Value, tell: &mut dyn FnMut(What)) {
    let nothing = Value::Null;
    let state = part.get("state").unwrap_or(&nothing);
    let given = state.get("input").unwrap_or(&nothing);
    let (name, id) =
        (text(part, "tool").unwrap_or_default(), text(part, "callID").unwrap_or_default());
    let path = || text(given, "filePath").map(PathBuf::from);
    let (does, others, understood) = match name {
        "bash" => {
            let command = text(given, "command").unwrap_or_default();
            let line = match text(given, "workdir") {
                Some(folder) => {
                    format!("cd {} && {command}", waypost_core::text::shell_word(folder))
                }
                None => command.to_owned(),
            };
            (calls::shell(&line, false), Vec::new(), true)
        }
        "edit" | "multiedit" | "write" => {
            (path().map_or(Does::EditUnnamed, Does::Edit), Vec::new(), true)
        }
        "apply_patch" | "patch" => {
            let (does, others) =
                calls::editing(calls::patched(text(given, "patchText").unwrap_or_default()));
            (does, others, true)
        }
        "read" => (path().map_or(Does::Other, Does::Read), Vec::new(), true),
        // What it starts works in a session of its own.
        _ => (
            Does::Other,
            Vec::new(),
            HARMLESS.contains(&name) || (name != "task" && name.contains('_')),
        ),
    };
    let tool = calls::tool(name, id, does, others);
    tell(What::Called { call: id.to_owned(), tool: tool.clone() });
    let said = text(state, "output").or_else(|| text(state, "error")).unwrap_or_default();
    let exit = state.get("metadata").and_then(|data| data.get("exit")?.as_i64());
    let is_shell = matches!(tool.does, Does::Shell { .. });
    let end = match (text(state, "status").unwrap_or_default(), exit) {
        ("completed", Some(exit)) => calls::ended(i32::try_from(exit).unwrap_or(1)),
        // Without a status it was cut off.
        ("completed", None) if is_shell => CallEnd::Ran(ToolEnd::Unclear),
        ("completed", None) => CallEnd::Ran(ToolEnd::Succeeded),
        ("error", _) => CallEnd::Prevented,
        _ => CallEnd::Ran(ToolEnd::Unclear),
    };
    let returned = calls::returned(id, Some(tool), end);
    let printed = is_shell.then(|| said.to_owned());
    tell(What::Returned(Returned { understood, printed, ..returned }));
}
