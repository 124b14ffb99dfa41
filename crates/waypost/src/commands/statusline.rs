//! `waypost statusline`

use std::io::{IsTerminal, Read};
use std::process::ExitCode;

use clap::Args;
use waypost_app::harness::{Local, StatusLine};
use waypost_app::machine::host::Host;
use waypost_app::standing::statusline;
use waypost_app::view::View;

use crate::{ui, wiring};

/// More than this is not read.
const MAX_INPUT: u64 = 1024 * 1024;

/// Show where the session stands in one line, for the status line of a harness
///
/// Reads what the harness gives to its status line from standard input, if anything is there, to
/// find the conversation. Says nothing where there is nothing to say, and never fails.
#[derive(Debug, Args)]
#[command(after_help = examples())]
pub(super) struct StatuslineArgs {
    /// Show what the session used, too
    #[arg(long)]
    cost: bool,
}

fn examples() -> String {
    let harnesses: Vec<&str> = wiring::harness_facts()
        .map(|one| one.examples.status_line)
        .filter(|line| !line.is_empty())
        .collect();
    let harnesses = harnesses.join("\n");
    format!("Examples:\n  waypost statusline        of this work tree\n{harnesses}")
}

impl StatuslineArgs {
    pub(super) fn run(&self, host: &Host) -> ExitCode {
        let (harness, given) = given(host).unwrap_or_default();
        let folder = given.folders.into_iter().find(|folder| folder.is_dir());
        let cwd = folder.unwrap_or_else(|| host.cwd.clone());
        let asking = given.conversation.and_then(|id| Some((harness.to_owned(), id.parse().ok()?)));
        let conversation = asking.or_else(|| host.conversation.clone());
        let host = Host { cwd, conversation, ..host.clone() };
        let line = View::open(&host).ok().and_then(|view| statusline::of(&view, self.cost));
        if let Some(line) = line {
            ui::line(line);
        }
        ExitCode::SUCCESS
    }
}

/// What a harness gives, and which one.
fn given(host: &Host) -> Option<(&'static str, StatusLine)> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return None;
    }
    let mut text = Vec::new();
    stdin.lock().take(MAX_INPUT).read_to_end(&mut text).ok()?;
    let read = |known: &Local| Some((known.facts().name, known.harness.status_line(&text)?));
    host.harnesses.iter().find_map(read)
}
