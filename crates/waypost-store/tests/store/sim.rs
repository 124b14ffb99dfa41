//! A simulated disk: it can fail any operation, stop a write short, and lose, tear or reorder what
//! was not synced when it crashes.
//!
//! After a failed sync of a file it does what Linux does: whoever reads still sees what was written,
//! later syncs succeed and leave it out, and a crash keeps or loses it. Names are different: they are
//! in a journal, and a later sync of their folder that succeeds has them.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use waypost_store::disk::{Disk, Patience};

use crate::journal::{Content, Leaves, Name, Names, Node, Write};

/// What happens at the chosen operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The machine stops before it, or only the process does.
    Crash,
    /// The machine stops in the middle of it: of a write, only a part was begun.
    CrashWithin,
    /// It fails with this error and does nothing.
    Fail(io::ErrorKind),
    /// A write writes half and then fails with this error.
    Short(io::ErrorKind),
    /// It fails, and so does whatever would change something from then on.
    Dead,
}

#[derive(Debug, Clone, Default)]
struct Model {
    files: BTreeMap<u64, Content>,
    names: Names,
    next: u64,
    operations: u64,
    faults: Vec<(u64, Fault)>,
    crashed: bool,
    dead: bool,
}

/// What can be read from a disk.
pub(crate) type Image = BTreeMap<PathBuf, Option<Vec<u8>>>;

/// A disk in memory. Copies are the same disk.
#[derive(Debug, Clone, Default)]
pub(crate) struct SimDisk(Arc<Mutex<Model>>);

impl SimDisk {
    /// A disk on which `fault` happens at the operation with this number, from 1.
    pub(crate) fn with_fault(operation: u64, fault: Fault) -> Self {
        let disk = Self::default();
        disk.add_fault(operation, fault);
        disk
    }

    /// Lets `fault` happen at an operation, counted from now. Others stay as they are.
    pub(crate) fn add_fault(&self, operation: u64, fault: Fault) {
        let mut model = self.model();
        let at = model.operations + operation;
        model.faults.push((at, fault));
    }

    /// Whether all faults came up.
    pub(crate) fn was_reached(&self) -> bool {
        let model = self.model();
        model.faults.iter().all(|(operation, _)| model.operations >= *operation)
    }

    /// How many operations there were.
    pub(crate) fn operations(&self) -> u64 {
        self.model().operations
    }

    /// Whether the machine or the process has stopped.
    pub(crate) fn is_down(&self) -> bool {
        self.model().crashed
    }

    /// The disk without any more faults, as another process sees it; the machine never stopped.
    pub(crate) fn for_others(&self) -> Self {
        let mut model = self.model().clone();
        (model.crashed, model.dead) = (false, false);
        model.faults.clear();
        Self(Arc::new(Mutex::new(model)))
    }

    /// The disk as it is found after the machine stopped.
    pub(crate) fn after_crash(&self, leaves: Leaves) -> Self {
        let model = self.model();
        let names = model.names.after_crash(leaves);
        let file = |node: &Node| match node {
            Node::File(id) => Some((*id, model.files[id].after_crash(leaves))),
            Node::Folder => None,
        };
        let files = names.now().values().filter_map(file).collect();
        Self(Arc::new(Mutex::new(Model { files, names, next: model.next, ..Model::default() })))
    }

    /// All that can be read.
    pub(crate) fn image(&self) -> Image {
        let model = self.model();
        let content = |node: &Node| match node {
            Node::File(id) => Some(model.files[id].now().to_vec()),
            Node::Folder => None,
        };
        model.names.now().iter().map(|(path, node)| (path.clone(), content(node))).collect()
    }

    /// Changes a file behind the log's back.
    pub(crate) fn damage(&self, path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
        let mut model = self.model();
        let mut content = model.content(path).unwrap_or_default().to_vec();
        change(&mut content);
        let id = model.file(path);
        model.files.insert(id, Content::of(content));
    }

    fn model(&self) -> MutexGuard<'_, Model> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts an operation and lets the fault happen at its turn.
    fn step(&self) -> io::Result<(MutexGuard<'_, Model>, Option<Fault>)> {
        let mut model = self.model();
        if model.crashed {
            return Err(io::Error::other("the machine is down"));
        }
        model.operations += 1;
        let now = model.operations;
        let due = model.faults.iter().find(|(operation, _)| *operation == now);
        let fault = due.map(|(_, fault)| *fault);
        match fault {
            Some(Fault::Crash) => {
                model.crashed = true;
                Err(io::Error::other("the machine went down"))
            }
            Some(Fault::Dead) => {
                model.dead = true;
                Ok((model, Some(Fault::Fail(io::ErrorKind::ReadOnlyFilesystem))))
            }
            None if model.dead => Ok((model, Some(Fault::Fail(io::ErrorKind::ReadOnlyFilesystem)))),
            fault => Ok((model, fault)),
        }
    }

