//! The registry of conversations: one small signed file each, in the user's state folder.
//!
//! It tells the hook, wherever the agent has changed its folder to, which project, session and
//! harness process a conversation belongs to.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use waypost_core::evidence::Tree;
use waypost_core::id::{ConversationId, SessionId};
use waypost_core::key::Keyring;
use waypost_core::next_step::{Tools, Voice};
use waypost_core::sealed;
use waypost_store::{StoreError, files, look};

use crate::error::AppError;
use crate::machine::process::{self, Process};

const KIND: &str = "waypost-conversation";
const PENDING: &str = "waypost-pending";
/// Why nothing is known of the content that a call ran on.
const ALIKE: &str = "a call like it had begun, and not ended";
const MAX_BYTES: u64 = 64 * 1024;
const ALIVE: &str = "alive";
const ASKING: &str = "asking";
const PROCESS: &str = "waypost-process";
/// How many conversations of one process are found again, the latest.
const MAX_OF_PROCESS: usize = 8;
/// How often old conversations are looked for.
const SWEPT_EVERY: Duration = Duration::from_secs(24 * 60 * 60);
/// A conversation that was silent for so long is not expected back.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(60 * 24 * 60 * 60);

/// Where a conversation belongs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registration {
    /// The harness.
    pub harness: String,
    /// The conversation.
    pub conversation: ConversationId,
    /// The session it works in.
    pub session: SessionId,
    /// The work tree's top folder.
    pub root: PathBuf,
    /// The harness' process, if the hook's caller could be checked.
    pub process: Option<Process>,
    /// Its first prompt while its session had no objective, shortened. It stays on this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Whether its harness' hook announced it, so that hooks see what it does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hooked: bool,
    /// The tools that its client was seen to have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Tools>,
    /// The policy that holds for it, while the project's files are as they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effective: Option<Effective>,
    /// What was checked out when that was last looked at, by work tree; the main one's name is empty.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub heads: BTreeMap<String, String>,
    /// The other conversations at work in the same work tree that it was told of, the latest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub met: Vec<ConversationId>,
}

impl Registration {
    /// In whose words its agent is told what to do next.
    pub fn voice(&self) -> Voice {
        Voice::Agent { tools: self.tools.unwrap_or_default(), hooked: self.hooked }
    }
}

/// What holds for a conversation while the files are as they were, so that a tool call need not read
/// them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effective {
    /// What the files looked like.
    pub(super) stamp: String,
    /// The policy that is pinned.
    pub(super) pinned: String,
    /// The policy that holds.
    pub(super) policy: String,
    /// The protocol's file, where the project has one: it is one of the files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) protocol: Option<String>,
}

/// A tool call that has begun and that a gate wants to know the end of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// Whether the harness itself announced it.
    pub checked: bool,
    /// SHA-256 of the command.
    pub sha256: String,
    /// The work tree when it began.
    pub tree: Tree,
    /// Who called, where that matters to whoever is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<CalledBy>,
}

/// Who called a tool of Waypost's own, as a hook saw it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalledBy {
    /// Whether the harness itself announced the call.
    pub checked: bool,
    /// The subagent, where one called.
    pub subagent: Option<String>,
    /// What sort of agent that is.
    pub agent_type: Option<String>,
    /// What the tool is given, as a digest. A call whose input nobody could read is no call that somebody can point to.
    pub given: Option<String>,
    /// The top folder of the work tree that it was in.
    pub root: PathBuf,
}

/// The registry below a state folder.
#[derive(Debug)]
pub struct Registry<'a> {
    folder: PathBuf,
    pending: PathBuf,
    /// Which conversations a process is the harness of, so that nobody has to read all of them.
    processes: PathBuf,
    swept: PathBuf,
    ring: &'a Keyring,
}

impl<'a> Registry<'a> {
    /// The registry below `state_dir`.
    pub fn new(state_dir: &Path, ring: &'a Keyring) -> Self {
        Self {
            folder: state_dir.join("conversations"),
            pending: state_dir.join("pending"),
            processes: state_dir.join("processes"),
            swept: state_dir.join("swept"),
            ring,
        }
    }

    /// Looks a conversation up.
    pub fn find(
        &self,
        harness: &str,
        conversation: &ConversationId,
    ) -> Result<Option<Registration>, AppError> {
        let name = name_of(harness, conversation);
        let path = self.folder.join(&name);
        match self.open(&path, KIND, &name) {
            // It is derived: its session knows the conversation, which is entered again.
            Err(error) if error.is_of_what_lies_there() => {
                let mut aside = path.clone().into_os_string();
                aside.push(".broken");
                std::fs::rename(&path, aside).map_err(|_| error)?;
                Ok(None)
            }
            found => Ok(found?),
        }
    }

    /// Enters a conversation, or changes its entry.
    pub fn enter(&self, registration: &Registration) -> Result<(), AppError> {
        files::make_dir(&self.folder)?;
        let name = name_of(&registration.harness, &registration.conversation);
        let content = sealed::seal(self.ring.current(), KIND, &name, registration)
            .map_err(StoreError::from)?;
        files::replace(&self.folder.join(&name), content.as_bytes(), false)?;
        match registration.process {
            Some(process) => self.enter_process(process, &name),
            None => Ok(()),
        }
    }

