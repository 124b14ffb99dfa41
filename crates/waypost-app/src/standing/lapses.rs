//! When nothing was enforced: Waypost taken out, gates switched off, conversations whose hooks never called.
//!
//! One place works it out for every surface. Never asked before a tool runs: files of clients are looked at.

use std::path::{Path, PathBuf};

use serde::Serialize;
use waypost_core::id::{ConversationId, SessionId, StreamId};
use waypost_core::project::Interval;
use waypost_core::text::spoken::{count, local};
use waypost_core::time::Timestamp;
use waypost_store::{files, look};

use crate::harness::{Facts, Local, Transcript};
use crate::machine::host::Host;
use crate::machine::local_time::utc_offset;
use crate::machine::project;
use crate::view::View;

/// No more conversations than this are looked at, the latest.
const MAX_LOOKED: usize = 200;
/// How much of what was said in one is read.
const MAX_HEAD: u64 = 256 * 1024;
/// How many are told one by one.
const MAX_TOLD: usize = 3;

/// When nothing was enforced, as people are told first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Lapses {
    /// That Waypost was taken out of the work tree, and when it was set up again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<Interval>,
    /// That the session's gates were switched off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gates_off: Option<Interval>,
    /// Conversations in the work tree that never called Waypost's hooks, the latest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unenforced: Vec<Unenforced>,
    #[serde(skip)]
    offset: i32,
}

/// A conversation that never called Waypost's hooks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unenforced {
    /// The harness.
    pub harness: String,
    /// How people call it.
    #[serde(skip)]
    pub title: String,
    /// The conversation.
    pub conversation: ConversationId,
    /// When it began.
    pub began: Timestamp,
}

impl Unenforced {
    fn of(facts: &Facts, conversation: ConversationId, began: Timestamp) -> Self {
        let (harness, title) = (facts.name.to_owned(), facts.title.to_owned());
        Self { harness, title, conversation, began }
    }
}

impl Lapses {
    /// Those of the work tree, and of a session. What cannot be read tells of none: whoever needs it says so.
    pub fn of(view: &View<'_>, session: Option<&SessionId>) -> Self {
        let state = view.project_state().ok();
        let removed = state
            .as_ref()
            .and_then(|state| state.removed(view.project.worktree().as_deref()).cloned());
        let gates_off = state.as_ref().and_then(|state| state.switched_off(session?).cloned());
        let unenforced = unenforced(view);
        Self { removed, gates_off, unenforced, offset: utc_offset(view.host.now()) }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.removed.is_none() && self.gates_off.is_none() && self.unenforced.is_empty()
    }

    /// What whoever looks at all is told first.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        lines.extend(self.gates_off.as_ref().map(|off| self.told_off(off)));
        lines.extend(self.removed.as_ref().map(|removed| self.told_removed(removed)));
        lines.extend(self.told_unenforced());
        lines
    }

    fn told_off(&self, off: &Interval) -> String {
        let (from, who) = (local(off.from, self.offset), off.said.words());
        match off.until {
            None => format!("gates are off: mode disabled since {from} ({who})"),
            Some(until) => {
                let until = local(until, self.offset);
                format!("gates were off, in mode disabled, from {from} ({who}) to {until}")
            }
        }
    }

    /// That Waypost was taken out, and since when.
    pub fn told_removed(&self, removed: &Interval) -> String {
        let (from, who) = (local(removed.from, self.offset), removed.said.words());
        match removed.until {
            None => format!("Waypost was taken out of this work tree on {from} ({who})"),
            Some(until) => {
                let until = local(until, self.offset);
                format!("Waypost was out of this work tree from {from} ({who}) to {until}")
            }
        }
    }

    /// About conversations that never called.
    pub fn told_unenforced(&self) -> Option<String> {
        let all = &self.unenforced;
        if all.is_empty() {
            return None;
        }
        let told = all.iter().take(MAX_TOLD).map(|one| {
            let id: String = one.conversation.as_str().chars().take(8).collect();
            format!("{} {id} of {}", one.title, local(one.began, self.offset))
        });
        let told: Vec<String> = told.collect();
        let more = match all.len().saturating_sub(MAX_TOLD) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let how_many = count(all.len() as u64, "conversation");
        Some(format!(
            "UNENFORCED: {how_many} here never called Waypost's hooks: {}{more}; no gate was asked in them",
            told.join(", ")
        ))
    }
}

