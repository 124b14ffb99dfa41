//! Many calls at the same time, in one process and in several, and some that are killed.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process_group};

use super::*;

/// Tells a process of these tests which work tree to look at, and how often.
const ROOT: &str = "WAYPOST_TEST_TREE_ROOT";
const CALLS: &str = "WAYPOST_TEST_TREE_CALLS";

/// Starts this test again in a process of its own, which prints the trees that it finds.
fn start(test: &str, root: &Path, calls: usize) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([&format!("machine::tree::tests::at_once::{test}"), "--exact", "--nocapture"]);
    command.env(ROOT, root).env(CALLS, calls.to_string());
    command.stdout(Stdio::piped()).process_group(0).spawn().unwrap()
}

/// Whether this is such a process; then it has done its work.
fn is_started() -> bool {
    let Some(root) = std::env::var_os(ROOT) else {
        return false;
    };
    let calls: usize = std::env::var(CALLS).unwrap().parse().unwrap();
    for call in 0..calls {
        if call > 0 {
            put(Path::new(&root), "noise/ignored", &call.to_string());
        }
        println!("tree {}", tree_of(Path::new(&root)));
    }
    true
}

/// The trees that a process prints.
fn found(child: &mut Child) -> impl Iterator<Item = String> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    // The first one may follow what the test runner prints of its own.
    lines
        .filter_map(|line| Some(line.split_once("tree ")?.1.to_owned()).filter(|id| id.len() == 40))
}

#[test]
fn sixty_four_calls_at_once_agree() {
    let world = World::new();
    for number in 0..50 {
        world.put(&format!("new/{number}"), &number.to_string());
    }
    for round in 0..3 {
        world.put("changed", &format!("{round}"));
        let expected = world.expected();
        std::thread::scope(|scope| {
            for _ in 0..64 {
                scope.spawn(|| assert_eq!(world.tree(), expected));
            }
        });
    }
    assert_eq!(world.caches().len(), 1);
    assert_eq!(world.names(), ["generation-1", "generation-1.lock"]);
}

#[test]
fn work_trees_of_one_repository_do_not_disturb_each_other() {
    let world = World::new();
    let outside = tempfile::tempdir().unwrap();
    let roots: Vec<PathBuf> = (0..4)
        .map(|number| {
            let root = outside.path().canonicalize().unwrap().join(format!("wt{number}"));
            world.git(&["worktree", "add", "-q", "--detach", root.to_str().unwrap()]);
            put(&root, "own", &number.to_string());
            root
        })
        .chain([world.root()])
        .collect();
    std::thread::scope(|scope| {
        for root in &roots {
            for _ in 0..4 {
                scope.spawn(|| {
                    for round in 0..5 {
                        let expected = expected_in(root);
                        assert_eq!(tree_of(root), expected, "{round} in {}", root.display());
                    }
                });
            }
        }
    });
    assert_eq!(world.caches().len(), roots.len());
}

#[test]
fn a_plain_folder_has_trees_at_once_too() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    put(&root, "waypost.toml", "");
    put(&root, "a", "x");
    let found: Vec<String> = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..16).map(|_| scope.spawn(|| tree_of(&root))).collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    assert!(found.iter().all(|tree| *tree == found[0]), "{found:?}");
    put(&root, "a", "y");
    assert_ne!(tree_of(&root), found[0]);
}

#[test]
fn processes_and_commands_at_once_agree() {
    if is_started() {
        return;
    }
    let world = World::new();
    world.put(".gitignore", "noise\n");
    world.put("new", "x");
    let expected = world.expected();
    let start = || start("processes_and_commands_at_once_agree", &world.root(), 4);
    let mut children: Vec<Child> = (0..8).map(|_| start()).collect();
    for _ in 0..10 {
        world.git(&["add", "-A"]);
        world.git(&["reset", "-q"]);
        assert_eq!(world.tree(), expected);
    }
    for child in &mut children {
        assert_eq!(found(child).collect::<Vec<_>>(), vec![expected.clone(); 4]);
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn killed_processes_leave_nothing_that_lasts_or_misleads() {
    if is_started() {
        return;
    }
    let world = World::new();
    world.put(".gitignore", "noise\n");
    for round in 0..6 {
        world.put("new", &format!("{round}"));
        let test = "killed_processes_leave_nothing_that_lasts_or_misleads";
        let mut child = start(test, &world.root(), 1_000_000);
        // Somewhere in the call after these.
        let seen: Vec<String> = found(&mut child).take(round).collect();
        let group = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        kill_process_group(group, Signal::KILL).unwrap();
        child.wait().unwrap();
        let expected = world.expected();
        assert_eq!(seen, vec![expected.clone(); round]);
        assert_eq!(world.tree(), expected);
    }
    // A git that was killed may need a moment to let go of what it was writing.
    let is_clean = || world.names() == ["generation-1", "generation-1.lock"];
    assert!((0..100).any(|_| !world.tree().is_empty() && is_clean()), "{:?}", world.names());
}
