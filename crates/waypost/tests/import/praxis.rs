//! Workflow sessions of praxis-os: each shape that their files have had, in and out again.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use waypost_testkit::TestEnv;

use crate::leaves::missing;
use crate::{import, outcomes, project};

/// A session of the first programs, complete in a phase that it does not have.
const DONE: &str = "3fa9c1d0-5a0e-4c55-9d0c-0d3f5a1b7c21";
/// The same, in the middle of its work.
const OPEN: &str = "8b7d20aa-1c1e-4c0b-8f64-95a1d2c3e4f5";
/// A session of the strict program that calls itself completed after its first phase.
const STRICT: &str = "workflow_default_c4e1f7b2-77a0-4b0e-9a55-1f2e3d4c5b6a";
/// A session that somebody deleted there.
const DELETED: &str = "workflow_default_d0d0cafe-0000-4000-8000-000000000001";

fn plain(id: &str, closed: u64) -> Value {
    let mut value = json!({
        "session_id": id,
        "workflow_type": "spec_execution_v1",
        "target_file": "specs/2025-03-04-hedgehog-hotel/tasks.md",
        "current_phase": closed,
        "completed_phases": (0..closed).collect::<Vec<_>>(),
        "phase_artifacts": {},
        "checkpoints": {},
        "created_at": "2025-03-04T08:00:00.123456",
        "updated_at": format!("2025-03-04T{:02}:30:00.5", 8 + closed),
        "metadata": {"total_phases": 2, "ratio": 0.25, "big": 9_007_199_254_740_993_u64},
        "nobody_knows": {"this": [1, null, {"é": "🦔"}]},
    });
    for number in 0..closed {
        let key = number.to_string();
        value["checkpoints"][&key] = "passed".into();
        value["phase_artifacts"][&key] = json!({
            "phase_number": number,
            "evidence": if number == 0 { json!({"found": "a spec with 3 phases"}) } else { json!({"tests": number}) },
            "outputs": {},
            "commands_executed": [],
            "timestamp": format!("2025-03-04T{:02}:00:00.25", 9 + number),
        });
    }
    value
}

fn strict(id: &str, status: &str) -> Value {
    json!({
        "session_id": id,
        "workflow_type": "spec_execution_v1",
        "target_file": "hedgehog-hotel",
        "current_phase": 1,
        "completed_phases": [0],
        "phase_artifacts": {},
        "checkpoints": {"0": "passed"},
        "evidence_submitted": {"0": {"phases_extracted": true}},
        "phase_timings": {
            "0": {"phase": 0, "started_at": "2025-03-04T10:00:00", "completed_at": "2025-03-04T10:03:00",
                  "duration_seconds": 180.25},
            "1": {"phase": 1, "started_at": "2025-03-04T10:03:00", "completed_at": null, "duration_seconds": null},
        },
        "created_at": "2025-03-04T10:00:00.000012",
        "updated_at": "2025-03-04T10:03:00",
        "completed_at": "2025-03-04T10:03:00.000066",
        "metadata": {"spec_path": "specs/2025-03-04-hedgehog-hotel"},
        "status": status,
    })
}

fn all() -> Vec<(&'static str, Value)> {
    let mut deleted = strict(DELETED, "error");
    deleted["error_reason"] = "manually_deleted".into();
    vec![
        (OPEN, plain(OPEN, 2)),
        (DONE, plain(DONE, 4)),
        (STRICT, strict(STRICT, "completed")),
        (DELETED, deleted),
    ]
}

/// A folder as the program keeps it, with what else lies in one.
fn folder(env: &TestEnv) -> PathBuf {
    let folder = env.home().join("theirs/.praxis-os/state");
    for (id, value) in all() {
        put(&folder.join(format!("{id}.json")), &value);
    }
    put(
        &folder.join("browser/b.json"),
        &json!({"session_id": "b", "browser_type": "chromium", "tab_ids": {}}),
    );
    put(
        &folder.join("workflows/x/metadata.json"),
        &json!({"workflow_type": "x", "total_phases": 2, "phases": []}),
    );
    folder
}

