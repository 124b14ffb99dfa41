#!/usr/bin/env python3
"""play.py NUMBER OUT CLAUDE PROGRAMS: plays one scenario behind the walls that run.py built. Exit 0 = it held.

What failed, and what the model was asked and answered, goes to OUT/failure.txt.
"""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "claude")]

from harness import stage
from harness.registry import all_scenarios
from place import Place


def main(number, out, claude, programs):
    """Plays it in a place of its own."""
    return stage.play(all_scenarios(HERE)[int(number)], lambda: Place(out, claude, programs, os.environ["PATH"]))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
