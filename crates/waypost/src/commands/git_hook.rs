//! `waypost git-hook`

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use waypost_app::enforce::git_hook;
use waypost_app::machine::host::Host;
use waypost_app::setup::init::git_hooks;

use crate::{reference_transaction, ui};

/// Ask the gates before a commit or a push (called by git, not by people)
///
/// `waypost init --git-hooks` lets git call it. It ends with 1 if a gate holds the commit or the push,
/// or if that cannot be told, and says what to do. As `reference-transaction`, which `waypost init` lets
/// git call by itself, it notes what happens to branches, and holds nobody but agents.
#[derive(Debug, Args)]
pub(super) struct GitHookArgs {
    /// The hook that git calls
    #[arg(value_parser = ["pre-commit", "pre-push", "reference-transaction"])]
    hook: String,
    /// What git gives to its hook
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<OsString>,
}

impl GitHookArgs {
    pub(super) fn run(self, host: &Host) -> ExitCode {
        if self.hook == "reference-transaction" {
            let phase = self.rest.first().map(OsString::as_os_str);
            return reference_transaction::run(phase, self.rest.get(1).map(Path::new));
        }
        let called = git_hooks::GitHook::ALL.into_iter().find(|hook| hook.name() == self.hook);
        let index = std::env::var_os("GIT_INDEX_FILE").map(PathBuf::from);
        let Some(hook) = called else {
            return ExitCode::FAILURE;
        };
        match git_hook::ask(host, hook, index.as_deref()) {
            Ok(answer) => {
                ui::warnings(&answer.warnings);
                let Some(held) = answer.held else {
                    return ExitCode::SUCCESS;
                };
                ui::error(&held, &[]);
            }
            // Whatever sort of failure it is, git only has to know that it may not go on.
            Err(error) => {
                let told = format!("Waypost cannot tell whether its gates hold: {}", error.message);
                ui::error(&told, &error.hints);
            }
        }
        ExitCode::FAILURE
    }
}
