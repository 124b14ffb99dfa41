//! What holds for every text.

use proptest::prelude::*;

use super::super::redact;
use super::{a, drawn, hex};

/// What rules begin, go on or stop at.
const FIXED: &[&str] = &[
    "password",
    "TOKEN",
    "secret",
    "api_key",
    "PRIVATE_KEY",
    "Authorization",
    "Bearer ",
    "basic ",
    "--token",
    "-password",
    "=",
    ":",
    " = ",
    ": ",
    ":=",
    "=>",
    "\"",
    "'",
    "\\\"",
    "\\",
    "\\n",
    "\n",
    " ",
    "\t",
    ",",
    ";",
    "&",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    ".",
    "/",
    "-",
    "_",
    "@",
    "%3D",
    "$",
    "*",
    "…",
    "é",
    "x",
    "7",
    "https://",
    "://u:",
    "[redacted:",
    "[redacted:x]",
    "-----BEGIN ",
    "-----END ",
    "PRIVATE KEY-----",
    "sk-",
    "eyJ",
    "ghs_",
    "AKIA",
    "xoxb-",
    "glpat-",
    "npm_",
    "sk_live_",
    "SG.",
    "_PASS",
    "PWD",
    "AIza",
    "hooks.slack.com/services/",
    "waypost-key-v1 ",
    "\u{1b}[31m",
    "curl -u ",
    " -u ",
    "a:b",
    "mysql -p",
    "sshpass -p ",
    "docker login",
    " -p ",
    "Cookie: ",
    "-b ",
    "a=b; ",
    " is ",
    " to ",
    "the password is ",
    "machine ",
    " login ",
    " password ",
    "123456789:AA",
    "auth",
    "dXNlcjpwYXNz",
    "hvs.",
    "SK",
    "?sig=",
    "\u{200b}",
    "\u{e0041}",
    "\u{1b}",
    "\u{7}",
    "none",
    "hunter2",
    "self.",
    "str",
];

/// Such a piece, or what a rule may take.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => prop::sample::select(FIXED.iter().map(|piece| (*piece).to_owned()).collect::<Vec<_>>()),
        1 => (1..80usize).prop_map(a),
        2 => (1..80usize).prop_map(drawn),
        1 => (1..80usize).prop_map(hex),
        1 => Just("J7Q2WXYZABCDEFGH".to_owned()),
        1 => Just(format!("gh{}_{}", "p", a(36))),
        1 => "\\PC{0,6}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn redacting_twice_changes_nothing_more(pieces in prop::collection::vec(piece(), 0..24)) {
        let once = redact(&pieces.concat()).into_owned();
        prop_assert_eq!(redact(&once), once.as_str());
    }

    #[test]
    fn any_text_is_taken_without_a_panic(text in any::<String>()) {
        let once = redact(&text).into_owned();
        prop_assert_eq!(redact(&once), once.as_str());
    }

    #[test]
    fn text_without_names_and_prefixes_stays(text in "[a-c0-9 =:.,;'\"\\[\\]{}()\\n/é-]{0,200}") {
        prop_assert_eq!(redact(&text), text.as_str());
    }

    #[test]
    fn what_is_around_a_token_stays(before in "[^\\w\\[:=%-]{0,20}", after in "[^\\w.-]{0,20}") {
        let token = format!("gh{}_{}", "p", a(36));
        let expected = format!("{before}[redacted:github]{after}");
        let text = format!("{before}{token}{after}");
        prop_assert_eq!(redact(&text), expected);
    }
}
