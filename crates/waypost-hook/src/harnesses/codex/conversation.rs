//! Codex' rollouts: a line for each item. Seen with versions 0.166 (lines of `response_item` and `event_msg`) and read
//! in its sources before that; the same since 0.32. Compressed ones are not read.

mod usage;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde_json::Value;
use waypost_app::harness::{Does, Tool, ToolEnd};
use waypost_app::transcripts::{
    Belongs, By, CallEnd, Entry, Files, Folder, Form, Reading, Returned, TranscriptReader, Usage,
    What,
};
use waypost_core::time::Timestamp;

use crate::calls::{self, text};
use usage::Counting;

/// So many calls may wait for their results.
const MAX_PENDING: usize = 4096;
/// How texts of a user begin that the client put there.
const BY_CLIENT: [&str; 8] = [
    "# AGENTS.md instructions",
    "<environment_context>",
    "<hook_prompt",
    "<permissions instructions>",
    "<skill>",
    "<turn_aborted>",
    "<user_instructions>",
    "<user_shell_command>",
];
/// Tools that change nothing and run nothing.
const HARMLESS: [&str; 8] = [
    "list_mcp_resource_templates",
    "list_mcp_resources",
    "read_mcp_resource",
    "request_user_input",
    "tool_search",
    "update_plan",
    "view_image",
    "web_search",
];

/// How the client tells that a subagent is done.
const SUBAGENT_DONE: &str = "<subagent_notification>";
/// Tools by which subagents are started and waited for. What these do is in rollouts of their own.
const OF_SUBAGENTS: [&str; 7] = [
    "close_agent",
    "resume_agent",
    "send_input",
    "spawn_agent",
    "spawn_agents_on_csv",
    "wait_agent",
    "wait",
];

/// Its rollouts.
#[derive(Debug)]
pub(in crate::harnesses) struct Rollouts;

impl TranscriptReader for Rollouts {
    fn client(&self) -> &'static str {
        super::FACTS.name
    }

    fn folder(&self) -> Folder {
        let (variable, below_home) = super::FACTS.folder;
        Folder { variable: (variable, ""), below_home }
    }

    fn files(&self) -> &'static [&'static str] {
        &["sessions/**/rollout-*.jsonl", "archived_sessions/rollout-*.jsonl"]
    }

    fn belongs(&self, file: &Path) -> Belongs {
        // `rollout-2026-11-18T21-12-57-ID.jsonl`
        let stem = file.file_stem().map(|name| name.to_string_lossy().into_owned());
        let stem = stem.unwrap_or_default();
        let id = stem.strip_prefix("rollout-").and_then(|rest| rest.get(20..)).unwrap_or(&stem);
        Belongs { conversation: id.to_owned(), part: false, form: Form::Lines }
    }

    fn begin<'f>(&self, _: &Path, _: &'f dyn Files) -> Box<dyn Reading + 'f> {
        Box::new(Rollout::default())
    }
}

/// A rollout that is being read.
#[derive(Debug, Default)]
struct Rollout {
    folder: Option<PathBuf>,
    model: Option<String>,
    pending: HashMap<String, (Tool, bool)>,
    /// The command lines that were still running when their calls returned, by the client's number, with what they had
    /// printed. Forgotten as soon as anything else is called: what they ended with is then not what was there at the end.
    running: HashMap<u64, (Tool, String)>,
    /// The calls that only wait for one of these.
    waiting: HashMap<String, u64>,
    /// Whether the first line was there.
    is_known: bool,
    /// The thread, if it is a subagent's.
    subagent: Option<String>,
    counting: Counting,
}

impl Reading for Rollout {
    fn take(&mut self, bytes: &[u8], at: u64, out: &mut dyn FnMut(Entry)) -> bool {
        let Ok(line) = serde_json::from_slice::<Value>(bytes) else { return false };
        let Some(kind) = text(&line, "type") else { return line.is_object() };
        let time = text(&line, "timestamp").and_then(Timestamp::lenient);
        let nothing = Value::Null;
        let payload = line.get("payload").unwrap_or(&nothing);
        if kind == "session_meta" && !self.is_known {
            let id = text(payload, "id").unwrap_or_default();
            self.subagent = usage::is_of_a_subagent(payload).then(|| id.to_owned());
        }
        let subagent = self.subagent.clone();
        let mut tell = |what| out(Entry { at, time, subagent: subagent.clone(), what });
        match kind {
            "session_meta" => self.meta(payload, time, &mut tell),
            "turn_context" => {
                self.moved(payload, &mut tell);
                self.model = text(payload, "model").map(str::to_owned).or(self.model.take());
            }
            "response_item" => self.item(payload, &mut tell),
            "event_msg" => return self.event(payload, time, &mut tell),
            "token_usage_record" => {
                let usage = self.counting.record(payload);
                return usage.is_some_and(|usage| {
                    self.used(usage, &mut tell);
                    true
                });
            }
            "compacted" => tell(What::Compacted),
            _ => {}
        }
        true
    }
}

