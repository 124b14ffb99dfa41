//! What is printed is read again, and nothing else is.

use proptest::prelude::*;

use super::*;
use crate::session::Lifecycle;

fn held(id: &str, objective: &str, seq: u64) -> Held {
    let state = crate::session::SessionState {
        version: seq,
        lifecycle: Lifecycle::Active,
        objective: Some(objective.to_owned()),
        ..Default::default()
    };
    Held {
        session: id.parse().unwrap(),
        seq,
        head: "ab".repeat(32),
        state,
        story: serde_json::json!({"summary": objective}),
        basics: serde_json::Value::Null,
    }
}

fn ring() -> (Key, Keyring) {
    let key = Key::from_bytes(vec![7; 32]);
    (key.clone(), Keyring::new(key))
}

proptest! {
    #[test]
    fn what_is_printed_is_read_again(
        text in "(?s).{0,400}",
        objectives in proptest::collection::vec("(?s).{0,80}", 0..4),
    ) {
        let (key, ring) = ring();
        let sessions: Vec<Held> =
            objectives.iter().zip(1..).map(|(text, seq)| held("a", text, seq)).collect();
        let printed = print(&key, "serena/x", &text, sessions.clone()).unwrap();
        prop_assert_eq!(open(&ring, "serena/x", &printed), Ok(Opened { sessions: sessions.clone() }));
        // What tools do to line ends and edges changes nothing.
        let windows = printed.replace('\n', "\r\n");
        prop_assert_eq!(open(&ring, "serena/x", &windows), Ok(Opened { sessions }));
        let elsewhere = open(&ring, "serena/y", &printed);
        prop_assert_eq!(elsewhere, Err(BlockError::Changed));
    }

    #[test]
    fn whatever_comes_back_is_ours_or_refused(text in "(?s).{0,400}", tail in "(?s).{0,60}") {
        let (_, ring) = ring();
        prop_assert!(open(&ring, "serena/x", &text).is_err());
        let opened = format!("{text}\n```waypost\n{tail}\n```\n");
        prop_assert!(open(&ring, "serena/x", &opened).is_err());
    }
}

#[test]
fn every_changed_byte_is_noticed() {
    let (key, ring) = ring();
    let printed = print(&key, "p", "# Title\n\n| a | b |", vec![held("a", "do it", 3)]).unwrap();
    let whole = open(&ring, "p", &printed).unwrap();
    for at in 0..printed.len() {
        let mut changed = printed.clone().into_bytes();
        changed[at] ^= 1;
        let Ok(changed) = String::from_utf8(changed) else { continue };
        if let Ok(opened) = open(&ring, "p", &changed) {
            // An edge that means nothing, such as a blank line.
            assert_eq!(opened, whole, "byte {at}");
            assert!(printed.as_bytes()[at].is_ascii_whitespace(), "byte {at}");
        }
        assert!(open(&ring, "p", &printed[..at]).is_err() || at + 1 == printed.len());
    }
}

#[test]
fn what_is_wrong_is_told_apart() {
    let (key, ring) = ring();
    let printed = print(&key, "p", "# Title", vec![held("a", "x", 1)]).unwrap();
    let text = printed.replace("# Title", "# Other");
    assert_eq!(open(&ring, "p", &text), Err(BlockError::TextChanged));
    let state = printed.replace("\"version\":1", "\"version\":9");
    assert_ne!(state, printed);
    assert_eq!(open(&ring, "p", &state), Err(BlockError::Changed));
    assert_eq!(open(&ring, "p", "# Mine\n"), Err(BlockError::None));
    let other = Keyring::new(Key::from_bytes(vec![8; 32]));
    assert!(matches!(open(&other, "p", &printed), Err(BlockError::UnknownKey(_))));
    assert!(is_ours(&printed) && is_ours(&state) && !is_ours("```\nwaypost"));
    let long = "x".repeat(MAX_BYTES + 1);
    assert_eq!(open(&ring, "p", &long), Err(BlockError::TooLong));
}
