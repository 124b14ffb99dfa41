//! Names of things: sessions, conversations, streams, rulings. No id can leave its folder.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::text;
use crate::time::Timestamp;

/// A text cannot be an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{}` cannot be an id: ids have 1 to 128 characters out of letters, digits, `-`, `_` and `.`, \
     and begin with a letter or digit", text::shortened(&text::one_line(.0), 60)
)]
pub struct IdError(String);

fn checked(id: &str) -> Result<String, IdError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let begins_well = id.starts_with(|c: char| c.is_ascii_alphanumeric());
    if begins_well && id.len() <= 128 && id.chars().all(plain) {
        Ok(id.to_owned())
    } else {
        Err(IdError(id.to_owned()))
    }
}

macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = IdError;
            fn from_str(text: &str) -> Result<Self, IdError> {
                checked(text).map(Self)
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdError;
            fn try_from(text: String) -> Result<Self, IdError> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id_type! {
    /// A session: `2026-11-15_add-login_k3f9a2`.
    SessionId
}
id_type! {
    /// A conversation: the harness' own session id.
    ConversationId
}
id_type! {
    /// A ruling that denied or warned: `r-1f2e3d4c`.
    RulingId
}

impl SessionId {
    /// The id of a session begun at `now`, about `topic` if it has one, told apart by `random`.
    pub fn new(now: Timestamp, topic: Option<&str>, random: [u8; 6]) -> Self {
        const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
        let slug = topic.map_or_else(|| "session".to_owned(), text::slug);
        let suffix: String =
            random.iter().map(|byte| char::from(LETTERS[usize::from(byte & 31)])).collect();
        Self(format!("{}_{slug}_{suffix}", now.day()))
    }
}

impl SessionId {
    /// The id of the how-manieth session of the day that a protocol numbers.
    pub fn numbered(now: Timestamp, number: u32) -> Self {
        Self(format!("{}-session-{number:02}", now.day()))
    }

    /// The id of a session that is called so elsewhere: its name, as far as names of sessions are like that, else what is
    /// left of it and a hash, so that different names stay different.
    pub fn of_name(name: &str) -> Self {
        const KEPT: usize = 100;
        if let Ok(id) = name.parse() {
            return id;
        }
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
        let told: String = name.chars().take(KEPT).map(plain).collect();
        let told = told.trim_matches(['-', '_', '.']);
        let told = if told.is_empty() { "session" } else { told };
        let hash = crate::key::sha256_hex(&[name.as_bytes()]);
        let id = format!("{told}_{}", &hash[..6]);
        id.parse().unwrap_or_else(|_| Self(format!("session_{}", &hash[..6])))
    }

    /// Whether a protocol numbered it.
    pub fn is_numbered(&self) -> bool {
        self.0.split_once("-session-").is_some_and(|(day, number)| {
            day.len() == 10 && !number.is_empty() && number.bytes().all(|c| c.is_ascii_digit())
        })
    }
}

impl ConversationId {
    /// No conversation: whoever looks without being in one.
    pub fn nobody() -> Self {
        Self("nobody".to_owned())
    }
}

impl RulingId {
    /// A ruling id made of random bytes.
    pub fn new(random: [u8; 4]) -> Self {
        Self(format!("r-{}", crate::key::hex(&random)))
    }
}

/// Which ordered list of events something belongs to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StreamId {
    /// What concerns the whole project.
    Project,
    /// One session.
    Session(SessionId),
}

impl fmt::Display for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Project => f.write_str("project"),
            Self::Session(id) => write!(f, "session/{id}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_could_leave_its_folder_is_refused() {
        for bad in ["", "..", ".hidden", "a/b", "a\\b", "a\0b", "a b", "-x", "é", &"x".repeat(129)]
        {
            assert!(bad.parse::<SessionId>().is_err(), "{bad:?}");
        }
        assert!("2026-11-15_add-login_k3f9a2".parse::<SessionId>().is_ok());
    }

    #[test]
    fn a_session_id_begins_with_the_day_and_the_topic() {
        let now = "2026-11-15T23:59:59.999Z".parse().unwrap();
        let id = SessionId::new(now, Some("Add login"), [0, 1, 2, 31, 32, 255]);
        assert_eq!(id.as_str(), "2026-11-15_add-login_abc9a9");
        assert_eq!(SessionId::new(now, None, [0; 6]).as_str(), "2026-11-15_session_aaaaaa");
        assert!(!SessionId::new(now, None, [0; 6]).is_numbered());
        let hundredth = SessionId::numbered(now, 100);
        assert_eq!(hundredth.as_str(), "2026-11-15-session-100");
        assert!(hundredth.is_numbered());
    }
}
