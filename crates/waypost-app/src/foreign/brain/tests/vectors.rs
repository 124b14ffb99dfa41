//! Signatures as JavaScript makes them: made with node by the algorithm itself, outside of this code.

use serde_json::Value;

use super::{SECRET, session};
use crate::foreign::brain::{Signature, check, verify};

/// Numbers in every spelling, names in every order, names that every object has, names twice, escapes, and a nested
/// signature; each with its signature.
const SIGNED: &[(&str, &str)] = &[
    (
        r#"{"sessionId":"odd-numbers","currentMode":"coding","modeHistory":[{"mode":"analysis","version":3,"timestamp":"2026-01-18T10:00:00.000Z"}],"protocolStartComplete":true,"a":1.0,"b":1e21,"c":-0,"d":0.1e-6,"e":123456789012345680000,"f":9007199254740993,"g":5e-324,"h":1E2,"i":-0.0,"j":100000000000000000000000,"k":0.000001,"l":1.5e300}"#,
        "9680de46c40a5e476c4c0fdab2bc86cb155e6d1a5bb804066319dcd0ffba6c10",
    ),
    (
        r#"{"sessionId":"odd-order","currentMode":"coding","modeHistory":[{"mode":"analysis","version":3,"timestamp":"2026-01-18T10:00:00.000Z"}],"protocolStartComplete":true,"10":1,"9":2,"é":3,"\ud83d\ude80":4,"\uff61":5,"":6,"__proto__":{"10":7,"x":8},"constructor":1,"toString":null}"#,
        "fc0d1d49cde3f5780abf25316f051d1f999e5305ba72ed6a186e76482ee485e3",
    ),
    (
        r#"{"sessionId":"odd-dup","currentMode":"coding","modeHistory":[{"mode":"analysis","version":3,"timestamp":"2026-01-18T10:00:00.000Z"}],"protocolStartComplete":true,"version":1,"version":2,"modeHistory":[[{"version":1,"q":2}],[[]],null,"x"]}"#,
        "4940de88dc5e43f41980c003ed72379278c24ac961ac4fa8f88e7785a72cf7ff",
    ),
    (
        r#"{"sessionId":"odd-escapes","currentMode":"coding","modeHistory":[{"mode":"analysis","version":3,"timestamp":"2026-01-18T10:00:00.000Z"}],"protocolStartComplete":true,"s":"\u0000\u001f\u2028\u2029\u007f\"\\\/\b\f\n\r\t\u00e9\ud83d\ude80","t":[],"u":{},"v":null,"w":true}"#,
        "ab30e4e290e62bfb571cc800278dd3e1c053604b8de18b34a631c3cba8329d54",
    ),
    (
        r#"{"sessionId":"odd-nestedsig","currentMode":"coding","modeHistory":[{"mode":"analysis","version":3,"timestamp":"2026-01-18T10:00:00.000Z"}],"protocolStartComplete":true,"deep":{"_signature":"x","version":1,"deep":{"deep":[{"version":2,"no":1}]}},"version":4}"#,
        "1b3ff5e71c9df29da9ad859ad1abb68d9dbbae3251f1dcae6031ce479e53396d",
    ),
];
/// Half of a pair of characters, which no record can hold.
const HALF: (&str, &str) = (
    r#"{"sessionId":"odd-lone","currentMode":"coding","modeHistory":[{"mode":"analysis","version":3,"timestamp":"2026-01-18T10:00:00.000Z"}],"protocolStartComplete":true,"s":"\ud800x"}"#,
    "364654a8763d817fc8a46c63dbdccdbce917670a2ac9009b0ed1966ee56d7bdd",
);

fn signed((state, signature): (&str, &str)) -> String {
    format!("{},\"_signature\":\"{signature}\"}}", state.strip_suffix('}').unwrap())
}

#[test]
fn whatever_javascript_signs_is_judged_rightly() {
    for vector in SIGNED {
        let text = signed(*vector);
        let brought = session("s.json", &text);
        let state = brought.original["s.json"].as_object().unwrap();
        assert_eq!(verify(state, SECRET), Signature::Valid, "{text}");
        for change in ["currentMode", "protocolStartComplete"] {
            let mut changed = state.clone();
            changed.insert(change.to_owned(), Value::from("changed"));
            assert_eq!(verify(&changed, SECRET), Signature::Invalid, "{text}");
        }
        let mut more = state.clone();
        more.insert("another".to_owned(), Value::Null);
        assert_eq!(verify(&more, SECRET), Signature::Invalid, "{text}");
    }
}

#[test]
fn a_signature_over_what_cannot_be_read_as_it_was_is_not_called_wrong() {
    let mut brought = session("s.json", &signed(HALF));
    check(&mut brought, Some(SECRET));
    assert!(brought.remarks.iter().any(|told| told.contains("cannot be checked")), "{brought:?}");
}

#[test]
fn a_signature_that_says_nothing_is_none() {
    for nothing in ["null", "\"\""] {
        let text =
            format!(r#"{{"currentMode": "coding", "modeHistory": [], "_signature": {nothing}}}"#);
        let mut brought = session("s.json", &text);
        check(&mut brought, Some(SECRET));
        assert_eq!(brought.remarks, ["it is not signed"]);
    }
}
