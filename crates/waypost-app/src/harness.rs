//! Harnesses: the programs that run agents, and call Waypost.
//!
//! Nothing else of the app knows one by its name. Each is an implementation of [`Harness`] in a
//! module of its own, which alone knows its wire types, its words and its files; the binary hands
//! them in with the [`Host`](crate::machine::host::Host). An implementation reads and writes no files: it is
//! given their content.

mod facts;
mod plugin;
mod registering;
mod rewriting;
mod wire;

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

use waypost_core::id::ConversationId;
use waypost_core::time::Timestamp;

use crate::error::AppError;

pub use facts::{
    Calls, Code, Examples, Facts, Fails, Managed, Protected, Reach, Requirements, StartOnly,
    Switch, Switches, Takes, Words,
};
pub use plugin::{Listed, Plugins};
pub use registering::{
    Added, Approval, Content, Fault, File, Fix, Folder, Form, Health, Hook, Left, Registering,
    Role, Said, Server, is_program,
};
pub use rewriting::{Asked, Given, Permit, Rewriting};
pub use wire::{
    Answer, Does, Event, Input, Output, Repository, StatusLine, Task, TaskKind, Tool, ToolEnd,
    asks_who_calls, digest_of,
};

/// What Waypost's MCP server is called, and what it is called with where everyone finds it.
pub const SERVER: &str = "waypost";

/// What clients call it where a plugin brings it.
pub const SERVER_OF_PLUGIN: &str = "plugin_waypost_waypost";

/// A program that runs agents.
pub trait Harness: fmt::Debug + Sync {
    /// What is known of it once and for all.
    fn facts(&self) -> &'static Facts;

    /// Reads what it sends to its hook, as far as that goes, and says what is wrong with the rest.
    /// This is all that is done before the time limit of the event is known: it has to be quick.
    fn read<'i>(&self, bytes: &'i [u8]) -> (Input<'i>, Option<String>);

    /// Whether what the hook of another harness was told is really its own, because it runs the hooks of that one's
    /// settings too. `input` is what the other one made of it.
    fn sent(&self, input: &Input<'_>) -> bool {
        let _ = input;
        false
    }

    /// The tool that an event is about.
    fn tool(&self, input: &Input<'_>) -> Result<Tool, AppError>;

    /// How the call of a tool ended, where that is really known.
    fn ended(&self, input: &Input<'_>) -> ToolEnd;

    /// How it ended by what stands at the end of the conversation's transcript, where [`ended`](Self::ended) cannot tell;
    /// none where that does not tell either. `tail` gives the last so many bytes of it.
    fn ended_by(&self, input: &Input<'_>, tail: &dyn Fn(u64) -> Vec<u8>) -> Option<ToolEnd> {
        let (_, _) = (input, tail);
        None
    }

    /// What a command line printed, as far as the harness tells all of it.
    fn printed<'i>(&self, input: &Input<'i>) -> Vec<Cow<'i, str>>;

    /// Whether a tool can do no harm, so that it goes on even if nothing can be decided.
    fn is_harmless(&self, tool: &str) -> bool;

    /// An answer to what it sent, as it understands it: nothing beyond that, and never that something is
    /// allowed, which would pass over the user's own permissions.
    fn render(&self, event: Event, input: &Input<'_>, answer: &Answer) -> Output;

    /// How it runs another command line in the place of one, if it does.
    fn rewriting(&self) -> Option<&'static dyn Rewriting> {
        None
    }

    /// What it would send if an agent in `root` were about to write `file`.
    fn probe(&self, root: &Path, file: &Path) -> String;

    /// Whether what a hook said to that denies it.
    fn is_denial(&self, stdout: &str) -> bool;

    /// What it gives to the command of a status line; none if this is not what it gives.
    fn status_line(&self, bytes: &[u8]) -> Option<StatusLine> {
        let _ = bytes;
        None
    }

    /// Where it keeps what is said in conversations of the folder `root`, if it does: a folder, and how the
    /// names of those folders in it begin in which the files are. `folder` is that of the user's settings.
    fn transcripts(&self, folder: &Path, root: &Path) -> Option<(PathBuf, String)> {
        let _ = (folder, root);
        None
    }

    /// How many folders lie one in the other below that folder, until the files come.
    fn transcript_depth(&self) -> usize {
        1
    }

    /// What the beginning of such a file tells; none if it is none, or nothing was answered in it.
    fn transcript(&self, name: &str, head: &[u8]) -> Option<Transcript> {
        let _ = (name, head);
        None
    }

    /// Whether it reads settings of this sort when it was started with these arguments.
    fn reads(&self, arguments: &[String], settings: Settings) -> bool {
        let _ = (arguments, settings);
        true
    }

    /// How it keeps Waypost's plugin, if it loads plugins.
    fn plugins(&self) -> Option<&'static dyn Plugins> {
        None
    }

    /// How it comes to call Waypost.
    fn registering(&self) -> &'static dyn Registering;
}

/// Settings that a harness may be told to leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settings {
    /// The user's, for all projects.
    User,
    /// Everyone's, for the project.
    Shared,
    /// The user's, for the project.
    Local,
}

/// What is known of a conversation by what was said in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript {
    /// The conversation.
    pub conversation: ConversationId,
    /// When it began.
    pub began: Timestamp,
    /// The folder that it began in.
    pub folder: PathBuf,
}

/// A harness on this machine.
#[derive(Debug, Clone)]
pub struct Local {
    /// Which one.
    pub harness: &'static dyn Harness,
    /// Where it keeps what the user set for all projects.
    pub folder: PathBuf,
}

impl Local {
    /// What is known of it.
    pub fn facts(&self) -> &'static Facts {
        self.harness.facts()
    }
}

/// Where a harness finds its files.
#[derive(Debug, Clone, Copy)]
pub struct Ground<'a> {
    /// The top folder of the project.
    pub root: &'a Path,
    /// The user's home.
    pub home: &'a Path,
    /// Where the harness keeps what the user set for all projects.
    pub folder: &'a Path,
}
