//! Which files conversations changed lately in a work tree, and when: a small journal for each conversation, so that
//! others can be told before they change the same file. Local, unsigned and short, like all activity: losing it loses
//! nothing but that. Whoever is alone in a work tree reads nothing here.

mod unnamed;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use waypost_core::alongside::{ChangedFile, OtherConversation};
use waypost_core::id::{ConversationId, SessionId};
use waypost_core::key::sha256_hex;
use waypost_core::redact::redact;
use waypost_core::time::Timestamp;
use waypost_store::{files, look};

use crate::machine::place::resolved;
use crate::machine::process::Process;
use crate::view::{View, journal};

/// A journal that has grown beyond this is begun anew; the one before is kept. It holds some 300 changes.
const MAX_BYTES: u64 = 64 * 1024;
/// A journal that nobody wrote to for so long tells nothing any more.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// Who changes files, or is told of it.
#[derive(Debug, Clone, Copy)]
pub struct Doer<'a> {
    /// What runs the agent.
    pub harness: &'a str,
    /// The conversation.
    pub conversation: &'a ConversationId,
    /// The session that it works in.
    pub session: &'a SessionId,
    /// The subagent, where one acts.
    pub subagent: Option<&'a str>,
    /// What sort of agent that is.
    pub agent_type: Option<&'a str>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    /// The conversation changed a file.
    Changed {
        file: String,
        at: Timestamp,
        harness: String,
        conversation: ConversationId,
        session: SessionId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        subagent: Option<String>,
    },
    /// Its agent, or a subagent, was told what another one changed, and when that was.
    Told {
        file: String,
        by: ConversationId,
        at: Timestamp,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        subagent: Option<String>,
    },
}

