//! What a work tree with many files that git does not track costs those who need its content's id.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use super::Project;
use crate::event::Event;
use crate::failure::{During, Failure};
use crate::places::write;
use crate::rows::Subject;
use crate::spawn::Spawn;
use crate::store::figure::{Figure, Target};
use crate::store::pair::by_turns;

const FILES: usize = 50_000;
const FOLDERS: usize = 200;
const TESTS: &str = "cargo test";

pub(super) fn measure(place: &Project<'_>, rounds: usize) -> Result<Vec<Figure>, Failure> {
    let root = place.places.root(place.place);
    for number in 0..FILES {
        // Beside what is tracked: a folder that git knows nothing of is one line to it.
        let folder = number % FOLDERS;
        write(&root.join(format!("src/{folder:03}/{number}.txt")), &format!("{number}\n"))?;
    }
    let tracked: Vec<_> =
        (0..FOLDERS).map(|number| format!("src/{number:03}/{number}.txt")).collect();
    let tracked: Vec<_> = tracked.iter().map(String::as_str).collect();
    git(place, &[&["add", "--"], &tracked[..]].concat()).run_well()?;
    for event in [Event::PreBash(TESTS), Event::PostBash(TESTS)] {
        let hook = place.places.spawn(Subject::Hook(place.place, event), place.programs);
        hook.run_silently()?;
    }
    let words = vec![OsString::from("status")];
    let status = place.places.spawn_in(place.place, &place.programs.waypost, words, vec![]);
    let status = || well(&status);
    let listed = git(place, &["status", "--porcelain"]);
    let tree = Tree::of(place)?;
    Ok(vec![
        Figure::new(
            "status, 50,000 untracked files",
            "git status",
            by_turns(rounds, 1, status, || well(&listed))?,
            Target::AtMost(3.0),
        ),
        Figure::new(
            "status, 50,000 untracked files",
            "its tree: git add --all, git write-tree",
            by_turns(rounds, 1, status, || tree.make())?,
            Target::AtMost(3.0),
        ),
    ])
}

/// The least that tells the content's id: git with an index and a folder of objects of its own,
/// which know the files from the time before.
struct Tree([Spawn; 2]);

impl Tree {
    fn of(place: &Project<'_>) -> Result<Self, Failure> {
        let git_folder = place.places.root(place.place).join(".git");
        let own = git_folder.join("measured");
        std::fs::create_dir(&own).during(|| own.display().to_string())?;
        let steps = [&["add", "--all"][..], &["write-tree"]].map(|words| {
            let mut step = git(place, words);
            step.environment.extend([
                ("GIT_INDEX_FILE", own.join("index").into()),
                ("GIT_OBJECT_DIRECTORY", own.clone().into()),
                ("GIT_ALTERNATE_OBJECT_DIRECTORIES", git_folder.join("objects").into()),
            ]);
            step
        });
        Ok(Self(steps))
    }

    fn make(&self) -> Result<Duration, Failure> {
        self.0.iter().map(well).sum()
    }
}

fn git(place: &Project<'_>, words: &[&str]) -> Spawn {
    let words = ["git"].iter().chain(words).map(OsString::from).collect();
    place.places.spawn_in(place.place, Path::new("/usr/bin/env"), words, vec![])
}

fn well(spawn: &Spawn) -> Result<Duration, Failure> {
    spawn.run_well().map(|(took, _)| took)
}
