//! A simulated disk: it can fail any operation, stop a write short, and lose, tear or reorder what
//! was not synced when it crashes.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use waypost_store::disk::{Disk, Patience};

/// What happens at the chosen operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The machine stops before it.
    Crash,
    /// The machine stops in the middle of it: of a write, only a part was begun.
    CrashWithin,
    /// It fails with this error and does nothing.
    Fail(io::ErrorKind),
    /// A write writes half and then fails with this error.
    Short(io::ErrorKind),
}

/// What a crash leaves of what was not synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leaves {
    /// Everything: only the process was killed.
    All,
    /// Nothing.
    Nothing,
    /// The first of several writes.
    First,
    /// The last of several writes, and none before it.
    Last,
    /// All, the last one torn in the middle.
    Torn,
}

pub(crate) const ALL_LEAVES: [Leaves; 5] =
    [Leaves::All, Leaves::Nothing, Leaves::First, Leaves::Last, Leaves::Torn];

#[derive(Debug, Clone)]
enum Write {
    At(u64, Vec<u8>),
    Length(u64),
}

#[derive(Debug, Clone, Default)]
struct Content {
    synced: Vec<u8>,
    unsynced: Vec<Write>,
}

impl Content {
    fn now(&self) -> Vec<u8> {
        self.with(&self.unsynced)
    }

    fn with(&self, writes: &[Write]) -> Vec<u8> {
        let mut bytes = self.synced.clone();
        for write in writes {
            match write {
                Write::Length(length) => bytes.resize(usize::try_from(*length).unwrap_or(0), 0),
                Write::At(offset, new) => {
                    let start = usize::try_from(*offset).unwrap_or(0);
                    if bytes.len() < start + new.len() {
                        bytes.resize(start + new.len(), 0);
                    }
                    bytes[start..start + new.len()].copy_from_slice(new);
                }
            }
        }
        bytes
    }

    fn after_crash(&self, leaves: Leaves) -> Vec<u8> {
        match (leaves, self.unsynced.as_slice()) {
            (_, []) | (Leaves::Nothing, _) => self.synced.clone(),
            (Leaves::All, all) => self.with(all),
            (Leaves::First, [first, ..]) => self.with(std::slice::from_ref(first)),
            (Leaves::Last, [.., last]) => self.with(std::slice::from_ref(last)),
            (Leaves::Torn, [before @ .., last]) => {
                let mut writes = before.to_vec();
                if let Write::At(offset, bytes) = last {
                    writes.push(Write::At(*offset, bytes[..bytes.len() / 2].to_vec()));
                }
                self.with(&writes)
            }
        }
    }
}

/// Names in folders: those that are there, and those that would be after a crash.
#[derive(Debug, Default)]
struct Model {
    files: BTreeMap<u64, Content>,
    names: BTreeMap<PathBuf, u64>,
    durable_names: BTreeMap<PathBuf, u64>,
    folders: BTreeSet<PathBuf>,
    next: u64,
    operations: u64,
    fault: Option<(u64, Fault)>,
    crashed: bool,
}

/// A disk in memory. Copies are the same disk.
#[derive(Debug, Clone, Default)]
pub(crate) struct SimDisk(Arc<Mutex<Model>>);

impl SimDisk {
    /// A disk on which `fault` happens at the operation with this number, from 1.
    pub(crate) fn with_fault(operation: u64, fault: Fault) -> Self {
        let disk = Self::default();
        disk.model().fault = Some((operation, fault));
        disk
    }

    /// Lets `fault` happen at an operation, counted from now.
    pub(crate) fn set_fault(&self, operation: u64, fault: Fault) {
        let mut model = self.model();
        model.fault = Some((model.operations + operation, fault));
    }

    /// Lets no more faults happen.
    pub(crate) fn clear_fault(&self) {
        self.model().fault = None;
    }

    /// Whether the fault came up.
    pub(crate) fn was_reached(&self) -> bool {
        let model = self.model();
        model.fault.is_some_and(|(operation, _)| model.operations >= operation)
    }

    /// The disk as it is found after a crash.
    pub(crate) fn after_crash(&self, leaves: Leaves) -> Self {
        let model = self.model();
        let names = if leaves == Leaves::All { &model.names } else { &model.durable_names };
        let mut after = Model { names: names.clone(), next: model.next, ..Model::default() };
        after.folders.clone_from(&model.folders);
        for id in names.values() {
            let synced = model.files[id].after_crash(leaves);
            after.files.insert(*id, Content { synced, unsynced: Vec::new() });
        }
        after.durable_names.clone_from(&after.names);
        Self(Arc::new(Mutex::new(after)))
    }

    fn model(&self) -> MutexGuard<'_, Model> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Counts an operation that changes something and lets the fault happen at its turn.
    fn step(&self) -> io::Result<(MutexGuard<'_, Model>, Option<Fault>)> {
        let mut model = self.model();
        if model.crashed {
            return Err(io::Error::other("the machine is down"));
        }
        model.operations += 1;
        let due = model.fault.filter(|(operation, _)| *operation == model.operations);
        match due.map(|(_, fault)| fault) {
            Some(Fault::Crash) => {
                model.crashed = true;
                Err(io::Error::other("the machine went down"))
            }
            Some(Fault::Fail(kind)) => Err(kind.into()),
            fault => Ok((model, fault)),
        }
    }

