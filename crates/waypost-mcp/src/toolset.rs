//! Groups of tools, so that a client can be given only those that it needs.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use waypost_core::next_step::Tools;
use waypost_core::text::{did_you_mean, one_line};

/// A group of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Toolset {
    /// The steps that every conversation goes through.
    Protocol,
    /// Sessions: where they stand, pausing and resuming, notes and commits.
    Session,
    /// Workflows: beginning one, completing its phases, going back.
    Workflow,
    /// Agents that work for each other: invocations, decisions, verdicts, handoffs.
    Orchestration,
    /// Gates by name.
    Requirements,
}

impl Toolset {
    /// All of them, in the order in which their tools are listed.
    pub const ALL: [Self; 5] =
        [Self::Protocol, Self::Session, Self::Workflow, Self::Orchestration, Self::Requirements];

    /// What it is called on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Protocol => "protocol",
            Self::Session => "session",
            Self::Workflow => "workflow",
            Self::Orchestration => "orchestration",
            Self::Requirements => "requirements",
        }
    }
}

impl fmt::Display for Toolset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Toolset {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|toolset| toolset.name() == text);
        found.ok_or_else(|| {
            let names = Self::ALL.map(Self::name);
            let meant = match did_you_mean(text, &names) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("there are {}", names.join(", ")),
            };
            format!("no toolset `{}`; {meant}", one_line(text))
        })
    }
}

/// The groups that are offered: all, unless some were chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toolsets(BTreeSet<Toolset>);

impl Toolsets {
    /// Those that next steps speak of.
    pub(crate) fn known(&self) -> Tools {
        let has = |toolset| self.contains(toolset);
        Tools {
            protocol: has(Toolset::Protocol),
            session: has(Toolset::Session),
            workflow: has(Toolset::Workflow),
            orchestration: has(Toolset::Orchestration),
        }
    }
}

impl Default for Toolsets {
    fn default() -> Self {
        Self(Toolset::ALL.into_iter().collect())
    }
}

impl FromIterator<Toolset> for Toolsets {
    /// None chosen means all.
    fn from_iter<I: IntoIterator<Item = Toolset>>(chosen: I) -> Self {
        let chosen: BTreeSet<Toolset> = chosen.into_iter().collect();
        if chosen.is_empty() { Self::default() } else { Self(chosen) }
    }
}

impl Toolsets {
    /// Whether the tools of a group are offered.
    pub fn contains(&self, toolset: Toolset) -> bool {
        self.0.contains(&toolset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_toolset_is_found_by_its_name_and_a_misspelt_one_is_explained() {
        assert_eq!("session".parse(), Ok(Toolset::Session));
        assert!("sesion".parse::<Toolset>().unwrap_err().contains("did you mean `session`?"));
        assert!("x".parse::<Toolset>().unwrap_err().contains("protocol, session, workflow"));
    }

    #[test]
    fn none_chosen_is_all_of_them() {
        assert_eq!(Toolsets::from_iter([]), Toolsets::default());
        assert!(!Toolsets::from_iter([Toolset::Session]).contains(Toolset::Protocol));
    }
}
