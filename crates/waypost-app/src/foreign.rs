//! Formats of other tools: each is one module that takes bytes and gives what they mean, tolerant of
//! how people and programs write them, and bounded. Nothing here decides anything, and nothing else
//! knows these formats.

pub mod named_session;
pub mod qa_report;
pub mod session_log;

mod lines;
mod words;

#[cfg(test)]
mod mutations;
