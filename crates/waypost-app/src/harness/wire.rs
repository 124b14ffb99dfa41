//! What harnesses send and are told, in words that are no harness' own.

use std::borrow::Cow;
use std::path::PathBuf;

use serde_json::value::RawValue;
use serde_json::{Map, Value};
use waypost_core::canonical;
use waypost_core::event::SubagentCalled;
use waypost_core::key::sha256_hex;

/// What a harness tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A conversation begins, or goes on.
    Start,
    /// The user sent a prompt.
    Prompt,
    /// The user called a skill by its name.
    Expansion,
    /// A tool is about to run.
    BeforeTool,
    /// A tool ran.
    AfterTool,
    /// A tool failed.
    AfterFailure,
    /// The agent wants to stop.
    Stop,
    /// A subagent begins.
    SubagentStart,
    /// A subagent is done, whether it was waited for or not.
    SubagentStop,
    /// A task of the agent's own list is done.
    TaskDone,
    /// One that works beside the agent, with a conversation of its own, has nothing more to do.
    TeammateIdle,
    /// Settings of the harness have changed, and are about to hold.
    ConfigChanged,
    /// The conversation is about to be shortened.
    Compaction,
    /// The conversation is over.
    End,
    /// Anything else: quietly ignored.
    Other,
}

/// What a harness sends, as far as Waypost looks at it. Anything of it may be missing.
#[derive(Debug, Default)]
pub struct Input<'i> {
    /// What it tells of.
    pub event: Option<Event>,
    /// The conversation.
    pub conversation: Option<Cow<'i, str>>,
    /// The folder that the agent is in.
    pub cwd: Option<Cow<'i, str>>,
    /// The subagent, where one acts.
    pub subagent: Option<Cow<'i, str>>,
    /// What sort of agent that is.
    pub agent_type: Option<Cow<'i, str>>,
    /// How a conversation came to begin.
    pub source: Option<Cow<'i, str>>,
    /// What the user wrote.
    pub prompt: Option<Cow<'i, str>>,
    /// The skill that the user called.
    pub skill: Option<Cow<'i, str>>,
    /// Why the conversation is shortened.
    pub trigger: Option<Cow<'i, str>>,
    /// Why the conversation is over.
    pub reason: Option<Cow<'i, str>>,
    /// The tool's name.
    pub tool: Option<Cow<'i, str>>,
    /// The harness' name for the call of the tool.
    pub call: Option<Cow<'i, str>>,
    /// What the tool is given.
    pub arguments: Option<&'i RawValue>,
    /// What the tool answered.
    pub response: Option<&'i RawValue>,
    /// Why the tool failed.
    pub error: Option<Cow<'i, str>>,
    /// Whether the user interrupted the tool.
    pub interrupted: bool,
    /// Whether the agent goes on because a stop before this one was held.
    pub held_before: bool,
    /// What still runs in the background.
    pub tasks: Vec<Task>,
    /// The file of settings that changed.
    pub file: Option<Cow<'i, str>>,
    /// The last that the agent said.
    pub said: Option<Cow<'i, str>>,
    /// The file in which the client keeps what is said in the conversation.
    pub transcript: Option<Cow<'i, str>>,
    /// The one that works beside the agent, and whose task or idleness it is about.
    pub teammate: Option<Cow<'i, str>>,
    /// What the task is about that is done.
    pub task: Option<Cow<'i, str>>,
    /// The mode that the user's permissions are in.
    pub permissions: Option<Cow<'i, str>>,
    /// Whether the tool can do no harm by what the harness says of this call, whatever its name is.
    pub harmless: bool,
    /// What the harness calls the event.
    pub named: Option<Cow<'i, str>>,
    /// The names of fields that mean nothing to whoever read it, the first of them: they may tell who sent it.
    pub unknown: Vec<Cow<'i, str>>,
}

impl Input<'_> {
    /// Whether something still runs in the background whose end the harness will tell.
    pub fn has_background(&self) -> bool {
        self.tasks.iter().any(Task::ends)
    }
}

/// Something that runs in the background of a conversation. When it began, no harness tells: whoever wants to know
/// remembers the call that started it ([`Tool::starts`]) or the subagent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// The harness' name for it, the same for as long as it runs.
    pub id: String,
    /// What it is.
    pub kind: TaskKind,
    /// The subagent that it is, as the events that it causes name it.
    pub agent: Option<String>,
}

impl Task {
    /// Whether it is over by itself at some time. One that waits for more work is not, and is listed all the same.
    pub fn ends(&self) -> bool {
        self.kind != TaskKind::Teammate
    }
}

/// What runs in the background.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskKind {
    /// A command line.
    Shell,
    /// A subagent, or several.
    Agent,
    /// One that works beside the agent and stays when it has nothing to do.
    Teammate,
    /// Something that is only watched, and changes nothing.
    Monitor,
    /// Anything else.
    Other,
}

