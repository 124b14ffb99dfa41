//! Subagents whose verdict is asked for, as far as it has to be known whether they did the work themselves. What one did is
//! never forgotten by its end: that is told by a hook, and hooks can be imitated.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::evidence::Tree;

/// How many are remembered, the latest. An approval by one that is forgotten counts for no gate.
const MAX_JUDGES: usize = 64;

/// The subagents of a conversation whose verdict is asked for, by the harness' names for them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Judges(BTreeMap<String, Judge>);

/// A subagent whose verdict is asked for, from when it first began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judge {
    /// The record with which it first began.
    pub since: u64,
    /// The content then.
    pub tree: Tree,
    /// Whether it was seen to change something in the conversation's own work tree.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub edited: bool,
    /// Whether it was seen to change something in another one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub elsewhere: bool,
    /// Whether it gave work to subagents of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub delegated: bool,
}

impl Judges {
    /// Whether nobody's verdict was ever asked for.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The one of that name, also when it is not at work.
    pub fn get(&self, subagent: &str) -> Option<&Judge> {
        self.0.get(subagent)
    }

    pub(super) fn watch(&mut self, seq: u64, subagent: &str, tree: &Tree) {
        let (edited, elsewhere, delegated) = (false, false, false);
        let judge = Judge { since: seq, tree: tree.clone(), edited, elsewhere, delegated };
        self.0.entry(subagent.to_owned()).or_insert(judge);
        if self.0.len() > MAX_JUDGES {
            let oldest = self.0.iter().min_by_key(|(_, known)| known.since);
            if let Some(name) = oldest.map(|(name, _)| name.clone()) {
                self.0.remove(&name);
            }
        }
    }

    pub(super) fn edit(&mut self, subagent: &str, elsewhere: bool) {
        if let Some(judge) = self.0.get_mut(subagent) {
            judge.edited |= !elsewhere;
            judge.elsewhere |= elsewhere;
        }
    }

    pub(super) fn delegate(&mut self, subagent: &str) {
        if let Some(judge) = self.0.get_mut(subagent) {
            judge.delegated = true;
        }
    }
}
