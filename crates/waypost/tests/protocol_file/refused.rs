//! Under a protocol that cannot be read nobody begins, and nothing is said to hold.

use serde_json::json;

use crate::project::{CONFIG, FILE, HARBOUR, client, harbour, start, with};

#[test]
fn a_session_does_not_begin_under_a_protocol_that_cannot_be_read() {
    for (what, protocol, config, told) in [
        ("no phase", "# Protocol\n\nThe agent MUST be good.\n", CONFIG, "it holds no phase"),
        ("empty", "", CONFIG, "it holds no phase"),
        ("unclosed", "# P\n\n```\n### Phase 1: A (BLOCKING)\n", CONFIG, "never closed"),
        ("absent", HARBOUR, "[project]\nprotocol = \"docs/NOWHERE.md\"\n", "docs/NOWHERE.md:1"),
        ("a folder", HARBOUR, "[project]\nprotocol = \".agents\"\n", "it is no file"),
        ("outside", HARBOUR, "[project]\nprotocol = \"../x.md\"\n", "../x.md:1"),
        ("misspelt", HARBOUR, "[project]\nprotocol = \"bultin\"\n", "did you mean `builtin`?"),
    ] {
        let env = with(protocol, config);
        let mut client = client(&env);
        let refused = client.refused("session_start", json!({"objective": "Test"}));
        assert!(refused.contains(told), "{what}: {refused}");
        assert_eq!(env.json(&["list", "--all", "--json"]), json!([]), "{what}");
        assert_eq!(env.waypost(&["protocol", "check"]).status.code(), Some(1), "{what}");
        assert_eq!(env.waypost(&["gate", "list"]).status.code(), Some(2), "{what}");
        let doctor = env.waypost(&["doctor"]);
        assert!(String::from_utf8_lossy(&doctor.stdout).contains("protocol"), "{what}");
        // Whoever only looks is told, and not kept from looking.
        let status = env.waypost(&["status"]);
        assert_eq!(status.status.code(), Some(0), "{what}");
        let status = String::from_utf8_lossy(&status.stdout).into_owned();
        assert!(status.contains("sessions follow the protocol"), "{what}: {status}");
        assert!(status.contains(":1: ") || status.contains(told), "{what}: {status}");
    }
}

#[test]
fn once_the_configuration_names_a_file_that_can_be_read_a_session_begins() {
    let env = with(HARBOUR, "[project]\nprotocol = \"NOWHERE.md\"\n");
    client(&env).refused("session_start", json!({"objective": "Test"}));
    env.write("waypost.toml", CONFIG);
    let started = start(&mut client(&env));
    assert!(started["checklist"].to_string().contains("sign_manifest"), "{started}");
}

#[test]
fn a_session_that_has_begun_ends_by_the_contract_that_it_began_with() {
    let env = harbour();
    let mut client = client(&env);
    start(&mut client);
    env.write(FILE, "nothing left\n");
    let ended = client.works("session_end", json!({"summary": "early"}));
    assert_eq!(ended["status"], "INCOMPLETE");
    assert!(ended["next_steps"].to_string().contains("Sign the manifest"), "{ended}");
}

#[test]
fn bytes_that_are_no_text_are_refused_with_the_file() {
    let env = harbour();
    std::fs::write(env.project().join(FILE), b"# P\n\xff\xfe\n").unwrap();
    let refused = client(&env).refused("session_start", json!({"objective": "Test"}));
    assert!(refused.contains(FILE) && refused.contains("UTF-8"), "{refused}");
}
