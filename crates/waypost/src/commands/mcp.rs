//! `waypost mcp`

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

use clap::Args;
use waypost_app::machine::host::Host;
use waypost_app::machine::process;
use waypost_app::machine::project::{self, Project};
use waypost_app::setup::init::{self, Started};
use waypost_mcp::{Offer, Toolset};

use super::CommandOutcome;
use crate::wiring;

/// Serve Waypost's tools to an agent's client over MCP (called by the client, not by people)
///
/// Speaks the protocol on standard input and output until the client is gone. Tools, resources and
/// prompts are about the project around the folder that it was started in.
#[derive(Debug, Args)]
#[command(after_help = examples())]
pub(super) struct McpArgs {
    #[command(flatten)]
    offered: OfferedArgs,
    /// Called by the plugin of this harness: offer nothing where the project registers a server itself, or does not
    /// use Waypost
    #[arg(long, value_name = "HARNESS", hide = true)]
    plugin: Option<OsString>,
}

fn examples() -> String {
    let servers: Vec<&str> = wiring::harness_facts()
        .map(|one| one.examples.server)
        .filter(|line| !line.is_empty())
        .collect();
    let servers = servers.join("\n");
    format!(
        "Examples:\n{servers}\n  waypost mcp --toolsets session,requirements    only these tools"
    )
}

/// What a server offers, as the command line says it.
#[derive(Debug, Args)]
pub(super) struct OfferedArgs {
    /// Only the tools of these groups: protocol, session, workflow, orchestration, requirements
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    toolsets: Vec<Toolset>,
    /// Also what the protocol's conformance suite asks for
    #[cfg(feature = "conformance")]
    #[arg(long, hide = true)]
    fixtures: bool,
}

impl From<OfferedArgs> for Offer {
    fn from(offered: OfferedArgs) -> Self {
        Self {
            toolsets: offered.toolsets.into_iter().collect(),
            nothing: false,
            #[cfg(feature = "conformance")]
            fixtures: offered.fixtures,
        }
    }
}

impl McpArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        if self.plugin.as_deref().is_some_and(|name| !is_wanted(host, name)) {
            waypost_mcp::stdio(host.clone(), Offer { nothing: true, ..self.offered.into() })?;
            return Ok(ExitCode::SUCCESS);
        }
        // Without a key nothing can be verified or recorded. The project may come later.
        host.keyring()?;
        let servers = wiring::servers();
        let host = wiring::asking(host, &servers);
        let _senders = wiring::senders(&host, &servers);
        waypost_mcp::stdio(host, self.offered.into())?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Whether the server of a harness' plugin has anything to do here.
fn is_wanted(host: &Host, harness: &OsStr) -> bool {
    let project = project::find(&host.cwd).ok().flatten().filter(Project::is_initialised);
    let Some(project) = project else { return false };
    // Of a client that nobody knows there are no settings that could name a server.
    let Some(harness) = wiring::harness(harness) else { return true };
    let arguments = process::parent().and_then(process::arguments);
    let started = Started { arguments, started_in: Some(&host.cwd) };
    // Where the client's files cannot be read, tools twice are better than none.
    !init::serves_by_settings(host, harness, &project, &started).unwrap_or(false)
}
