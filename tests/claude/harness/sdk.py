"""Programs on the Agent SDK, in Python and for node: those that docs/agent-sdk.md shows, and others."""

import shutil
import subprocess
from pathlib import Path

from .client import TURN_LIMIT_SECONDS, ClientFailure
from .project import SOURCES
from .script import Script

EXAMPLES = SOURCES / "docs/examples/agent-sdk"
SUFFIXES = {"python": ".py", "node": ".mjs"}


class Sdk:
    """The SDK of one language; every program runs in the project, once, with one prompt."""

    def __init__(self, world, language):
        self._world, self._language = world, language
        installed = Path(world.tools) / "agent-sdk"
        self._folder = world.out / f"sdk-{language}"
        self._folder.mkdir()
        if language == "node":
            (self._folder / "node_modules").symlink_to(installed / "node_modules")
        self._interpreter = {"python": str(installed / "venv/bin/python"), "node": shutil.which("node")}[language]
        # The SDK for Python finds the client by its name.
        (self._folder / "bin").mkdir()
        (self._folder / "bin/claude").symlink_to(world.client_program)

    def example(self, name):
        """The text of a program of the documentation."""
        return (EXAMPLES / f"{name}{SUFFIXES[self._language]}").read_text()

    def turn(self, program, *steps, sees=(), env=None):
        """Runs a program with one prompt of the user, and the model's scripted answers to it."""
        file = self._folder / f"program{SUFFIXES[self._language]}"
        file.write_text(program)
        model, root = self._world.model, self._world.project.root
        model.log.append(f"{root}: a program on the Agent SDK ({self._language})")
        model.load(Script(steps, sees), root)
        path = {"PATH": f"{self._folder / 'bin'}:{self._world.env['PATH']}"}
        done = subprocess.run([self._interpreter, str(file), "Go."], cwd=root, capture_output=True, text=True,
                              env={**self._world.env, **path, **(env or {})}, timeout=TURN_LIMIT_SECONDS)
        problem = model.failure or model.unfinished(at_last=True)
        if problem or done.returncode:
            raise ClientFailure(f"{problem}\n{done.stdout}{done.stderr}")
        return done.stdout
