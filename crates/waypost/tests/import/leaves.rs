//! Whether nothing of a value is missing in another.

use serde_json::Value;

/// Every leaf of a value that is not at the same place in another: numbers that no record can hold count as their text.
pub(crate) fn missing(of: &Value, within: &Value) -> Vec<String> {
    let mut missing = Vec::new();
    compare(of, within, "", &mut missing);
    missing
}

fn compare(of: &Value, within: &Value, at: &str, missing: &mut Vec<String>) {
    match of {
        Value::Object(fields) => {
            for (key, value) in fields {
                compare(value, &within[key.as_str()], &format!("{at}/{key}"), missing);
            }
        }
        Value::Array(items) => {
            for (place, value) in items.iter().enumerate() {
                compare(value, &within[place], &format!("{at}/{place}"), missing);
            }
        }
        leaf if leaf == within => {}
        Value::Number(number) if within.as_str() == Some(&number.to_string()) => {}
        leaf => missing.push(format!("{at}: {leaf} is {within}")),
    }
}
