#!/usr/bin/env python3
"""run.py MODULES WAYPOST [--screenshots] [WORD...]: plays the scenarios whose file or name contains a WORD (default: all).

MODULES is the folder of what comes from npm. With --screenshots it takes pictures of every page instead, into
target/screenshots. Prints a line per scenario and, last, `N passed, M failed`. Exit 1 on any failure. Started by
scripts/test-dashboard.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent.resolve()
sys.path.append(str(HERE.parent / "claude/harness"))  # the walls are those of its scenarios

import sandbox


def main(modules, waypost, *words):
    """Plays it all behind walls, in a folder that is kept if something fails."""
    problem = sandbox.problem()
    if problem:
        return without_walls(problem)
    run = Path(tempfile.mkdtemp(prefix="waypost-dashboard."))
    (run / "bin").mkdir()
    shutil.copy(waypost, run / "bin/waypost")  # so that a build in the middle of the run changes nothing
    command = [*sandbox.command(), sys.executable, "-I", "-B", str(HERE / "play.py"), str(run), modules, *words]
    env = {"PATH": os.environ["PATH"], "HOME": str(run), "LANG": "C.UTF-8", "TZ": "UTC"}
    status = subprocess.run(command, env=env).returncode
    if status == 0:
        shutil.rmtree(run)
    else:
        print(f"What is left is in {run}")
    return status


def without_walls(problem):
    """A machine that cannot isolate: an error in CI, elsewhere a loud skip."""
    if os.environ.get("CI") == "true":
        print(f"test-dashboard: cannot isolate the scenarios: {problem}", file=sys.stderr)
        return 1
    print(f"test-dashboard: SKIPPED, cannot isolate the scenarios: {problem}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
