//! Whether agents get Waypost's MCP server: registered, approved, and answering with its tools.

use std::process::Command;
use std::time::Duration;

use serde_json::json;
use waypost_core::text::one_line;

use super::conversation::{Conversation, Failure};
use super::{Finding, Patient};
use crate::init::{self, SERVER, Server};
use crate::project::Project;

const CHECK: &str = "mcp";
const FILE: &str = ".mcp.json";
const PROTOCOL: &str = "2025-11-25";
const LIMIT: Duration = Duration::from_secs(10);

pub(super) fn check(patient: &Patient<'_>) -> Vec<Finding> {
    let server = match init::registered_server(&patient.project) {
        Ok(Some(server)) => server,
        Ok(None) => {
            let detail =
                format!("{FILE} does not register Waypost's server: agents lack its tools");
            return vec![Finding::warning(CHECK, detail, "waypost init")];
        }
        Err(error) => return vec![Finding::error(CHECK, &error)],
    };
    if let Some(refused) = refused(patient) {
        return vec![refused];
    }
    let mut findings: Vec<Finding> = unapproved(patient, &server).into_iter().collect();
    findings.push(probe(patient, &server));
    findings
}

/// The user does not want it: so it is not started here either.
fn refused(patient: &Patient<'_>) -> Option<Finding> {
    let file = patient.settings.files.iter().find(|file| file.server.is_refused)?;
    let place = patient.project.relative(&file.path);
    let detail = format!("{place} names {SERVER} among disabledMcpjsonServers: it is not started");
    let fix = format!("to have it started, take {SERVER} out of that list");
    Some(Finding::warning(CHECK, detail, fix))
}

fn unapproved(patient: &Patient<'_>, server: &Server) -> Option<Finding> {
    let files = || patient.settings.files.iter().map(|file| file.server);
    // The first that says anything about all servers wins over the others.
    let all = files().find_map(|said| said.all) == Some(true);
    if all || files().any(|said| said.is_approved) {
        return None;
    }
    let detail = format!("no settings approve the server of {FILE}: the client asks first");
    let fix = if is_ours(patient, server) {
        "waypost init"
    } else {
        "say yes when the client asks, if it is a server that you want"
    };
    Some(Finding::warning(CHECK, detail, fix))
}

/// Starts the registered command as a client does, and asks for its tools.
fn probe(patient: &Patient<'_>, server: &Server) -> Finding {
    let Some(command) = &server.command else {
        let detail = format!("{FILE}: {SERVER} is no command to be started, so it was not asked");
        let fix = format!("take it out of {FILE}, then run `waypost init`");
        return Finding::warning(CHECK, detail, fix);
    };
    let wrong = |why: String, fix: String| {
        Finding::bad(CHECK, format!("{FILE}: `{}` {why}", one_line(command)), fix)
    };
    let fix = || {
        if is_ours(patient, server) {
            "run `waypost init` again, with the waypost that you want to keep".to_owned()
        } else {
            format!("take {SERVER} out of {FILE}, then run `waypost init`")
        }
    };
    match ask(&patient.project, command, server) {
        Ok(Said { name, .. }) if name != SERVER => {
            wrong(format!("is another server, named {:?}", one_line(&name)), fix())
        }
        Ok(Said { tools: 0, .. }) => wrong("offers no tools".to_owned(), fix()),
        Ok(Said { tools, .. }) => {
            let plural = if tools == 1 { "" } else { "s" };
            Finding::good(CHECK, format!("{FILE}: the server answered with {tools} tool{plural}"))
        }
        Err(failure @ Failure::NotFound) if server.is_portable() => {
            let folder = patient.host.exe.parent().map(|folder| folder.display().to_string());
            let folder = folder.unwrap_or_default();
            let fix = format!("add its folder to PATH: export PATH=\"{folder}:$PATH\"");
            wrong(format!("{failure} on PATH"), fix)
        }
        Err(failure) => wrong(failure.to_string(), fix()),
    }
}

/// What a server says about itself.
struct Said {
    name: String,
    tools: usize,
}

fn ask(project: &Project, command: &str, server: &Server) -> Result<Said, Failure> {
    let root = project.root.to_string_lossy();
    let filled = |text: &str| filled_in(text, &root);
    let mut program = Command::new(filled(command));
    program
        .args(server.args.iter().map(|arg| filled(arg)))
        .current_dir(&project.root)
        .env("CLAUDE_PROJECT_DIR", &project.root)
        .envs(server.env.iter().map(|(name, value)| (name, filled(value))));
    let mut talk = Conversation::start(&mut program, LIMIT)?;
    let client = json!({"name": "waypost doctor", "version": env!("CARGO_PKG_VERSION")});
    let hello = json!({"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client});
    let hello = talk.ask("initialize", &hello)?;
    let name = hello["serverInfo"]["name"].as_str().unwrap_or_default().to_owned();
    if name != SERVER {
        return Ok(Said { name, tools: 0 });
    }
    talk.tell("notifications/initialized");
    let listed = talk.ask("tools/list", &json!({}))?;
    Ok(Said { name, tools: listed["tools"].as_array().map_or(0, Vec::len) })
}

fn is_ours(patient: &Patient<'_>, server: &Server) -> bool {
    server.is_ours(patient.host.exe.to_str())
}

/// Puts variables in as the client does: `${NAME}`, or `${NAME:-otherwise}`.
fn filled_in(text: &str, root: &str) -> String {
    let (mut result, mut rest) = (String::new(), text);
    while let Some((before, (inner, after))) =
        rest.split_once("${").and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
    {
        let (name, otherwise) = match inner.split_once(":-") {
            Some((name, otherwise)) => (name, Some(otherwise)),
            None => (inner, None),
        };
        let value = match name {
            "CLAUDE_PROJECT_DIR" => Some(root.to_owned()),
            _ => std::env::var(name).ok(),
        };
        result.push_str(before);
        match value.as_deref().or(otherwise) {
            Some(value) => result.push_str(value),
            None => result.extend(["${", inner, "}"]),
        }
        rest = after;
    }
    result + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_filled_in_as_the_client_does() {
        for (text, expected) in [
            ("/a/waypost", "/a/waypost"),
            ("${CLAUDE_PROJECT_DIR}/x", "/top/x"),
            ("a${WAYPOST_NEVER_SET:-b}c${CLAUDE_PROJECT_DIR:-d}", "abc/top"),
            ("${WAYPOST_NEVER_SET}", "${WAYPOST_NEVER_SET}"),
            ("${open $HOME", "${open $HOME"),
        ] {
            assert_eq!(filled_in(text, "/top"), expected);
        }
    }
}
