//! In, out, and in again: the same session, with every leaf of its original, for every system.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use waypost_testkit::TestEnv;

use crate::everything::{self, FOLDER, LOG, NOTE, PRAXIS, REQUIREMENTS, STATE};
use crate::leaves::missing;
use crate::{import, project};

/// Sessions with the format that they came in and the name of the file that they were in.
const SESSIONS: [(&str, &str, &str); 6] = [
    (FOLDER, "manifest", "state.json"),
    (PRAXIS, "praxis", "3fa9c1d0-5d1e-4f3a-9a51-2d7a6f1e0c11.json"),
    (LOG, "session-log", "2025-12-20-session-44-tidy-up.md"),
    ("2025-12-21-session-45-attic", "session-log", "2025-12-21-session-45-attic.json"),
    (NOTE, "brain", "SESSION-2026-01-18_01-add-login.md"),
    (STATE, "brain", "session-b7e1c9d2.json"),
];

fn all_imported() -> TestEnv {
    let env = project();
    everything::lay_out(env.project());
    let report = import(&env, env.project());
    assert_eq!(report["refused"], json!([]), "{report:#}");
    env
}

fn shown(env: &TestEnv, id: &str) -> Value {
    env.json(&["show", id, "--json"])
}

/// What was in a file, as far as it is JSON that, else its text.
fn original(project: &Path, name: &str) -> Value {
    let found =
        everything::files().into_iter().find(|(path, _)| path.ends_with(&format!("/{name}")));
    let text = found.map_or_else(
        || fs::read_to_string(project.join("agents/sessions").join(FOLDER).join(name)).unwrap(),
        |(_, text)| text,
    );
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}

#[test]
fn a_session_of_every_system_goes_out_as_it_came_and_comes_in_as_the_same() {
    let env = all_imported();
    for (id, format, name) in SESSIONS {
        let before = shown(&env, id);
        let original = original(env.project(), name);
        let kept = match before["imported"]["original"].get(name) {
            Some(kept) => kept,
            None => &before["imported"]["manifest"],
        };
        assert_eq!(missing(&original, kept), Vec::<String>::new(), "{id}");
        let text = env.ok(&["export", id, "--format", format]);
        let out = serde_json::from_str(&text).unwrap_or(Value::String(text.clone()));
        assert_eq!(missing(&original, &out), Vec::<String>::new(), "{id}");
        let again = project();
        let folder = again.home().join("back").join(id);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(name), &text).unwrap();
        import(&again, &folder);
        let after = shown(&again, id);
        for key in ["manifest", "past", "original", "definition"] {
            assert_eq!(after["imported"][key], before["imported"][key], "{id}: {key}");
        }
        for key in ["lifecycle", "objective", "started_at", "updated_at", "notes"] {
            let plain = |shown: &Value| {
                let mut value = shown[key].clone();
                for note in value.as_array_mut().into_iter().flatten() {
                    note["actor"] = json!(null);
                }
                value
            };
            assert_eq!(plain(&after), plain(&before), "{id}: {key}");
        }
    }
}

#[test]
fn what_happened_here_goes_along_and_nothing_that_was_there_is_lost() {
    let env = all_imported();
    for (id, format, name) in SESSIONS {
        let original = original(env.project(), name);
        env.ok(&["resume", id]);
        env.ok(&["note", "add", "--session", id, "--kind", "decision", "Blue, after all"]);
        let text = env.ok(&["export", id, "--format", format]);
        // A manifest has no place for decisions: it says so.
        let told = env.json(&["export", id, "--format", format, "--json"])["lost"].to_string();
        let has = text.contains("Blue, after all") || told.contains("note");
        assert!(has, "{id}: {told}\n{text}");
        if original.is_object() {
            let out: Value = serde_json::from_str(&text).unwrap();
            let gone = missing(&original, &out);
            // Only what has changed is another.
            let known = [
                "/status",
                "/updated",
                "/lifecycle",
                "/version",
                "/current",
                "/workLog",
                "/decisions",
                "/nextSteps",
            ];
            let lost: Vec<&String> =
                gone.iter().filter(|leaf| known.iter().all(|key| !leaf.starts_with(key))).collect();
            assert!(lost.is_empty(), "{id}: {lost:#?}");
        }
    }
    env.ok(&["verify", "--all"]);
}

#[test]
fn files_that_come_one_by_one_make_the_same_session_as_all_at_once() {
    let at_once = all_imported();
    let bit_by_bit = project();
    everything::lay_out(bit_by_bit.project());
    let mut files = everything::files();
    files.reverse();
    files.push((format!("agents/sessions/{FOLDER}"), String::new()));
    for (path, _) in &files {
        import(&bit_by_bit, &bit_by_bit.project().join(path));
    }
    for id in [REQUIREMENTS, PRAXIS, LOG, NOTE, STATE, "2026-01-03-session-11"] {
        let (one, other) = (shown(&at_once, id), shown(&bit_by_bit, id));
        assert_eq!(one["imported"]["original"], other["imported"]["original"], "{id}");
        assert_eq!(one["lifecycle"], other["lifecycle"], "{id}");
        let texts = |shown: &Value| {
            let mut texts: Vec<String> = shown["notes"]
                .as_array()
                .unwrap()
                .iter()
                .map(|note| note["text"].to_string())
                .collect();
            texts.sort();
            texts
        };
        assert_eq!(texts(&one), texts(&other), "{id}");
        assert_eq!(
            one["violation_details"].as_array().unwrap().len(),
            other["violation_details"].as_array().unwrap().len()
        );
    }
    // All at once may tell more of the times; then there is nothing left to tell.
    import(&bit_by_bit, bit_by_bit.project());
    let again = import(&bit_by_bit, bit_by_bit.project());
    for session in again["sessions"].as_array().unwrap() {
        assert_eq!(session["outcome"], "unchanged", "{session:#}");
    }
}
