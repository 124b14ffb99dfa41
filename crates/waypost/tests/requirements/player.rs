//! Plays a day's steps under Waypost's hook, in a real repository.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};
use waypost_core::time::Timestamp;
use waypost_testkit::{HookAnswer, TestEnv};

use super::days::{Day, Step};

/// Programs that do nothing, in the place of those that would reach out.
const STUBS: &[&str] = &["gh", "npm", "yarn"];

/// A repository in which a day is played.
pub(crate) struct Player {
    pub(crate) env: TestEnv,
    count: usize,
    now: i64,
}

impl Player {
    /// A project with one commit and Waypost, on a branch, with a remote.
    pub(crate) fn new(files: &[(&str, &str)], branch: &str) -> Self {
        Self::under(files, branch, "[project]\n")
    }

    /// The same with gates of its own.
    pub(crate) fn under(files: &[(&str, &str)], branch: &str, config: &str) -> Self {
        let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
        let mut player = Self { env, count: 0, now: 1_794_700_800 };
        player.stubs();
        player.set_clock();
        for (path, text) in files {
            player.put(path, text);
        }
        player.put("waypost.toml", config);
        player.env.git(&["add", "-A"]);
        player.env.git(&["commit", "-q", "-m", "second"]);
        let remote = player.env.home().join("remote.git").display().to_string();
        player.env.git(&["clone", "-q", "--bare", ".", &remote]);
        player.env.git(&["remote", "add", "origin", &remote]);
        player.env.git(&["checkout", "-q", "-b", branch]);
        player.env.ok(&["init", "--harness", "claude-code", "--no-git-hooks"]);
        player.env.git(&["add", "-A"]);
        player.env.git_unasked(&["commit", "-q", "-m", "waypost"]);
        player
    }

    /// One with these requirements, on a branch of its own, in a conversation.
    pub(crate) fn with(requirements: &str) -> Self {
        let text = format!("requirements:\n{requirements}");
        let mut player = Self::new(&[(".claude/requirements.yaml", &text)], "feature/auth");
        player.start("one", "startup");
        player
    }

    fn stubs(&mut self) {
        let folder = self.env.home().join("bin");
        fs::create_dir_all(&folder).unwrap();
        for name in STUBS {
            let path = folder.join(name);
            fs::write(&path, "#!/bin/sh\nexit 0\n").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let own = self.env.binary().parent().unwrap().display().to_string();
        let rest = std::env::var("PATH").unwrap();
        self.env.vars.push(("PATH".into(), format!("{}:{own}:{rest}", folder.display())));
    }

    fn set_clock(&mut self) {
        self.env.time = Timestamp::saturating_from_millis(self.now * 1000).to_string();
    }

    /// A person writes a file of the project, or with `~/` in front, of the home.
    pub(crate) fn put(&self, path: &str, text: &str) {
        match path.strip_prefix("~/") {
            Some(below) => {
                let file = self.env.home().join(below);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, text).unwrap();
            }
            None => self.env.write(path, text),
        }
    }

    pub(crate) fn hook(&mut self, event: &str, session: &str, fields: &Value) -> HookAnswer {
        self.count += 1;
        let mut all = json!({"session_id": session});
        let more = fields.as_object().cloned().unwrap_or_default();
        all.as_object_mut().unwrap().extend(more);
        if let Some(below) = fields["cwd"].as_str() {
            all["cwd"] = json!(self.env.project().join(below));
        }
        self.env.hook(event, &all)
    }

    pub(crate) fn start(&mut self, session: &str, source: &str) -> HookAnswer {
        let answer = self.hook("SessionStart", session, &json!({"source": source}));
        self.say(session);
        answer
    }

    pub(crate) fn say(&mut self, session: &str) -> HookAnswer {
        self.hook("UserPromptSubmit", session, &json!({"prompt": "go on"}))
    }

    pub(crate) fn stop(&mut self, session: &str, again: bool) -> HookAnswer {
        self.hook("Stop", session, &json!({"stop_hook_active": again, "background_tasks": []}))
    }

    /// An agent calls a tool; where it is not denied, `act` is what it does.
    pub(crate) fn tool(
        &mut self,
        session: &str,
        tool: &str,
        input: &Value,
        more: &Value,
        act: impl FnOnce(&Self) -> bool,
    ) -> HookAnswer {
        let id = format!("t{}", self.count);
        let mut fields = json!({"tool_name": tool, "tool_input": input, "tool_use_id": id});
        fields.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
        let before = self.hook("PreToolUse", session, &fields);
        if before.denied().is_none() {
            if act(self) {
                fields["tool_response"] = json!({"stdout": "", "stderr": "", "interrupted": false});
                self.hook("PostToolUse", session, &fields);
            } else {
                fields["error"] = json!("Exit code 1");
                self.hook("PostToolUseFailure", session, &fields);
            }
        }
        before
    }

