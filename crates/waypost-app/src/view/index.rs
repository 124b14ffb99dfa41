//! The sessions of a work tree at a glance: one small file that tells which are open and which were
//! over last, so that nobody has to read every stream to find one.
//!
//! It is derived, and a hint: whoever uses an entry compares the length of its stream, and reads the
//! stream where that is another one. What the file cannot tell, a session that was begun while nobody
//! wrote it down, the folder of all sessions gives away, and the file is made again. It holds only so
//! many; whoever needs all of them looks at the folder.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

use serde::{Deserialize, Serialize};
use waypost_core::id::{ConversationId, SessionId, StreamId};
use waypost_core::key::sha256_hex;
use waypost_core::next_step::{Mend, NextStep, to};
use waypost_core::sealed;
use waypost_core::session::{Lifecycle, SessionState};
use waypost_core::text::{shortened, slug};
use waypost_core::time::Timestamp;
use waypost_store::{Work, files, look};

use super::View;
use crate::error::{AppError, Kind};
use crate::view::copy;

const KIND: &str = "waypost-index-4";
const MAX_BYTES: u64 = 1024 * 1024;
/// How many sessions of each sort are in it: those where something happened last. It is written anew
/// whenever one begins, ends, or gets or loses its last conversation.
const MAX: usize = 32;
/// How many work trees are looked at for what is open in them.
const MAX_TREES: usize = 64;
/// How much of an objective is in it, in characters.
const MAX_OBJECTIVE: usize = 300;
/// The length of a stream without records: as soon as it has one, it is read.
const UNKNOWN: u64 = 0;

/// One session among others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionEntry {
    /// The session.
    pub id: SessionId,
    /// Where it was in its life when something last happened.
    pub lifecycle: Lifecycle,
    /// What it is for, or the beginning of that.
    objective: Option<String>,
    /// The phase of its workflow that it is in, if it follows one, or `complete`.
    pub phase: Option<String>,
    /// Its branch.
    pub branch: Option<String>,
    /// Its linked work tree; none is the main one.
    pub worktree: Option<String>,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// When something last happened.
    pub updated_at: Option<Timestamp>,
    /// When it ended, while it is over.
    pub ended_at: Option<Timestamp>,
    /// The last record.
    pub version: u64,
    /// How many musts were missed.
    pub violations: u64,
    /// Whether nothing has happened since it was imported: nobody works in it here.
    pub as_imported: bool,
    /// How many conversations are attached.
    pub attached: usize,
    /// Whether something in it may wait for somebody although no conversation is attached: a handoff that nobody
    /// accepted, or files that changed while no hook saw a call.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsettled: bool,
    /// The conversation that joined or left last, and its harness.
    pub latest: Option<(String, ConversationId)>,
    /// What is wrong with its stream, if it cannot be read as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damage: Option<String>,
    /// Whether that is only that a newer Waypost has gone on in it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub newer: bool,
    /// How long its stream was.
    bytes: u64,
    /// When it had last been changed then.
    #[serde(default)]
    modified: u64,
}

impl SessionEntry {
    /// What there is to tell of a session whose stream is so long.
    pub(super) fn of(id: &SessionId, state: &SessionState, bytes: u64) -> Self {
        let attached = state.conversations.values().filter(|known| known.attached);
        Self {
            id: id.clone(),
            lifecycle: state.lifecycle,
            objective: state.objective.as_ref().map(|text| shortened(text, MAX_OBJECTIVE)),
            phase: state.track.is_some().then(|| state.phase().to_owned()),
            branch: state.branch.clone(),
            worktree: state.worktree.clone(),
            started_at: state.started_at,
            updated_at: state.updated_at,
            ended_at: state.ended_at,
            version: state.version,
            violations: state.violations,
            as_imported: state.is_as_imported(),
            attached: attached.count(),
            unsettled: !state.orchestration.handoffs.is_empty()
                || state.conversations.values().any(|known| known.unenforced),
            latest: state
                .conversations
                .iter()
                .max_by_key(|(_, known)| known.since)
                .map(|(id, known)| (known.harness.clone(), id.clone())),
            damage: None,
            newer: false,
            bytes,
            modified: 0,
        }
    }

    /// What there is to tell of one that is damaged. It counts as open: somebody has to see to it.
    fn damaged(id: &SessionId, salvaged: &SessionState, error: AppError, bytes: u64) -> Self {
        let lifecycle = match salvaged.lifecycle {
            Lifecycle::Unstarted => Lifecycle::Active,
            lifecycle => lifecycle,
        };
        let newer = error.is_newer();
        Self { lifecycle, damage: Some(error.message), newer, ..Self::of(id, salvaged, bytes) }
    }

