"""`waypost init` for each client, whether it is right, and its way back."""

from clients import ALL
from harness.registry import scenario
from harness.steps import say, write


@scenario(**ALL)
def doctor_is_content_after_init_and_removal_leaves_no_trace(t, client):
    client.prepare(t)
    before = t.restorable()
    t.project.waypost("init", "--harness", client.NAME)
    client.approve(t)
    t.project.waypost("doctor")
    assert t.restorable() != before
    t.project.waypost("verify", "--all")
    t.project.waypost("init", "--remove")
    assert t.restorable() == before
    t.integrity = 2  # the project is set up no more: no command looks at its streams
    with t.start(client) as agent:
        agent.turn("Add a file.", write("new.txt", "new\n"), say("Done."))
