//! Sessions of a session protocol, from what it leaves behind: logs in Markdown and JSON, the state that stands in for
//! Serena, and Serena's own memories. Several of these can tell of one session; [`known_by`] tells them. Reads values
//! and text, opens no file, and ticks nothing off by itself.

mod carried;
mod entry;
mod json;
mod log;
mod markdown;
mod memory;
mod merging;
mod page;
mod sections;
mod state;
mod status;
mod writing;

pub(in crate::foreign) use log::steps;
pub use merging::{again, is_memory, known_by};
pub(in crate::foreign) use page::Page;
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
        return state::read(file, fields, times).or_else(|| {
            carried::read(file, fields, times).map(|log| Reading::Sessions(vec![log]))
        });
    }
    let text = file.text()?;
    memory::read(file, text, times)
        .or_else(|| markdown::read(file, text, times))
        .or_else(|| no_session(file, text))
}

/// Other files of the protocol, and where they belong.
fn no_session(file: &ForeignFile<'_>, text: &str) -> Option<Reading> {
    let name = file.name.to_lowercase();
    let title = Page::of(text).title.to_lowercase();
    let told = if is_protocol(&title) && text.contains("MUST") {
        "it is a session protocol, which `protocol` in waypost.toml names"
    } else if title.starts_with("session handoff") || name.ends_with("-handoff.md") {
        "it is a handoff between sessions and no session's log: it stays where it is, and a note can \
         name it"
    } else if name.contains("template") && title.contains("session") {
        "it is a template, which holds no session"
    } else if name.contains("qa") && is_report(file, text) {
        "it is a report, which is read where it lies when a gate asks for it"
    } else {
        return None;
    };
    Some(Reading::NoSession(told.to_owned()))
}

/// Whether a title is that of a protocol, which says no more than its version.
fn is_protocol(title: &str) -> bool {
    let rest = title.strip_prefix("session protocol").map(str::trim_start);
    rest.is_some_and(|rest| {
        let mut letters = rest.chars();
        let is_version =
            letters.next() == Some('v') && letters.next().is_some_and(char::is_numeric);
        is_version || !rest.starts_with(char::is_alphabetic)
    })
}

/// Whether a text gives a verdict and says that it is a report: pages about reports quote them.
fn is_report(file: &ForeignFile<'_>, text: &str) -> bool {
    let says = text.starts_with("---") || Page::of(text).title.to_lowercase().contains("report");
    says && qa_report::read(file.path, text.as_bytes()).verdict.is_some()
}

#[cfg(test)]
mod tests;