    /// What it is for, as it was written: a long one is read from its stream.
    pub fn objective(&self, view: &View<'_>) -> Option<String> {
        let shown = self.objective.as_ref()?;
        if shown.chars().count() < MAX_OBJECTIVE {
            return Some(shown.clone());
        }
        let whole = view.glance(&self.id).ok().and_then(|state| state.objective.clone());
        whole.or_else(|| Some(shown.clone()))
    }

    /// That it is damaged and what leads out, if it is.
    pub fn told_damage(&self, view: &View<'_>) -> Option<String> {
        let damage = self.damage.as_ref()?;
        let named = self.objective(view).map_or_else(String::new, |name| format!(" ({name})"));
        let way_out = self.way_out().words(view.voice());
        Some(format!("session {}{named}: {damage}; {way_out}", self.id))
    }

    /// What leads out of its damage.
    pub fn way_out(&self) -> NextStep {
        if self.newer {
            return Mend::UseNewer.into();
        }
        to("put it together again", Mend::Repair(Some(self.id.to_string())))
    }

    /// Whether work goes on in it here, or rests. What was imported is open once somebody resumes it.
    pub fn is_open(&self) -> bool {
        !self.lifecycle.is_over() && !self.as_imported
    }

    /// Whether somebody said what it is for.
    pub fn is_named(&self) -> bool {
        self.objective.is_some()
    }

    /// Whether it was opened for a conversation that has left and gave it no name.
    pub fn is_idle(&self) -> bool {
        let unused = self.attached == 0 && !self.is_named() && self.phase.is_none();
        unused && self.damage.is_none()
    }

    /// One whose stream has to be read.
    fn unknown(id: &SessionId, worktree: Option<String>) -> Self {
        Self { worktree, ..Self::of(id, &SessionState::default(), UNKNOWN) }
    }

    /// Whether it is found in the same places as before.
    fn is_like(&self, other: &Self) -> bool {
        let Self { updated_at, version, violations, unsettled, bytes, modified, .. } =
            other.clone();
        Self { updated_at, version, violations, unsettled, bytes, modified, ..self.clone() }
            == *other
    }
}

/// The sessions of a work tree, as far as they fit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Index {
    /// What the folder of all sessions looked like.
    folder: String,
    /// Those that work goes on in here, or rests.
    pub open: Vec<SessionEntry>,
    /// Whether there are more of them.
    pub more_open: bool,
    /// Those that are over, and those that were imported and not resumed.
    pub over: Vec<SessionEntry>,
    /// Whether there are more of them.
    pub more_over: bool,
}

impl Index {
    fn forget(&mut self, id: &SessionId) {
        self.open.retain(|entry| entry.id != *id);
        self.over.retain(|entry| entry.id != *id);
    }

    fn put(&mut self, entry: SessionEntry) {
        self.forget(&entry.id);
        let (list, more) = if entry.is_open() {
            (&mut self.open, &mut self.more_open)
        } else {
            (&mut self.over, &mut self.more_over)
        };
        list.push(entry);
        if list.len() > MAX {
            let order = |entry: &SessionEntry| (!entry.is_idle(), entry.updated_at);
            let oldest = list.iter().enumerate().min_by_key(|(_, entry)| order(entry));
            if let Some((place, _)) = oldest {
                list.remove(place);
            }
            *more = true;
        }
    }

    /// Whether so many have gone that those which did not fit may fit now.
    fn is_thinned(&self) -> bool {
        (self.more_open && self.open.len() < MAX / 2)
            || (self.more_over && self.over.len() < MAX / 2)
    }
}

