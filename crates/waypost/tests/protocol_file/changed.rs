//! What a project changes in its protocol, and what it loosens or tightens on the way.

use serde_json::json;

use crate::project::{CONFIG, FILE, HARBOUR, client, gate, start, steps_in, with};

#[test]
fn steps_are_dropped_and_shown_by_something_else() {
    let config = format!(
        "{CONFIG}[protocol]\ndrop = [\"sign_manifest\", \"Phase 2\", \"Pilot Aboard/read_handoff\"]\n\
         [[protocol.step]]\nid = \"hoist_flag\"\nproof = {{ file = \"flag.txt\" }}\n\
         [[protocol.step]]\nid = \"push\"\nlevel = \"must\"\n"
    );
    let env = with(HARBOUR, &config);
    assert_eq!(env.waypost(&["protocol", "check"]).status.code(), Some(0));
    let mut client = client(&env);
    let started = start(&mut client);
    let all = started["checklist"].to_string();
    for gone in ["sign_manifest", "write_down_which_charts_it", "read_handoff"] {
        assert!(!all.contains(gone), "{gone}: {all}");
    }
    assert!(steps_in(&started["checklist"], "open").contains(&"push"), "{all}");
    assert_eq!(gate(&mut client, "Session End Checklist")["status"], "FAIL");
    env.write("flag.txt", "up\n");
    let flag = gate(&mut client, "Session End Checklist");
    assert_eq!(flag["status"], "PASS", "{flag}");
}

#[test]
fn the_built_in_protocol_is_changed_in_the_same_way() {
    let config = "[project]\nprotocol = \"builtin\"\n[protocol]\ndrop = [\"update_handoff\"]\n\
                  [[protocol.step]]\nid = \"markdown_lint\"\nproof = { ran = \"sh scripts/check.sh*\", fresh = \"tree\" }\n\
                  [[protocol.step]]\nid = \"read_skill_usage\"\nproof = { read = \".agents/HANDOFF.md\" }\n";
    let env = with(HARBOUR, config);
    let mut client = client(&env);
    start(&mut client);
    env.write("README.md", "changed\n");
    let docs = gate(&mut client, "DOCS_UPDATE");
    assert!(!docs["evidence"].as_str().unwrap().contains("HANDOFF"), "{docs}");
    assert_eq!(gate(&mut client, "QUALITY_CHECKS")["status"], "FAIL");
    env.ok(&["run", "--", "sh", "scripts/check.sh"]);
    assert_eq!(gate(&mut client, "QUALITY_CHECKS")["status"], "PASS");
    assert_eq!(gate(&mut client, "SKILL_VALIDATION")["status"], "FAIL");
}

#[test]
fn misspelt_changes_are_told_by_every_check() {
    for (changes, told) in [
        ("[protocol]\ndorp = []\n", "did you mean `drop`?"),
        ("[protocol]\ndrop = [\"comit\"]\n", "did you mean `commit`?"),
        ("[[protocol.step]]\nid = \"comit\"\nlevel = \"may\"\n", "did you mean `commit`?"),
        ("[[protocol.step]]\nid = \"commit\"\n", "it needs `proof` or `level`"),
        ("[[protocol.step]]\nlevel = \"may\"\n", "needs the `id`"),
        ("[[protocol.step]]\nid = \"commit\"\nproof = { raan = \"x\" }\n", "exactly one of"),
        ("[[protocol.step]]\nid = \"commit\"\nlevel = \"MUST\"\n", "`must`, `should` or `may`"),
        (
            "[[protocol.step]]\nid = \"commit\"\nlevel = \"may\"\n\
             [[protocol.step]]\nid = \"commit\"\nlevel = \"must\"\n",
            "is changed in line 3 already",
        ),
    ] {
        let env = with(HARBOUR, &format!("[project]\nprotocol = \"builtin\"\n{changes}"));
        let listed = env.waypost(&["gate", "list"]);
        assert_eq!(listed.status.code(), Some(2), "{changes}");
        let text = String::from_utf8_lossy(&listed.stderr).into_owned()
            + &String::from_utf8_lossy(&listed.stdout);
        assert!(text.contains(told), "{changes}: {text}");
        let checked = env.waypost(&["protocol", "check"]);
        assert_eq!(checked.status.code(), Some(1), "{changes}");
        let text = String::from_utf8_lossy(&checked.stderr).into_owned();
        assert!(text.contains(told), "{changes}: {text}");
    }
}

#[test]
fn a_number_that_several_phases_have_drops_none_of_them() {
    let env = with(HARBOUR, &format!("{CONFIG}[protocol]\ndrop = [\"Phase 4\"]\n"));
    let checked = env.waypost(&["protocol", "check"]);
    assert_eq!(checked.status.code(), Some(1));
    let told = String::from_utf8_lossy(&checked.stderr).into_owned();
    assert!(told.contains("Log Opened, Weather"), "{told}");
    assert!(env.ok(&["protocol", "show"]).contains("create_log"));
}

#[test]
fn what_an_agent_takes_out_of_the_file_is_asked_for_until_a_human_was_there() {
    let env = with(HARBOUR, CONFIG);
    env.begin();
    let looser = HARBOUR.replace("3. The agent MUST sign the manifest\n", "");
    env.write(FILE, &looser);
    let mut first = client(&env);
    let started = start(&mut first);
    assert!(started["checklist"].to_string().contains("sign_manifest"), "{started}");
    first.end();
    env.write(
        FILE,
        &looser.replace("MUST commit with a message", "MUST commit\n3. The agent MUST hum"),
    );
    let mut second = client(&env);
    let refused = second.refused("session_start", json!({"objective": "again"}));
    assert!(refused.contains("already active"), "{refused}");
}

#[test]
fn a_phase_that_an_agent_no_longer_lets_anything_wait_for_blocks_until_a_human_was_there() {
    for (what, looser) in [
        ("its type", HARBOUR.replace("Pilot Aboard (BLOCKING)", "Pilot Aboard (REQUIRED)")),
        ("its section", HARBOUR.replace("## Session Start Protocol", "## After the Work")),
    ] {
        let env = with(HARBOUR, CONFIG);
        env.begin();
        // The whole file says so, running text too.
        env.write(FILE, &looser.replace("This is a **blocking gate**.", ""));
        let mut client = client(&env);
        start(&mut client);
        let moved = client.works("advance_phase", json!({"target_phase": "WORKING"}));
        assert!(moved["blocked_by"].to_string().contains("Pilot Aboard"), "{what}: {moved}");
    }
}
