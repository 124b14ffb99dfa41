//! The MCP servers behind mirrors, as this room sees them: tools that are called by name.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::config::{MirrorConfig, MirrorKind, Reached};
use crate::machine::host::Host;
use crate::view::View;

/// How long a server has for what nobody waits for: the first time, some install what they need before they answer.
pub(super) const WORK: Duration = Duration::from_secs(300);
/// How long it has where somebody waits.
pub(super) const ASKED: Duration = Duration::from_secs(10);

/// Who calls tools of MCP servers.
pub trait Servers: Send + Sync {
    /// Calls a tool. Its answer is the structured one where there is one, else the text.
    fn call(
        &self,
        server: &Server,
        tool: &str,
        arguments: Map<String, Value>,
        limit: Duration,
    ) -> Result<Value, Fault>;

    /// The names of a tool's parameters; none if there is no such tool.
    fn parameters(
        &self,
        server: &Server,
        tool: &str,
        limit: Duration,
    ) -> Result<Option<Vec<String>>, Fault>;

    /// Lets servers go that nobody called for so long.
    fn rest(&self, after: Duration);
}

/// An MCP server.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Server {
    /// What people call it.
    pub name: &'static str,
    /// How it is reached.
    pub reached: Reached,
    /// The folder that it is started in.
    pub folder: PathBuf,
}

/// Why a tool gave nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// There is no such program on this machine.
    NotInstalled(String),
    /// The server cannot be reached, ended, or does not answer.
    Down(String),
    /// The tool says no.
    Refused(String),
}

impl Fault {
    /// What happened, in words. What the server says itself is quoted.
    pub fn told(&self) -> &str {
        match self {
            Self::NotInstalled(told) | Self::Down(told) | Self::Refused(told) => told,
        }
    }
}

impl Server {
    /// The server behind a mirror of the project.
    pub(super) fn of(view: &View<'_>, mirror: &MirrorConfig) -> Self {
        let reached = mirror.reached.clone();
        let reached = reached.unwrap_or_else(|| usual(view.host, mirror.kind, view));
        Self { name: mirror.kind.name(), reached, folder: view.project.root.clone() }
    }

    /// How people know it.
    pub fn address(&self) -> String {
        match &self.reached {
            Reached::Command(words) => words.join(" "),
            Reached::Url(url) => url.clone(),
        }
    }
}

/// How a mirror is reached of which the project's file says nothing else.
fn usual(host: &Host, kind: MirrorKind, view: &View<'_>) -> Reached {
    let words: Vec<String> = match kind {
        MirrorKind::Serena => {
            let root = view.project.root.to_string_lossy().into_owned();
            let project = host.serena_project.clone().unwrap_or(root);
            let words = ["serena", "start-mcp-server", "--project", &project];
            let more = ["--agent-interface", "tools", "--enable-web-dashboard", "false"];
            words.into_iter().chain(more).map(str::to_owned).collect()
        }
        MirrorKind::Notes => ["basic-memory", "mcp"].map(str::to_owned).into(),
    };
    Reached::Command(words)
}