    /// The same for operations that are whole or not at all.
    fn whole_step(&self) -> io::Result<MutexGuard<'_, Model>> {
        let (mut model, fault) = self.step()?;
        match fault {
            Some(Fault::Fail(kind) | Fault::Short(kind)) => Err(kind.into()),
            Some(_) => {
                model.crashed = true;
                Err(io::Error::other("the machine went down"))
            }
            None => Ok(model),
        }
    }

    /// The same for reading, which goes on where nothing can be changed any more.
    fn reading_step(&self) -> io::Result<MutexGuard<'_, Model>> {
        match self.step()? {
            (model, Some(Fault::Fail(_))) if model.dead => Ok(model),
            (_, Some(Fault::Fail(kind) | Fault::Short(kind))) => Err(kind.into()),
            (model, _) => Ok(model),
        }
    }

    fn write(&self, path: &Path, offset: Option<u64>, bytes: &[u8]) -> io::Result<u64> {
        let (mut model, fault) = self.step()?;
        if let Some(Fault::Fail(kind)) = fault {
            return Err(kind.into());
        }
        let id = model.file(path);
        let content = model.files.entry(id).or_default();
        let offset = offset.unwrap_or(content.now().len() as u64);
        let part = if fault.is_some() { &bytes[..bytes.len() / 2] } else { bytes };
        content.add(Write::At(offset, part.to_vec()));
        match fault {
            Some(Fault::Short(kind)) => Err(kind.into()),
            Some(_) => {
                model.crashed = true;
                Err(io::Error::other("the machine went down"))
            }
            None => Ok(id),
        }
    }
}

impl Model {
    fn node(&self, path: &Path) -> Option<Node> {
        self.names.now().get(path).copied()
    }

    fn file(&mut self, path: &Path) -> u64 {
        if let Some(Node::File(id)) = self.node(path) {
            return id;
        }
        self.next += 1;
        self.names.add(Name::Put(path.to_owned(), Node::File(self.next)));
        self.files.insert(self.next, Content::default());
        self.next
    }

    fn content(&self, path: &Path) -> Option<&[u8]> {
        match self.node(path) {
            Some(Node::File(id)) => Some(self.files[&id].now()),
            _ => None,
        }
    }
}

impl Disk for SimDisk {
    type Lock = ();
    type Written = u64;

    fn read(&self, path: &Path, _max: u64) -> io::Result<Option<Vec<u8>>> {
        Ok(self.reading_step()?.content(path).map(<[u8]>::to_vec))
    }

    fn read_part(&self, path: &Path, offset: u64, max: u64) -> io::Result<Option<(u64, Vec<u8>)>> {
        let model = self.reading_step()?;
        Ok(model.content(path).map(|bytes| (bytes.len() as u64, part(bytes, offset, max))))
    }

    fn peek(&self, path: &Path, offset: u64, max: usize) -> io::Result<Option<Vec<u8>>> {
        Ok(self.reading_step()?.content(path).map(|bytes| part(bytes, offset, max as u64)))
    }

    fn length(&self, path: &Path) -> io::Result<u64> {
        Ok(self.reading_step()?.content(path).map_or(0, |bytes| bytes.len() as u64))
    }

    fn names(&self, folder: &Path) -> io::Result<Vec<String>> {
        let model = self.reading_step()?;
        let inside = model.names.now().keys().filter(|path| path.parent() == Some(folder));
        Ok(inside.filter_map(|path| path.file_name()?.to_str().map(str::to_owned)).collect())
    }

    fn is_folder(&self, path: &Path) -> bool {
        path == Path::new("/") || self.model().node(path) == Some(Node::Folder)
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<u64> {
        if self.model().node(path.parent().unwrap_or(path)).is_none() {
            return Err(io::ErrorKind::NotFound.into());
        }
        self.write(path, None, bytes)
    }

    fn write_at(&self, path: &Path, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.write(path, Some(offset), bytes).map(drop)
    }

    fn sync(&self, id: &u64) -> io::Result<()> {
        let (mut model, fault) = self.step()?;
        let content = model.files.entry(*id).or_default();
        match fault {
            Some(Fault::Fail(kind) | Fault::Short(kind)) => {
                content.fail();
                Err(kind.into())
            }
            Some(_) => {
                model.crashed = true;
                Err(io::Error::other("the machine went down"))
            }
            None => {
                content.sync();
                Ok(())
            }
        }
    }

    fn truncate(&self, path: &Path, length: u64) -> io::Result<u64> {
        let mut model = self.whole_step()?;
        let Some(Node::File(id)) = model.node(path) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        model.files.entry(id).or_default().add(Write::Length(length));
        Ok(id)
    }

    fn write_new(&self, path: &Path, bytes: &[u8]) -> io::Result<u64> {
        if self.model().node(path).is_some() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.write(path, Some(0), bytes)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut model = self.whole_step()?;
        let node = model.node(from).ok_or(io::ErrorKind::NotFound)?;
        model.names.add(Name::Move(from.to_owned(), to.to_owned(), node));
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.whole_step()?.names.add(Name::Remove(path.to_owned()));
        Ok(())
    }

    fn make_folders(&self, path: &Path) -> io::Result<()> {
        let mut model = self.whole_step()?;
        let above: Vec<&Path> = path.ancestors().filter(|path| path.parent().is_some()).collect();
        for folder in above.into_iter().rev() {
            if model.node(folder).is_none() {
                model.names.add(Name::Put(folder.to_owned(), Node::Folder));
            }
        }
        Ok(())
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.whole_step()?.names.sync(path);
        Ok(())
    }

    fn lock(&self, path: &Path, _patience: Patience) -> io::Result<Option<()>> {
        if self.model().node(path.parent().unwrap_or(path)).is_none() {
            return Err(io::ErrorKind::NotFound.into());
        }
        self.whole_step().map(|_| Some(()))
    }
}

fn part(bytes: &[u8], offset: u64, max: u64) -> Vec<u8> {
    let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
    let part = bytes[start..].iter().take(usize::try_from(max).unwrap_or(usize::MAX));
    part.copied().collect()
}
