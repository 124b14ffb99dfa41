//! Expressions of every kind, meant or not: each ends soon, in an answer or in one line.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn repeated(opening: &str, inner: &str, closing: &str, times: usize) -> String {
    format!("{}{inner}{}", opening.repeat(times), closing.repeat(times))
}

const SHAPES: &[(&str, &str, &str)] = &[
    ("(", "true", ")"),
    ("[", "1", "]"),
    ("{1:", "1", "}"),
    ("!", "true", ""),
    ("-", "1", ""),
    ("!-", "1", ""),
    ("1+", "1", ""),
    ("(1+", "1", ")"),
    ("1==", "1", ""),
    ("true?true:", "true", ""),
    ("(true?true:", "true", ")"),
    ("size(", "[]", ")"),
    ("[1].all(x,", "true", ")"),
    ("[1].map(x,", "x", ")"),
    ("has(", "a.b", ")"),
    ("", "value", ".size()"),
    ("", "value", ".a"),
    ("", "value", "[0]"),
    ("", "value", "+value"),
    ("", "[1]", ".map(x,x)"),
    ("(", "", ""),
    ("", "", ")"),
    ("[{(", "", ""),
    ("true&&", "true", ""),
    ("true||(", "true", ")"),
    ("value in [", "", "]"),
    ("'", "", "'"),
    ("\"\"\"", "", ""),
    ("\\", "", ""),
];

#[test]
fn nothing_that_nests_or_chains_overflows_the_stack() {
    let facts = json!({ "value": 1, "a": { "b": 1 } });
    for (opening, inner, closing) in SHAPES {
        for times in [1, 8, 16, 31, 32, 33, 63, 64, 65, 200, 680, 10_000] {
            let source = repeated(opening, inner, closing, times);
            let outcome = Expression::compile(&source).and_then(|it| it.holds(&facts));
            if times == 10_000 {
                let error = outcome.expect_err("10,000 are too many");
                assert!(error.message.ends_with("2048 are the most"), "{error}");
            }
        }
    }
}

#[test]
fn long_lists_and_long_conditions_are_no_depth() {
    let facts = json!({ "value": 399 });
    let list = (0..400).map(|number| number.to_string()).collect::<Vec<_>>().join(",");
    assert_eq!(Expression::compile(&format!("value in [{list}]")).unwrap().holds(&facts), Ok(true));
    let conditions = vec!["value>0"; 200].join("&&");
    assert_eq!(Expression::compile(&conditions).unwrap().holds(&facts), Ok(true));
}

/// Sources whose values or steps multiply, and must be refused before they are evaluated.
#[test]
fn what_would_explode_is_refused_beforehand() {
    let facts = json!({ "list": vec!["x".repeat(50); 100], "value": 1 });
    for source in [
        format!("['aaaa']{} == []", ".map(a,a+a+a+a+a+a+a+a)".repeat(25)),
        format!("[[1]]{} == []", ".map(a,[a,a,a,a])".repeat(15)),
        format!("[[1]]{} == []", ".map(a,a+a+a+a)".repeat(15)),
        format!("['aaaa'].all(a,{})", repeated("[a+a+a].all(a,", "true", ")", 14)),
        repeated("list.all(a,", "true", ")", 20),
        "list.all(a, list.all(b, list.all(c, a + b != c)))".to_owned(),
        "list.exists(a, list.exists_one(b, list.filter(c, a + b != c) == []))".to_owned(),
        "list.map(a, list).map(b, b.map(c, list)) == []".to_owned(),
        "list.map(a, {a: list}).all(b, b.all(c, b[c].all(d, d in list)))".to_owned(),
    ] {
        let error = Expression::compile(&source).unwrap().holds(&facts).unwrap_err();
        assert!(error.message.contains("steps with these facts"), "{source}: {error}");
    }
}

/// The dearest that is still allowed: ends within milliseconds in a release build, and a debug build
/// runs it here without anybody's notice.
#[test]
fn what_is_just_allowed_ends_soon() {
    let facts = json!({ "list": vec!["x".repeat(50); 30], "short": vec![1; 12] });
    for source in [
        "list.all(a, list.all(b, a == b))",
        "list.map(a, list.map(b, a + b)) != []",
        "short.all(a, short.all(b, short.all(c, a == b || b != c)))",
        "list.filter(a, list.exists(b, a == b)).size() == 30",
    ] {
        assert_eq!(Expression::compile(source).unwrap().holds(&facts), Ok(true), "{source}");
    }
}

#[test]
fn facts_that_are_too_many_are_refused_before_they_are_taken_over() {
    let expression = Expression::compile("size(list) > 0").unwrap();
    assert_eq!(expression.holds(&json!({ "list": vec!["x"; 10_000] })), Ok(true));
    let error = expression.holds(&json!({ "list": vec!["x"; 20_000] })).unwrap_err();
    assert!(error.message.contains("steps with these facts"), "{error}");
}

