#!/usr/bin/env python3
"""run.py CLAUDE PROGRAMS WAYPOST [WORD...]: plays the scenarios whose theme or name contains a WORD (default: all).

PROGRAMS is the folder in which the clients are installed. Prints a line per scenario and, last, `N passed, M failed`.
What was seen of each client goes to seen.json. Exit 1 on any failure. Started by scripts/test-harnesses.
"""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent.resolve()
sys.path[:0] = [str(HERE), str(HERE.parent / "claude")]

import seen
from harness import sandbox
from harness.registry import all_scenarios
from harness.runner import Runner, matching, without_walls

NO_FIGURES = "none"


def main(claude, programs, waypost, *words):
    """Plays what was asked for and sums up."""
    problem = sandbox.problem()
    if problem:
        return without_walls("test-harnesses", problem)
    chosen = matching(all_scenarios(HERE), words)
    if not chosen:
        print(f"no scenario is called {' or '.join(words)}", file=sys.stderr)
        return 2
    played = Runner("harnesses", waypost, NO_FIGURES).play(
        chosen, lambda number, out: [str(HERE / "play.py"), str(number), str(out), claude, programs])
    failed = sum(not one.held for one in played)
    print(f"{len(chosen) - failed} passed, {failed} failed")
    held = {one.scenario.name: one.held for one in played}
    if not seen.write(programs, held, [found.name for found in all_scenarios(HERE)]):
        print(f"What was seen is not what {seen.FILE.name} said: it is written anew, commit it", file=sys.stderr)
        failed = failed or os.environ.get("CI") == "true"
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