    /// The same for operations that are whole or not at all.
    fn whole_step(&self) -> io::Result<MutexGuard<'_, Model>> {
        let (mut model, fault) = self.step()?;
        match fault {
            Some(Fault::CrashWithin) => {
                model.crashed = true;
                Err(io::Error::other("the machine went down"))
            }
            Some(Fault::Short(kind)) => Err(kind.into()),
            _ => Ok(model),
        }
    }

    fn write(&self, path: &Path, offset: Option<u64>, bytes: &[u8]) -> io::Result<()> {
        let (mut model, fault) = self.step()?;
        let id = model.file(path);
        let content = model.files.entry(id).or_default();
        let offset = offset.unwrap_or(content.now().len() as u64);
        let part = if fault.is_some() { &bytes[..bytes.len() / 2] } else { bytes };
        content.unsynced.push(Write::At(offset, part.to_vec()));
        match fault {
            Some(Fault::Short(kind)) => Err(kind.into()),
            Some(_) => {
                model.crashed = true;
                Err(io::Error::other("the machine went down"))
            }
            None => Ok(()),
        }
    }
}

impl Model {
    fn file(&mut self, path: &Path) -> u64 {
        if let Some(id) = self.names.get(path) {
            return *id;
        }
        self.next += 1;
        self.names.insert(path.to_owned(), self.next);
        self.files.insert(self.next, Content::default());
        self.next
    }

    fn content(&self, path: &Path) -> Option<Vec<u8>> {
        self.names.get(path).map(|id| self.files[id].now())
    }

    fn sync_names(&mut self, folder: &Path) {
        let inside = |path: &Path| path.parent() == Some(folder);
        self.durable_names.retain(|path, _| !inside(path));
        let now = self.names.iter().filter(|(path, _)| inside(path));
        let now: Vec<_> = now.map(|(path, id)| (path.clone(), *id)).collect();
        self.durable_names.extend(now);
    }
}

impl Disk for SimDisk {
    type Lock = ();
    type Written = PathBuf;

    fn read(&self, path: &Path, _max: u64) -> io::Result<Option<Vec<u8>>> {
        Ok(self.model().content(path))
    }

    fn read_part(&self, path: &Path, offset: u64, max: u64) -> io::Result<Option<(u64, Vec<u8>)>> {
        let content = self.model().content(path);
        Ok(content.map(|bytes| {
            let start = usize::try_from(offset).unwrap_or(0).min(bytes.len());
            let part = bytes[start..].iter().take(usize::try_from(max).unwrap_or(usize::MAX));
            (bytes.len() as u64, part.copied().collect())
        }))
    }

    fn length(&self, path: &Path) -> io::Result<u64> {
        Ok(self.model().content(path).map_or(0, |bytes| bytes.len() as u64))
    }

    fn names(&self, folder: &Path) -> io::Result<Vec<String>> {
        let model = self.model();
        let inside = model.folders.iter().filter(|path| path.parent() == Some(folder));
        Ok(inside.filter_map(|path| path.file_name()?.to_str().map(str::to_owned)).collect())
    }

    fn is_folder(&self, path: &Path) -> bool {
        self.model().folders.contains(path)
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
        self.write(path, None, bytes).map(|()| path.to_owned())
    }

    fn write_at(&self, path: &Path, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.write(path, Some(offset), bytes)
    }

    fn sync(&self, path: &PathBuf) -> io::Result<()> {
        let mut model = self.whole_step()?;
        let id = model.file(path);
        let content = model.files.entry(id).or_default();
        content.synced = content.now();
        content.unsynced.clear();
        Ok(())
    }

    fn truncate(&self, path: &Path, length: u64) -> io::Result<()> {
        let mut model = self.whole_step()?;
        let id = model.file(path);
        model.files.entry(id).or_default().unsynced.push(Write::Length(length));
        Ok(())
    }

    fn write_new(&self, path: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
        if self.model().names.contains_key(path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.write(path, Some(0), bytes).map(|()| path.to_owned())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut model = self.whole_step()?;
        let id = model.names.remove(from).ok_or(io::ErrorKind::NotFound)?;
        model.names.insert(to.to_owned(), id);
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.whole_step()?.names.remove(path);
        Ok(())
    }

    fn make_folders(&self, path: &Path) -> io::Result<()> {
        let mut model = self.whole_step()?;
        model.folders.extend(path.ancestors().map(Path::to_owned));
        Ok(())
    }

    fn make_new_folder(&self, path: &Path) -> io::Result<bool> {
        Ok(self.whole_step()?.folders.insert(path.to_owned()))
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.whole_step()?.sync_names(path);
        Ok(())
    }

    fn lock(&self, _path: &Path, _patience: Patience) -> io::Result<Option<()>> {
        self.whole_step().map(|_| Some(()))
    }
}
