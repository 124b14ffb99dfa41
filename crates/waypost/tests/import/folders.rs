//! Session folders: in place and from elsewhere, with every time and every key.

use std::fs;

use serde_json::{Value, json};
use waypost_testkit::picture::Picture;

use crate::fixtures::{first_version, put, second_version};
use crate::leaves::missing;
use crate::{import, outcomes, project};

const FIRST: &str = "2025-12-28_build-mode_f8k2n5";
const SECOND: &str = "2026-02-16_track-sessions_j3ehqn";

#[test]
fn a_finished_session_stays_finished_and_its_folder_untouched() {
    let env = project();
    for (id, manifest) in [(FIRST, first_version(FIRST)), (SECOND, second_version(SECOND))] {
        put(&env.copy_of(id), &manifest);
    }
    let sessions = env.project().join("agents/sessions");
    let before = Picture::of(&[&sessions]);
    let report = import(&env, &sessions);
    let imported = |id: &str| (id.to_owned(), "imported".to_owned());
    assert_eq!(outcomes(&report), [imported(FIRST), imported(SECOND)], "{report:#}");
    assert_eq!(before.changes(&Picture::of(&[&sessions])), Vec::<String>::new());
    for id in [FIRST, SECOND] {
        let shown = env.json(&["show", id, "--json"]);
        assert_eq!(shown["lifecycle"], "completed", "{shown:#}");
        assert_eq!(env.event_types_of(id), ["session_imported"]);
    }
    env.ok(&["verify", "--all"]);
    assert!(env.json(&["status", "--json"])["session_id"].is_null(), "none is current");
}

#[test]
fn every_time_of_every_phase_is_kept_and_shown() {
    let env = project();
    put(&env.copy_of(SECOND), &second_version(SECOND));
    import(&env, &env.copy_of(SECOND));
    let timing = env.json(&["show", SECOND, "--json"])["track"]["phase_timing"].clone();
    for (number, started, completed, took) in [
        ("1", "2026-02-16T21:14:17.000Z", "2026-02-16T21:45:00.000Z", 1843),
        ("2", "2026-02-16T22:00:00.000Z", "2026-02-16T22:50:00.000Z", 3000),
        ("3", "2026-02-16T23:45:00.000Z", "2026-02-17T03:45:00.000Z", 14_400),
        ("4", "2026-02-17T03:50:00.000Z", "2026-02-17T04:15:00.000Z", 1500),
    ] {
        let phase = &timing[number];
        assert_eq!(phase["started_at"], started, "{timing:#}");
        assert_eq!(phase["completed_at"], completed);
        assert_eq!(phase["duration_seconds"], took);
    }
    let told = env.ok(&["show", SECOND]);
    assert!(
        told.contains("build  2026-02-16 23:45") && told.contains("to 2026-02-17 03:45"),
        "{told}"
    );
    // What it goes on with, it goes on with all of them.
    env.ok(&["resume", SECOND]);
    let state: Value =
        serde_json::from_str(&env.read(&format!("agents/sessions/{SECOND}/state.json"))).unwrap();
    assert_eq!(state["phase_history"]["build_completed_at"], "2026-02-17T03:45:00.000Z");
    assert_eq!(state["phase_history"]["docs_started_at"], "2026-02-17T03:50:00.000Z");
}

#[test]
fn nothing_of_a_manifest_is_lost_in_the_record_or_on_the_way_out() {
    for (id, manifest) in [(FIRST, first_version(FIRST)), (SECOND, second_version(SECOND))] {
        let env = project();
        put(&env.copy_of(id), &manifest);
        import(&env, &env.copy_of(id));
        let kept = env.json(&["show", id, "--json"])["imported"]["manifest"].clone();
        assert_eq!(missing(&manifest, &kept), Vec::<String>::new());
        let out: Value =
            serde_json::from_str(&env.ok(&["export", id, "--format", "manifest"])).unwrap();
        assert_eq!(missing(&manifest, &out), Vec::<String>::new());
        // Gone on with, only what happened since is another.
        env.ok(&["resume", id]);
        let out: Value =
            serde_json::from_str(&env.ok(&["export", id, "--format", "manifest"])).unwrap();
        let changed: Vec<String> = missing(&manifest, &out)
            .into_iter()
            .filter(|leaf| !["/status", "/updated_at"].iter().any(|key| leaf.starts_with(key)))
            .collect();
        assert_eq!(changed, Vec::<String>::new());
    }
}

#[test]
fn a_folder_from_elsewhere_comes_with_its_files_and_goes_back_as_it_was() {
    let env = project();
    let elsewhere = env.home().join("other/agents/sessions");
    put(&elsewhere.join(SECOND), &second_version(SECOND));
    let before = Picture::of(&[&elsewhere]);
    let report = import(&env, &elsewhere);
    assert_eq!(report["sessions"][0]["files"], 5, "{report:#}");
    assert_eq!(before.changes(&Picture::of(&[&elsewhere])), Vec::<String>::new());
    assert_eq!(env.read(&format!("agents/sessions/{SECOND}/context/notes.md")), "what was given\n");
    let back = env.home().join("back");
    env.ok(&["export", SECOND, "--format", "manifest", "--output", back.to_str().unwrap()]);
    assert_eq!(outcomes(&import(&env, &back)), [(SECOND.to_owned(), "unchanged".to_owned())]);
    let again = project();
    let (one, two) = (import(&again, &back), again.json(&["show", SECOND, "--json"]));
    assert_eq!(one["sessions"][0]["outcome"], "imported");
    let kept = env.json(&["show", SECOND, "--json"])["imported"].clone();
    assert_eq!(two["imported"]["manifest"], kept["manifest"]);
    assert_eq!(two["imported"]["past"], kept["past"]);
    for file in ["spec.md", "research/one/subagents/subagent_001.json", "context/notes.md"] {
        assert_eq!(
            fs::read(back.join(file)).unwrap(),
            fs::read(elsewhere.join(SECOND).join(file)).unwrap()
        );
    }
}

