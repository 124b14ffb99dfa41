//! `init` and `init --remove` as users of clients meet them, on real folders.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod each;
mod edits;
mod git_hooks;
mod odd;
mod round_trip;
mod servers;
mod setup;
mod wrapper;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use waypost_app::error::AppError;
use waypost_app::machine::host::{Clock, Host, InFiles};
use waypost_app::machine::project::{self, Project};
use waypost_app::setup::init::{self, HarnessRegistration, InitOutcome, Options};
use waypost_core::next_step::Voice;
use waypost_hook::harnesses;

const LOCAL: &str = ".claude/settings.local.json";
const SHARED: &str = ".claude/settings.json";
const SERVERS: &str = ".mcp.json";

/// What a person is told beside the changes.
fn notes(outcome: &InitOutcome) -> Vec<String> {
    outcome.notes.iter().map(|note| note.words(Voice::PERSON)).collect()
}

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
        let home = self.folder.path();
        let var = |name: &str| match name {
            "HOME" => Some(home.into()),
            "XDG_CONFIG_HOME" => Some(home.join("config").into()),
            "XDG_STATE_HOME" => Some(home.join("state").into()),
            _ => None,
        };
        let host = Host::from_env(self.path(""), "/opt/bin/waypost".into(), Clock::System, var)
            .keeping(InFiles);
        host.knowing(harnesses::ALL, var)
    }

    fn project(&self) -> Project {
        project::find_or_here(&self.path("")).unwrap()
    }

    fn try_init(&self, options: &Options) -> Result<InitOutcome, AppError> {
        init::run(&self.host(), &self.project(), options)
    }

    fn init(&self) -> InitOutcome {
        self.try_init(&Options::default()).unwrap()
    }

    fn init_shared(&self) -> InitOutcome {
        self.try_init(&Options { shared: true, ..Options::default() }).unwrap()
    }

    fn remove(&self) -> InitOutcome {
        init::remove(&self.host(), &self.project()).unwrap()
    }

    fn registrations(&self) -> Vec<HarnessRegistration> {
        registrations(&self.host(), &self.project())
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

fn registrations(host: &Host, project: &Project) -> Vec<HarnessRegistration> {
    let all = harnesses::ALL.iter();
    all.flat_map(|one| init::registrations(host, *one, project).unwrap()).collect()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}
