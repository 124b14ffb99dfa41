//! Ten thousand damaged files of each format.

use super::super::gate;
use super::{DYNAMIC, dynamic, parsed};
use crate::foreign::mutations::Dice;

const GATE: &str = "checkpoint:\n  enabled: true\n  strict: true\n  allow_override: false\nevidence_schema:\n  a:\n    \
    type: integer\n    required: true\n    validator: v\n    validator_params: {low: 1}\n    description: \"x\"\n  \
    b: {type: boolean}\nvalidators:\n  v: \"lambda x, low: x > low\"\ncross_field_validation:\n- rule: \"lambda e: \
    e['a'] > 0\"\n  error_message: m\n";

/// Pieces that mean something in one of the formats.
const PIECES: &[&str] = &[
    "\"",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\n",
    "  ",
    "- ",
    "null",
    "true",
    "-1",
    "1e9",
    "99999999999999999999",
    "\"dynamic\"",
    "\"1-N\"",
    "0",
    "phase_number",
    "tasks",
    "../..",
    "\\ud800",
    "\\u0000",
    "ä",
    "&a ",
    "*a",
    "|",
    "#",
    "lambda",
    "lambda x: ",
    "(",
    "\t",
    "'",
    "!!",
    "<<: ",
    "strict",
    "type",
    "~",
];

#[test]
fn ten_thousand_damaged_workflows_are_read_or_refused_with_a_reason() {
    let mut dice = Dice(0x00c0_ffee_5eed_0001);
    let (mut folder, mut read) = (dynamic(), 0);
    for _ in 0..10_000 {
        let text = dice.damaged_text(DYNAMIC, PIECES);
        folder.0.insert("metadata.json".to_owned(), text.clone());
        let parsed = parsed(&folder);
        match parsed.definition {
            Some(definition) => {
                read += 1;
                assert!(!definition.phases.is_empty(), "{text}");
                let names = definition.names();
                let twice =
                    names.iter().enumerate().any(|(place, name)| names[..place].contains(name));
                assert!(!twice && definition.hash().is_ok(), "{text}");
            }
            None => assert!(!parsed.problems.is_empty(), "{text}"),
        }
    }
    assert!((500..9_900).contains(&read), "{read}");
}

#[test]
fn ten_thousand_damaged_gate_definitions_are_read_or_refused_with_a_reason() {
    let mut dice = Dice(0x0dd5_eed5_0002);
    let mut gates = 0;
    for _ in 0..10_000 {
        let text = dice.damaged_text(GATE, PIECES);
        let read = gate::read("g.yaml", &text, "P");
        gates += usize::from(read.sound && read.gate.is_some());
        assert!(read.sound || !read.problems.is_empty(), "{text}");
        // What loosens a gate does not go without a word.
        let strict =
            read.gate.as_ref().is_some_and(|gate| gate.level == waypost_core::gate::Level::Must);
        assert!(strict || !read.problems.is_empty() || !text.contains("strict: true"), "{text}");
    }
    assert!((500..9_900).contains(&gates), "{gates}");
}
