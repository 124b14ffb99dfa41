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
                let at = format!("{at}/{key}");
                match within.get(key) {
                    Some(within) => compare(value, within, &at, missing),
                    None => missing.push(format!("{at}: {value} is gone")),
                }
            }
            if fields.is_empty() && !within.is_object() {
                missing.push(format!("{at}: an empty object is {within}"));
            }
        }
        Value::Array(items) => {
            for (place, value) in items.iter().enumerate() {
                let at = format!("{at}/{place}");
                match within.get(place) {
                    Some(within) => compare(value, within, &at, missing),
                    None => missing.push(format!("{at}: {value} is gone")),
                }
            }
            if items.is_empty() && !within.is_array() {
                missing.push(format!("{at}: an empty list is {within}"));
            }
        }
        leaf if leaf == within => {}
        Value::Number(number) if within.as_str() == Some(&number.to_string()) => {}
        leaf => missing.push(format!("{at}: {leaf} is {within}")),
    }
}