/// The files by the one name that every spelling of them leads to, relative to the work tree.
pub fn real_names(view: &View<'_>, paths: &[String]) -> Vec<String> {
    let root = &view.place().project.root;
    let real = look::real(root).unwrap_or_else(|_| root.clone());
    let names = paths.iter().filter_map(|path| {
        let found = resolved(&root.join(path));
        let below = found.strip_prefix(&real).or_else(|_| found.strip_prefix(root)).ok()?;
        Some(redact(&below.to_string_lossy()).into_owned())
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names.dedup();
    names
}

/// A conversation is at work here, so that the others look whose changes are whose.
pub fn arrive(view: &View<'_>, conversation: &ConversationId) {
    let journal = journal_of(view, conversation);
    if !look::is_there(&journal) {
        let _ = files::make_dir(&folder(view));
        let _ = files::replace(&journal, b"", false);
    }
}

/// Whether another one is, or was within a day. Its journal's name is enough.
fn has_others(view: &View<'_>, own: &ConversationId) -> bool {
    let own = names_of(own);
    let mut entries = look::folder(folder(view)).into_iter().flatten().flatten();
    entries.any(|entry| {
        let name = entry.file_name();
        own.iter().all(|own| name.to_str() != Some(own)) && !is_old(&entry)
    })
}

/// Notes that files of the work tree were changed. Failing to is no failure of anything else.
pub fn note(view: &View<'_>, doer: &Doer<'_>, paths: &[String]) {
    let changed = |file: String| Line::Changed {
        file,
        at: view.host.moment(),
        harness: doer.harness.to_owned(),
        conversation: doer.conversation.clone(),
        session: doer.session.clone(),
        subagent: doer.agent_type.or(doer.subagent).map(str::to_owned),
    };
    let lines: Vec<Line> = real_names(view, paths).into_iter().map(changed).collect();
    append(view, doer, &lines);
}

/// Of what others changed, what this agent was not told yet; it counts as told from now on.
pub fn untold(
    view: &View<'_>,
    doer: &Doer<'_>,
    others: Vec<OtherConversation>,
) -> Vec<OtherConversation> {
    let known = read(&journal_of(view, doer.conversation));
    let is_known = |other: &OtherConversation, changed: &ChangedFile| {
        known.iter().any(|line| match line {
            Line::Told { file, by, at, subagent } => {
                *file == changed.file
                    && *by == other.conversation
                    && *at >= changed.at
                    && subagent.as_deref() == doer.subagent
            }
            Line::Changed { .. } => false,
        })
    };
    let mut lines = Vec::new();
    let left = others.into_iter().filter_map(|mut other| {
        let files = std::mem::take(&mut other.files);
        let new = files.into_iter().filter(|changed| !is_known(&other, changed)).collect();
        other.files = new;
        lines.extend(other.files.iter().map(|changed| Line::Told {
            file: changed.file.clone(),
            by: other.conversation.clone(),
            at: changed.at,
            subagent: doer.subagent.map(str::to_owned),
        }));
        (!other.files.is_empty()).then_some(other)
    });
    let left = left.collect();
    append(view, doer, &lines);
    left
}

/// What conversations that are at work changed in the work tree within so many milliseconds, but `own`; those that
/// changed something last first.
pub fn of_others(view: &View<'_>, own: &ConversationId, millis: i64) -> Vec<OtherConversation> {
    let own = names_of(own);
    let mut found: BTreeMap<ConversationId, OtherConversation> = BTreeMap::new();
    for entry in look::folder(folder(view)).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_own = own.iter().any(|own| name.to_str() == Some(own));
        if !is_own && !is_old(&entry) {
            for line in read_one(&entry.path()) {
                add(&mut found, line);
            }
        }
    }
    let now = view.host.moment();
    let lately = found.into_values().filter_map(|other| other.within(now, millis, &[]));
    let mut found: Vec<OtherConversation> =
        lately.filter(|other| is_at_work(view, other)).map(latest_first).collect();
    found.sort_by_key(|other| std::cmp::Reverse(other.files.first().map(|file| file.at)));
    found
}

/// The same, and what of these files they changed by lines that do not name them.
pub fn of_others_at(
    view: &View<'_>,
    own: &ConversationId,
    millis: i64,
    paths: &[String],
) -> Vec<OtherConversation> {
    let mut found = of_others(view, own, millis);
    if has_others(view, own) {
        unnamed::add(view, own, millis, paths, &mut found);
    }
    found
}

/// The files that a conversation changed here, as far back as its journal goes.
pub fn of(view: &View<'_>, conversation: &ConversationId) -> Vec<String> {
    let lines = read(&journal_of(view, conversation)).into_iter();
    let changed = lines.filter_map(|line| match line {
        Line::Changed { file, .. } => Some(file),
        Line::Told { .. } => None,
    });
    changed.collect()
}

/// A conversation is over: nobody need look at what it changed. What nobody wrote to for a day goes, too.
pub fn forget(view: &View<'_>, conversation: &ConversationId) {
    let over = names_of(conversation);
    for entry in look::folder(folder(view)).into_iter().flatten().flatten() {
        let is_over = over.iter().any(|over| entry.file_name().to_str() == Some(over));
        if is_over || is_old(&entry) {
            let _ = files::remove(&entry.path());
        }
    }
}

/// Its process runs; where none is known, its session has it attached.
fn is_at_work(view: &View<'_>, other: &OtherConversation) -> bool {
    let Ok(Some(entry)) = view.registered(&other.harness, &other.conversation) else {
        return false;
    };
    let is_attached = || {
        let state = view.glance(&entry.session).ok();
        let known = state.as_ref().and_then(|state| state.conversations.get(&other.conversation));
        known.is_some_and(|known| known.attached)
    };
    entry.process.map_or_else(is_attached, Process::is_running)
}

fn add(found: &mut BTreeMap<ConversationId, OtherConversation>, line: Line) {
    let Line::Changed { file, at, harness, conversation, session, subagent } = line else {
        return;
    };
    let other = found.entry(conversation.clone()).or_insert_with(|| OtherConversation {
        harness,
        conversation,
        session_id: session.clone(),
        files: Vec::new(),
    });
    other.session_id = session;
    match other.files.iter_mut().find(|known| known.file == file) {
        Some(known) if known.at > at => {}
        Some(known) => *known = ChangedFile { file, at, subagent },
        None => other.files.push(ChangedFile { file, at, subagent }),
    }
}

fn latest_first(mut other: OtherConversation) -> OtherConversation {
    other.files.sort_by(|one, two| two.at.cmp(&one.at).then_with(|| one.file.cmp(&two.file)));
    other
}

fn append(view: &View<'_>, doer: &Doer<'_>, lines: &[Line]) {
    if !lines.is_empty() {
        let path = journal_of(view, doer.conversation);
        let _ = journal::append_all(&path, lines, MAX_BYTES);
    }
}

fn is_old(entry: &std::fs::DirEntry) -> bool {
    let changed = entry.metadata().and_then(|found| found.modified()).ok();
    let since = changed.and_then(|changed| changed.elapsed().ok());
    since.is_some_and(|since| since > FORGOTTEN_AFTER)
}

fn read(path: &Path) -> Vec<Line> {
    let mut lines = read_one(&path.with_extension("1.jsonl"));
    lines.extend(read_one(path));
    lines
}

fn read_one(path: &Path) -> Vec<Line> {
    let content = files::read(path, 2 * MAX_BYTES).ok().flatten().unwrap_or_default();
    let lines = content.split(|byte| *byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// The names of a conversation's journal, the one before included.
fn names_of(conversation: &ConversationId) -> [String; 2] {
    [format!("{conversation}.jsonl"), format!("{conversation}.1.jsonl")]
}

fn journal_of(view: &View<'_>, conversation: &ConversationId) -> PathBuf {
    let [name, _] = names_of(conversation);
    folder(view).join(name)
}

/// One for each work tree: what is done in another changes nothing here.
fn folder(view: &View<'_>) -> PathBuf {
    let root = &view.place().project.root;
    let real = look::real(root).unwrap_or_else(|_| root.clone());
    let name = &sha256_hex(&[real.as_os_str().as_encoded_bytes()])[..16];
    view.host.state_dir.join("activity").join("edits").join(name)
}
