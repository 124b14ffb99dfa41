//! A repository and a home with a key, for one test.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use waypost_app::enforce::hook::Call;
use waypost_app::machine::host::{Clock, Host};
use waypost_app::share::publishing::Publishing;
use waypost_core::time::Timestamp;
use waypost_store::Stores;

/// A repository and a home, and where they keep things.
pub(crate) struct World {
    folder: tempfile::TempDir,
    stores: Arc<dyn Stores>,
}

impl World {
    pub(crate) fn new(stores: impl Stores + 'static) -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap(), stores: Arc::new(stores) };
        world.put("home/.config/waypost/.keep", "");
        world.put("repo/waypost.toml", "[project]\n");
        world.git(&["init", "-q", "-b", "main"]);
        waypost_store::keys::create(&world.host().key_file()).unwrap();
        world
    }

    pub(crate) fn git(&self, args: &[&str]) {
        let mut git = Command::new("git");
        git.current_dir(self.path("repo")).env("HOME", self.path("home"));
        git.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(args);
        assert!(git.status().unwrap().success());
    }

    pub(crate) fn put(&self, name: &str, content: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// A person's host.
    pub(crate) fn host(&self) -> Host {
        let home = self.path("home");
        let time = Timestamp::from_millis(1_800_000_000_000).unwrap();
        let var = |name: &str| match name {
            "HOME" => Some(home.clone().into_os_string()),
            "PATH" => std::env::var_os("PATH"),
            _ => None,
        };
        let host = Host::from_env(self.path("repo"), "waypost".into(), Clock::Fixed(time), var);
        Host { stores: Arc::clone(&self.stores), ..host }.telling(Arc::new(Publishing))
    }

    /// The host of a command that the conversation of `call` runs.
    pub(crate) fn host_of_conversation(&self) -> Host {
        Host { conversation: Some(("toy".to_owned(), "s1".parse().unwrap())), ..self.host() }
    }

    /// A harness' call in a conversation.
    pub(crate) fn call(&self) -> Call {
        Call {
            harness: "toy",
            conversation: "s1".parse().unwrap(),
            subagent: None,
            agent_type: None,
            cwd: self.path("repo"),
            project_dir: None,
            caller: || None,
            permissions: None,
            rewriting: None,
            transcript: None,
            readers: &[],
        }
    }
}