#[test]
fn the_folder_names_a_session_and_research_is_research() {
    let env = project();
    let mut manifest = first_version("2026-01-12_session-overhaul_k9m2x7");
    manifest["granularity"] = json!("research");
    manifest["current_phase"] = json!("spec");
    manifest["phases"]["build"] = json!({"status": "not_started"});
    manifest["phases"]["spec"]["finalized_at"] = json!(null);
    put(&env.copy_of("2026-01-12_agent-session-overhaul_k9m2x7"), &manifest);
    let report = import(&env, &env.project().join("agents/sessions"));
    let session = &report["sessions"][0];
    assert_eq!(session["session_id"], "2026-01-12_agent-session-overhaul_k9m2x7");
    assert!(session["remarks"][0].as_str().unwrap().contains("session-overhaul_k9m2x7"));
    let shown = env.json(&["show", "2026-01-12_agent", "--json"]);
    assert_eq!(
        (&shown["workflow"], &shown["lifecycle"]),
        (&json!("research"), &json!("abandoned"))
    );
    assert_eq!(report["sessions"].as_array().unwrap().len(), 1, "what lies within is part of it");
}

#[test]
fn what_is_decided_and_asked_is_in_the_brief() {
    let env = project();
    put(&env.copy_of(FIRST), &first_version(FIRST));
    import(&env, &env.copy_of(FIRST));
    let brief = env.ok(&["brief", FIRST]);
    assert!(brief.contains("One agent each: clean context"), "{brief}");
    assert!(brief.contains("Which colour?"), "{brief}");
}

#[test]
fn a_plan_that_another_program_made_readable_is_made_anew() {
    let env = project();
    let mut manifest = second_version(SECOND);
    manifest["current_phase"] = json!("build");
    manifest["status"] = json!("active");
    put(&env.copy_of(SECOND), &manifest);
    let plan = json!({"session_id": SECOND, "checkpoints": [{"id": 1, "title": "One", "status": "complete", "task_groups": []}]});
    env.write(&format!("agents/sessions/{SECOND}/plan.json"), &plan.to_string());
    let readable = format!("agents/sessions/{SECOND}/plan.md");
    env.write(
        &readable,
        "# Implementation Plan\n\n---\n*Auto-generated from plan.json on 2026-02-19 12:59*",
    );
    import(&env, &env.copy_of(SECOND));
    env.ok(&["resume", SECOND]);
    assert!(env.read(&readable).starts_with("<!-- Generated from plan.json by Waypost"));
    env.write(&readable, "# Mine\n");
    env.ok(&["publish", SECOND]);
    assert_eq!(env.read(&readable), "# Mine\n");
}

#[test]
fn a_template_and_broken_files_are_told_with_what_to_do() {
    let env = project();
    let at = |name: &str| env.home().join("odd").join(name);
    let mut template = second_version("{{SESSION_ID}}");
    template["topic"] = json!("{{TOPIC}}");
    put(&at("templates"), &template);
    fs::create_dir_all(at("broken")).unwrap();
    fs::write(at("broken/state.json"), "{\"session_id\": \"x\",\n  \"topic\": }").unwrap();
    fs::write(at("README.md"), "# Nothing\n").unwrap();
    let report = import(&env, &env.home().join("odd"));
    assert_eq!(report["sessions"], json!([]));
    let refused = &report["refused"][0];
    assert!(refused["reason"].as_str().unwrap().contains(":2:"), "{refused}");
    let told = report["no_session"].to_string();
    assert!(told.contains("placeholders"), "{told}");
    let output = env.waypost(&["import", "no/such/place"]);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn publishing_an_imported_session_reopens_nothing() {
    let env = project();
    let mut manifest = second_version(SECOND);
    manifest["status"] = json!("active");
    manifest["current_phase"] = json!("build");
    manifest["phase_history"] = json!({"spec_started_at": "2026-02-16T21:14:17+00:00"});
    put(&env.copy_of(SECOND), &manifest);
    import(&env, &env.copy_of(SECOND));
    let before = env.json(&["show", SECOND, "--json"]);
    env.ok(&["publish", SECOND]);
    let after = env.json(&["show", SECOND, "--json"]);
    for key in ["lifecycle", "updated_at", "started_at"] {
        assert_eq!(after[key], before[key], "{key}");
    }
    assert!(env.json(&["status", "--json"])["session_id"].is_null());
    env.ok(&["verify", "--all"]);
    env.ok(&["resume", SECOND]);
    assert_eq!(env.json(&["show", SECOND, "--json"])["lifecycle"], "active");
}

#[test]
fn sessions_lie_where_the_project_says_now() {
    let env = project();
    put(&env.copy_of(SECOND), &second_version(SECOND));
    let text = env.read("waypost.toml").replacen(
        "[project]\n",
        "[project]\nsessions_dir = \"docs/s\"\n",
        1,
    );
    env.write("waypost.toml", &text);
    let before = Picture::of(&[&env.copy_of(SECOND)]);
    let report = import(&env, &env.copy_of(SECOND));
    assert_eq!(report["sessions"][0]["files"], 5, "{report:#}");
    env.ok(&["resume", SECOND]);
    assert_eq!(before.changes(&Picture::of(&[&env.copy_of(SECOND)])), Vec::<String>::new());
    assert!(env.project().join("docs/s").join(SECOND).join("events.jsonl").exists());
}
