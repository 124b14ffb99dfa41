//! The machine as the use cases see it: folders, the clock, who is calling. Filled in by the
//! binary, so that tests can fill it in differently.

use std::ffi::OsString;
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use waypost_core::event::Known;
use waypost_core::id::{ConversationId, StreamId};
use waypost_core::key::Keyring;
use waypost_core::next_step::Tools;
use waypost_core::time::Timestamp;
use waypost_store::{InMemory, Stores, keys, look, seen};

use crate::error::AppError;
use crate::harness::{Ground, Harness, Local};
use crate::machine::caller::Caller;
use crate::machine::project::Project;

pub use waypost_store::{InFiles, Patience};

/// What harnesses without a module of their own set for the commands that they run. By name, not by
/// prefix: there are also settings that people keep in their shell's start-up files.
const MARKERS: [&str; 6] =
    ["AI_AGENT", "COPILOT_AGENT", "COPILOT_CLI", "CURSOR_AGENT", "GEMINI_CLI", "OPENCODE"];

/// The variable that names the file in which the hook notes that it was called.
pub const SIGHTING: &str = "WAYPOST_SIGHTING";
/// The folder of those files, in the state folder.
pub const SIGHTINGS: &str = "sightings";

/// Where the time comes from.
#[derive(Debug, Clone, Copy)]
pub enum Clock {
    /// The machine's clock.
    System,
    /// Always the same time; for tests.
    Fixed(Timestamp),
}

/// The machine as the use cases see it.
#[derive(Debug, Clone)]
pub struct Host {
    /// The folder that the command was called in.
    pub cwd: PathBuf,
    /// The user's home.
    pub home: PathBuf,
    /// Where the user's configuration and key are.
    pub config_dir: PathBuf,
    /// Where the user's local state is: conversations, pending calls.
    pub state_dir: PathBuf,
    /// The harnesses that Waypost knows.
    pub harnesses: Vec<Local>,
    /// The signing secret from the environment.
    pub secret: Option<String>,
    /// The conversation that the harness names in the environment.
    pub conversation: Option<(String, ConversationId)>,
    /// Whether the user switched other tools' rules off, by a variable of the environment.
    pub imported_off: bool,
    /// Whether the user switched another framework's strict check off, by a variable of the environment.
    pub strict_off: bool,
    /// On whose behalf this process acts.
    pub caller: Caller,
    /// The variables found in the environment that harnesses set for the commands that they run.
    pub markers: Vec<&'static str>,
    /// The program itself.
    pub exe: PathBuf,
    /// Where the shell looks for programs.
    pub path: Option<OsString>,
    /// Where the time comes from.
    pub clock: Clock,
    /// Where the hook notes that it was called, if somebody only wants to see that it is.
    pub sighting: Option<PathBuf>,
    /// The tools that this process offers to the agent that it acts for.
    pub tools: Option<Tools>,
    /// How long it waits for a lock that somebody else holds.
    pub patience: Patience,
    /// Called before work that may take long: somebody may be waiting with a shorter limit.
    pub expect_longer: fn(),
    /// Called with what was damaged and mended by itself; none: nobody would hear it.
    pub notice: Option<fn(&str)>,
    /// Asked when a conversation begins: the trace that its client is working in, if the environment names one.
    pub traceparent: fn() -> Option<String>,
    /// Where projects keep what they have to.
    pub stores: Arc<dyn Stores>,
    /// Who is told what was appended to a stream.
    pub subscribers: Vec<Arc<dyn Subscriber>>,
    /// Which project the user's Serena serves, where a variable of the environment says that.
    pub serena_project: Option<String>,
    /// Asked whether another program's server answers, where somebody asks who has the time to wait.
    pub asked: Option<Arc<dyn Asked>>,
}

/// Whoever can tell whether the server behind a gate answers.
pub trait Asked: Debug + Send + Sync {
    /// Whether Serena answers; `None` where the project does not say how to ask it.
    fn serena(&self, host: &Host, project: &Project, ring: &Keyring) -> Option<bool>;
}

