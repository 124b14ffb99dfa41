#!/usr/bin/env python3
"""run.py CLAUDE TOOLS WAYPOST [WORD...]: plays the scenarios whose theme or name contains a WORD (default: all).

TOOLS is the folder of what projects are made with: `bin/` and `wheels/`. Prints a line per scenario, a table of what
tasks took an honest agent and, last, `N passed, M failed`. Exit 1 on any failure. Started by scripts/test-claude.
"""

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent.resolve()
sys.path.insert(0, str(HERE))

from harness import figures, sandbox
from harness.registry import all_scenarios
from harness.runner import Runner, matching, without_walls
from harness.world import FIGURES


def main(claude, tools, waypost, *words):
    """Plays what was asked for and sums up."""
    problem = sandbox.problem()
    if problem:
        return without_walls("test-claude", problem)
    chosen = matching(all_scenarios(HERE), words)
    if not chosen:
        print(f"no scenario is called {' or '.join(words)}", file=sys.stderr)
        return 2
    played = Runner("claude", waypost, FIGURES).play(
        chosen, lambda number, out: [str(HERE / "play.py"), str(number), str(out), claude, tools])
    too_much = not figures.hold([json.loads(row) for one in played for row in one.figures])
    failed = sum(not one.held for one in played)
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed or too_much else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
