//! The project that the server is measured in: it follows the protocol and has what that asks about.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::client::Client;
use crate::failure::{During, Failure};

const FILES: &[(&str, &str)] = &[
    ("waypost.toml", "[project]\nprotocol = \"builtin\"\n"),
    (".serena/project.yml", "project_name: measured\n"),
    (".serena/memories/skill-usage-mandatory.md", "use the skills\n"),
    (".claude/skills/github/scripts/new-pr.sh", "true\n"),
    (".agents/HANDOFF.md", "where it stands\n"),
    (".agents/governance/PROJECT-CONSTRAINTS.md", "no shell\n"),
    ("src/lib.rs", "//! Greets.\n"),
];

/// The project, with a home of its own.
pub(super) struct Project {
    root: PathBuf,
    home: PathBuf,
    waypost: PathBuf,
}

impl Project {
    /// Sets it up as a person would.
    pub(super) fn set_up(folder: &Path, waypost: &Path) -> Result<Self, Failure> {
        let project = Self {
            root: folder.join("project"),
            home: folder.join("home"),
            waypost: waypost.to_owned(),
        };
        fs::create_dir_all(&project.home).during(|| project.home.display().to_string())?;
        for (path, content) in FILES {
            let path = project.root.join(path);
            let parent = path.parent().unwrap_or(&project.root);
            fs::create_dir_all(parent).during(|| parent.display().to_string())?;
            fs::write(&path, content).during(|| path.display().to_string())?;
        }
        project.run("git", &["init", "-q"])?;
        project.run("git", &["add", "-A"])?;
        let who = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"];
        project.run("git", &[&who[..], &["commit", "-q", "-m", "begin"]].concat())?;
        project.run(&project.waypost.to_string_lossy(), &["init"])?;
        Ok(project)
    }

    /// A server in it that answered.
    pub(super) fn serve(&self) -> Result<Client, Failure> {
        let mut command = self.command(&self.waypost);
        command.arg("mcp");
        Client::start(command)
    }

    /// A program in it.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", &self.home).env("PATH", "/usr/local/bin:/usr/bin:/bin");
        command.current_dir(&self.root);
        command
    }

    fn run(&self, program: &str, args: &[&str]) -> Result<(), Failure> {
        let output = self.command(Path::new(program)).args(args).output();
        let output = output.during(|| format!("starting {program}"))?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Err(Failure::new(format!("{program} {}: {said}", args.join(" "))))
    }
}
