#!/usr/bin/env python3
"""play.py RUN MODULES [--screenshots] [WORD...]: plays scenarios behind the walls that run.py built. Exit 0 = all held.

Those that have a home of their own begin at once, in a process beside this one, while this one makes the world. Then two
processes, each with a browser, share what looks at it.
"""

import multiprocessing
import sys
import time
import traceback
from pathlib import Path

HERE = Path(__file__).parent.resolve()
sys.path.insert(0, str(HERE))
sys.path.append(str(HERE.parent / "claude/harness"))

import sandbox
from playwright.sync_api import Error

from harness import pictures
from harness.browser import Browser
from harness.registry import all_scenarios
from harness.server import Server
from harness.stage import Stage
from world import World

FORK = multiprocessing.get_context("fork")


def main(run, modules, *words):
    """Plays what was asked for and sums up."""
    sandbox.enter()
    run, pictured = Path(run), "--screenshots" in words
    words = [word for word in words if not word.startswith("--")]
    chosen = [found for found in all_scenarios() if not words or any(word in f"{found.theme} {found.name}" for word in words)]
    if not chosen and not pictured:
        print(f"no scenario is called {' or '.join(words)}", file=sys.stderr)
        return 2
    play = Play(run, Path(modules))
    if pictured:
        with play.world() as (world, server):
            pictures.take(world, server, HERE.parent.parent / "target/screenshots", words)
        return 0
    beside = play.begin([found for found in chosen if found.alone])
    if any(not found.alone for found in chosen):
        with play.world():
            looking = play.begin([found for found in chosen if not found.alone])
            beside.join()
            also = play.begin()
            looking.join()
            also.join()
    beside.join()
    failed = play.failed.value + sum(worker.exitcode != 0 for worker in play.workers)
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed else 0


class Play:
    """What the processes share."""

    def __init__(self, run, modules):
        self.run, self._modules, self._waypost = run, modules, run / "bin/waypost"
        self.failed, self.workers = FORK.Value("i", 0), []
        self._waiting, self._place = [], None
        self._world = self._server = None

    def world(self):
        """Makes the world and serves it, for as long as it is needed."""
        return self

    def __enter__(self):
        started = time.monotonic()
        self._world = World(self.run, self._waypost)
        self._server = Server(self._world.home).start()
        print(f"       {time.monotonic() - started:5.1f} s  made the world", flush=True)
        return self._world, self._server

    def __exit__(self, *_):
        self._server.end()
        self._world.close()

    def begin(self, scenarios=None):
        """Another process that plays these, or helps with those that were given last."""
        if scenarios is not None:
            self._waiting, self._place = scenarios, FORK.Value("i", 0)
        worker = FORK.Process(target=self._work)
        worker.start()
        self.workers.append(worker)
        return worker

    def _work(self):
        browser = None
        while found := self._next():
            browser = browser or Browser()
            self._play(found, browser)
        if browser:
            browser.close()

    def _next(self):
        with self._place:
            place, self._place.value = self._place.value, self._place.value + 1
        return self._waiting[place] if place < len(self._waiting) else None

    def _play(self, found, browser):
        out = self.run / f"{found.theme}-{found.name[:60].replace(' ', '-')}"
        out.mkdir()
        started, failure = time.monotonic(), ""
        browser.faults.clear()
        try:
            found.play(Stage(out, self._waypost, self._modules, browser, self._world, self._server))
        except (AssertionError, Error) as error:
            failure = f"{_place(error)}{error}\n"
        except Exception:
            failure = traceback.format_exc()
        failure += "".join(f"reported as an error: {fault}\n" for fault in dict.fromkeys(browser.faults))
        line = f"{'FAILED' if failure else 'ok    '} {time.monotonic() - started:5.1f} s  {found.theme}: {found.name}\n"
        if failure:
            line += "".join(f"    {told}\n" for told in failure.strip().splitlines()[:60])
            with self.failed:
                self.failed.value += 1
        print(line, end="", flush=True)


def _place(failure):
    """The line of the scenario that did not hold."""
    for frame in traceback.extract_tb(failure.__traceback__):
        if "scenarios" in frame.filename:
            return f"{Path(frame.filename).name}:{frame.lineno}: {frame.line}\n"
    return ""


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
