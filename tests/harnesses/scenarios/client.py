"""The clients by themselves: a script is played in each client's own tools, and nothing of Waypost is there."""

from clients import ALL
from harness.registry import scenario
from harness.steps import bash, edit, read, say, write


@scenario(**ALL)
def a_script_is_played_with_the_tools_of_the_client(t, client):
    with t.start(client) as agent:
        agent.turn("Change some files.",
                   bash("ls"),
                   read("app.txt").works("one"),
                   edit("app.txt", "one", "two"),
                   write("new.txt", "new\n"),
                   bash("cat app.txt new.txt").works("two", "new"),
                   bash("echo no; exit 3").fails("no"),
                   say("Done."))
        agent.turn("And now?", bash("cat app.txt").works("two"), say("Two."))
    assert t.project.read("app.txt") == "two\n"
    assert t.project.read("new.txt") == "new\n"