/// What the process that runs the hook writes and how it ends.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Output {
    /// What goes to standard output.
    pub stdout: String,
    /// What goes to standard error.
    pub stderr: String,
    /// The exit status: 0, or 2 which denies.
    pub status: u8,
}

/// What a harness gives to the command of a status line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StatusLine {
    /// The conversation that it is shown in.
    pub conversation: Option<String>,
    /// The folders that it may be about, the best first.
    pub folders: Vec<PathBuf>,
}

/// A tool that an agent calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// The harness' name for this call.
    pub call: Option<String>,
    /// What it does.
    pub does: Does,
    /// The other files that it changes, where there are several.
    pub others: Vec<PathBuf>,
    /// What it has started that goes on in the background: its [`Task::id`].
    pub starts: Option<String>,
    /// The subagent that it let work, once the call returned.
    pub subagent: Option<SubagentCalled>,
    /// What it is given, as a digest, where whoever is called wants to know [who calls](asks_who_calls).
    pub given: Option<String>,
}

/// Whether a tool of Waypost's own wants to know who calls it, by its bare name.
pub fn asks_who_calls(tool: &str) -> bool {
    tool == "verdict_record"
}

/// A digest of what a tool is given, the same however it is written; none where it is given nothing.
pub fn digest_of(arguments: &str) -> Option<String> {
    let given: Map<String, Value> = serde_json::from_str(arguments).ok()?;
    let canonical = canonical::to_string(&Some(given).filter(|given| !given.is_empty())?).ok()?;
    Some(sha256_hex(&[canonical.as_bytes()]))
}

/// What a tool does, as far as gates care.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Does {
    /// It reads a file.
    Read(PathBuf),
    /// It looks into a file or a folder, which is not to have read it.
    Look(PathBuf),
    /// It changes a file.
    Edit(PathBuf),
    /// It runs a command line.
    Shell {
        /// The command line.
        command: String,
        /// Whether it goes on in the background, or how it ended cannot be told for another reason.
        background: bool,
    },
    /// It changes files that it does not name.
    EditUnnamed,
    /// It commits or pushes without a command line.
    Git {
        /// Whether a commit comes of it.
        commits: bool,
        /// Whether something is published by it.
        pushes: bool,
        /// Whose history it is.
        repository: Repository,
    },
    /// It uses a skill.
    Skill(String),
    /// It asks the user something, and goes on with the answer.
    Ask,
    /// Anything else.
    Other,
}

/// Which repository a tool works on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repository {
    /// That of the folder that the agent is in.
    Here,
    /// That of another folder.
    At(PathBuf),
    /// One that is hosted elsewhere, as that place names it: `owner/name`, or a number.
    Hosted(String),
}

/// How a tool call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolEnd {
    /// The harness reports success.
    Succeeded,
    /// The harness reports success, and nothing of a file was shown.
    Empty,
    /// The harness reports failure, with this status.
    Failed(i32),
    /// It was interrupted, or its status cannot be told.
    Unclear,
}

impl ToolEnd {
    /// Whether the harness reports success.
    pub fn is_success(self) -> bool {
        matches!(self, Self::Succeeded | Self::Empty)
    }
}

/// What the harness is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Nothing.
    Silence,
    /// It may not go ahead, and why.
    Deny(String),
    /// It goes ahead; the agent should know this.
    Context(String),
    /// It goes ahead; the user should know this.
    Message(String),
    /// Another command line goes ahead in its place, which both should know.
    Rewrite {
        /// The command line.
        command: String,
        /// For the agent.
        agent: String,
        /// For the user.
        user: String,
    },
    /// It goes ahead; the agent and the user should know something, each their own.
    Both {
        /// For the agent.
        agent: String,
        /// For the user.
        user: String,
    },
}

impl Answer {
    /// What each of both should know, if anything.
    pub fn to_both(agent: Option<String>, user: Option<String>) -> Self {
        match (agent, user) {
            (Some(agent), Some(user)) => Self::Both { agent, user },
            (Some(agent), None) => Self::Context(agent),
            (None, Some(user)) => Self::Message(user),
            (None, None) => Self::Silence,
        }
    }

    /// It, and something else that the user should know. Where something is denied, that is told with the reason.
    #[must_use]
    pub fn and_told(self, more: Option<String>) -> Self {
        let Some(more) = more else { return self };
        let with = |text: String| format!("{text}\n{more}");
        match self {
            Self::Silence => Self::Message(more),
            Self::Deny(reason) => Self::Deny(with(reason)),
            Self::Context(agent) => Self::Both { agent, user: more },
            Self::Message(user) => Self::Message(with(user)),
            Self::Rewrite { command, agent, user } => {
                Self::Rewrite { command, agent, user: with(user) }
            }
            Self::Both { agent, user } => Self::Both { agent, user: with(user) },
        }
    }
}