    fn enter_process(&self, process: Process, name: &str) -> Result<(), AppError> {
        let mut names = self.names_of(process.pid);
        if names.first().is_some_and(|known| known == name) {
            return Ok(());
        }
        names.retain(|known| known != name);
        names.insert(0, name.to_owned());
        names.truncate(MAX_OF_PROCESS);
        files::make_dir(&self.processes)?;
        let owner = process.pid.to_string();
        let content =
            sealed::seal(self.ring.current(), PROCESS, &owner, &names).map_err(StoreError::from)?;
        Ok(files::replace(&self.processes.join(owner), content.as_bytes(), false)?)
    }

    /// Whether a process above this one may be a harness', as far as that is told without the key.
    pub fn knows_process_above(state_dir: &Path) -> bool {
        let folder = state_dir.join("processes");
        process::ancestors().iter().any(|pid| look::is_there(folder.join(pid.to_string())))
    }

    fn names_of(&self, pid: u32) -> Vec<String> {
        let owner = pid.to_string();
        self.open(&self.processes.join(&owner), PROCESS, &owner).ok().flatten().unwrap_or_default()
    }

    /// The conversation whose harness is the nearest process above this one, of those that fit.
    pub fn above(&self, fits: impl Fn(&Registration) -> bool) -> Option<Registration> {
        self.among(process::ancestors(), fits)
    }

    /// The conversation whose harness is the first of these processes, of those that fit.
    pub fn among(
        &self,
        processes: &[u32],
        fits: impl Fn(&Registration) -> bool,
    ) -> Option<Registration> {
        processes.iter().find_map(|pid| {
            self.names_of(*pid).iter().find_map(|name| {
                let found: Option<Registration> =
                    self.open(&self.folder.join(name), KIND, name).ok().flatten();
                found.filter(|found| {
                    let process = found.process.filter(|process| process.pid == *pid);
                    process.is_some_and(Process::is_running) && fits(found)
                })
            })
        })
    }

    /// Takes a conversation out.
    pub fn leave(&self, harness: &str, conversation: &ConversationId) -> Result<(), AppError> {
        self.forget_calls(harness, conversation);
        Ok(files::remove(&self.folder.join(name_of(harness, conversation)))?)
    }

    /// A turn begins or a conversation ends. Calls that have not ended leave nothing that anybody
    /// would ask for.
    pub fn forget_calls(&self, harness: &str, conversation: &ConversationId) {
        let _ = std::fs::remove_dir_all(self.pending.join(name_of(harness, conversation)));
    }

    /// The agent puts something to the user.
    pub fn ask(&self, harness: &str, conversation: &ConversationId) {
        let folder = self.pending.join(name_of(harness, conversation));
        let _ = files::make_dir(&folder);
        let _ = files::replace(&folder.join(ASKING), b"", false);
    }

    /// The user answered, or the agent went on without an answer.
    pub fn answered(&self, harness: &str, conversation: &ConversationId) {
        let marker = self.pending.join(name_of(harness, conversation)).join(ASKING);
        if look::is_there(&marker) {
            let _ = files::remove(&marker);
        }
    }

    /// Whether the agent waits for the user's answer.
    pub fn is_asking(&self, harness: &str, conversation: &ConversationId) -> bool {
        look::is_there(self.pending.join(name_of(harness, conversation)).join(ASKING))
    }

    /// A hook saw a tool call end in this turn. Nothing depends on it but a hint.
    pub fn note_alive(&self, registration: &Registration) {
        let folder = self.calls_of(registration);
        let marker = folder.join(ALIVE);
        if look::link(&marker).is_err() {
            let _ = files::make_dir(&folder);
            let _ = files::replace(&marker, b"", false);
        }
    }

    /// Whether a hook saw a tool call end in this turn.
    pub fn is_alive(&self, registration: &Registration) -> bool {
        look::is_there(self.calls_of(registration).join(ALIVE))
    }

    fn calls_of(&self, registration: &Registration) -> PathBuf {
        self.pending.join(name_of(&registration.harness, &registration.conversation))
    }

    /// Forgets conversations that nobody has come back to for a long time, once a day.
    pub fn forget_old(&self) {
        let lately = look::at(&self.swept).and_then(|found| found.modified()).ok();
        let lately = lately.and_then(|swept| swept.elapsed().ok());
        if lately.is_some_and(|since| since < SWEPT_EVERY) {
            return;
        }
        // Nothing depends on it: where it cannot be noted, it is done again.
        let _ = files::replace(&self.swept, b"", false);
        self.forget_processes();
        for entry in look::folder(&self.folder).into_iter().flatten().flatten() {
            if is_old(&entry) {
                let _ = std::fs::remove_file(entry.path());
                let _ = std::fs::remove_dir_all(self.pending.join(entry.file_name()));
            }
        }
    }

