"""What a scenario gets: a home, a project, a scripted model and clients, all of its own."""

import itertools
import json
import shutil
from pathlib import Path

from .anthropic import Anthropic
from .client import Claude
from .model import Model
from .project import Project
from .terminal import Terminal

FIGURES = "figures.json"
GIT_CONFIG = """[user]
name = Tester
email = tester@example.invalid
[init]
defaultBranch = main
"""


class World:
    """One scenario's surroundings; everything lies below `out`."""

    def __init__(self, out, claude, tools, path, dialects=(Anthropic(),)):
        self.out, self.tools = Path(out), Path(tools)
        self.integrity = 0  # what `waypost verify --all` must exit with when the scenario is over
        self.model = Model(self.out / "requests", dialects)
        self.env = self._environment(path, "home")
        self.project = Project.create(self.out / "project", self.env)
        self._claude, self._path, self._clients = claude, path, itertools.count(1)

    def claude(self, folder=None, resume=None, settings=None, bypass=True, args=(), env=None):
        """Starts a client in the project, or in another folder; it asks for no permission, unless `bypass` is off.

        `args` are further arguments of it; `env` are variables in the place of the scenario's.
        """
        return Claude(self._claude, self.model, Path(folder or self.project.root), {**self.env, **(env or {})},
                      self.out / f"client-{next(self._clients)}", resume, settings, bypass, args)

    def terminal(self):
        """Starts nothing yet: a client with a terminal, which alone has teams."""
        return Terminal(self._claude, self.model, self.project.root, self.env, self.out / f"client-{next(self._clients)}")

    @property
    def client_program(self):
        """The program of the client."""
        return self._claude

    def put_on_path(self, folder):
        """Lets the client, and whoever works in the project, find the programs of another folder."""
        self.env["PATH"] = f"{folder}:{self.env['PATH']}"

    def tell(self, **figures):
        """Leaves figures for the table that is printed when all scenarios are over."""
        (self.out / FIGURES).write_text(json.dumps(figures))

    def xdg(self, kind):
        """Waypost's folder of one kind: config, data, state or cache."""
        return Path(self.env[f"XDG_{kind.upper()}_HOME"]) / "waypost"

    def registration_made_elsewhere(self):
        """A settings file with the hooks that `waypost init` registers, made in another project and home."""
        elsewhere = Project.create(self.out / "elsewhere", self._environment(self._path, "elsewhere-home"))
        elsewhere.initialise()
        return shutil.copy(elsewhere.root / ".claude/settings.local.json", self.out / "settings.json")

    def _environment(self, path, home_name):
        """All that the client, its hooks and people's commands get; nothing of the caller's."""
        home, temporary = self.out / home_name, self.out / "tmp"
        (home / ".claude").mkdir(parents=True)
        temporary.mkdir(exist_ok=True)
        (home / ".gitconfig").write_text(GIT_CONFIG)
        xdg = {f"XDG_{kind.upper()}_HOME": str(home / ".xdg" / kind) for kind in ("config", "data", "state", "cache")}
        return {
            "HOME": str(home), "PATH": path, "TMPDIR": str(temporary), **xdg,
            "LANG": "C.UTF-8", "TERM": "dumb", "USER": "tester", "SHELL": "/bin/bash", "GIT_CONFIG_NOSYSTEM": "1",
            "CLAUDE_CONFIG_DIR": str(home / ".claude"), "CLAUDE_CODE_TMPDIR": str(temporary),
            "ANTHROPIC_API_KEY": "scripted", "ANTHROPIC_BASE_URL": self.model.url,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1",
            "WAYPOST_TEST_LIMITS": "1000",  # a busy machine reaches none of the binary's limits
            "IS_SANDBOX": "1",  # the client refuses to skip its own permission questions as root otherwise
        }
