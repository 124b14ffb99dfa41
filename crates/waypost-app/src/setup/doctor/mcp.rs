//! Whether agents get Waypost's MCP server: registered, approved, and answering with its tools.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::json;
use waypost_core::next_step::{Mend, NextStep, amid};
use waypost_core::text::one_line;

use super::conversation::{Conversation, Failure};
use super::settings::All;
use super::{Finding, Patient, brought};
use crate::harness::{SERVER, Server};
use crate::setup::init;

const CHECK: &str = "mcp";
const PROTOCOL: &str = "2025-11-25";
const LIMIT: Duration = Duration::from_secs(10);

pub(super) fn check(patient: &Patient<'_>) -> Vec<Finding> {
    let is_used = |all: &&All<'_>| !all.registrations.is_empty() || all.plugin.is_some();
    let used: Vec<&All<'_>> = patient.settings.iter().filter(is_used).collect();
    // Where no harness calls Waypost, those are told of that it would be set up for; others are nobody's here.
    let asked = if used.is_empty() {
        let there = init::found(patient.host, &patient.project);
        let is_there = |all: &&All<'_>| there.iter().any(|one| std::ptr::eq(*one, all.local));
        patient.settings.iter().filter(is_there).collect()
    } else {
        used
    };
    asked.into_iter().flat_map(|all| check_client(patient, all)).collect()
}

fn check_client(patient: &Patient<'_>, settings: &All<'_>) -> Vec<Finding> {
    let (host, project) = (patient.host, &patient.project);
    let (path, server) = match init::registered_server(host, settings.local, project) {
        Ok(Some(registered)) => registered,
        Ok(None) => return Vec::new(),
        Err(error) => return vec![Finding::error(CHECK, &error)],
    };
    let client = Client { patient, settings, path: &path, file: project.relative(&path) };
    let Some(server) = server else {
        if let Some((file, server)) =
            settings.plugin.as_ref().and_then(|found| found.server.as_ref())
        {
            let client = Client { patient, settings, path: file, file: project.relative(file) };
            return vec![client.judge(server)];
        }
        let detail =
            format!("{} does not register Waypost's server: agents lack its tools", client.file);
        return vec![Finding::warning(CHECK, detail, Mend::SetUp)];
    };
    if let Some(refused) = client.refused() {
        return vec![refused];
    }
    let mut findings: Vec<Finding> = client.unapproved(&server).into_iter().collect();
    findings.push(client.probe(&server));
    findings
}

/// A client that may start the server.
struct Client<'a> {
    patient: &'a Patient<'a>,
    settings: &'a All<'a>,
    /// Where it finds the server.
    path: &'a Path,
    /// The same, as it is shown.
    file: String,
}

