//! What tools answer that changed a session.

use schemars::JsonSchema;
use serde::Serialize;
use waypost_app::error::AppError;
use waypost_core::id::SessionId;

use crate::call::Call;
use crate::outcome::Answer;

/// A session that was changed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Changed {
    /// The session.
    session_id: String,
    /// Its last record now: what `expected_version` is compared with.
    version: u64,
    /// What somebody should be told about how it is kept.
    warnings: Vec<String>,
}

impl Changed {
    /// The session as it is after the change.
    pub(in crate::tools) fn of(
        call: &Call<'_>,
        session: &SessionId,
        warnings: Vec<String>,
    ) -> Result<Self, AppError> {
        let version = call.view.glance(session)?.version;
        Ok(Self { session_id: session.to_string(), version, warnings })
    }

    /// What was done, and what somebody should be told.
    pub(in crate::tools) fn told(&self, done: String) -> String {
        let warnings = self.warnings.iter().map(|warning| format!("\nWarning: {warning}"));
        warnings.fold(done, |told, warning| told + &warning)
    }

    /// The answer of a tool that gives nothing else.
    pub(in crate::tools) fn answer(
        call: &Call<'_>,
        session: &SessionId,
        warnings: Vec<String>,
        done: String,
    ) -> Result<Answer<Self>, AppError> {
        let changed = Self::of(call, session, warnings)?;
        let text = changed.told(done);
        Ok(Answer::new(changed, text))
    }
}
