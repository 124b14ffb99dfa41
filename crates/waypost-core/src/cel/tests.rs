//! Expressions by example: what holds, what is refused, where, and in which words.

use serde_json::json;

use super::*;

fn facts() -> Json {
    json!({
        "branch": { "name": "feature/login", "size": 312, "labels": { "x-y": "z" } },
        "usage": { "cost_usd": 4.25, "tokens": 18_446_744_073_709_551_615_u64, "limit": null },
        "session": { "violations": 0, "title": "Überblick" },
        "conversations": { "live": 1 },
        "reviews": [
            { "by": "ann", "ok": true, "tags": ["a", "b"] },
            { "by": "bob", "ok": false, "tags": [] },
        ],
        "value": 3,
    })
}

fn holds(source: &str) -> Result<bool, CelError> {
    Expression::compile(source)?.holds(&facts())
}

#[test]
fn expressions_over_facts_hold_or_do_not() {
    for (source, expected) in [
        ("branch.size < 400", true),
        ("usage.cost_usd < 5", true),
        ("usage.cost_usd > 4", true),
        ("usage.cost_usd == 4.25", true),
        ("usage.tokens > 1", true),
        ("session.violations == 0", true),
        ("session.violations == 0.0", true),
        (r#"branch.name.startsWith("feature/")"#, true),
        (r#"branch.name.endsWith('logout') || branch.name.contains("log")"#, true),
        ("conversations.live == 1 && branch.size > 400", false),
        ("usage.limit == null", true),
        ("usage.limit != null && usage.limit > 3", false),
        ("usage.limit == null ? branch.size < 500 : branch.size < usage.limit", true),
        ("has(branch.size)", true),
        ("has(branch.owner)", false),
        ("has(branch.owner) && branch.owner.name == 'ann'", false),
        ("value > 0", true),
        ("value in [1, 2, 3]", true),
        (r#"branch.name in ["a", "b"]"#, false),
        ("size(session.title) == 9 && session.title.size() == 9", true),
        (r#"branch.labels["x-y"] == "z""#, true),
        ("'x-y' in branch.labels", true),
        ("reviews.all(r, r.ok)", false),
        ("reviews.exists(r, r.by == 'ann' && r.ok)", true),
        ("reviews.exists_one(r, r.ok)", true),
        ("size(reviews.filter(r, r.ok)) == 1", true),
        ("reviews.map(r, r.by) == ['ann', 'bob']", true),
        ("reviews[0].tags.size() == 2 && reviews[1].tags == []", true),
        ("[1, 2].exists(branch, branch == 2)", true),
        ("int('12') + 1 == 13 && string(value) == '3' && double(value) == 3.0", true),
        ("-value < 0 && !(value == 4) && 7 % 4 == value && value * 2 - 1 == 5", true),
        ("value == 3 // as it has to be\n", true),
        (r"'\u00dc' == 'Ü' && r'\n' != '\n'", true),
        ("true", true),
    ] {
        assert_eq!(holds(source), Ok(expected), "{source}");
    }
}

fn assert_refused(cases: &[(&str, usize, &str)], refuse: impl Fn(&str) -> Result<(), CelError>) {
    for (source, column, message) in cases {
        let error = refuse(source).expect_err(source);
        assert_eq!((error.column, error.message.as_str()), (*column, *message), "{source}");
    }
}

#[test]
fn what_is_not_well_formed_is_refused_where_it_goes_wrong() {
    let cases = [
        ("", 1, "the expression is empty"),
        (" // nothing", 1, "the expression is empty"),
        ("branch.size <", 14, "expected a value before the end"),
        ("branch.size < )", 15, "`)` is not expected here; expected a value"),
        ("branch.size 400", 13, "`400` is not expected here; expected an operator or the end"),
        ("(value > 1", 11, "expected `)` before the end"),
        ("value in [1, 2", 15, "expected `]` before the end"),
        ("size(value > 1", 15, "expected `)` before the end"),
        ("value ? 1", 10, "expected `:` in conditional expression before the end"),
        ("value = 1", 7, "`=` is not an operator: did you mean `==`?"),
        ("value & 1", 7, "unexpected single '&', expected '&&'"),
        ("value == 'a", 10, "the text has no closing quote"),
        ("value == 'ä' § 1", 14, "`§` is not expected outside of quotes"),
        ("'ä' == value.", 14, "expected identifier after `.` before the end"),
        ("value ==\n  ) 1", 12, "`)` is not expected here; expected a value"),
        (r"value == '\q'", 10, r"the text has a `\` that begins nothing known"),
        ("value == 99999999999999999999", 10, "invalid int literal"),
        ("while == 1", 1, "`while` is a reserved word"),
        (".value == 1", 1, "`.` needs a value before it"),
        ("branch.?size == 1", 7, "unsupported syntax `.?`"),
        ("`value` == 1", 1, "a name stands without quotes"),
        ("value == b'a'", 10, "facts are text: leave out the `b`"),
        ("1 == Point{x: 1}", 6, "`Point` is no type: there are no types to make"),
    ];
    assert_refused(&cases, |source| Expression::compile(source).map(|_| ()));
}

#[test]
fn only_known_functions_are_called_and_only_as_they_can_be() {
    let cases = [
        ("1 < sise(value)", 5, "there is no function `sise`; did you mean `size`?"),
        (
            "value.matches('a+')",
            7,
            "there is no function `matches`; regular expressions are left out; see contains, \
             startsWith, endsWith",
        ),
        ("size()", 1, "`size` is written `size(value)`"),
        ("contains(value, 'a')", 1, "`contains` is written `text.contains(part)`"),
        ("1 < 2 && reviews.all(r)", 18, "`all` is written `list.all(item, condition)`"),
        ("has(value)", 5, "invalid argument to has() macro"),
        ("reviews.all(1, true)", 13, "argument must be a simple name"),
    ];
    assert_refused(&cases, |source| Expression::compile(source).map(|_| ()));
    for name in ["now", "timestamp", "duration", "type", "dyn", "bytes", "optMap", "matches"] {
        let error = Expression::compile(&format!("{name}(value)")).unwrap_err();
        assert!(error.message.contains(&format!("no function `{name}`")), "{error}");
    }
}

#[test]
fn what_cannot_be_told_from_the_facts_is_an_error_that_says_why() {
    let cases = [
        ("value", 1, "the result is an int, not true or false"),
        ("branch.name", 1, "the result is a string, not true or false"),
        ("usage.cost_usd", 1, "the result is a double, not true or false"),
        ("usage.limit", 1, "the result is null, not true or false"),
        ("reviews", 1, "the result is a list, not true or false"),
        ("branch", 1, "the result is a map, not true or false"),
        ("1 < branch.sise", 5, "there is no fact `branch.sise`; did you mean `branch.size`?"),
        (
            "true || brnach.size > 1",
            9,
            "there is no fact `brnach.size`; did you mean `branch.size`?",
        ),
        ("has(brunch.size)", 5, "there is no fact `brunch`; did you mean `branch`?"),
        ("something.else < 1", 1, "there is no fact `something.else`"),
        ("branch.size.of < 1", 1, "there is no fact `branch.size.of`; did you mean `branch.size`?"),
        ("reviews.all(r, x.ok)", 16, "there is no fact `x.ok`"),
        ("reviews.all(r, r.okay)", 18, "there is no `okay` in the map"),
        ("branch.labels['q'] == 'z'", 1, "there is no `q` in the map"),
        ("reviews[2].ok", 8, "the list has no item 2"),
        (
            "usage.limit < 3",
            13,
            "`<` cannot be applied to null and int; ask for null first: `fact != null && …`",
        ),
        (
            "usage.cost_usd + 1 < 9.0",
            16,
            "`+` cannot be applied to double and int; write 1.0 for 1, or use double(…)",
        ),
        ("branch.name < 3", 13, "`<` cannot be applied to string and int"),
        ("value.startsWith('a')", 7, "`startsWith` cannot be applied to int and string"),
        ("!value", 1, "`!` cannot be applied to int"),
        ("value && true", 7, "`&&` cannot be applied to int and bool"),
        ("value ? true : false", 1, "expected a bool, found an int"),
        ("value.all(x, true)", 1, "expected a list, found an int"),
        ("1 / (value - 3) == 1", 3, "division by zero"),
        ("value % 0 == 1", 7, "division by zero"),
        ("9223372036854775807 + value > 0", 21, "the result of `+` is too large a number"),
        (
            "branch.map(key, key) == []",
            1,
            "`map` and `filter` need a list: the fields of a map have no order",
        ),
    ];
    assert_refused(&cases, |source| holds(source).map(|_| ()));
}

#[test]
fn the_facts_that_it_refers_to_are_told() {
    for (source, expected) in [
        ("branch.size < 400 && branch.name != ''", "branch.name branch.size"),
        ("branch.name.startsWith(session.title)", "branch.name session.title"),
        ("has(usage.limit) ? usage.limit > 1 : true", "usage usage.limit"),
        ("reviews.all(r, r.ok && r.by != value)", "reviews value"),
        ("reviews.all(value, value.ok) && value > 1", "reviews value"),
        ("branch.labels['x'].y == reviews[value].by", "branch.labels reviews value"),
        ("{'a': value}.a == [usage.limit][0]", "usage.limit value"),
        ("1 < 2", ""),
    ] {
        let found = Expression::compile(source).unwrap().references();
        assert_eq!(found.into_iter().collect::<Vec<_>>().join(" "), expected, "{source}");
    }
}

#[test]
fn the_source_is_kept_and_makes_it_equal() {
    let expression = Expression::compile(" value > 0").unwrap();
    assert_eq!(expression.source(), " value > 0");
    assert_eq!(expression, Expression::compile(" value > 0").unwrap());
    assert_ne!(expression, Expression::compile("value > 0").unwrap());
}

#[test]
fn facts_that_are_no_object_are_no_facts() {
    let expression = Expression::compile("value > 0").unwrap();
    for facts in [Json::Null, json!([1]), json!("value"), json!({})] {
        assert_eq!(expression.holds(&facts).unwrap_err().message, "there is no fact `value`");
    }
}
