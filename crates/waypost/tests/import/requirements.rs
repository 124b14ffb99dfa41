//! What the requirements framework keeps: one session however files name it, and claims that stay claims.

use std::fs;

use serde_json::{Value, json};
use waypost_testkit::TestEnv;

use crate::leaves::missing;
use crate::{import, project};

const UUID: &str = "cad0ac4d-0f3a-4c55-9a51-2d7a6f1e0c11";

fn branch(name: &str, key: &str, at: i64) -> Value {
    json!({
        "version": "3.1", "branch": name, "project": "/home/dev/repo", "created_at": 1_794_729_325, "updated_at": at,
        "requirements": {
            "plan": {"scope": "session", "sessions": {(key): {"satisfied": true, "satisfied_at": at, "satisfied_by": "skill",
                "metadata": {"skill": "review"}, "expires_at": null, "triggered": true}}},
            "ticket": {"scope": "branch", "satisfied": true, "satisfied_at": at, "satisfied_by": "cli", "expires_at": null},
            "gone": {"scope": "branch", "satisfied": true, "satisfied_at": at, "satisfied_by": "cli", "expires_at": at + 1},
        },
        "of another": [1, {"kept": true}],
    })
}

fn put(env: &TestEnv) -> Vec<(&'static str, Value)> {
    let files = vec![
        ("requirements/feature-auth.json", branch("feature/auth", "cad0ac4d", 1_794_729_326)),
        ("twin/feature-auth.json", branch("feature-auth", UUID, 1_794_729_400)),
        ("requirements/main.json", branch("main", "cad0ac4d", 1_794_729_350)),
        (
            "sessions.json",
            json!({"version": "1.0", "sessions": {(UUID): {"pid": 1, "ppid": 2, "project_dir": "/home/dev/repo",
            "branch": "main", "started_at": 1_794_729_300, "last_active": 1_794_729_500}}}),
        ),
        (
            "requirements/sessions/cad0ac4d.json",
            json!({"version": "1.0", "session_id": "cad0ac4d", "branch": "main",
            "started_at": 1_794_729_300, "ended_at": null, "tools": {"Edit": {"count": 1, "blocked_count": 1}},
            "requirements": {"plan": {"blocked_count": 1}}, "errors": [{"type": "hook", "message": "it broke"}],
            "git": {"commits": ["08b0ca6"]}, "learnings": {"user_feedback": "slow"}}),
        ),
        (
            "requirements/sessions/cad0ac4d.paused",
            json!({"paused_at": "2026-11-15T07:56:04.061697+00:00", "reason": "hotfix"}),
        ),
    ];
    for (name, value) in &files {
        let path = env.home().join("kept").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, value.to_string()).unwrap();
    }
    files
}

#[test]
fn a_session_that_files_name_in_two_ways_is_one_and_loses_nothing() {
    let env = project();
    let files = put(&env);
    let report = import(&env, &env.home().join("kept"));
    assert_eq!(report["refused"], json!([]), "{report:#}");
    let ids: Vec<&str> = report["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["session_id"].as_str().unwrap())
        .collect();
    assert_eq!(
        ids.iter().filter(|id| id.starts_with("requirements_branch_")).count(),
        3,
        "{ids:?}"
    );
    assert_eq!(ids.len(), 4, "{ids:?}");
    let shown = env.json(&["show", "requirements_cad0ac4d", "--json"]);
    let past = &shown["imported"]["past"];
    assert_eq!(past["satisfied"][0]["conversation"], UUID);
    assert_eq!(past["satisfied"][0]["time"], "2026-11-15T07:56:40.000Z", "the newest of three");
    assert_eq!(past["satisfied"].as_array().unwrap().len(), 1);
    assert_eq!(shown["branch"], "main", "it was there last");
    let originals: Vec<Value> = ids
        .iter()
        .flat_map(|id| {
            let kept = env.json(&["show", id, "--json"])["imported"]["original"].clone();
            kept.as_object().unwrap().values().cloned().collect::<Vec<_>>()
        })
        .collect();
    for (name, value) in files {
        assert!(
            originals.iter().any(|kept| missing(&value, kept).is_empty()),
            "{name}: {originals:#?}"
        );
    }
    let told = env.ok(&["show", "requirements_cad0ac4d"]);
    assert!(told.contains("hotfix; that is not taken over"), "{told}");
    assert!(told.contains("learning: user feedback: slow") && told.contains("08b0ca6"), "{told}");
}

#[test]
fn what_is_imported_is_a_claim_and_satisfies_only_what_accepts_claims() {
    for (id, accept, expected) in [
        ("ticket", "accept = \"claimed\"", "PASS"),
        ("ticket", "", "FAIL"),
        ("gone", "accept = \"claimed\"", "FAIL"),
    ] {
        let env = project();
        let gate = format!(
            "{}\n[[gate]]\nid = \"{id}\"\nbefore = [\"commit\"]\nscope = \"branch\"\n{accept}\n\
             proof = {{ file = \"no/*.md\" }}\n",
            env.read("waypost.toml")
        );
        env.write("waypost.toml", &gate);
        env.start("Add login");
        put(&env);
        import(&env, &env.home().join("kept"));
        let output = env.waypost(&["gate", "check", "--all", "--json"]);
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        let found = told["gates"].as_array().unwrap().iter().find(|one| one["phase"] == id);
        assert_eq!(found.unwrap()["status"], expected, "{id} {accept}: {told:#}");
    }
}
