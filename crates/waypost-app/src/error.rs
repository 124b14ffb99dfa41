//! What can go wrong in a use case, sorted by what the caller should do about it.

use std::error::Error;
use std::sync::Arc;

use waypost_core::command::{BuildRefusal, ContextRefusal, Refusal, TrackRefusal};
use waypost_core::id::SessionId;
use waypost_core::key::SignatureError;
use waypost_core::record::RecordError;
use waypost_store::StoreError;

/// The way out of damage.
const REPAIR: &str = "put together again what is left, and see what is lost: waypost repair";
/// What to do about what a newer version wrote. Nothing is repaired: nothing is broken.
pub(crate) const NEWER: &str = "a newer Waypost wrote it: use that one here";

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
    /// What to do next.
    pub hints: Vec<String>,
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

    /// The session moved on since the caller looked at it.
    pub fn conflict(session: &SessionId, expected: u64, actual: u64) -> Self {
        let message = format!(
            "session {session} is at version {actual}, and version {expected} was expected"
        );
        Self::new(Kind::Conflict { expected, actual }, message)
            .hint("look at what changed, then decide again with the version that there is")
    }

    /// A session refused something: the next step names it.
    pub fn of_session(session: &SessionId, refusal: &Refusal) -> Self {
        with_next_step(refusal, session.as_str())
    }

    /// The same damage, told of the stream that it is in, which people call by `name`.
    #[must_use]
    pub fn of_stream(mut self, what: &str, name: &str) -> Self {
        let state = if self.is_newer() { "cannot be read to its end" } else { "is damaged" };
        self.message = format!("{what} {state}: {}", self.message);
        for hint in &mut self.hints {
            if hint.as_str() == REPAIR {
                *hint = format!("{REPAIR} {name}");
            }
        }
        self
    }

    /// Whether nothing is wrong but that this Waypost is too old to read it.
    pub fn is_newer(&self) -> bool {
        self.hints.iter().any(|hint| hint == NEWER)
    }

    /// Says what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Message and hints in one text, for those who see nothing else.
    pub fn full_text(&self) -> String {
        let mut text = self.message.clone();
        for hint in &self.hints {
            text.push_str("\nNext: ");
            text.push_str(hint);
        }
        text
    }
}

impl From<StoreError> for AppError {
    fn from(error: StoreError) -> Self {
        let message = error.to_string();
        let integrity = |hints: &[&str]| {
            let hints = hints.iter().copied().map(str::to_owned).collect();
            Self { hints, ..Self::integrity(message.clone()) }
        };
        let told = match &error {
            StoreError::NoKey { .. } => Self::configuration(message)
                .hint("restore the key file, so that what it signed can still be verified")
                .hint("if there never was one: `waypost init`, in a terminal, makes it")
                .hint("if it is gone for good: waypost repair key"),
            StoreError::LooseMode { path, .. } => Self::configuration(message)
                .hint(format!("give it back to its owner: chmod 600 {}", path.display())),
            StoreError::Key { .. } | StoreError::KeyUnreadable(_) => integrity(&[
                "restore the key file from a backup, or set WAYPOST_SESSION_SECRET",
                "if it is gone for good, make another: waypost repair key",
            ]),
            StoreError::Record { source: RecordError::Version(_), .. } => integrity(&[NEWER]),
            StoreError::Record {
                source: RecordError::Signature(SignatureError::UnknownKey(_)),
                ..
            } => integrity(&[
                "accept the key, where you have it: waypost trust key",
                "or exactly what is there now: waypost trust copy --all",
            ]),
            error if error.is_integrity() => integrity(&[REPAIR]),
            StoreError::Locked { .. } => Self::refused(message)
                .hint("try again; if it stays locked, look for a stopped waypost process"),
            _ => Self::refused(message).hint(
                "see that it can be read and written and that its disk has space, then repeat \
                 this; `waypost doctor` looks at the rest",
            ),
        };
        told.because(error)
    }
}

