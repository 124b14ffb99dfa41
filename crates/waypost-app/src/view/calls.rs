//! When tool calls began and ended in a project, as far as they may have changed files: by this and the times at
//! which files were changed it is told whose a change is. Local, unsigned and short, like all activity: losing it
//! loses nothing but that.
//!
//! The machine's own clock is used, whatever time it is elsewhere: it is the one that files are stamped with.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use waypost_core::evidence::Tree;
use waypost_core::id::ConversationId;
use waypost_core::key::sha256_hex;
use waypost_store::{files, look};

use crate::machine::tree::PRIVATE_RULES;
use crate::view::{View, journal};

/// A log that has grown beyond this is begun anew; the one before is kept.
const MAX_BYTES: u64 = 1024 * 1024;

/// Something that happened to a call, or to the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Moment {
    /// A call began that may change files.
    Began(String),
    /// It ended.
    Ended(String),
    /// It goes on in the background, and the harness will tell when nothing does any more.
    Backgrounded(String),
    /// It left something behind that nobody hears of again.
    LeftBehind(String),
    /// A file of the project was changed by a tool made for that, and when.
    Edited(String, Option<u64>),
    /// The work tree was looked at, and this is what it was.
    Tree(String),
    /// The user sent a prompt: nothing of the conversation runs any more but in the background.
    Turn,
    /// Nothing of the conversation runs any more.
    Quiet,
    /// Something began in the background, by the harness' name for it.
    Task(String),
    /// The conversation answers for what another one did here before it.
    Inherits(String),
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Entry {
    /// Nanoseconds since 1970.
    at: u64,
    /// The conversation.
    of: String,
    /// The subagent, where one acts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    what: Moment,
}

impl Moment {
    /// Names of files and calls may hold anything; their hashes do not.
    fn hashed(self) -> Self {
        match self {
            Self::Began(call) => Self::Began(hash(&call)),
            Self::Ended(call) => Self::Ended(hash(&call)),
            Self::Backgrounded(call) => Self::Backgrounded(hash(&call)),
            Self::LeftBehind(call) => Self::LeftBehind(hash(&call)),
            Self::Edited(file, at) => Self::Edited(hash(&file), at),
            Self::Task(name) => Self::Task(hash(&name)),
            Self::Tree(_) | Self::Turn | Self::Quiet | Self::Inherits(_) => self,
        }
    }
}

fn hash(name: &str) -> String {
    sha256_hex(&[name.as_bytes()])[..16].to_owned()
}

/// Notes a moment of a conversation. Failing to is no failure of anything else.
pub fn note(view: &View<'_>, conversation: &ConversationId, subagent: Option<&str>, what: Moment) {
    let at = match what {
        Moment::Began(_) => tick(),
        _ => now(),
    };
    let by = subagent.map(hash);
    let entry = Entry { at, of: conversation.to_string(), by, what: what.hashed() };
    let _ = journal::append(&path(view), &entry, MAX_BYTES);
}

/// Notes that a tool made for that changed a file.
pub fn edited(view: &View<'_>, conversation: &ConversationId, subagent: Option<&str>, file: &str) {
    let at = changed_at(&view.place().project.root, file);
    note(view, conversation, subagent, Moment::Edited(file.to_owned(), at));
}

/// Notes what the work tree is now, where that is known.
pub fn saw(view: &View<'_>, tree: Option<&Tree>) {
    if let Some(tree) = tree.and_then(Tree::id) {
        // What changes while it is looked at may be in it or not.
        let at = view.place().looked_at().unwrap_or_else(tick);
        let entry = Entry { at, of: String::new(), by: None, what: Moment::Tree(tree.to_owned()) };
        let _ = journal::append(&path(view), &entry, MAX_BYTES);
    }
}

/// Which changes are whose.
#[derive(Debug, Default)]
pub struct Calls {
    root: PathBuf,
    entries: Vec<Entry>,
    /// When calls of the conversation were under way.
    windows: Vec<(u64, u64)>,
    /// The conversation, and those that it answers for.
    conversations: Vec<String>,
    /// Subagents whose doings are left out.
    without: Vec<String>,
    /// The subagent whose doings alone it is about.
    only: Option<String>,
}

impl Calls {
    /// What is known of a conversation's calls in the work tree.
    pub fn of(view: &View<'_>, conversation: &ConversationId) -> Self {
        let path = path(view);
        let mut entries = read(&path.with_extension("1.jsonl"));
        entries.extend(read(&path));
        let mut conversations = vec![conversation.to_string()];
        for entry in entries.iter().rev() {
            if let Moment::Inherits(before) = &entry.what
                && conversations.contains(&entry.of)
            {
                conversations.push(before.clone());
            }
        }
        Self { root: view.place().project.root.clone(), entries, conversations, ..Self::default() }
            .looked_through()
    }

