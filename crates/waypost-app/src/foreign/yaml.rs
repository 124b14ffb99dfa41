//! YAML as a tree of values with their lines, resolved as PyYAML's `safe_load` does, whose users wrote the files that
//! are read here. Never builds anything but plain values, and never more of them than a bounded number.

mod build;
mod scalar;
mod tree;

use crate::config::Problem;
use build::Builder;
pub(in crate::foreign) use build::{MAX_DEPTH, MAX_NODES};

pub use tree::{Entry, Node, Value};

/// A larger file is refused unread.
pub const MAX_BYTES: usize = 1024 * 1024;

/// A file's one document.
#[derive(Debug, Clone, PartialEq)]
pub struct Yaml {
    /// What it says; nothing at all is null.
    pub root: Node,
    /// What was read, but not as it may have been meant: keys that stand there twice.
    pub told: Vec<Problem>,
}

/// Reads a file's text.
pub fn parse(file: &str, text: &str) -> Result<Yaml, Problem> {
    let refused = |line, message| Problem { file: file.to_owned(), line, message };
    if text.len() > MAX_BYTES {
        let message = format!("it has {} bytes; at most {MAX_BYTES} are read", text.len());
        return Err(refused(1, message));
    }
    if let Some((line, unfit)) = unprintable(text) {
        let message = format!(
            "the character U+{:04X} cannot stand in YAML; write it as an escape between double quotes",
            u32::from(unfit)
        );
        return Err(refused(line, message));
    }
    match Builder::new(file).build(text) {
        Ok(yaml) => Ok(yaml),
        Err(fault) => Err(refused(fault.line, fault.message)),
    }
}

/// The first character that YAML does not allow, and its line. Some parsers take one for the end of the file.
fn unprintable(text: &str) -> Option<(usize, char)> {
    let allowed = |unit: char| {
        matches!(unit, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fffd}')
            || unit >= '\u{10000}'
    };
    let (at, unfit) = text.char_indices().find(|(_, unit)| !allowed(*unit))?;
    Some((text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1, unfit))
}

#[cfg(test)]
mod tests;
