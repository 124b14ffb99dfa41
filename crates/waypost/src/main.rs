//! The `waypost` program: commands, wiring, output.
//!
//! `waypost hook` runs on every tool call of an agent, and git calls this program as its own hook at every
//! change of a ref: so both are told apart before anything else, the command line's parser included, is
//! touched.

mod commands;
mod error;
mod hook;
mod passphrase;
mod reference_transaction;
mod ui;
mod wiring;

use std::process::ExitCode;

/// The one of musl maps and unmaps pages for nearly every buffer that grows.
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    let mut args = std::env::args_os();
    let program = args.next().unwrap_or_default();
    if let Some(whole_name) = reference_transaction::is_called(&program) {
        return if whole_name {
            reference_transaction::run(args.next().as_deref(), None)
        } else {
            ExitCode::SUCCESS
        };
    }
    let called = match args.next() {
        Some(first) if first == "hook" => hook::run(&args.collect::<Vec<_>>()),
        Some(_) => None,
        None => hook::run_bare(),
    };
    if let Some(code) = called {
        return code;
    }
    commands::run()
}