impl Client<'_> {
    /// The user does not want it: so it is not started here either.
    fn refused(&self) -> Option<Finding> {
        let file = self.settings.files.iter().find(|file| file.said.server.is_refused)?;
        let place = self.patient.project.relative(&file.path);
        let word = self.settings.local.facts().words.servers_off;
        let detail = format!("{place} names {SERVER} among {word}: it is not started");
        let fix = format!("to have it started, take {SERVER} out of that list");
        Some(Finding::warning(CHECK, detail, fix))
    }

    fn unapproved(&self, server: &Server) -> Option<Finding> {
        let files = || self.settings.files.iter().map(|file| file.said.server);
        // The first that says anything about all servers wins over the others.
        let all = files().find_map(|said| said.all) == Some(true);
        if all || files().any(|said| said.is_approved) {
            return None;
        }
        let file = &self.file;
        let detail = format!("no settings approve the server of {file}: the client asks first");
        let fix: NextStep = if self.is_ours(server) {
            Mend::SetUp.into()
        } else {
            "say yes when the client asks, if it is a server that you want".into()
        };
        Some(Finding::warning(CHECK, detail, fix))
    }

    /// Starts the registered command as a client does, and asks for its tools.
    fn probe(&self, server: &Server) -> Finding {
        let file = &self.file;
        let Some(command) = &server.command else {
            let detail =
                format!("{file}: {SERVER} is no command to be started, so it was not asked");
            let fix = amid(format!("take it out of {file}, then run "), Mend::SetUp, "");
            return Finding::warning(CHECK, detail, fix);
        };
        // What is set for a program may make something else of it.
        let is_plain = self.is_ours(server) && server.env.is_empty();
        let taken = if is_plain { command.as_str() } else { "" };
        if brought::is_foreign(self.patient, self.path, taken) {
            let detail = format!(
                "{file}: `{}` came with the repository, so it was not started",
                one_line(command)
            );
            let fix = format!(
                "see what it does before a client starts it, or take {SERVER} out of {file}"
            );
            return Finding::warning(CHECK, detail, fix);
        }
        self.judge(server)
    }

    /// The same of one that nobody else can have put there.
    fn judge(&self, server: &Server) -> Finding {
        let file = &self.file;
        let command = server.command.as_deref().unwrap_or_default();
        let wrong = |why: String, fix: NextStep| {
            Finding::bad(CHECK, format!("{file}: `{}` {why}", one_line(command)), fix)
        };
        let fix = || {
            if self.is_ours(server) {
                amid("run ", Mend::SetUp, " again, with the waypost that you want to keep")
            } else {
                amid(format!("take {SERVER} out of {file}, then run "), Mend::SetUp, "")
            }
        };
        match self.ask(command, server) {
            Ok(Said { name, .. }) if name != SERVER => {
                wrong(format!("is another server, named {:?}", one_line(&name)), fix())
            }
            Ok(Said { tools: 0, .. }) => wrong("offers no tools".to_owned(), fix()),
            Ok(Said { tools, .. }) => {
                let plural = if tools == 1 { "" } else { "s" };
                let detail = format!("{file}: the server answered with {tools} tool{plural}");
                Finding::good(CHECK, detail)
            }
            Err(failure @ Failure::NotFound) if server.is_portable() => {
                let folder = self.patient.host.exe.parent();
                let folder = folder.map(|folder| folder.display().to_string()).unwrap_or_default();
                let fix = format!("add its folder to PATH: export PATH=\"{folder}:$PATH\"");
                wrong(format!("{failure} on PATH"), fix.into())
            }
            Err(failure) => wrong(failure.to_string(), fix()),
        }
    }

    fn ask(&self, command: &str, server: &Server) -> Result<Said, Failure> {
        let root = &self.patient.project.root;
        let variable = self.settings.local.facts().project_dir.map(|name| (name, root));
        let filled = |text: &str| filled_in(text, variable);
        let mut program = Command::new(filled(command));
        program
            .args(server.args.iter().map(|arg| filled(arg)))
            .current_dir(root)
            .envs(variable)
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

    fn is_ours(&self, server: &Server) -> bool {
        server.is_ours(self.patient.host.exe.to_str())
    }
}

/// What a server says about itself.
struct Said {
    name: String,
    tools: usize,
}

/// Puts variables in as the client does: `${NAME}`, or `${NAME:-otherwise}`.
fn filled_in(text: &str, own: Option<(&str, &PathBuf)>) -> String {
    let (mut result, mut rest) = (String::new(), text);
    while let Some((before, (inner, after))) =
        rest.split_once("${").and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
    {
        let (name, otherwise) = match inner.split_once(":-") {
            Some((name, otherwise)) => (name, Some(otherwise)),
            None => (inner, None),
        };
        let own = own.filter(|(variable, _)| *variable == name);
        let own = own.map(|(_, folder)| folder.to_string_lossy().into_owned());
        let value = own.or_else(|| std::env::var(name).ok());
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
            ("${PROJECT}/x", "/top/x"),
            ("a${WAYPOST_NEVER_SET:-b}c${PROJECT:-d}", "abc/top"),
            ("${WAYPOST_NEVER_SET}", "${WAYPOST_NEVER_SET}"),
            ("${open $HOME", "${open $HOME"),
        ] {
            assert_eq!(filled_in(text, Some(("PROJECT", &PathBuf::from("/top")))), expected);
        }
    }
}