impl Rollout {
    fn meta(&mut self, payload: &Value, time: Option<Timestamp>, tell: &mut dyn FnMut(What)) {
        self.counting.meta(payload, time);
        if std::mem::replace(&mut self.is_known, true) {
            return;
        }
        if text(payload, "forked_from_id").is_some()
            || payload.get("history_base").is_some_and(Value::is_object)
        {
            tell(What::Missing("it goes on from another conversation".to_owned()));
        }
        self.moved(payload, tell);
    }

    fn moved(&mut self, payload: &Value, tell: &mut dyn FnMut(What)) {
        let folder = text(payload, "cwd").map(PathBuf::from);
        if let Some(folder) = folder.filter(|folder| self.folder.as_ref() != Some(folder)) {
            self.folder = Some(folder.clone());
            tell(What::In(folder));
        }
    }

    fn item(&mut self, item: &Value, tell: &mut dyn FnMut(What)) {
        match text(item, "type").unwrap_or_default() {
            "message" => Self::message(item, tell),
            "function_call" => {
                let arguments = text(item, "arguments").unwrap_or_default();
                let arguments = serde_json::from_str(arguments).unwrap_or(Value::Null);
                self.called(item, &arguments, tell);
            }
            "local_shell_call" => {
                let action = item.get("action").cloned().unwrap_or(Value::Null);
                self.called(item, &action, tell);
            }
            "custom_tool_call" => {
                let input = item.get("input").cloned().unwrap_or(Value::Null);
                self.called(item, &input, tell);
            }
            "function_call_output" | "custom_tool_call_output" => self.returned(item, tell),
            _ => {}
        }
    }

    fn message(item: &Value, tell: &mut dyn FnMut(What)) {
        let parts = item.get("content").and_then(Value::as_array);
        let texts = parts.into_iter().flatten().filter_map(|part| text(part, "text"));
        let said = texts.collect::<Vec<_>>().join("\n");
        let plain = said.trim_start();
        if plain.is_empty() {
            return;
        }
        match text(item, "role") {
            Some("user") if plain.starts_with(SUBAGENT_DONE) => tell(by_a_subagent()),
            Some("assistant") => tell(What::Said(said)),
            Some("user") if !BY_CLIENT.iter().any(|start| plain.starts_with(start)) => {
                tell(What::Prompt { text: said, by: By::Human });
            }
            _ => {}
        }
    }

    fn called(&mut self, item: &Value, given: &Value, tell: &mut dyn FnMut(What)) {
        let call = text(item, "call_id").unwrap_or_default();
        let name = text(item, "name").unwrap_or("local_shell");
        let namespace = text(item, "namespace").unwrap_or_default();
        let (does, others, understood) = does(namespace, name, given);
        let waited = waited_for(name, given).filter(|number| self.running.contains_key(number));
        let understood = understood || waited.is_some();
        match waited {
            Some(number) => drop(self.waiting.insert(call.to_owned(), number)),
            None => self.running.clear(),
        }
        let tool = calls::tool(name, call, does, others);
        if self.pending.len() < MAX_PENDING {
            self.pending.insert(call.to_owned(), (tool.clone(), understood));
        }
        tell(What::Called { call: call.to_owned(), tool });
    }