#[test]
fn facts_that_nest_without_end_are_refused() {
    let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
    let error = Expression::compile("deep == []").unwrap().holds(&json!({ "deep": deep }));
    assert_eq!(error.unwrap_err().message, "the fact `deep` nests deeper than 64 levels");
}

const TOKENS: &[&str] = &[
    "branch",
    "size",
    "value",
    "list",
    "x",
    "_",
    "in",
    "null",
    "true",
    "false",
    "has",
    "all",
    "exists",
    "exists_one",
    "map",
    "filter",
    "contains",
    "startsWith",
    "endsWith",
    "int",
    "uint",
    "double",
    "string",
    "bool",
    "optional",
    "type",
    "while",
    ".",
    ",",
    ":",
    "?",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "+",
    "-",
    "*",
    "/",
    "%",
    "!",
    "=",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "&&",
    "||",
    "&",
    "0",
    "1",
    "2u",
    "0x1F",
    "-0",
    "9223372036854775807",
    "9223372036854775808",
    "1.5",
    "1e308",
    ".5",
    "1e999",
    "\"a\"",
    "'ä'",
    "''",
    "\"",
    "'",
    "'''",
    "r'",
    "b'a'",
    "\\",
    "`",
    "//",
    "\n",
    " ",
    "ß",
    "\u{0}",
    "[1, 2]",
    "{'a': 1}",
    ".size()",
    ".all(x, ",
    ".map(x, ",
    "(value)",
    "has(branch.",
];

/// Mostly well-formed expressions, so that the evaluator is met too.
fn any_expression() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "value",
        "branch.size",
        "branch.name",
        "branch",
        "list",
        "nothing",
        "x",
        "1",
        "-1",
        "2u",
        "0",
        "1.5",
        "1e308",
        "9223372036854775807",
        "-9223372036854775808",
        "'a'",
        "''",
        "null",
        "true",
        "false",
        "[]",
        "{}",
        "big",
        "list[0]",
    ])
    .prop_map(str::to_owned);
    leaf.prop_recursive(6, 40, 3, |inner| {
        let operator = prop::sample::select(vec![
            "+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&&", "||", " in ",
        ]);
        let prefix = prop::sample::select(vec![
            "!", "-", "size", "int", "uint", "double", "string", "bool", "",
        ]);
        let member = prop::sample::select(vec!["contains", "startsWith", "endsWith"]);
        let macros = prop::sample::select(vec!["all", "exists", "exists_one", "map", "filter"]);
        prop_oneof![
            (inner.clone(), operator, inner.clone()).prop_map(|(a, op, b)| format!("({a}{op}{b})")),
            (prefix, inner.clone()).prop_map(|(prefix, a)| format!("{prefix}({a})")),
            (inner.clone(), member, inner.clone())
                .prop_map(|(a, name, b)| format!("{a}.{name}({b})")),
            (inner.clone(), macros, inner.clone())
                .prop_map(|(a, name, b)| format!("{a}.{name}(x,{b})")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!("({a}?{b}:{c})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("[{a},{b}]")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{{{a}:{b}}}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a}[{b}]")),
            inner.clone().prop_map(|a| format!("{a}.size")),
            inner.prop_map(|a| format!("has({a}.size)")),
        ]
    })
}

fn assert_ends_well(source: &str) -> Result<(), TestCaseError> {
    let facts = json!({
        "branch": { "size": 3, "name": "ä" }, "value": -1, "list": [1, "a", null, [1.5], { "size": 2 }],
        "nothing": null, "big": u64::MAX,
    });
    let outcome = Expression::compile(source).and_then(|expression| {
        expression.references();
        let answer = expression.holds(&facts);
        assert_eq!(answer.is_ok(), expression.holds(&facts).is_ok(), "{source}");
        answer
    });
    if let Err(error) = outcome {
        prop_assert!(error.column >= 1 && error.column <= source.chars().count() + 1, "{}", error);
        prop_assert!(!error.message.is_empty() && error.message.chars().count() <= 400);
        prop_assert!(!error.message.chars().any(char::is_control), "{:?}", error);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_text_ends_in_an_answer_or_one_line(source in "\\PC{0,200}") {
        assert_ends_well(&source)?;
    }

    #[test]
    fn any_bytes_end_in_an_answer_or_one_line(source in any::<Vec<u8>>()) {
        assert_ends_well(&String::from_utf8_lossy(&source))?;
    }

    #[test]
    fn any_tokens_end_in_an_answer_or_one_line(
        tokens in prop::collection::vec(prop::sample::select(TOKENS), 0..60),
        spaced in any::<bool>(),
    ) {
        assert_ends_well(&tokens.join(if spaced { " " } else { "" }))?;
    }

    #[test]
    fn any_expression_ends_in_an_answer_or_one_line(source in any_expression()) {
        assert_ends_well(&source)?;
    }
}
