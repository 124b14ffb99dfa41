//! Random edits under random ways of hiding them, and random git commands that change no file: the id changes
//! exactly when what is on the disk does.

use std::collections::BTreeMap;

use super::*;

/// What is drawn, the same in every run.
struct Draw(u64);

impl Draw {
    fn below(&mut self, most: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }
}

const FILES: [&str; 6] = ["a", "src/b", "src/deep/c", "lib/d", "lib/deep/e", "inner/f"];

/// All files that count, by name, from nothing but the disk.
fn on_disk(world: &World) -> BTreeMap<&'static str, String> {
    let read =
        |name: &&'static str| Some((*name, fs::read_to_string(world.root().join(name)).ok()?));
    FILES.iter().filter_map(read).collect()
}

fn edit(world: &World, draw: &mut Draw) {
    let path = world.root().join(FILES[draw.below(FILES.len())]);
    let old = fs::metadata(&path).and_then(|found| found.modified()).ok();
    if draw.below(5) == 0 {
        let _ = fs::remove_file(&path);
        return;
    }
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, format!("{}\n", draw.below(4))).unwrap();
    if let Some(old) = old.filter(|_| draw.below(2) == 0) {
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_times(FileTimes::new().set_modified(old)).unwrap();
    }
}

/// Something that git is told, which changes no file. What it does not want to do is no matter.
fn tell_git(world: &World, draw: &mut Draw) {
    let file = FILES[draw.below(FILES.len())];
    let told: &[&[&str]] = &[
        &["update-index", "--assume-unchanged", file],
        &["update-index", "--no-assume-unchanged", file],
        &["update-index", "--skip-worktree", file],
        &["update-index", "--no-skip-worktree", file],
        &["config", "core.trustctime", "false"],
        &["config", "core.checkStat", "minimal"],
        &["config", "core.ignoreStat", "true"],
        &["config", "core.fileMode", "false"],
        &["config", "filter.old.clean", "echo 1"],
        &["config", "--unset", "filter.old.clean"],
        &["update-index", "--split-index"],
        &["update-index", "--index-version", "4"],
        &["add", "-A"],
        &["add", "-N", "."],
        &["rm", "-q", "-r", "--cached", "--ignore-unmatch", file],
        &["reset", "-q"],
        &["commit", "-q", "-a", "-m", "x"],
        &["commit", "-q", "--allow-empty", "-m", "x"],
        &["-C", "inner", "add", "-A"],
        &["-C", "inner", "commit", "-q", "-m", "x"],
        &["gc", "-q", "--prune=now"],
    ];
    let mut command = git::command(&world.root());
    command.args(["-c", "user.name=n", "-c", "user.email=n@example.org"]);
    let limit = Deadline::after(Duration::from_secs(600));
    let _ = git::output(command, told[draw.below(told.len())], limit);
}

#[test]
fn the_id_changes_exactly_when_what_is_on_the_disk_does() {
    for seed in 0..4 {
        let mut draw = Draw(seed);
        let world = World::new();
        for name in FILES {
            world.put(name, "0\n");
        }
        git_in(&world.root().join("inner"), &["init", "-q", "-b", "main"]);
        let has_programs = seed % 2 == 1;
        if has_programs {
            world.put(".git/info/attributes", "* filter=old\n");
        }
        let mut ids: BTreeMap<String, BTreeMap<&str, String>> = BTreeMap::new();
        let mut contents: BTreeMap<BTreeMap<&str, String>, String> = BTreeMap::new();
        for step in 0..40 {
            if draw.below(2) == 0 {
                edit(&world, &mut draw);
            } else {
                tell_git(&world, &mut draw);
            }
            if draw.below(20) == 0 {
                let _ = fs::remove_dir_all(world.trees_folder());
            }
            let (id, files) = (world.tree(), on_disk(&world));
            let known = ids.entry(id.clone()).or_insert_with(|| files.clone());
            assert_eq!(*known, files, "seed {seed}, step {step}: one id for two contents");
            // What a program makes of a file is asked for when the file changes, and only then.
            if !has_programs {
                let known = contents.entry(files).or_insert_with(|| id.clone());
                assert_eq!(*known, id, "seed {seed}, step {step}: two ids for one content");
            }
        }
    }
}
