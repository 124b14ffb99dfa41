//! Lines as Claude Code 2.1 writes them.

use std::path::Path;

use serde_json::{Value, json};

use super::{path, put, time};
use crate::row::{Call, Row, Step};

const ID: &str = "31569691-e4d9-4215-a79c-1f052ae3b831";

pub(super) fn write(home: &Path, project: &Path, row: &Row) {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = project.to_string_lossy().chars().map(plain).collect();
    let folder = home.join(".claude/projects").join(name);
    let mut written = Written { project, own: Vec::new(), sub: Vec::new(), parent: Value::Null };
    for (at, step) in row.steps.iter().enumerate() {
        written.step(at, step);
    }
    put(&folder.join(format!("{ID}.jsonl")), &written.own.concat());
    if !written.sub.is_empty() {
        let file = folder.join(ID).join("subagents/agent-a1.jsonl");
        put(&file, &written.sub.concat());
    }
}

struct Written<'a> {
    project: &'a Path,
    own: Vec<String>,
    sub: Vec<String>,
    parent: Value,
}

impl Written<'_> {
    fn line(&mut self, at: usize, sub: bool, mut line: Value) {
        let uuid = format!("u{at}-{}", self.own.len() + self.sub.len());
        line["parentUuid"] = std::mem::replace(&mut self.parent, json!(uuid));
        line["uuid"] = json!(uuid);
        line["timestamp"] = json!(time(at));
        line["cwd"] = json!(self.project);
        line["sessionId"] = json!(ID);
        line["isSidechain"] = json!(sub);
        if sub {
            line["agentId"] = json!("a1");
        }
        let to = if sub { &mut self.sub } else { &mut self.own };
        to.push(format!("{line}\n"));
    }

    fn user(&mut self, at: usize, content: &Value, more: &[(&str, Value)]) {
        let mut line = json!({"type": "user", "message": {"role": "user", "content": content}});
        for (key, value) in more {
            line[*key] = value.clone();
        }
        self.line(at, false, line);
    }

    fn step(&mut self, at: usize, step: &Step) {
        match step {
            Step::User(text) => self.user(at, &json!(text), &[]),
            Step::Meta(text) => self.user(at, &json!(text), &[("isMeta", json!(true))]),
            Step::Say(text) => self.assistant(at, false, &json!({"type": "text", "text": text})),
            Step::Call { what, sub } => self.call(at, what, *sub),
            Step::Lost(line) => {
                let block = json!({"type": "tool_use", "id": "lost", "name": "Bash", "input": {"command": line}});
                self.assistant(at, false, &block);
            }
            Step::Ghost => {
                let given = json!({"description": "x", "prompt": "y"});
                let result = json!({"agentId": "gone", "totalToolUseCount": 3, "totalTokens": 9});
                self.tool(at, "Agent", &given, false, "done", false, &result);
            }
            Step::Compact => {
                let line = json!({"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted"});
                self.line(at, false, line);
                let more = [("isCompactSummary", json!(true))];
                self.user(at, &json!("This session is being continued. All tests pass."), &more);
            }
            Step::Interrupt => {
                let block = json!([{"type": "text", "text": "[Request interrupted by user]"}]);
                self.user(at, &block, &[]);
            }
            Step::Cut => self.parent = json!("gone"),
            Step::Torn => {
                self.own.push("{\"type\":\"assistant\",\"message\":{\"content\n".to_owned());
            }
            Step::Tail => self.own.push("{\"type\":\"assistant\",\"mess".to_owned()),
            Step::Gate(_) => {}
        }
    }

    fn assistant(&mut self, at: usize, sub: bool, block: &Value) {
        let usage = json!({"input_tokens": 10, "output_tokens": 5});
        let message = json!({"id": format!("msg_{at}"), "role": "assistant", "model": "claude-opus-5-5", "content": [block], "usage": usage});
        self.line(at, sub, json!({"type": "assistant", "message": message}));
    }

    fn call(&mut self, at: usize, call: &Call, sub: bool) {
        match call {
            Call::Edit { file, refused } => {
                let given = json!({"file_path": path(self.project, file), "old_string": "a", "new_string": "b"});
                let (text, result) = if *refused {
                    (
                        "The user doesn't want to proceed with this tool use.",
                        json!("User rejected tool use"),
                    )
                } else {
                    ("The file has been updated.", json!({"filePath": file, "structuredPatch": []}))
                };
                self.tool(at, "Edit", &given, sub, text, *refused, &result);
            }
            Call::Run { line, status, output } => {
                let given = json!({"command": line});
                let text = if *status < 0 {
                    output.clone()
                } else {
                    format!("Exit code {status}\n{output}")
                };
                let result = json!({"stdout": output, "stderr": "", "interrupted": false});
                if *status == 0 {
                    self.tool(at, "Bash", &given, sub, output, false, &result);
                } else {
                    self.tool(
                        at,
                        "Bash",
                        &given,
                        sub,
                        &text,
                        true,
                        &json!(format!("Error: {text}")),
                    );
                }
            }
            Call::Background(line) => {
                let given = json!({"command": line, "run_in_background": true});
                let result = json!({"stdout": "", "stderr": "", "interrupted": false, "backgroundTaskId": "b1"});
                let text = "Command running in background with ID: b1.";
                self.tool(at, "Bash", &given, sub, text, false, &result);
            }
            Call::Denied(line) => {
                let text = "Permission to use Bash has been denied.";
                let given = json!({"command": line});
                self.tool(at, "Bash", &given, sub, text, true, &json!(format!("Error: {text}")));
            }
            Call::Polled { output, .. } => {
                let given = json!({"task_id": "b1", "block": true});
                self.tool(at, "TaskOutput", &given, sub, output, false, &json!({"task": {}}));
            }
            Call::Named(name) => {
                self.tool(at, name, &json!({"x": 1}), sub, "ok", false, &json!({"ok": true}));
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "what a call and its result are made of")]
    fn tool(
        &mut self,
        at: usize,
        name: &str,
        given: &Value,
        sub: bool,
        text: &str,
        is_error: bool,
        result: &Value,
    ) {
        let id = format!("toolu_{at}");
        self.assistant(
            at,
            sub,
            &json!({"type": "tool_use", "id": id, "name": name, "input": given}),
        );
        let block = json!({"type": "tool_result", "tool_use_id": id, "content": text, "is_error": is_error});
        let mut line = json!({"type": "user", "message": {"role": "user", "content": [block]}});
        // Of subagents, the client keeps what their model was shown.
        if !sub {
            line["toolUseResult"] = result.clone();
        }
        self.line(at, sub, line);
    }
}
