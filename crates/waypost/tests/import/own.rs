//! Waypost's own sessions, carried elsewhere and back; and pages for people.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};
use waypost_testkit::TestEnv;

use crate::{import, outcomes, project};

/// Another machine, with the same key or one of its own.
fn elsewhere(env: &TestEnv, same_key: bool) -> TestEnv {
    let other = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    if same_key {
        fs::create_dir_all(other.key_file().parent().unwrap()).unwrap();
        fs::copy(env.key_file(), other.key_file()).unwrap();
        fs::set_permissions(other.key_file(), fs::Permissions::from_mode(0o600)).unwrap();
    }
    other.init();
    other
}

/// A session with something of everything.
fn worked_in(env: &TestEnv) -> String {
    let id = env.start("Add <b>login</b> & \"more\"");
    env.ok(&["note", "add", "--kind", "decision", "Passkeys <script>alert(1)</script> only"]);
    env.ok(&["run", "--", "true"]);
    env.ok(&["publish", &id]);
    env.write(&format!("agents/sessions/{id}/spec.md"), "# Login\n\n```\n</pre><img src=x>\n```\n");
    id
}

#[test]
fn a_document_is_verified_and_taken_in_elsewhere() {
    let env = project();
    let id = worked_in(&env);
    let file = env.home().join("login.json");
    env.ok(&["export", &id, "--output", file.to_str().unwrap()]);
    let other = elsewhere(&env, true);
    assert_eq!(outcomes(&import(&other, &file)), [(id.clone(), "imported".to_owned())]);
    assert_eq!(outcomes(&import(&other, &file)), [(id.clone(), "unchanged".to_owned())]);
    let state = |env: &TestEnv| env.json(&["export", &id])["state"].clone();
    assert_eq!(state(&other), state(&env));
    assert_eq!(fs::read(other.log_of(&id)).unwrap(), fs::read(env.log_of(&id)).unwrap());
    assert!(other.read(&format!("agents/sessions/{id}/spec.md")).starts_with("# Login"));
    other.ok(&["verify", "--all"]);
    // What went on at home is taken in later.
    env.ok(&["note", "add", "later", "--session", &id]);
    let newer = env.home().join("newer.json");
    env.ok(&["export", &id, "--output", newer.to_str().unwrap()]);
    assert_eq!(outcomes(&import(&other, &newer)), [(id.clone(), "updated".to_owned())]);
    assert!(other.notes(&id).contains(&"later".to_owned()));
}

#[test]
fn a_document_that_was_changed_or_that_a_stranger_signed_is_refused() {
    let env = project();
    let id = worked_in(&env);
    let file = env.home().join("login.json");
    env.ok(&["export", &id, "--output", file.to_str().unwrap()]);
    let stranger = elsewhere(&env, false);
    let refused = import(&stranger, &file);
    let reason = refused["refused"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("not known here") && reason.contains("waypost trust key"), "{reason}");
    let other = elsewhere(&env, true);
    let changed = fs::read_to_string(&file).unwrap().replacen("Passkeys", "Passwords", 1);
    fs::write(&file, changed).unwrap();
    let refused = import(&other, &file);
    assert_eq!(refused["sessions"], json!([]), "{refused:#}");
    assert_eq!(refused["refused"].as_array().unwrap().len(), 1);
    assert_eq!(other.json(&["list", "--all", "--json"]), json!([]));
}

#[test]
fn a_document_cannot_write_outside_of_its_folder() {
    let env = project();
    let id = worked_in(&env);
    let file = env.home().join("login.json");
    env.ok(&["export", &id, "--output", file.to_str().unwrap()]);
    let mut document: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    document["files"] = json!({"../../../evil.md": "x", "/tmp/evil.md": "x", "ok/fine.md": "y"});
    fs::write(&file, document.to_string()).unwrap();
    let other = elsewhere(&env, true);
    import(&other, &file);
    assert!(!other.project().join("evil.md").exists());
    assert_eq!(other.read(&format!("agents/sessions/{id}/ok/fine.md")), "y");
}

#[test]
fn a_published_copy_of_another_project_is_taken_in() {
    let env = project();
    let id = worked_in(&env);
    let copy = env.home().join("carried").join(&id);
    fs::create_dir_all(copy.parent().unwrap()).unwrap();
    let copied = env.command("cp", env.home()).arg("-r").arg(env.copy_of(&id)).arg(&copy).status();
    assert!(copied.unwrap().success());
    let other = elsewhere(&env, true);
    assert_eq!(outcomes(&import(&other, &copy)), [(id.clone(), "imported".to_owned())]);
    other.ok(&["resume", &id]);
    other.ok(&["verify", "--all"]);
}

#[test]
fn a_page_is_one_file_and_nothing_in_it_runs_or_is_fetched() {
    let env = project();
    let id = worked_in(&env);
    let page = env.ok(&["export", &id, "--format", "html"]);
    assert!(page.contains("Add &lt;b&gt;login&lt;/b&gt; &amp; &quot;more&quot;"), "{page}");
    assert!(page.contains("Passkeys &lt;script&gt;"), "{page}");
    for never in ["<script", "<img", "<a ", "<link", "url(", "@import"] {
        assert!(!page.contains(never), "{never}");
    }
    assert!(page.contains("default-src 'none'"));
    let text = env.ok(&["export", &id, "--format", "markdown"]);
    assert!(text.contains("Passkeys \\<script\\>") && text.contains("````"), "{text}");
}

#[test]
fn what_a_format_has_no_place_for_is_told() {
    let env = project();
    let id = worked_in(&env);
    let written = env.json(&["export", &id, "--format", "manifest", "--json"]);
    let lost = written["lost"].to_string();
    assert!(lost.contains("1 note") && lost.contains("evidence"), "{lost}");
    let manifest: Value = serde_json::from_str(written["text"].as_str().unwrap()).unwrap();
    assert!(manifest.get("waypost").is_none() && manifest.get("_signature").is_none());
    assert_eq!(manifest["session_id"], id.as_str());
}

#[test]
fn a_document_that_goes_another_way_is_kept_as_a_second_head() {
    let env = project();
    let id = worked_in(&env);
    let other = elsewhere(&env, true);
    let file = env.home().join("first.json");
    env.ok(&["export", &id, "--output", file.to_str().unwrap()]);
    import(&other, &file);
    env.ok(&["note", "add", "--session", &id, "here"]);
    other.ok(&["resume", &id]);
    other.ok(&["note", "add", "--session", &id, "there"]);
    let file = env.home().join("second.json");
    other.ok(&["export", &id, "--output", file.to_str().unwrap()]);
    let dry = env.json(&["import", "--dry-run", "--json", file.to_str().unwrap()]);
    assert_eq!(dry["sessions"][0]["outcome"], "kept", "{dry:#}");
    let report = import(&env, &file);
    let told = report["sessions"][0]["remarks"].to_string();
    assert!(told.contains("second head") && told.contains("aside/"), "{told}");
    let aside = env.store().join("aside").join(&id);
    let kept: Vec<String> = fs::read_dir(&aside)
        .unwrap()
        .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    assert!(kept.iter().any(|text| text.contains("there")), "nothing is lost");
    let records = fs::read(env.log_of(&id)).unwrap();
    import(&env, &file);
    assert_eq!(fs::read(env.log_of(&id)).unwrap(), records, "it is told once");
}
