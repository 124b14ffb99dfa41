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
    // What was there before is known, too: it does not come and go.
    put(&elsewhere.join(ID), &second_version(ID));
    assert_eq!(outcomes(&import(&env, &elsewhere)), [(ID.to_owned(), "unchanged".to_owned())]);
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
