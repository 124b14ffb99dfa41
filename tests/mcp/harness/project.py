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
        self.env = {"HOME": str(self.home), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}
        self.run("git", "init", "--quiet")
        self.run("git", "-c", "user.name=Dev", "-c", "user.email=dev@example.org",
                 "commit", "--quiet", "--allow-empty", "--message", "begin")
        self.run(self.waypost, "init", "--preset", "minimal")
        (self.root / "waypost.toml").write_text(CONFIG)
        self.session = self.run(self.waypost, "start", "--objective", "Add login").split()[0]
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

    def run(self, *command):
        """Runs a command that has to work, and gives what it wrote."""
        done = subprocess.run(command, cwd=self.root, env=self.env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout
