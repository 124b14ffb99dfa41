//! What a check found.

use serde::{Serialize, Serializer};

use waypost_core::next_step::{NextStep, Voice, lines};

use crate::error::{AppError, Kind};
use crate::harness::Health;

/// One thing that was looked at.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// What was looked at: a name that stays.
    pub check: &'static str,
    /// How good it is.
    pub health: Health,
    /// What was seen.
    pub detail: String,
    /// How to mend it.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "in_lines")]
    pub fix: Vec<NextStep>,
    /// What sort of failure it is.
    #[serde(skip)]
    pub kind: Kind,
}

impl Finding {
    pub(super) fn good(check: &'static str, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self { check, health: Health::Good, detail, fix: Vec::new(), kind: Kind::Refused }
    }

    pub(super) fn warning(
        check: &'static str,
        detail: impl Into<String>,
        fix: impl Into<NextStep>,
    ) -> Self {
        Self { health: Health::Warning, fix: vec![fix.into()], ..Self::good(check, detail) }
    }

    pub(super) fn bad(
        check: &'static str,
        detail: impl Into<String>,
        fix: impl Into<NextStep>,
    ) -> Self {
        let (health, kind) = (Health::Bad, Kind::Configuration);
        Self { health, fix: vec![fix.into()], kind, ..Self::good(check, detail) }
    }

    pub(super) fn error(check: &'static str, error: &AppError) -> Self {
        let fix = error.hints.clone();
        Self { health: Health::Bad, fix, kind: error.kind, ..Self::good(check, &error.message) }
    }
}

/// Scripts get a text.
fn in_lines<S: Serializer>(fix: &[NextStep], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&lines(fix, Voice::PERSON))
}
