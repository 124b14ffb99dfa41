//! The disk beneath the event log: every operation that can fail, stop short or be the last before
//! a crash. Small, so that a simulated disk can stand in for the real one.

use std::fmt::Debug;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write as _};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use rustix::fs::{CWD, FlockOperation, Mode, OFlags, RenameFlags, flock, renameat_with};

use crate::mark::Mark;
use crate::{look, os, seen};

/// Whether this process held a lock before, or tried to.
static HELD_BEFORE: AtomicBool = AtomicBool::new(false);

/// The operations that the event log needs.
pub trait Disk: Debug + Send + Sync {
    /// A lock that is let go when it is dropped.
    type Lock;
    /// A file that was just written.
    type Written;

    /// Reads a file of at most `max` bytes; `None` if it is not there.
    fn read(&self, path: &Path, max: u64) -> io::Result<Option<Vec<u8>>>;
    /// The file's length and what lies behind `offset`, at most `max` bytes of it; `None` if the file
    /// is not there.
    fn read_part(&self, path: &Path, offset: u64, max: u64) -> io::Result<Option<(u64, Vec<u8>)>>;
    /// What lies behind `offset`, at most `max` bytes of it and fewer only where the file ends; `None`
    /// if it is not there. For little: it is read at one go.
    fn peek(&self, path: &Path, offset: u64, max: usize) -> io::Result<Option<Vec<u8>>>;
    /// The file's length; 0 if it is not there.
    fn length(&self, path: &Path) -> io::Result<u64>;
    /// Something that changes whenever the file does.
    fn mark(&self, path: &Path) -> io::Result<Mark> {
        Ok(Mark { bytes: self.length(path)?, modified: 0 })
    }
    /// The names in a folder; none if it is not there.
    fn names(&self, folder: &Path) -> io::Result<Vec<String>>;
    /// Whether a folder is there.
    fn is_folder(&self, path: &Path) -> bool;

    /// Adds to the end of a file, making it if needed. What was added may be part of it on failure.
    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<Self::Written>;
    /// Writes over a part of a file, making it if needed.
    fn write_at(&self, path: &Path, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// The same as `peek` for somebody who is about to write: a disk that can keeps the file open.
    fn peek_to(
        &self,
        _write: Write,
        path: &Path,
        offset: u64,
        max: usize,
    ) -> io::Result<Option<Peeked<Self::Written>>> {
        Ok(self.peek(path, offset, max)?.map(|bytes| Peeked { bytes, open: None }))
    }
    /// The same as `append`, to a file that may be open already.
    fn append_to(
        &self,
        _open: Option<Self::Written>,
        path: &Path,
        bytes: &[u8],
    ) -> io::Result<Self::Written> {
        self.append(path, bytes)
    }
    /// The same as `write_at`, to a file that may be open already.
    fn write_to(
        &self,
        _open: Option<&Self::Written>,
        path: &Path,
        offset: u64,
        bytes: &[u8],
    ) -> io::Result<()> {
        self.write_at(path, offset, bytes)
    }
    /// Sees to it that what was written survives a crash. After a failure the system takes it for
    /// written all the same: trying again would succeed and help nothing.
    fn sync(&self, written: &Self::Written) -> io::Result<()>;
    /// Cuts a file off.
    fn truncate(&self, path: &Path, length: u64) -> io::Result<Self::Written>;
    /// Writes a new file; it is an error if it is there.
    fn write_new(&self, path: &Path, bytes: &[u8]) -> io::Result<Self::Written>;
    /// Gives a file another name, in place of what had that name.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// The same for a file that need not survive a crash.
    fn rename_loosely(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.rename(from, to)
    }
    /// Removes a file if it is there.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Makes a folder and those above it.
    fn make_folders(&self, path: &Path) -> io::Result<()>;
    /// Sees to it that the names in a folder survive a crash.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;
    /// Takes a lock; `None` if somebody else kept it for longer than the patience lasts.
    fn lock(&self, path: &Path, patience: Patience) -> io::Result<Option<Self::Lock>>;
}

/// What somebody is about to do to a file.
#[derive(Debug, Clone, Copy)]
pub enum Write {
    /// Add to its end.
    Append,
    /// Write over a part of it.
    Over,
}

/// A part of a file, and the file where it was kept open.
#[derive(Debug)]
pub struct Peeked<W> {
    /// The part.
    pub bytes: Vec<u8>,
    /// The file.
    pub open: Option<W>,
}

/// How long somebody waits for a lock, and what is done when it takes a while.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// The longest that anybody waits.
    pub limit: Duration,
    /// Called once when the wait becomes noticeable.
    pub waiting: fn(),
}

