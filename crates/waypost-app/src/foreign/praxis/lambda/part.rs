//! The parts of a lambda as parts of an expression, with what is known of their types.

use serde_json::Value;
use waypost_core::gate::proof::fields::Type;

/// What is known of a part's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Int,
    Float,
    Text,
    List,
    Map,
    /// Anything.
    Any,
    /// Only whether it is true counts: Python's `and` and `or` give one of their sides.
    Truth,
    /// All of the evidence.
    Evidence,
}

/// A part as an expression.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub(super) text: String,
    pub(super) kind: Kind,
    /// The field that it is, where that may be missing.
    pub(super) maybe: Option<String>,
}

impl Part {
    pub(super) fn new(text: impl Into<String>, kind: Kind) -> Self {
        Self { text: text.into(), kind, maybe: None }
    }
}

/// What was read, or what stands in the way.
pub(super) type Parsed<T = Part> = Result<T, String>;

/// Conditions with a sign between them.
pub(super) fn join(mut parts: Vec<Part>, sign: &str) -> Part {
    if parts.len() == 1 {
        return parts.remove(0);
    }
    let kind = parts.first().map_or(Kind::Truth, |part| part.kind);
    let texts: Vec<String> = parts.into_iter().map(|part| part.text).collect();
    Part::new(format!("({})", texts.join(sign)), kind)
}

/// Whether Python takes a part for true.
pub(super) fn truth(part: &Part) -> Parsed<String> {
    let Part { text, kind, maybe } = part;
    let held = match kind {
        Kind::Bool | Kind::Truth => text.clone(),
        Kind::Int | Kind::Float => format!("{text} != 0"),
        Kind::Text | Kind::List | Kind::Map => format!("size({text}) > 0"),
        Kind::Any | Kind::Evidence => {
            return Err(format!("whether `{text}` is true depends on its type, which is not said"));
        }
    };
    Ok(match maybe {
        Some(name) => format!("({} in fields && {held})", self::text(name)),
        None => held,
    })
}

/// A comparison as Python makes it.
pub(super) fn comparison(left: &Part, operator: &str, right: &Part) -> Parsed<String> {
    if let Some(asked) = is_there(left, operator, right) {
        return Ok(asked);
    }
    let unfit = |part: &Part| matches!(part.kind, Kind::Truth | Kind::Evidence);
    let null = |part: &Part| part.text == "null";
    if (unfit(left) || unfit(right) && operator != "in" && operator != "not in")
        || null(left)
        || null(right)
    {
        return Err(format!("`{operator}` compares what it cannot be told of"));
    }
    if left.maybe.is_some() || right.maybe.is_some() {
        return Err("it compares `.get()` without a value for what is missing".to_owned());
    }
    let (one, other) = (&left.text, &right.text);
    let numbers = |kind| matches!(kind, Kind::Int | Kind::Float);
    let alike = left.kind == right.kind || (numbers(left.kind) && numbers(right.kind));
    match operator {
        "in" | "not in" => {
            let found = contained(left, right)?;
            Ok(if operator == "in" { found } else { format!("!({found})") })
        }
        "is" | "is not" => {
            let constant = |part: &Part| part.text == "true" || part.text == "false";
            if left.kind != Kind::Bool || !constant(right) {
                return Err("`is` compares something other than True and False".to_owned());
            }
            Ok(format!("{one} {} {other}", if operator == "is" { "==" } else { "!=" }))
        }
        _ if alike || left.kind == Kind::Any || right.kind == Kind::Any => {
            Ok(format!("{one} {operator} {other}"))
        }
        _ => Err(format!("`{operator}` compares values of different types")),
    }
}

/// `e.get('a') is None` and `'a' in e`: whether a field was given.
fn is_there(left: &Part, operator: &str, right: &Part) -> Option<String> {
    let (name, there) = match (operator, &left.maybe) {
        ("is not" | "!=", Some(name)) if right.text == "null" => (text(name), true),
        ("is" | "==", Some(name)) if right.text == "null" => (text(name), false),
        ("in", None) if right.kind == Kind::Evidence && left.kind == Kind::Text => {
            (left.text.clone(), true)
        }
        ("not in", None) if right.kind == Kind::Evidence && left.kind == Kind::Text => {
            (left.text.clone(), false)
        }
        _ => return None,
    };
    Some(if there { format!("{name} in fields") } else { format!("!({name} in fields)") })
}

fn contained(item: &Part, holder: &Part) -> Parsed<String> {
    match (item.kind, holder.kind) {
        (Kind::Text, Kind::Text) => Ok(format!("{}.contains({})", holder.text, item.text)),
        (Kind::Text, Kind::Map) | (Kind::Text | Kind::Int | Kind::Bool, Kind::List) => {
            Ok(format!("{} in {}", item.text, holder.text))
        }
        _ => Err("`in` looks into what cannot be told of".to_owned()),
    }
}

/// A sum, difference or product.
pub(super) fn calculated(left: &Part, operator: &str, right: &Part) -> Parsed {
    match (left.kind, right.kind) {
        (Kind::Int, Kind::Int) if left.maybe.is_none() && right.maybe.is_none() => {
            Ok(Part::new(format!("({} {operator} {})", left.text, right.text), Kind::Int))
        }
        _ => Err(format!("`{operator}` calculates with something other than whole numbers")),
    }
}

impl Kind {
    /// That of a field.
    pub(super) fn of(of: Type) -> Self {
        match of {
            Type::Boolean => Self::Bool,
            Type::Integer => Self::Int,
            Type::Number => Self::Float,
            Type::String => Self::Text,
            Type::List => Self::List,
            Type::Object => Self::Map,
        }
    }
}

/// A plain value as an expression writes it.
pub(super) fn literal(value: &Value) -> Option<Part> {
    match value {
        Value::Bool(yes) => Some(Part::new(yes.to_string(), Kind::Bool)),
        Value::Number(number) if number.is_i64() => {
            Some(Part::new(format!("({number})"), Kind::Int))
        }
        Value::Number(number) if number.is_f64() => {
            Some(Part::new(format!("double('{number}')"), Kind::Float))
        }
        Value::String(value) => Some(Part::new(text(value), Kind::Text)),
        Value::Array(items) => {
            let items: Option<Vec<String>> =
                items.iter().map(|item| Some(literal(item)?.text)).collect();
            Some(Part::new(format!("[{}]", items?.join(", ")), Kind::List))
        }
        Value::Null | Value::Number(_) | Value::Object(_) => None,
    }
}

/// A text in quotes.
pub(super) fn text(value: &str) -> String {
    let escape = |unit: char| match unit {
        '\\' => "\\\\".to_owned(),
        '"' => "\\\"".to_owned(),
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        unit if unit.is_control() => format!("\\u{:04x}", u32::from(unit)),
        unit => unit.to_string(),
    };
    format!("\"{}\"", value.chars().map(escape).collect::<String>())
}
