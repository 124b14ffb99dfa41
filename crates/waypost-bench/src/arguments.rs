//! The command line.

use std::path::PathBuf;

use crate::failure::{During, Failure};

pub(crate) const USAGE: &str = "\
Usage: waypost-bench --waypost PATH --python PATH [--store | --mcp | --growth | --git | --index | --web] [--rounds N] [--only TEXT] [--folders N] [--json]
       waypost-bench --writer SESSION N

  --waypost PATH  the binary under test
  --python PATH   an interpreter that can import yaml
  --store         the event store instead of hook calls
  --mcp           the MCP server instead of hook calls
  --growth        what becomes slower as a project grows instead of hook calls
  --git           git's own hook, commits with it, and stops, instead of hook calls
  --index         making, scanning and asking the index, and painting watch, instead of hook calls
  --web           the pages instead of hook calls
  --empty-server PATH
                  a server that offers nothing, for --mcp and --web
  --rounds N      spawns of every row, and of the floors for each (default 600; below 500 it is only a look)
  --only TEXT     only rows whose name contains TEXT, and the floors
  --folders N     how many session folders --index reads (default 100000)
  --json          the same as JSON
  --writer        one of many writers; only --store itself calls this
";
const DEFAULT_ROUNDS: usize = 600;
const DEFAULT_FOLDERS: usize = 100_000;

/// What to measure.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Arguments {
    pub(crate) waypost: PathBuf,
    pub(crate) python: PathBuf,
    pub(crate) what: What,
    pub(crate) empty_server: Option<PathBuf>,
    pub(crate) rounds: usize,
    pub(crate) folders: usize,
    pub(crate) only: Option<String>,
    pub(crate) json: bool,
}

/// Which of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    Hooks,
    Store,
    Mcp,
    Growth,
    Git,
    Index,
    Web,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Parsed {
    Run(Arguments),
    Write { session: String, events: usize },
    Help,
}

impl Arguments {
    pub(crate) fn parse(words: impl IntoIterator<Item = String>) -> Result<Parsed, Failure> {
        let (mut waypost, mut python, mut empty_server, mut only) = (None, None, None, None);
        let (mut what, mut rounds, mut json) = (What::Hooks, DEFAULT_ROUNDS, false);
        let mut folders = DEFAULT_FOLDERS;
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let mut value =
                || words.next().ok_or_else(|| Failure::new(format!("{word} wants a value")));
            match word.as_str() {
                "--waypost" => waypost = Some(existing(&value()?)?),
                "--python" => python = Some(existing(&value()?)?),
                "--writer" => {
                    let (session, events) = (value()?, positive(&value()?)?);
                    return Ok(Parsed::Write { session, events });
                }
                "--empty-server" => empty_server = Some(existing(&value()?)?),
                "--store" => what = What::Store,
                "--mcp" => what = What::Mcp,
                "--growth" => what = What::Growth,
                "--git" => what = What::Git,
                "--index" => what = What::Index,
                "--web" => what = What::Web,
                "--rounds" => rounds = positive(&value()?)?,
                "--folders" => folders = positive(&value()?)?,
                "--only" => only = Some(value()?),
                "--json" => json = true,
                "--help" | "-h" => return Ok(Parsed::Help),
                _ => return Err(Failure::new(format!("unknown argument {word}"))),
            }
        }
        Ok(Parsed::Run(Self {
            waypost: waypost.ok_or_else(|| Failure::new("--waypost is missing"))?,
            python: python.ok_or_else(|| Failure::new("--python is missing"))?,
            what,
            empty_server,
            rounds,
            folders,
            only,
            json,
        }))
    }
}

/// An absolute path, since everything is spawned in another folder. Links stay: the interpreter of
/// a virtual environment is one, and knows its libraries by that name.
fn existing(path: &str) -> Result<PathBuf, Failure> {
    let path = std::path::absolute(path).during(|| path.to_owned())?;
    if path.is_file() {
        Ok(path)
    } else {
        Err(Failure::new(format!("there is no file {}", path.display())))
    }
}

fn positive(text: &str) -> Result<usize, Failure> {
    text.parse()
        .ok()
        .filter(|number| *number > 0)
        .ok_or_else(|| Failure::new(format!("a positive number is wanted, not {text:?}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &str) -> Result<Parsed, Failure> {
        Arguments::parse(words.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn six_hundred_rounds_unless_told() {
        let Ok(Parsed::Run(arguments)) = parse("--waypost /bin/true --python /bin/sh") else {
            panic!("these are all that is needed");
        };
        assert_eq!((arguments.rounds, arguments.json, arguments.only), (600, false, None));
        assert_eq!(arguments.what, What::Hooks);
    }

    #[test]
    fn a_writer_needs_only_its_session_and_how_many_events() {
        let write = Parsed::Write { session: "2026-11-15_x_abc".to_owned(), events: 10 };
        assert_eq!(parse("--writer 2026-11-15_x_abc 10"), Ok(write));
        assert!(parse("--writer 2026-11-15_x_abc").is_err());
    }

    #[test]
    fn what_is_wrong_is_named() {
        let both = "--waypost /bin/true --python /bin/sh";
        for (words, named) in [
            ("--python /bin/sh", "--waypost is missing"),
            ("--waypost /bin/true", "--python is missing"),
            (&format!("{both} --rounds 0"), "not \"0\""),
            (&format!("{both} --rounds"), "--rounds wants a value"),
            (&format!("{both} --fast"), "unknown argument --fast"),
            ("--waypost /no/such/file", "there is no file /no/such/file"),
        ] {
            let failure = parse(words).unwrap_err().to_string();
            assert!(failure.contains(named), "{words}: {failure}");
        }
    }
}
