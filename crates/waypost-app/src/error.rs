//! What can go wrong in a use case, sorted by what the caller should do about it.

use std::error::Error;
use std::sync::Arc;

use waypost_core::command::{
    BuildRefusal, ContextRefusal, OrchestrationRefusal, Refusal, TrackRefusal,
};
use waypost_core::id::SessionId;
use waypost_core::key::SignatureError;
use waypost_core::next_step::{Look, Mend, NextStep, Voice, amid, does, to};
use waypost_core::record::RecordError;
use waypost_store::StoreError;

/// What sort of failure it is; the command line turns it into an exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Refused, not found, or not yet.
    Refused,
    /// Wrong use or configuration.
    Configuration,
    /// Stored data is damaged or forged.
    Integrity,
    /// The caller pinned a version of the session, and it is another one by now.
    Conflict {
        /// The version that the caller decided on.
        expected: u64,
        /// The version that there is.
        actual: u64,
    },
}

/// What went wrong, and what to do next.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct AppError {
    /// What sort of failure it is.
    pub kind: Kind,
    /// What happened, to what.
    pub message: String,
    /// What to do next. The surfaces put it into the words of whoever they tell.
    pub hints: Vec<NextStep>,
    /// What it came from, where that was an error of its own.
    source: Option<Arc<dyn Error + Send + Sync>>,
}

impl AppError {
    /// Refused, not found, or not yet.
    pub fn refused(message: impl Into<String>) -> Self {
        Self::new(Kind::Refused, message.into())
    }

    /// Wrong use or configuration.
    pub fn configuration(message: impl Into<String>) -> Self {
        Self::new(Kind::Configuration, message.into())
    }

    /// Stored data is damaged or forged.
    pub fn integrity(message: impl Into<String>) -> Self {
        Self::new(Kind::Integrity, message.into())
    }

    fn new(kind: Kind, message: String) -> Self {
        Self { kind, message, hints: Vec::new(), source: None }
    }

    /// The same, with the error that it came from, which the message tells already.
    #[must_use]
    pub fn because(self, source: impl Error + Send + Sync + 'static) -> Self {
        Self { source: Some(Arc::new(source)), ..self }
    }

    /// Whether nothing is wrong but that files cannot be written where they lie.
    pub fn is_read_only(&self) -> bool {
        let mut cause = self.source.as_deref().map(|source| source as &dyn Error);
        while let Some(error) = cause {
            let io = error.downcast_ref::<std::io::Error>();
            if io.is_some_and(|io| io.kind() == std::io::ErrorKind::ReadOnlyFilesystem) {
                return true;
            }
            cause = error.source();
        }
        false
    }

    /// Whether it comes of what is stored: it cannot be read or written, or is not to be trusted.
    pub fn is_of_store(&self) -> bool {
        self.source.as_ref().is_some_and(|source| source.is::<StoreError>())
    }

    /// The session moved on since the caller looked at it.
    pub fn conflict(session: &SessionId, expected: u64, actual: u64) -> Self {
        let message = format!(
            "session {session} is at version {actual}, and version {expected} was expected"
        );
        Self::new(Kind::Conflict { expected, actual }, message)
            .hint("look at what changed, then decide again with the version that there is")
    }

    /// The same, where others were first in a store that does not lock: told of the session.
    #[must_use]
    pub(crate) fn in_session(self, session: &SessionId) -> Self {
        match self.kind {
            Kind::Conflict { expected, actual } => Self::conflict(session, expected, actual),
            Kind::Refused | Kind::Configuration | Kind::Integrity => self,
        }
    }

    /// A session refused something: the next step names it.
    pub fn of_session(session: &SessionId, refusal: &Refusal) -> Self {
        with_next_step(refusal, Some(session))
    }

    /// The same damage, told of the stream that it is in, which people call by `name`.
    #[must_use]
    pub fn of_stream(mut self, what: &str, name: &str) -> Self {
        let state = if self.is_newer() { "cannot be read to its end" } else { "is damaged" };
        self.message = format!("{what} {state}: {}", self.message);
        for hint in &mut self.hints {
            if let NextStep::Mend(Mend::Repair(stream @ None)) = hint {
                *stream = Some(name.to_owned());
            }
        }
        self
    }

