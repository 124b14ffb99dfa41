//! Formats of other tools, a module each: it takes bytes and gives what they mean, tolerant of how people and programs
//! write them and bounded, and tells with file and line what it cannot take. What comes out are gates, definitions and
//! facts like any others. Nothing here decides anything, and nothing else knows these formats. Files are opened elsewhere,
//! but for those of `requirements`, which lie over each other and name each other: that module reads them itself.

pub mod brain;
pub mod formats;
pub mod json;
pub mod named_session;
pub mod praxis;
pub mod praxis_session;
pub mod protocol;
pub mod protocol_session;
pub mod qa_report;
pub mod requirement_state;
pub mod requirements;
pub mod session;
pub mod session_folder;
pub mod session_log;
pub mod yaml;

mod lines;
mod words;

#[cfg(test)]
mod mutations;
