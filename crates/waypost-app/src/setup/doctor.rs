//! Is it all really working? Every finding says what was looked at and how to mend it.
//! Looks and asks only: nothing is changed.

mod brought;
mod call;
mod client;
mod clock;
mod code;
mod configuration;
mod conversation;
mod finding;
mod git;
mod git_hooks;
mod hooks;
mod key;
mod mcp;
mod mirrors;
mod overrides;
mod permissions;
mod probe;
mod requirements;
mod settings;
mod streams;
mod telemetry;
mod unenforced;
mod versions;
mod workflows;

use crate::error::AppError;
use crate::machine::host::Host;
use crate::machine::project::{self, Project};
use crate::view::View;

pub use finding::Finding;

/// What is looked at.
struct Patient<'a> {
    host: &'a Host,
    project: Project,
    /// The project with its keys, if there are any.
    view: Result<View<'a>, AppError>,
    /// What each harness reads.
    settings: Vec<settings::All<'a>>,
}

/// The checks, in the order in which their findings are told. A new one is a file beside this one
/// and a line here.
const CHECKS: &[fn(&Patient<'_>) -> Vec<Finding>] = &[
    git::check,
    configuration::check,
    requirements::check,
    workflows::check,
    key::check,
    permissions::check,
    streams::check,
    clock::check,
    hooks::check,
    overrides::check,
    code::check,
    unenforced::check,
    mcp::check,
    git_hooks::check,
    telemetry::check,
    mirrors::check,
    versions::check,
];

/// Looks at everything that Waypost needs to work in this project. `starting` also starts each client once,
/// to see that it calls the hook.
pub fn examine(host: &Host, starting: bool) -> Vec<Finding> {
    let project = match project::require(&host.cwd) {
        Ok(project) => project,
        Err(error) => return vec![Finding::error("project", &error)],
    };
    let mut findings = vec![Finding::good("project", project.root.display().to_string())];
    let view = host.keyring().map(|ring| View::with(host, project.clone(), ring));
    let settings = settings::All::of_each(host, &project);
    let patient = Patient { host, project, view, settings };
    findings.extend(CHECKS.iter().flat_map(|check| check(&patient)));
    if starting {
        findings.extend(client::check(&patient));
    }
    findings
}