    fn returned(&mut self, item: &Value, tell: &mut dyn FnMut(What)) {
        let call = text(item, "call_id").unwrap_or_default();
        let pending = self.pending.remove(call);
        let understood = pending.as_ref().is_none_or(|(_, understood)| *understood);
        let mut tool = pending.map(|(tool, _)| tool);
        let said = output(item.get("output"));
        let mut told = Told::of(&said);
        let before = self.waiting.remove(call).and_then(|number| self.running.remove(&number));
        if let Some((line, printed)) = before {
            told.printed = told.printed.map(|more| printed + &more);
            tool = Some(line);
        }
        if let Some((number, tool)) = told.goes_on.zip(tool.as_ref()) {
            let printed = told.printed.clone().unwrap_or_default();
            self.running.insert(number, (tool.clone(), printed));
        }
        if let Some(Does::Shell { background, .. }) = tool.as_mut().map(|tool| &mut tool.does) {
            *background |= told.goes_on.is_some();
        }
        let is_of_subagents =
            tool.as_ref().is_some_and(|tool| OF_SUBAGENTS.contains(&tool.name.as_str()));
        let returned = calls::returned(call, tool, told.end);
        tell(What::Returned(Returned { understood, printed: told.printed, ..returned }));
        if is_of_subagents {
            tell(by_a_subagent());
        }
    }

    fn used(&self, usage: Usage, tell: &mut dyn FnMut(What)) {
        tell(What::Used(Usage { model: self.model.clone(), ..usage }));
    }

    /// Says whether it could be read.
    fn event(
        &mut self,
        event: &Value,
        time: Option<Timestamp>,
        tell: &mut dyn FnMut(What),
    ) -> bool {
        match text(event, "type").unwrap_or_default() {
            "turn_aborted" => tell(What::Interrupted),
            "token_count" => {
                let Some(info) = event.get("info").filter(|info| info.is_object()) else {
                    return true;
                };
                match self.counting.state(info, time) {
                    Ok(Some(usage)) => self.used(usage, tell),
                    Ok(None) => {}
                    Err(usage::Unreadable) => return false,
                }
            }
            _ => {}
        }
        true
    }
}

/// What a tool does, and whether that is known.
fn does(namespace: &str, name: &str, given: &Value) -> (Does, Vec<PathBuf>, bool) {
    let moved = |command: &str| match text(given, "workdir") {
        Some(folder) => format!("cd {} && {command}", waypost_core::text::shell_word(folder)),
        None => command.to_owned(),
    };
    match name {
        "exec_command" | "shell_command" if namespace.is_empty() => {
            let command = text(given, "cmd").or_else(|| text(given, "command")).unwrap_or_default();
            (calls::shell(&moved(command), false), Vec::new(), true)
        }
        "shell" | "local_shell" | "container.exec" => {
            let command = line_of(given.get("command"));
            (calls::shell(&moved(&command), false), Vec::new(), true)
        }
        "apply_patch" => {
            let patch = given.as_str().or_else(|| text(given, "input")).unwrap_or_default();
            let (does, others) = calls::editing(calls::patched(patch));
            (does, others, true)
        }
        _ => {
            let is_known = HARMLESS.contains(&name) || OF_SUBAGENTS.contains(&name);
            (Does::Other, Vec::new(), !namespace.is_empty() || is_known)
        }
    }
}

/// Whatever a subagent did up to now.
fn by_a_subagent() -> What {
    What::Missing("what a subagent did is not in the transcript".to_owned())
}

/// The number of the command line that a call only waits for, without telling it anything.
fn waited_for(name: &str, given: &Value) -> Option<u64> {
    let is_silent = text(given, "chars").unwrap_or_default().is_empty();
    let number = given.get("session_id").and_then(Value::as_u64)?;
    (name == "write_stdin" && is_silent).then_some(number)
}

/// A command that is given as its words. What a shell is told is the line.
fn line_of(command: Option<&Value>) -> String {
    let words = command.and_then(Value::as_array).into_iter().flatten();
    let words: Vec<&str> = words.filter_map(Value::as_str).collect();
    match words.as_slice() {
        [shell, "-c" | "-lc", line] if shell.ends_with("sh") => (*line).to_owned(),
        words => {
            let quoted: Vec<String> =
                words.iter().map(|word| waypost_core::text::shell_word(word)).collect();
            quoted.join(" ")
        }
    }
}

/// What the output of a call says, which may be a text or parts.
fn output(output: Option<&Value>) -> String {
    match output {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let texts: Vec<&str> = parts.iter().filter_map(|part| text(part, "text")).collect();
            texts.join("\n")
        }
        Some(Value::Object(fields)) => {
            fields.get("content").and_then(Value::as_str).unwrap_or_default().to_owned()
        }
        _ => String::new(),
    }
}

