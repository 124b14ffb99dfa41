#!/usr/bin/env python3
"""play.py NUMBER OUT CLAUDE TOOLS: plays one scenario behind the walls that run.py built. Exit 0 = it held.

What failed, and what the model was asked and answered, goes to OUT/failure.txt.
"""

import os
import sys
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from harness import sandbox
from harness.client import ClientFailure
from harness.project import CommandFailed
from harness.registry import all_scenarios
from harness.world import World


def main(number, out, claude, tools):
    """Plays it in a world of its own, then checks what must hold after every scenario."""
    sandbox.enter()
    world = World(out, claude, tools, os.environ["PATH"])
    try:
        all_scenarios()[int(number)].play(world)
        if (world.project.root / ".git/waypost").exists():
            world.project.waypost("verify", "--all", status=world.integrity)
    except (AssertionError, ClientFailure, CommandFailed) as failure:
        return report(world, f"{_place(failure)}{failure}")
    except Exception:
        return report(world, traceback.format_exc())
    return 0


def report(world, reason):
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


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
