//! `init` and `init --remove` as a user meets them, on real folders.

mod edits;
mod git_hooks;
mod round_trip;
mod servers;
mod setup;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::{Options, Outcome, Registration};
use crate::error::AppError;
use crate::host::{Clock, Host};
use crate::project::{self, Project};

const LOCAL: &str = ".claude/settings.local.json";
const SHARED: &str = ".claude/settings.json";
const SERVERS: &str = ".mcp.json";

/// A repository and a home, for one test.
struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap() };
        world.put("repo/.git/HEAD", "ref: refs/heads/main\n");
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("repo").join(name)
    }

    fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        self.put(&format!("repo/{name}"), content);
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn json(&self, name: &str) -> serde_json::Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    fn host(&self) -> Host {
        Host {
            path: None,
            cwd: self.path(""),
            home: self.folder.path().to_owned(),
            config_dir: self.folder.path().join("config/waypost"),
            state_dir: self.folder.path().join("state/waypost"),
            claude_dir: self.folder.path().join("claude"),
            secret: None,
            conversation: None,
            caller: crate::caller::Caller::Starter,
            markers: Vec::new(),
            exe: "/opt/bin/waypost".into(),
            tools: None,
            patience: waypost_store::Patience::default(),
            expect_longer: || {},
            notice: None,
            clock: Clock::System,
        }
    }

    fn project(&self) -> Project {
        project::find_or_here(&self.path("")).unwrap()
    }

    fn try_init(&self, options: &Options) -> Result<Outcome, AppError> {
        super::run(&self.host(), &self.project(), options)
    }

    fn init(&self) -> Outcome {
        self.try_init(&Options::default()).unwrap()
    }

    fn init_shared(&self) -> Outcome {
        self.try_init(&Options { shared: true, ..Options::default() }).unwrap()
    }

    fn remove(&self) -> Outcome {
        super::remove(&self.host(), &self.project()).unwrap()
    }

    fn registrations(&self) -> Vec<Registration> {
        super::registrations(&self.project()).unwrap()
    }

    /// Everything in the repository: modes, and the bytes of files. Folders have none.
    fn snapshot(&self) -> BTreeMap<PathBuf, (u32, Option<Vec<u8>>)> {
        let mut result = BTreeMap::new();
        let mut open = vec![self.path("")];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let (path, metadata) = (entry.path(), entry.metadata().unwrap());
                let bytes = metadata.is_file().then(|| fs::read(&path).unwrap());
                if metadata.is_dir() {
                    open.push(path.clone());
                }
                result.insert(path, (metadata.permissions().mode(), bytes));
            }
        }
        result
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}