    /// Whether nothing is wrong but that this Waypost is too old to read it.
    pub fn is_newer(&self) -> bool {
        self.hints.contains(&Mend::UseNewer.into())
    }

    /// Says what to do next: a step, a sentence with steps in it, or plain advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<NextStep>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// What to do next, in the words of whoever is told.
    pub fn next(&self, voice: Voice) -> Vec<String> {
        self.hints.iter().map(|hint| hint.words(voice)).collect()
    }

    /// Message and hints in one text, for those who see nothing else.
    pub fn full_text(&self, voice: Voice) -> String {
        let mut text = self.message.clone();
        for hint in &self.hints {
            text.push_str("\nNext: ");
            text.push_str(&hint.words(voice));
        }
        text
    }
}

impl From<StoreError> for AppError {
    fn from(error: StoreError) -> Self {
        let message = error.to_string();
        let told = match &error {
            StoreError::NoKey { .. } => Self::configuration(message)
                .hint("restore the key file, so that what it signed can still be verified")
                .hint(amid("if there never was one: ", Mend::SetUp, ", in a terminal, makes it"))
                .hint(to("if it is gone for good", Mend::RepairKey)),
            StoreError::LooseMode { path, .. } => Self::configuration(message)
                .hint(format!("give it back to its owner: chmod 600 {}", path.display())),
            StoreError::Key { .. } | StoreError::KeyUnreadable(_) => Self::integrity(message)
                .hint("restore the key file from a backup, or set WAYPOST_SESSION_SECRET")
                .hint(to("if it is gone for good, make another", Mend::RepairKey)),
            StoreError::Record { source: RecordError::Version(_), .. } => {
                Self::integrity(message).hint(Mend::UseNewer)
            }
            StoreError::Record {
                source: RecordError::Signature(SignatureError::UnknownKey(_)),
                ..
            } => Self::integrity(message)
                .hint(to("accept the key, where you have it", Mend::TrustKey))
                .hint(to("or exactly what is there now", Mend::TrustAllCopies)),
            error if error.is_integrity() => Self::integrity(message).hint(Mend::Repair(None)),
            StoreError::Overtaken { expected, actual, .. } => {
                let kind = Kind::Conflict { expected: *expected, actual: *actual };
                Self::new(kind, message).hint("repeat this")
            }
            StoreError::Locked { .. } => Self::refused(message)
                .hint("try again; if it stays locked, look for a stopped waypost process"),
            _ => Self::refused(message).hint(amid(
                "see that it can be read and written and that its disk has space, then repeat this; ",
                Look::Installation,
                " looks at the rest",
            )),
        };
        told.because(error)
    }
}

impl From<Refusal> for AppError {
    fn from(refusal: Refusal) -> Self {
        with_next_step(&refusal, None).because(refusal)
    }
}

/// A refusal with what to do next. What concerns the project and no session names none.
fn with_next_step(refusal: &Refusal, session: Option<&SessionId>) -> AppError {
    let error = AppError::refused(refusal.to_string());
    let resuming = |why: &'static str| match session {
        Some(id) => to(why, NextStep::Resume(id.clone())),
        None => why.into(),
    };
    match refusal {
        Refusal::Unstarted => error.hint(to("begin one", NextStep::Begin)),
        Refusal::Paused => error.hint(resuming("resume it")),
        Refusal::AlreadyActive | Refusal::NotPaused => {
            error.hint(amid("go on in it (", Look::Status(session.cloned()), " shows it)"))
        }
        Refusal::Over(_) => error
            .hint(resuming("to go on in it, resume it first"))
            .hint(to("to do something else, begin another", NextStep::Begin)),
        Refusal::NotACommit(_) => error.hint("give all of it: `git rev-parse HEAD` shows one"),
        Refusal::Build(refusal) => error.hint(build_next_step(refusal, session)),
        Refusal::Track(refusal) => error.hint(track_next_step(refusal)),
        Refusal::Context(refusal) => error.hint(context_next_step(refusal)),
        Refusal::Orchestration(refusal) => error.hint(agents_next_step(refusal)),
        Refusal::UnknownMode(_) => {
            error.hint(to("choose one of them", NextStep::SetMode("coding".to_owned())))
        }
        Refusal::NoTrack(_) => {
            error.hint(does(NextStep::Begin, "begins a session that follows one"))
        }
        Refusal::NotNext { next: Some(next), .. } => error.hint(format!("enter {next} first")),
        Refusal::NotNext { next: None, .. } => error.hint(to("end it", NextStep::End)),
        Refusal::ForcedTooOften => {
            error.hint("do what the gate asks for, or ask the user to approve it")
        }
        Refusal::NothingLost => error.hint(does(Look::Records(None), "tells what is missing")),
        Refusal::Empty(_) => error.hint("say it in a few words"),
        Refusal::TooLong { .. } => {
            error.hint("shorten it, and put the rest into a file of the project")
        }
    }
}

