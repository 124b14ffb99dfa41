//! What a simulated disk remembers of every change to files and names: whether it survives a crash.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What a crash leaves of the changes to a file that were not synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    All,
    Nothing,
    /// The first of several.
    First,
    /// The last of several, and none before it.
    Last,
    /// All, the last one torn in the middle.
    Torn,
}

/// What a crash leaves of what was not synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Leaves {
    pub(crate) content: Part,
    /// Whether names in folders are as they were last.
    pub(crate) names: bool,
}

pub(crate) fn all_leaves() -> Vec<Leaves> {
    let parts = [Part::All, Part::Nothing, Part::First, Part::Last, Part::Torn];
    let with = |content| [true, false].map(|names| Leaves { content, names });
    parts.into_iter().flat_map(with).collect()
}

/// Whether a change survives a crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lasts {
    Yes,
    /// Not before it is synced.
    NotYet,
    /// Its sync failed. The system believes that it is on disk.
    Unknown,
}

fn sync(state: &mut Lasts, with: Lasts) {
    if *state == Lasts::NotYet {
        *state = with;
    }
}

/// A change to a file's content.
#[derive(Debug, Clone)]
pub(crate) enum Write {
    At(u64, Vec<u8>),
    Length(u64),
}

impl Write {
    fn apply(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Length(length) => bytes.resize(usize::try_from(*length).unwrap(), 0),
            Self::At(offset, new) => {
                let start = usize::try_from(*offset).unwrap();
                if bytes.len() < start + new.len() {
                    // What lies between is a hole.
                    bytes.resize(start + new.len(), 0);
                }
                bytes[start..start + new.len()].copy_from_slice(new);
            }
        }
    }

    /// The half that a torn write comes to; whatever is no write is there or not.
    fn torn(&self) -> Option<Self> {
        match self {
            Self::At(offset, bytes) => Some(Self::At(*offset, bytes[..bytes.len() / 2].to_vec())),
            Self::Length(_) => None,
        }
    }
}

/// A file's content: as everybody sees it, what of it is on disk, and what was changed since.
#[derive(Debug, Clone, Default)]
pub(crate) struct Content {
    now: Vec<u8>,
    base: Vec<u8>,
    changes: Vec<(Write, Lasts)>,
}

impl Content {
    pub(crate) fn of(base: Vec<u8>) -> Self {
        Self { now: base.clone(), base, changes: Vec::new() }
    }

    pub(crate) fn now(&self) -> &[u8] {
        &self.now
    }

    pub(crate) fn add(&mut self, write: Write) {
        write.apply(&mut self.now);
        self.changes.push((write, Lasts::NotYet));
    }

    pub(crate) fn sync(&mut self) {
        self.changes.iter_mut().for_each(|(_, state)| sync(state, Lasts::Yes));
        if self.changes.iter().all(|(_, state)| *state == Lasts::Yes) {
            self.base.clone_from(&self.now);
            self.changes.clear();
        }
    }

    pub(crate) fn fail(&mut self) {
        self.changes.iter_mut().for_each(|(_, state)| sync(state, Lasts::Unknown));
    }

    pub(crate) fn after_crash(&self, leaves: Leaves) -> Self {
        let places = 0..self.changes.len();
        let mut open = places.filter(|place| self.changes[*place].1 != Lasts::Yes);
        let first = open.next();
        let last = open.next_back().or(first);
        let mut bytes = self.base.clone();
        for (place, (write, state)) in self.changes.iter().enumerate() {
            let is_last = Some(place) == last;
            let kept = match leaves.content {
                _ if *state == Lasts::Yes => Some(write.clone()),
                Part::Nothing => None,
                Part::First if Some(place) != first => None,
                Part::Last if !is_last => None,
                Part::Torn if is_last => write.torn(),
                _ => Some(write.clone()),
            };
            if let Some(write) = kept {
                write.apply(&mut bytes);
            }
        }
        Self::of(bytes)
    }
}

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Node {
    File(u64),
    Folder,
}

/// A change to the names in folders.
#[derive(Debug, Clone)]
pub(crate) enum Name {
    Put(PathBuf, Node),
    Remove(PathBuf),
    Move(PathBuf, PathBuf, Node),
}

impl Name {
    fn is_in(&self, folder: &Path) -> bool {
        let (Self::Put(path, _) | Self::Remove(path) | Self::Move(_, path, _)) = self;
        path.parent() == Some(folder)
    }

    fn apply(&self, names: &mut BTreeMap<PathBuf, Node>) {
        match self {
            Self::Put(path, node) => drop(names.insert(path.clone(), *node)),
            Self::Remove(path) => drop(names.remove(path)),
            Self::Move(from, to, node) => {
                names.remove(from);
                names.insert(to.clone(), *node);
            }
        }
    }
}

/// All names: as everybody sees them, what of them is on disk, and what was changed since.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    now: BTreeMap<PathBuf, Node>,
    base: BTreeMap<PathBuf, Node>,
    changes: Vec<(Name, Lasts)>,
}

impl Names {
    pub(crate) fn now(&self) -> &BTreeMap<PathBuf, Node> {
        &self.now
    }

    pub(crate) fn add(&mut self, name: Name) {
        name.apply(&mut self.now);
        self.changes.push((name, Lasts::NotYet));
    }

    pub(crate) fn sync(&mut self, folder: &Path) {
        let inside = self.changes.iter_mut().filter(|(name, _)| name.is_in(folder));
        inside.for_each(|(_, state)| *state = Lasts::Yes);
        if self.changes.iter().all(|(_, state)| *state == Lasts::Yes) {
            self.base.clone_from(&self.now);
            self.changes.clear();
        }
    }

    pub(crate) fn after_crash(&self, leaves: Leaves) -> Self {
        let mut all = self.base.clone();
        for (name, state) in &self.changes {
            if leaves.names || *state == Lasts::Yes {
                name.apply(&mut all);
            }
        }
        let mut base = all.clone();
        // What lay in a folder that is gone is gone with it.
        base.retain(|path, _| {
            let mut above = path.ancestors().skip(1).filter(|path| path.parent().is_some());
            above.all(|folder| all.get(folder) == Some(&Node::Folder))
        });
        Self { now: base.clone(), base, changes: Vec::new() }
    }
}
