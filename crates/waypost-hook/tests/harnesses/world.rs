//! A repository and a home, for one test.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use waypost_app::harness::{Harness, Output};
use waypost_app::machine::host::{Clock, Host, InFiles};
use waypost_app::machine::project::{self, Project};
use waypost_app::setup::init::{self, Options, Preset};
use waypost_app::setup::project_record;
use waypost_app::view::View;
use waypost_hook::{Registered, Setting, answer, harnesses};

/// The gate that holds whoever changed something.
const CONFIG: &str = "[project]\n\n[[gate]]\nid = \"tests\"\nlevel = \"must\"\nbefore = [\"stop\"]\nscope = \"session\"\n\
                      proof = { ran = \"./check\", fresh = \"tree\" }\n";

/// A repository with a project in it, and a home.
pub(crate) struct World {
    folder: tempfile::TempDir,
}

impl World {
    /// One that is set up, with a gate before stops.
    pub(crate) fn new() -> Self {
        Self::with(&[harnesses::ALL[0].facts().name])
    }

    /// The same, registered with these harnesses.
    pub(crate) fn with(names: &[&str]) -> Self {
        let world = Self::bare();
        fs::write(world.root().join("waypost.toml"), CONFIG).unwrap();
        let harnesses = names.iter().map(|name| (*name).to_owned()).collect();
        let options = Options { harnesses, preset: Some(Preset::Minimal), ..Options::default() };
        init::run(&world.host(), &world.project(), &options).unwrap();
        project_record::record(&View::open(&world.host()).unwrap(), None).unwrap();
        world
    }

    /// One where nothing can be decided: it is set up, and its key is missing.
    pub(crate) fn undecidable() -> Self {
        let world = Self::bare();
        fs::write(world.root().join("waypost.toml"), "").unwrap();
        world
    }

    fn bare() -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(world.root()).unwrap();
        fs::write(world.root().join("src.txt"), "one\n").unwrap();
        for args in [
            &["init", "-q", "-b", "main"][..],
            &["add", "."],
            &["-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "first"],
        ] {
            let done = Command::new("git").args(args).current_dir(world.root()).status().unwrap();
            assert!(done.success(), "git {args:?}");
        }
        world
    }

    /// The project's folder.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("repo")
    }

    /// The machine.
    pub(crate) fn host(&self) -> Host {
        let home = self.folder.path().canonicalize().unwrap().join("home");
        let var = |name: &str| match name {
            "HOME" => Some(OsString::from(&home)),
            "PATH" => std::env::var_os("PATH"),
            _ => None,
        };
        Host::from_env(self.root(), home.join("waypost"), Clock::System, var)
            .keeping(InFiles)
            .knowing(harnesses::ALL, var)
    }

    fn project(&self) -> Project {
        project::find_or_here(&self.root()).unwrap()
    }

    /// The harnesses of the conversations that are known, one for each of them.
    pub(crate) fn conversations(&self) -> Vec<String> {
        let host = self.host();
        let all = View::open(&host).unwrap().registry().all();
        all.into_iter().map(|known| known.harness).collect()
    }

    /// What a harness is told when its hook is told this.
    pub(crate) fn ask(&self, harness: &'static dyn Harness, event: &str) -> Output {
        let setting = Setting {
            host: self.host(),
            harness,
            project_dir: None,
            caller: || None,
            by: Registered::Own,
            guard: |_, _| {},
        };
        answer(&setting, event.as_bytes(), true)
    }
}
