//! The `waypost` program: commands, wiring, output.
//!
//! `waypost hook` runs on every tool call of an agent, so it is told apart before anything else,
//! the command line's parser included, is touched.

mod commands;
mod error;
mod hook;
mod passphrase;
mod ui;
mod wiring;

use std::process::ExitCode;

/// The one of musl maps and unmaps pages for nearly every buffer that grows.
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    if args.next().is_some_and(|first| first == "hook") {
        let rest: Vec<_> = args.collect();
        if let Some(code) = hook::run(&rest) {
            return code;
        }
    }
    commands::run()
}