/// Whoever wants to know what is appended to streams, right after it is kept for good.
pub trait Subscriber: Debug + Send + Sync {
    /// Does what has to follow. Returns what somebody should be told about that; `None` if nothing had
    /// to be done.
    fn appended(&self, appended: &Appended<'_>) -> Option<Vec<String>>;
}

/// What was appended to a stream.
#[derive(Debug, Clone, Copy)]
pub struct Appended<'a> {
    /// The machine.
    pub host: &'a Host,
    /// The project.
    pub project: &'a Project,
    /// Its keys.
    pub ring: &'a Keyring,
    /// The stream.
    pub stream: &'a StreamId,
    /// What happened; nothing where records came from elsewhere.
    pub events: &'a [Known],
}

impl Host {
    /// Reads the host out of the environment. `var` gives a variable's value. It knows no
    /// harness, and what its projects keep is gone with the process.
    pub fn from_env(
        cwd: PathBuf,
        exe: PathBuf,
        clock: Clock,
        var: impl Fn(&str) -> Option<OsString>,
    ) -> Self {
        let text = |name: &str| {
            var(name).and_then(|value| value.into_string().ok()).filter(|value| !value.is_empty())
        };
        let home = var("HOME").map_or_else(|| PathBuf::from("/"), PathBuf::from);
        let folder = |name: &str, fallback: &str| {
            let given = var(name).map(PathBuf::from).filter(|path| path.is_absolute());
            given.unwrap_or_else(|| home.join(fallback)).join("waypost")
        };
        let (config_dir, state_dir) =
            (folder("XDG_CONFIG_HOME", ".config"), folder("XDG_STATE_HOME", ".local/state"));
        Self {
            cwd,
            config_dir,
            state_dir: state_dir.clone(),
            harnesses: Vec::new(),
            home,
            secret: text("WAYPOST_SESSION_SECRET").or_else(|| text("BRAIN_SESSION_SECRET")),
            conversation: None,
            imported_off: false,
            strict_off: false,
            caller: Caller::Starter,
            markers: MARKERS.into_iter().filter(|name| text(name).is_some()).collect(),
            exe,
            path: var("PATH"),
            clock,
            sighting: text(SIGHTING).map(|name| state_dir.join(SIGHTINGS).join(name)),
            tools: None,
            patience: Patience::default(),
            expect_longer: || {},
            notice: None,
            traceparent: || None,
            stores: Arc::new(InMemory::default()),
            subscribers: Vec::new(),
            serena_project: text("SERENA_PROJECT"),
            asked: None,
        }
    }

    /// The same host with projects that keep what they have to elsewhere.
    #[must_use]
    pub fn keeping(self, stores: impl Stores + 'static) -> Self {
        Self { stores: Arc::new(stores), ..self }
    }

    /// The same host with one more who is told what is appended.
    #[must_use]
    pub fn telling(mut self, subscriber: Arc<dyn Subscriber>) -> Self {
        self.subscribers.push(subscriber);
        self
    }

