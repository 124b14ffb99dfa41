//! Every harness, every event, and each way in which that can go: what the harness is told is exactly what it reads as
//! that, and nothing beyond it. What it sends is in `payloads`, as the real program sent it; what it is told in `matrix`,
//! with `…` for texts. `WAYPOST_UPDATE=1` writes the latter anew.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use waypost_app::harness::{Harness, Output};
use waypost_hook::harnesses;

use crate::is_update;
use crate::world::World;

/// What happens to a conversation, one after the other, as `payloads` names it.
const COURSE: [&str; 12] = [
    "start",
    "prompt",
    "before a read",
    "before an edit",
    "after an edit",
    "before a forbidden edit",
    "before a command",
    "stop",
    "stop again",
    "subagent stop",
    "compact",
    "end",
];

#[test]
fn each_harness_is_told_what_it_reads_as_that_and_nothing_more() {
    let mut wrong = Vec::new();
    for harness in harnesses::ALL {
        let name = harness.facts().name;
        let told = told(*harness);
        for word in ["\"allow\"", "\"approve\"", "\"ask\"", "updatedInput"] {
            assert!(
                !told.contains(word),
                "{name} is told {word}, which passes over the user's permissions"
            );
        }
        let file = folder("matrix").join(format!("{name}.txt"));
        if is_update() {
            fs::write(&file, &told).unwrap();
        } else if fs::read_to_string(&file).unwrap_or_default() != told {
            wrong.push(format!("{} should be:\n{told}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "WAYPOST_UPDATE=1 writes it anew.\n{}", wrong.join("\n"));
}

/// What a harness is told in a whole conversation, and where nothing can be decided.
fn told(harness: &'static dyn Harness) -> String {
    let mut text = String::new();
    for (way, world) in [("decided", World::new()), ("undecidable", World::undecidable())] {
        let _ = writeln!(text, "# {way}");
        for step in COURSE {
            let Some(payload) = payload(harness, step, &world) else { continue };
            if step == "after an edit" {
                fs::write(world.root().join("src.txt"), "two\n").unwrap();
            }
            let _ = writeln!(text, "{step}: {}", spelt(&world.ask(harness, &payload)));
        }
    }
    let world = World::new();
    let _ = writeln!(text, "# broken\nno JSON: {}", spelt(&world.ask(harness, "{")));
    text
}

/// What a harness sends; none where it has no such event.
pub(crate) fn payload(harness: &dyn Harness, step: &str, world: &World) -> Option<String> {
    let file = folder("payloads").join(format!("{}.json", harness.facts().name));
    assert!(file.exists(), "{} is missing", file.display());
    let text = fs::read_to_string(&file).unwrap();
    let all: BTreeMap<String, Value> = serde_json::from_str(&text).unwrap();
    for known in all.keys() {
        assert!(COURSE.contains(&known.as_str()), "{}: {known}", file.display());
    }
    let payload = all.get(step)?.to_string();
    Some(payload.replace("{root}", &world.root().display().to_string()))
}

/// An answer with `…` for texts, and its status and errors where there are any.
fn spelt(output: &Output) -> String {
    let stdout = match serde_json::from_str::<Value>(&output.stdout) {
        Ok(value) => shortened(value).to_string(),
        Err(_) if output.stdout.is_empty() => "nothing".to_owned(),
        Err(_) => "text …".to_owned(),
    };
    let stderr = if output.stderr.is_empty() { "" } else { ", stderr …" };
    let status =
        if output.status == 0 { String::new() } else { format!(", status {}", output.status) };
    format!("{stdout}{stderr}{status}")
}

/// Words that mean something to a harness stay, texts do not.
fn shortened(value: Value) -> Value {
    match value {
        Value::String(text) if text.contains(' ') => "…".into(),
        Value::Array(values) => values.into_iter().map(shortened).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, shortened(value))).collect()
        }
        other => other,
    }
}

fn folder(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/harnesses")).join(name)
}