fn build_next_step(refusal: &BuildRefusal, session: Option<&SessionId>) -> NextStep {
    match refusal {
        BuildRefusal::NotBegun => to("say how many first", NextStep::BeginBuild(None)),
        BuildRefusal::Total(_) => "give the number of checkpoints in the plan".into(),
        BuildRefusal::UnderWay { .. } => {
            "complete the others first, or build something else in a session of its own".into()
        }
        BuildRefusal::NotMore { .. } => "go on with the checkpoints that there are".into(),
        BuildRefusal::NoSuchCheckpoint { .. } => "give one of these numbers".into(),
        BuildRefusal::Started(_) => "go on with it, and complete it when it is done".into(),
        BuildRefusal::Completed { current: Some(current), .. } => {
            format!("go on with checkpoint {current}").into()
        }
        BuildRefusal::Completed { current: None, .. } => {
            amid("nothing is left to build; ", NextStep::BeginBuild(None), " begins another build")
        }
        BuildRefusal::TaskCompleted(_) => {
            let shown = Look::History(session.cloned());
            amid("nothing is left to do of it (", shown, " shows it)")
        }
    }
}

fn track_next_step(refusal: &TrackRefusal) -> NextStep {
    match refusal {
        TrackRefusal::Phases => does(Look::WorkflowProblems(None), "tells what is wrong with it"),
        TrackRefusal::NotCurrent { current, .. } => {
            to(format!("work on {current}, or go back"), NextStep::RollBack)
        }
        TrackRefusal::NotFailed(phase) => to("complete it", NextStep::Complete(phase.clone())),
        TrackRefusal::NotEarlier { .. } => {
            does(Look::Phases, "shows the phases; to begin the same one again, retry it")
        }
        TrackRefusal::Unfolding(_) => {
            "write them into the workflow's tasks file, and complete the phase again".into()
        }
        TrackRefusal::OtherPhases(_) => {
            amid("somebody moved the workflow meanwhile: look again, ", Look::Phases, "")
        }
    }
}

fn agents_next_step(refusal: &OrchestrationRefusal) -> &'static str {
    match refusal {
        OrchestrationRefusal::NothingOpen { .. } => {
            "give the name that it was invoked by, or invoke it first; a subagent that hooks see is completed by them"
        }
        OrchestrationRefusal::NotNeeded { .. } => "nothing has to be done: it happens by itself",
        OrchestrationRefusal::UnknownType(_) | OrchestrationRefusal::UnknownVerdict(_) => {
            "choose one of them"
        }
        OrchestrationRefusal::Confidence(_) => "give a number such as 0.8",
        OrchestrationRefusal::TooMany { .. } => {
            "put the rest into a file of the project, and name that"
        }
        OrchestrationRefusal::TooManyHandoffs | OrchestrationRefusal::NoHandoff { .. } => {
            "the brief lists those that wait"
        }
        OrchestrationRefusal::NothingToResolve(_) => "the list of verdicts shows which are open",
    }
}

fn context_next_step(refusal: &ContextRefusal) -> &'static str {
    match refusal {
        ContextRefusal::Nothing(_) => "give at least one of them",
        ContextRefusal::NotABranch(_) => "`git branch --all` shows the branches",
        ContextRefusal::NotAWorktree(_) => {
            "give the name of its folder below `git rev-parse --git-common-dir`/worktrees"
        }
        ContextRefusal::UnknownPhase(_) => "choose one of them",
    }
}
