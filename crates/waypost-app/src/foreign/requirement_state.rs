//! What the requirements framework keeps beside its configuration: what was satisfied on each branch, the sessions that
//! it registered, their metrics, and pauses. There a session is one agent's conversation, known by a UUID in some files
//! and by its first eight characters in others; facts of one stand in several files, so they are read file by file and
//! put together afterwards. Opens no file, and takes no pause over.

mod combine;
mod gathered;
mod measured;
mod part;

pub use combine::{Combined, SharedMark, combine};
pub use part::{Part, read};

use serde_json::{Map, Value};

use super::session::times::Times;
use super::session::{Brought, Content, ForeignFile};

/// The format's name.
pub const FORMAT: &str = "requirements";

/// A session whose files were read before, once more from what was kept of them.
pub fn again(files: &Map<String, Value>, name: &str, times: &Times<'_>) -> Option<Brought> {
    let part = |(path, value): (&String, &Value)| {
        let file = path.rsplit('/').next().unwrap_or(path).trim_end_matches('\'');
        let content = match value {
            Value::String(text) => Content::Text(text),
            json => Content::Json(json.clone()),
        };
        let part = read(&ForeignFile { name: file, path, content })?.ok()?;
        Some((path.clone(), part))
    };
    let parts: Option<Vec<(String, Part)>> = files.iter().map(part).collect();
    let mut sessions = combine(parts?, times).sessions.into_iter().map(|(session, _)| session);
    sessions.find(|session| session.name == name)
}

/// Whether a file says which requirements there are, not which are satisfied.
pub fn is_config(file: &ForeignFile<'_>) -> bool {
    let named = |name: &str| file.name.to_ascii_lowercase().ends_with(name);
    let Some(text) = file.text().filter(|_| named(".yaml") || named(".yml")) else { return false };
    let Ok(yaml) = super::yaml::parse(file.path, text) else { return false };
    yaml.root.get("requirements").is_some_and(|node| node.as_map().is_some())
}

#[cfg(test)]
mod tests;