    fn forget_processes(&self) {
        for entry in look::folder(&self.processes).into_iter().flatten().flatten() {
            let pid = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok());
            // Whatever else lies there may be what another process is just writing.
            if pid.map_or_else(|| is_old(&entry), |pid| Process::running(pid).is_none()) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }

    /// Where a conversation's entry is.
    pub(crate) fn place(&self, registration: &Registration) -> PathBuf {
        self.folder.join(name_of(&registration.harness, &registration.conversation))
    }

    /// All conversations whose entries can be read.
    pub fn all(&self) -> Vec<Registration> {
        let entries = look::folder(&self.folder).into_iter().flatten().flatten();
        entries
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                self.open(&entry.path(), KIND, &name).ok()?
            })
            .collect()
    }

    /// The work tree of every conversation by the name of its entry. Those in `known` are not read again.
    pub fn folders(&self, known: BTreeMap<String, PathBuf>) -> BTreeMap<String, PathBuf> {
        let entries = look::folder(&self.folder).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut known = known;
        let found = names.filter_map(|name| {
            let folder = known.remove(&name).or_else(|| {
                let entry = self.open::<Registration>(&self.folder.join(&name), KIND, &name);
                Some(entry.ok()??.root)
            });
            Some((name, folder?))
        });
        found.collect()
    }

    /// The conversations whose harness runs now, as far as their processes are known.
    pub fn running(&self) -> Vec<Registration> {
        let entries = look::folder(&self.processes).into_iter().flatten().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let running = pids.filter_map(Process::running).flat_map(|process| {
            let found = self.names_of(process.pid).into_iter().filter_map(move |name| {
                let entry: Registration =
                    self.open(&self.folder.join(&name), KIND, &name).ok()??;
                (entry.process == Some(process)).then_some(entry)
            });
            found.collect::<Vec<_>>()
        });
        running.collect()
    }

    /// Notes that a tool call has begun.
    pub fn begin(
        &self,
        registration: &Registration,
        call: &str,
        pending: &Pending,
    ) -> Result<(), AppError> {
        let (path, owner) = self.pending_of(registration, call);
        if let Some(folder) = path.parent() {
            files::make_dir(folder)?;
        }
        // Where a harness has no names for calls, two that are alike have one: which of them ends first is not told, so
        // that nothing is known of what either ran on.
        let before = self.open::<Pending>(&path, PENDING, &owner).ok().flatten();
        let is_alike = before.is_some_and(|before| before.sha256 == pending.sha256);
        let tree = if is_alike { Tree::Unknown(ALIKE.to_owned()) } else { pending.tree.clone() };
        let pending = &Pending { tree, ..pending.clone() };
        let content = sealed::seal(self.ring.current(), PENDING, &owner, pending)
            .map_err(StoreError::from)?;
        Ok(files::replace(&path, content.as_bytes(), false)?)
    }

    /// Who called, as a hook noted it before, if it is that very call: by its name, and by a digest of what it saw the
    /// tool be given. Each call is one: the note is taken.
    pub fn called_by(
        &self,
        registration: &Registration,
        call: &str,
        given: &str,
    ) -> Option<CalledBy> {
        let by = self.finish(registration, call)?.by;
        by.filter(|by| by.given.as_deref() == Some(given))
    }

    /// Takes the note of a tool call that has ended, if there was one.
    pub fn finish(&self, registration: &Registration, call: &str) -> Option<Pending> {
        let (path, owner) = self.pending_of(registration, call);
        let pending = self.open(&path, PENDING, &owner).ok().flatten();
        // Read once: a second end of the same call proves nothing.
        let _ = files::remove(&path);
        pending
    }

    fn pending_of(&self, registration: &Registration, call: &str) -> (PathBuf, String) {
        let conversation = name_of(&registration.harness, &registration.conversation);
        // The harness' name for a call could hold anything; its hash is a plain file name.
        let call = waypost_core::key::sha256_hex(&[call.as_bytes()]);
        let owner = format!("{conversation}/{call}");
        (self.pending.join(conversation).join(call), owner)
    }

    fn open<T: serde::de::DeserializeOwned>(
        &self,
        path: &Path,
        kind: &str,
        owner: &str,
    ) -> Result<Option<T>, StoreError> {
        let Some(content) = files::read(path, MAX_BYTES)? else {
            return Ok(None);
        };
        sealed::open(self.ring, kind, owner, &content)
            .map(Some)
            .map_err(|source| StoreError::Sealed { path: path.to_owned(), source })
    }
}

/// Whether nobody has changed an entry for so long that nobody is expected back.
fn is_old(entry: &std::fs::DirEntry) -> bool {
    let changed = entry.metadata().and_then(|found| found.modified()).ok();
    let since = changed.and_then(|changed| changed.elapsed().ok());
    since.is_some_and(|since| since > FORGOTTEN_AFTER)
}

fn name_of(harness: &str, conversation: &ConversationId) -> String {
    format!("{harness}-{conversation}")
}
