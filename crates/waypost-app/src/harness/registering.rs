//! How a harness comes to call Waypost: its files, and what stands in them.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{Ground, SERVER};
use crate::error::AppError;

/// The arguments that start the MCP server.
const SERVER_ARGS: [&str; 1] = ["mcp"];

/// How a harness comes to call Waypost. Whatever else stands in its files stays as it is.
pub trait Registering: Sync {
    /// The files of a project in which it finds Waypost.
    fn files(&self) -> &'static [File];

    /// A file's content with Waypost in it, or with what is there of it brought up to date.
    fn add(&self, content: Content<'_>, form: Form<'_>) -> Result<Added, AppError>;

    /// A file's content without Waypost, and without what that leaves empty. What `original` has of
    /// it stays. `by_init` says whether `waypost init` is known to have written into the file.
    fn take_out(
        &self,
        content: Content<'_>,
        original: Option<&[u8]>,
        by_init: bool,
    ) -> Result<Left, AppError>;

    /// What a settings file says of Waypost.
    fn said(&self, content: Content<'_>) -> Result<Said, AppError>;

    /// The user's file that says which hooks are called, if the harness calls only those that the user trusts.
    fn trust_file(&self, ground: Ground<'_>) -> Option<PathBuf> {
        let _ = ground;
        None
    }

    /// Of what events Waypost's hooks in a file are not called, by what the user's file says of trust.
    fn untrusted(&self, content: Content<'_>, root: &Path, trust: &[u8]) -> Vec<String> {
        let (_, _, _) = (content, root, trust);
        Vec::new()
    }

    /// The MCP server that is registered under Waypost's name.
    fn server(&self, content: Content<'_>) -> Result<Option<Server>, AppError>;

    /// The file beyond the project's own that lists MCP servers.
    fn user_servers(&self, ground: Ground<'_>) -> PathBuf;

    /// The names of the MCP servers that a file lists for the project in `root`. One that cannot be
    /// read lists none.
    fn servers(&self, content: &[u8], root: &Path) -> Vec<String>;
}

/// A file in which a harness finds Waypost.
#[derive(Debug)]
pub struct File {
    /// How `install.json` names it: no other file of any harness may be called so, ever. The same file of two harnesses
    /// is called the same.
    pub key: &'static str,
    /// What it is for.
    pub role: Role,
    /// Whether MCP servers are listed in it too. Then Waypost's is put in and taken out with the hooks.
    pub lists_servers: bool,
    /// Where it lies.
    pub place: fn(Ground<'_>) -> PathBuf,
    /// The folder that it needs; none if that is there anyway.
    pub folder: Option<&'static Folder>,
    /// Patterns that leave it out of commits, Waypost's own first, if it may hold a path of this
    /// machine. Git knows many more, and a second line does no harm.
    pub ignored_by: &'static [&'static str],
}

impl File {
    /// Whether it is a list of MCP servers, whatever else it is.
    pub fn has_servers(&self) -> bool {
        self.lists_servers || self.role == Role::Servers
    }

    /// Those of the patterns that leave out nothing but this file: who finds one among rules of what is ignored has
    /// lost nothing else by it.
    pub fn named_by(&self) -> impl Iterator<Item = &'static str> {
        let path = |pattern: &'static str| pattern.trim_start_matches("**").trim_start_matches('/');
        let own = self.ignored_by.first().map(|own| path(own));
        self.ignored_by.iter().copied().filter(move |pattern| Some(path(pattern)) == own)
    }
}

/// A folder in which a harness looks for its files.
#[derive(Debug)]
pub struct Folder {
    /// How `install.json` names it: no other folder of any harness may be called so, ever.
    pub key: &'static str,
    /// Where it lies.
    pub place: fn(Ground<'_>) -> PathBuf,
    /// The folder in which it lies; none if that is there anyway.
    pub within: Option<&'static Folder>,
}

impl Folder {
    /// The folders in which it lies, the outermost first, and it itself.
    pub fn all(&'static self) -> Vec<&'static Self> {
        let mut all = self.within.map(Self::all).unwrap_or_default();
        all.push(self);
        all
    }
}

/// What a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// This user's settings for the project.
    Local,
    /// Everyone's settings for the project.
    Shared,
    /// The only settings that the project has: everyone's where they are committed, else this user's.
    Either,
    /// The MCP servers that are started in the project.
    Servers,
}

/// A file's content. An empty one is as good as none.
#[derive(Debug, Clone, Copy)]
pub struct Content<'a> {
    /// What the file is for.
    pub role: Role,
    /// Where it lies, for whoever is told what is wrong with it.
    pub path: &'a Path,
    /// What is in it.
    pub bytes: &'a [u8],
    /// The program that counts as Waypost whatever its name is.
    pub exe: Option<&'a str>,
}

/// How Waypost is put into a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form<'a> {
    /// Hooks that call this program by its path, for the user's own settings.
    Local {
        /// The program.
        exe: &'a str,
        /// Whether the MCP server may be started without asking the user.
        approve: bool,
        /// The commands that agents may run without asking the user.
        allow: &'a [String],
    },
    /// Hooks that call the project's wrapper, for everyone's settings.
    Shared,
    /// The MCP server, by its name or path.
    Server(&'a str),
}

/// A file's content with Waypost in it.
#[derive(Debug)]
pub struct Added {
    /// The content.
    pub bytes: Vec<u8>,
    /// Whether it was in it before.
    pub was_there: bool,
    /// What a person should know about the file.
    pub notes: Vec<String>,
}

/// A file's content without Waypost.
#[derive(Debug)]
pub struct Left {
    /// The content.
    pub bytes: Vec<u8>,
    /// Whether it says nothing at all.
    pub is_bare: bool,
}

/// What a settings file says of Waypost.
#[derive(Debug, Default)]
pub struct Said {
    /// Waypost's hooks.
    pub hooks: Vec<Hook>,
    /// Whether it switches all hooks off, or on where others switch them off.
    pub hooks_off: Option<bool>,
    /// Whether, as an administrator's, it lets no hooks run but those that it sets itself.
    pub own_hooks_only: bool,
    /// What else in it can silence hooks: settings that are on, and variables that it sets.
    pub silencing: Vec<String>,
    /// Whether, as an administrator's, it lets no code of others into the client but what it names.
    pub own_code_only: bool,
    /// Whether the client may start Waypost's MCP server.
    pub server: Approval,
    /// What in it has the framework of requirements called: its programs, and the plugin that it comes in.
    pub frameworks: Vec<String>,
}

/// One of Waypost's hooks.
#[derive(Debug)]
pub struct Hook {
    /// The event, as the harness calls it.
    pub event: String,
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Whether it is the registration that a team shares, which yields to a local one.
    pub is_shared: bool,
    /// What keeps it from being called, from being waited for, or from being heard.
    pub faults: Vec<&'static Fault>,
}

/// How well something stands that was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Health {
    /// As it should be.
    Good,
    /// It works, but somebody should know.
    Warning,
    /// It does not work.
    Bad,
}

/// What is wrong with a hook.
#[derive(Debug, PartialEq, Eq)]
pub struct Fault {
    /// How bad it is.
    pub health: Health,
    /// What follows from it.
    pub says: &'static str,
    /// How it is put right.
    pub fix: Fix,
}

/// How a hook is put right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fix {
    /// `waypost init` does it, in the settings that it writes.
    Init,
    /// Somebody has to do it: what they set stays.
    Edit(&'static str),
}

/// What a settings file says about Waypost's MCP server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Approval {
    /// Whether it names the server among those that may be started.
    pub is_approved: bool,
    /// Whether it lets all servers of the project start, or not.
    pub all: Option<bool>,
    /// Whether it names the server among those that may not.
    pub is_refused: bool,
}

/// The MCP server that is registered under Waypost's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// The program that the client starts; none if it does not start one.
    pub command: Option<String>,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables that it gets.
    pub env: Vec<(String, String)>,
}

impl Server {
    /// The arguments that it is registered with.
    pub fn own_args() -> &'static [&'static str] {
        &SERVER_ARGS
    }

    /// Whether Waypost registered it. A program under another name counts if it is `exe`.
    pub fn is_ours(&self, exe: Option<&str>) -> bool {
        self.args == SERVER_ARGS
            && self.command.as_deref().is_some_and(|name| is_program(name, exe))
    }

    /// Whether it is called by its name alone, on every machine the same.
    pub fn is_portable(&self) -> bool {
        self.command.as_deref() == Some(SERVER)
    }
}

/// Whether a command starts Waypost. A program under another name does if it is `exe`.
pub fn is_program(command: &str, exe: Option<&str>) -> bool {
    let name = Path::new(command).file_name().and_then(|name| name.to_str());
    name == Some("waypost") || exe == Some(command)
}
