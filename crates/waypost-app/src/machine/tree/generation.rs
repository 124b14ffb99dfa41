//! A generation: private objects, and the cached indexes that need them. When much in it is of no
//! use any more, a new one is begun beside it, and it stays readable until the one after that.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use waypost_store::look;

use super::{lock, private};

const PREFIX: &str = "generation-";
/// So many objects may be of no use before a new generation is worth hashing everything again.
const SPARE_OBJECTS: usize = 20_000;
/// A generation older than this is given up, and with it what killed processes, deleted work trees
/// and large files that changed often have left in it.
const MAX_AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// A generation that cannot be removed while this is held.
pub(super) struct Generation {
    pub(super) folder: PathBuf,
    number: u64,
    held: File,
}

impl Generation {
    /// The newest below `parent`; the first if there is none.
    pub(super) fn newest(parent: &Path) -> io::Result<Self> {
        // Each time it is gone between being seen and being locked, two newer ones have come.
        for _ in 0..100 {
            let number = match numbers(parent).last() {
                Some(number) => *number,
                None => begin(parent, 1)?,
            };
            if let Some(generation) = Self::share(parent, number)? {
                private::folder(&generation.folder)?;
                private::folder(&generation.objects())?;
                return Ok(generation);
            }
        }
        Err(io::Error::other("no generation of objects could be locked"))
    }

    /// The one before this, if it is still there.
    pub(super) fn before(&self) -> Option<Self> {
        let parent = self.folder.parent()?;
        let number = numbers(parent).into_iter().rev().find(|number| *number < self.number)?;
        Self::share(parent, number).ok().flatten()
    }

    fn share(parent: &Path, number: u64) -> io::Result<Option<Self>> {
        let folder = folder(parent, number);
        Ok(lock::share(&folder)?.map(|held| Self { folder, number, held }))
    }

    /// Where its objects are.
    pub(super) fn objects(&self) -> PathBuf {
        self.folder.join("objects")
    }

    /// Begins a new one if this has more than it should. `needed` tells how many objects its
    /// cached indexes need; it is only asked if there are many.
    pub(super) fn retire_if_full(&self, needed: impl FnOnce() -> usize) -> io::Result<()> {
        let is_old = self.held.metadata()?.modified().is_ok_and(|begun| {
            SystemTime::now().duration_since(begun).is_ok_and(|age| age > MAX_AGE)
        });
        let stored = self.stored();
        // A full generation has had as many objects written to it in vain as the next one will
        // begin with. So hashing everything again costs no more than was spent anyway, however
        // large the work tree is.
        let is_full = stored > SPARE_OBJECTS && stored > SPARE_OBJECTS + 2 * needed();
        if (is_old || is_full)
            && let Some(parent) = self.folder.parent()
        {
            begin(parent, self.number + 1)?;
        }
        Ok(())
    }

    /// About how many objects there are: one of git's 256 folders tells how full the others are.
    fn stored(&self) -> usize {
        look::folder(self.objects().join("00")).map_or(0, Iterator::count) * 256
    }
}

/// Removes all but the newest and the one before it, unless they are still in use.
pub(super) fn sweep(parent: &Path) {
    let numbers = numbers(parent);
    for number in numbers.iter().rev().skip(2) {
        lock::remove_unused(&folder(parent, *number), || {});
    }
}

/// Makes a generation known by its lock file; whoever uses it makes the rest.
fn begin(parent: &Path, number: u64) -> io::Result<u64> {
    match private::file(&lock::file_of(&folder(parent, number))) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(number),
    }
}

fn folder(parent: &Path, number: u64) -> PathBuf {
    parent.join(format!("{PREFIX}{number}"))
}

fn numbers(parent: &Path) -> Vec<u64> {
    let names = lock::folders(parent, PREFIX).into_iter();
    let mut numbers: Vec<u64> = names.filter_map(|name| name.parse().ok()).collect();
    numbers.sort_unstable();
    numbers
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn fill(generation: &Generation, objects: usize) {
        let fan = generation.objects().join("00");
        fs::create_dir_all(&fan).unwrap();
        for number in 0..objects / 256 {
            fs::write(fan.join(number.to_string()), "").unwrap();
        }
    }

    #[test]
    fn many_objects_are_kept_as_long_as_they_are_needed() {
        let parent = tempfile::tempdir().unwrap();
        let generation = Generation::newest(parent.path()).unwrap();
        fill(&generation, 60_000);
        generation.retire_if_full(|| 50_000).unwrap();
        assert_eq!(Generation::newest(parent.path()).unwrap().folder, generation.folder);
        generation.retire_if_full(|| 1_000).unwrap();
        assert_ne!(Generation::newest(parent.path()).unwrap().folder, generation.folder);
    }

    #[test]
    fn few_objects_are_kept_whatever_is_needed() {
        let parent = tempfile::tempdir().unwrap();
        let generation = Generation::newest(parent.path()).unwrap();
        fill(&generation, 10_000);
        generation.retire_if_full(|| 0).unwrap();
        assert_eq!(numbers(parent.path()), [1]);
    }

    #[test]
    fn an_old_generation_is_given_up() {
        let parent = tempfile::tempdir().unwrap();
        let generation = Generation::newest(parent.path()).unwrap();
        let begun = SystemTime::now() - MAX_AGE - Duration::from_secs(1);
        generation.held.set_modified(begun).unwrap();
        generation.retire_if_full(|| 0).unwrap();
        assert_eq!(numbers(parent.path()), [1, 2]);
    }

    #[test]
    fn a_generation_is_removed_when_it_is_neither_needed_nor_in_use() {
        let parent = tempfile::tempdir().unwrap();
        let first = Generation::newest(parent.path()).unwrap();
        begin(parent.path(), 2).unwrap();
        let second = Generation::newest(parent.path()).unwrap();
        assert_eq!(second.before().unwrap().folder, first.folder);
        begin(parent.path(), 3).unwrap();
        sweep(parent.path());
        assert!(first.objects().is_dir(), "a call still uses it");
        let folder = first.folder.clone();
        drop(first);
        sweep(parent.path());
        assert!(!folder.exists());
        assert_eq!(numbers(parent.path()), [2, 3]);
        assert_eq!(Generation::newest(parent.path()).unwrap().number, 3);
    }
}
