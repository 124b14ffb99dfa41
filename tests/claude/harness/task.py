"""Tasks: what an honest agent does in a project of a certain kind, and what it takes it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from .steps import bash

MESSAGE_OF_COMMIT = "Co-Authored-By: Claude <noreply@example.invalid>"


@dataclass(frozen=True)
class Task:
    """A prompt, and the answers of an agent that nothing stands in the way of.

    `needs_bypass`: a rule for the command that a run is turned into does not suffice, since the client asks about the
    rest of the line too (`source`, output to a file), whatever the rules allow of the line as it was.
    """

    name: str
    prompt: str
    steps: tuple
    needs_bypass: bool = False
    config: str = ""  # in the place of what `waypost init` proposes


@dataclass(frozen=True)
class Kind:
    """A kind of project: how it is set up, what its users let agents run without a question, and tasks in it."""

    name: str
    set_up: Callable
    rules: tuple[str, ...]
    tasks: tuple[Task, ...]


def task(name, prompt, *steps, **more):
    """A task, as its file tells it."""
    return Task(name, prompt, steps, **more)


def commit(subject):
    """A commit as agents make it in one line."""
    return bash(f"git add -A && git commit -m '{subject}'")


def commit_by_heredoc(subject):
    """A commit as agents make it where the message has several lines."""
    return bash(f"git add -A && git commit -m \"$(cat <<'EOF'\n{subject}\n\n{MESSAGE_OF_COMMIT}\nEOF\n)\"")


def in_place(step, temporary):
    """The step with the scenario's own folder in the place of /tmp, which all of them share."""
    command = step.input.get("command")
    return replace(step, input={**step.input, "command": command.replace("/tmp/", f"{temporary}/")}) if command else step