    /// The same without what these subagents did.
    #[must_use]
    pub fn apart_from(self, subagents: &[String]) -> Self {
        let without = subagents.iter().map(|name| hash(name)).collect();
        Self { without, ..self }.looked_through()
    }

    /// The same of what one subagent did, and of nothing else of its conversation.
    #[must_use]
    pub fn of_subagent(self, subagent: &str) -> Self {
        Self { only: Some(hash(subagent)), ..self }.looked_through()
    }

    fn looked_through(mut self) -> Self {
        let own: Vec<&Entry> = self.entries.iter().filter(|entry| self.is_mine(entry)).collect();
        self.windows = windows(&own);
        self
    }

    fn is_mine(&self, entry: &Entry) -> bool {
        let is_left_out = entry.by.as_ref().is_some_and(|by| self.without.contains(by));
        let is_wanted = self.only.is_none() || entry.by == self.only;
        self.conversations.contains(&entry.of) && is_wanted && !is_left_out
    }

    /// When something began in the background that the harness calls so.
    pub fn task_began(&self, task: &str) -> Option<u64> {
        let name = hash(task);
        let is_it = |entry: &&Entry| matches!(&entry.what, Moment::Task(known) if *known == name);
        self.entries.iter().rev().find(is_it).map(|entry| entry.at)
    }

    /// When one of these files was last changed.
    pub fn last_change(&self, files: &[String]) -> Option<u64> {
        files.iter().filter_map(|file| changed_at(&self.root, file)).max()
    }

    /// Of files that differ from a content, those that the conversation may have changed.
    pub fn own<'f>(&self, then: &str, files: &'f [String]) -> Vec<&'f String> {
        // Where nothing is known of that time, nothing can be given to others.
        let Some(since) = self.seen_at(then) else { return files.iter().collect() };
        files.iter().filter(|file| self.is_own(file, since)).collect()
    }

    /// Whether anything of the conversation is known here since then.
    pub fn knows_since(&self, since: u64) -> bool {
        self.entries.iter().any(|entry| entry.at >= since && self.is_mine(entry))
    }

    /// Whether any call of the conversation is known here that may have changed something.
    pub fn ran_any(&self) -> bool {
        !self.windows.is_empty()
    }

    /// The conversations that it is about: one, and those that it answers for.
    pub fn is_about(&self, conversation: &str) -> bool {
        self.conversations.iter().any(|known| known == conversation)
    }

    /// When a tool made for that last changed a file for the conversation.
    pub fn last_edit(&self) -> Option<u64> {
        let edits = self.entries.iter().filter(|entry| self.is_mine(entry));
        edits.filter(|entry| matches!(entry.what, Moment::Edited(..))).map(|entry| entry.at).max()
    }

    /// Whether a call of the conversation was under way at some time between these two.
    pub fn ran_between(&self, from: u64, to: u64) -> bool {
        self.windows.iter().any(|(began, ended)| *began <= to && from <= *ended)
    }

    /// Whether a call of the conversation that is over by now was under way at a time. What goes on, as in the background,
    /// says too little.
    pub fn had_under_way(&self, at: u64) -> bool {
        self.windows
            .iter()
            .any(|(began, ended)| *ended < u64::MAX && (*began..=*ended).contains(&at))
    }

    /// Whether a file was last changed then by a tool made for that, whoever called it.
    pub fn was_edited_at(&self, file: &str, at: u64) -> bool {
        let left = Moment::Edited(hash(file), Some(at));
        self.entries.iter().any(|entry| entry.what == left)
    }

    /// Whether a file was last changed while a call of the conversation was under way.
    pub fn was_under_way_at(&self, file: &Path) -> bool {
        let at = changed_at(Path::new("/"), file);
        at.is_some_and(|at| self.ran_between(at, at))
    }

    /// The same of calls of other conversations.
    pub fn others_ran_between(&self, from: u64, to: u64) -> bool {
        let mut others: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
        let is_other =
            |entry: &&Entry| !entry.of.is_empty() && !self.conversations.contains(&entry.of);
        for entry in self.entries.iter().filter(is_other) {
            others.entry(&entry.of).or_default().push(entry);
        }
        let mut all = others.values().flat_map(|entries| windows(entries));
        all.any(|(began, ended)| began <= to && from <= ended)
    }

    /// When a content was last looked at.
    fn seen_at(&self, tree: &str) -> Option<u64> {
        let seen = |entry: &&Entry| matches!(&entry.what, Moment::Tree(known) if known == tree);
        self.entries.iter().rev().find(seen).map(|entry| entry.at)
    }

    fn is_own(&self, file: &str, since: u64) -> bool {
        let file = file.strip_suffix(PRIVATE_RULES).unwrap_or(file);
        let name = hash(file);
        let mut edits = self.entries.iter().filter_map(|entry| match &entry.what {
            Moment::Edited(known, at) if *known == name => Some((entry, *at)),
            _ => None,
        });
        if edits.clone().any(|(entry, _)| self.is_mine(entry) && entry.at >= since) {
            return true;
        }
        let Some(at) = changed_at(&self.root, file) else { return true };
        // What another's tool left just so is theirs, whatever else was under way.
        if edits.any(|(entry, left)| !self.is_mine(entry) && left == Some(at)) {
            return false;
        }
        self.windows.iter().any(|(began, ended)| (*began..=*ended).contains(&at))
    }
}

