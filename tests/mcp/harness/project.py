"""A home and a git project for a server, with nothing of the machine's in its environment."""

import os
import subprocess
import tempfile
from pathlib import Path

CONFIG = """[project]

[[gate]]
id = "tests-pass"
level = "must"
before = ["stop"]
proof = { ran = "./check.sh" }
message = "Run the tests."
"""
PROTOCOL = '[project]\nprotocol = "builtin"\n'
# What the built-in protocol asks about.
FURNITURE = {
    ".serena/project.yml": "project_name: test\n",
    ".serena/memories/skill-usage-mandatory.md": "use the skills\n",
    ".claude/skills/github/scripts/new-pr.sh": "true\n",
    ".agents/HANDOFF.md": "where it stands\n",
    ".agents/governance/PROJECT-CONSTRAINTS.md": "no shell\n",
}


class Project:
    """A project with one session, removed when it is left."""

    def __init__(self, waypost):
        self.waypost = str(Path(waypost).resolve())

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="waypost-mcp.")
        top = Path(self._folder.name).resolve()
        self.home, self.root = top / "home", top / "project"
        self.home.mkdir()
        self.root.mkdir()
        self.env = {"HOME": str(self.home), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1",
                    "WAYPOST_TEST_LIMITS": "1000"}  # a busy machine reaches none of the binary's limits
        self.run("git", "init", "--quiet")
        self.run("git", "config", "user.name", "Dev")
        self.run("git", "config", "user.email", "dev@example.org")
        self.furnish()
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

    def furnish(self):
        """What is there before the server starts."""
        self.run(self.waypost, "init", "--preset", "minimal")
        self.write("waypost.toml", CONFIG)
        self.write("check.sh", "#!/bin/sh\n")
        (self.root / "check.sh").chmod(0o755)
        self.commit("begin")
        self.session = self.run(self.waypost, "start", "--objective", "Add login").split()[0]

    def write(self, path, text):
        """Writes a file of the project."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def commit(self, subject):
        """Commits everything, and gives the commit's id."""
        self.run("git", "add", "--all")
        self.run("git", "commit", "--quiet", "--message", subject)
        return self.run("git", "rev-parse", "HEAD").strip()

    def run(self, *command):
        """Runs a command that has to work, and gives what it wrote."""
        done = subprocess.run(command, cwd=self.root, env=self.env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout


class FurnishedProject(Project):
    """A project that follows the built-in protocol and has all that it asks about, without a session."""

    def furnish(self):
        self.run(self.waypost, "init", "--preset", "minimal")
        for path, text in {"waypost.toml": PROTOCOL, **FURNITURE}.items():
            self.write(path, text)
        self.commit("begin")
