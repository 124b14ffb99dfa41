//! How a destination is doing: from when on it is told what happens, and when it is tried again after it took nothing.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use waypost_core::text::{one_line, shortened};
use waypost_core::time::Timestamp;
use waypost_store::files;

use super::Waits;
use crate::error::AppError;
use crate::machine::host::Host;

const VERSION: u64 = 1;
const MAX_BYTES: u64 = 64 * 1024;
/// How much of what went wrong is kept.
const MAX_ERROR: usize = 500;
/// A destination that asks for more than this is asked again after this.
const MAX_ASKED: Duration = Duration::from_secs(60 * 60);

/// How a destination is doing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Health {
    #[serde(rename = "v")]
    version: u64,
    /// What people call it.
    pub address: String,
    /// From when on it is told what happens.
    pub since: Timestamp,
    /// How often it took nothing since it last took something.
    #[serde(default)]
    pub failures: u32,
    /// When it is tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_try: Option<Timestamp>,
    /// What went wrong last, until something is taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// When it last took something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken_at: Option<Timestamp>,
    /// How much it said that it does not want, ever.
    #[serde(default)]
    pub refused: u64,
    /// Why it did not want that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
}

impl Health {
    pub(super) fn new(address: &str, since: Timestamp) -> Self {
        Self {
            version: VERSION,
            address: address.to_owned(),
            since,
            failures: 0,
            next_try: None,
            error: None,
            taken_at: None,
            refused: 0,
            refusal: None,
        }
    }

    /// What is known; none where nothing is. Also what somebody should be told.
    pub(super) fn read(folder: &Path) -> (Option<Self>, Option<String>) {
        let path = file(folder);
        let told = |why: String| {
            let lost = "it is made anew, and what was sent last may be sent again";
            (None, Some(format!("{} cannot be used ({why}): {lost}", path.display())))
        };
        match files::read(&path, MAX_BYTES) {
            Ok(None) => (None, None),
            Ok(Some(content)) => match serde_json::from_slice::<Self>(&content) {
                Ok(health) if health.version == VERSION => (Some(health), None),
                Ok(_) => told("it is of another version".to_owned()),
                Err(error) => told(error.to_string()),
            },
            Err(error) => told(error.to_string()),
        }
    }

    pub(super) fn write(&self, folder: &Path) -> Result<(), AppError> {
        files::make_dir(folder)?;
        let text = serde_json::to_vec_pretty(self).map_err(|error| {
            AppError::refused(format!("how {} is doing cannot be written: {error}", self.address))
        })?;
        Ok(files::replace(&file(folder), &text, true)?)
    }

    /// Whether it may be tried now.
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.next_try.is_none_or(|then| then <= now)
    }

    /// It took nothing. The wait doubles each time, is never less than it asks for, and is another one for everybody who
    /// waits, so that they do not come back all at once.
    pub(super) fn fail(&mut self, host: &Host, waits: Waits, why: &str, after: Option<Duration>) {
        self.failures = self.failures.saturating_add(1);
        let doubled = 2_u32.saturating_pow(self.failures.saturating_sub(1).min(16));
        let wait = waits.first.saturating_mul(doubled).min(waits.longest);
        let part = host.random::<1>().map_or(0, |[byte]| byte);
        let wait = wait.mul_f64(0.5 + f64::from(part) / 512.0);
        let wait = wait.max(after.unwrap_or_default().min(MAX_ASKED));
        let millis = i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
        let then = host.now().as_millis().saturating_add(millis);
        self.next_try = Some(Timestamp::saturating_from_millis(then));
        self.error = Some(shortened(&one_line(why), MAX_ERROR));
    }

    /// It took something.
    pub(super) fn work(&mut self, now: Timestamp) {
        (self.failures, self.next_try, self.error) = (0, None, None);
        self.taken_at = Some(now);
    }

    /// It does not want something, ever.
    pub(super) fn refuse(&mut self, count: u64, why: &str) {
        self.refused = self.refused.saturating_add(count);
        self.refusal = Some(shortened(&one_line(why), MAX_ERROR));
    }
}

fn file(folder: &Path) -> PathBuf {
    folder.join("destination.json")
}
