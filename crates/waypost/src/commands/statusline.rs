//! `waypost statusline`

use std::io::{IsTerminal, Read};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde::Deserialize;
use waypost_app::host::Host;
use waypost_app::statusline;
use waypost_app::view::View;
use waypost_core::id::ConversationId;

use crate::ui;

/// More than this is not read.
const MAX_INPUT: u64 = 1024 * 1024;

/// Show where the session stands in one line, for the status line of a harness
///
/// Reads what Claude Code gives to its status line from standard input, if anything is there, to
/// find the conversation. Says nothing where there is nothing to say, and never fails.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost statusline        of this work tree
  In Claude Code's settings.json:
    \"statusLine\": { \"type\": \"command\", \"command\": \"waypost statusline\" }")]
pub(super) struct Statusline {}

/// What a harness gives: anything of it may be missing.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Given {
    session_id: Option<String>,
    cwd: Option<PathBuf>,
    workspace: Folders,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Folders {
    current_dir: Option<PathBuf>,
    project_dir: Option<PathBuf>,
}

impl Statusline {
    pub(super) fn run(host: &Host) -> ExitCode {
        let given = given();
        let folders = [given.workspace.project_dir, given.workspace.current_dir, given.cwd];
        let folder = folders.into_iter().flatten().find(|folder| folder.is_dir());
        let cwd = folder.unwrap_or_else(|| host.cwd.clone());
        let host = Host { cwd, ..host.clone() };
        let conversation: Option<ConversationId> = given.session_id.and_then(|id| id.parse().ok());
        let conversation = conversation.as_ref().map(|id| ("claude-code", id));
        let line = View::open(&host).ok().and_then(|view| statusline::of(&view, conversation));
        if let Some(line) = line {
            ui::line(line);
        }
        ExitCode::SUCCESS
    }
}

fn given() -> Given {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return Given::default();
    }
    let mut text = Vec::new();
    let read = stdin.lock().take(MAX_INPUT).read_to_end(&mut text);
    read.ok().and_then(|_| serde_json::from_slice(&text).ok()).unwrap_or_default()
}
