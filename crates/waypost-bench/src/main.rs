//! `scripts/bench`: what a hook call costs, each figure beside its floor in the same run.
//!
//! Sets projects up as a person would, makes sure that the hook there really holds an agent, then
//! spawns everything in [`rows::ROWS`] over and over in a shuffled order. Never a test: a missed
//! target is printed and changes nothing; the exit status tells only whether all of it ran.

mod arguments;
mod event;
mod failure;
mod measure;
mod place;
mod programs;
mod report;
mod rows;
mod shuffle;
mod spawn;
mod statistics;
mod table;
mod temporary;

use std::process::ExitCode;

use arguments::{Arguments, Parsed};
use failure::Failure;
use place::Places;
use programs::Programs;

fn main() -> ExitCode {
    let arguments = match Arguments::parse(std::env::args().skip(1)) {
        Ok(Parsed::Run(arguments)) => arguments,
        Ok(Parsed::Help) => {
            print!("{}", arguments::USAGE);
            return ExitCode::SUCCESS;
        }
        Err(failure) => {
            eprint!("waypost-bench: {failure}\n\n{}", arguments::USAGE);
            return ExitCode::from(2);
        }
    };
    match run(&arguments) {
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

fn run(arguments: &Arguments) -> Result<String, Failure> {
    let rows = rows::select(arguments.only.as_deref())?;
    let folder = temporary::Folder::create("waypost-bench")?;
    let programs = Programs::build(folder.path(), arguments)?;
    let places = Places::set_up(folder.path(), &programs)?;
    let candidates: Vec<_> = rows.iter().map(|row| places.spawn(row.subject, &programs)).collect();
    let rounds = arguments.rounds;
    eprintln!("{} rows, {rounds} rounds ...", rows.len());
    let samples = measure::interleaved(&rows, &candidates, rounds)?;
    let lines = report::lines(&rows, &samples)?;
    Ok(if arguments.json { table::json(&lines, rounds) } else { table::text(&lines, rounds) })
}
