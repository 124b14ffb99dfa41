//! Commits beside contents.

use super::*;

impl World {
    fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"])
    }

    fn with_trees<T>(&self, ask: impl FnOnce(&Trees<'_>) -> T) -> T {
        let project = crate::machine::project::find(&self.root()).unwrap().unwrap();
        let mut trees = Trees::new(&project, SESSIONS);
        trees.deadline = Deadline::after(Duration::from_secs(600));
        ask(&trees)
    }

    fn changed_by(&self, commits: &[&str]) -> Vec<Vec<String>> {
        let ids: Vec<String> = commits.iter().map(|id| (*id).to_owned()).collect();
        let found = self.with_trees(|trees| trees.changed_by(&ids)).unwrap();
        commits.iter().map(|id| found[*id].clone()).collect()
    }

    fn differing(&self, commit: &str, tree: &str) -> Vec<String> {
        let changed = self.changed_by(&[commit]).remove(0);
        self.with_trees(|trees| trees.differing(commit, tree, &changed)).unwrap()
    }
}

#[test]
fn a_commit_changed_what_none_of_its_parents_has() {
    let world = World::new();
    let first = world.head();
    world.git(&["checkout", "-q", "-b", "side"]);
    world.put("side", "s");
    world.put("both", "from the side\n");
    world.put("agents/sessions/a/state.json", "{}");
    world.commit();
    let side = world.head();
    world.git(&["checkout", "-q", "main"]);
    world.put("main", "m");
    world.put("both", "from main\n");
    world.commit();
    let main = world.head();
    let merging = git::output(
        git::command(&world.root()),
        ["-c", "user.name=n", "-c", "user.email=n@example.org", "merge", "-q", "side"],
        Deadline::after(Duration::from_secs(600)),
    );
    assert!(merging.is_err(), "both sides have a file of their own there");
    world.put("both", "of both\n");
    world.commit();
    let merge = world.head();
    let odd = "0123456789012345678901234567890123456789";
    world.put(odd, ":100644\nodd");
    world.commit();
    let ids = [&first, &side, &main, &merge, &world.head()];
    let found = world.changed_by(&ids.map(String::as_str));
    let expected: [&[&str]; 5] =
        [&["src/lib.rs"], &["both", "side"], &["both", "main"], &["both"], &[odd]];
    assert_eq!(found, expected);
    let missing = "1".repeat(40);
    let asked = world.with_trees(|trees| trees.changed_by(&[first, missing.clone()]));
    assert!(asked.unwrap_err().to_string().contains(&missing));
}

#[test]
fn a_merge_that_takes_one_side_changed_nothing() {
    let world = World::new();
    world.git(&["checkout", "-q", "-b", "side"]);
    world.put("side", "s");
    world.commit();
    world.git(&["checkout", "-q", "main"]);
    world.put("main", "m");
    world.commit();
    world.git(&["merge", "-q", "side", "-m", "merged"]);
    assert_eq!(world.changed_by(&[&world.head()]), [Vec::<String>::new()]);
}

#[test]
fn what_a_commit_changed_is_found_in_the_content_that_it_was_made_of() {
    let world = World::new();
    world.put("gone", "x");
    world.put("script", "#!/bin/sh\n");
    world.put("both/inner", "x");
    world.commit();
    fs::remove_file(world.root().join("gone")).unwrap();
    world.put("src/lib.rs", "two\n");
    world.put("new", "n");
    let tree = world.tree();
    world.put("agents/sessions/a/state.json", "{}");
    world.commit();
    let commit = world.head();
    world.put("src/lib.rs", "three\n");
    world.put("later", "not in the commit");
    assert_eq!(world.differing(&commit, &tree), [] as [&str; 0]);
    let later = world.tree();
    assert_eq!(world.differing(&commit, &later), ["src/lib.rs"]);
    world.put("gone", "back");
    fs::remove_file(world.root().join("new")).unwrap();
    assert_eq!(world.differing(&commit, &world.tree()), ["gone", "new", "src/lib.rs"]);
    // Staged, but never in the work tree.
    world.git(&["add", "-A"]);
    world.put("src/lib.rs", "two\n");
    world.git(&["commit", "-q", "-m", "staged"]);
    assert_eq!(world.differing(&world.head(), &world.tree()), ["src/lib.rs"]);
}

#[test]
fn a_mode_counts_unless_the_user_says_that_none_is_kept() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    world.put("script", "#!/bin/sh\n");
    let plain = world.tree();
    let path = world.root().join("script");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    world.commit();
    assert_eq!(world.differing(&world.head(), &plain), ["script"]);
    world.git(&["config", "core.fileMode", "false"]);
    assert_eq!(world.differing(&world.head(), &plain), [] as [&str; 0]);
}

#[test]
fn a_content_that_is_gone_is_an_error_and_not_a_difference() {
    let world = World::new();
    world.put("src/lib.rs", "two\n");
    let tree = world.tree();
    world.put("src/lib.rs", "three\n");
    world.commit();
    assert!(world.with_trees(|trees| trees.is_known(&tree)));
    assert!(world.with_trees(|trees| trees.is_known(&world.tree())));
    fs::remove_dir_all(world.trees_folder()).unwrap();
    let paths = ["src/lib.rs".to_owned()];
    let asked = world.with_trees(|trees| trees.differing(&world.head(), &tree, &paths));
    assert!(asked.is_err() && !world.with_trees(|trees| trees.is_known(&tree)));
}
