//! What git's `reference-transaction` hook costs: a call beside `/bin/true`, and a commit beside one where that is the
//! hook. And what a stop costs beside `git status`.

mod stops;

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::arguments::Arguments;
use crate::event::Event;
use crate::failure::{During, Failure};
use crate::store::figure::{Figure, Target};
use crate::store::pair::{Pair, by_turns, time};
use crate::store::table;

const HOOK: &str = ".git/hooks/reference-transaction";
const OLD: &str = "0000000000000000000000000000000000000000";
const NEW: &str = "1111111111111111111111111111111111111111";
const CONVERSATION: &str = "35cdd49e-b292-477b-8105-7f2b93d927f9";
/// A gate that asks for a run, and no gate at all.
const MET: &str = "[project]\npublish = \"never\"\n\n[[gate]]\nid = \"tested\"\nbefore = [\"commit\"]\n\
    proof = { ran = \"./check.sh*\", fresh = \"tree\" }\n";
const NONE: &str = "[project]\npublish = \"never\"\n";

/// Takes all figures.
pub(crate) fn measure(folder: &Path, arguments: &Arguments) -> Result<String, Failure> {
    let rounds = arguments.rounds;
    let plain = Repository::set_up(folder, "plain", arguments, NONE)?;
    let plain = plain.with_hook(Path::new("/bin/true"))?;
    let gated = Repository::set_up(folder, "gated", arguments, MET)?;
    let agent = Repository::set_up(folder, "agent", arguments, NONE)?.with_agent()?;
    let proven = Repository::set_up(folder, "proven", arguments, MET)?.with_agent()?.proven()?;
    let other = format!("{OLD} {NEW} refs/stash\n");
    let branch = format!("{OLD} {NEW} HEAD\n{OLD} {NEW} refs/heads/main\n");
    let mut figures = Vec::new();
    for (name, phase, told) in [
        ("a call for another ref", "prepared", &other),
        ("a person's branch, before", "prepared", &branch),
        ("a person's branch, after", "committed", &branch),
    ] {
        eprintln!("{name} ...");
        let pair = by_turns(rounds, 1, || gated.call(phase, told), || plain.call(phase, told))?;
        figures.push(Figure::new(name, "/bin/true", pair, Target::AtMost(1.0)));
    }
    for (name, repository) in [
        ("a person's commit", &gated),
        ("an agent's commit, no gate", &agent),
        ("an agent's commit, proven", &proven),
    ] {
        eprintln!("{name} ...");
        let pair: Pair = by_turns(rounds, 1, || repository.commit(), || plain.commit())?;
        figures.push(Figure::new(name, "a commit, /bin/true as hook", pair, Target::AtMost(1.2)));
    }
    figures.extend(stops::measure(folder, arguments)?);
    Ok(if arguments.json { table::json(&figures, rounds) } else { table::text(&figures, rounds) })
}

/// A repository with a hook, and a home of its own.
struct Repository {
    root: PathBuf,
    home: PathBuf,
    waypost: PathBuf,
    is_agent: bool,
}

impl Repository {
    fn set_up(
        folder: &Path,
        name: &str,
        arguments: &Arguments,
        config: &str,
    ) -> Result<Self, Failure> {
        let (root, home) = (folder.join(name), folder.join(format!("{name}-home")));
        let repository = Self { root, home, waypost: arguments.waypost.clone(), is_agent: false };
        for folder in [&repository.root, &repository.home] {
            fs::create_dir(folder).during(|| folder.display().to_string())?;
        }
        let write =
            |path: &Path, text: &str| fs::write(path, text).during(|| path.display().to_string());
        write(
            &repository.home.join(".gitconfig"),
            "[user]\nname=bench\nemail=b@example.org\n[gc]\nauto=0\n",
        )?;
        for file in 0..200 {
            write(&repository.root.join(format!("{file}.txt")), &format!("{file}\n"))?;
        }
        write(&repository.root.join("waypost.toml"), config)?;
        write(&repository.root.join("check.sh"), "#!/bin/sh\n")?;
        repository.run("git", &["init", "-q", "-b", "main"])?;
        let waypost = repository.waypost.display().to_string();
        repository.run(&waypost, &["init", "--harness", "claude-code"])?;
        repository.run("git", &["add", "-A"])?;
        repository.run("git", &["commit", "-q", "-m", "begin"])?;
        Ok(repository)
    }

    /// The same with another program as its hook.
    fn with_hook(self, program: &Path) -> Result<Self, Failure> {
        let hook = self.root.join(HOOK);
        let during = || hook.display().to_string();
        fs::remove_file(&hook).and_then(|()| symlink(program, &hook)).during(during)?;
        Ok(self)
    }

    /// The same with an agent in it, which from then on calls everything.
    fn with_agent(mut self) -> Result<Self, Failure> {
        self.is_agent = true;
        for event in [Event::SessionStart, Event::UserPromptSubmit] {
            let input = event.input(CONVERSATION, &self.root);
            let mut command = self.command(&self.waypost);
            feed(command.args(["hook", "claude-code"]), &input)?;
        }
        Ok(self)
    }

    /// The same with a run that proves its content.
    fn proven(self) -> Result<Self, Failure> {
        let waypost = self.waypost.display().to_string();
        self.run("chmod", &["+x", "check.sh"])?;
        self.run(&waypost, &["run", "--", "./check.sh"])?;
        Ok(self)
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", &self.home).env("PATH", "/usr/local/bin:/usr/bin:/bin");
        if self.is_agent {
            command.env("CLAUDE_CODE_SESSION_ID", CONVERSATION);
        }
        command.current_dir(&self.root);
        command
    }

    fn run(&self, program: &str, args: &[&str]) -> Result<(), Failure> {
        feed(self.command(Path::new(program)).args(args), b"")
    }

    /// One call of the hook, as git makes it.
    fn call(&self, phase: &str, told: &str) -> Result<Duration, Failure> {
        let mut command = self.command(&self.root.join(HOOK));
        command.arg0(HOOK).arg(phase);
        time(|| feed(&mut command, told.as_bytes()))
    }

    /// One commit.
    fn commit(&self) -> Result<Duration, Failure> {
        time(|| self.run("git", &["commit", "-q", "--allow-empty", "-m", "x"]))
    }
}

/// Runs a command to its end, which has to be a good one.
fn feed(command: &mut Command, input: &[u8]) -> Result<(), Failure> {
    let told = format!("running {command:?}");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().during(|| told.clone())?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read its input may be gone already.
        let _ = stdin.write_all(input);
    }
    let output = child.wait_with_output().during(|| told.clone())?;
    if output.status.success() {
        return Ok(());
    }
    Err(Failure::new(format!("{told}: {}", String::from_utf8_lossy(&output.stderr))))
}
