//! The live probe: runs the installed hook command with something forbidden and sees it denied.

use std::process::Command;
use std::time::Duration;

use super::Finding;
use super::call::call;
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
    let place = project.relative(&registration.file);
    let missing: Vec<&str> = WANTED
        .iter()
        .filter(|event| !registration.events.iter().any(|known| known == *event))
        .copied()
        .collect();
    if !missing.is_empty() {
        let detail = format!("{place}: not registered for {}", missing.join(", "));
        return Finding::bad("hooks", detail, "waypost init");
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
    let mut program = Command::new(command);
    program.args(args).current_dir(&project.root).env("CLAUDE_PROJECT_DIR", &project.root);
    let (status, answer) = call(&mut program, event.to_string().as_bytes(), LIMIT)?;
    if status.success() { Ok(answer) } else { Err(format!("it ended with {status}")) }
}
