//! What a caller gave to a tool: the part that every tool takes, and the tool's own.

use std::cell::RefCell;

use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde::de::value::MapDeserializer;
use serde_json::Value;
use waypost_app::error::AppError;
use waypost_core::text::{one_line, shortened};

/// The longest part of a message that repeats what the caller gave.
const MAX_REPEATED: usize = 300;

/// What every tool takes beside its own arguments.
#[derive(Debug, Default)]
pub(crate) struct Common {
    /// The session that is meant.
    pub(crate) session_id: Option<String>,
    /// The version of it that the caller decided on.
    pub(crate) expected_version: Option<u64>,
}

/// The arguments that every tool takes, with their schemas.
pub(crate) fn common_schemas() -> [(&'static str, Value); 3] {
    [
        (
            "session_id",
            serde_json::json!({
                "type": ["string", "null"],
                "description": "The session that is meant: its id, or enough of its beginning. \
                    Without it: this conversation's session, else the work tree's only active one."
            }),
        ),
        (
            "session_dir",
            serde_json::json!({
                "type": ["string", "null"],
                "description": "The session's folder, in the place of session_id."
            }),
        ),
        (
            "expected_version",
            serde_json::json!({
                "type": ["integer", "null"],
                "minimum": 0,
                "description": "The session's version that you decided on. If it is another one by \
                    now, nothing is done and the answer is a conflict with both versions."
            }),
        ),
    ]
}

/// Splits what was given into the common part and the tool's own, and understands both.
pub(crate) fn parse<T: DeserializeOwned>(mut given: JsonObject) -> Result<(Common, T), AppError> {
    let id = text(&mut given, "session_id")?;
    let folder = text(&mut given, "session_dir")?.map(|folder| session_in(&folder)).transpose()?;
    let session_id = match (id, folder) {
        (Some(id), Some(folder)) if !folder.starts_with(&id) => {
            return Err(refused(&format!(
                "`session_id` is {id} and `session_dir` that of {folder}: give one of them"
            )));
        }
        (id, folder) => folder.or(id),
    };
    let expected_version = match given.remove("expected_version") {
        None | Some(Value::Null) => None,
        Some(Value::Number(number)) if number.is_u64() => number.as_u64(),
        Some(other) => return Err(wrong("expected_version", "a whole number", &other)),
    };
    Ok((Common { session_id, expected_version }, own(given)?))
}

fn text(given: &mut JsonObject, name: &str) -> Result<Option<String>, AppError> {
    match given.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(wrong(name, "a string", &other)),
    }
}

/// The session whose folder this is: folders have their sessions' names, wherever they lie.
fn session_in(folder: &str) -> Result<String, AppError> {
    let name = folder.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    if name.is_empty() || name == "." || name == ".." {
        return Err(refused(&format!("argument `session_dir`: `{folder}` is no session's folder")));
    }
    Ok(name.to_owned())
}

/// Understands the tool's own arguments. The message names the one that does not fit, which the
/// library's own does only where one is missing or unknown.
fn own<T: DeserializeOwned>(given: JsonObject) -> Result<T, AppError> {
    let current = RefCell::new(String::new());
    let watched = given.into_iter().inspect(|(name, _)| current.borrow_mut().clone_from(name));
    T::deserialize(MapDeserializer::new(watched)).map_err(|error: serde_json::Error| {
        let message = error.to_string();
        let names_it = ["missing field", "unknown field"].iter().any(|it| message.starts_with(it));
        let message =
            if names_it { message } else { format!("argument `{}`: {message}", current.borrow()) };
        refused(&message)
    })
}

fn wrong(name: &str, wanted: &str, given: &Value) -> AppError {
    refused(&format!("argument `{name}`: expected {wanted}, not {given}"))
}

fn refused(message: &str) -> AppError {
    AppError::configuration(shortened(&one_line(message), MAX_REPEATED))
        .hint("call it again with the arguments that its input schema describes")
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Own {
        name: String,
        count: Option<u32>,
    }

    fn parsed(value: Value) -> Result<(Common, Own), String> {
        let Value::Object(given) = value else { panic!("an object") };
        parse(given).map_err(|error| error.message)
    }

    #[test]
    fn the_common_part_stands_beside_the_tools_own() {
        let given = json!({"name": "a", "count": 2, "session_id": "2026", "expected_version": 7});
        let (common, own) = parsed(given).unwrap();
        assert_eq!(
            (common.session_id.as_deref(), common.expected_version),
            (Some("2026"), Some(7))
        );
        assert_eq!((own.name.as_str(), own.count), ("a", Some(2)));
    }

    #[test]
    fn a_folder_stands_for_its_session() {
        for folder in [
            "2026-11-15_x_abcdef",
            "agents/sessions/2026-11-15_x_abcdef/",
            "/a/2026-11-15_x_abcdef",
        ] {
            let (common, _) = parsed(json!({"name": "a", "session_dir": folder})).unwrap();
            assert_eq!(common.session_id.as_deref(), Some("2026-11-15_x_abcdef"), "{folder}");
        }
        let both =
            |id: &str| json!({"name": "a", "session_id": id, "session_dir": "x/2026-11-15_x_a"});
        let (common, _) = parsed(both("2026-11-15_x")).unwrap();
        assert_eq!(common.session_id.as_deref(), Some("2026-11-15_x_a"));
        assert!(parsed(both("2026-11-16")).unwrap_err().contains("give one of them"));
        for none in ["", "/", ".", "a/.."] {
            let error = parsed(json!({"name": "a", "session_dir": none})).unwrap_err();
            assert!(error.contains("is no session's folder"), "{none}: {error}");
        }
    }

    #[test]
    fn what_does_not_fit_is_named() {
        for (given, said) in [
            (json!({}), "missing field `name`"),
            (json!({"name": "a", "other": 1}), "unknown field `other`"),
            (json!({"name": 5}), "argument `name`: invalid type"),
            (json!({"name": "a", "count": "x"}), "argument `count`: invalid type"),
            (json!({"name": "a", "session_id": 1}), "argument `session_id`: expected a string"),
            (json!({"name": "a", "session_dir": 1}), "argument `session_dir`: expected a string"),
            (json!({"name": "a", "expected_version": -1}), "argument `expected_version`"),
        ] {
            let error = parsed(given.clone()).unwrap_err();
            assert!(error.contains(said), "{given}: {error}");
        }
    }
}
