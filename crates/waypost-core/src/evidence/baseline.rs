//! Failures that were there before a conversation began: what its runs are compared with, by the tests' names.

use crate::text::spoken::count;
use serde::{Deserialize, Serialize};

use super::{MAX_FAILED, Provenance, Run};
use crate::key::sha256_hex;
use crate::runner::tally::Counted;

/// How many failing tests are remembered of one run. What fails more often than that is compared with nothing.
const MAX_OLD: usize = 500;
/// How many characters of a name's hash tell it from others.
const NAME: usize = 12;
/// A status from here on means that the command was killed.
const KILLED: i32 = 128;

/// The tests that fail on some content, as Waypost itself saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failing {
    /// What ran, as gates name it.
    pub what: String,
    /// The work tree that it ran on.
    pub tree: String,
    /// How many tests it executed.
    pub executed: u64,
    /// Its exit status.
    pub status: i32,
    /// The beginnings of the hashes of the failing tests' names, in order.
    pub failed: Vec<String>,
}

/// How a run that failed compares with one on the content that the conversation began with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compared {
    /// The work tree that the conversation began with.
    pub with: String,
    /// How many tests were executed on it.
    pub executed: u64,
    /// The names of tests that fail now and did not then; the first few.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub new: Vec<String>,
    /// Why they cannot be compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_not: Option<String>,
}

impl Failing {
    /// What a run shows that failed: nothing where not every failure is named, or the content is not certain.
    pub fn of(what: &str, run: &Run, counted: &Counted) -> Option<Self> {
        let tree = run.tree_before.id().filter(|tree| run.tree_after.id() == Some(*tree))?;
        let is_known = run.provenance == Provenance::Verified && why_not(run, counted).is_none();
        is_known.then(|| Self {
            what: what.to_owned(),
            tree: tree.to_owned(),
            executed: counted.tests.map_or(0, |tests| tests.executed()),
            status: run.status,
            failed: hashed(&counted.failed),
        })
    }

    /// Both together: a test that failed in either is one that fails there.
    #[must_use]
    pub fn or(mut self, later: Self) -> Self {
        self.failed.extend(later.failed);
        self.failed.sort();
        self.failed.dedup();
        Self { executed: self.executed.max(later.executed), status: later.status, ..self }
    }

    /// How a later run compares with it.
    pub fn compare(&self, run: &Run, counted: &Counted) -> Compared {
        let mut why_not = why_not(run, counted);
        if why_not.is_none() && run.status >= KILLED && run.status != self.status {
            why_not = Some(format!("it ended with status {}, {} then", run.status, self.status));
        }
        let is_new = |name: &&String| !self.failed.contains(&hash(name));
        let new = counted.failed.iter().filter(is_new).take(MAX_FAILED).cloned().collect();
        Compared { with: self.tree.clone(), executed: self.executed, new, why_not }
    }
}

impl Compared {
    /// Why failures count that were there before; `None` where nothing else failed.
    pub fn objection(&self, run: &Run) -> Option<String> {
        if !self.new.is_empty() {
            let what = if self.new.len() == 1 { "a new failure" } else { "new failures" };
            return Some(format!("{what}: {}", super::listed(&self.new)));
        }
        if let Some(why) = &self.why_not {
            return Some(format!("it cannot be compared with before: {why}"));
        }
        let executed = run.tests.map_or(0, |tests| tests.executed());
        let then = self.executed;
        (executed < then).then(|| {
            let executed = count(executed, "test");
            format!("it executed {executed}, {then} before this conversation's first edit")
        })
    }
}

/// Why it cannot be told which tests failed.
fn why_not(run: &Run, counted: &Counted) -> Option<String> {
    let Some(tests) = counted.tests.filter(|tests| tests.failed > 0) else {
        return Some("no failing test is named, so something else went wrong".to_owned());
    };
    let named = counted.failed.len();
    if counted.stopped {
        return Some("it stopped at a failure, and the tests after it did not run".to_owned());
    }
    // Some runners name a test twice, in two ways.
    if u64::try_from(named).unwrap_or(u64::MAX) < tests.failed {
        return Some(format!(
            "{} failed, and its output names {named}",
            count(tests.failed, "test")
        ));
    }
    if named > MAX_OLD {
        return Some(format!("more than {MAX_OLD} tests failed"));
    }
    (run.status == 0).then(|| "it reported success all the same".to_owned())
}

fn hashed(names: &[String]) -> Vec<String> {
    let mut hashed: Vec<String> = names.iter().map(|name| hash(name)).collect();
    hashed.sort();
    hashed
}

fn hash(name: &str) -> String {
    sha256_hex(&[without_place(name).as_bytes()]).chars().take(NAME).collect()
}

/// A name without the line of the failure, and what stands behind it: `AddTest.adds:12 expected 3`. Both change
/// while the test is the same.
fn without_place(name: &str) -> &str {
    let is_place = |at: usize| {
        let behind = &name[at + 1..];
        let rest = behind.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.len() < behind.len() && rest.starts_with([' ', '-'])
    };
    let end = name.match_indices(':').map(|(at, _)| at).find(|at| is_place(*at));
    end.map_or(name, |at| &name[..at])
}
