"""A home of its own, projects in it, and the binary as people use it there, at any time of the past."""

import json
import os
import shlex
import subprocess
from pathlib import Path

from .clock import Clock

NOW = "2026-11-19T15:30:00.000Z"
GIT_CONFIG = """[user]
name = Ada Tester
email = ada@example.invalid
[init]
defaultBranch = main
"""


class CommandFailed(Exception):
    """A command did not end as it has to."""


class Home:
    """A home folder; nothing of the machine's own is in the environment of what runs in it."""

    def __init__(self, folder, waypost):
        self.folder, self.binary = Path(folder), str(waypost)
        self.folder.mkdir(parents=True)
        (self.folder / ".gitconfig").write_text(GIT_CONFIG)
        self.env = {
            "HOME": str(self.folder), "PATH": f"{Path(waypost).parent}:{os.environ['PATH']}", "LANG": "C.UTF-8",
            "TZ": "UTC", "TERM": "dumb", "SHELL": "/bin/bash", "GIT_CONFIG_NOSYSTEM": "1",
            "WAYPOST_TEST_LIMITS": "1000",  # a busy machine reaches none of the binary's limits
        }

    def at(self, time):
        """The environment of something that happens at a time; else it happens now."""
        time = str(Clock(time or NOW))  # in the one form that is understood
        return {**self.env, "WAYPOST_TEST_TIME": time, "GIT_AUTHOR_DATE": time, "GIT_COMMITTER_DATE": time}

    def run(self, *command, folder=None, at=None, status=0, told=None):
        """Runs a command; any exit status but the expected one is a failure. Gives what it wrote."""
        done = subprocess.run(command, cwd=folder or self.folder, env=self.at(at), input=told or "",
                              capture_output=True, text=True)
        if done.returncode != status:
            raise CommandFailed(f"{shlex.join(command)}: exit {done.returncode}, expected {status}\n"
                                f"{done.stdout}{done.stderr}")
        return done.stdout

    def project(self, name, config, files=(), trusted=True):
        """A repository in which Waypost is set up; somebody has said that its configuration is fine, or not."""
        project = Project(self, self.folder / "src" / name)
        project.root.mkdir(parents=True)
        project.git("init", "--quiet", at="2026-10-01T08:00:00.000Z")
        for path, text in {"README.md": f"# {name}\n", **dict(files)}.items():
            project.write(path, text)
        project.write("check.sh", "#!/bin/sh\nif grep -qs broken src/*; then echo '1 failed'; exit 1; fi\necho '3 passed'\n")
        (project.root / "check.sh").chmod(0o755)
        project.write("waypost.toml", config)
        project.commit("Begin", at="2026-10-01T08:00:00.000Z")
        project.waypost("init", "--harness", "claude-code", at="2026-10-01T08:05:00.000Z")
        if trusted:
            project.by_a_person("trust", "config", at="2026-10-01T08:06:00.000Z")
        return project


class Project:
    """A work tree, and what people do in it."""

    def __init__(self, home, root):
        self.home, self.root = home, Path(root)

    def run(self, *command, **how):
        """Runs a command in the project."""
        return self.home.run(*command, folder=self.root, **how)

    def waypost(self, *args, **how):
        """Runs the binary in the project."""
        return self.run(self.home.binary, *args, **how)

    def told(self, *args, **how):
        """What the binary tells as JSON."""
        return json.loads(self.waypost(*args, "--json", **how))

    def by_a_person(self, *args, **how):
        """A command that only somebody at a terminal may give."""
        return self.run("script", "--quiet", "--return", "--command", shlex.join((self.home.binary, *args)), "/dev/null",
                        **how)

    def git(self, *args, **how):
        """Runs git in the project, as people do, whom git's hooks do not ask."""
        return self.run("git", *args, **how)

    def write(self, path, text):
        """Writes a file of the project."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def commit(self, subject, at=None):
        """Commits everything, and gives the commit's hash."""
        self.git("add", "--all", at=at)
        self.git("commit", "--quiet", "--message", subject, at=at)
        return self.git("rev-parse", "HEAD").strip()

    def worktree(self, name, branch=None):
        """A linked work tree on a branch of its own."""
        root = self.root.parent / f"{self.root.name}-{name}"
        self.git("worktree", "add", "--quiet", "-b", branch or name, str(root))
        return Project(self.home, root)

    def start(self, objective, *options, at=None):
        """Begins a session, and gives its id."""
        return self.told("start", "--objective", objective, *options, at=at)["session_id"]

    @property
    def store(self):
        """Where the streams of the project are."""
        return Path(self.git("rev-parse", "--path-format=absolute", "--git-common-dir").strip()) / "waypost"

    def folder_of(self, session):
        """The session's folder in the work tree."""
        return self.root / "agents/sessions" / session

    @property
    def address(self):
        """The address of the project's page."""
        known = self.told("index", "status")["projects"]
        return next(f"/projects/{one['id']}" for one in known if one["working_dir"] == str(self.root))
