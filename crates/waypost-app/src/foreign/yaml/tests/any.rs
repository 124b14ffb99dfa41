//! Ten thousand files that somebody damaged.

use super::super::{Node, Value, parse};
use crate::foreign::mutations::Dice;

/// A whole file with everything that YAML has.
const WHOLE: &str = "# a comment\ntop: &top\n  id: x-1\n  when: 2025-10-08\n  list: [1, two, 'three', \"f\\u00fcnf\"]\n\
    block: |\n  a\n   b\n\nfolded: >-\n  c\n  d\n? key\n: value\nmerge:\n  <<: *top\n  n: 0x1f\n\
    nested:\n- - a\n  - {b: c, d: [e, f]}\n- !!str 5\n- ~\n...\n";

/// Pieces that mean something to a parser.
const PIECES: &[&str] = &[
    ":",
    "- ",
    "? ",
    "[",
    "]",
    "{",
    "}",
    ",",
    "&a ",
    "*a",
    "!",
    "!!",
    "|",
    ">",
    "'",
    "\"",
    "#",
    "%",
    "---\n",
    "...\n",
    "<<: ",
    "\n",
    "  ",
    "\t",
    "\r",
    "\\",
    "\u{85}",
    "\u{2028}",
    "\u{feff}",
    "\u{1F600}",
    "@",
    "`",
    "0x",
    ":\n",
    "- -",
    "%TAG ! x\n",
    "%YAML 1.1\n",
    "!<x> ",
    "|2-\n",
    "\"\\x",
    "? - ",
    "\0",
];

/// Whether every line of the tree is one of the file.
fn lines_fit(node: &Node, last: usize) -> bool {
    let inner = match &node.value {
        Value::List(items) => items.iter().all(|item| lines_fit(item, last)),
        Value::Map(entries) => entries
            .iter()
            .all(|entry| (1..=last).contains(&entry.line) && lines_fit(&entry.node, last)),
        _ => true,
    };
    inner && (1..=last).contains(&node.line)
}

#[test]
fn ten_thousand_damaged_files_are_read_or_refused() {
    let mut dice = Dice(0x5eed_cafe_f00d_0001);
    let mut read = 0;
    for round in 0..10_000 {
        let text = dice.damaged_text(WHOLE, PIECES);
        let last = text.chars().filter(|unit| matches!(unit, '\n' | '\r')).count() + 2;
        match parse("x.yaml", &text) {
            Ok(yaml) => {
                read += 1;
                assert!(lines_fit(&yaml.root, last), "{round}: {text}");
                assert_eq!(yaml.root.to_json(), parse("x.yaml", &text).unwrap().root.to_json());
            }
            Err(problem) => {
                assert!(
                    (1..=last).contains(&problem.line) && !problem.message.is_empty(),
                    "{round}: {problem}"
                );
            }
        }
    }
    assert!((1_000..9_500).contains(&read), "{read}");
}

#[test]
fn pieces_in_any_order_are_read_or_refused() {
    let mut dice = Dice(0x0dd_ba11);
    for _ in 0..10_000 {
        let text: String = (0..dice.below(30)).map(|_| PIECES[dice.below(PIECES.len())]).collect();
        drop(parse("x.yaml", &text));
    }
}
