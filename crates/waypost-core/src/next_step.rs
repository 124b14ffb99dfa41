//! What to do next, as data. It is put into words last, by whoever is asked, for whoever asks. Only the words know
//! what commands and tools are called: use cases never name any.

mod look;
mod mend;
mod sentence;
mod words;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::id::SessionId;

pub use look::Look;
pub use mend::Mend;
pub use sentence::{Sentence, amid, does, to};
pub(crate) use words::tool_name;
pub use words::{Tools, Voice, lines, there};

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum NextStep {
    /// Nothing: it holds.
    #[default]
    Nothing,
    /// Run a command.
    Run(Running),
    /// Read a file.
    Read(String),
    /// Call a tool that fits the pattern.
    Call(String),
    /// Use a skill.
    UseSkill(String),
    /// Write a file that fits the pattern.
    Write {
        /// The pattern.
        file: String,
        /// What its front matter has to say.
        with: Option<String>,
    },
    /// Change a file that fits the pattern.
    Change(String),
    /// Tick off every must in a log that fits the pattern.
    Tick(String),
    /// Commit what was changed.
    Commit,
    /// Commit what was changed, or take it back.
    CleanUp,
    /// Check a branch out.
    Switch(String),
    /// Work on a branch of one's own.
    LeaveBranch,
    /// Have another agent give its verdict.
    AskAgent {
        /// The agent.
        agent: String,
        /// What it has to say.
        decision: String,
    },
    /// Accept a handoff, once its checklist holds.
    AcceptHandoff(String),
    /// Record fields for a gate.
    Record {
        /// The gate.
        gate: String,
        /// The fields.
        fields: Vec<String>,
    },
    /// A human approves a gate.
    Approve(String),
    /// Have what an expression asks for hold, or a human approves.
    Meet {
        /// What it asks for, in words.
        wanted: String,
        /// The gate.
        gate: String,
    },
    /// Go over to a mode that allows it.
    SetMode(String),
    /// Do something that nobody sees, and give evidence of it for a step of the protocol.
    Show {
        /// The gate of the protocol.
        gate: String,
        /// Its step.
        step: String,
        /// What is to be done.
        what: Box<NextStep>,
    },
    /// Begin a session.
    Begin,
    /// Begin a session that follows a workflow.
    BeginWorkflow(String),
    /// Begin the same once more, and say that another one is meant.
    BeginAnew,
    /// Say what the session is for.
    Name,
    /// Take a session up again.
    Resume(SessionId),
    /// Make a session the current one of the work tree.
    MakeCurrent(SessionId),
    /// Choose which session is the current one of the work tree.
    ChooseCurrent,
    /// Enter the next phase of the protocol.
    Advance(String),
    /// Work on a phase of the workflow, and complete it.
    CompletePhase(NumberedPhase),
    /// Do what a phase failed for, and complete it then.
    RetryPhase {
        /// What would mend what it failed for.
        steps: Vec<NextStep>,
        /// The phase.
        phase: NumberedPhase,
    },
    /// Complete a phase that was worked on, known by its name.
    Complete(String),
    /// Leave the last phase out that the workflow is in, with a reason.
    FinishWithout,
    /// Go back to an earlier phase of the workflow.
    RollBack,
    /// Say into how many checkpoints the build is divided.
    BeginBuild(Option<u64>),
    /// Do a task, and complete it.
    CompleteTask {
        /// The name by which it is completed.
        task: String,
        /// What it is about, quoted.
        title: String,
    },
    /// Work on a checkpoint, and complete it.
    CompleteCheckpoint(u64),
    /// Go on with what the session is for.
    Work,
    /// End the session: the work is done.
    End,
    /// End the session although the work is not done.
    EndFailed,
    /// Look at something; it changes nothing.
    Look(Look),
    /// Put Waypost itself in order.
    Mend(Mend),
    /// Do something, and before the work is over what gates ask for.
    Before {
        /// What is done now.
        now: Box<NextStep>,
        /// What has to be done before the end, each for a gate.
        then: Vec<(String, NextStep)>,
    },
    /// All of these, in their order.
    All(Vec<NextStep>),
    /// One of these.
    Any(Vec<NextStep>),
    /// Steps within a sentence that says what they are for.
    Sentence(Sentence),
    /// Plain words: no command and no tool is in them, or they were put together when they were recorded.
    Said(String),
}

/// A command that is to be run, and seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Running {
    /// Which commands do, with `*` and `?`.
    pub pattern: String,
    /// The folder of the project that it is to run in; none is its top folder.
    pub folder: Option<String>,
    /// The gate that it is for, where Waypost may run that gate's own command.
    pub gate: Option<String>,
}

impl Running {
    /// A command at the top of the project, for no gate.
    pub fn of(pattern: impl Into<String>) -> Self {
        Self { pattern: pattern.into(), folder: None, gate: None }
    }
}

/// A phase of a workflow, as it is named on a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberedPhase {
    /// Its name, as it is shown.
    pub name: String,
    /// Its number.
    pub number: u64,
}

impl NextStep {
    /// Whether it begins a build: more has to be done before a phase is complete.
    pub(crate) fn begins_build(&self) -> bool {
        let mut begins = false;
        self.each(&mut |step| begins |= matches!(step, Self::BeginBuild(_)));
        begins
    }

    /// Visits it and everything that it is made of.
    pub fn each<'n>(&'n self, visit: &mut dyn FnMut(&'n Self)) {
        visit(self);
        match self {
            Self::All(steps) | Self::Any(steps) => {
                for step in steps {
                    step.each(visit);
                }
            }
            Self::Show { what, .. } => what.each(visit),
            Self::Sentence(sentence) => {
                for step in sentence.steps() {
                    step.each(visit);
                }
            }
            _ => {}
        }
    }
}

impl From<&str> for NextStep {
    fn from(words: &str) -> Self {
        Self::Said(words.to_owned())
    }
}

impl From<String> for NextStep {
    fn from(words: String) -> Self {
        Self::Said(words)
    }
}

impl From<Look> for NextStep {
    fn from(look: Look) -> Self {
        Self::Look(look)
    }
}

impl From<Mend> for NextStep {
    fn from(mend: Mend) -> Self {
        Self::Mend(mend)
    }
}

// Records and scripts get it in words. What a gate asks for is worked out anew when a ruling is
// replayed, so nothing has to be read back out of them.
impl Serialize for NextStep {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.words(Voice::PERSON))
    }
}

impl<'de> Deserialize<'de> for NextStep {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::Said)
    }
}
