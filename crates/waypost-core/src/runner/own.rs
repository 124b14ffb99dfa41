//! What a project says of runners of its own. It is part of the policy, and so of what is pinned and signed.

use serde::{Deserialize, Serialize};

use super::profile::{Format, List, Operands, Reading, Runner, Words, Wrapper};

/// The profiles of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Profile {
    /// Test runners.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub runners: Vec<OwnRunner>,
    /// What runs the command behind it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub wrappers: Vec<OwnWrapper>,
    /// How output says how many tests ran.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub formats: Vec<OwnFormat>,
}

/// A project's own test runner. The fields are told in `runners/README.md`.
#[expect(missing_docs, reason = "they are those of a profile")]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OwnRunner {
    pub name: String,
    pub spellings: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub own: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub own_valued: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub formats: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folder: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub file: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub everywhere: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tops: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub in_full: Vec<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hands_on: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub switches: Vec<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub abbreviates: bool,
    pub reading: OwnReading,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<OwnReading>,
}

/// How the arguments of a project's own runner are read.
#[expect(missing_docs, reason = "they are those of a profile")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OwnReading {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub idle: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub narrow: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub valued: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub whole: Vec<String>,
    pub operands: Operands,
    pub bare: bool,
}

impl Default for OwnReading {
    fn default() -> Self {
        let none = Vec::new;
        Self {
            idle: none(),
            narrow: none(),
            valued: none(),
            whole: none(),
            operands: Operands::default(),
            bare: true,
        }
    }
}

/// A project's own wrapper.
#[expect(missing_docs, reason = "they are those of a profile")]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OwnWrapper {
    pub words: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub valued: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folder: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub idle: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<String>,
    pub operands: usize,
    pub assigns: bool,
}

/// A project's own format of output.
#[expect(missing_docs, reason = "they are those of a profile")]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OwnFormat {
    pub name: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub summary: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub passed: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub total: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ran: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub each_passed: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub each_failed: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub each_skipped: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nothing: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uncounted: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stopped: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub went_on: Vec<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub last: bool,
}

impl OwnRunner {
    pub(super) fn runner(&self) -> Runner<'_> {
        Runner {
            name: &self.name,
            spellings: List::Own(&self.spellings),
            own: List::Own(&self.own),
            own_valued: List::Own(&self.own_valued),
            variables: List::Own(&self.variables),
            formats: List::Own(&self.formats),
            folder: List::Own(&self.folder),
            file: List::Own(&self.file),
            everywhere: List::Own(&self.everywhere),
            tops: List::Own(&self.tops),
            in_full: List::Own(&self.in_full),
            hands_on: self.hands_on,
            switches: List::Own(&self.switches),
            abbreviates: self.abbreviates,
            reading: self.reading.reading(),
            after: self.after.as_ref().map(OwnReading::reading),
        }
    }
}

impl OwnReading {
    fn reading(&self) -> Reading<'_> {
        Reading {
            idle: List::Own(&self.idle),
            narrow: List::Own(&self.narrow),
            valued: List::Own(&self.valued),
            whole: List::Own(&self.whole),
            operands: self.operands,
            bare: self.bare,
        }
    }
}

impl OwnWrapper {
    pub(super) fn wrapper(&self) -> Wrapper<'_> {
        Wrapper {
            words: &self.words,
            valued: List::Own(&self.valued),
            folder: List::Own(&self.folder),
            idle: List::Own(&self.idle),
            skipped: List::Own(&self.skipped),
            objection: "",
            operands: self.operands,
            assigns: self.assigns,
        }
    }
}

impl OwnFormat {
    pub(super) fn format(&self) -> Format<'_> {
        Format {
            name: &self.name,
            summary: List::Own(&self.summary),
            words: Words {
                passed: List::Own(&self.passed),
                failed: List::Own(&self.failed),
                skipped: List::Own(&self.skipped),
                total: List::Own(&self.total),
                ran: List::Own(&self.ran),
                other: List::Own(&self.other),
            },
            each_passed: List::Own(&self.each_passed),
            each_failed: List::Own(&self.each_failed),
            each_skipped: List::Own(&self.each_skipped),
            nothing: List::Own(&self.nothing),
            uncounted: List::Own(&self.uncounted),
            names: List::Own(&self.names),
            ignored: List::Own(&self.ignored),
            after: List::Own(&self.after),
            stopped: List::Own(&self.stopped),
            went_on: List::Own(&self.went_on),
            over: List::Built(&[]),
            last: self.last,
        }
    }
}