fn put(path: &Path, value: &Value) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, serde_json::to_string_pretty(value).unwrap()).unwrap();
}

/// A session as a file of that program, and what it has no place for.
fn export(env: &TestEnv, id: &str) -> (Value, String) {
    let written = env.json(&["export", id, "--format", "praxis", "--json"]);
    (serde_json::from_str(written["text"].as_str().unwrap()).unwrap(), written["lost"].to_string())
}

fn shown(env: &TestEnv, id: &str) -> Value {
    env.json(&["show", id, "--json"])
}

fn without(value: &Value, keys: &[&str]) -> Value {
    let fields = value.as_object().unwrap().iter().filter(|(key, _)| !keys.contains(&key.as_str()));
    fields.map(|(key, value)| (key.clone(), value.clone())).collect()
}

#[test]
fn sessions_of_every_generation_come_in_where_they_are() {
    let env = project();
    let report = import(&env, &folder(&env));
    assert_eq!(outcomes(&report).len(), 4, "{report:#}");
    assert_eq!(
        (report["refused"].clone(), report["no_session"].as_array().unwrap().len()),
        (json!([]), 2)
    );
    let state = |id: &str| {
        let shown = shown(&env, id);
        let (life, complete) =
            (shown["lifecycle"].clone(), shown["imported"]["past"]["complete"] == true);
        (life, shown["imported"]["past"]["phase"].clone(), complete)
    };
    assert_eq!(state("3fa9c1d0"), (json!("completed"), json!("Phase 3"), true));
    assert_eq!(state(OPEN), (json!("abandoned"), json!("Phase 2"), false));
    assert_eq!(state(STRICT), (json!("abandoned"), json!("Phase 1"), false));
    assert_eq!(state(DELETED), (json!("failed"), json!("Phase 1"), false));
    let told = env.ok(&["show", STRICT]);
    assert!(told.contains("it calls itself completed, but phase 1 was begun"), "{told}");
    let told = env.ok(&["show", DELETED]);
    assert!(told.contains("somebody deleted it there"), "{told}");
    let told = env.ok(&["show", DONE]);
    assert!(
        told.contains("phase 4, which it does not have") && told.contains("✓ Phase 3"),
        "{told}"
    );
    env.ok(&["verify", "--all"]);
}

#[test]
fn nothing_of_a_file_is_lost_and_what_goes_out_comes_in_as_the_same() {
    let env = project();
    import(&env, &folder(&env));
    for (id, value) in all() {
        let before = shown(&env, id);
        let kept = &before["imported"]["original"][format!("{id}.json")];
        assert_eq!(missing(&value, kept), Vec::<String>::new());
        let (out, lost) = export(&env, id);
        assert_eq!((missing(&value, &out), lost.as_str()), (Vec::<String>::new(), "[]"));
        let other = project();
        let file = other.home().join(format!("{id}.json"));
        put(&file, &out);
        assert_eq!(outcomes(&import(&other, &file)), [(id.to_owned(), "imported".to_owned())]);
        let after = shown(&other, id);
        for key in ["past", "manifest", "original", "remarks"] {
            assert_eq!(after["imported"][key], before["imported"][key], "{id}: {key}");
        }
        assert_eq!(
            (&after["lifecycle"], &after["phase"]),
            (&before["lifecycle"], &before["phase"])
        );
    }
}

