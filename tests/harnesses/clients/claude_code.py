"""Claude Code, with which the others are compared: a process of it is kept open for several turns."""

import itertools
import json
from pathlib import Path

from harness.client import Claude

PACKAGE = "@anthropic-ai/claude-code"


class ClaudeCode:
    """A conversation with Claude Code."""

    NAME = "claude-code"

    _numbers = itertools.count(1)

    def __init__(self, place, folder=None, resume=None):
        out = place.out / f"{self.NAME}-{next(self._numbers)}"
        self._client = Claude(place.client_program, place.model, Path(folder or place.project.root), place.env, out, resume)

    @classmethod
    def version(cls, programs):
        """The version that is installed: beside the other programs, since `tests/claude` has it already."""
        installed = Path(programs).parent / "claude" / "node_modules" / PACKAGE / "package.json"
        return json.loads(installed.read_text())["version"]

    @property
    def session_id(self):
        """The client's name for the conversation."""
        return self._client.session_id

    @classmethod
    def prepare(cls, place):
        """Everything the user tells this client is in its environment."""

    @classmethod
    def approve(cls, place):
        """It runs the hooks of a project without a question."""

    @staticmethod
    def told_of_a_run(command, output):
        """What the hook is told of a command that worked, apart from what all events have."""
        return {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": command},
                "tool_response": {"stdout": output, "stderr": "", "interrupted": False}, "tool_use_id": "toolu_made_up"}

    def turn(self, prompt, *steps, sees=()):
        """One prompt of the user, the model's scripted answers to it, and the end of the turn."""
        self._client.turn(prompt, *steps, sees=sees)

    def __enter__(self):
        self._client.__enter__()
        return self

    def __exit__(self, *failure):
        self._client.__exit__(*failure)