/// What is told where Waypost was taken out, and nothing else can be asked any more.
pub fn after_removal(host: &Host) -> Option<String> {
    let project = project::find_or_here(&host.cwd).ok()?;
    if !look::is_folder(project.store.join(StreamId::Project.to_string())) {
        return None;
    }
    let view = View::with(host, project, host.keyring().ok()?);
    let state = view.project_state().ok()?;
    let removed = state.removed(view.project.worktree().as_deref())?;
    let lapses = Lapses { offset: utc_offset(host.now()), ..Lapses::default() };
    Some(lapses.told_removed(removed))
}

/// The conversations in the work tree that began since Waypost was set up and never called, the latest first.
fn unenforced(view: &View<'_>) -> Vec<Unenforced> {
    let Ok(Some(since)) = view.project_state().map(|state| state.set_up()) else {
        return Vec::new();
    };
    let mut found: Vec<Unenforced> =
        view.host.harnesses.iter().flat_map(|local| of_harness(view, local, since)).collect();
    for one in by_their_word(view, since) {
        if !found.iter().any(|known| known.conversation == one.conversation) {
            found.push(one);
        }
    }
    found.sort_by_key(|one| std::cmp::Reverse(one.began));
    found
}

/// Those that are known by the tools that they called alone. Their client may keep nothing of what is said.
fn by_their_word(view: &View<'_>, since: Timestamp) -> Vec<Unenforced> {
    let Some(index) = view.index_as_it_lies() else { return Vec::new() };
    let attended = index.open.iter().filter(|entry| entry.attached > 0);
    let states = attended.filter_map(|entry| view.glance(&entry.id).ok());
    let found = states.flat_map(|state| {
        let known = state.conversations.iter().filter(|(_, known)| known.attached);
        let told = known.filter_map(|(id, known)| {
            let facts = view.host.harness(&known.harness)?.facts();
            let registered = view.registered(facts.name, id).ok()??;
            let began = known.attached_at?;
            let is_here = registered.root == view.project.root && began > since;
            (is_here && !registered.hooked).then(|| Unenforced::of(facts, id.clone(), began))
        });
        told.collect::<Vec<_>>()
    });
    found.collect()
}

fn of_harness(view: &View<'_>, local: &Local, since: Timestamp) -> Vec<Unenforced> {
    let Some((folder, prefix)) = local.harness.transcripts(&local.folder, &view.project.root)
    else {
        return Vec::new();
    };
    let named = entries(&folder).filter(|path| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix))
    });
    let mut folders: Vec<PathBuf> = named.collect();
    for _ in 1..local.harness.transcript_depth() {
        folders = folders.iter().flat_map(|folder| entries(folder)).collect();
    }
    let changed = |path: PathBuf| {
        let changed = look::at(&path).ok()?.modified().ok()?;
        (millis(changed) >= since.as_millis()).then_some((changed, path))
    };
    // A conversation that began since has changed its folder, too.
    let folders = folders.into_iter().filter_map(changed);
    let kept = folders.flat_map(|(_, folder)| entries(&folder).collect::<Vec<_>>());
    let mut files: Vec<_> = kept.filter_map(changed).collect();
    files.sort_by_key(|(changed, _)| std::cmp::Reverse(*changed));
    let told = files.iter().take(MAX_LOOKED).filter_map(|(_, path)| {
        let told = read(local, path)?;
        let is_here = told.folder.starts_with(&view.project.root);
        (is_here && told.began > since && !is_known(view, local, &told.conversation))
            .then(|| Unenforced::of(local.facts(), told.conversation, told.began))
    });
    told.collect()
}

/// What lies in a folder; nothing where it cannot be read.
fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    look::folder(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

fn read(local: &Local, path: &Path) -> Option<Transcript> {
    let name = path.file_name()?.to_str()?;
    let head = files::head(path, MAX_HEAD).ok()??;
    local.harness.transcript(name, &head)
}

/// Whether a hook told of it, by the registry or by what the open sessions know.
fn is_known(view: &View<'_>, local: &Local, conversation: &ConversationId) -> bool {
    let registered = view.registered(local.facts().name, conversation).ok().flatten();
    if let Some(registered) = registered {
        return registered.hooked;
    }
    let knows = |session: &SessionId| {
        view.glance(session).is_ok_and(|state| state.conversations.contains_key(conversation))
    };
    let sessions = view.open_sessions(|entry| knows(&entry.id));
    sessions.is_ok_and(|sessions| !sessions.is_empty())
}

fn millis(time: std::time::SystemTime) -> i64 {
    let since = time.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
