#!/usr/bin/env python3
"""play.py NUMBER OUT CLAUDE TOOLS: plays one scenario behind the walls that run.py built. Exit 0 = it held.

What failed, and what the model was asked and answered, goes to OUT/failure.txt.
"""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from harness import stage
from harness.registry import all_scenarios
from harness.world import World


def main(number, out, claude, tools):
    """Plays it in a world of its own."""
    return stage.play(all_scenarios(HERE)[int(number)], lambda: World(out, claude, tools, os.environ["PATH"]))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
