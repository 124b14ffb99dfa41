//! `waypost completions`

use std::process::ExitCode;

use clap::{Args, CommandFactory, ValueEnum};
use clap_complete::Shell;

use super::Cli;
use crate::ui;

/// Write a script that lets a shell complete commands and options
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost completions bash > ~/.local/share/bash-completion/completions/waypost
  waypost completions zsh > ~/.zfunc/_waypost
  waypost completions fish > ~/.config/fish/completions/waypost.fish")]
pub(super) struct CompletionsArgs {
    /// The shell
    shell: Supported,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Supported {
    Bash,
    Zsh,
    Fish,
}

impl CompletionsArgs {
    pub(super) fn run(self) -> ExitCode {
        let shell = match self.shell {
            Supported::Bash => Shell::Bash,
            Supported::Zsh => Shell::Zsh,
            Supported::Fish => Shell::Fish,
        };
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut Cli::command(), "waypost", &mut script);
        ui::line(String::from_utf8_lossy(&script).trim_end());
        ExitCode::SUCCESS
    }
}
