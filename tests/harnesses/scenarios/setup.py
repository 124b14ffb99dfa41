"""`waypost init` for each client, whether it is right, and its way back."""

from clients import ALL
from harness.registry import scenario
from harness.steps import say, write


@scenario(**ALL)
def doctor_is_content_after_init_and_removal_leaves_no_trace(t, client):
    client.prepare(t)
    before = t.restorable()
    t.project.waypost("init", "--harness", client.NAME)
    registered = t.restorable()
    assert registered != before
    client.approve(t)
    of_the_client = {name for name, file in t.restorable().items() if registered.get(name) != file}
    t.project.waypost("doctor")
    t.project.waypost("verify", "--all")
    t.project.waypost("init", "--remove")
    after = t.restorable()
    left = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)} - of_the_client
    assert not left, left
    t.integrity = 2  # the project is set up no more: no command looks at its streams
    with t.start(client) as agent:
        agent.turn("Add a file.", write("new.txt", "new\n"), say("Done."))