#[test]
fn what_happened_since_goes_out_too() {
    let env = project();
    import(&env, &folder(&env));
    for (id, value) in all() {
        env.ok(&["resume", id]);
        env.ok(&["note", "add", "Hedgehogs like straw", "--session", id]);
        env.ok(&["pause", id, "--reason", "winter"]);
        let (out, lost) = export(&env, id);
        assert!(lost.contains("notes: 1"), "{lost}");
        let changed = ["updated_at", "completed_at", "status", "error_reason"];
        assert_eq!(missing(&without(&value, &changed), &out), Vec::<String>::new());
        let time = out["updated_at"].as_str().unwrap();
        assert!(!time.ends_with('Z') && !time.contains('+'), "as that program writes it: {time}");
        let other = project();
        put(&other.home().join("out.json"), &out);
        import(&other, &other.home().join("out.json"));
        let (before, after) = (shown(&env, id), shown(&other, id));
        let (was, is) = (&before["imported"]["past"], &after["imported"]["past"]);
        assert_eq!((&is["phases"], &is["phase"]), (&was["phases"], &was["phase"]));
        assert_eq!((&is["pause"]["reason"], &is["resumed"]), (&json!("winter"), &json!(1)));
        if id != DONE {
            assert_eq!(after["lifecycle"], "paused");
        }
    }
}

#[test]
fn the_strict_program_gets_its_own_keys_alone() {
    let env = project();
    import(&env, &folder(&env));
    env.ok(&["resume", STRICT]);
    env.ok(&["pause", STRICT, "--reason", "winter"]);
    let (out, _) = export(&env, STRICT);
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&out), keys(&strict(STRICT, "")));
    assert_eq!(keys(&out["phase_timings"]["1"]), keys(&strict(STRICT, "")["phase_timings"]["1"]));
}

#[test]
fn a_session_begun_here_goes_out_and_comes_in_as_the_same() {
    for (workflow, phase) in [("full", "spec"), ("none", "build")] {
        let env = project();
        env.ok(&["start", "--objective", "House hedgehogs", "--workflow", workflow]);
        env.ok(&["pause", "--reason", "winter", "--context", "straw is bought"]);
        let listed = env.json(&["list", "--all", "--json"]);
        let id = listed[0]["session_id"].as_str().unwrap().to_owned();
        let (out, lost) = export(&env, &id);
        assert!(lost.contains("time zone"), "{lost}");
        for key in ["target_file", "created_at", "updated_at"] {
            assert!(out[key].is_string(), "{out:#}");
        }
        let other = project();
        let file = other.home().join(format!("{id}.json"));
        put(&file, &out);
        import(&other, &file);
        let (before, after) = (shown(&env, &id), shown(&other, &id));
        for key in ["objective", "lifecycle", "pause", "workflow", "started_at", "updated_at"] {
            assert_eq!(after[key], before[key], "{workflow}: {key}");
        }
        assert_eq!(after["imported"]["past"]["phase"], phase);
    }
}

#[test]
fn local_times_come_in_and_go_out_by_the_clock_of_the_machine() {
    let env = project();
    let file = folder(&env).join(format!("{OPEN}.json"));
    let run = |args: &[&str]| {
        let output =
            env.command(env.binary(), env.project()).env("TZ", "XYZ-3").args(args).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice::<Value>(&output.stdout).unwrap_or_default()
    };
    run(&["import", "--json", file.to_str().unwrap()]);
    let began = run(&["show", OPEN, "--json"])["started_at"].clone();
    assert_eq!(began, "2025-03-04T05:00:00.123Z");
    run(&["resume", OPEN]);
    let written = run(&["export", OPEN, "--format", "praxis", "--json"]);
    let out: Value = serde_json::from_str(written["text"].as_str().unwrap()).unwrap();
    // Times that had been deduced are in the file now, on the same clock.
    assert_eq!(out["phase_timing"]["0"]["started_at"], "2025-03-04T08:00:00.123");
    assert_eq!(out["created_at"], "2025-03-04T08:00:00.123456");
}

