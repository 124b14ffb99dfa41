//! Sessions of a session protocol, from what it leaves behind: logs in Markdown and JSON, the state that stands in for
//! Serena, and Serena's own memories. Several of these can tell of one session; [`known_by`] tells them. Reads values
//! and text, opens no file, and ticks nothing off by itself.

mod json;
mod log;
mod markdown;
mod memory;
mod merging;
mod state;
mod writing;

pub(in crate::foreign) use log::steps;
pub(in crate::foreign) use markdown::Page;
pub use merging::known_by;
pub use writing::write;

use super::qa_report;
use super::session::times::Times;
use super::session::{ForeignFile, Reading};

/// The format's name.
pub const FORMAT: &str = "session-log";

/// Reads what a session protocol left behind; `None` if the file is none of that.
pub fn read(file: &ForeignFile<'_>, times: &Times<'_>) -> Option<Reading> {
    times.took_naive();
    if let Some(fields) = file.json() {
        if fields.contains_key("$schema") && fields.contains_key("properties") {
            return Some(Reading::NoSession(
                "it is a JSON schema, which holds no session".to_owned(),
            ));
        }
        return state::read(file, fields, times).or_else(|| json::read(file, fields, times));
    }
    let text = file.text()?;
    memory::read(file, text, times)
        .or_else(|| markdown::read(file, text, times))
        .or_else(|| no_session(file, text))
}

/// Other files of the protocol, and where they belong.
fn no_session(file: &ForeignFile<'_>, text: &str) -> Option<Reading> {
    let name = file.name.to_ascii_lowercase();
    if name.contains("session-protocol") && text.contains("MUST") {
        return Some(Reading::NoSession(
            "it is a session protocol, which `protocol` in waypost.toml names".to_owned(),
        ));
    }
    let is_report = || qa_report::read(file.path, text.as_bytes()).verdict.is_some();
    (name.contains("qa") && is_report()).then(|| {
        Reading::NoSession(
            "it is a report, which is read where it lies when a gate asks for it".to_owned(),
        )
    })
}

#[cfg(test)]
mod tests;
