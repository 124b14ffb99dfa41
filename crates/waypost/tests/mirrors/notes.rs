//! Notes, as basic-memory keeps them.

use serde_json::json;
use waypost_testkit::mcp::{Client, OLDER};
use waypost_testkit::{TestEnv, everything};

use crate::servers::{Served, block, project, sync, synced, trust};

const CONFIG: &str = "[project]\nmirrors = [\"notes\"]\n";

fn note(env: &TestEnv, title: &str) -> String {
    let path = env.home().join(format!("notes/sessions/{title}.md"));
    std::fs::read_to_string(path).unwrap_or_default()
}

#[test]
fn notes_are_indexed_linked_and_left_alone_where_somebody_changed_them() {
    let env = project(CONFIG);
    let notes = Served::notes(&env);
    env.write("waypost.toml", &format!("{CONFIG}\n[mirror.notes]\nurl = \"{}\"\n", notes.url()));
    trust(&env);
    let mut client = Client::start(&env, OLDER, &[]);
    let started = client.works("session_start", json!({"objective": "Write | [[it]] down"}));
    let id = started["session_id"].as_str().unwrap().to_owned();
    client.works("decision_record", json!({
        "type": "technical", "description": "Use files", "rationale": "they stay", "decided_by": "architect"
    }));
    for number in 0..12 {
        let prompt = format!("the secret prompt {number}");
        client.works("agent_invoke", json!({"agent": "qa", "prompt": prompt}));
        client
            .works("agent_complete", json!({"agent": "qa", "summary": format!("looked {number}")}));
    }
    drop(client);
    synced(&env);
    let title = format!("session-{id}");
    let text = note(&env, &title);
    for part in [
        &format!("---\ntitle: {title}\ntype: session\npermalink: "),
        "status: IN_PROGRESS\n",
        "- waypost\n",
        "**Objective**: Write | [[it]] down\n",
        "- [decision] Use files #session\n",
        &format!("- has_part [[{title}-agent-qa]]\n"),
        &format!("- has_part [[{title}-history-1]]\n"),
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert_eq!(block(&text)["sessions"][0]["session"], id.as_str());
    assert!(note(&env, &format!("{title}-agent-qa")).contains("- [outcome] looked 11 #agent\n"));
    assert!(note(&env, &format!("{title}-history-1")).contains("qa at "));
    assert!(note(&env, "current-session").contains(&id));
    let all: Vec<String> =
        [title.clone(), format!("{title}-agent-qa"), format!("{title}-history-1")]
            .iter()
            .map(|title| note(&env, title))
            .collect();
    assert!(!all.concat().contains("secret prompt"), "{all:?}");
    // Somebody else writes into it.
    let path = env.home().join(format!("notes/sessions/{title}.md"));
    let theirs = text.replace("Use files", "Use a database");
    std::fs::write(&path, &theirs).unwrap();
    env.ok(&["note", "add", "Go on", "--kind", "note"]);
    let told = sync(&env);
    let conflict = told["conflicts"][0].as_str().unwrap();
    assert!(conflict.contains(&title) && conflict.contains("kept as it is"), "{told}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), theirs);
    let status = everything(&env.waypost(&["mirror", "status"]));
    assert!(status.contains("kept there") && status.contains(&title), "{status}");
    let doctor = everything(&env.waypost(&["doctor"]));
    assert!(doctor.contains("kept as it is"), "{doctor}");
    // Moved away, it is written again.
    std::fs::rename(&path, path.with_extension("old")).unwrap();
    ends_there_too(&env, &id);
}

/// Ends a session, and sees that its notes say so. The program may still tell what it had indexed a moment ago; what is not
/// written for that is written with the next change.
fn ends_there_too(env: &TestEnv, id: &str) {
    loop {
        env.ok(&["end", id, "--summary", "done"]);
        sync(env);
        let is_over = note(env, &format!("session-{id}")).contains("status: COMPLETE\n");
        if is_over && note(env, "current-session").contains("There is none.") {
            return;
        }
        env.ok(&["resume", id]);
    }
}
