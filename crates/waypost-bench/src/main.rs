//! `scripts/bench`: what a hook call costs, with `--store` what the event store costs, with `--mcp`
//! what the MCP server costs, with `--growth` what becomes slower as a project grows, with `--git` what
//! git's own hook costs, with `--index` what the index costs, with `--web` what the pages cost, each figure beside its floor in the same run.
//!
//! Sets projects up as a person would, makes sure that the hook there really holds an agent, then
//! spawns everything in [`rows::ROWS`] over and over in a shuffled order, or takes the figures of
//! [`store`]. Never a test: a missed target is printed and changes nothing; the exit status tells
//! only whether all of it ran.

mod arguments;
mod event;
mod failure;
mod git;
mod growth;
mod index;
mod mcp;
mod measure;
mod place;
mod places;
mod programs;
mod report;
mod rows;
mod shuffle;
mod spawn;
mod spending;
mod statistics;
mod store;
mod table;
mod temporary;
mod web;

use std::path::Path;
use std::process::ExitCode;

use arguments::{Arguments, Parsed, What};
use failure::{During, Failure};
use place::Place;
use places::Places;
use programs::Programs;

/// As in the binary that is released: what is measured in this process has the same allocator.
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    let report = match Arguments::parse(std::env::args().skip(1)) {
        Ok(Parsed::Run(arguments)) => match arguments.what {
            What::Hooks => run_hooks(&arguments),
            What::Store => run_store(&arguments),
            What::Mcp => run_mcp(&arguments),
            What::Growth => run_growth(&arguments),
            What::Git => run_git(&arguments),
            What::Index => run_index(&arguments),
            What::Web => run_web(&arguments),
        },
        Ok(Parsed::Write { session, events }) => store::writers::write(&session, events),
        Ok(Parsed::Help) => {
            print!("{}", arguments::USAGE);
            return ExitCode::SUCCESS;
        }
        Err(failure) => {
            eprint!("waypost-bench: {failure}\n\n{}", arguments::USAGE);
            return ExitCode::from(2);
        }
    };
    match report {
        Ok(report) => {
            print!("{report}");
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("waypost-bench: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run_hooks(arguments: &Arguments) -> Result<String, Failure> {
    let rows = rows::select(arguments.only.as_deref())?;
    let folder = temporary::Folder::create(&std::env::temp_dir(), "waypost-bench")?;
    let programs = Programs::build(folder.path(), arguments)?;
    let places = Places::set_up(folder.path(), &programs, Place::OF_HOOKS)?;
    let candidates: Vec<_> = rows.iter().map(|row| places.spawn(row.subject, &programs)).collect();
    let rounds = arguments.rounds;
    eprintln!("{} rows, {rounds} rounds ...", rows.len());
    let samples = measure::interleaved(&rows, &candidates, rounds)?;
    let lines = report::lines(&rows, &samples)?;
    Ok(if arguments.json { table::json(&lines, rounds) } else { table::text(&lines, rounds) })
}

/// A folder beside this program and not where temporary files are: those may live in memory, where
/// nothing ever waits for a disk.
fn folder_on_disk() -> Result<temporary::Folder, Failure> {
    let own = std::env::current_exe().during(|| "finding this program".to_owned())?;
    let beside = own.parent().unwrap_or(Path::new("/"));
    temporary::Folder::create(beside, "waypost-bench")
}

fn run_mcp(arguments: &Arguments) -> Result<String, Failure> {
    mcp::measure(folder_on_disk()?.path(), arguments)
}

fn run_git(arguments: &Arguments) -> Result<String, Failure> {
    git::measure(folder_on_disk()?.path(), arguments)
}

fn run_index(arguments: &Arguments) -> Result<String, Failure> {
    index::measure(folder_on_disk()?.path(), arguments)
}

fn run_web(arguments: &Arguments) -> Result<String, Failure> {
    web::measure(folder_on_disk()?.path(), arguments)
}

fn run_growth(arguments: &Arguments) -> Result<String, Failure> {
    let folder = folder_on_disk()?;
    let programs = Programs::build(folder.path(), arguments)?;
    growth::measure(folder.path(), &programs, arguments)
}

fn run_store(arguments: &Arguments) -> Result<String, Failure> {
    let folder = folder_on_disk()?;
    let programs = Programs::build(folder.path(), arguments)?;
    let places = Places::set_up(folder.path(), &programs, Place::OF_STORE)?;
    let figures = store::measure(&places, &programs, arguments)?;
    let rounds = arguments.rounds;
    Ok(if arguments.json {
        store::table::json(&figures, rounds)
    } else {
        store::table::text(&figures, rounds)
    })
}