    /// The same host with harnesses, and with what they say in the environment: which conversation
    /// it is, and that an agent is calling.
    #[must_use]
    pub fn knowing(
        mut self,
        harnesses: &[&'static dyn Harness],
        var: impl Fn(&str) -> Option<OsString>,
    ) -> Self {
        let text = |name: &&str| {
            var(name).and_then(|value| value.into_string().ok()).filter(|value| !value.is_empty())
        };
        for harness in harnesses {
            let facts = harness.facts();
            let id = facts.conversations.iter().filter_map(text).find_map(|id| id.parse().ok());
            let named = id.map(|id| (facts.name.to_owned(), id));
            self.conversation = self.conversation.or(named);
            self.markers.extend(facts.markers.iter().filter(|name| text(name).is_some()));
            self.imported_off |= facts.rules_off.iter().any(|name| text(name).is_some());
            let strict_off = facts.requirements.and_then(|known| text(&known.strict_off));
            self.strict_off |= strict_off.is_some_and(|value| value.eq_ignore_ascii_case("true"));
            let (variable, below_home) = facts.folder;
            let folder = var(variable).map_or_else(|| self.home.join(below_home), PathBuf::from);
            self.harnesses.push(Local { harness: *harness, folder });
        }
        self
    }

    /// Whether harnesses set a variable of this name for what they run.
    pub fn is_marker(&self, name: &str) -> bool {
        let own = |local: &Local| {
            let facts = local.facts();
            facts.markers.contains(&name) || facts.conversations.contains(&name)
        };
        MARKERS.contains(&name) || self.harnesses.iter().any(own)
    }

    /// The harness of that name.
    pub fn harness(&self, name: &str) -> Option<&Local> {
        self.harnesses.iter().find(|local| local.facts().name == name)
    }

    /// Where a harness finds its files for the project in `root`.
    pub fn ground<'a>(&'a self, local: &'a Local, root: &'a Path) -> Ground<'a> {
        Ground { root, home: &self.home, folder: &local.folder }
    }

    /// The time.
    pub fn now(&self) -> Timestamp {
        seen::beyond_files();
        self.moment()
    }

    /// The same for whoever says itself, to [`seen`], how its answer depends on it.
    pub fn moment(&self) -> Timestamp {
        match self.clock {
            Clock::Fixed(time) => time,
            Clock::System => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                // A clock beyond the year 9999 counts as its end rather than stopping all work.
                let millis = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
                Timestamp::saturating_from_millis(millis)
            }
        }
    }

    /// How an agent's shell calls this program: by its name where that is found, else by its path.
    pub fn own_name(&self) -> String {
        let is_found = self.programs().next().is_some();
        if is_found { "waypost".to_owned() } else { self.exe.display().to_string() }
    }

    /// The programs of this name that a shell could find, the one that it does find first.
    pub fn programs(&self) -> impl Iterator<Item = PathBuf> {
        let folders = self.path.iter().flat_map(std::env::split_paths);
        folders.map(|folder| folder.join("waypost")).filter(|program| look::is_file(program))
    }

    /// Whether a shell could find a program.
    pub fn finds(&self, program: &str) -> bool {
        let mut folders = self.path.iter().flat_map(std::env::split_paths);
        folders.any(|folder| look::is_file(folder.join(program)))
    }

    /// Where a shell finds a program.
    pub fn program(&self, name: &str) -> Option<PathBuf> {
        let mut folders = self.path.iter().flat_map(std::env::split_paths);
        folders.find_map(|folder| Some(folder.join(name)).filter(|file| look::is_file(file)))
    }

    /// The key file.
    pub fn key_file(&self) -> PathBuf {
        self.config_dir.join("key")
    }

    /// The file of the key that signed approvals are made with.
    pub fn approval_key_file(&self) -> PathBuf {
        self.config_dir.join("approval-key")
    }

    /// The file of the token that `waypost serve` asks for, in a folder of its own.
    pub fn serve_token_file(&self) -> PathBuf {
        self.state_dir.join("serve").join("token")
    }

    /// The keys.
    pub fn keyring(&self) -> Result<Keyring, AppError> {
        if self.secret.is_some() {
            return keys::load(&self.key_file(), self.secret.as_deref()).map_err(|error| {
                AppError::from(error).hint("the secret comes from WAYPOST_SESSION_SECRET")
            });
        }
        Ok(keys::load(&self.key_file(), None)?)
    }

    /// Random bytes.
    pub fn random<const N: usize>(&self) -> Result<[u8; N], AppError> {
        let mut bytes = [0; N];
        getrandom::fill(&mut bytes).map_err(|error| {
            AppError::refused(format!("the system gives no randomness: {error}")).because(error)
        })?;
        Ok(bytes)
    }
}
