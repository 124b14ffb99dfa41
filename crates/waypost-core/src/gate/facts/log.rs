//! Logs that were looked for, and what they lack.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// So many of the musts that a log leaves open are named.
const NAMED: usize = 8;

/// A log that was looked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FoundLog {
    /// The musts that it leaves open, each with its line.
    Open(Vec<String>),
    /// It could not be taken for the log that is asked for.
    Refused {
        /// Why, and what to do about it.
        refused: String,
    },
}

impl FoundLog {
    /// What the logs of a session lack, by path, if they lack anything. What is no log does not matter
    /// where there is another: people keep notes beside it.
    pub fn lacking(logs: &BTreeMap<String, Self>) -> Option<String> {
        let is_whole = |log: &Self| matches!(log, Self::Open(open) if open.is_empty());
        let whole = logs.values().any(is_whole);
        let counts = |log: &Self| !(whole && matches!(log, Self::Refused { .. }));
        let open = |log: &Self| matches!(log, Self::Open(_));
        // Somebody who left something open is told that first.
        let told = logs.iter().filter(|(_, log)| open(log));
        let told = told.chain(logs.iter().filter(|(_, log)| !open(log)));
        told.filter(|(_, log)| counts(log)).find_map(|(path, log)| log.lacks(path))
    }

    /// What the log at `path` lacks, if it lacks anything.
    fn lacks(&self, path: &str) -> Option<String> {
        match self {
            Self::Refused { refused } => Some(format!("{path}: {refused}")),
            Self::Open(open) if open.is_empty() => None,
            Self::Open(open) => {
                let mut told = format!("{path} leaves open: ");
                told.push_str(&open.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", "));
                if open.len() > NAMED {
                    told.push_str(&format!(" and {} more", open.len() - NAMED));
                }
                Some(told)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_done_when_it_was_read_and_leaves_nothing_open() {
        let open = |names: &[&str]| FoundLog::Open(names.iter().map(|&n| n.to_owned()).collect());
        assert_eq!(open(&[]).lacks("a.md"), None);
        assert_eq!(
            open(&["line 3: Commit"]).lacks("a.md").as_deref(),
            Some("a.md leaves open: line 3: Commit")
        );
        let many = open(&["x"; 10]).lacks("a.md").unwrap();
        assert!(many.ends_with(" and 2 more"), "{many}");
        let refused = FoundLog::Refused { refused: "it has no checklist".to_owned() };
        assert_eq!(refused.lacks("a.md").as_deref(), Some("a.md: it has no checklist"));
    }

    #[test]
    fn notes_beside_a_log_do_not_matter_and_open_musts_do() {
        let open = |names: &[&str]| FoundLog::Open(names.iter().map(|&n| n.to_owned()).collect());
        let notes = || FoundLog::Refused { refused: "it has no checklist".to_owned() };
        let lacking = |logs: Vec<(&str, FoundLog)>| {
            let logs = logs.into_iter().map(|(path, log)| (path.to_owned(), log)).collect();
            FoundLog::lacking(&logs)
        };
        assert_eq!(lacking(vec![("a", notes()), ("b", open(&[]))]), None);
        let why = lacking(vec![("a", notes()), ("b", open(&["x"]))]);
        assert_eq!(why.as_deref(), Some("b leaves open: x"));
        assert!(lacking(vec![("a", open(&[])), ("b", open(&["x"]))]).is_some());
        assert_eq!(lacking(vec![("a", notes())]).as_deref(), Some("a: it has no checklist"));
    }

    #[test]
    fn facts_of_an_earlier_version_are_still_understood() {
        let found: FoundLog = serde_json::from_str("[\"Commit\"]").unwrap();
        assert_eq!(found, FoundLog::Open(vec!["Commit".to_owned()]));
    }
}
