//! Git's own hooks, where somebody wanted them: do they still call Waypost?

use waypost_core::next_step::{Mend, NextStep, amid};
use waypost_store::look;

use super::{Finding, Patient};
use crate::setup::init::git_hooks::{self, GitHookState, Installation};

const CHECK: &str = "git hooks";

pub(super) fn check(patient: &Patient<'_>) -> Vec<Finding> {
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
