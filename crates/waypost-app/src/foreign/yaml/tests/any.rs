//! Ten thousand files that somebody damaged.

use super::super::{Node, Value, parse};

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

/// Numbers that look random and are the same at every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % (bound.max(1) as u64)).unwrap()
    }
}

fn damaged(text: &str, dice: &mut Dice) -> String {
    let mut units: Vec<char> = text.chars().collect();
    for _ in 0..=dice.below(6) {
        let at = dice.below(units.len());
        match dice.below(4) {
            0 => {
                let end = (at + dice.below(12)).min(units.len());
                units.drain(at..end);
            }
            1 => {
                let piece: Vec<char> = PIECES[dice.below(PIECES.len())].chars().collect();
                units.splice(at..at, piece);
            }
            2 => {
                let end = (at + dice.below(30)).min(units.len());
                let copy = units[at..end].to_vec();
                let to = dice.below(units.len());
                units.splice(to..to, copy);
            }
            _ => units.truncate(at),
        }
        if units.is_empty() {
            break;
        }
    }
    units.into_iter().collect()
}

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
        let text = damaged(WHOLE, &mut dice);
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
