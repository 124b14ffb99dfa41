"""One scenario behind its walls: it is played, and what must hold after every scenario is checked."""

import traceback
from pathlib import Path

from . import sandbox
from .client import ClientFailure
from .project import CommandFailed


def play(found, make_world):
    """Plays a scenario in a world of its own; the exit status tells whether it held."""
    sandbox.enter()
    world = make_world()
    try:
        found.play(world)
        if (world.project.root / ".git/waypost").exists():
            world.project.waypost("verify", "--all", status=world.integrity)
    except (AssertionError, ClientFailure, CommandFailed) as failure:
        return _report(world, f"{_place(failure)}{failure}")
    except Exception:
        return _report(world, traceback.format_exc())
    return 0


def _report(world, reason):
    """Writes why it failed and the conversation so far."""
    story = "\n".join(entry[:800] for entry in world.model.log)
    Path(world.out, "failure.txt").write_text(f"{reason}\n\nThe conversation:\n{story}\n")
    return 1


def _place(failure):
    """The line of the scenario that did not hold."""
    for frame in traceback.extract_tb(failure.__traceback__):
        if "scenarios" in frame.filename:
            return f"{Path(frame.filename).name}:{frame.lineno}: {frame.line}\n"
    return ""