/// When a file was last changed, or where it is gone, its folder. Files outside of the project have no folder in it.
pub(super) fn changed_at(root: &Path, file: impl AsRef<Path>) -> Option<u64> {
    let path = root.join(file);
    let mut places = path.ancestors().take_while(|at| at.starts_with(root));
    let found = places.find_map(|at| look::link(at).ok()).or_else(|| look::link(&path).ok())?;
    let (seconds, nanos) = (found.ctime(), found.ctime_nsec());
    Some(u64::try_from(seconds).ok()?.saturating_mul(1_000_000_000) + u64::try_from(nanos).ok()?)
}

/// From when to when a conversation's calls were under way.
fn windows(own: &[&Entry]) -> Vec<(u64, u64)> {
    let began = own.iter().enumerate().filter_map(|(at, entry)| match &entry.what {
        Moment::Began(call) => Some((at, entry.at, call)),
        _ => None,
    });
    let window = |(at, began, call): (usize, u64, &String)| {
        let (mut lasting, mut open) = (false, alike(&own[..=at], call));
        for entry in &own[at + 1..] {
            match &entry.what {
                // Some harnesses have no names for calls: one that is alike may be the one that ended.
                Moment::Began(other) if other == call => open += 1,
                Moment::Ended(ended) if ended == call && open > 1 => open -= 1,
                Moment::Ended(ended) if ended == call && !lasting => return (began, entry.at),
                Moment::LeftBehind(left) if left == call => return (began, u64::MAX),
                Moment::Backgrounded(left) if left == call => lasting = true,
                // Whatever did not tell of its end was cut off.
                Moment::Turn if !lasting => return (began, entry.at),
                Moment::Quiet => return (began, entry.at),
                _ => {}
            }
        }
        (began, u64::MAX)
    };
    began.map(window).collect()
}

/// How many calls of that name are under way at the end of these entries.
fn alike(own: &[&Entry], call: &str) -> usize {
    own.iter().fold(0, |open, entry| match &entry.what {
        Moment::Began(began) if began == call => open + 1,
        Moment::Ended(ended) if ended == call => open.saturating_sub(1),
        Moment::Turn | Moment::Quiet => 0,
        _ => open,
    })
}

/// The machine's time, in nanoseconds since 1970.
pub(super) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// The time that a file would be stamped with that is changed from now on: that clock ticks only so often.
pub(super) fn tick() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::RealtimeCoarse);
    let (seconds, nanos) = (u64::try_from(time.tv_sec), u64::try_from(time.tv_nsec));
    seconds.unwrap_or(0).saturating_mul(1_000_000_000) + nanos.unwrap_or(0)
}

fn read(path: &Path) -> Vec<Entry> {
    let content = files::read(path, 2 * MAX_BYTES).ok().flatten().unwrap_or_default();
    let lines = content.split(|byte| *byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// One for each work tree: what is done in another changes nothing here.
fn path(view: &View<'_>) -> PathBuf {
    let place = view.place();
    let name = &sha256_hex(&[place.project.root.as_os_str().as_encoded_bytes()])[..16];
    view.host.state_dir.join("activity").join("calls").join(format!("{name}.jsonl"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn windows_of(moments: &[Moment]) -> Vec<(u64, u64)> {
        let entry = |(at, what): (usize, &Moment)| Entry {
            at: at as u64,
            of: String::new(),
            by: None,
            what: what.clone(),
        };
        let entries: Vec<Entry> = moments.iter().enumerate().map(entry).collect();
        windows(&entries.iter().collect::<Vec<_>>())
    }

    #[test]
    fn of_calls_that_are_alike_any_may_be_the_one_that_ended() {
        let [began, other] = ["a", "b"].map(|name| Moment::Began(name.to_owned()));
        let ended = Moment::Ended("a".to_owned());
        let twice = [&began, &began, &ended, &other, &ended].map(Clone::clone);
        assert_eq!(windows_of(&twice), [(0, 4), (1, 4), (3, u64::MAX)]);
        let one_by_one = [&began, &ended, &began, &ended].map(Clone::clone);
        assert_eq!(windows_of(&one_by_one), [(0, 1), (2, 3)]);
        let cut_off = [&began, &Moment::Turn, &began, &ended].map(Clone::clone);
        assert_eq!(windows_of(&cut_off), [(0, 1), (2, 3)]);
    }
}
