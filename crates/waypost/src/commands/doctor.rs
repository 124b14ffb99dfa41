//! `waypost doctor`

use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use waypost_app::error::Kind;
use waypost_app::harness::Health;
use waypost_app::machine::host::Host;
use waypost_app::setup::doctor::{self, Finding};

use waypost_core::next_step::{Voice, lines};

use super::CommandOutcome;
use crate::error;
use crate::ui::{self, BAD, BOLD, GOOD, WARN};

/// See whether Waypost really works in this project
///
/// Looks at configuration, key, files, streams and clock, runs the installed hook with something
/// forbidden to see it denied, looks for settings that would keep it from being called, and asks the
/// registered MCP server for its tools. Every finding says how to mend it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost doctor            what is good, what is not, and how to mend it
  waypost doctor --client   starts the client once, too, and sees whether its hooks are called
  waypost doctor --json     the same for scripts")]
pub(super) struct DoctorArgs {
    /// Also start the installed client once, without a model or a network, to see that it calls the hook
    #[arg(long)]
    client: bool,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl DoctorArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let findings = doctor::examine(host, self.client);
        let bad = || findings.iter().filter(|finding| finding.health == Health::Bad);
        if self.json {
            ui::json(&json!({"healthy": bad().next().is_none(), "findings": findings}))?;
        } else {
            findings.iter().for_each(tell);
            ui::line(summary(&findings));
        }
        let worst = bad().map(|finding| finding.kind).max_by_key(|kind| match kind {
            Kind::Refused | Kind::Conflict { .. } => 1,
            Kind::Configuration => 2,
            Kind::Integrity => 3,
        });
        Ok(worst.map_or(ExitCode::SUCCESS, error::status))
    }
}

/// One line for what is good, and the fix on a line of its own for what is not.
fn tell(finding: &Finding) {
    let mark = match finding.health {
        Health::Good => ui::paint(GOOD, "✓"),
        Health::Warning => ui::paint(WARN, "!"),
        Health::Bad => ui::paint(BAD, "✗"),
    };
    let name = ui::paint(BOLD, format!("{:13}", finding.check));
    ui::line(format!("{mark} {name} {}", ui::indented(&finding.detail, 16)));
    if !finding.fix.is_empty() {
        let fix = lines(&finding.fix, Voice::PERSON);
        ui::line(format!("{:16}{} {}", "", ui::paint(GOOD, "→"), ui::indented(&fix, 18)));
    }
}

fn summary(findings: &[Finding]) -> String {
    let count = |health| findings.iter().filter(|finding| finding.health == health).count();
    let told = match (count(Health::Bad), count(Health::Warning)) {
        (0, 0) => return ui::paint(GOOD, "All is well."),
        (0, warnings) => format!("It works; {warnings} to look at."),
        (bad, 0) => format!("{bad} to mend."),
        (bad, warnings) => format!("{bad} to mend, {warnings} to look at."),
    };
    ui::paint(BOLD, told)
}
