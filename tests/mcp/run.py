#!/usr/bin/env python3
"""run.py MODULES WAYPOST [WORD...]: plays the parts whose name contains a WORD (default: all).

MODULES is the folder with the suite and its node. Prints a summary line per part. Exit 1 if anything is not as
expected. Started by scripts/test-mcp.
"""

import sys
from pathlib import Path

HERE = Path(__file__).parent.resolve()
sys.path.insert(0, str(HERE))

from harness import peer, suite
from harness.client import conversation
from harness.expected import Expected
from harness.project import FurnishedProject, Project
from harness.protocol import protocol
from harness.server import Server

REVISIONS = (peer.OLDER, peer.NEWER)
# The suite asks for tools of its own making, and sends no token.
FOR_THE_SUITE = ("--fixtures", "--no-token")


def main(modules, waypost, *words):
    """Plays what was asked for."""
    parts = {revision: lambda revision=revision: conformance(modules, waypost, revision) for revision in REVISIONS}
    parts["python"] = lambda: python_client(waypost)
    chosen = [play for name, play in parts.items() if not words or any(word in name for word in words)]
    if not chosen:
        print(f"no part is called {' or '.join(words)}", file=sys.stderr)
        return 2
    return 1 if [play for play in chosen if not play()] else 0


def conformance(modules, waypost, revision):
    """Plays the suite; every scenario passes or is listed with a reason."""
    expected = Expected.read(HERE / "not-applicable.toml", revision)
    with Project(waypost) as project, Server(project, *FOR_THE_SUITE) as server:
        results = suite.play(Path(modules), server.url, revision)
    problems = expected.problems(results)
    for problem in problems:
        print(f"    {problem}")
    passed = sum(result.passed for result in results)
    checks = sum(result.checks for result in results)
    print(f"{'ok    ' if not problems else 'FAILED'} conformance {revision}: {passed} of {len(results)} scenarios pass "
          f"({checks} checks), {len(expected.reasons)} do not apply")
    return not problems


def python_client(waypost):
    """Plays the official Python client: all that a server offers, and the built-in protocol to its end."""
    problems = [*peer.play(lambda: Project(waypost), conversation),
                *peer.play(lambda: FurnishedProject(waypost), protocol)]
    for problem in problems:
        print(f"    {problem}")
    print(f"{'ok    ' if not problems else 'FAILED'} official Python client: pipes and HTTP, both revisions")
    return not problems


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
