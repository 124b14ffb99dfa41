//! Workflow files that are not right.

use waypost_testkit::everything;

use crate::project::{SPEC, client, refused, with};
use serde_json::json;

#[test]
fn a_file_that_cannot_be_followed_is_listed_refused_and_leaves_the_others_alone() {
    let env = with(SPEC);
    env.write(
        ".waypost/workflows/bad.toml",
        "[[phase]]\nname = \"A\"\n\n[[phase]]\nname = \"A\"\n",
    );
    env.write(".waypost/workflows/torn.toml", "[[phase]\n");
    env.write(".waypost/workflows/full.toml", SPEC);
    let said = refused(&env, &["workflow", "check"]);
    for part in [
        ".waypost/workflows/bad.toml:4: a second phase `A`",
        ".waypost/workflows/torn.toml:1: ",
        ".waypost/workflows/full.toml:1: `full` is a built-in workflow",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    env.ok(&["workflow", "check", "spec"]);
    let listed = env.ok(&["workflow", "list"]);
    assert_eq!(listed.matches("cannot be followed").count(), 3, "{listed}");
    for name in ["bad", "torn"] {
        let said = refused(&env, &["start", "--workflow", name]);
        assert!(said.contains(&format!(".waypost/workflows/{name}.toml:")), "{said}");
        refused(&env, &["workflow", "show", name]);
    }
    assert_eq!(env.json(&["list", "--all", "--json"]), json!([]), "nothing was begun");
    let shown = env.ok(&["workflow", "show", "full"]);
    assert!(shown.contains("spec → plan → build → docs"), "{shown}");
    env.ok(&["start", "--workflow", "spec"]);
}

#[test]
fn lesser_problems_are_told_and_the_workflow_is_followed() {
    let env = with(&SPEC.replace("purpose =", "purpos ="));
    let said = refused(&env, &["workflow", "check", "spec"]);
    assert!(said.contains("spec.toml:7: `purpos` is not a key"), "{said}");
    assert!(said.contains("did you mean `purpose`?"), "{said}");
    let output = env.waypost(&["start", "--workflow", "spec"]);
    assert!(output.status.success());
    assert!(everything(&output).contains("warning: .waypost/workflows/spec.toml:7:"));
    let begun = client(&env).works("workflow_start", json!({"workflow": "spec", "target": "a"}));
    assert_eq!(begun["warnings"].as_array().unwrap().len(), 1, "{begun}");
}

#[test]
fn a_workflow_that_is_not_there_is_told_with_what_was_meant() {
    let env = with(SPEC);
    for args in [
        &["start", "--workflow", "spce"][..],
        &["workflow", "show", "spce"],
        &["workflow", "check", "spce"],
    ] {
        let said = refused(&env, args);
        assert!(said.contains("did you mean `spec`?"), "{said}");
    }
    let output = env.waypost(&["start"]);
    assert_eq!(output.status.code(), Some(2), "{}", everything(&output));
    let said = client(&env).refused("workflow_start", json!({"workflow": "../spec"}));
    assert!(said.contains("no workflow"), "{said}");
}

#[test]
fn a_session_without_a_workflow_has_no_phases_to_speak_of() {
    let env = with(SPEC);
    env.start("Plain");
    for args in [
        &["phase", "list"][..],
        &["phase", "show"],
        &["phase", "complete"],
        &["phase", "retry"],
        &["phase", "skip", "--reason", "x"],
        &["phase", "rollback", "0", "--reason", "x"],
        &["phase", "enter", "build"],
        &["phase", "errors"],
    ] {
        let said = refused(&env, args);
        assert!(said.contains("workflow list"), "{args:?}: {said}");
    }
}
