"""What the real client uses is counted into the session, and gates may ask for it."""

import json
import shutil
from pathlib import Path

from harness.anthropic import USAGE
from harness.registry import scenario
from harness.steps import say, subagent, write

BUDGET = """[project]

[[gate]]
id = "budget"
level = "must"
before = ["edit"]
proof = { check = "usage.output_tokens < 100" }
"""


def counted(t):
    """The tokens that records say were used."""
    used = [used for event in t.project.events("usage_counted") for used in event["used"]]
    return sum(one.get(kind, 0) for one in used for kind in ("input", "output", "cache_read"))


def told(t):
    tokens = json.loads(t.project.waypost("cost", "--json").stdout)["tokens"]
    return sum(tokens.values())


@scenario
def what_was_used_stays_known_when_the_transcripts_are_gone(t):
    t.project.initialise("[project]\n")
    with t.claude() as claude:
        claude.turn("Add a file.", write("a.txt", "a\n"), say("Done."))
        claude.turn("Have one added.", subagent(write("b.txt", "b\n"), say("Added.")), say("Done."))
    # Two answers, then two of the agent and two of its subagent.
    assert told(t) == 6 * sum(USAGE.values()), told(t)
    t.project.waypost("index", "scan")
    assert counted(t) == told(t), (counted(t), told(t))
    before = told(t)
    shutil.rmtree(Path(t.project.env["HOME"]) / ".claude" / "projects")
    assert told(t) == before, told(t)


@scenario
def a_budget_that_is_used_up_denies_edits_from_the_next_prompt_on(t):
    t.project.initialise(BUDGET)
    with t.claude() as claude:
        claude.turn("Add a file.", write("a.txt", "a\n"), say("Done."))
        claude.turn("Add another.",
                    write("b.txt", "b\n").denied("usage.output_tokens is 100"),
                    say("It is used up."))
