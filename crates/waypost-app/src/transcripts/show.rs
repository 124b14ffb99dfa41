//! A conversation as its transcript tells it, for people and programs. Redacted.

use std::path::PathBuf;

use serde::Serialize;
use waypost_core::redact::redact;
use waypost_core::text::printable;
use waypost_core::time::Timestamp;

use super::{By, CallEnd, Conversation, Entry, Kept, Scope, What, conversations};
use crate::error::AppError;
use crate::harness::{Does, Tool, ToolEnd};

/// How many candidates are named.
const MAX_NAMED: usize = 5;

/// A conversation.
#[derive(Debug, Serialize)]
pub struct Shown {
    /// The client.
    pub client: &'static str,
    /// The conversation.
    pub conversation: String,
    /// The folder that it began in.
    pub folder: Option<PathBuf>,
    /// Its files.
    pub files: Vec<PathBuf>,
    /// What was said and done.
    pub entries: Vec<ShownEntry>,
    /// How many lines could not be read.
    pub unreadable: u64,
}

/// Something that was said or done.
#[derive(Debug, Serialize)]
pub struct ShownEntry {
    /// When it was.
    pub time: Option<Timestamp>,
    /// Who: `human`, `client`, `agent`, `subagent`, `tool`.
    pub by: &'static str,
    /// What.
    pub text: String,
}

/// The conversation with that id, or whose id begins so.
pub fn show(kept: &[Kept], id: &str) -> Result<Shown, AppError> {
    let conversation = named(kept, id)?;
    let mut shown = Shown {
        client: conversation.client,
        folder: conversation.folder.clone(),
        files: conversation.files.iter().map(|found| found.file.clone()).collect(),
        entries: Vec::new(),
        unreadable: 0,
        conversation: conversation.id,
    };
    for found in &conversation.files {
        let (entries, unreadable) = (&mut shown.entries, &mut shown.unreadable);
        let read = found.read(&mut |entry, _| match entry {
            Some(entry) => entries.extend(said_by(&entry).map(|(by, said)| ShownEntry {
                time: entry.time,
                by,
                text: printable(&redact(&said)),
            })),
            None => *unreadable += 1,
        });
        if let Err(error) = read {
            let file = found.file.display();
            return Err(AppError::refused(format!("cannot read {file}: {error}")));
        }
    }
    // Of several files, what happened at the same time stands together.
    shown.entries.sort_by_key(|entry| entry.time);
    Ok(shown)
}

fn named(kept: &[Kept], id: &str) -> Result<Conversation, AppError> {
    let mut found = conversations(kept, &Scope::default());
    if let Some(at) = found.iter().position(|one| one.id == id) {
        return Ok(found.swap_remove(at));
    }
    found.retain(|one| !id.is_empty() && one.id.starts_with(id));
    match found.len() {
        0 => Err(AppError::refused(format!("no conversation's id is {id} or begins so"))),
        1 => Ok(found.swap_remove(0)),
        several => {
            let names: Vec<&str> =
                found.iter().take(MAX_NAMED).map(|one| one.id.as_str()).collect();
            let more = if several > MAX_NAMED { ", …" } else { "" };
            Err(AppError::refused(format!(
                "{several} conversations begin with {id}: {}{more}",
                names.join(", ")
            )))
        }
    }
}

/// Who said or did something, and what.
pub(crate) fn said_by(entry: &Entry) -> Option<(&'static str, String)> {
    let agent = if entry.subagent.is_some() { "subagent" } else { "agent" };
    match &entry.what {
        What::Prompt { text, by: By::Human } => Some(("human", text.clone())),
        What::Prompt { text, by: By::Client } => Some(("client", text.clone())),
        What::Said(text) => Some((agent, text.clone())),
        What::Called { tool, .. } => Some((agent, called(tool))),
        What::Returned(returned) => Some((
            "tool",
            format!("{}{}", ended(returned.end), returned.printed.as_deref().unwrap_or_default()),
        )),
        What::Compacted => Some(("client", "the conversation was shortened".to_owned())),
        What::Interrupted => Some(("human", "interrupted the agent".to_owned())),
        What::Missing(why) => Some(("client", why.clone())),
        What::In(_) | What::Used(_) | What::Total(_) | What::Ended => None,
    }
    .filter(|(_, text)| !text.trim().is_empty())
}

fn called(tool: &Tool) -> String {
    match about(tool) {
        about if about.is_empty() => tool.name.clone(),
        about => format!("{}: {about}", tool.name),
    }
}

/// What a tool is called with, as far as that is told.
pub(super) fn about(tool: &Tool) -> String {
    match &tool.does {
        Does::Shell { command, .. } => command.clone(),
        Does::Read(path) | Does::Look(path) | Does::Edit(path) => path.display().to_string(),
        Does::Skill(skill) => skill.clone(),
        Does::EditUnnamed | Does::Git { .. } | Does::Ask | Does::Other => String::new(),
    }
}

pub(super) fn ended(end: CallEnd) -> String {
    match end {
        CallEnd::Ran(ToolEnd::Succeeded | ToolEnd::Empty) => String::new(),
        CallEnd::Ran(ToolEnd::Failed(status)) => format!("(failed with status {status}) "),
        CallEnd::Ran(ToolEnd::Unclear) => "(how it ended is not told) ".to_owned(),
        CallEnd::Prevented => "(it did not run) ".to_owned(),
    }
}