/// What is told of how a call ended.
struct Told {
    end: CallEnd,
    /// The number of what is still running.
    goes_on: Option<u64>,
    printed: Option<String>,
}

impl Told {
    fn of(said: &str) -> Self {
        let printed = |text: &str| Some(text.to_owned());
        // The oldest form: an object, as text.
        if let Ok(old) = serde_json::from_str::<Value>(said)
            && let Some(status) =
                old.get("metadata").and_then(|data| data.get("exit_code")?.as_i64())
        {
            let end = calls::ended(i32::try_from(status).unwrap_or(1));
            return Self { end, goes_on: None, printed: text(&old, "output").and_then(printed) };
        }
        let (head, rest) = said.split_once("Output:").unwrap_or((said, ""));
        let status = head.lines().find_map(|line| {
            let status = line.strip_prefix("Process exited with code ");
            status.or_else(|| line.strip_prefix("Exit code: "))?.trim().parse::<i32>().ok()
        });
        let goes_on = head.lines().find_map(|line| {
            line.strip_prefix("Process running with session ID ")?.trim().parse::<u64>().ok()
        });
        let refused = ["Command blocked by", "exec command rejected", "rejected by user"];
        let end = match status {
            Some(status) => calls::ended(status),
            None if goes_on.is_some() => CallEnd::Ran(ToolEnd::Unclear),
            None if refused.iter().any(|start| said.starts_with(start)) => CallEnd::Prevented,
            None if said.contains("aborted by user") => CallEnd::Ran(ToolEnd::Unclear),
            // A patch says that it was applied, other tools what they found.
            None if said.starts_with("apply_patch verification failed") => CallEnd::Prevented,
            None => CallEnd::Ran(ToolEnd::Succeeded),
        };
        Self { end, goes_on, printed: printed(rest) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ended_how_is_read_in_every_form() {
        for (said, end, printed) in [
            (
                "Chunk ID: f7\nWall time: 0.0 seconds\nProcess exited with code 0\nOutput:\nhi\n",
                calls::ended(0),
                "\nhi\n",
            ),
            ("Exit code: 101\nWall time: 1 seconds\nOutput:\nbad", calls::ended(101), "\nbad"),
            (
                "{\"output\":\"ok\",\"metadata\":{\"exit_code\":2,\"duration_seconds\":0.1}}",
                calls::ended(2),
                "ok",
            ),
            ("Command blocked by PreToolUse hook: no. Command: x", CallEnd::Prevented, ""),
            (
                "Wall time: 9 seconds\nProcess running with session ID 4\nOutput:\n",
                CallEnd::Ran(ToolEnd::Unclear),
                "\n",
            ),
        ] {
            let told = Told::of(said);
            assert_eq!((told.end, told.printed.as_deref()), (end, Some(printed)), "{said}");
        }
    }

    #[test]
    fn what_a_subagent_says_is_not_said_by_the_agent() {
        let spawned = r#"{"type":"session_meta","payload":{"id":"s","source":{"subagent":{"thread_spawn":{"parent_thread_id":"p"}}}}}"#;
        let said = r#"{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"text":"Done."}]}}"#;
        let mut rollout = Rollout::default();
        let mut of = Vec::new();
        for line in [spawned, said] {
            assert!(rollout.take(line.as_bytes(), 0, &mut |entry| of.push(entry.subagent)));
        }
        assert_eq!(of, [Some("s".to_owned())]);
    }

    #[test]
    fn commands_are_read_as_lines_and_as_words() {
        let of = |name: &str, given: &str| {
            let (does, ..) = does("", name, &serde_json::from_str(given).unwrap());
            does
        };
        let shell = |command: &str| calls::shell(command, false);
        assert_eq!(of("exec_command", r#"{"cmd":"cargo test"}"#), shell("cargo test"));
        assert_eq!(
            of("shell", r#"{"command":["bash","-lc","cargo test | tail"]}"#),
            shell("cargo test | tail")
        );
        assert_eq!(
            of("shell", r#"{"command":["cargo","test"],"workdir":"/w/a b"}"#),
            shell("cd '/w/a b' && cargo test")
        );
        let patch = "*** Begin Patch\n*** Update File: a.rs\n@@\n-x\n+y\n*** End Patch";
        let (does, ..) = does("", "apply_patch", &Value::from(patch));
        assert_eq!(does, Does::Edit("a.rs".into()));
    }
}
