//! What a call looked at: told to tests that count it, and to a server that may give the same answer
//! again for as long as nothing of it has changed.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use waypost_core::time::Timestamp;

/// A file that changed this shortly before it was looked at may change again without another stamp:
/// file systems do not tell moments apart that lie closer together than their clock's tick.
const TICK: Duration = Duration::from_millis(100);

thread_local! {
    static SEEN: RefCell<Option<Seen>> = const { RefCell::new(None) };
}

/// What a call looked at.
#[derive(Debug, Default)]
pub struct Seen {
    /// Which files it read, and how often each.
    pub read: BTreeMap<PathBuf, usize>,
    stamps: BTreeMap<PathBuf, Stamp>,
    /// Whether its answer depends on something that has no stamp, or that changed just now.
    beyond: bool,
    until: Option<Timestamp>,
}

/// Runs `call` and tells what this thread looked at meanwhile.
pub fn of<T>(call: impl FnOnce() -> T) -> (T, Seen) {
    SEEN.set(Some(Seen::default()));
    let value = call();
    (value, SEEN.take().unwrap_or_default())
}

/// A file is about to be read, or something as dear as that is worked out.
pub fn read(path: &Path) {
    note(path, |seen| *seen.read.entry(path.to_owned()).or_default() += 1);
}

/// Something is about to be looked at, and not read: whether it is there, its length, its names.
pub fn glance(path: &Path) {
    note(path, |_| {});
}

/// The answer depends on something that has no stamp: the clock, or what another program says.
pub fn beyond_files() {
    with(|seen| seen.beyond = true);
}

/// The answer depends on the clock in this alone, that it is not yet `time`.
pub fn until(time: Timestamp) {
    with(|seen| seen.until = Some(seen.until.map_or(time, |known| known.min(time))));
}

fn with(note: impl FnOnce(&mut Seen)) {
    SEEN.with_borrow_mut(|seen| seen.as_mut().map_or((), note));
}

fn note(path: &Path, count: impl FnOnce(&mut Seen)) {
    with(|seen| {
        count(seen);
        // What is not there stays so for as long as the folder does that it would be in.
        for path in path.ancestors() {
            if seen.stamps.contains_key(path) {
                return;
            }
            // Before it is looked at: what changes afterwards has another stamp.
            let stamp = Stamp::of(path);
            if stamp.itself.is_some() {
                seen.beyond |= stamp.is_fresh();
                seen.stamps.insert(path.to_owned(), stamp);
                return;
            }
        }
    });
}

impl Seen {
    /// What has to stay as it is for the same answer; `None` where that cannot be told.
    pub fn unchanging(self) -> Option<Unchanging> {
        let Self { stamps, beyond, until, .. } = self;
        (!beyond).then(|| Unchanging { stamps: stamps.into_iter().collect(), until })
    }
}

/// Everything that an answer depends on.
#[derive(Debug)]
pub struct Unchanging {
    stamps: Vec<(PathBuf, Stamp)>,
    until: Option<Timestamp>,
}

impl Unchanging {
    /// Whether all of it still is as it was.
    pub fn holds_at(&self, now: Timestamp) -> bool {
        self.until.is_none_or(|until| now < until)
            && self.stamps.iter().all(|(path, stamp)| Stamp::of(path) == *stamp)
    }
}

/// By what a change of a file or folder is known: of the name itself, and of what it leads to.
#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    itself: Option<Marks>,
    target: Option<Marks>,
}

#[derive(Debug, PartialEq, Eq)]
struct Marks {
    place: (u64, u64),
    mode: u32,
    length: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    fn of(path: &Path) -> Self {
        let Ok(itself) = std::fs::symlink_metadata(path) else {
            return Self { itself: None, target: None };
        };
        // A link's target may come and go without the link.
        let target = itself.is_symlink().then(|| std::fs::metadata(path).ok()).flatten();
        Self { itself: Some(Marks::of(&itself)), target: target.as_ref().map(Marks::of) }
    }

    /// Whether it changed so recently that it may do so again unseen.
    fn is_fresh(&self) -> bool {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let settled = now.saturating_sub(TICK);
        let latest = self.itself.iter().chain(&self.target).map(|marks| marks.changed).max();
        latest.is_some_and(|(seconds, nanos)| {
            let at = (u64::try_from(seconds).unwrap_or(0), i64::from(settled.subsec_nanos()));
            (at.0, nanos) >= (settled.as_secs(), at.1)
        })
    }
}

