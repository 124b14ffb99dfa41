#!/usr/bin/env python3
"""run.py CLAUDE TOOLS WAYPOST [WORD...]: plays the scenarios whose theme or name contains a WORD (default: all).

TOOLS is the folder of what projects are made with: `bin/` and `wheels/`. Prints a line per scenario, a table of what
tasks took an honest agent and, last, `N passed, M failed`. Exit 1 on any failure. Started by scripts/test-claude.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

HERE = Path(__file__).parent.resolve()
sys.path.insert(0, str(HERE))

from harness import figures, sandbox
from harness.registry import all_scenarios
from harness.world import FIGURES

WORKERS = 2
LIMIT_SECONDS = 1200  # for what hangs, not for what is slow: machines are busy
EXCERPT_LINES = 60


def main(claude, tools, waypost, *words):
    """Plays what was asked for and sums up."""
    problem = sandbox.problem()
    if problem:
        return without_walls(problem)
    chosen = [(number, found) for number, found in enumerate(all_scenarios())
              if not words or any(word in f"{found.theme} {found.name}" for word in words)]
    if not chosen:
        print(f"no scenario is called {' or '.join(words)}", file=sys.stderr)
        return 2
    run = Path(tempfile.mkdtemp(prefix="waypost-claude."))
    env = {"PATH": f"{own_copy(waypost, run / 'bin')}:{rust_toolchain()}:{os.environ['PATH']}"}
    failed, rows = 0, []
    with ThreadPoolExecutor(WORKERS) as pool:
        plays = [pool.submit(play, number, found, run / f"{number:03}-{found.theme}", (claude, tools), env)
                 for number, found in chosen]
        for done in as_completed(plays):
            held, row = done.result()
            failed += not held
            rows += row
    too_much = not figures.hold(rows)
    if failed:
        print(f"The outputs are in {run}")
    else:
        shutil.rmtree(run)
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed or too_much else 0


def play(number, found, out, programs, env):
    """Plays one scenario in a process behind walls; tells whether it held, and the figures that it left, if any."""
    out.mkdir()
    command = [*sandbox.command(), sys.executable, "-I", "-B", str(HERE / "play.py"), str(number), str(out),
               *programs]
    started = time.monotonic()
    try:
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=LIMIT_SECONDS)
        held, output = done.returncode == 0, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        held, output = False, f"took longer than {LIMIT_SECONDS} s"
    row = [json.loads(file.read_text()) for file in out.glob(FIGURES)]
    line = f"{'ok    ' if held else 'FAILED'} {time.monotonic() - started:5.1f} s  {found.theme}: {found.name}\n"
    if held:
        shutil.rmtree(out)
    else:
        line += excerpt(out, output)
    print(line, end="", flush=True)
    return held, row


def excerpt(out, output):
    """What a reader needs first of a failed scenario, and where the rest is."""
    failure = out / "failure.txt"
    lines = (failure.read_text() if failure.exists() else output).splitlines()
    if len(lines) > EXCERPT_LINES:
        lines = lines[:EXCERPT_LINES] + [f"… {len(lines) - EXCERPT_LINES} more lines"]
    return "".join(f"    {line}\n" for line in [*lines, f"outputs: {out}"])


def own_copy(waypost, folder):
    """A copy of the binary, so that a build in the middle of the run changes nothing."""
    folder.mkdir()
    shutil.copy(waypost, folder / "waypost")
    return folder


def rust_toolchain():
    """The folder of the real cargo: rustup's stand-in for it looks for a toolchain in HOME, which is another one there."""
    sysroot = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True, check=True).stdout
    return f"{sysroot.strip()}/bin"


def without_walls(problem):
    """A machine that cannot isolate: an error in CI, elsewhere a loud skip."""
    if os.environ.get("CI") == "true":
        print(f"test-claude: cannot isolate the scenarios: {problem}", file=sys.stderr)
        return 1
    print(f"test-claude: SKIPPED, cannot isolate the scenarios: {problem}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
