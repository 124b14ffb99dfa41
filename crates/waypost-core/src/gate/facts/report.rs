//! Reports: what is asked of one, and what was found in it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::glob;

/// A report that was looked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundReport {
    /// Its path, relative to the project.
    pub path: String,
    /// Its front matter.
    pub fields: BTreeMap<String, String>,
    /// The session that it is about, where it names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// What it finds, where it gives a verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<ReportVerdict>,
}

impl FoundReport {
    /// A report of which only the front matter is known.
    pub fn of_fields(path: &str, fields: BTreeMap<String, String>) -> Self {
        Self { path: path.to_owned(), fields, session: None, verdict: None }
    }
}

/// What a report finds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportVerdict {
    /// Whether all is well.
    pub passed: bool,
    /// Its own words.
    pub said: String,
    /// The line where they stand.
    pub line: u64,
}

/// What is asked of a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedReport {
    /// What has to stand in its front matter, word for word.
    #[serde(default)]
    pub with: BTreeMap<String, String>,
    /// The session that it has to be about, and find that all is well; in whatever spelling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passes: Option<String>,
}

impl AskedReport {
    /// Whether a report says what is asked for.
    pub fn fits(&self, report: &FoundReport) -> bool {
        let says = |value: &str, wanted: &str| {
            value.eq_ignore_ascii_case(wanted) || glob::matches(wanted, value)
        };
        let fields = self
            .with
            .iter()
            .all(|(key, wanted)| report.fields.get(key).is_some_and(|value| says(value, wanted)));
        fields && self.misses(report).is_none()
    }

    /// Whether a report is about the session that is asked about.
    pub fn concerns(&self, report: &FoundReport) -> bool {
        self.passes.is_some() && report.session == self.passes
    }

    /// What a report lacks to say that all is well with the session.
    pub fn misses(&self, report: &FoundReport) -> Option<String> {
        let session = self.passes.as_ref()?;
        match (&report.session, &report.verdict) {
            (None, _) => Some("names no session".to_owned()),
            (Some(about), _) if about != session => Some(format!("is about {about}")),
            (Some(_), None) => Some("gives no verdict".to_owned()),
            (Some(_), Some(verdict)) if !verdict.passed => {
                Some(format!("says `{}` in line {}", verdict.said, verdict.line))
            }
            (Some(_), Some(_)) => None,
        }
    }
}