impl Marks {
    fn of(found: &Metadata) -> Self {
        Self {
            place: (found.dev(), found.ino()),
            mode: found.mode(),
            length: found.size(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::look;

    /// Long enough ago that a stamp tells every later change.
    fn settle(path: &Path) {
        // Only the time of the content can be set; that of the entry is what has to pass.
        while Stamp::of(path).is_fresh() {
            std::thread::yield_now();
        }
    }

    fn now() -> Timestamp {
        Timestamp::from_millis(1_000).unwrap()
    }

    fn kept(folder: &Path, call: impl Fn(&Path)) -> Unchanging {
        settle(folder);
        of(|| call(folder)).1.unchanging().unwrap()
    }

    type Do = fn(&Path);

    /// What is there before, what is looked at, and what changes then.
    const CASES: [(&str, Do, Do, Do); 7] = [
        (
            "a file gets other content of the same length",
            |f| fs::write(f.join("a"), "1").unwrap(),
            |f| drop(look::text(f.join("a"))),
            |f| fs::write(f.join("a"), "2").unwrap(),
        ),
        (
            "a file appears where none was",
            |_| {},
            |f| assert!(!look::is_file(f.join("a"))),
            |f| fs::write(f.join("a"), "").unwrap(),
        ),
        (
            "a file goes away",
            |f| fs::write(f.join("a"), "1").unwrap(),
            |f| assert!(look::is_there(f.join("a"))),
            |f| fs::remove_file(f.join("a")).unwrap(),
        ),
        (
            "a folder gets one more name",
            |f| fs::create_dir(f.join("d")).unwrap(),
            |f| assert_eq!(look::folder(f.join("d")).unwrap().count(), 0),
            |f| drop(File::create(f.join("d/x")).unwrap()),
        ),
        (
            "what a link leads to changes",
            |f| {
                fs::write(f.join("a"), "1").unwrap();
                symlink("a", f.join("l")).unwrap();
            },
            |f| drop(look::text(f.join("l"))),
            |f| fs::write(f.join("a"), "2").unwrap(),
        ),
        (
            "a file becomes a link to its equal",
            |f| {
                fs::write(f.join("a"), "1").unwrap();
                fs::write(f.join("b"), "1").unwrap();
            },
            |f| drop(look::link(f.join("a"))),
            |f| {
                fs::remove_file(f.join("a")).unwrap();
                symlink("b", f.join("a")).unwrap();
            },
        ),
        (
            "a file can no longer be read",
            |f| fs::write(f.join("a"), "1").unwrap(),
            |f| drop(look::text(f.join("a"))),
            |f| {
                let mode = std::os::unix::fs::PermissionsExt::from_mode(0o000);
                fs::set_permissions(f.join("a"), mode).unwrap();
            },
        ),
    ];

    #[test]
    fn every_kind_of_change_is_seen() {
        for (what, before, call, change) in CASES {
            let folder = tempfile::tempdir().unwrap();
            let folder = folder.path();
            before(folder);
            for entry in fs::read_dir(folder).unwrap() {
                settle(&entry.unwrap().path());
            }
            let kept = kept(folder, call);
            assert!(kept.holds_at(now()), "{what}: before");
            change(folder);
            assert!(!kept.holds_at(now()), "{what}");
        }
    }

    #[test]
    fn what_changed_just_now_is_not_relied_on() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        fs::write(&file, "1").unwrap();
        let later = SystemTime::now() + Duration::from_secs(3600);
        File::options().write(true).open(&file).unwrap().set_modified(later).unwrap();
        let (_, seen) = of(|| look::text(&file).unwrap());
        assert!(seen.unchanging().is_none());
    }

    #[test]
    fn what_has_no_stamp_is_not_relied_on() {
        let ((), seen) = of(beyond_files);
        assert!(seen.unchanging().is_none());
        let ((), seen) = of(|| {
            until(Timestamp::from_millis(3_000).unwrap());
            until(Timestamp::from_millis(1_001).unwrap());
        });
        let kept = seen.unchanging().unwrap();
        assert!(kept.holds_at(now()));
        assert!(!kept.holds_at(Timestamp::from_millis(1_001).unwrap()));
        assert!(of(|| {}).1.unchanging().is_some_and(|kept| kept.holds_at(now())));
    }
}
