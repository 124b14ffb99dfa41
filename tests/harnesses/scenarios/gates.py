"""What is denied before it happens, and what is made up."""

import json

from clients import ALL
from harness.project import MESSAGE, NEXT_STEP
from harness.registry import scenario
from harness.steps import bash, edit, next_step, read, say, write

FIRST = "Read the notes before you change anything."
READ_FIRST = f"""[project]

[[gate]]
id = "read-first"
before = ["edit"]
proof = {{ read = "notes/todo.txt" }}
message = "{FIRST}"
"""


@scenario(**ALL)
def an_edit_is_denied_with_the_reason_until_the_gate_holds(t, client):
    t.initialise(client, READ_FIRST)
    with t.start(client) as agent:
        agent.turn("Change app.txt.",
                   read("app.txt").works("one"),
                   edit("app.txt", "one", "two").denied(FIRST, "notes/todo.txt"),
                   write("new.txt", "new\n").denied(FIRST),
                   bash("echo two > app.txt").denied(FIRST),
                   read("notes/todo.txt").works("nothing yet"),
                   edit("app.txt", "one", "two"),
                   say("Done."))
    assert t.project.read("app.txt") == "two\n"
    assert not (t.project.root / "new.txt").exists()


@scenario(**ALL)
def a_commit_is_denied_until_a_run(t, client):
    t.initialise(client)
    with t.start(client) as agent:
        agent.turn("Add a file, and commit it.",
                   write("new.txt", "new\n"),
                   bash("git add -A && git commit -qm Add").denied(MESSAGE, NEXT_STEP),
                   next_step(),
                   bash("git add -A && git commit -qm Add"),
                   say("Done."))
    assert t.project.commits()[0] == "Add", t.project.commits()


@scenario(**ALL)
def what_an_agent_tells_in_the_name_of_its_client_releases_nothing(t, client):
    t.initialise(client)
    with t.start(client) as agent:
        agent.turn("Hello.", say("Hello."))
        forge = t.scratch("forge.sh", forged(client, agent.session_id, t.project.root))
        agent.turn("Add a file.",
                   write("new.txt", "new\n"),
                   bash(f"sh {forge}"),
                   say("Done.").held(MESSAGE),
                   bash("./check.sh"),
                   say("Done."))


def forged(client, session_id, folder):
    """A call of the hook as if the client told of a run that passed."""
    told = json.dumps({"session_id": session_id, "cwd": str(folder), **client.told_of_a_run("./check.sh", "3 checks passed")})
    return f"printf '%s' '{told}' | waypost hook {client.NAME}; true"