impl Patience {
    /// After this long, whoever waits is told that it does.
    const NOTICEABLE: Duration = Duration::from_secs(1);

    /// A wait of at most `limit`, without a word.
    pub const fn silent(limit: Duration) -> Self {
        Self { limit, waiting: || {} }
    }
}

impl Default for Patience {
    /// What a hook can afford: its harness gives up on it soon after.
    fn default() -> Self {
        Self::silent(Duration::from_secs(5))
    }
}

/// The machine's own disk.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealDisk;

impl Disk for RealDisk {
    type Lock = File;
    type Written = File;

    fn read(&self, path: &Path, max: u64) -> io::Result<Option<Vec<u8>>> {
        os::read_without_waiting(path, max)
    }

    fn read_part(&self, path: &Path, offset: u64, max: u64) -> io::Result<Option<(u64, Vec<u8>)>> {
        seen::read(path);
        let mut file = match open(path, OFlags::RDONLY) {
            Ok(file) => file,
            Err(error) if os::is_absent(&error) => return Ok(None),
            Err(error) => return Err(error),
        };
        let length = file.metadata()?.len();
        // No more than was there: what another process adds meanwhile is read next time.
        let wanted = length.saturating_sub(offset).min(max);
        let mut bytes = Vec::with_capacity(usize::try_from(wanted).unwrap_or(0).saturating_add(1));
        file.seek(SeekFrom::Start(offset))?;
        file.take(wanted).read_to_end(&mut bytes)?;
        Ok(Some((length, bytes)))
    }

    fn peek(&self, path: &Path, offset: u64, max: usize) -> io::Result<Option<Vec<u8>>> {
        seen::read(path);
        let file = match open(path, OFlags::RDONLY) {
            Ok(file) => file,
            Err(error) if os::is_absent(&error) => return Ok(None),
            Err(error) => return Err(error),
        };
        read_at(&file, offset, max).map(Some)
    }

    fn peek_to(
        &self,
        write: Write,
        path: &Path,
        offset: u64,
        max: usize,
    ) -> io::Result<Option<Peeked<File>>> {
        let flags = match write {
            Write::Append => OFlags::RDWR | OFlags::APPEND,
            Write::Over => OFlags::RDWR,
        };
        let Ok(file) = open(path, flags) else {
            // What cannot be written may still be read; whoever writes is told then.
            let bytes = self.peek(path, offset, max)?;
            return Ok(bytes.map(|bytes| Peeked { bytes, open: None }));
        };
        seen::read(path);
        let bytes = read_at(&file, offset, max)?;
        Ok(Some(Peeked { bytes, open: Some(file) }))
    }

    fn append_to(&self, open: Option<File>, path: &Path, bytes: &[u8]) -> io::Result<File> {
        match open {
            Some(mut file) => file.write_all(bytes).map(|()| file),
            None => self.append(path, bytes),
        }
    }

    fn write_to(
        &self,
        open: Option<&File>,
        path: &Path,
        offset: u64,
        bytes: &[u8],
    ) -> io::Result<()> {
        match open {
            Some(file) => file.write_all_at(bytes, offset),
            None => self.write_at(path, offset, bytes),
        }
    }

    fn length(&self, path: &Path) -> io::Result<u64> {
        match look::at(path) {
            Ok(metadata) => Ok(metadata.len()),
            Err(error) if os::is_absent(&error) => Ok(0),
            Err(error) => Err(error),
        }
    }

    fn mark(&self, path: &Path) -> io::Result<Mark> {
        match look::at(path) {
            Ok(found) => {
                // In microseconds: more would be too long for a number in canonical JSON.
                let seconds = found.mtime().wrapping_mul(1_000_000);
                let modified = seconds.wrapping_add(found.mtime_nsec() / 1000).unsigned_abs();
                Ok(Mark { bytes: found.len(), modified })
            }
            Err(error) if os::is_absent(&error) => Ok(Mark::default()),
            Err(error) => Err(error),
        }
    }

