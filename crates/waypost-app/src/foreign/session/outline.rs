//! What a manifest says of a session, for readers of formats that have none.

use serde_json::{Map, Value, json};
use waypost_core::time::Timestamp;

/// Where a session is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Status {
    /// Work goes on, or stopped without a word.
    #[default]
    Active,
    /// Work rests.
    Paused,
    /// It reached what it was for.
    Complete,
    /// It did not.
    Failed,
}

impl Status {
    fn word(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Paused => "paused",
            Self::Complete => "complete",
            Self::Failed => "failed",
        }
    }
}

/// What a manifest says of a session.
#[derive(Debug, Clone, Default)]
pub struct Outline {
    /// The name that the other program has for it.
    pub session_id: String,
    /// What it is for.
    pub topic: String,
    /// The same at more length.
    pub description: Option<String>,
    /// Where it is in its life.
    pub status: Status,
    /// When it began.
    pub created_at: Option<Timestamp>,
    /// When something last happened.
    pub updated_at: Option<Timestamp>,
    /// Its branch.
    pub branch: Option<String>,
    /// Its commits: hash, message, time.
    pub commits: Vec<(String, String, Option<Timestamp>)>,
}

impl Outline {
    /// The manifest. What is not known is not in it.
    pub fn manifest(self) -> Value {
        let is_over = matches!(self.status, Status::Complete | Status::Failed);
        let mut fields = Map::new();
        let mut put = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                fields.insert(key.to_owned(), value);
            }
        };
        put("session_id", Some(self.session_id.into()));
        put("topic", Some(self.topic.into()));
        put("description", self.description.map(Value::from));
        put("session_type", Some("quick".into()));
        put("status", Some(self.status.word().into()));
        put("current_phase", Some(if is_over { "complete" } else { "build" }.into()));
        put("created_at", self.created_at.map(|time| time.to_string().into()));
        put("updated_at", self.updated_at.map(|time| time.to_string().into()));
        put("git", self.branch.map(|branch| json!({"branch": branch})));
        let commits: Vec<Value> = self
            .commits
            .into_iter()
            .map(|(sha, message, time)| {
                let time = time.map(|time| time.to_string());
                json!({"sha": sha, "message": message, "created_at": time})
            })
            .collect();
        put("commits", (!commits.is_empty()).then(|| commits.into()));
        Value::Object(fields)
    }
}
