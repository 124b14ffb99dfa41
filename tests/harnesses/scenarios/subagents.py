"""Agents that other agents start are bound as those are."""

from clients import ALL
from harness.project import MESSAGE, NEXT_STEP
from harness.registry import scenario
from harness.steps import bash, read, say, subagent, write

from .gates import FIRST, READ_FIRST

KNOWN = {name: ALL[name] for name in ("claude-code", "copilot", "opencode")}  # whose requests tell a subagent apart


@scenario(**KNOWN)
def an_edit_of_a_subagent_is_denied_until_the_gate_holds(t, client):
    t.initialise(client, READ_FIRST)
    with t.start(client) as agent:
        agent.turn("Let someone add a file.",
                   subagent(write("new.txt", "new\n").denied(FIRST, "notes/todo.txt"),
                            read("notes/todo.txt").works("nothing yet"),
                            write("new.txt", "new\n"),
                            say("The subagent is done.")),
                   say("Done."))
    assert t.project.read("new.txt") == "new\n"


@scenario(**KNOWN)
def an_edit_of_a_subagent_holds_both_and_is_released_by_a_run(t, client):
    t.initialise(client)
    with t.start(client) as agent:
        agent.turn("Let someone add a file.",
                   subagent(write("new.txt", "new\n"),
                            *[say("Done.").held(MESSAGE, NEXT_STEP) for _ in range(3)],
                            say("The subagent is done.")),
                   say("Done.").held(MESSAGE, NEXT_STEP),
                   bash("./check.sh").works("3 checks passed"),
                   say("Done."))
    assert t.runs() == [("observed", 0)], t.runs()
