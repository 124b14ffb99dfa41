//! The activity of a session: every tool call that a hook saw, and command lines as they were run.
//! Bulky, local and unsigned; nothing is decided by it, and losing it loses nothing that matters.
//! Credentials are taken out.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use waypost_core::actor::Actor;
use waypost_core::id::SessionId;
use waypost_core::key::sha256_hex;
use waypost_core::redact::redact;
use waypost_core::text::shortened;
use waypost_core::time::Timestamp;
use waypost_store::files;

use crate::view::{View, journal};

/// A log that has grown beyond this is begun anew; the one before is kept.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// The longest command line that is kept whole, in characters.
const MAX_LINE: usize = 4096;
/// How many lines are published.
const EXCERPT: usize = 200;

/// Something that was done.
#[derive(Debug)]
pub struct Deed<'a> {
    /// Who did it.
    pub actor: &'a Actor,
    /// With what: a tool of the harness, or `waypost run`.
    pub tool: &'a str,
    /// What exactly: a command line, a file, a skill.
    pub what: &'a str,
    /// How it ended, where that is known.
    pub status: Option<i32>,
    /// The files of the project that it changed, as far as that is known.
    pub files: &'a [String],
}

#[derive(Serialize)]
struct Entry<'a> {
    time: Timestamp,
    actor: String,
    tool: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    what: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<i32>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    files: &'a [String],
}

/// Of an entry, the files that were changed.
#[derive(Deserialize)]
struct Changed {
    #[serde(default)]
    actor: String,
    #[serde(default)]
    files: Vec<String>,
}

/// Notes something that was done. Failing to is no failure of anything else.
pub fn note(view: &View<'_>, session: &SessionId, deed: &Deed<'_>) {
    let what = shortened(&redact(deed.what), MAX_LINE);
    let files: Vec<String> = deed.files.iter().map(|file| redact(file).into_owned()).collect();
    let entry = Entry {
        time: view.host.now(),
        actor: deed.actor.label(),
        tool: deed.tool,
        what: &what,
        status: deed.status,
        files: &files,
    };
    let _ = journal::append(&path(view, session), &entry, MAX_BYTES);
}

/// The files that were changed in a session, as far as this machine saw it.
pub fn files_of(view: &View<'_>, session: &SessionId) -> BTreeSet<String> {
    changed(view, session, |_| true)
}

/// Those that somebody changed, by the label of an actor.
pub fn files_by(view: &View<'_>, session: &SessionId, label: &str) -> BTreeSet<String> {
    changed(view, session, |actor| actor == label)
}

fn changed(
    view: &View<'_>,
    session: &SessionId,
    is_wanted: impl Fn(&str) -> bool,
) -> BTreeSet<String> {
    let content = files::read(&path(view, session), 2 * MAX_BYTES).ok().flatten();
    let text = content.unwrap_or_default();
    let lines = text.split(|byte| *byte == b'\n').map(String::from_utf8_lossy);
    let changing = lines.filter(|line| line.contains("\"files\":"));
    changing
        .filter_map(|line| serde_json::from_str::<Changed>(&line).ok())
        .filter(|one| is_wanted(&one.actor))
        .flat_map(|one| one.files)
        .collect()
}

/// The last lines of a session's activity, if there is any.
pub fn excerpt(view: &View<'_>, session: &SessionId) -> Option<String> {
    let content = files::read(&path(view, session), 2 * MAX_BYTES).ok()??;
    let text = String::from_utf8_lossy(&content);
    let lines: Vec<&str> = text.lines().collect();
    let last = &lines[lines.len().saturating_sub(EXCERPT)..];
    Some(last.iter().flat_map(|line| [line, "\n"]).collect())
}

/// Where the activity of a session is noted. Sessions of different repositories may have the same id.
pub(crate) fn path(view: &View<'_>, session: &SessionId) -> PathBuf {
    folder(view).join(format!("{session}.jsonl"))
}

/// Where that of a project's sessions is.
pub(crate) fn folder(view: &View<'_>) -> PathBuf {
    let store = view.project.store.as_os_str().as_encoded_bytes();
    let project = &sha256_hex(&[store])[..12];
    view.host.state_dir.join("activity").join(project)
}

/// Where the activity before that is, if there was so much of it.
pub(crate) fn path_before(path: &Path) -> PathBuf {
    journal::before(path)
}
