//! Where somebody said something, or called a tool with it. Reads the transcripts themselves.

use std::path::PathBuf;

use serde::Serialize;
use waypost_core::redact::redact;
use waypost_core::text::{one_line, printable, shortened};
use waypost_core::time::Timestamp;

use super::show::said_by;
use super::{Kept, Scope, conversations};

/// So much is shown around what was found, in characters.
const AROUND: usize = 80;
/// More is not shown.
const MAX_HITS: usize = 1_000;

/// What was found.
#[derive(Debug, Clone, Serialize)]
pub struct Hit {
    /// The client.
    pub client: &'static str,
    /// The conversation.
    pub conversation: String,
    /// When it was.
    pub time: Option<Timestamp>,
    /// Who: `human`, `client`, `agent`, `subagent`, `tool`.
    pub by: &'static str,
    /// The words around it.
    pub text: String,
    /// The file.
    pub file: PathBuf,
    /// Where in it the line begins.
    pub at: u64,
}

/// All that was found.
#[derive(Debug, Default, Serialize)]
pub struct Hits {
    /// The first of them.
    pub hits: Vec<Hit>,
    /// How many there are.
    pub found: usize,
    /// How many lines could not be read.
    pub unreadable: u64,
}

/// Searches conversations for a text, whatever its case.
pub fn search(kept: &[Kept], scope: &Scope, text: &str) -> Hits {
    let wanted = text.to_lowercase();
    let mut all = Hits::default();
    for conversation in conversations(kept, scope) {
        for found in &conversation.files {
            let mut unreadable = 0;
            let read = found.read(&mut |entry, at| {
                let Some(entry) = entry else {
                    unreadable += 1;
                    return;
                };
                let is_old =
                    matches!((entry.time, scope.since), (Some(time), Some(since)) if time < since);
                let Some((by, said)) = said_by(&entry).filter(|_| !is_old) else { return };
                // What is redacted cannot be found by it either.
                let said = redact(&said);
                let Some(around) = around(&said, &wanted) else { return };
                all.found += 1;
                if all.hits.len() < MAX_HITS {
                    all.hits.push(Hit {
                        client: conversation.client,
                        conversation: conversation.id.clone(),
                        time: entry.time,
                        by,
                        text: around,
                        file: found.file.clone(),
                        at,
                    });
                }
            });
            all.unreadable += if read.is_ok() { unreadable } else { unreadable + 1 };
        }
    }
    all
}

/// The words around what is wanted.
fn around(said: &str, wanted: &str) -> Option<String> {
    let low = said.to_lowercase();
    let before = low[..low.find(wanted)?].chars().count();
    let text: String = said.chars().skip(before.saturating_sub(AROUND)).collect();
    let cut = if before > AROUND { "…" } else { "" };
    let length = before.min(AROUND) + wanted.chars().count() + AROUND;
    Some(format!("{cut}{}", shortened(&one_line(&printable(&text)), length)))
}
