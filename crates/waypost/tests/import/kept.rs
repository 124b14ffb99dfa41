//! Importing once more: the same changes nothing, and what has gone on here stays.

use serde_json::json;
use waypost_testkit::picture::Picture;

use crate::fixtures::{put, second_version};
use crate::{import, outcomes, project};

const ID: &str = "2026-02-16_track-sessions_j3ehqn";

#[test]
fn importing_twice_changes_nothing_and_a_dry_run_writes_nothing() {
    let env = project();
    let elsewhere = env.home().join("other");
    put(&elsewhere.join(ID), &second_version(ID));
    let (store, sessions) = (env.store(), env.project().to_owned());
    let before = Picture::of(&[&store, &sessions]);
    let dry = env.json(&["import", "--dry-run", "--json", elsewhere.to_str().unwrap()]);
    assert_eq!(outcomes(&dry), [(ID.to_owned(), "imported".to_owned())]);
    assert_eq!(dry["sessions"][0]["lifecycle"], "completed");
    assert_eq!(before.changes(&Picture::of(&[&store, &sessions])), Vec::<String>::new());
    import(&env, &elsewhere);
    let log = std::fs::read(env.log_of(ID)).unwrap();
    let again = import(&env, &elsewhere);
    assert_eq!(outcomes(&again), [(ID.to_owned(), "unchanged".to_owned())]);
    assert_eq!(std::fs::read(env.log_of(ID)).unwrap(), log);
}

#[test]
fn a_changed_source_is_taken_while_nothing_happened_here() {
    let env = project();
    let elsewhere = env.home().join("other");
    let mut manifest = second_version(ID);
    put(&elsewhere.join(ID), &manifest);
    import(&env, &elsewhere);
    manifest["topic"] = json!("Track them better");
    put(&elsewhere.join(ID), &manifest);
    assert_eq!(outcomes(&import(&env, &elsewhere)), [(ID.to_owned(), "updated".to_owned())]);
    assert_eq!(env.json(&["show", ID, "--json"])["objective"], "Track them better");
    assert_eq!(env.event_types_of(ID), ["session_imported", "session_imported"]);
    assert_eq!(env.read(&format!("agents/sessions/{ID}/state.json")).matches("better").count(), 1);
    // Whoever puts it back as it was, has it as it was.
    put(&elsewhere.join(ID), &second_version(ID));
    assert_eq!(outcomes(&import(&env, &elsewhere)), [(ID.to_owned(), "updated".to_owned())]);
    assert_eq!(env.json(&["show", ID, "--json"])["objective"], "Track sessions");
    put(&elsewhere.join(ID), &manifest);
    import(&env, &elsewhere);
    env.ok(&["resume", ID]);
    manifest["topic"] = json!("Another one");
    put(&elsewhere.join(ID), &manifest);
    assert_eq!(outcomes(&import(&env, &elsewhere)), [(ID.to_owned(), "kept".to_owned())]);
    assert_eq!(env.json(&["show", ID, "--json"])["objective"], "Track them better");
    env.ok(&["verify", "--all"]);
}

#[test]
fn a_session_of_ones_own_is_not_written_over() {
    let env = project();
    let id = env.start("Mine");
    let elsewhere = env.home().join("other");
    put(&elsewhere.join(&id), &second_version(&id));
    let report = import(&env, &elsewhere);
    assert_eq!(report["sessions"], json!([]));
    let reason = report["refused"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("did not come from an import"), "{reason}");
    assert_eq!(env.json(&["show", &id, "--json"])["objective"], "Mine");
}

#[test]
fn what_was_imported_stands_in_nobodys_way_until_it_is_resumed() {
    let env = project();
    let elsewhere = env.home().join("other");
    let ids: Vec<String> =
        (0..40).map(|number| format!("2026-11-15_going-on-{number:02}")).collect();
    for id in &ids {
        let mut manifest = second_version(id);
        manifest["current_phase"] = json!("build");
        manifest["phase_history"]["docs_completed_at"] = json!(null);
        manifest["status"] = json!("active");
        manifest["updated_at"] = json!("2026-11-15T11:59:00Z");
        put(&elsewhere.join(id), &manifest);
    }
    import(&env, &elsewhere);
    assert!(env.json(&["status", "--json"])["session_id"].is_null());
    assert_eq!(env.json(&["status", "--json"])["sessions"], json!([]));
    let mine = env.start("Mine");
    assert_eq!(env.json(&["status", "--json"])["session_id"], mine.as_str());
    let brief = env.ok(&["brief"]);
    assert!(!brief.contains("going-on"), "{brief}");
    env.ok(&["end", "--summary", "done"]);
    let listed = env.json(&["list", "--status", "active", "--json"]);
    assert_eq!(listed.as_array().unwrap().len(), ids.len(), "they are there for whoever looks");
    env.ok(&["resume", &ids[7]]);
    assert_eq!(env.json(&["status", "--json"])["session_id"], ids[7].as_str());
}

#[test]
fn an_older_source_changes_nothing() {
    let env = project();
    let elsewhere = env.home().join("other");
    put(&elsewhere.join(ID), &second_version(ID));
    import(&env, &elsewhere);
    let mut older = second_version(ID);
    older["updated_at"] = json!("2026-02-16T22:00:00Z");
    older["current_phase"] = json!("plan");
    older["status"] = json!("active");
    put(&env.home().join("backup").join(ID), &older);
    let report = import(&env, &env.home().join("backup"));
    assert_eq!(outcomes(&report), [(ID.to_owned(), "kept".to_owned())]);
    assert!(report["sessions"][0]["remarks"][0].as_str().unwrap().contains("changed later"));
    assert_eq!(env.json(&["show", ID, "--json"])["lifecycle"], "completed");
}

#[test]
fn two_sessions_of_one_name_stay_two() {
    let env = project();
    let (one, other) = (env.home().join("one").join(ID), env.home().join("other").join(ID));
    put(&one, &second_version(ID));
    let mut manifest = second_version(ID);
    manifest["created_at"] = json!("2026-02-16T08:00:00Z");
    manifest["topic"] = json!("Somebody else's");
    put(&other, &manifest);
    import(&env, &one);
    let report = import(&env, &other);
    let second = report["sessions"][0]["session_id"].as_str().unwrap().to_owned();
    assert!(second.starts_with(ID) && second != ID, "{second}");
    assert_eq!(env.json(&["show", ID, "--json"])["objective"], "Track sessions");
    assert_eq!(env.json(&["show", &second, "--json"])["objective"], "Somebody else's");
    assert_eq!(outcomes(&import(&env, &other)), [(second, "unchanged".to_owned())]);
}

#[test]
fn a_credential_is_taken_out_and_that_is_told() {
    let env = project();
    let mut manifest = second_version(ID);
    let token = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    manifest["deploy"] = json!({"how": format!("curl -H 'Authorization: token {token}' x")});
    put(&env.home().join("other").join(ID), &manifest);
    let report = import(&env, &env.home().join("other"));
    let remarks = report["sessions"][0]["remarks"].to_string();
    assert!(remarks.contains("1 text that looked like a credential was taken out"), "{remarks}");
    assert!(!std::fs::read_to_string(env.log_of(ID)).unwrap().contains(&token));
}
