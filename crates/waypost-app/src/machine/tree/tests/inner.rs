//! Repositories in the work tree.

use super::*;

/// A project with a repository in it, as a submodule.
fn with_submodule() -> (World, tempfile::TempDir) {
    let elsewhere = tempfile::tempdir().unwrap();
    let library = elsewhere.path().join("library");
    put(&library, "lib.c", "one\n");
    put(&library, "deep/util.c", "one\n");
    git_in(&library, &["init", "-q", "-b", "main"]);
    commit_in(&library);
    let world = World::new();
    let from = library.to_str().unwrap();
    world.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        from,
        "libs/library",
    ]);
    world.commit();
    (world, elsewhere)
}

fn commit_in(root: &Path) {
    git_in(root, &["add", "-A"]);
    git_in(root, &["commit", "-q", "-m", "x"]);
}

#[test]
fn an_edit_in_a_submodule_counts_by_name_and_committing_it_does_not() {
    let (world, _elsewhere) = with_submodule();
    let before = world.tree();
    let listed = tree_listing(&world, &before);
    let library = world.root().join("libs/library");
    assert_eq!(
        listed,
        [".gitmodules", "libs/library/deep/util.c", "libs/library/lib.c", "src/lib.rs"]
    );
    put(&library, "deep/util.c", "two\n");
    put(&library, "new.c", "two\n");
    let edited = world.tree();
    let names = ["libs/library/deep/util.c", "libs/library/new.c"];
    assert_eq!(world.changed_since(&before), names);
    commit_in(&library);
    assert_eq!(world.tree(), edited);
    world.commit();
    assert_eq!(world.tree(), edited);
    fs::remove_dir_all(world.trees_folder()).unwrap();
    assert_eq!(world.tree(), edited);
    git_in(&library, &["checkout", "-q", "HEAD~1"]);
    assert_eq!(world.tree(), before);
    // Hidden in the submodule, it is seen all the same.
    git_in(&library, &["update-index", "--assume-unchanged", "lib.c"]);
    put(&library, "lib.c", "hidden\n");
    assert_eq!(world.changed_since(&before), ["libs/library/lib.c"]);
    put(&library, "lib.c", "one\n");
    let exclude = world.root().join(".git/modules/libs/library/info/exclude");
    fs::create_dir_all(exclude.parent().unwrap()).unwrap();
    fs::write(exclude, "hidden\n").unwrap();
    put(&library, "hidden", "x");
    let rules = ["libs/library/.git/info/exclude (private ignore rules)"];
    assert_eq!(world.changed_since(&before), rules);
}

#[test]
fn a_submodule_that_lost_its_repository_is_looked_at_all_the_same() {
    let (world, _elsewhere) = with_submodule();
    let before = world.tree();
    fs::remove_file(world.root().join("libs/library/.git")).unwrap();
    assert_eq!(world.tree(), before);
    world.put("libs/library/lib.c", "two\n");
    assert_eq!(world.changed_since(&before), ["libs/library/lib.c"]);
}

#[test]
fn a_submodule_that_is_not_checked_out_counts_as_the_commit_that_it_is_to_be() {
    let (world, _elsewhere) = with_submodule();
    world.git(&["submodule", "deinit", "-q", "-f", "libs/library"]);
    let empty = world.tree();
    assert_eq!(tree_listing(&world, &empty), [".gitmodules", "libs/library", "src/lib.rs"]);
    let head = world.git(&["rev-parse", "HEAD"]);
    world.git(&["update-index", "--cacheinfo", &format!("160000,{head},libs/library")]);
    assert_eq!(world.changed_since(&empty), ["libs/library"]);
    let moved = world.tree();
    fs::remove_dir_all(world.trees_folder()).unwrap();
    assert_eq!(world.tree(), moved);
    world.git(&["rm", "-q", "--cached", "libs/library"]);
    assert_eq!(tree_listing(&world, &world.tree()), [".gitmodules", "src/lib.rs"]);
}

#[test]
fn repositories_that_are_no_submodules_count_with_or_without_commits() {
    let world = World::new();
    let inner = world.root().join("tools/inner");
    put(&inner, "a", "one\n");
    let before = world.tree();
    git_in(&inner, &["init", "-q", "-b", "main"]);
    assert_eq!(world.tree(), before, "a repository alone is no content");
    fs::remove_dir_all(world.trees_folder()).unwrap();
    assert_eq!(world.tree(), before, "without a commit, from nothing");
    put(&inner, "b", "one\n");
    assert_eq!(world.changed_since(&before), ["tools/inner/b"]);
    let edited = world.tree();
    commit_in(&inner);
    assert_eq!(world.tree(), edited, "with a commit");
    fs::remove_dir_all(world.trees_folder()).unwrap();
    assert_eq!(world.tree(), edited, "with a commit, from nothing");
    let deep = inner.join("deep");
    put(&deep, "c", "one\n");
    git_in(&deep, &["init", "-q", "-b", "main"]);
    assert_eq!(world.changed_since(&edited), ["tools/inner/deep/c"]);
    world.put(".gitignore", "tools/\n");
    fs::remove_dir_all(world.trees_folder()).unwrap();
    assert_eq!(tree_listing(&world, &world.tree()), [".gitignore", "src/lib.rs"]);
}

#[test]
fn work_trees_of_the_same_repository_are_no_content() {
    let world = World::new();
    let before = world.tree();
    world.git(&["worktree", "add", "-q", "--detach", ".claude/worktrees/x"]);
    let inside = world.root().join(".claude/worktrees/x");
    assert_eq!(world.tree(), before);
    put(&inside, "src/lib.rs", "two\n");
    assert_eq!(world.tree(), before);
    git_in(&inside, &["commit", "-q", "-a", "-m", "two"]);
    assert_eq!(world.tree(), before);
    assert_ne!(tree_of(&inside), before);
    git_in(&inside, &["checkout", "-q", "HEAD~1"]);
    assert_eq!(tree_of(&inside), before);
    world.put("beside", "x");
    assert_eq!(world.changed_since(&before), ["beside"]);
}

#[test]
fn a_commit_that_names_another_is_compared_by_what_that_one_has() {
    let (world, _elsewhere) = with_submodule();
    let library = world.root().join("libs/library");
    put(&library, "lib.c", "two\nthree\n");
    let content = world.tree();
    let head = world.git(&["rev-parse", "HEAD"]);
    let project = crate::machine::project::find(&world.root()).unwrap().unwrap();
    let trees = Trees::new(&project, SESSIONS);
    assert_eq!(trees.lines(&head, &content).unwrap(), 3);
    commit_in(&library);
    world.commit();
    let commit = world.git(&["rev-parse", "HEAD"]);
    let paths = trees.changed_by(std::slice::from_ref(&commit)).unwrap().remove(&commit).unwrap();
    assert_eq!(paths, ["libs/library"]);
    assert_eq!(trees.differing(&commit, &content, &paths).unwrap(), [] as [&str; 0]);
    assert_eq!(trees.differing(&head, &content, &paths).unwrap(), ["libs/library"]);
    put(&library, "lib.c", "four\n");
    assert_eq!(trees.differing(&commit, &world.tree(), &paths).unwrap(), ["libs/library"]);
    // A commit that is not there could have anything.
    world.git(&["update-index", "--cacheinfo", &format!("160000,{commit},libs/library")]);
    world.git(&["commit", "-q", "-m", "wrong"]);
    let wrong = world.git(&["rev-parse", "HEAD"]);
    assert_eq!(trees.differing(&wrong, &content, &paths).unwrap(), ["libs/library"]);
}
