//! A project in which everything is there that can be damaged, and what is asked of it then.

use std::path::PathBuf;
use std::process::Output;

use serde_json::{Value, json};
use waypost_testkit::{HookAnswer, TestEnv};

const CONFIG: &str =
    "[[gate]]\nid = \"decided\"\nbefore = [\"edit\"]\nproof = { file = \"ADR.md\" }\n";

/// What was acknowledged, in the order in which it was.
pub(crate) const NOTES: [&str; 4] = ["first", "second", "third", "fourth"];

/// A project with a session, a conversation, notes and a published copy.
pub(crate) struct World {
    pub(crate) env: TestEnv,
    pub(crate) session: String,
}

impl World {
    pub(crate) fn new() -> Self {
        let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
        env.init_with(CONFIG);
        env.git(&["add", "-A"]);
        env.git(&["commit", "-q", "--allow-empty", "-m", "begin"]);
        let session = env.start("Add login");
        env.hook("SessionStart", &json!({"source": "startup"}));
        env.hook("UserPromptSubmit", &json!({"prompt": "go"}));
        let (published, later) = NOTES.split_at(3);
        for note in published {
            env.ok(&["note", "add", note, "--session", &session]);
        }
        env.ok(&["publish", &session]);
        for note in later {
            env.ok(&["note", "add", note, "--session", &session]);
        }
        Self { env, session }
    }

    /// The hook for another conversation than the one that was there before.
    fn new_conversation(&self, event: &str, mut fields: Value) -> HookAnswer {
        fields["session_id"] = json!("s2");
        self.env.hook(event, &fields)
    }

    /// Whether a conversation that begins now can read and edit.
    pub(crate) fn a_new_conversation_works(&self) -> Result<(), String> {
        self.new_conversation("SessionStart", json!({"source": "startup"}));
        self.new_conversation("UserPromptSubmit", json!({"prompt": "go"}));
        let file = self.env.project().join("src/lib.txt");
        for (tool, input) in [
            ("Read", json!({"file_path": file})),
            ("Edit", json!({"file_path": file, "old_string": "one", "new_string": "two"})),
        ] {
            let fields = json!({"tool_name": tool, "tool_input": input, "tool_use_id": "t"});
            let answer = self.new_conversation("PreToolUse", fields);
            if answer.status != 0 || answer.denied().is_some() {
                return Err(format!("{tool}: {}{}", answer.stdout, answer.stderr));
            }
        }
        Ok(())
    }

    /// The conversations end: this test is their harness, and would pass for an agent otherwise.
    pub(crate) fn leave(&self) {
        self.env.hook("SessionEnd", &json!({"reason": "exit"}));
        self.new_conversation("SessionEnd", json!({"reason": "exit"}));
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.env.waypost(args)
    }

    pub(crate) fn stream(&self) -> PathBuf {
        self.env.store().join("sessions").join(&self.session)
    }

    pub(crate) fn copy(&self) -> PathBuf {
        self.env.copy_of(&self.session)
    }
}
