//! What a held stop costs beside `git status`: in one work tree, among twenty, and with submodules that changed.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{CONVERSATION, Repository, feed};
use crate::arguments::Arguments;
use crate::event::Event;
use crate::failure::{During, Failure};
use crate::store::figure::{Figure, Target};
use crate::store::pair::{by_turns, time};

const STOPS: &str = "[project]\npublish = \"never\"\n\n[[gate]]\nid = \"tested\"\n\
    before = [\"stop\", \"commit\"]\nproof = { ran = \"./check.sh*\", fresh = \"tree\" }\n";
const FILES: usize = 2000;
const WORK_TREES: usize = 20;
const SUBMODULES: usize = 10;
/// Of each submodule.
const CHANGED: usize = 5;

pub(super) fn measure(folder: &Path, arguments: &Arguments) -> Result<Vec<Figure>, Failure> {
    let mut figures = Vec::new();
    for (name, set_up) in [
        ("a held stop, 2,000 files", alone as SetUp),
        ("the same, 20 work trees", among_many),
        ("the same, 50 files of 10 submodules", with_submodules),
    ] {
        eprintln!("{name} ...");
        let place = format!("stop-{}", figures.len());
        let repository = Repository::set_up(folder, &place, arguments, STOPS)?;
        let changing = Changing { files: set_up(&repository)?, round: Cell::new(0) };
        let repository = repository.with_agent()?;
        let own = || {
            // It is held only for what one of its calls changed.
            repository.tell(Event::PreBash("make"))?;
            changing.change()?;
            repository.tell(Event::PostBash("make"))?;
            time(|| repository.tell(Event::Stop))
        };
        let floor = || {
            changing.change()?;
            time(|| repository.run("git", &["status", "--porcelain"]))
        };
        let pair = by_turns(arguments.rounds, 1, own, floor)?;
        figures.push(Figure::new(name, "git status", pair, Target::AtMost(3.0)));
    }
    Ok(figures)
}

/// Makes a place what it is for, and gives the files that change.
type SetUp = fn(&Repository) -> Result<Vec<PathBuf>, Failure>;

fn alone(repository: &Repository) -> Result<Vec<PathBuf>, Failure> {
    let folder = repository.root.join("many");
    fs::create_dir(&folder).during(|| folder.display().to_string())?;
    for number in 0..FILES {
        let file = folder.join(format!("{number}.txt"));
        fs::write(&file, format!("{number}\n")).during(|| file.display().to_string())?;
    }
    repository.run("git", &["add", "-A"])?;
    repository.run("git", &["commit", "-q", "-m", "many"])?;
    Ok(vec![folder.join("0.txt")])
}

fn among_many(repository: &Repository) -> Result<Vec<PathBuf>, Failure> {
    let files = alone(repository)?;
    for number in 0..WORK_TREES {
        let place = format!("../{}-{number}", repository.name());
        repository.run("git", &["worktree", "add", "-q", "--detach", &place])?;
    }
    Ok(files)
}

fn with_submodules(repository: &Repository) -> Result<Vec<PathBuf>, Failure> {
    let origin = repository.root.with_extension("origin");
    let during = || origin.display().to_string();
    fs::create_dir(&origin).during(during)?;
    for number in 0..200 {
        fs::write(origin.join(format!("{number}.txt")), "one\n").during(during)?;
    }
    let there = origin.display().to_string();
    repository.run("git", &["-C", &there, "init", "-q"])?;
    repository.run("git", &["-C", &there, "add", "-A"])?;
    repository.run("git", &["-C", &there, "commit", "-q", "-m", "x"])?;
    let mut files = Vec::new();
    for number in 0..SUBMODULES {
        let name = format!("sub{number}");
        let add =
            ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &there, &name];
        repository.run("git", &add)?;
        files.extend((0..CHANGED).map(|file| repository.root.join(format!("{name}/{file}.txt"))));
    }
    repository.run("git", &["commit", "-q", "-m", "submodules"])?;
    Ok(files)
}

/// Files that are changed before each turn, so that nothing is as it was.
struct Changing {
    files: Vec<PathBuf>,
    round: Cell<usize>,
}

impl Changing {
    fn change(&self) -> Result<Duration, Failure> {
        self.round.set(self.round.get() + 1);
        let text = format!("{}\n", self.round.get());
        for file in &self.files {
            fs::write(file, &text).during(|| file.display().to_string())?;
        }
        Ok(Duration::ZERO)
    }
}

impl Repository {
    fn name(&self) -> String {
        self.root.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Something that an agent does.
    fn tell(&self, event: Event) -> Result<(), Failure> {
        let input = event.input(CONVERSATION, &self.root);
        feed(self.command(&self.waypost).args(["hook", "claude-code"]), &input)
    }
}
