//! The live probe: runs the installed hook command with something forbidden and sees it denied.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::Finding;
use crate::init::Registration;
use crate::project::Project;

const WANTED: &[&str] = &[
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "Stop",
    "SessionEnd",
];
const LIMIT: Duration = Duration::from_secs(10);

/// Asks the installed command whether an agent may write into Waypost's own files.
pub(super) fn probe(project: &Project, registration: &Registration) -> Finding {
    let place = registration.file.display();
    let missing: Vec<&str> = WANTED
        .iter()
        .filter(|event| !registration.events.iter().any(|known| known == *event))
        .copied()
        .collect();
    if !missing.is_empty() {
        let detail = format!("{place}: not registered for {}", missing.join(", "));
        return Finding::bad("hooks", detail, "run `waypost init` again");
    }
    let shared = registration.args.len() == 1;
    let root = project.root.to_string_lossy();
    let command = registration.command.replace("${CLAUDE_PROJECT_DIR}", &root);
    match ask(project, &command, &registration.args) {
        Err(error) => Finding::bad(
            "hooks",
            format!("{place}: `{command}` does not work: {error}"),
            "run `waypost init` again, with the waypost that you want to keep",
        ),
        Ok(answer) if answer.contains("\"permissionDecision\":\"deny\"") => {
            Finding::good("hooks", format!("{place}: a forbidden write was denied"))
        }
        // The shared registration leaves the work to the local one.
        Ok(answer) if shared && answer.is_empty() => {
            Finding::good("hooks", format!("{place}: yields to the local registration"))
        }
        Ok(_) => Finding::bad(
            "hooks",
            format!("{place}: `{command}` let a forbidden write pass"),
            "run `waypost init` again; if it stays, please report it",
        ),
    }
}

fn ask(project: &Project, command: &str, args: &[String]) -> Result<String, String> {
    let target = project.store.join("project/events.jsonl");
    let event = serde_json::json!({
        "session_id": "waypost-doctor",
        "cwd": project.root,
        "hook_event_name": "PreToolUse",
        "tool_name": "Write",
        "tool_input": {"file_path": target, "content": ""},
        "tool_use_id": "waypost-doctor",
    });
    let (ours, theirs) = UnixStream::pair().map_err(|error| error.to_string())?;
    let mut child = Command::new(command)
        .args(args)
        .current_dir(&project.root)
        .env("CLAUDE_PROJECT_DIR", &project.root)
        .stdin(Stdio::from(std::os::fd::OwnedFd::from(theirs)))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| error.to_string())?;
    let mut ours = ours;
    // A command that ends without reading is judged by its answer.
    let _ = ours.write_all(event.to_string().as_bytes());
    let _ = ours.shutdown(std::net::Shutdown::Write);
    let begun = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if begun.elapsed() > LIMIT => {
                // It is given up on either way.
                let _ = child.kill();
                return Err(format!("no answer within {} s", LIMIT.as_secs()));
            }
            Ok(None) => std::thread::sleep(Duration::from_millis(2)),
            Err(error) => return Err(error.to_string()),
        }
    };
    let mut answer = String::new();
    if let Some(mut stdout) = child.stdout.take() {
        stdout.read_to_string(&mut answer).map_err(|error| error.to_string())?;
    }
    if status.success() { Ok(answer) } else { Err(format!("it ended with {status}")) }
}
