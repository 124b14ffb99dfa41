//! The gates that `init` writes for a project's tests, and what becomes of them once their command was run.

use std::time::Duration;

use super::{Preset, Proposal};
use waypost_core::runner::tally::Tests;

/// A suite that takes longer is asked for before commits and pushes, and not at every stop.
pub(super) const SLOW: Duration = Duration::from_secs(60);

/// A gate that waits for a run of the tests.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is one thing that the file says")]
pub struct TestGate {
    /// Its id.
    pub id: String,
    /// The command.
    pub command: String,
    /// The folder that it has to run in, and whose files it is about.
    pub folder: Option<String>,
    /// Whether it holds; else it warns.
    pub must: bool,
    /// Whether it is asked for at every stop; else before commits and pushes.
    pub at_stop: bool,
    /// Whether tests may fail that fail already.
    pub baseline: bool,
    /// Whether it is in force; else it is there to be filled in.
    pub in_force: bool,
    /// What the file says about it beyond the usual.
    pub remark: Option<String>,
}

/// How a first run of a gate's command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It succeeded; with how many tests, as far as it says.
    Green(Option<Tests>),
    /// It succeeded or not, and executed no test.
    NoTests,
    /// Tests failed.
    Red {
        /// How many there are.
        tests: Tests,
        /// Those that failed, by name.
        failed: Vec<String>,
    },
    /// It failed and did not say which test did.
    Broken(i32),
    /// Somebody ended it.
    Ended,
    /// It could not be started.
    Missing(String),
}

/// A first run of a gate's command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstRun {
    /// The gate's id.
    pub gate: String,
    /// How it ended.
    pub outcome: Outcome,
    /// How long it took.
    pub took: Duration,
}

impl TestGate {
    /// The gates for these commands.
    pub(super) fn of(preset: Preset, commands: &[Proposal]) -> Vec<Self> {
        let mut gates: Vec<Self> = Vec::new();
        for Proposal { command, folder, .. } in commands {
            let name =
                folder.as_deref().map_or_else(String::new, |folder| format!("-{}", plain(folder)));
            let mut id = format!("tests-pass{name}");
            while gates.iter().any(|gate| gate.id == id) {
                id.push('x');
            }
            gates.push(Self { folder: folder.clone(), ..Self::new(id, preset, command) });
        }
        gates
    }

    pub(super) fn new(id: String, preset: Preset, command: &str) -> Self {
        Self {
            id,
            command: command.to_owned(),
            folder: None,
            must: preset == Preset::Strict,
            at_stop: true,
            baseline: false,
            in_force: true,
            remark: None,
        }
    }

    /// What the gate should be, now that its command was run. A gate that nobody could meet holds nobody.
    pub(super) fn after(&self, run: &FirstRun, slow: Duration) -> Self {
        let mut gate = self.clone();
        let mut remarks = Vec::new();
        match &run.outcome {
            Outcome::Green(_) => {}
            Outcome::Red { tests, .. } => {
                gate.baseline = true;
                let (failed, all) = (tests.failed, tests.executed());
                remarks.push(format!(
                    "{failed} of {all} tests failed when this was written: only new failures count."
                ));
            }
            Outcome::Broken(status) => {
                gate.baseline = true;
                gate.must = false;
                remarks.push(format!(
                    "It ended with status {status} when this was written and named no failing test, so it only warns: \
                     make it \"must\" once it runs."
                ));
            }
            Outcome::NoTests => {
                gate.in_force = false;
                remarks.push(
                    "There were no tests when this was written: take the `# ` off once there are."
                        .to_owned(),
                );
            }
            Outcome::Ended | Outcome::Missing(_) => return gate,
        }
        if run.took > slow && gate.in_force {
            gate.at_stop = false;
            let seconds = run.took.as_secs();
            remarks.push(format!("It took {seconds} s, so it is asked for before commits and pushes, not at every stop."));
        }
        gate.remark = (!remarks.is_empty()).then(|| remarks.join("\n"));
        gate
    }
}

/// A folder's name as part of an id.
fn plain(folder: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    folder.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(outcome: Outcome, seconds: u64) -> TestGate {
        let gate = TestGate::new("tests-pass".to_owned(), Preset::Strict, "pytest");
        let took = Duration::from_secs(seconds);
        gate.after(&FirstRun { gate: gate.id.clone(), outcome, took }, SLOW)
    }

    #[test]
    fn a_first_run_decides_what_is_asked_for() {
        let tests = Tests { passed: 3, failed: 0, skipped: 0 };
        let green = after(Outcome::Green(Some(tests)), 60);
        assert!(green.must && green.at_stop && !green.baseline && green.remark.is_none());
        let slow = after(Outcome::Green(None), 61);
        assert!(slow.must && !slow.at_stop && slow.remark.unwrap().contains("61 s"));
        let tests = Tests { passed: 3, failed: 2, skipped: 1 };
        let red = after(Outcome::Red { tests, failed: Vec::new() }, 1);
        assert!(
            red.must && red.at_stop && red.baseline && red.remark.unwrap().contains("2 of 5 tests")
        );
        let slow_and_red = after(Outcome::Red { tests, failed: Vec::new() }, 100);
        assert!(slow_and_red.baseline && !slow_and_red.at_stop);
        let broken = after(Outcome::Broken(2), 1);
        assert!(!broken.must && broken.baseline && broken.in_force);
        let none = after(Outcome::NoTests, 100);
        assert!(!none.in_force && !none.baseline);
        for unknown in [Outcome::Ended, Outcome::Missing(String::new())] {
            assert_eq!(
                after(unknown, 100),
                TestGate::new("tests-pass".to_owned(), Preset::Strict, "pytest")
            );
        }
    }

    #[test]
    fn every_package_has_a_gate_of_its_own_name() {
        let package = |folder: &str| Proposal {
            command: "npm test".to_owned(),
            folder: Some(folder.to_owned()),
            because: String::new(),
        };
        let gates = TestGate::of(
            Preset::Relaxed,
            &[package("apps/Web"), package("apps-web"), package("api")],
        );
        let ids: Vec<&str> = gates.iter().map(|gate| gate.id.as_str()).collect();
        assert_eq!(ids, ["tests-pass-apps-web", "tests-pass-apps-webx", "tests-pass-api"]);
        assert!(gates.iter().all(|gate| !gate.must));
    }
}