    fn names(&self, folder: &Path) -> io::Result<Vec<String>> {
        let entries = match look::folder(folder) {
            Ok(entries) => entries,
            Err(error) if os::is_absent(&error) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut names = Vec::new();
        for entry in entries {
            names.extend(entry?.file_name().into_string().ok());
        }
        Ok(names)
    }

    fn is_folder(&self, path: &Path) -> bool {
        look::is_folder(path)
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<File> {
        let mut file = open_or_make(path, OFlags::WRONLY | OFlags::APPEND)?;
        file.write_all(bytes).map(|()| file)
    }

    fn write_at(&self, path: &Path, offset: u64, bytes: &[u8]) -> io::Result<()> {
        open_or_make(path, OFlags::WRONLY)?.write_all_at(bytes, offset)
    }

    fn sync(&self, written: &File) -> io::Result<()> {
        written.sync_data()
    }

    fn truncate(&self, path: &Path, length: u64) -> io::Result<File> {
        let file = OpenOptions::new().write(true).open(path)?;
        file.set_len(length).map(|()| file)
    }

    fn write_new(&self, path: &Path, bytes: &[u8]) -> io::Result<File> {
        let mut options = OpenOptions::new();
        let mut file = options.write(true).create_new(true).mode(0o600).open(path)?;
        file.write_all(bytes).map(|()| file)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    /// Where a file is renamed over another, the system first makes room for it on the disk, so that a
    /// crash leaves one of the two. That takes longer than all the rest. Two files that change names
    /// are left alone.
    fn rename_loosely(&self, from: &Path, to: &Path) -> io::Result<()> {
        let exchange = || renameat_with(CWD, from, CWD, to, RenameFlags::EXCHANGE);
        if exchange().is_err() {
            return self.rename(from, to);
        }
        match fs::remove_file(from) {
            // What had that name is no file: it stays where it was, as with any other renaming.
            Err(_) if from.is_dir() => {
                exchange().map_err(io::Error::from).and_then(|()| self.rename(from, to))
            }
            removed => removed,
        }
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        match fs::remove_file(path) {
            Err(error) if !os::is_absent(&error) => Err(error),
            _ => Ok(()),
        }
    }

    fn make_folders(&self, path: &Path) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }

    fn lock(&self, path: &Path, patience: Patience) -> io::Result<Option<File>> {
        let open = |path: &Path| open_or_make(path, OFlags::WRONLY | OFlags::APPEND);
        let file = open(path)?;
        // A process that never held a lock overtakes the others once at the most, and most hooks hold
        // one once.
        if !HELD_BEFORE.swap(true, Ordering::Relaxed) && try_lock(&file)? {
            return Ok(Some(file));
        }
        // Whoever lets go and comes back at once would overtake those whom the kernel is still
        // waking. So one first waits for its turn, which only the next holder gives on.
        let mut turn = path.as_os_str().to_owned();
        turn.push(".turn");
        let turn = open(Path::new(&turn))?;
        if try_lock(&turn)? && try_lock(&file)? {
            return Ok(Some(file));
        }
        // Only a second thread can wait in the kernel's queue with a limit. If it gets the lock too
        // late, nobody takes it from the channel, and it is let go with the file.
        let (sender, receiver) = mpsc::channel();
        std::thread::Builder::new().spawn(move || {
            let wait = |file: &File| {
                rustix::io::retry_on_intr(|| flock(file, FlockOperation::LockExclusive))
            };
            let locked = wait(&turn).and_then(|()| wait(&file));
            drop(turn);
            let _ = sender.send(locked.map(|()| file));
        })?;
        let Patience { limit, waiting } = patience;
        let soon = limit.min(Patience::NOTICEABLE);
        let locked = receiver.recv_timeout(soon).or_else(|_| {
            waiting();
            receiver.recv_timeout(limit.saturating_sub(soon))
        });
        match locked {
            Ok(locked) => Ok(Some(locked?)),
            Err(_) => Ok(None),
        }
    }
}

/// A part of a file, at one go.
fn read_at(file: &File, offset: u64, max: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; max];
    // A regular file is read short only at its end, so that a second call would find nothing.
    let filled = loop {
        match file.read_at(&mut bytes, offset) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => break read?,
        }
    };
    bytes.truncate(filled);
    Ok(bytes)
}

/// Opening what is there is quicker if it is not also made where it is not.
fn open_or_make(path: &Path, flags: OFlags) -> io::Result<File> {
    match open(path, flags) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => open(path, flags | OFlags::CREATE),
        opened => opened,
    }
}

/// Asks the system itself: some C libraries make two calls of it. A pipe in a file's place is not waited for.
fn open(path: &Path, flags: OFlags) -> io::Result<File> {
    let owner = Mode::RUSR | Mode::WUSR;
    let flags = flags | OFlags::CLOEXEC | OFlags::NONBLOCK;
    Ok(File::from(rustix::fs::open(path, flags, owner)?))
}

fn try_lock(file: &File) -> io::Result<bool> {
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
