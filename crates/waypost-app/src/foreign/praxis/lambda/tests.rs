//! What lambdas become, that it holds where they are true, and which are refused.

use serde_json::{Map, Value, json};
use waypost_core::cel::Expression;
use waypost_core::gate::proof::fields::Type;

use super::{Meaning, is_lambda, translated};

fn of_field(text: &str, of: Type, params: &Value) -> Result<String, String> {
    let params = params.as_object().cloned().unwrap_or_default();
    translated(text, Meaning::Field(of, &params)).map(|it| it.expression)
}

fn holds(expression: &str, facts: &Value) -> bool {
    // Python's exceptions and errors of expressions are no success.
    Expression::compile(expression).unwrap().holds(facts).unwrap_or(false)
}

/// A lambda, the type of its value, its parameters, and values of which it is true and false.
type Row = (&'static str, Type, Value, Value, Value);

fn assert_rows(rows: &[Row]) {
    for (text, of, params, good, bad) in rows {
        assert!(is_lambda(text), "{text}");
        let expression = of_field(text, *of, params).unwrap_or_else(|why| panic!("{text}: {why}"));
        for (values, wanted) in [(good, true), (bad, false)] {
            for value in values.as_array().unwrap() {
                let held = holds(&expression, &json!({"value": value}));
                assert_eq!(held, wanted, "{text} is {expression} of {value}");
            }
        }
    }
}

#[test]
fn validators_hold_where_their_lambda_is_true() {
    let none = json!({});
    let rows = [
        ("lambda x: x > 0", Type::Integer, none.clone(), json!([1]), json!([0, -1])),
        ("lambda x: 0 <= x <= 100", Type::Integer, none.clone(), json!([0, 100]), json!([-1, 101])),
        ("lambda x: len(x) > 0", Type::String, none.clone(), json!(["ä"]), json!([""])),
        ("lambda x: len(x) == 2", Type::String, none.clone(), json!(["äö"]), json!(["a"])),
        ("lambda x: len(x) >= 3", Type::List, none.clone(), json!([[1, 2, 3]]), json!([[1]])),
        ("lambda x: x is True", Type::Boolean, none.clone(), json!([true]), json!([false])),
        ("lambda x: x is not True", Type::Boolean, none.clone(), json!([false]), json!([true])),
        ("lambda x: not x", Type::Boolean, none.clone(), json!([false]), json!([true])),
        ("lambda x: x", Type::String, none.clone(), json!(["a"]), json!([""])),
        ("lambda x: x", Type::Integer, none.clone(), json!([-1]), json!([0])),
        (
            "lambda x: '/' in x and not x.startswith('..')",
            Type::String,
            none.clone(),
            json!(["a/b"]),
            json!(["../a", "a"]),
        ),
        (
            "lambda x: x.endswith('.py') or x == 'a\"b'",
            Type::String,
            none.clone(),
            json!(["a.py", "a\"b"]),
            json!(["b"]),
        ),
        ("lambda x: x in ['a', 'b']", Type::String, none.clone(), json!(["a"]), json!(["c"])),
        ("lambda x: x not in [1, 2,]", Type::Integer, none.clone(), json!([3]), json!([2])),
        (
            "lambda x: 'k' in x and x['k'] == 1",
            Type::Object,
            none.clone(),
            json!([{"k": 1}]),
            json!([{"k": 2}, {}]),
        ),
        ("lambda x: 'a' in x", Type::List, none.clone(), json!([["a"]]), json!([["b"]])),
        ("lambda x: 1.5 < x < 2", Type::Number, none.clone(), json!([1.75]), json!([1.5, 2])),
        ("lambda x: (x - 1) * 2 + -3 == 5", Type::Integer, none, json!([5]), json!([4])),
    ];
    assert_rows(&rows);
}

#[test]
fn parameters_stand_for_what_the_file_says() {
    let rows = [
        (
            "lambda x, min_val, max_val: min_val <= x <= max_val",
            Type::Integer,
            json!({"min_val": -5, "max_val": 10}),
            json!([-5, 10]),
            json!([-6, 11]),
        ),
        (
            "lambda x, text: text in x",
            Type::String,
            json!({"text": "a'\"\\\n"}),
            json!(["xa'\"\\\n"]),
            json!(["a"]),
        ),
        ("lambda x, low: x > low", Type::Integer, json!({"low": 1.5}), json!([2]), json!([1])),
    ];
    assert_rows(&rows);
}

#[test]
fn rules_between_fields_hold_where_their_lambda_is_true() {
    let types = [("a".to_owned(), Type::Integer), ("done".to_owned(), Type::Boolean)];
    let rows = [
        (
            "lambda e: e['a'] > e['b']",
            json!([{"a": 2, "b": 1}]),
            json!([{"a": 1, "b": 2}, {"a": 1}, {}]),
        ),
        ("lambda e: e.get('a', 0) >= e.get('b', 0)", json!([{}, {"a": 1}]), json!([{"b": 1}])),
        (
            "lambda e: e.get('done') and e['a'] > 0",
            json!([{"done": true, "a": 1}]),
            json!([{"a": 1}, {"done": false, "a": 1}]),
        ),
        (
            "lambda e: not e.get('done', False) or e.get('a', 0) > 0",
            json!([{}, {"done": true, "a": 1}]),
            json!([{"done": true}]),
        ),
        ("lambda e: e.get('b') is not None", json!([{"b": 0}]), json!([{}])),
        ("lambda e: 'b' not in e", json!([{}]), json!([{"b": 1}])),
        (
            "lambda e: e['a'] > 0 or e['b'] > 0",
            json!([{"a": 1}, {"a": 0, "b": 1}]),
            json!([{"a": 0, "b": 0}]),
        ),
        ("lambda e: True", json!([{}]), json!([])),
    ];
    for (text, good, bad) in rows {
        let it = translated(text, Meaning::Evidence(&types))
            .unwrap_or_else(|why| panic!("{text}: {why}"));
        for (values, wanted) in [(good, true), (bad, false)] {
            for fields in values.as_array().unwrap() {
                let held = holds(&it.expression, &json!({"fields": fields}));
                assert_eq!(held, wanted, "{text} is {} of {fields}", it.expression);
            }
        }
    }
    let it = translated("lambda e: e['a'] > e.get('c', 0)", Meaning::Evidence(&types)).unwrap();
    assert_eq!(it.names.into_iter().collect::<Vec<_>>(), ["a", "c"]);
}

#[test]
fn what_cannot_be_said_exactly_is_refused_by_its_name() {
    let rows = [
        ("lambda x: all(c in 'abc' for c in x)", Type::String, "it calls `all`"),
        ("lambda x: re.match('a', x) is not None", Type::String, "it names `re`"),
        ("lambda x: __import__('os').system('ls')", Type::String, "it calls `__import__`"),
        ("lambda x: x.lower() == 'a'", Type::String, "it calls `.lower()`"),
        ("lambda x: isinstance(x, list)", Type::List, "it calls `isinstance`"),
        ("lambda x: x / 2 > 1", Type::Integer, "`/` stands in it"),
        ("lambda x: x if x else 0", Type::Integer, "`if` stands in it"),
        ("lambda x: (x or 1) > 0", Type::Integer, "`>` compares what it cannot be told of"),
        ("lambda x: x == 'a'", Type::Integer, "`==` compares values of different types"),
        ("lambda x: len(x) > 0", Type::Integer, "it asks for the length of what has none"),
        (
            "lambda x, low: x > low",
            Type::Integer,
            "`validator_params` does not say what its parameter `low` is",
        ),
        ("lambda x: x == r'a'", Type::String, "a text with `r` in front stands in it"),
        ("lambda x: x == 'a\\n'", Type::String, "a text with escapes stands in it"),
        ("lambda x: x > 0x10", Type::Integer, "the number `0x10` stands in it"),
        ("lambda x", Type::Integer, "it has no end"),
        ("lambda x: x >", Type::Integer, "it has no end"),
        ("lambda x: x $ 1", Type::Integer, "`$` stands in it"),
        ("lambda *x: True", Type::Integer, "`*` stands in it"),
        ("lambda x=1: x", Type::Integer, "`=` stands in it"),
        ("lambda: True", Type::Integer, "`:` stands in it"),
    ];
    for (text, of, why) in rows {
        assert_eq!(of_field(text, of, &json!({})), Err(why.to_owned()), "{text}");
    }
    let deep = format!("lambda x: {}x{}", "(".repeat(200), ")".repeat(200));
    assert_eq!(
        of_field(&deep, Type::Integer, &json!({})),
        Err("it is nested too deeply".to_owned())
    );
}

#[test]
fn words_in_any_order_are_translated_or_refused() {
    const WORDS: &[&str] = &[
        "x",
        "e",
        "lambda",
        ":",
        "(",
        ")",
        "[",
        "]",
        "'a'",
        "\"",
        "'",
        "1",
        "2.5",
        "<",
        "<=",
        "==",
        "and",
        "or",
        "not",
        "in",
        "is",
        "None",
        "True",
        ".get",
        ".startswith",
        "len",
        ",",
        "-",
        "*",
        "+",
        "{",
        "ä",
        "0x1",
        "\\",
        "if",
        "for",
        "\n",
    ];
    let mut seed = 0x5eed_1234_u64;
    let mut below = |bound: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed % bound as u64).unwrap()
    };
    let (params, types) = (Map::new(), [("a".to_owned(), Type::Integer)]);
    let mut read = 0;
    for _ in 0..10_000 {
        let words: Vec<&str> = (0..below(12)).map(|_| WORDS[below(WORDS.len())]).collect();
        let text = format!("lambda x: {}", words.join(" "));
        for meaning in [Meaning::Field(Type::Integer, &params), Meaning::Evidence(&types)] {
            if let Ok(it) = translated(&text, meaning) {
                read += 1;
                assert!(Expression::compile(&it.expression).is_ok(), "{text} is {}", it.expression);
            }
        }
    }
    assert!(read > 50, "{read}");
}
