//! The proof `ran`: a command ran, succeeded, and is as fresh as the gate wants it.

use serde::{Deserialize, Serialize};

use super::{Finding, FindingStatus};
use crate::evidence::{RecordedRun, Tree};
use crate::gate::Scope;
use crate::gate::facts::{Facts, Needs};
use crate::gate::input::GateInput;
use crate::next_step::NextStep;

/// How fresh a run has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fresh {
    /// Once in the session is enough.
    Once,
    /// The work tree has not changed since.
    Tree,
    /// It is not older than this many milliseconds.
    Within(i64),
}

/// A command ran and succeeded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RanProof {
    /// Which commands count, with `*` and `?`.
    pub pattern: String,
    /// How fresh the run has to be.
    pub fresh: Fresh,
}

impl RanProof {
    pub(super) fn needs(&self, input: &GateInput<'_>, needs: &mut Needs) {
        match self.fresh {
            Fresh::Tree => {
                needs.tree = true;
                let after = input.run(&self.pattern).and_then(|run| run.run.tree_after.id());
                needs.compare.extend(after.map(str::to_owned));
            }
            Fresh::Within(_) => needs.clock = true,
            Fresh::Once => {}
        }
    }

    pub(super) fn find(&self, input: &GateInput<'_>) -> Finding {
        let found = |status, why: String| match status {
            FindingStatus::Met => Finding::met(why),
            _ => Finding::new(status, why, NextStep::Run(self.pattern.clone())),
        };
        let Some(run) = input.run(&self.pattern) else {
            return found(FindingStatus::Missing, self.why_missing(input));
        };
        if run.run.status != 0 {
            let why = format!("the last run ended with status {}", run.run.status);
            return found(FindingStatus::Failed, why);
        }
        if run.run.empty {
            return found(
                FindingStatus::Failed,
                "the last run says that it tested nothing".to_owned(),
            );
        }
        let (status, why) = match self.fresh {
            Fresh::Once => (FindingStatus::Met, format!("it ran ({})", run.run.provenance)),
            Fresh::Within(limit) => within(run, input.facts, limit),
            Fresh::Tree => fresh_tree(run, input.facts),
        };
        found(status, why)
    }

    fn why_missing(&self, input: &GateInput<'_>) -> String {
        if input.has_unaccepted_run(&self.pattern) {
            return "a run was reported, but by a hook call that the harness did not make"
                .to_owned();
        }
        let since = match input.gate.scope {
            Scope::Conversation => "in this conversation",
            Scope::Session => "in this session",
            Scope::Branch => "on this branch",
            Scope::SingleUse => "since it was last used up",
            Scope::Permanent => "in this project",
        };
        ["no run of `", &self.pattern, "` has been seen ", since].concat()
    }
}

fn within(run: &RecordedRun, facts: &Facts, limit: i64) -> (FindingStatus, String) {
    let age = facts.now.as_millis() - run.time.as_millis();
    let minutes = age / 60_000;
    if (0..=limit).contains(&age) {
        (FindingStatus::Met, format!("it ran {minutes} min ago ({})", run.run.provenance))
    } else {
        (FindingStatus::Stale, format!("the last run was {minutes} min ago"))
    }
}

fn fresh_tree(run: &RecordedRun, facts: &Facts) -> (FindingStatus, String) {
    let (before, after) = match (&run.run.tree_before, &run.run.tree_after) {
        (Tree::Id(before), Tree::Id(after)) => (before, after),
        (Tree::Unknown(why), _) | (_, Tree::Unknown(why)) => {
            return (FindingStatus::Unknown, format!("what it ran on is not known: {why}"));
        }
    };
    let now = match &facts.tree {
        Some(Tree::Id(now)) => now,
        Some(Tree::Unknown(why)) => {
            return (FindingStatus::Unknown, format!("the work tree could not be read: {why}"));
        }
        None => {
            return (FindingStatus::Unknown, "the work tree was not looked at".to_owned());
        }
    };
    if after != now {
        let files = facts.changed.get(after).map_or_else(String::new, |files| listed(files));
        return (FindingStatus::Stale, format!("the work tree changed since the run{files}"));
    }
    if before != after {
        let why = "the work tree changed while it ran; if the run itself writes files, \
                   run it again or have git ignore them";
        return (FindingStatus::Stale, why.to_owned());
    }
    (FindingStatus::Met, format!("it ran on this very work tree ({})", run.run.provenance))
}

fn listed(files: &[String]) -> String {
    const SHOWN: usize = 5;
    if files.is_empty() {
        return String::new();
    }
    let mut text =
        format!(": {}", files.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", "));
    if files.len() > SHOWN {
        text.push_str(&format!(" and {} more", files.len() - SHOWN));
    }
    text
}
