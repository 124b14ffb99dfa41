//! What files become, and that no file becomes a crash.

use serde_json::json;

use super::{MAX_BYTES, Value, parse};

mod any;

fn json_of(text: &str) -> serde_json::Value {
    parse("x.yaml", text).unwrap().root.to_json()
}

fn refusal(text: &str) -> String {
    parse("x.yaml", text).unwrap_err().to_string()
}

#[test]
fn words_and_numbers_mean_what_they_mean_to_pyyaml() {
    let rows = [
        ("yes", json!(true)),
        ("Off", json!(false)),
        ("y", json!("y")),
        ("yEs", json!("yEs")),
        ("~", json!(null)),
        ("", json!(null)),
        ("NULL", json!(null)),
        ("1_000", json!(1000)),
        ("010", json!(8)),
        ("09", json!("09")),
        ("0o17", json!("0o17")),
        ("0x1F", json!(31)),
        ("-0b11", json!(-3)),
        ("0", json!(0)),
        ("-0", json!(0)),
        ("1:30", json!(90)),
        ("1:99", json!("1:99")),
        ("08:30", json!("08:30")),
        ("1:30.5", json!(90.5)),
        ("1.5", json!(1.5)),
        (".5", json!(0.5)),
        ("-.5", json!("-.5")),
        ("1.", json!(1.0)),
        ("1e3", json!("1e3")),
        ("1.0e3", json!("1.0e3")),
        ("1.0e+3", json!(1000.0)),
        ("1.2.3", json!("1.2.3")),
        (".inf", json!("inf")),
        ("-.INF", json!("-inf")),
        (".nan", json!("NaN")),
        ("2025-10-08", json!("2025-10-08")),
        ("+12", json!(12)),
        ("_1", json!("_1")),
        ("0x", json!("0x")),
        ("0_", json!(0)),
        ("-9223372036854775808", json!(-9_223_372_036_854_775_808_i64)),
        ("18446744073709551616", json!(18_446_744_073_709_551_616.0_f64)),
        ("'yes'", json!("yes")),
        ("\"10\"", json!("10")),
        ("!!str 10", json!("10")),
        ("! 10", json!("10")),
        ("!!int '10'", json!(10)),
        ("!!float 10", json!(10)),
        ("!!bool 'on'", json!(true)),
    ];
    for (text, wanted) in rows {
        assert_eq!(json_of(&format!("- {text}\n")), json!([wanted]), "{text}");
    }
}

#[test]
fn every_value_and_key_knows_its_line() {
    let yaml =
        parse("x.yaml", "a: 1\n\nb:\n  - x\n  - c: |\n      two\n      lines\nd: 2\n").unwrap();
    let root = yaml.root;
    let b = root.entry("b").unwrap();
    assert_eq!((b.line, b.node.line), (3, 4));
    let second = &b.node.as_list().unwrap()[1];
    assert_eq!(second.entry("c").unwrap().line, 5);
    assert_eq!(second.get("c").unwrap().as_str(), Some("two\nlines\n"));
    assert_eq!(root.entry("d").unwrap().line, 8);
}

#[test]
fn keys_are_called_as_they_are_written() {
    assert_eq!(
        json_of("on: 1\n007: 2\n~: 3\n'a b': 4\n"),
        json!({"on": 1, "007": 2, "~": 3, "a b": 4})
    );
}

#[test]
fn a_key_that_stands_there_twice_counts_as_the_last_one_and_is_told() {
    let yaml = parse("x.yaml", "a: 1\nb: 2\na: 3\n").unwrap();
    assert_eq!(yaml.root.to_json(), json!({"a": 3, "b": 2}));
    let told: Vec<String> = yaml.told.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["x.yaml:3: `a` stands in line 1 too; this one counts"]);
}

#[test]
fn maps_are_merged_and_what_stands_beside_wins() {
    let text = "base: &b {x: 1, y: 2}\nother: &o {y: 3, z: 4}\n\
                one: {y: 9, <<: *b}\ntwo: {<<: [*b, *o]}\nquoted: {'<<': 5}\n";
    let all = json_of(text);
    assert_eq!(all["one"], json!({"x": 1, "y": 9}));
    assert_eq!(all["two"], json!({"x": 1, "y": 2, "z": 4}));
    assert_eq!(all["quoted"], json!({"<<": 5}));
    assert!(parse("x.yaml", text).unwrap().told.is_empty());
    assert_eq!(
        refusal("a:\n  <<: 5\n"),
        "x.yaml:2: `<<` takes a map or a list of maps, not a whole number"
    );
}

#[test]
fn what_cannot_be_taken_is_refused_with_its_line() {
    let rows = [
        (
            "a: 1\nb: !!python/object/apply:os.system [ls]\n",
            "x.yaml:2: the tag `!!python/object/apply:os.system` is not taken; write the plain value",
        ),
        ("a: !secret x\n", "x.yaml:1: the tag `!secret` is not taken; write the plain value"),
        ("a: !!binary aGk=\n", "x.yaml:1: the tag `!!binary` is not taken; write the plain value"),
        ("a: !!int ten\n", "x.yaml:1: `ten` is not a whole number, as its tag says"),
        ("a: 1\n---\nb: 2\n", "x.yaml:2: a second document begins here; make it a file of its own"),
        ("a: &a [*a]\n", "x.yaml:1: an alias stands inside what it refers to"),
        ("? [a]\n: 1\n", "x.yaml:1: a key has to be text, not a list or a map"),
        ("a: b: c\n", "x.yaml:1: it is no YAML: mapping values are not allowed in this context"),
        (
            "a: 1\nb: \u{0}\n",
            "x.yaml:2: the character U+0000 cannot stand in YAML; write it as an escape between double quotes",
        ),
    ];
    for (text, wanted) in rows {
        assert_eq!(refusal(text), wanted);
    }
}

#[test]
fn nothing_at_all_is_null_and_a_mark_at_the_beginning_is_passed_over() {
    assert_eq!(parse("x.yaml", "").unwrap().root.value, Value::Null);
    assert_eq!(parse("x.yaml", "# only a comment\n").unwrap().root.value, Value::Null);
    assert_eq!(json_of("\u{feff}---\na: 1\n...\n"), json!({"a": 1}));
    let windows = parse("x.yaml", "a: 1\r\nb:\r\n- |\r\n  x\r\n  y\r\nc: yes\r\n").unwrap();
    assert_eq!(windows.root.to_json(), json!({"a": 1, "b": ["x\ny\n"], "c": true}));
    assert_eq!(windows.root.entry("c").unwrap().line, 6);
}

#[test]
fn budgets_hold_after_aliases_are_expanded() {
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert!(parse("x.yaml", &deep(64)).is_ok());
    assert!(refusal(&deep(65)).contains("nested deeper than 64 levels"));
    assert!(refusal(&"[".repeat(MAX_BYTES)).contains("recursion limit"));
    assert!(refusal(&"- ".repeat(MAX_BYTES / 2)).contains("nested deeper"));
    assert!(refusal(&"a".repeat(MAX_BYTES + 1)).contains("bytes"));
    assert!(refusal(&"- a\n".repeat(60_000)).contains("more than 50000 values"));

    let mut laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let before = format!("*a{}", level - 1);
        laughs.push_str(&format!("a{level}: &a{level} [{}]\n", [before.as_str(); 9].join(", ")));
    }
    assert!(refusal(&laughs).contains("more than 50000 values"));
    let long = format!("a: &a {}\nb: [{}]\n", "x".repeat(500_000), ["*a"; 100].join(", "));
    assert!(refusal(&long).contains("bytes"));
}
