//! Several at once.

use std::process::Stdio;

use serde_json::json;

use crate::project::{client, current, phases, with};

const PLAIN: &str = "[[phase]]\nname = \"A\"\n[[phase]]\nname = \"B\"\n[[phase]]\nname = \"C\"\n";

#[test]
fn of_two_who_complete_the_same_phase_at_once_one_is_refused() {
    let env = with(PLAIN);
    env.ok(&["start", "--workflow", "spec"]);
    for phase in ["A", "B", "C"] {
        let complete = || {
            let mut command = env.command(env.binary(), env.project());
            command.args(["phase", "complete", phase]).stdout(Stdio::null()).stderr(Stdio::null());
            command.spawn().unwrap()
        };
        let both = [complete(), complete()];
        let mut codes = both.map(|mut child| child.wait().unwrap().code().unwrap());
        codes.sort_unstable();
        assert_eq!(codes, [0, 1], "phase {phase}");
    }
    let phases = phases(&env);
    assert_eq!(phases["workflow_complete"], true);
    let attempts: Vec<u64> = phases["phases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|phase| phase["attempts"].as_u64().unwrap())
        .collect();
    assert_eq!(attempts, [1, 1, 1]);
}

#[test]
fn whoever_decided_on_an_older_version_is_told_of_both() {
    let env = with(PLAIN);
    let mut client = client(&env);
    let begun = client.works("workflow_start", json!({"workflow": "spec"}));
    let version = begun["version"].as_u64().unwrap();
    env.ok(&["phase", "complete", "A"]);
    let late = json!({"phase": "B", "evidence": {}, "expected_version": version});
    let result = client.call("workflow_complete_phase", late);
    let error = &result["structuredContent"]["error"];
    assert_eq!((&error["kind"], &error["expected"]), (&json!("conflict"), &json!(version)));
    assert_eq!(current(&env), "B");
    let now = json!({"phase": "B", "evidence": {}, "expected_version": error["actual"]});
    assert_eq!(client.works("workflow_complete_phase", now)["checkpoint_passed"], true);
}
