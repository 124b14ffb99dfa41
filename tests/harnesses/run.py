#!/usr/bin/env python3
"""run.py CLAUDE PROGRAMS WAYPOST [WORD...]: plays the scenarios whose theme or name contains a WORD (default: all).

PROGRAMS is the folder in which the clients are installed. Prints a line per scenario and, last, `N passed, M failed`.
A run of all writes what was seen of each client to seen.json. Exit 1 on any failure. Started by scripts/test-harnesses.
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
    if words or failed:
        return 1 if failed else 0
    if not seen.write(programs, [one.scenario.name for one in played]):
        print(f"What was seen is not what {seen.FILE.name} said: it is written anew, commit it", file=sys.stderr)
        return 1 if os.environ.get("CI") == "true" else 0
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
