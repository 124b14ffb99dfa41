//! What a person can choose when setting a project up.

use std::collections::BTreeSet;
use std::str::FromStr;

use super::{Proposal, installed};
use crate::error::AppError;
use crate::harness::Local;
use crate::machine::host::Host;
use crate::machine::project::Project;

/// Those that are on this machine.
const AUTO: &str = "auto";

/// How strict the first gates are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Preset {
    /// The test gate holds the agent.
    #[default]
    Strict,
    /// The test gate warns.
    Relaxed,
    /// No gates.
    Minimal,
}

/// What a person chose.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The names of the harnesses to register with; none named, or `auto`, means those that are on this machine.
    pub harnesses: Vec<String>,
    /// How strict the first gates are; strict if not said.
    pub preset: Option<Preset>,
    /// Whether to register in the project's own settings too, for everyone who works on it.
    pub shared: bool,
    /// What git itself is to call Waypost for.
    pub git_hooks: GitHooks,
    /// Whether agents may have Waypost run what gates wait for, without asking the user.
    pub allow_run: bool,
    /// What runs the tests.
    pub tests: Chosen,
}

/// What git itself calls Waypost for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GitHooks {
    /// To tell what happens to branches: nobody is held by that but agents.
    #[default]
    Telling,
    /// To ask before commits and pushes as well, whoever makes them.
    Asking,
    /// For nothing.
    Declined,
}

/// What a new `waypost.toml` asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Chosen {
    /// What the project's files propose first.
    #[default]
    Proposed,
    /// This command, at the project's top.
    Command(String),
    /// One of the proposals.
    One(Proposal),
    /// Nothing.
    Nothing,
}

impl Options {
    /// The harnesses to register with.
    pub(super) fn chosen<'h>(
        &self,
        host: &'h Host,
        project: &Project,
    ) -> Result<Vec<&'h Local>, AppError> {
        let (auto, names): (Vec<&String>, Vec<&String>) =
            self.harnesses.iter().partition(|name| *name == AUTO);
        let mut chosen =
            names.iter().map(|name| named(host, name)).collect::<Result<Vec<_>, _>>()?;
        if !auto.is_empty() || names.is_empty() {
            chosen.extend(installed::found(host, project));
        }
        let mut known = BTreeSet::new();
        chosen.retain(|local| known.insert(local.facts().name));
        Ok(chosen)
    }
}

impl FromStr for Preset {
    type Err = AppError;

    fn from_str(text: &str) -> Result<Self, AppError> {
        match text {
            "strict" => Ok(Self::Strict),
            "relaxed" => Ok(Self::Relaxed),
            "minimal" => Ok(Self::Minimal),
            _ => Err(AppError::configuration(format!("there is no preset {text:?}"))
                .hint("choose one of strict, relaxed, minimal")),
        }
    }
}

fn named<'h>(host: &'h Host, name: &str) -> Result<&'h Local, AppError> {
    let known: Vec<&str> = host.harnesses.iter().map(|local| local.facts().name).collect();
    let known = known.join(", ");
    host.harness(name).ok_or_else(|| {
        AppError::configuration(format!("there is no harness {name:?}"))
            .hint(format!("choose {known}, or {AUTO} for those that are on this machine"))
    })
}
