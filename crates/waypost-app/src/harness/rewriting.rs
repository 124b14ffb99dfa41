//! Letting another command line run in the place of one that an agent gave, where a harness can do that.

use std::fmt;

use serde_json::Value;

use super::Input;

/// How a harness runs another command line in the place of the one that was given. The user's own permissions
/// are never to mean less by it.
pub trait Rewriting: fmt::Debug + Sync {
    /// The settings that the arguments of the harness name besides its files; none where that cannot be told.
    fn settings(&self, arguments: &[String]) -> Option<Vec<Given>>;

    /// Whether the user's permissions say nothing against what was asked for, and let what takes its place run.
    fn permits(&self, asked: &Asked<'_>) -> Permit;

    /// The rule that lets exactly one command run.
    fn rule(&self, command: &str) -> String;

    /// What the tool is given, with another command line.
    fn arguments(&self, input: &Input<'_>, command: &str) -> Option<Value>;
}

/// What the user's permissions let run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permit {
    /// Nothing in its place.
    Nothing,
    /// The command that was asked about, and no more.
    Exactly,
    /// Whatever it is.
    Anything,
}

/// Settings that somebody named on a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Given {
    /// A file of them.
    File(String),
    /// What they are.
    Text(String),
}

/// What is asked of the user's permissions.
#[derive(Debug)]
pub struct Asked<'a> {
    /// The mode of permissions that the harness is in.
    pub mode: Option<&'a str>,
    /// The content of every file of settings that may count.
    pub settings: &'a [Vec<u8>],
    /// The arguments that the harness was started with.
    pub arguments: &'a [String],
    /// Everything that would run: the line, each command in it, and what really runs in the place of one.
    pub concerned: &'a [String],
    /// The command that takes the place of one.
    pub instead: &'a str,
    /// The other commands of the line.
    pub others: &'a [String],
}
