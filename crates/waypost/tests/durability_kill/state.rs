//! How a project has to stand once nobody works in it: everything promised is there, everything can be
//! read and verified, and a new conversation works.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use waypost_testkit::everything;

use super::ledger::{Ledger, Streams};
use super::worker::{World, person};

/// Looks at everything after a batch of kills.
pub(crate) fn check(world: &World, (ledger, published): (&Ledger, Vec<(String, u64)>), round: u64) {
    let env = &world.env;
    let streams = Streams::of(&env.store());
    let broken = ledger.broken(&streams);
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    verify(world);
    check_list(world, &streams);
    check_copies(world, published);
    converse(world, &format!("new-{round}"));
}

/// Every published copy is a beginning of its stream, with a manifest that tells of no more; and what
/// was said to be published up to a record goes up to that record.
fn check_copies(world: &World, published: Vec<(String, u64)>) {
    let mut versions = BTreeMap::new();
    for entry in fs::read_dir(world.env.project().join("agents/sessions")).unwrap() {
        let session = entry.unwrap().file_name().into_string().unwrap();
        let folder = world.env.copy_of(&session);
        let copy = fs::read(folder.join("events.jsonl")).unwrap_or_default();
        let live = fs::read(world.env.log_of(&session)).unwrap();
        assert!(live.starts_with(&copy), "{session}: the copy is no beginning of the stream");
        let records = copy.split_inclusive(|byte| *byte == b'\n').count() as u64;
        if let Ok(manifest) = fs::read(folder.join("state.json")) {
            let manifest: Value = serde_json::from_slice(&manifest).unwrap();
            let told = manifest["waypost"]["version"].as_u64().unwrap();
            assert!(told <= records, "{session}: a manifest of {told}, and {records} records");
        }
        versions.insert(session, records);
    }
    for (session, version) in published {
        let records = versions[&session];
        assert!(records >= version, "{session}: {records} of {version} published records");
    }
}

/// Everything verifies, and no copy went another way than its stream.
fn verify(world: &World) {
    let output = world.env.waypost(&["verify", "--all", "--json"]);
    assert!(output.status.success(), "{}", everything(&output));
    let verified: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = verified.to_string();
    for wrong in ["ahead", "second head", "kept apart", "in doubt", "lost"] {
        assert!(!text.contains(wrong), "{}", everything(&output));
    }
}

/// Every session that has a record is listed, and none is damaged. Where only the latest are listed,
/// that is said, and they are listed as they are.
fn check_list(world: &World, streams: &Streams) {
    let (all, _) = listed(world, &["list", "--all", "--json"]);
    assert!(all.values().all(|session| session["kept"] == "live"), "{all:?}");
    assert_eq!(all.keys().cloned().collect::<BTreeSet<_>>(), streams.sessions);
    let (latest, said) = listed(world, &["list", "--json"]);
    let is_true = |(id, session): (&String, &Value)| all.get(id) == Some(session);
    assert!(latest.iter().all(is_true), "{latest:?}\n{all:?}");
    assert!(latest == all || said.contains("there are more"), "{latest:?}\n{all:?}");
}

/// The sessions that a command lists, and what else it says.
fn listed(world: &World, args: &[&str]) -> (BTreeMap<String, Value>, String) {
    let output = world.env.waypost(args);
    let sessions: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let id = |session: &Value| session["session_id"].as_str().unwrap().to_owned();
    let sessions = sessions.into_iter().map(|session| (id(&session), session)).collect();
    (sessions, String::from_utf8(output.stderr).unwrap())
}

/// A conversation that begins now can work, under the gates of now.
fn converse(world: &World, id: &str) {
    let env = &world.env;
    let hook = |event: &str, mut fields: Value| {
        fields["session_id"] = json!(id);
        let answer = env.hook(event, &fields);
        assert_eq!(answer.status, 0, "{event}: {answer:?}");
        assert!(!answer.stdout.contains("cannot decide"), "{event}: {answer:?}");
        answer
    };
    let file = env.project().join("src/lib.txt");
    let edit = json!({"tool_name": "Edit", "tool_input": {"file_path": file}, "tool_use_id": "e"});
    hook("SessionStart", json!({"source": "startup"}));
    hook("UserPromptSubmit", json!({"prompt": "go"}));
    assert_eq!(hook("PreToolUse", edit.clone()).denied(), None);
    hook("PostToolUse", edit);
    let streams = Streams::of(&env.store());
    for kind in ["conversation_attached", "turn_started", "edit_observed"] {
        assert_eq!(streams.count(&(kind, id.to_owned())), 1, "{kind} of {id}");
    }
    let wanted = fs::read_to_string(env.project().join("waypost.toml")).unwrap();
    let wanted = wanted.rsplit("id = \"").next().unwrap().split('"').next().unwrap().to_owned();
    let gates = person(world, &["gate", "list"]).output().unwrap();
    assert!(everything(&gates).contains(&wanted), "{wanted}: {}", everything(&gates));
}

/// What the whole installation says at the end.
pub(crate) fn check_all(world: &World) {
    let told = world.env.ok(&["doctor"]);
    assert!(told.ends_with("All is well.\n"), "{told}");
    for session in [&world.resting, &world.walking] {
        world.env.ok(&["note", "add", "still here", "--session", session]);
        assert_eq!(world.env.notes(session).last().unwrap(), "still here");
        world.env.ok(&["publish", session]);
        let copy = fs::read(world.env.copy_of(session).join("events.jsonl")).unwrap();
        assert_eq!(copy, fs::read(world.env.log_of(session)).unwrap());
    }
    verify(world);
}

/// How many files killed processes left behind, by the folder and what they are.
pub(crate) fn leftovers(world: &World) -> String {
    let env = &world.env;
    let mut counts: BTreeMap<String, (usize, u64)> = BTreeMap::new();
    let places = [
        ("store", env.store()),
        ("state", env.home().join(".local/state/waypost")),
        ("person", env.home().join("person/waypost")),
        ("published", env.project().join("agents/sessions")),
    ];
    for (name, place) in places {
        count(&place, &mut |path, length| {
            let below = path.strip_prefix(&place).unwrap();
            let folder = below.components().next().unwrap().as_os_str().to_string_lossy();
            let file = path.file_name().unwrap().to_string_lossy();
            let kept = ["torn", "aside"].contains(&folder.as_ref());
            if file.ends_with(".tmp") || file.ends_with(".broken") || kept {
                let sort = if kept { "" } else { file.rsplit('.').next().unwrap_or_default() };
                let folder = if name == "published" { "*" } else { folder.as_ref() };
                let entry = counts.entry(format!("{name}/{folder} {sort}")).or_default();
                *entry = (entry.0 + 1, entry.1 + length);
            }
        });
    }
    let lines =
        counts.iter().map(|(what, (files, bytes))| format!("{what} {files} files, {bytes} bytes"));
    format!("left behind:\n{}", lines.collect::<Vec<_>>().join("\n"))
}

fn count(folder: &Path, each: &mut impl FnMut(&Path, u64)) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            count(&entry.path(), each);
        } else {
            each(&entry.path(), entry.metadata().unwrap().len());
        }
    }
}
