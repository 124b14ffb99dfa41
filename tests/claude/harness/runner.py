"""Plays scenarios, each in a process behind walls, and tells what came of them."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from . import sandbox

WORKERS = 2
LIMIT_SECONDS = 1200  # for what hangs, not for what is slow: machines are busy
EXCERPT_LINES = 60


@dataclass(frozen=True)
class Played:
    """A scenario that was played: whether it held, and the figures files that it left, if any."""

    scenario: object
    held: bool
    figures: tuple[str, ...]


class Runner:
    """A run of scenarios of one kind, in a folder of its own."""

    def __init__(self, name, waypost, figures):
        """`figures` is the name of the file in which a scenario leaves figures."""
        self._figures = figures
        self._folder = Path(tempfile.mkdtemp(prefix=f"waypost-{name}."))
        self._env = {"PATH": f"{_own_copy(waypost, self._folder / 'bin')}:{_rust_toolchain()}:{os.environ['PATH']}"}

    def play(self, chosen, command):
        """Plays (number, scenario) pairs; `command` makes the command out of a number and a folder."""
        with ThreadPoolExecutor(WORKERS) as pool:
            plays = [pool.submit(self._play, number, found, command) for number, found in chosen]
            played = [done.result() for done in as_completed(plays)]
        failed = sum(not one.held for one in played)
        if failed:
            print(f"The outputs are in {self._folder}")
        else:
            shutil.rmtree(self._folder)
        return played

    def _play(self, number, found, command):
        out = self._folder / f"{number:03}-{found.theme}"
        out.mkdir()
        started = time.monotonic()
        try:
            done = subprocess.run([*sandbox.command(), sys.executable, "-I", "-B", *command(number, out)],
                                  env=self._env, capture_output=True, text=True, timeout=LIMIT_SECONDS)
            held, output = done.returncode == 0, done.stdout + done.stderr
        except subprocess.TimeoutExpired:
            held, output = False, f"took longer than {LIMIT_SECONDS} s"
        figures = tuple(file.read_text() for file in out.glob(self._figures))
        line = f"{'ok    ' if held else 'FAILED'} {time.monotonic() - started:5.1f} s  {found.theme}: {found.name}\n"
        if held:
            shutil.rmtree(out)
        else:
            line += _excerpt(out, output)
        print(line, end="", flush=True)
        return Played(found, held, figures)


def matching(scenarios, words):
    """(number, scenario) of those whose theme or name contains one of the words; all, if there are no words."""
    return [(number, found) for number, found in enumerate(scenarios)
            if not words or any(word in f"{found.theme} {found.name}" for word in words)]


def without_walls(name, problem):
    """A machine that cannot isolate: an error in CI, elsewhere a loud skip."""
    if os.environ.get("CI") == "true":
        print(f"{name}: cannot isolate the scenarios: {problem}", file=sys.stderr)
        return 1
    print(f"{name}: SKIPPED, cannot isolate the scenarios: {problem}", file=sys.stderr)
    return 0


def _excerpt(out, output):
    """What a reader needs first of a failed scenario, and where the rest is."""
    failure = out / "failure.txt"
    lines = (failure.read_text() if failure.exists() else output).splitlines()
    if len(lines) > EXCERPT_LINES:
        lines = lines[:EXCERPT_LINES] + [f"… {len(lines) - EXCERPT_LINES} more lines"]
    return "".join(f"    {line}\n" for line in [*lines, f"outputs: {out}"])


def _own_copy(waypost, folder):
    """A copy of the binary, so that a build in the middle of the run changes nothing."""
    folder.mkdir()
    shutil.copy(waypost, folder / "waypost")
    return folder


def _rust_toolchain():
    """The folder of the real cargo: rustup's stand-in for it looks for a toolchain in HOME, which is another one there."""
    sysroot = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True, check=True).stdout
    return f"{sysroot.strip()}/bin"
