//! Is it all really working? Every finding says what was looked at and how to mend it.

mod probe;

use serde::Serialize;
use waypost_core::gate::graph;
use waypost_core::id::StreamId;
use waypost_core::session::SessionState;
use waypost_store::{FileLog, files};

use crate::error::{AppError, Kind};
use crate::host::Host;
use crate::project::{self, Project};
use crate::workspace::Workspace;
use crate::{config, git, init, verify};

/// How good a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Health {
    /// As it should be.
    Good,
    /// It works, but somebody should know.
    Warning,
    /// It does not work.
    Bad,
}

/// One thing that was looked at.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// What was looked at.
    pub check: &'static str,
    /// How good it is.
    pub health: Health,
    /// What was seen.
    pub detail: String,
    /// How to mend it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// What sort of failure it is.
    #[serde(skip)]
    pub kind: Kind,
}

impl Finding {
    fn good(check: &'static str, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self { check, health: Health::Good, detail, fix: None, kind: Kind::Refused }
    }

    fn warning(check: &'static str, detail: impl Into<String>, fix: &str) -> Self {
        let fix = Some(fix.to_owned());
        Self { health: Health::Warning, fix, ..Self::good(check, detail) }
    }

    fn bad(check: &'static str, detail: impl Into<String>, fix: &str) -> Self {
        let (health, kind) = (Health::Bad, Kind::Configuration);
        Self { health, fix: Some(fix.to_owned()), kind, ..Self::good(check, detail) }
    }

    fn error(check: &'static str, error: &AppError) -> Self {
        let fix = error.hints.first().cloned();
        Self { health: Health::Bad, fix, kind: error.kind, ..Self::good(check, &error.message) }
    }
}

/// Looks at everything that Waypost needs to work in this project.
pub fn examine(host: &Host) -> Vec<Finding> {
    let project = match project::require(&host.cwd) {
        Ok(project) => project,
        Err(error) => return vec![Finding::error("project", &error)],
    };
    let mut findings = vec![Finding::good("project", project.root.display().to_string())];
    findings.push(git_itself(&project));
    findings.push(program(host));
    findings.extend(configuration(&project));
    let ring = host.keyring();
    findings.push(match &ring {
        Ok(ring) => Finding::good("key", format!("key {} signs", ring.current().id())),
        Err(error) => Finding::error("key", error),
    });
    if host.secret.is_some() {
        findings.push(Finding::warning(
            "secret",
            "the signing secret is in this environment, where agents started from it can read it",
            "prefer the key file that `waypost init` makes, and unset WAYPOST_SESSION_SECRET",
        ));
    }
    if let Err(error) = files::check_writable(&project.store) {
        let fix = "make it writable, or make room: until then agents may only read";
        findings.push(Finding::bad("store", error.to_string(), fix));
    }
    if let Ok(ring) = ring {
        let workspace = Workspace::with(host, project.clone(), ring);
        findings.extend(streams(&workspace));
    }
    findings.extend(hooks(&project));
    findings
}

/// Rebuilds what is derived and damaged. Returns what was rebuilt.
pub fn repair(workspace: &Workspace<'_>) -> Result<Vec<String>, AppError> {
    let mut rebuilt = Vec::new();
    for id in workspace.log.sessions()? {
        let stream = StreamId::Session(id.clone());
        if damaged_snapshot(&workspace.log, &stream) {
            workspace.log.drop_snapshot(&stream)?;
            workspace.load(&id)?;
            rebuilt.push(format!("the state of session {id}, from its records"));
        }
    }
    Ok(rebuilt)
}

fn damaged_snapshot(log: &FileLog, stream: &StreamId) -> bool {
    let damaged = log.load::<SessionState>(stream).is_err_and(|error| error.is_integrity());
    damaged && log.records(stream).is_ok()
}

fn git_itself(project: &Project) -> Finding {
    let deadline = git::Deadline::after(std::time::Duration::from_secs(5));
    match git::output(git::command(&project.root), ["--version"], deadline) {
        Ok(version) => Finding::good("git", String::from_utf8_lossy(&version).trim().to_owned()),
        Err(error) => Finding::bad(
            "git",
            format!("{error}; without git no gate can tell whether files changed"),
            "install git and make sure that it is on PATH",
        ),
    }
}

fn program(host: &Host) -> Finding {
    match host.own_name() {
        name if name == "waypost" => Finding::good("program", "waypost is on PATH"),
        path => Finding::warning(
            "program",
            format!("waypost is not on PATH; agents are told to call {path}"),
            "add its folder to PATH, for instance in ~/.profile",
        ),
    }
}

fn configuration(project: &Project) -> Vec<Finding> {
    let config = match config::read(&project.config_file()) {
        Ok(Some(config)) => config,
        Ok(None) => {
            return vec![Finding::warning(
                "configuration",
                "this checkout has no waypost.toml; the last gates stay in force",
                "check out a commit that has it, or run `waypost init`",
            )];
        }
        Err(error) => return vec![Finding::error("configuration", &error)],
    };
    let mut findings: Vec<Finding> = config
        .problems
        .iter()
        .map(|problem| Finding::bad("configuration", problem.to_string(), "mend that line"))
        .collect();
    for circle in graph::circles(&config.policy.gates) {
        let path = circle.join(" → ");
        findings.push(Finding::warning(
            "gates",
            format!("what would satisfy these gates is held by the next: {path}"),
            "let one of them stand before something else, or ask for something else",
        ));
    }
    let gates = config.policy.gates.len();
    if findings.is_empty() {
        let plural = if gates == 1 { "" } else { "s" };
        findings.push(Finding::good("configuration", format!("{gates} gate{plural}")));
    }
    findings
}

fn streams(workspace: &Workspace<'_>) -> Vec<Finding> {
    let verified = match verify::verify(workspace, None) {
        Ok(verified) => verified,
        Err(error) => return vec![Finding::error("streams", &error)],
    };
    let faults: Vec<Finding> = verified
        .iter()
        .flat_map(|stream| &stream.faults)
        .map(|fault| Finding {
            kind: Kind::Integrity,
            ..Finding::bad("streams", fault, "run `waypost verify --all`; what is derived is rebuilt by `waypost doctor --repair`")
        })
        .collect();
    if faults.is_empty() {
        let records: u64 = verified.iter().map(|stream| stream.records).sum();
        let (streams, all) = (verified.len(), "all signed and in order");
        return vec![Finding::good(
            "streams",
            format!("{streams} streams, {records} records, {all}"),
        )];
    }
    faults
}

fn hooks(project: &Project) -> Vec<Finding> {
    let found = match init::registrations(project) {
        Ok(found) => found,
        Err(error) => return vec![Finding::error("hooks", &error)],
    };
    if found.is_empty() {
        let missing = "no harness calls Waypost in this project";
        return vec![Finding::bad("hooks", missing, "run `waypost init`")];
    }
    found.iter().map(|registration| probe::probe(project, registration)).collect()
}
