//! Git's own hooks: do they still call Waypost? Those that ask are looked at where somebody wanted them, the one that
//! tells of branches everywhere.

use waypost_core::next_step::{Mend, NextStep, amid};
use waypost_store::look;

use super::{Finding, Patient};
use crate::setup::init::git_hooks::{self, GitHookState, Installation};
use crate::setup::init::ref_hook::{self, RefHook, RefHookState};

const CHECK: &str = "git hooks";

pub(super) fn check(patient: &Patient<'_>) -> Vec<Finding> {
    let mut findings = asking(patient);
    match ref_hook::state(&patient.project, &patient.host.cwd.join(&patient.host.exe)) {
        Ok(found) => findings.extend(found.map(|found| telling(&found))),
        Err(error) => findings.push(Finding::error(CHECK, &error)),
    }
    findings
}

/// The hook that tells of branches. Without it commits are still found, but later.
fn telling(found: &RefHook) -> Finding {
    let RefHook { state, path, wanted, declined } = found;
    let path = path.display();
    let without = "commits that only git sees are found when a turn ends";
    let warn = |detail: String| Finding::warning(CHECK, format!("{detail}: {without}"), set_up());
    match state {
        RefHookState::Installed(_) => Finding::good(CHECK, "git tells Waypost of commits"),
        _ if *declined => Finding::good(
            CHECK,
            format!("git does not call Waypost, as --no-git-hooks said: {without}"),
        ),
        RefHookState::Dangling(program) => {
            warn(format!("{path} calls {}, which is gone or no program", program.display()))
        }
        RefHookState::Missing if *wanted => warn(format!("{path} is gone")),
        RefHookState::Missing => warn(format!("there is no {path}")),
        RefHookState::Replaced => warn(format!("{path} is not Waypost's")),
        RefHookState::Bypassed(there) => Finding::warning(
            CHECK,
            format!(
                "git was told to look for hooks elsewhere, and not at {}: {without}",
                there.display()
            ),
            "see what `git config --show-origin core.hooksPath` says, and whether you want it",
        ),
        RefHookState::Others(why) => Finding::good(CHECK, format!("{why}: {without}")),
    }
}

fn set_up() -> NextStep {
    amid("run ", Mend::SetUp, ", which keeps the hook that is there")
}

fn asking(patient: &Patient<'_>) -> Vec<Finding> {
    let found = match git_hooks::state(&patient.project) {
        Ok(found) => found,
        Err(error) => return vec![Finding::error(CHECK, &error)],
    };
    let wanted: Vec<&GitHookState> = found.iter().filter(|found| found.wanted).collect();
    let bad: Vec<Finding> = wanted.iter().filter_map(|found| fault(found)).collect();
    if wanted.is_empty() || !bad.is_empty() {
        return bad;
    }
    let names: Vec<&str> = wanted.iter().map(|found| found.hook.name()).collect();
    vec![Finding::good(CHECK, format!("{} ask Waypost", names.join(" and ")))]
}

fn fault(found: &GitHookState) -> Option<Finding> {
    let path = found.path.display();
    match &found.state {
        Installation::Installed(program) if look::is_file(program) => None,
        Installation::Installed(program) => {
            let program = program.display();
            Some(Finding::bad(CHECK, format!("{path} calls {program}, which is gone"), anew()))
        }
        Installation::NotExecutable => {
            let fix = format!("chmod +x {path}");
            Some(Finding::bad(CHECK, format!("{path} is not executable: git passes it over"), fix))
        }
        Installation::Missing => Some(Finding::bad(CHECK, format!("{path} is gone"), anew())),
        Installation::Replaced => {
            Some(Finding::bad(CHECK, format!("{path} is no longer Waypost's"), anew()))
        }
    }
}

fn anew() -> NextStep {
    amid("run ", Mend::SetUpGitHooks, ", which keeps the hook that is there")
}
