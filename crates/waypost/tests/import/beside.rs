//! Files beside a session: they follow their source until somebody writes in them, and none of them runs anything.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::fixtures::{put, second_version};
use crate::{import, outcomes, project};

const ID: &str = "2026-02-16_track-sessions_j3ehqn";

#[test]
fn files_follow_their_source_until_somebody_writes_in_them() {
    let env = project();
    let source = env.home().join("other").join(ID);
    put(&source, &second_version(ID));
    import(&env, &source);
    let spec = format!("agents/sessions/{ID}/spec.md");
    fs::write(source.join("spec.md"), "# Theirs, better\n").unwrap();
    assert_eq!(outcomes(&import(&env, &source)), [(ID.to_owned(), "updated".to_owned())]);
    assert_eq!(env.read(&spec), "# Theirs, better\n");
    assert_eq!(outcomes(&import(&env, &source)), [(ID.to_owned(), "unchanged".to_owned())]);
    env.write(&spec, "# Mine\n");
    fs::write(source.join("spec.md"), "# Theirs again\n").unwrap();
    let report = import(&env, &source);
    assert!(report["sessions"][0]["remarks"].to_string().contains("stays"), "{report:#}");
    assert_eq!(env.read(&spec), "# Mine\n");
}

#[test]
fn repositories_and_settings_of_programs_are_not_carried_along() {
    let env = project();
    let source = env.home().join("other").join(ID);
    put(&source, &second_version(ID));
    for name in [".git/config", ".claude/settings.json", "research/.git/config"] {
        let path = source.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x").unwrap();
    }
    let report = import(&env, &source);
    assert_eq!(report["sessions"][0]["outcome"], "imported");
    assert!(report["sessions"][0]["remarks"].to_string().contains(".git"), "{report:#}");
    for name in [".git", ".claude", "research/.git"] {
        assert!(!env.copy_of(ID).join(name).exists(), "{name}");
    }
    env.git(&["add", "-A"]);
}

#[test]
fn a_document_brings_neither_records_nor_a_repository_as_files() {
    let env = project();
    let id = env.start("Mine");
    let file = env.home().join("mine.json");
    env.ok(&["export", &id, "--output", file.to_str().unwrap()]);
    let mut document: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    document["files"] = json!({".git/config": "[core]", "events.jsonl": "x", "state.json": "{}",
        "notes.md": "fine", "../../../evil.md": "x"});
    fs::write(&file, document.to_string()).unwrap();
    let report = import(&env, &file);
    let told = report["sessions"][0]["remarks"].to_string();
    for name in [".git/config", "events.jsonl", "state.json", "../../../evil.md"] {
        assert!(told.contains(name), "{name}: {told}");
        assert!(!env.copy_of(&id).join(name).exists(), "{name}");
    }
    assert_eq!(env.read(&format!("agents/sessions/{id}/notes.md")), "fine");
    env.ok(&["verify", "--all"]);
}

#[test]
fn what_cannot_be_read_is_refused_and_links_are_told() {
    let env = project();
    let source = env.home().join("other");
    put(&source.join(ID), &second_version(ID));
    let latin = source.join("sessions/2025-12-20-session-44-caf.md");
    fs::create_dir_all(latin.parent().unwrap()).unwrap();
    fs::write(&latin, b"# caf\xe9\n").unwrap();
    std::os::unix::fs::symlink(source.join(ID), source.join("linked")).unwrap();
    fs::create_dir(source.join("closed")).unwrap();
    fs::set_permissions(source.join("closed"), fs::Permissions::from_mode(0o000)).unwrap();
    let is_closed = fs::read_dir(source.join("closed")).is_err();
    let report = import(&env, &source);
    fs::set_permissions(source.join("closed"), fs::Permissions::from_mode(0o700)).unwrap();
    let refused = report["refused"].to_string();
    assert!(refused.contains("not UTF-8"), "{refused}");
    // Whoever may read everything is kept out of nothing.
    assert!(!is_closed || refused.contains("cannot be looked into"), "{refused}");
    assert!(report["no_session"].to_string().contains("a link"), "{report:#}");
    assert_eq!(outcomes(&report), [(ID.to_owned(), "imported".to_owned())]);
}

#[test]
fn a_state_of_another_program_hides_nothing_even_if_it_knows_sessions() {
    let env = project();
    let app = env.home().join("app");
    put(&app.join("agents/sessions").join(ID), &second_version(ID));
    fs::write(app.join("state.json"), r#"{"session_id": "u-1", "theme": "dark"}"#).unwrap();
    assert_eq!(outcomes(&import(&env, &app)), [(ID.to_owned(), "imported".to_owned())]);
}

#[test]
fn an_export_into_a_folder_gets_the_name_that_it_has_there() {
    let env = project();
    put(&env.copy_of(ID), &second_version(ID));
    import(&env, &env.copy_of(ID));
    let folder = env.home().join("out");
    fs::create_dir(&folder).unwrap();
    for format in ["waypost", "praxis", "markdown", "html"] {
        env.ok(&["export", ID, "--format", format, "--output", folder.to_str().unwrap()]);
        fs::rename(folder.join(format!("{ID}.json")), folder.join(format)).ok();
    }
    for name in ["waypost", "praxis", &format!("{ID}.md"), &format!("{ID}.html")] {
        assert!(folder.join(name).exists(), "{name}");
    }
}

#[test]
fn a_name_that_cannot_be_an_id_finds_its_session_all_the_same() {
    let env = project();
    let name = "2026-03-03_my session \u{f6}_abc123";
    put(&env.home().join("other").join(name), &second_version(name));
    let report = import(&env, &env.home().join("other"));
    let id = report["sessions"][0]["session_id"].clone();
    assert_eq!(env.json(&["show", name, "--json"])["session_id"], id);
}
