//! Gates: conditions that must hold before an action. A new rule is a gate.

pub mod action;
pub mod before;
pub mod facts;
pub mod gates;
pub mod graph;
pub mod input;
pub(crate) mod message;
pub mod modes;
pub mod policy;
pub mod proof;
pub mod ruling;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use before::Before;
pub use proof::{Finding, FindingStatus, Proof};

use crate::evidence::Provenance;
use crate::glob;
use crate::next_step::Voice;
use crate::runner;

/// How much a gate insists, the strictest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Denies while it is not met.
    Must,
    /// Warns while it is not met.
    Should,
    /// Notes that it is not met.
    May,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Must => "must",
            Self::Should => "should",
            Self::May => "may",
        })
    }
}

/// For whom and how long what satisfied a gate counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// For the conversation that did it.
    Conversation,
    /// For everybody in the session.
    #[default]
    Session,
    /// For everybody on the branch, in every session.
    Branch,
    /// For one action of the conversation, once.
    SingleUse,
    /// For everybody in the project, for good.
    Permanent,
}

impl Scope {
    /// Whether it reaches beyond the session.
    pub fn is_shared(self) -> bool {
        matches!(self, Self::Branch | Self::Permanent)
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
    fn is_session(&self) -> bool {
        *self == Self::Session
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Conversation => "conversation",
            Self::Session => "session",
            Self::Branch => "branch",
            Self::SingleUse => "single-use",
            Self::Permanent => "permanent",
        })
    }
}

/// What is done where it cannot be found out whether a gate holds, the strictest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnError {
    /// The same as where it does not hold.
    #[default]
    Deny,
    /// It warns.
    Warn,
    /// It is let pass.
    Allow,
}

impl OnError {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// When a gate stands there at all. What is not said does not matter.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct When {
    /// On branches that fit this; with `!` in front, on those that do not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// In this mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// In this phase of the session's workflow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// Where files that fit this are concerned; with `!` in front, where others are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paths: Option<String>,
    /// Before a stop only once the gate was passed by another action of the conversation.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub triggered: bool,
    /// Before stops alone: the other actions that it names never wait for it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stop_only: bool,
    /// Not where nothing but files that fit one of these is concerned.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unless: Vec<String>,
}

impl When {
    fn is_always(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a branch is one that it is about.
    pub fn is_on(&self, branch: Option<&str>) -> bool {
        let branch = branch.unwrap_or_default();
        self.branch.as_deref().is_none_or(|wanted| fits(wanted, branch))
    }

    /// Whether these files are all such that it leaves alone. Where none is known, it leaves nothing alone.
    pub fn exempts(&self, files: &[String]) -> bool {
        let is_left = |file: &String| self.unless.iter().any(|glob| glob::matches_path(glob, file));
        !self.unless.is_empty() && !files.is_empty() && files.iter().all(is_left)
    }

    /// Whether one of these files is what it is about.
    pub fn concerns(&self, files: &[String]) -> bool {
        let Some(wanted) = &self.paths else { return true };
        match wanted.strip_prefix('!') {
            Some(unwanted) => files.iter().any(|path| !glob::matches_path(unwanted, path)),
            None => files.iter().any(|path| glob::matches_path(wanted, path)),
        }
    }
}

/// Whether a name fits a pattern, or with `!` in front, does not.
pub(crate) fn fits(wanted: &str, now: &str) -> bool {
    match wanted.strip_prefix('!') {
        Some(unwanted) => !glob::matches(unwanted, now),
        None => glob::matches(wanted, now),
    }
}

/// Where a gate was written down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// The file, relative to the project.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// Whether a human of this machine wrote it or trusts it, so that commands in it may be run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub trusted: bool,
}

impl Source {
    /// A place in a file that nobody trusts.
    pub fn new(file: impl Into<String>, line: usize) -> Self {
        Self { file: file.into(), line, trusted: false }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// A condition that must hold before an action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gate {
    /// Its name.
    pub id: String,
    /// How much it insists.
    pub level: Level,
    /// What it stands before.
    pub before: Vec<Before>,
    /// For whom what satisfied it counts.
    #[serde(default, skip_serializing_if = "Scope::is_session")]
    pub scope: Scope,
    /// When it stands there at all.
    #[serde(default, skip_serializing_if = "When::is_always")]
    pub when: When,
    /// What satisfies it.
    pub proof: Proof,
    /// Whether what an agent says of itself is accepted too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub accept_claimed: bool,
    /// What is done where it cannot be found out whether it holds.
    #[serde(default, skip_serializing_if = "OnError::is_default")]
    pub on_error: OnError,
    /// For how many milliseconds after a conversation's end the next one inherits what satisfied it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carry_over: Option<i64>,
    /// Whether what satisfied it counts no more once the conversation is over, should it come back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub until_end: bool,
    /// Whether it is another tool's rule, with that tool's promises: it holds a stop only once in a turn, and is left out
    /// where its users switched their rules off.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub imported: bool,
    /// What the agent is told while it is not met. `{branch}`, `{session_id}`, `{total}` and the like stand for what they
    /// are then.
    pub message: String,
    /// Where it comes from.
    pub source: Source,
}

impl Gate {
    /// A must of the session, as strict as gates are where nothing else is said.
    pub fn new(id: impl Into<String>, before: Vec<Before>, proof: Proof) -> Self {
        Self {
            id: id.into(),
            level: Level::Must,
            before,
            scope: Scope::Session,
            when: When::default(),
            proof,
            accept_claimed: false,
            on_error: OnError::default(),
            carry_over: None,
            until_end: false,
            imported: false,
            message: String::new(),
            source: Source::new("waypost.toml", 1),
        }
    }

    /// Takes over what makes `newer`, of the same name, stricter. Whatever else is different in it
    /// waits until a human is there: it could loosen the gate.
    pub fn tighten(&mut self, newer: &Self) {
        self.level = self.level.min(newer.level);
        self.accept_claimed &= newer.accept_claimed;
        self.on_error = self.on_error.min(newer.on_error);
        for before in &newer.before {
            if !self.before.contains(before) {
                self.before.push(before.clone());
            }
        }
    }

    /// What would satisfy it if nothing of it holds yet, for people who read it.
    pub fn how(&self) -> String {
        self.proof.next(self).words(Voice::HOOKED)
    }

    /// The one command that it waits for, if that is all and its pattern spells it out.
    pub fn own_command(&self) -> Option<&str> {
        match &self.proof {
            Proof::Ran(ran) => runner::spelt_out(&ran.pattern),
            _ => None,
        }
    }

    /// Whether evidence that is known this well counts.
    pub fn accepts(&self, provenance: Provenance) -> bool {
        provenance.counts() || self.accept_claimed
    }

    /// Whether an action that is `kinds` uses up what satisfied it. Another tool's rule is used up by what runs, not by each
    /// change of a file or end of a turn that it stands before, too.
    pub fn is_used_up_by(&self, kinds: &[Before], is_edit: bool) -> bool {
        let is_run = |before: &Before| !matches!(before, Before::Edit | Before::Stop);
        let runs = |before: &Before| is_run(before) && kinds.contains(before);
        let counts = !self.imported || (!is_edit && self.before.iter().any(runs));
        self.scope == Scope::SingleUse && counts
    }

    /// Whether it has to be noted that an action that it stands before has happened.
    pub fn is_tracked(&self) -> bool {
        self.scope == Scope::SingleUse || self.when.triggered
    }
}