#[test]
fn odd_files_are_taken_or_refused_with_a_reason() {
    let env = project();
    let odd = env.home().join("odd");
    fs::create_dir_all(&odd).unwrap();
    let text = serde_json::to_string_pretty(&plain("x", 2)).unwrap();
    let named = |name: &str| text.replacen("\"x\"", &format!("\"{name}\""), 1);
    let write = |name: &str, bytes: &[u8]| fs::write(odd.join(name), bytes).unwrap();
    write("crlf.json", named("crlf").replace('\n', "\r\n").as_bytes());
    write("bom.json", format!("\u{feff}{}", named("bom")).as_bytes());
    write("no-id.json", text.replacen("\"session_id\": \"x\",", "", 1).as_bytes());
    write("escape.json", named("../../escape").as_bytes());
    write("empty.json", b"");
    write("cut.json", &text.as_bytes()[..text.len() - 3]);
    write("latin.json", &named("caf\u{e9}").chars().map(|c| c as u8).collect::<Vec<_>>());
    write("no-workflow.json", named("y").replace("\"spec_execution_v1\"", "7").as_bytes());
    write("large.json", named("large").replace("hedgehog", &"h".repeat(5 << 20)).as_bytes());
    let report = import(&env, &odd);
    let mut ids: Vec<String> = outcomes(&report).into_iter().map(|(id, _)| id).collect();
    ids.sort();
    assert_eq!(ids[..2], ["bom", "crlf"], "{report:#}");
    assert!(ids[2].starts_with("escape_") && ids[3] == "no-id" && ids.len() == 4, "{ids:?}");
    let reasons = |kind: &str| {
        let left = report[kind].as_array().unwrap().iter();
        left.map(|one| one["reason"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let left = [reasons("no_session"), reasons("refused")].concat();
    assert_eq!(left.len(), 5, "{left:?}");
    for why in ["no JSON", "UTF-8", "MiB"] {
        assert!(left.iter().any(|reason| reason.contains(why)), "{why}: {left:?}");
    }
    assert!(reasons("refused").iter().any(|reason| reason.contains("`workflow_type`")), "{left:?}");
    assert!(!env.home().join("escape").exists() && !env.project().join("escape").exists());
}

#[test]
fn a_session_in_the_midst_of_a_spec_goes_on_by_the_phases_of_its_tasks() {
    let env = project();
    let workflow = json!({
        "workflow_type": "spec_execution_v1",
        "version": "1.0.0",
        "description": "What a spec asks for",
        "total_phases": "dynamic",
        "dynamic_phases": true,
        "dynamic_config": {"source_type": "spec_tasks_md", "source_path_key": "spec_path",
                           "parser": "spec_tasks_parser"},
        "phases": [{"phase_number": 0, "phase_name": "Read the spec", "purpose": "Know it"}],
    });
    put(&env.project().join(".praxis-os/workflows/spec_execution_v1/metadata.json"), &workflow);
    let tasks = "# Tasks\n\n## Phase 1: Dig\n\n- [ ] **Task 1.1**: Dig a hole\n\n## Phase 2: Roof\n\n- [ ] \
                 **Task 2.1**: Add a roof\n";
    env.write("specs/2025-03-04-hedgehog-hotel/tasks.md", tasks);
    let file = env.home().join("theirs").join(format!("{STRICT}.json"));
    put(&file, &strict(STRICT, "completed"));
    let report = import(&env, &file);
    assert_eq!(report["sessions"][0]["phase"], "Dig", "{report:#}");
    env.ok(&["resume", STRICT]);
    env.ok(&["phase", "complete", "--session", STRICT]);
    let now = shown(&env, STRICT);
    assert_eq!(now["phase"], "Roof", "it is not over before the spec is: {now:#}");
    let (out, _) = export(&env, STRICT);
    assert_eq!((&out["current_phase"], &out["completed_phases"]), (&json!(2), &json!([0, 1])));
    let other = project();
    put(&other.home().join("out.json"), &out);
    let report = import(&other, &other.home().join("out.json"));
    assert_eq!(report["sessions"][0]["phase"], "Roof", "{report:#}");
}
