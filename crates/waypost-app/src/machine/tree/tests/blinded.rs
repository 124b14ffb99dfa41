//! Edits that the user's git was told not to see, and settings that hide nothing.

use std::os::unix::fs::PermissionsExt;

use super::*;

impl World {
    /// What differs from an older content, by name.
    pub(super) fn changed_since(&self, then: &str) -> Vec<String> {
        let project = crate::machine::project::find(&self.root()).unwrap().unwrap();
        let now = self.tree();
        Trees::new(&project, SESSIONS).changed_up_to(then, &now, 50)
    }

    fn edit_in_place(&self, name: &str, content: &str) {
        let path = self.root().join(name);
        let times = fs::metadata(&path).unwrap();
        let times = FileTimes::new().set_modified(times.modified().unwrap());
        fs::write(&path, content).unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_times(times).unwrap();
    }
}

/// A way of hiding an edit of `src/lib.rs` from the user's git.
type Way = (&'static str, fn(&World));

const WAYS: &[Way] = &[
    ("nothing", |_| {}),
    ("assume-unchanged", |world| {
        world.git(&["update-index", "--assume-unchanged", "src/lib.rs"]);
    }),
    ("skip-worktree", |world| {
        world.git(&["update-index", "--skip-worktree", "src/lib.rs"]);
    }),
    ("skip-worktree in a sparse checkout", |world| {
        world.git(&["config", "core.sparseCheckout", "true"]);
        world.git(&["update-index", "--skip-worktree", "src/lib.rs"]);
    }),
    ("times and sizes", |world| {
        for (key, value) in
            [("trustctime", "false"), ("checkStat", "minimal"), ("ignoreStat", "true")]
        {
            world.git(&["config", &format!("core.{key}"), value]);
        }
    }),
    ("a clean filter of the user's own", |world| {
        world.git(&["config", "filter.old.clean", "printf 'one\\n'"]);
        world.put(".git/info/attributes", "*.rs filter=old\n");
    }),
    ("a process that fakes a known filter", |world| {
        world.git(&["config", "filter.lfs.clean", "git show HEAD:%f"]);
        world.put(".git/attributes", "src/** filter=lfs\n");
        world.git(&["config", "core.attributesFile", ".git/attributes"]);
    }),
    ("attributes of a tree", |world| {
        world.put(".gitattributes", "*.rs filter=old\n");
        let blob = world.git(&["hash-object", "-w", ".gitattributes"]);
        fs::remove_file(world.root().join(".gitattributes")).unwrap();
        world.git(&["update-ref", "refs/old", &blob]);
        world.git(&["config", "attr.tree", "HEAD"]);
        world.git(&["config", "filter.old.clean", "printf 'one\\n'"]);
        world.put(".git/info/attributes", "*.rs filter=old\n");
    }),
    ("an index that says so", |world| {
        // The user's index holds the file as it is now, with what it was before.
        world.git(&["config", "filter.old.clean", "printf 'one\\n'"]);
        world.put(".git/info/attributes", "*.rs filter=old\n");
        world.put("src/lib.rs", "two\n");
        world.git(&["add", "src/lib.rs"]);
        fs::remove_file(world.root().join(".git/info/attributes")).unwrap();
        world.git(&["config", "--unset", "filter.old.clean"]);
    }),
    ("another work tree", |world| {
        let other = world.root().join(".git/other");
        fs::create_dir_all(other.join("src")).unwrap();
        fs::copy(world.root().join("src/lib.rs"), other.join("src/lib.rs")).unwrap();
        world.git(&["config", "core.worktree", other.to_str().unwrap()]);
    }),
    ("an untracked cache and a monitor", |world| {
        world.git(&["config", "core.untrackedCache", "true"]);
        world.git(&["config", "core.fsmonitor", "/bin/true"]);
    }),
    ("a bare repository", |world| drop(world.git(&["config", "core.bare", "true"]))),
];

#[test]
fn an_edit_is_seen_whatever_git_was_told_before_and_after() {
    for (way, hide) in WAYS {
        for is_hidden_first in [true, false] {
            let world = World::new();
            world.put_long_ago("src/lib.rs", "one\n");
            world.git(&["update-index", "--refresh"]);
            if is_hidden_first {
                hide(&world);
                world.put_long_ago("src/lib.rs", "one\n");
            }
            let before = world.tree();
            assert_eq!(world.tree(), before, "{way}");
            if !is_hidden_first {
                hide(&world);
            }
            world.edit_in_place("src/lib.rs", "two\n");
            let changed = world.changed_since(&before);
            assert_eq!(changed, ["src/lib.rs"], "{way}, before: {is_hidden_first}");
            world.edit_in_place("src/lib.rs", "one\n");
            assert_eq!(world.tree(), before, "{way}, before: {is_hidden_first}, undone");
        }
    }
}

#[test]
fn a_mode_and_a_link_are_seen_where_git_does_not_look_at_them() {
    let world = World::new();
    world.git(&["config", "core.fileMode", "false"]);
    world.git(&["config", "core.symlinks", "false"]);
    world.put("script", "#!/bin/sh\n");
    world.put("to", "src/lib.rs");
    let before = world.tree();
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(world.root().join("script"), mode).unwrap();
    assert_eq!(world.changed_since(&before), ["script"]);
    fs::remove_file(world.root().join("to")).unwrap();
    std::os::unix::fs::symlink("src/lib.rs", world.root().join("to")).unwrap();
    assert_eq!(world.changed_since(&before), ["script", "to"]);
}

#[test]
fn what_a_sparse_checkout_leaves_out_counts_as_it_is_and_is_seen_where_it_comes_back() {
    for (cone, index) in [
        ("--cone", "--sparse-index"),
        ("--cone", "--no-sparse-index"),
        ("--no-cone", "--no-sparse-index"),
    ] {
        let world = World::new();
        for name in ["kept/file", "left/deep/file", "left/other"] {
            world.put_long_ago(name, "x\n");
        }
        world.commit();
        let before = world.tree();
        world.git(&["sparse-checkout", "init", cone, index]);
        world.git(&["sparse-checkout", "set", "kept", "src"]);
        assert!(!world.root().join("left").exists());
        assert_eq!(world.tree(), before, "{cone} {index}");
        fs::remove_dir_all(world.trees_folder()).unwrap();
        assert_eq!(world.tree(), before, "{cone} {index}, from nothing");
        world.put("kept/file", "y\n");
        assert_eq!(world.changed_since(&before), ["kept/file"], "{cone} {index}");
        world.put("left/deep/file", "y\n");
        assert_eq!(world.changed_since(&before), ["kept/file", "left/deep/file"], "{cone} {index}");
        world.put("left/new", "y\n");
        let all = ["kept/file", "left/deep/file", "left/new"];
        assert_eq!(world.changed_since(&before), all, "{cone} {index}");
    }
}

#[test]
fn what_is_left_out_follows_the_commit_that_is_checked_out() {
    let world = World::new();
    world.put("left/file", "x\n");
    world.commit();
    let first = world.tree();
    world.put("left/file", "y\n");
    world.commit();
    let second = world.tree();
    world.git(&["sparse-checkout", "set", "src"]);
    assert_eq!(world.tree(), second);
    world.git(&["checkout", "-q", "HEAD~1"]);
    assert_eq!(world.tree(), first);
    world.git(&["checkout", "-q", "main"]);
    world.git(&["sparse-checkout", "disable"]);
    assert_eq!(world.tree(), second);
    // Without a sparse checkout, what is not there is gone.
    world.git(&["update-index", "--skip-worktree", "left/file"]);
    fs::remove_file(world.root().join("left/file")).unwrap();
    assert_eq!(world.changed_since(&second), ["left/file"]);
}

#[test]
fn rules_of_the_users_own_count_and_are_named_but_for_those_that_are_allowed() {
    let world = World::new();
    let before = world.tree();
    let exclude = world.root().join(".git/info/exclude");
    fs::create_dir_all(exclude.parent().unwrap()).unwrap();
    fs::write(&exclude, "# only words\n\n").unwrap();
    assert_eq!(world.tree(), before);
    fs::write(&exclude, "# only words\nhidden\n").unwrap();
    world.put("hidden", "x");
    let with_rule = world.tree();
    assert_eq!(world.changed_since(&before), [".git/info/exclude (private ignore rules)"]);
    fs::write(&exclude, "hidden\n\n# other words\n").unwrap();
    world.put("src/lib.rs", "two\n");
    world.commit();
    world.put("src/lib.rs", "one\n");
    assert_eq!(world.tree(), with_rule);
    fs::write(&exclude, "").unwrap();
    assert_eq!(world.changed_since(&before), ["hidden"]);
    let rules = world.root().join(".git/rules");
    fs::write(&rules, "*.log\n").unwrap();
    world.git(&["config", "core.excludesFile", rules.to_str().unwrap()]);
    let named = format!("{} (private ignore rules)", rules.display());
    assert_eq!(world.changed_since(&before), [named, "hidden".to_owned()]);
    let project = crate::machine::project::find(&world.root()).unwrap().unwrap();
    let trees = Trees::new(&project, SESSIONS).allowing(["*.log"]);
    fs::remove_file(world.root().join("hidden")).unwrap();
    assert_eq!(trees.now(), Tree::Id(before));
}

#[test]
fn no_name_in_a_work_tree_hides_behind_rules_of_the_users_own() {
    let world = World::new();
    let names = [".waypost-private/a", "src/.waypost-private/b", "private/bytes:x", "git/c"];
    for name in names {
        world.put(name, "one\n");
    }
    world.put(".git/info/exclude", "hidden\n");
    let mut before = world.tree();
    for name in names {
        world.put(name, "two\n");
        assert_eq!(world.changed_since(&before), [name]);
        before = world.tree();
    }
    world.commit();
    assert_eq!(world.tree(), before);
    let head = world.git(&["rev-parse", "HEAD"]);
    let project = crate::machine::project::find(&world.root()).unwrap().unwrap();
    assert_eq!(Trees::new(&project, SESSIONS).lines(&head, &before).unwrap(), 0);
}

#[test]
fn a_file_that_rules_of_the_users_own_hide_later_is_named_with_them() {
    let world = World::new();
    world.put("new", "x");
    let before = world.tree();
    world.put(".git/info/exclude", "new\n");
    let named = [".git/info/exclude (private ignore rules)", "new"];
    assert_eq!(world.changed_since(&before), named);
}

#[test]
fn a_filter_that_everyone_has_gives_what_git_commits_and_keeps_the_id() {
    let world = World::new();
    world.put(".gitattributes", "*.bin filter=big\n*.txt text eol=crlf\n");
    world.git(&["config", "filter.big.clean", "sha1sum"]);
    world.git(&["config", "filter.big.required", "true"]);
    world.put("data.bin", "large\n");
    world.put("words.txt", "one\r\ntwo\r\n");
    let before = world.tree();
    world.commit();
    assert_eq!(world.tree(), before);
    fs::remove_dir_all(world.trees_folder()).unwrap();
    assert_eq!(world.tree(), before);
    // Checked out again, as git stores it.
    world.put("words.txt", "one\ntwo\n");
    assert_eq!(world.tree(), before);
    let paths = ["data.bin", "words.txt", ".gitattributes"].map(str::to_owned);
    let project = crate::machine::project::find(&world.root()).unwrap().unwrap();
    let trees = Trees::new(&project, SESSIONS);
    let head = world.git(&["rev-parse", "HEAD"]);
    assert_eq!(trees.differing(&head, &before, &paths).unwrap(), [] as [&str; 0]);
    assert!(trees.lines(&head, &before).is_ok());
    world.put("data.bin", "other\n");
    assert_eq!(world.changed_since(&before), ["data.bin"]);
}

#[test]
fn what_cannot_be_read_is_told_by_name() {
    let world = World::new();
    let path = world.root().join("locked");
    world.put("locked", "x");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&path).is_ok() {
        // Whoever may read everything has nothing to tell.
        return;
    }
    let project = crate::machine::project::find(&world.root()).unwrap().unwrap();
    let Tree::Unknown(why) = Trees::new(&project, SESSIONS).now() else { panic!("it was read") };
    assert!(why.contains("locked"), "{why}");
}

#[test]
fn an_edit_in_the_second_in_which_the_users_index_was_written_is_seen_in_a_later_one() {
    use std::os::unix::fs::MetadataExt;
    let second = |path: PathBuf| fs::metadata(path).unwrap().mtime();
    // All of it has to happen within one second: it may take more than one try.
    let world = loop {
        let world = World::new();
        world.put("src/lib.rs", "two\n");
        let files = [".git/index", "src/lib.rs"].map(|name| second(world.root().join(name)));
        if files[0] == files[1] {
            break world;
        }
    };
    world.settle();
    // Waypost is set up afterwards, so that it believes what the user's index says of older files.
    assert_eq!(world.tree(), world.expected());
    let listed = world.changed_since(&world.git(&["rev-parse", "HEAD^{tree}"]));
    assert_eq!(listed, ["src/lib.rs"]);
}
