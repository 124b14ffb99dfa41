//! A conversation in a repository of some kind, and what an agent does in it.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use waypost_testkit::{HookAnswer, TestEnv};

/// Makes a repository of the files that are there.
pub(crate) const START: &str = "git init -q -b main; git add -A; git commit -qm start";

/// A gate that no stop waits for.
pub(crate) const BEFORE_COMMITS: &str = "[project]\n\n[[gate]]\nid = \"checks\"\nbefore = [\"commit\"]\n\
    proof = { ran = \"./check.sh*\", fresh = \"tree\" }\n";

/// A conversation in some folder of some repository. Git's own hook is declined, so that all that it would have refused
/// gets as far as the stop.
pub(crate) struct Work {
    pub(crate) env: TestEnv,
    pub(crate) cwd: PathBuf,
}

impl Work {
    /// `make` makes a repository of the files that are there, beginning in the project's folder.
    pub(crate) fn made(make: &str) -> Self {
        Self::made_in("", make, "")
    }

    /// The same in a folder below, which `make` may make, seen from `then`.
    pub(crate) fn made_in(name: &str, make: &str, then: &str) -> Self {
        let env = TestEnv::below(env!("CARGO_BIN_EXE_waypost"), name);
        fs::remove_dir_all(env.project().join(".git")).unwrap();
        shell(&env, env.project(), make);
        let cwd = env.project().join(then);
        let root = shell(&env, &cwd, "git rev-parse --show-toplevel");
        let root = PathBuf::from(root.trim_end());
        let gate = "[project]\n\n[[gate]]\nid = \"checks\"\nbefore = [\"stop\", \"commit\"]\n\
            proof = { ran = \"./check.sh*\", fresh = \"tree\" }\n";
        fs::write(root.join("waypost.toml"), gate).unwrap();
        env.ok_in(&root, &["init", "--harness", "claude-code", "--no-git-hooks"]);
        let work = Self { env, cwd };
        work.hook("SessionStart", &json!({"source": "startup"}));
        work.prompt();
        work
    }

    pub(crate) fn hook(&self, event: &str, fields: &Value) -> HookAnswer {
        let mut all = json!({"cwd": self.cwd});
        all.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        self.env.hook(event, &all)
    }

    pub(crate) fn prompt(&self) {
        self.hook("UserPromptSubmit", &json!({"prompt": "go on"}));
    }

    /// Runs a line with the hooks around it.
    pub(crate) fn bash(&self, line: &str) -> HookAnswer {
        let fields = json!({"tool_name": "Bash", "tool_use_id": "b",
            "tool_input": {"command": line}, "tool_response": {"stdout": ""}});
        let before = self.hook("PreToolUse", &fields);
        if before.denied().is_some() {
            return before;
        }
        shell(&self.env, &self.cwd, line);
        self.hook("PostToolUse", &fields)
    }

    /// Runs lines of which the hook sees nothing but that a script is called.
    pub(crate) fn script(&self, lines: &str) -> HookAnswer {
        let path = self.env.home().join("script.sh");
        fs::write(&path, format!("set -e\n{lines}\n")).unwrap();
        let answer = self.bash("sh ~/script.sh");
        assert_eq!(answer.denied(), None, "{lines}");
        answer
    }

    pub(crate) fn stop(&self) -> Option<String> {
        let held = self.hook("Stop", &json!({"stop_hook_active": false})).held()?;
        Some(serde_json::from_str(&held).unwrap_or(held))
    }

    /// The stop is held, and doing what the message names releases it.
    pub(crate) fn held_and_released(&self, about: &str) -> String {
        let held = self.stop().unwrap_or_else(|| panic!("{about}: it is not held"));
        assert_eq!(self.bash(&next(&held)).denied(), None, "{about}: {held}");
        assert_eq!(self.stop(), None, "{about}, after {}", next(&held));
        held
    }

    pub(crate) fn commits(&self) -> Vec<Value> {
        let history = self.env.ok_in(&self.cwd, &["history", "--json"]);
        let history: Value = serde_json::from_str(&history).unwrap();
        let events = history["events"].as_array().unwrap().clone();
        let events = events.into_iter().map(|entry| entry["event"].clone());
        events.filter(|event| event["type"] == "commit_added").collect()
    }

    /// An edit is held and released, a run lets a commit through, and one by a script is found.
    pub(crate) fn is_like_any_other(&self, about: &str) {
        self.bash("echo two > src/lib.txt");
        self.held_and_released(about);
        self.prompt();
        self.bash("echo three > src/lib.txt");
        assert!(self.bash("git commit -qam three").denied().is_some(), "{about}");
        self.bash("./check.sh");
        assert_eq!(self.bash("git add -A && git commit -qm three").denied(), None, "{about}");
        assert_eq!(self.stop(), None, "{about}");
        assert_eq!(self.commits().len(), 1, "{about}: {:?}", self.commits());
        self.prompt();
        self.script("echo four > src/lib.txt; git commit -qam four");
        let held = self.held_and_released(about);
        assert!(held.contains("src/lib.txt"), "{about}: {held}");
        assert!(!held.contains("check out"), "{about}: {held}");
        assert_eq!(self.commits().len(), 2, "{about}");
        self.prompt();
        assert_eq!(self.stop(), None, "{about}");
    }
}

fn shell(env: &TestEnv, cwd: &Path, lines: &str) -> String {
    let output = env.command("sh", cwd).args(["-ec", lines]).output().unwrap();
    assert!(output.status.success(), "{lines}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The command that a message names as the next step.
pub(crate) fn next(message: &str) -> String {
    let line = message.lines().find_map(|line| line.trim().strip_prefix("Next: ")).unwrap();
    line.rsplit("then run ").next().unwrap().to_owned()
}
