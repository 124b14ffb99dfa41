//! Trees of real repositories.

use std::fs::{self, FileTimes};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::part::inode;
use super::whole::PRIVATE;
use super::*;

mod at_once;
mod blinded;
mod commits;
mod inner;
mod random;

const SESSIONS: &str = "agents/sessions";

/// A repository for one test.
struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap() };
        world.put("src/lib.rs", "one\n");
        world.git(&["init", "-q", "-b", "main"]);
        world.commit();
        world
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    fn trees_folder(&self) -> PathBuf {
        self.root().join(".git/waypost/trees")
    }

    fn put(&self, name: &str, content: &str) {
        put(&self.root(), name, content);
    }

    /// A file that was written long before any index, so that git need not look into it again.
    fn put_long_ago(&self, name: &str, content: &str) {
        self.put(name, content);
        let file = fs::File::options().write(true).open(self.root().join(name)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
    }

    /// Waits until what is written now is of another second than what was written before.
    fn settle(&self) {
        use std::os::unix::fs::MetadataExt;
        let path = self.root().join(".git/clock");
        let second = || {
            fs::write(&path, "").unwrap();
            fs::metadata(&path).unwrap().ctime()
        };
        let now = second();
        while second() == now {
            std::thread::yield_now();
        }
    }

    fn git(&self, args: &[&str]) -> String {
        git_in(&self.root(), args)
    }

    fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "x"]);
    }

    fn tree(&self) -> String {
        tree_of(&self.root())
    }

    /// What git says the content is, from nothing but the user's index.
    fn expected(&self) -> String {
        expected_in(&self.root())
    }

    fn objects(&self) -> usize {
        let mut found = 0;
        for number in 1..10 {
            let objects = self.trees_folder().join(format!("generation-{number}/objects"));
            for fan in fs::read_dir(objects).into_iter().flatten().flatten() {
                found += fs::read_dir(fan.path()).unwrap().count();
            }
        }
        found
    }

    /// Puts so many objects into one of 256 folders.
    fn add_useless_objects(&self, count: usize) {
        let fan = self.trees_folder().join("generation-1/objects/00");
        fs::create_dir_all(&fan).unwrap();
        for number in 0..count {
            fs::write(fan.join(format!("{number:038}")), "").unwrap();
        }
    }

    fn caches(&self) -> Vec<PathBuf> {
        let generation = Generation::newest(&self.trees_folder()).unwrap();
        cache::all(&generation).iter().map(|cached| cached.path(&generation)).collect()
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.trees_folder()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn put(root: &Path, name: &str, content: &str) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

fn git_in(root: &Path, args: &[&str]) -> String {
    let mut command = git::command(root);
    command.args(["-c", "user.name=n", "-c", "user.email=n@example.org"]);
    let output = git::output(command, args, Deadline::after(Duration::from_secs(600))).unwrap();
    String::from_utf8(output).unwrap().trim().to_owned()
}

fn tree_of(root: &Path) -> String {
    let project = crate::machine::project::find(root).unwrap().unwrap();
    let mut trees = Trees::new(&project, SESSIONS);
    trees.deadline = Deadline::after(Duration::from_secs(600));
    trees.compute().unwrap()
}

/// What is on the disk and not ignored, or tracked in spite of it: from nothing, so that nothing hides it.
fn expected_in(root: &Path) -> String {
    let scratch = tempfile::tempdir().unwrap();
    let project = crate::machine::project::find(root).unwrap().unwrap();
    let git = project.git.unwrap();
    let run = |index: &Path, args: &[&str]| {
        let mut command = git::command(root);
        command
            .args(["-c", "core.fileMode=true", "-c", "core.sparseCheckout=false"])
            .env("GIT_INDEX_FILE", index)
            .env("GIT_OBJECT_DIRECTORY", scratch.path())
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", git.common.join("objects"));
        let limit = Deadline::after(Duration::from_secs(600));
        String::from_utf8(git::output(command, args, limit).unwrap()).unwrap()
    };
    let index = scratch.path().join("index");
    run(&index, &["add", "-A", "--", ".", ":(exclude,top)agents/sessions"]);
    if git.own.join("index").is_file() {
        let ignored = ["ls-files", "-z", "-c", "-i", "--exclude-standard"];
        let ignored = run(&git.own.join("index"), &ignored);
        for name in ignored.split('\0').filter(|name| root.join(name).is_file()) {
            run(&index, &["add", "-f", "--", name]);
        }
    }
    run(&index, &["write-tree"]).trim().to_owned()
}

#[test]
fn a_tree_is_what_git_would_commit_but_for_own_files() {
    let world = World::new();
    world.put("agents/sessions/a/state.json", "{}");
    world.commit();
    world.put("agents/sessions/b/state.json", "{}");
    world.put("agents/sessionsbeside", "x");
    world.put("new", "x");
    assert_eq!(world.tree(), world.expected());
    let listed = tree_listing(&world, &world.tree());
    assert_eq!(listed, ["agents/sessionsbeside", "new", "src/lib.rs"]);
}

fn tree_listing(world: &World, tree: &str) -> Vec<String> {
    let project = crate::machine::project::find(&world.root()).unwrap().unwrap();
    let trees = Trees::new(&project, SESSIONS);
    let listed = trees.compare(&["ls-tree", "-r", "--name-only", tree]).unwrap();
    String::from_utf8(listed).unwrap().lines().map(str::to_owned).collect()
}

/// A content's tree without what is in no commit.
fn without_private(world: &World, tree: &str) -> String {
    let project = crate::machine::project::find(&world.root()).unwrap().unwrap();
    let trees = Trees::new(&project, SESSIONS);
    let listed = String::from_utf8(trees.compare(&["ls-tree", tree]).unwrap()).unwrap();
    let kept = listed.lines().filter(|line| !line.ends_with(PRIVATE));
    let input = kept.flat_map(|line| [line, "\n"]).collect::<String>();
    let git = trees.place().git(&[]);
    let made = git::output_of(git, ["mktree", "--missing"], input.into_bytes(), trees.deadline);
    String::from_utf8(made.unwrap()).unwrap().trim().to_owned()
}

#[test]
fn an_unchanged_work_tree_is_not_hashed_again_and_not_written() {
    let world = World::new();
    world.put_long_ago("src/lib.rs", "one\n");
    world.put_long_ago("new", "x");
    world.settle();
    let tree = world.tree();
    let (objects, caches) = (world.objects(), world.caches());
    let before = inode(&caches[0]);
    assert_eq!(world.tree(), tree);
    assert_eq!((world.objects(), world.caches()), (objects, caches.clone()));
    assert_eq!(inode(&caches[0]), before);
}

#[test]
fn a_commit_or_an_added_file_keeps_what_is_known_of_new_files() {
    let world = World::new();
    world.put_long_ago("kept/new", "never committed\n");
    world.settle();
    let first = world.tree();
    // Gone, the object would be written again if the file were hashed again.
    let blob = world.git(&["hash-object", "kept/new"]);
    let object = format!("generation-1/objects/{}/{}", &blob[..2], &blob[2..]);
    fs::remove_file(world.trees_folder().join(&object)).unwrap();
    world.put("src/lib.rs", "two\n");
    world.git(&["add", "src/lib.rs"]);
    world.git(&["commit", "-q", "-m", "two"]);
    world.put("src/lib.rs", "one\n");
    world.git(&["add", "src/lib.rs"]);
    assert_eq!(world.tree(), first);
    assert!(!world.trees_folder().join(object).exists());
    assert_eq!(world.caches().len(), 1);
}

/// A change of the work tree, or of what git knows of it.
type Step = (&'static str, fn(&World));

const STEPS: &[Step] = &[
    ("a new file", |world| world.put("log", "x")),
    ("it is ignored", |world| world.put(".gitignore", "log\n")),
    ("and added in spite of it", |world| drop(world.git(&["add", "-f", "log"]))),
    ("and changed", |world| world.put("log", "yy")),
    ("and not tracked any more", |world| {
        world.git(&["rm", "-q", "-f", "--cached", "log"]);
    }),
    ("nothing is ignored", |world| fs::remove_file(world.root().join(".gitignore")).unwrap()),
    ("excluded elsewhere", |world| world.put(".git/info/exclude", "log\n")),
    ("no longer", |world| world.put(".git/info/exclude", "")),
    ("a file whose changes are hidden", |world| {
        world.git(&["update-index", "--assume-unchanged", "src/lib.rs"]);
        world.put("src/lib.rs", "hidden\n");
    }),
    ("and another beside it", |world| world.put("other", "x")),
    ("shown again", |world| {
        world.git(&["update-index", "--no-assume-unchanged", "src/lib.rs"]);
    }),
    ("hidden in the other way", |world| {
        world.git(&["update-index", "--skip-worktree", "src/lib.rs"]);
        world.put("src/lib.rs", "hidden again\n");
    }),
    ("and shown", |world| {
        world.git(&["update-index", "--no-skip-worktree", "src/lib.rs"]);
    }),
    ("meant to be added", |world| drop(world.git(&["add", "-N", "other"]))),
    ("a mode that only git knows", |world| {
        world.git(&["config", "core.fileMode", "false"]);
        world.git(&["add", "-A"]);
        world.git(&["update-index", "--chmod=+x", "src/lib.rs"]);
    }),
    ("version 4", |world| drop(world.git(&["update-index", "--index-version", "4"]))),
    ("more in version 4", |world| {
        world.put("src/library/long-name.rs", "x");
        world.git(&["add", "src"]);
    }),
    ("a split index", |world| drop(world.git(&["update-index", "--split-index"]))),
    ("changed", |world| {
        world.put("src/split.rs", "x");
        world.git(&["add", "src"]);
    }),
    ("own files tracked", |world| {
        world.put("agents/sessions/a/state.json", "{}");
        world.git(&["add", "-A"]);
    }),
    ("a file becomes a folder", |world| {
        fs::remove_file(world.root().join("other")).unwrap();
        world.put("other/file", "x");
    }),
    ("a conflict", |world| {
        world.git(&["checkout", "-q", "-f", "-b", "side"]);
        world.put("src/lib.rs", "theirs\n");
        world.git(&["add", "-A"]);
        world.git(&["commit", "-q", "-m", "theirs"]);
        world.git(&["checkout", "-q", "main"]);
        world.put("src/lib.rs", "ours\n");
        world.git(&["add", "-A"]);
        world.git(&["commit", "-q", "-m", "ours"]);
        let merge = ["-c", "user.name=n", "-c", "user.email=n@x.y", "merge", "-q", "side"];
        let limit = Deadline::after(Duration::from_secs(600));
        assert!(git::output(git::command(&world.root()), merge, limit).is_err());
    }),
    ("everything is gone", |world| fs::remove_dir_all(world.root().join("src")).unwrap()),
];

#[test]
fn the_id_does_not_depend_on_which_index_a_call_began_with() {
    let world = World::new();
    world.tree();
    for (step, change) in STEPS {
        change(&world);
        let tree = world.tree();
        assert_eq!(without_private(&world, &tree), world.expected(), "{step}");
        assert_eq!(world.tree(), tree, "{step}, again");
        fs::remove_dir_all(world.trees_folder()).unwrap();
        assert_eq!(world.tree(), tree, "{step}, from nothing");
    }
}

#[test]
fn a_change_of_the_same_size_at_the_same_time_is_noticed() {
    let world = World::new();
    let path = world.root().join("src/lib.rs");
    // The file's time is not before the index', however finely the file system tells time; what
    // git knows beside it (size, inode) stays the same too.
    let time = SystemTime::now() + Duration::from_secs(60);
    let write = |content: &str| {
        let file = fs::File::options().write(true).open(&path).unwrap();
        fs::write(&path, content).unwrap();
        file.set_times(FileTimes::new().set_modified(time)).unwrap();
    };
    world.git(&["config", "core.trustctime", "false"]);
    let mut seen = Vec::new();
    for content in ["aaaa", "bbbb", "cccc", "aaaa"] {
        write(content);
        let tree = world.tree();
        assert_eq!(tree, world.tree());
        seen.push(tree);
    }
    assert_eq!(seen[0], seen[3]);
    assert!(seen[0] != seen[1] && seen[1] != seen[2] && seen[0] != seen[2], "{seen:?}");
}

#[test]
fn a_damaged_cache_is_begun_anew() {
    let world = World::new();
    world.put("new", "x");
    let tree = world.tree();
    for damage in ["", "DIRC\0\0\0\x02\0\0\0\x09 and no more"] {
        let cached = world.caches().pop().unwrap();
        fs::remove_file(&cached).unwrap();
        fs::write(&cached, damage).unwrap();
        assert_eq!(world.tree(), tree);
    }
    // All objects lost: what needs them is found out by git when it writes the next tree.
    fs::remove_dir_all(world.trees_folder().join("generation-1/objects")).unwrap();
    assert_eq!(world.tree(), tree);
    world.put("another", "y");
    assert_eq!(world.tree(), world.expected());
}

#[test]
fn what_killed_calls_left_is_swept_and_breaks_nothing() {
    let world = World::new();
    let tree = world.tree();
    let clean = world.names();
    for (number, files) in
        ["", "cached", "cached cached.lock", "index index.lock"].iter().enumerate()
    {
        let folder = world.trees_folder().join(format!("scratch-{number}"));
        fs::write(lock::file_of(&folder), "").unwrap();
        for file in files.split_whitespace() {
            put(&folder, file, "torn");
        }
    }
    assert_eq!(world.tree(), tree);
    assert_eq!(world.names(), clean);
}

#[test]
fn a_full_generation_is_followed_by_a_new_one_and_stays_readable() {
    let world = World::new();
    let first = world.tree();
    world.put("new", "x");
    world.add_useless_objects(80);
    let second = world.tree();
    assert!(world.names().contains(&"generation-2.lock".to_owned()));
    world.put("third", "x");
    let third = world.tree();
    assert_eq!(third, world.expected());
    let project = crate::machine::project::find(&world.root()).unwrap().unwrap();
    let trees = Trees::new(&project, SESSIONS);
    assert_eq!(trees.changed_up_to(&second, &third, 50), ["third"]);
    assert_eq!(trees.changed_up_to(&first, &third, 50), ["new", "third"]);
}

#[test]
fn many_new_files_keep_their_objects_and_their_cache() {
    let world = World::new();
    world.put_long_ago("src/lib.rs", "one\n");
    for number in 0..3_000 {
        world.put_long_ago(&format!("new/{}/{number}", number % 100), &number.to_string());
    }
    world.settle();
    let tree = world.tree();
    // More than would be too many for a small work tree.
    world.add_useless_objects(80);
    let (objects, caches) = (world.objects(), world.caches());
    let before = inode(&caches[0]);
    for _ in 0..3 {
        assert_eq!(world.tree(), tree);
    }
    assert_eq!((world.objects(), inode(&caches[0])), (objects, before));
    assert!(!world.names().contains(&"generation-2.lock".to_owned()));
}
