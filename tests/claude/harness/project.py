"""A fresh git project for one scenario, and the waypost binary as a person would use it there."""

import hashlib
import json
import shlex
import subprocess
from pathlib import Path

# Where Waypost's own sources lie.
SOURCES = Path(__file__).parents[3]
CHECK = """#!/bin/sh
# Fails while app.txt says "broken".
if grep -q broken app.txt; then echo "1 check failed"; exit 1; fi
echo "3 checks passed"
"""
FILES = {"app.txt": "one\n", "notes/todo.txt": "nothing yet\n"}

MESSAGE = "Run the checks after your last change."
NEXT_STEP = "waypost run -- ./check.sh"
GATE = f"""[project]

[[gate]]
id = "tests-pass"
level = "must"
before = ["stop", "commit"]
scope = "session"
proof = {{ ran = "./check.sh*", fresh = "tree" }}
message = "{MESSAGE}"
"""


class CommandFailed(Exception):
    """A command outside the client did not end as the scenario expects."""


class Project:
    """A work tree and the commands that people run in it."""

    def __init__(self, root, env):
        self.root, self.env = Path(root), env

    @classmethod
    def create(cls, root, env):
        """A repository with one commit, some files and a check that can be made to fail."""
        project = cls(root, env)
        project.root.mkdir(parents=True)
        project.git("init", "--quiet")
        for path, text in FILES.items():
            project.write(path, text)
        project.write("check.sh", CHECK)
        (project.root / "check.sh").chmod(0o755)
        project.commit_all("Start")
        return project

    def initialise(self, config=GATE, harnesses=("claude-code",)):
        """`waypost init` for Claude Code, or other harnesses, with the scenario's own gates, committed."""
        self.waypost("init", *(word for name in harnesses for word in ("--harness", name)))
        self.write("waypost.toml", config)
        self.commit_all("Configure Waypost")

    def replace(self, files):
        """Other files in the place of those that every project begins with."""
        self.git("rm", "--quiet", "-r", ".")
        for path, text in files.items():
            self.write(path, text)

    def content(self):
        """A word for all that the work tree holds, ignored files apart; the same content has the same word."""
        listed = self.git("ls-files", "-z", "--cached", "--others", "--exclude-standard").stdout
        files = (self.root / name for name in sorted(set(listed.split("\0"))) if name)
        hashes = [hashlib.sha256(file.read_bytes()).hexdigest() + str(file) for file in files if file.is_file()]
        return hashlib.sha256("\n".join(hashes).encode()).hexdigest()

    def worktree(self, root):
        """A second work tree of the same repository, on a branch of its own."""
        self.git("worktree", "add", "--quiet", "-b", Path(root).name, str(root))
        return Project(root, self.env)

    def commit_all(self, subject):
        self.git("add", "--all")
        self.git("commit", "--quiet", "-m", subject)

    def commits(self):
        """The subjects of the commits, newest first."""
        return self.git("log", "--format=%s").stdout.splitlines()

    def write(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def read(self, path):
        return (self.root / path).read_text()

    def git(self, *args):
        return self.run("git", *args)

    def waypost(self, *args, status=0):
        return self.run("waypost", *args, status=status)

    def run(self, *command, status=0):
        """Runs a command in the project; any exit status but the expected one is a failure."""
        done = subprocess.run(command, cwd=self.root, env=self.env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)
        if done.returncode != status:
            raise CommandFailed(f"{' '.join(command)}: exit {done.returncode}, expected {status}\n"
                                f"{done.stdout}{done.stderr}")
        return done

    def by_a_person(self, *args):
        """A command of Waypost that only a person at a terminal may give."""
        return self.run("script", "--quiet", "--return", "--command", shlex.join(("waypost", *args)), "/dev/null")

    def status(self):
        return json.loads(self.waypost("status", "--json").stdout)

    def sessions(self):
        """All sessions, oldest first."""
        return json.loads(self.waypost("list", "--all", "--json").stdout)

    def events(self, kind):
        """The session's events of one type, oldest first."""
        history = json.loads(self.waypost("history", "--json").stdout)
        return [event for event in objects(history) if event.get("type") == kind]

    def snapshot(self):
        """Path, mode and content of every file; git's index apart, which any `git status` may refresh."""
        return snapshot(self.root, leave_out=(".git/index",))


def snapshot(root, leave_out=()):
    """Path -> (mode, content hash) of every file below a folder."""
    files = {}
    for path in sorted(Path(root).rglob("*")):
        name = str(path.relative_to(root))
        if path.is_file() and name not in leave_out:
            files[name] = (path.stat().st_mode, hashlib.sha256(path.read_bytes()).hexdigest())
    return files


def objects(tree):
    """Every JSON object, wherever it stands."""
    if isinstance(tree, dict):
        yield tree
    for value in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from objects(value)
