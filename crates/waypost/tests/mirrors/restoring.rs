//! Sessions whose records are gone come back from either mirror, and what no mirror holds stays named until a human
//! accepts that it is lost.

use serde_json::{Value, json};
use waypost_testkit::mcp::{Client, OLDER};
use waypost_testkit::{TestEnv, everything};

use crate::servers::{Served, project, synced, trust};

/// A project whose mirror runs already.
fn served(mirror: &str) -> (TestEnv, Served) {
    let config = format!("[project]\npublish = \"always\"\nmirrors = [\"{mirror}\"]\n");
    let env = project(&config);
    let server = match mirror {
        "serena" => Served::serena(&env),
        _ => Served::notes(&env),
    };
    env.write(
        "waypost.toml",
        &format!("{config}\n[mirror.{mirror}]\nurl = \"{}\"\n", server.url()),
    );
    trust(&env);
    (env, server)
}

/// Sessions with everything that a session can have: so many that are over, and one that goes on.
fn lived(env: &TestEnv, over: usize) -> Vec<String> {
    let mut ids = Vec::new();
    for number in 1..=over {
        let id = env.start(&format!("Session {number}"));
        env.ok(&["note", "add", "Keep | it\nsimple", "--kind", "decision"]);
        env.ok(&["end", &id, "--summary", "done", "--next-notes", "Go on"]);
        ids.push(id);
    }
    let mut client = Client::start(env, OLDER, &[]);
    let started = client.works("session_start", json!({"objective": "Third", "workflow": "quick"}));
    let id = started["session_id"].as_str().unwrap().to_owned();
    client.works("agent_invoke", json!({"agent": "qa", "prompt": "the secret prompt"}));
    client.works("agent_complete", json!({"agent": "qa", "summary": "looks well"}));
    client.works("session_add_note", json!({"kind": "blocker", "text": "what now?"}));
    client.works("session_set_focus", json!({"feature": "login"}));
    drop(client);
    ids.push(id);
    ids
}

/// What a session is, but for what a mirror cannot hold: the records themselves, and the texts of notes in them.
fn state(env: &TestEnv, id: &str) -> Value {
    let mut state = env.json(&["show", id, "--json"]);
    // What its gates find, they find in its folder, and that is gone.
    for key in ["version", "records", "head", "published", "loss", "notes", "dev_notes", "gates"] {
        state.as_object_mut().unwrap().remove(key);
    }
    state
}

/// All records of sessions are gone, and their published copies too.
fn gone(env: &TestEnv) {
    std::fs::remove_dir_all(env.store().join("sessions")).unwrap();
    std::fs::remove_dir_all(env.project().join("agents/sessions")).unwrap();
}

fn restored(env: &TestEnv, args: &[&str]) -> String {
    let (done, told) = env.as_person(&[&["restore"], args].concat());
    assert!(done, "{told}");
    told
}

fn comes_back_from(mirror: &str) {
    let (env, _server) = served(mirror);
    // As many as the memory of the last sessions holds.
    let ids = lived(&env, 9);
    synced(&env);
    let before: Vec<Value> = ids.iter().map(|id| state(&env, id)).collect();
    let records: Vec<usize> = ids
        .iter()
        .map(|id| std::fs::read_to_string(env.log_of(id)).unwrap().lines().count())
        .collect();
    gone(&env);
    let told = restored(&env, &["--from", mirror]);
    assert!(told.contains("Third") && told.contains("waypost trust loss"), "{told}");
    for (id, before) in ids.iter().zip(&before) {
        assert_eq!(&state(&env, id), before, "{id}");
    }
    for (id, records) in ids.iter().zip(&records) {
        let verified = env.waypost(&["verify", id]);
        let told = everything(&verified);
        assert_eq!(verified.status.code(), Some(3), "{told}");
        assert!(told.contains(&format!("records 1 to {records}")), "{told}");
    }
    // Whatever happens next happens after that, and what is lost stays named.
    env.ok(&["note", "add", "I am back", "--kind", "note"]);
    for id in &ids {
        let verified = env.waypost(&["verify", id]);
        assert_eq!(verified.status.code(), Some(3), "{}", everything(&verified));
        let (done, told) = env.as_person(&["trust", "loss", id]);
        assert!(done, "{told}");
    }
    env.ok(&["verify", "--all"]);
    let told = restored(&env, &["--from", mirror]);
    assert_eq!(told.matches("is here already").count(), ids.len(), "{told}");
    synced(&env);
}

#[test]
fn sessions_come_back_from_serena() {
    comes_back_from("serena");
}

#[test]
fn sessions_come_back_from_notes() {
    comes_back_from("notes");
}

#[test]
fn a_memory_that_was_changed_is_refused_and_named_and_one_of_them_comes_back_by_its_id() {
    let (env, _server) = served("serena");
    let ids = lived(&env, 2);
    synced(&env);
    gone(&env);
    let path = env.project().join(".serena/memories/session-current-state.md");
    let text = std::fs::read_to_string(&path).unwrap();
    for (from, to) in
        [("Third", "Thirst"), ("\"lifecycle\":\"active\"", "\"lifecycle\":\"completed\"")]
    {
        assert!(text.contains(from), "{text}");
        std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
        let (_, told) = env.as_person(&["restore", "--from", "serena", &ids[2]]);
        assert!(told.contains("ended:3"), "{told}");
        assert!(
            told.contains("refused: session-current-state") && told.contains("was changed"),
            "{told}"
        );
        assert!(!env.log_of(&ids[2]).exists());
    }
    // A block that is sound, in another place than its own.
    let history = path.with_file_name("session-history.md");
    std::fs::copy(&history, &path).unwrap();
    let (_, told) = env.as_person(&["restore", "--from", "serena", &ids[0]]);
    assert!(told.contains("refused: session-current-state") && told.contains("restored"), "{told}");
    assert!(env.log_of(&ids[0]).exists() && !env.log_of(&ids[1]).exists());
    // An agent brings nothing back.
    env.begin();
    let refused = env.waypost(&["restore", "--from", "serena"]);
    assert!(!refused.status.success() && !env.log_of(&ids[1]).exists(), "{}", everything(&refused));
}