    pub(crate) fn edit_with(&mut self, session: &str, path: &str, tool: &str) -> HookAnswer {
        let full = match path.strip_prefix("~/") {
            Some(below) => self.env.home().join(below),
            None => self.env.project().join(path),
        };
        let name = if tool == "NotebookEdit" { "notebook_path" } else { "file_path" };
        let input = json!({name: full, "old_string": "a", "new_string": "b", "content": "x\n"});
        let count = self.count;
        self.tool(session, tool, &input, &Value::Null, |_| {
            fs::create_dir_all(full.parent().unwrap()).unwrap();
            let known = fs::read_to_string(&full).unwrap_or_default();
            fs::write(&full, format!("{known}{count}\n")).unwrap();
            true
        })
    }

    pub(crate) fn edit(&mut self, path: &str) -> Option<String> {
        self.edit_with("one", path, "Edit").denied()
    }

    pub(crate) fn skill(&mut self, name: &str) {
        self.tool("one", "Skill", &json!({"skill": name}), &Value::Null, |_| true);
    }

    pub(crate) fn bash(&mut self, line: &str) -> Option<String> {
        self.bash_by("one", line, &Value::Null).denied()
    }

    fn bash_by(&mut self, session: &str, line: &str, more: &Value) -> HookAnswer {
        self.tool(session, "Bash", &json!({"command": line}), more, |player| {
            let mut shell = player.env.command("bash", player.env.project());
            shell.args(["-c", line]).output().unwrap().status.success()
        })
    }

    /// Time passes.
    pub(crate) fn later(&mut self, seconds: i64) {
        self.now += seconds;
        self.set_clock();
    }

    /// A person's command, which has to succeed.
    pub(crate) fn person(&self, args: &[&str]) {
        let (done, said) = self.env.as_person(args);
        assert!(done, "waypost {args:?}: {said}");
    }

    /// Plays a day and gives what was decided at each step.
    pub(crate) fn play(day: &Day<'_>) -> Vec<Option<&'static str>> {
        let mut player = Self::new(&day.files, day.branch);
        day.steps.iter().map(|step| player.step(step)).collect()
    }

    fn step(&mut self, step: &Step<'_>) -> Option<&'static str> {
        let asked =
            |answer: &HookAnswer| Some(if answer.denied().is_some() { "deny" } else { "allow" });
        let value = |at: usize| -> Value {
            step.args.get(at).map_or(Value::Null, |text| serde_json::from_str(text).unwrap())
        };
        let args = step.args.as_slice();
        match (step.verb, step.session, args) {
            ("start", session, rest) => {
                self.start(session, rest.first().copied().unwrap_or("startup"));
            }
            ("say", session, _) => drop(self.say(session)),
            ("end", session, _) => {
                self.hook("SessionEnd", session, &json!({"reason": "prompt_input_exit"}));
            }
            ("edit", session, [path]) => return asked(&self.edit_with(session, path, "Edit")),
            ("edit", session, [path, tool]) => return asked(&self.edit_with(session, path, tool)),
            ("tool", session, [tool, ..]) => {
                return asked(&self.tool(session, tool, &value(1), &value(2), |_| true));
            }
            ("skill", session, [name, ..]) => {
                let input = json!({"skill": name});
                return asked(&self.tool(session, "Skill", &input, &value(1), |_| true));
            }
            ("bash", session, [line, ..]) => return asked(&self.bash_by(session, line, &value(1))),
            ("stop", session, rest) => {
                let answer = self.stop(session, rest == ["again"]);
                return Some(if answer.held().is_some() { "hold" } else { "allow" });
            }
            ("git", first, rest) => {
                let all: Vec<&str> = std::iter::once(first).chain(rest.iter().copied()).collect();
                self.env.git_unasked(&all);
            }
            ("put", _, [path, text]) => self.put(path, &text.replace("\\n", "\n")),
            ("later", seconds, _) => self.later(seconds.parse().unwrap()),
            ("env", _, [name, value]) => {
                self.env.vars.retain(|(known, _)| known != name);
                self.env.vars.push(((*name).to_owned(), (*value).to_owned()));
            }
            ("satisfy", session, [gate]) => {
                self.person(&["gate", "satisfy", gate, "--conversation", session]);
            }
            ("clear", session, [gate]) => {
                self.person(&["gate", "clear", gate, "--conversation", session]);
            }
            ("pause", _, _) => self.person(&["gate", "pause"]),
            ("resume", _, _) => self.person(&["gate", "unpause"]),
            _ => panic!("no such step: {step:?}"),
        }
        None
    }
}
