"""Waypost's own MCP server: it is started by each client, and knows whose calls it gets."""

from clients import ALL
from harness.registry import scenario
from harness.steps import mcp, say
from place import BRIEF


@scenario(**ALL)
def a_tool_of_waypost_is_called_in_the_conversation_that_calls_it(t, client):
    t.initialise(client)
    t.project.by_a_person("start", "--objective", "Add files")
    with t.start(client) as other:
        other.turn("Hello.", say("Hello."), sees=[BRIEF])
        with t.start(client) as agent:
            agent.turn("Begin.",
                       mcp("waypost", "session_add_note", kind="note", text="Seen by one."),
                       say("Begun."))
    assert t.actors("note_added") == [agent.session_id], t.actors("note_added")
