//! What the parser or the evaluator has to say against an expression, in one line.

use ::cel::objects::ValueType;
use ::cel::{ExecutionError, OverloadError, ParseErrors, Value};

use super::CelError;
use super::scan::{Source, column_of_only};
use crate::text;

const MAX_CHARACTERS: usize = 200;

/// The first of the parser's errors.
pub(super) fn of_parser(source: &Source<'_>, errors: &ParseErrors) -> CelError {
    let number = |number: isize| usize::try_from(number).unwrap_or(0);
    // An error of the parser as a whole has no place, and stands before those that have one.
    let Some(error) = errors.errors.iter().find(|error| error.pos.0 > 0).or(errors.errors.first())
    else {
        return CelError::new(1, "the expression is not well-formed");
    };
    let start = source.offset(number(error.pos.0), number(error.pos.1));
    let found = source.token_at(start).map_or_else(
        || "the end".to_owned(),
        |token| format!("`{}`", text::shortened(token.text, 40)),
    );
    let message = error.msg.strip_prefix("Syntax error: ").unwrap_or(&error.msg);
    let message = if let Some((_, wanted)) = message.split_once(" expecting ") {
        match wanted {
            "<EOF>" => format!("{found} is not expected here; expected an operator or the end"),
            "expression" => format!("expected a value before {found}"),
            wanted => format!("expected {} before {found}", wanted.replace('\'', "`")),
        }
    } else if message.starts_with("expected ") {
        format!("{} before {found}", message.replace('\'', "`"))
    } else if message == "unexpected token" {
        format!("{found} is not expected here; expected a value")
    } else if message.starts_with("unable to unescape") {
        "the text has a `\\` that begins nothing known".to_owned()
    } else if let Some(word) = message.strip_prefix("reserved identifier: ") {
        format!("`{word}` is a reserved word")
    } else {
        message.replace('\'', "`")
    };
    source.error(start, one_line(&message))
}

pub(super) fn not_a_bool(value: &Value) -> String {
    format!("the result is {}, not true or false", with_article(type_of(value)))
}

/// Why an expression could not be evaluated; the place is told where it can only be one.
pub(super) fn of_evaluation(source: &str, error: &ExecutionError) -> CelError {
    let (place, message) = match error {
        ExecutionError::NoSuchOverload(overload) => of_overload(overload),
        ExecutionError::UnsupportedBinaryOperator(name, left, right) => {
            let sign = sign(name);
            (sign, cannot_be_applied(sign, &[type_of(left), type_of(right)]))
        }
        ExecutionError::ValuesNotComparable(left, right) => {
            let types = format!("{} and {}", type_of(left), type_of(right));
            ("", format!("{types} cannot be compared"))
        }
        ExecutionError::UnexpectedType { got, want } => {
            let want = if want == "iterable" { "list" } else { want };
            ("", format!("expected {}, found {}", with_article(want), with_article(got)))
        }
        ExecutionError::NoSuchKey(key) => {
            (key.as_str(), format!("there is no `{}` in the map", text::shortened(key, 64)))
        }
        ExecutionError::UndeclaredReference(name) => {
            (name.as_str(), format!("there is no fact `{}`", text::shortened(name, 64)))
        }
        ExecutionError::DivisionByZero(_) => ("/", "division by zero".to_owned()),
        ExecutionError::RemainderByZero(_) => ("%", "division by zero".to_owned()),
        ExecutionError::Overflow(name, ..) => {
            let sign = sign(name);
            (sign, format!("the result of `{sign}` is too large a number"))
        }
        ExecutionError::IndexOutOfBounds(Value::Int(index)) => {
            ("[", format!("the list has no item {index}"))
        }
        ExecutionError::IndexOutOfBounds(_) => ("[", "the list has no such item".to_owned()),
        ExecutionError::UnsupportedIndex(..) => ("[", "this cannot be an index".to_owned()),
        ExecutionError::UnsupportedKeyType(_) => ("", "this cannot be a map's key".to_owned()),
        ExecutionError::DuplicateKey(_) => ("", "a map's key stands twice".to_owned()),
        ExecutionError::FunctionError { function, message } => {
            (function.as_str(), format!("`{function}` fails: {message}"))
        }
        other => ("", other.to_string()),
    };
    CelError::new(column_of_only(source, place), one_line(&message))
}

fn of_overload(overload: &OverloadError) -> (&str, String) {
    let place = sign(overload.function());
    let types: Vec<&str> = overload.argument_types().iter().map(|name| plain(name)).collect();
    match (place, types.as_slice()) {
        (".", [owner, _]) => ("", format!("{} has no fields", with_article(owner))),
        (place, types) => (place, cannot_be_applied(place, types)),
    }
}

fn cannot_be_applied(sign: &str, types: &[&str]) -> String {
    let hint = match types {
        ["int", "double"] | ["double", "int"] => "; write 1.0 for 1, or use double(…)",
        ["null", _] | [_, "null"] => "; ask for null first: `fact != null && …`",
        _ => "",
    };
    format!("`{sign}` cannot be applied to {}{hint}", types.join(" and "))
}

/// How an operator is written whose name this is.
fn sign(name: &str) -> &str {
    match name {
        "add" => "+",
        "sub" => "-",
        "mul" => "*",
        "div" => "/",
        "rem" => "%",
        "_[_]" => "[",
        "@in" => "in",
        _ => name.trim_matches('_'),
    }
}

fn plain(name: &str) -> &str {
    match name {
        "null_type" => "null",
        "float" => "double",
        _ => name,
    }
}

fn type_of(value: &Value) -> &'static str {
    match value.type_of() {
        ValueType::List => "list",
        ValueType::Map => "map",
        ValueType::Int => "int",
        ValueType::UInt => "uint",
        ValueType::Float => "double",
        ValueType::String => "string",
        ValueType::Bool => "bool",
        ValueType::Null => "null",
        _ => "unknown value",
    }
}

fn with_article(name: &str) -> String {
    let name = plain(name);
    match name {
        "null" => name.to_owned(),
        "int" | "unknown value" => format!("an {name}"),
        _ => format!("a {name}"),
    }
}

fn one_line(message: &str) -> String {
    text::shortened(&text::one_line(message), MAX_CHARACTERS)
}
