//! What people write in a session's folder.

use serde_json::{Value, json};

use crate::TestEnv;

impl TestEnv {
    /// Writes a spec that says what is to be built.
    pub fn write_spec(&self, session: &str) {
        let text = "# Login\n\n## Goals\n\n- Users log in by passkey\n";
        self.write(&format!("agents/sessions/{session}/spec.md"), text);
    }

    /// Writes a plan with so many checkpoints, each with two tasks: `1.1` and `1.2`.
    pub fn write_plan(&self, session: &str, checkpoints: u64) {
        let task = |id: String| json!({"id": id, "title": format!("Task {id}")});
        let checkpoint = |number: u64| {
            let tasks = [task(format!("{number}.1")), task(format!("{number}.2"))];
            json!({"id": number, "title": format!("Part {number}"), "tasks": tasks})
        };
        let all: Vec<Value> = (1..=checkpoints).map(checkpoint).collect();
        let plan = json!({ "checkpoints": all }).to_string();
        self.write(&format!("agents/sessions/{session}/plan.json"), &plan);
    }
}