impl From<Refusal> for AppError {
    fn from(refusal: Refusal) -> Self {
        with_next_step(&refusal, "ID").because(refusal)
    }
}

fn with_next_step(refusal: &Refusal, session: &str) -> AppError {
    let error = AppError::refused(refusal.to_string());
    match refusal {
        Refusal::Unstarted => error.hint("begin one: waypost start --objective \"…\""),
        Refusal::Paused => error.hint(format!("take it up again: waypost resume {session}")),
        Refusal::AlreadyActive | Refusal::NotPaused => {
            error.hint(format!("go on in it (`waypost status {session}` shows it)"))
        }
        Refusal::Over(_) => error
            .hint(format!("to go on in it, resume it first: waypost resume {session}"))
            .hint("to do something else, begin another: waypost start --objective \"…\""),
        Refusal::CommitKnown(_) => {
            error.hint(format!("nothing is left to do (`waypost show {session}` lists it)"))
        }
        Refusal::NotACommit(_) => error.hint("give all of it: `git rev-parse HEAD` shows one"),
        Refusal::Build(refusal) => error.hint(build_next_step(refusal, session)),
        Refusal::Track(refusal) => error.hint(track_next_step(refusal)),
        Refusal::Context(refusal) => error.hint(context_next_step(refusal)),
        Refusal::UnknownMode(_) => error.hint("choose one of them: waypost mode coding"),
        Refusal::NoTrack(_) => error.hint("session_start begins a session that follows one"),
        Refusal::NotNext { next: Some(next), .. } => error.hint(format!("enter {next} first")),
        Refusal::NotNext { next: None, .. } => error.hint("end it: session_end, or `waypost end`"),
        Refusal::ForcedTooOften => {
            error.hint("do what the gate asks for, or ask the user to approve it")
        }
        Refusal::NothingLost => error.hint("`waypost verify` tells what is missing"),
        Refusal::Empty(_) => error.hint("say it in a few words"),
        Refusal::TooLong { .. } => {
            error.hint("shorten it, and put the rest into a file of the project")
        }
    }
}

fn build_next_step(refusal: &BuildRefusal, session: &str) -> String {
    match refusal {
        BuildRefusal::NotBegun => {
            "say how many first: `waypost checkpoint init`, or session_init_build".to_owned()
        }
        BuildRefusal::Total(_) => "give the number of checkpoints in the plan".to_owned(),
        BuildRefusal::UnderWay { .. } => {
            "complete the others first, or build something else in a session of its own".to_owned()
        }
        BuildRefusal::NotMore { .. } => "go on with the checkpoints that there are".to_owned(),
        BuildRefusal::NoSuchCheckpoint { .. } => "give one of these numbers".to_owned(),
        BuildRefusal::Started(_) => "go on with it, and complete it when it is done".to_owned(),
        BuildRefusal::Completed { current: Some(current), .. } => {
            format!("go on with checkpoint {current}")
        }
        BuildRefusal::Completed { current: None, .. } => {
            "nothing is left to build; session_init_build begins another build".to_owned()
        }
        BuildRefusal::TaskCompleted(_) => {
            format!("nothing is left to do of it (`waypost history {session}` shows it)")
        }
    }
}

fn track_next_step(refusal: &TrackRefusal) -> String {
    match refusal {
        TrackRefusal::Phases => "`waypost workflow check` tells what is wrong with it".to_owned(),
        TrackRefusal::NotCurrent { current, .. } => {
            format!("work on {current}, or go back: waypost phase rollback PHASE --reason \"…\"")
        }
        TrackRefusal::NotFailed(phase) => format!("complete it: waypost phase complete {phase}"),
        TrackRefusal::NotEarlier { .. } => {
            "`waypost phase list` shows the phases; to begin the same one again, retry it"
                .to_owned()
        }
        TrackRefusal::Unfolding(_) => {
            "write them into the workflow's tasks file, and complete the phase again".to_owned()
        }
        TrackRefusal::OtherPhases(_) => {
            "somebody moved the workflow meanwhile: look again, `waypost phase list`".to_owned()
        }
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
