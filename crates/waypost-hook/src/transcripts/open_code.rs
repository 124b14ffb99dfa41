//! OpenCode's storage folder, as versions before 1.2 wrote it: a file for each session, message and part. Later ones
//! keep a database instead, which is not read.

use std::path::{Path, PathBuf};

use serde_json::Value;
use waypost_app::harness::{Does, ToolEnd};
use waypost_app::transcripts::{
    Belongs, By, CallEnd, Entry, Files, Folder, Form, Reading, Returned, TranscriptReader, Usage,
    What,
};
use waypost_core::time::Timestamp;

use super::tools::{self, text, tokens};

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

/// Its storage.
#[derive(Debug)]
pub(super) struct Storage;

impl TranscriptReader for Storage {
    fn client(&self) -> &'static str {
        "opencode"
    }

    fn folder(&self) -> Folder {
        Folder { variable: ("XDG_DATA_HOME", "opencode"), below_home: ".local/share/opencode" }
    }

    fn files(&self) -> &'static [&'static str] {
        &["storage/session/*/*.json"]
    }

    fn belongs(&self, file: &Path) -> Belongs {
        let id = file.file_stem().map(|name| name.to_string_lossy().into_owned());
        Belongs { conversation: id.unwrap_or_default(), part: false, form: Form::Whole }
    }

    fn is_scattered(&self) -> bool {
        true
    }

    fn begin<'f>(&self, file: &Path, files: &'f dyn Files) -> Box<dyn Reading + 'f> {
        let storage = file.ancestors().find(|above| above.ends_with("storage"));
        let id = self.belongs(file).conversation;
        Box::new(Session { storage: storage.unwrap_or(file).to_owned(), id, files })
    }
}

/// A session that is being read.
struct Session<'f> {
    storage: PathBuf,
    id: String,
    files: &'f dyn Files,
}

impl Reading for Session<'_> {
    fn take(&mut self, bytes: &[u8], at: u64, out: &mut dyn FnMut(Entry)) -> bool {
        let Ok(session) = serde_json::from_slice::<Value>(bytes) else { return false };
        // A session that another one started is a subagent's.
        let subagent = text(&session, "parentID").map(|_| self.id.clone());
        let mut tell = |time, what| out(Entry { at, time, subagent: subagent.clone(), what });
        if let Some(folder) = text(&session, "directory") {
            tell(None, What::In(PathBuf::from(folder)));
        }
        let messages = self.storage.join("message").join(&self.id);
        // The names of messages and parts rise with time.
        let mut is_read = true;
        for name in self.files.names(&messages) {
            let Some(message) = self.json(&messages.join(&name)) else {
                tell(None, What::Missing("a message cannot be read".to_owned()));
                continue;
            };
            is_read &= self.message(name.trim_end_matches(".json"), &message, &mut tell);
        }
        is_read
    }
}

impl Session<'_> {
    fn json(&self, file: &Path) -> Option<Value> {
        serde_json::from_slice(&self.files.content(file)?).ok()
    }

    /// Says whether what it used could be read.
    fn message(
        &self,
        id: &str,
        message: &Value,
        tell: &mut dyn FnMut(Option<Timestamp>, What),
    ) -> bool {
        let created = message.get("time").and_then(|time| time.get("created")?.as_i64());
        let time = created.map(Timestamp::saturating_from_millis);
        let parts = self.storage.join("part").join(id);
        let is_user = text(message, "role") == Some("user");
        let mut prompt = Vec::new();
        for name in self.files.names(&parts) {
            let Some(part) = self.json(&parts.join(&name)) else {
                tell(time, What::Missing("a part of a message cannot be read".to_owned()));
                continue;
            };
            let is_made_up = part.get("synthetic").and_then(Value::as_bool) == Some(true);
            match text(&part, "type").unwrap_or_default() {
                "text" if is_user && !is_made_up => {
                    prompt.push(text(&part, "text").unwrap_or_default().to_owned());
                }
                "text" if !is_user && !is_made_up => {
                    tell(time, What::Said(text(&part, "text").unwrap_or_default().to_owned()));
                }
                "tool" => call(&part, time, tell),
                "compaction" => tell(time, What::Compacted),
                _ => {}
            }
        }
        if !prompt.is_empty() {
            tell(time, What::Prompt { text: prompt.join("\n"), by: By::Human });
        }
        let mut is_read = true;
        if let Some(used) = message.get("tokens").filter(|_| !is_user) {
            match usage(id, message, used) {
                Some(usage) => tell(time, What::Used(usage)),
                None => is_read = false,
            }
        }
        let stopped = message.get("error").and_then(|error| text(error, "name"));
        if stopped == Some("MessageAbortedError") {
            tell(time, What::Interrupted);
        }
        is_read
    }
}

fn usage(id: &str, message: &Value, used: &Value) -> Option<Usage> {
    let nothing = Value::Null;
    let cache = used.get("cache").unwrap_or(&nothing);
    Some(Usage {
        message: Some(id.to_owned()),
        model: text(message, "modelID").map(str::to_owned),
        input: tokens(used, "input")?,
        output: tokens(used, "output")?.saturating_add(tokens(used, "reasoning")?),
        cache_read: tokens(cache, "read")?,
        cache_write_5m: tokens(cache, "write")?,
        cache_write_1h: 0,
    })
}

fn call(part: &Value, time: Option<Timestamp>, tell: &mut dyn FnMut(Option<Timestamp>, What)) {
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
            (tools::shell(&line, false), Vec::new(), true)
        }
        "edit" | "multiedit" | "write" => {
            (path().map_or(Does::EditUnnamed, Does::Edit), Vec::new(), true)
        }
        "apply_patch" | "patch" => {
            let (does, others) =
                tools::editing(tools::patched(text(given, "patchText").unwrap_or_default()));
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
    let tool = tools::tool(name, id, does, others);
    tell(time, What::Called { call: id.to_owned(), tool: tool.clone() });
    let said = text(state, "output").or_else(|| text(state, "error")).unwrap_or_default();
    let exit = state.get("metadata").and_then(|data| data.get("exit")?.as_i64());
    let is_shell = matches!(tool.does, Does::Shell { .. });
    let end = match (text(state, "status").unwrap_or_default(), exit) {
        ("completed", Some(exit)) => tools::ended(i32::try_from(exit).unwrap_or(1)),
        // Without a status it was cut off.
        ("completed", None) if is_shell => CallEnd::Ran(ToolEnd::Unclear),
        ("completed", None) => CallEnd::Ran(ToolEnd::Succeeded),
        ("error", _) => CallEnd::Prevented,
        _ => CallEnd::Ran(ToolEnd::Unclear),
    };
    let returned = tools::returned(id, Some(tool), end);
    let printed = is_shell.then(|| said.to_owned());
    tell(time, What::Returned(Returned { understood, printed, ..returned }));
}