impl View<'_> {
    /// The sessions of this work tree, as far as they fit.
    pub fn index(&self) -> Result<Rc<Index>, AppError> {
        if let Some(known) = &*self.cache.index.borrow() {
            return Ok(Rc::clone(known));
        }
        let index = Rc::new(self.look_up()?);
        self.cache.index.replace(Some(Rc::clone(&index)));
        Ok(index)
    }

    /// The same as far as it is written down: for whoever may write nothing.
    pub(crate) fn index_as_it_lies(&self) -> Option<Index> {
        self.read_index(self.project.worktree().as_deref())
    }

    /// Lets the index be looked at again.
    pub(crate) fn forget_index(&self) {
        self.cache.index.replace(None);
    }

    /// Makes room for a new session; whether its name was still free.
    pub(crate) fn make_room(&self, id: &SessionId) -> Result<bool, AppError> {
        let worktree = self.project.worktree();
        let _lock = self.log.lock(Work::Index)?;
        let current = self.folder_stamp();
        let before = self.read_index(worktree.as_deref()).or_else(|| {
            let none = self.log.sessions().is_ok_and(|sessions| sessions.is_empty());
            none.then(|| Index { folder: current.clone(), ..Index::default() })
        });
        if !self.log.create(&StreamId::Session(id.clone()))? {
            return Ok(false);
        }
        // Where the file does not tell of all that were there before, it is made again.
        if let Some(mut index) = before.filter(|index| index.folder == current) {
            index.folder = self.folder_stamp();
            index.put(SessionEntry::unknown(id, worktree.clone()));
            self.write_index(worktree.as_deref(), &index);
        }
        self.forget_index();
        Ok(true)
    }

    /// A session that was over is about to go on: it is written down first, so that it is found
    /// whatever happens in between.
    pub(crate) fn expect_in_index(&self, id: &SessionId) -> Result<(), AppError> {
        let worktree = self.project.worktree();
        self.change_index(worktree.as_deref(), |index| {
            index.put(SessionEntry::unknown(id, worktree.clone()));
        })
    }

    /// Something happened in a session: where it is found in another place now, that is written down.
    /// It happened either way: where this fails, whoever looks sees that the stream is longer.
    pub(super) fn note_in_index(&self, before: &SessionEntry, after: SessionEntry) {
        if before.is_like(&after) {
            return;
        }
        if before.version > 0 && before.worktree != after.worktree {
            let gone = |index: &mut Index| index.forget(&after.id);
            let _ = self.change_index(before.worktree.as_deref(), gone);
        }
        let worktree = after.worktree.clone();
        // Where others have added something since, it is read again.
        let (bytes, modified) = self.stamp_of(&after.id);
        let modified = if bytes == after.bytes { modified } else { 0 };
        let after = SessionEntry { modified, ..after };
        let _ = self.change_index(worktree.as_deref(), |index| index.put(after));
    }

    fn change_index(
        &self,
        worktree: Option<&str>,
        change: impl FnOnce(&mut Index),
    ) -> Result<(), AppError> {
        let _lock = self.log.lock(Work::Index)?;
        // One that cannot be read is made again by whoever looks for a session.
        if let Some(mut index) = self.read_index(worktree) {
            change(&mut index);
            self.write_index(worktree, &index);
        }
        self.forget_index();
        Ok(())
    }

    fn look_up(&self) -> Result<Index, AppError> {
        let worktree = self.project.worktree();
        let usable = |index: &Index| index.folder == self.folder_stamp() && !index.is_thinned();
        let known = self.read_index(worktree.as_deref()).filter(usable);
        let mut index = if let Some(index) = known {
            index
        } else {
            // Whoever comes second finds what the first has made. On a disk that takes nothing
            // everybody reads for himself.
            let _lock = self.log.lock(Work::Index);
            match self.read_index(worktree.as_deref()).filter(usable) {
                Some(index) => index,
                None => self.make_index(worktree.as_deref())?,
            }
        };
        let entries = index.open.iter().chain(&index.over);
        let stale: Vec<SessionId> = entries
            .filter(|entry| self.stamp_of(&entry.id) != (entry.bytes, entry.modified))
            .map(|entry| entry.id.clone())
            .collect();
        for id in stale {
            index.forget(&id);
            if let Some(entry) = self.entry_now(&id)?
                && entry.worktree == worktree
            {
                index.put(entry);
            }
        }
        // Whoever made room for it was killed, or has not come to its first record yet.
        index.open.retain(|entry| entry.lifecycle != Lifecycle::Unstarted);
        Ok(index)
    }

    /// Reads every stream, once in a while.
    fn make_index(&self, worktree: Option<&str>) -> Result<Index, AppError> {
        let empty = Index { folder: self.folder_stamp(), ..Index::default() };
        let mut entries = self.sessions()?;
        entries.sort_by_key(|entry| entry.updated_at);
        let mut trees = BTreeMap::from([(worktree.map(str::to_owned), empty.clone())]);
        for entry in entries {
            let tree = trees.entry(entry.worktree.clone()).or_insert_with(|| empty.clone());
            tree.put(entry);
        }
        let own = trees.remove(&worktree.map(str::to_owned)).unwrap_or(empty);
        self.write_index(worktree, &own);
        // Of the others too, where nobody there has: their sessions are seen from here.
        for (other, index) in trees {
            if self.read_index(other.as_deref()).is_none() {
                self.write_index(other.as_deref(), &index);
            }
        }
        Ok(own)
    }

    /// The sessions of other work trees that are not over, as far as their files tell of them: also of work
    /// trees that are gone.
    pub fn open_elsewhere(&self) -> Vec<SessionEntry> {
        self.sessions_elsewhere().0
    }

    /// The same, and those that were over when the files were written, as those tell of them.
    pub fn sessions_elsewhere(&self) -> (Vec<SessionEntry>, Vec<SessionEntry>) {
        let here = self.project.worktree();
        let own = self.index_path(here.as_deref()).1;
        let files = look::folder(self.project.store.join("index"));
        let names = files.into_iter().flatten().flatten();
        let names = names.filter_map(|file| file.file_name().into_string().ok()).take(MAX_TREES);
        let others = names.filter(|name| *name != own);
        let (mut open, mut over) = (Vec::new(), Vec::new());
        for index in others.filter_map(|name| self.read_index_named(&name)) {
            open.extend(index.open);
            over.extend(index.over);
        }
        let is_elsewhere = |entry: &SessionEntry| entry.worktree != here;
        let now = open.into_iter().filter(is_elsewhere).filter_map(|entry| {
            let is_true = self.stamp_of(&entry.id) == (entry.bytes, entry.modified);
            if is_true { Some(entry) } else { self.entry_now(&entry.id).ok().flatten() }
        });
        let goes_on = |entry: &SessionEntry| is_elsewhere(entry) && entry.is_open();
        let mut found: Vec<SessionEntry> = now.filter(goes_on).collect();
        found.retain(|entry| entry.lifecycle != Lifecycle::Unstarted);
        over.retain(|entry| is_elsewhere(entry) && entry.lifecycle.is_over());
        (found, over)
    }

    /// What there is to tell of a session; nothing if it has not begun.
    pub(super) fn entry_now(&self, id: &SessionId) -> Result<Option<SessionEntry>, AppError> {
        let (bytes, modified) = self.stamp_of(id);
        match self.load(id) {
            Ok(state) if state.lifecycle == Lifecycle::Unstarted => Ok(None),
            Ok(state) => {
                // It may have been looked at earlier in this call. What was added since is for
                // whoever comes next: the entry must not pass for that.
                let seen = self.cache.length_of(id).unwrap_or(bytes);
                let modified = if seen == bytes { modified } else { 0 };
                Ok(Some(SessionEntry { modified, ..SessionEntry::of(id, &state, seen) }))
            }
            // It must not keep the others from being used, and is told where they are.
            Err(error) if error.kind == Kind::Integrity => {
                let salvaged = self.salvage(id);
                let entry = SessionEntry::damaged(id, &salvaged, error, bytes);
                Ok(Some(SessionEntry { modified, ..entry }))
            }
            Err(error) => Err(error),
        }
    }

    /// What is still known of a session whose stream cannot be read as a whole.
    pub(crate) fn salvage(&self, id: &SessionId) -> SessionState {
        let state: SessionState = self.log.salvage(&StreamId::Session(id.clone()));
        if state.objective.is_some() {
            return state;
        }
        let copy = copy::of(self, id).ok().flatten();
        copy.map_or(state, |copy| SessionState::fold(&copy.records))
    }

    /// How long a stream is, and when it was last changed.
    fn stamp_of(&self, id: &SessionId) -> (u64, u64) {
        let mark = self.log.mark(&StreamId::Session(id.clone())).unwrap_or_default();
        (mark.bytes, mark.modified)
    }

    /// What changes whenever a session is made or removed.
    fn folder_stamp(&self) -> String {
        self.log.mark_of_all()
    }

    fn index_path(&self, worktree: Option<&str>) -> (PathBuf, String) {
        let name = match worktree {
            None => "main".to_owned(),
            Some(name) => format!("{}-{}", slug(name), &sha256_hex(&[name.as_bytes()])[..8]),
        };
        (self.project.store.join("index").join(&name), name)
    }

    fn read_index(&self, worktree: Option<&str>) -> Option<Index> {
        self.read_index_named(&self.index_path(worktree).1)
    }

    fn read_index_named(&self, name: &str) -> Option<Index> {
        let path = self.project.store.join("index").join(name);
        let content = files::read(&path, MAX_BYTES).ok()??;
        sealed::open(self.log.ring(), KIND, name, &content).ok()
    }

    fn write_index(&self, worktree: Option<&str>, index: &Index) {
        let (path, owner) = self.index_path(worktree);
        let Ok(content) = sealed::seal(self.log.ring().current(), KIND, &owner, index) else {
            return;
        };
        // Derived: where it cannot be written, an older one must not pass for it.
        let written = files::make_dir(&self.project.store.join("index"))
            .and_then(|()| files::replace(&path, content.as_bytes(), false));
        if written.is_err() {
            let _ = files::remove(&path);
        }
    }
}
