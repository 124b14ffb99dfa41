//! What `docs/generic.md` says is what is: its examples are played, and its tables name every event, kind and field.

use std::fs;

use serde_json::Value;
use waypost_app::harness::Harness;
use waypost_hook::harnesses;

use crate::repository;
use crate::world::World;

fn generic() -> &'static dyn Harness {
    let mut all = harnesses::ALL.iter().copied();
    all.find(|harness| harness.facts().name == "generic").unwrap()
}

fn page() -> String {
    fs::read_to_string(repository().join("docs/generic.md")).unwrap()
}

#[test]
fn the_examples_of_the_documentation_come_out_as_they_stand_there() {
    let (world, page) = (World::new(), page());
    let root = world.root().display().to_string();
    let mut lines = page.lines();
    let mut played = 0;
    while let Some(line) = lines.next() {
        let Some(event) = line.strip_prefix("> {") else { continue };
        let event = format!("{{{}", event.replace("{root}", &root));
        if event.contains("\"after-tool\"") {
            fs::write(world.root().join("src.txt"), "two\n").unwrap();
        }
        let wanted = lines.next().and_then(|line| line.strip_prefix("< ")).unwrap();
        let wanted: Value = serde_json::from_str(wanted).unwrap();
        let output = world.ask(generic(), &event);
        let said: Value = serde_json::from_str(&output.stdout).unwrap();
        assert!(is_like(&said, &wanted), "{event}\nsays {said}\nnot  {wanted}");
        assert_eq!(output.status, 0);
        played += 1;
    }
    assert!(played >= 8, "{played} examples were found");
}

/// Whether a text is as it should be, with `…` for more of it.
fn is_like(said: &Value, wanted: &Value) -> bool {
    match (said, wanted) {
        (Value::Object(said), Value::Object(wanted)) => {
            said.len() == wanted.len()
                && wanted
                    .iter()
                    .all(|(name, wanted)| said.get(name).is_some_and(|said| is_like(said, wanted)))
        }
        (Value::String(said), Value::String(wanted)) => match wanted.split_once('…') {
            Some((start, end)) => said.starts_with(start) && said.ends_with(end),
            None => said == wanted,
        },
        _ => said == wanted,
    }
}

#[test]
fn every_event_and_kind_of_the_tables_is_known_and_no_other() {
    let (world, page) = (World::new(), page());
    let root = world.root().display().to_string();
    let ask = |event: &str| {
        let output = world.ask(generic(), event);
        output.stdout + &output.stderr
    };
    for event in rows(&page, "| event |") {
        let told = ask(&format!(r#"{{"event": "{event}", "conversation": "c2"}}"#));
        // Without a folder, only what is no event of Waypost's is passed without a word.
        assert_ne!(told, "{\"decision\":\"pass\"}\n", "{event}");
    }
    for kind in rows(&page, "| kind |") {
        let told = ask(&format!(
            r#"{{"event": "before-tool", "conversation": "c2", "cwd": "{root}", "tool":
            {{"name": "x", "kind": "{kind}", "files": ["a.txt"], "command": "ls", "skill": "s"}}}}"#
        ));
        assert!(told.contains("\"pass\""), "{kind}: {told}");
    }
}

/// The words that the rows of a table begin with.
fn rows<'p>(page: &'p str, heading: &str) -> Vec<&'p str> {
    let below = page.lines().skip_while(|line| !line.starts_with(heading)).skip(2);
    let rows: Vec<&str> = below
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.split('`').nth(1).unwrap())
        .collect();
    assert!(!rows.is_empty(), "{heading}");
    rows
}
