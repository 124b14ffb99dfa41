//! One file of the framework.

use serde_json::{Map, Value};

use crate::foreign::session::ForeignFile;

/// What one file tells.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// What is satisfied on a branch.
    Branch {
        /// The branch.
        branch: String,
        /// All of the file.
        whole: Map<String, Value>,
    },
    /// The sessions that are known.
    Registry(Map<String, Value>),
    /// What a session did.
    Metrics {
        /// The session.
        key: String,
        /// All of the file.
        whole: Map<String, Value>,
    },
    /// A session whose requirements rest.
    Pause {
        /// The session.
        key: String,
        /// All of the file.
        whole: Map<String, Value>,
    },
}

impl Part {
    /// What it tells of, and when that was last changed, in seconds.
    pub fn subject(&self) -> (String, u64) {
        let (subject, whole) = match self {
            Self::Branch { branch, whole } => (format!("branch {branch}"), whole),
            Self::Registry(whole) => ("registry".to_owned(), whole),
            Self::Metrics { key, whole } => (format!("metrics {key}"), whole),
            Self::Pause { key, whole } => (format!("pause {key}"), whole),
        };
        (subject, whole.get("updated_at").and_then(Value::as_u64).unwrap_or_default())
    }
}

/// What a file tells; `None` if it is none of the framework's.
pub fn read(file: &ForeignFile<'_>) -> Option<Result<Part, String>> {
    let is_pause = file.name.to_ascii_lowercase().ends_with(".paused");
    if let Some(text) = file.text().filter(|_| is_pause) {
        // That it is there is what counts for the framework.
        let text = text.trim();
        let said = (!text.is_empty()).then(|| ("reason".to_owned(), text.into()));
        let whole = said.into_iter().collect();
        return Some(Ok(Part::Pause { key: file.stem().to_owned(), whole }));
    }
    let fields = file.json()?;
    let has = |key: &str| fields.contains_key(key);
    let object = |key: &str| fields.get(key).is_some_and(Value::is_object);
    let text = |key: &str| fields.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let whole = || fields.clone();
    if is_pause {
        let key = file.stem().to_owned();
        return Some(Ok(Part::Pause { key, whole: whole() }));
    }
    if object("tools") && has("session_id") && object("requirements") {
        let key = text("session_id");
        if key.is_empty() {
            return Some(Err("its `session_id` names no session; put it right".to_owned()));
        }
        return Some(Ok(Part::Metrics { key, whole: whole() }));
    }
    if object("requirements") && has("branch") && (has("project") || has("version")) {
        let branch = text("branch");
        if branch.is_empty() {
            return Some(Err("its `branch` names no branch; put it right".to_owned()));
        }
        return Some(Ok(Part::Branch { branch, whole: whole() }));
    }
    let sessions = fields.get("sessions").and_then(Value::as_object)?;
    let is_entry = |entry: &Value| {
        ["pid", "project_dir", "last_active"].iter().any(|key| entry.get(*key).is_some())
    };
    let registry = sessions.values().any(is_entry);
    registry.then(|| Ok(Part::Registry(whole())))
}
