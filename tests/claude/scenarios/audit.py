"""What the audit makes of transcripts that the real client wrote."""

import json

from harness.project import MESSAGE
from harness.registry import scenario
from harness.steps import bash, say, subagent, write

MAKEFILE = "test:\n\t@test ! -e broken\n"


def audit(t):
    return json.loads(t.project.waypost("audit", "--json").stdout)


def classes(t):
    found = audit(t)
    return {name: found[name] for name in ("verified", "stale", "failed", "never_ran", "not_seen") if found[name]}


@scenario
def a_turn_that_was_held_until_the_checks_ran_is_verified(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Add a file.",
                    write("new.txt", "new\n"),
                    say("Done.").held(MESSAGE),
                    bash("./check.sh"),
                    say("Done."))
    assert classes(t) == {"verified": 1}, audit(t)


@scenario
def without_waypost_every_class_is_told(t):
    t.project.write("Makefile", MAKEFILE)
    with t.claude() as claude:
        claude.turn("Add a file.", write("a.txt", "a\n"), bash("make test | tail -1"), say("All tests pass."))
        claude.turn("Test it.", bash("make test"), say("All tests pass."))
        claude.turn("Go on.", subagent(write("b.txt", "b\n"), say("Added.")), say("Done."))
        claude.turn("Go on.", write("broken", "x\n"), bash("make test").fails(), say("Fixed."))
    found = classes(t)
    assert found == {"never_ran": 1, "verified": 1, "stale": 1, "failed": 1}, audit(t)
    assert audit(t)["worst"][0]["quote"] == "Fixed."
