"""Hooks that are committed for everyone who works on the project (`waypost init --shared`)."""

from clients.copilot import CopilotCli
from clients.opencode import OpenCode
from harness.project import GATE, MESSAGE, NEXT_STEP, Project
from harness.registry import scenario
from harness.steps import bash, edit, read, say, write

CLIENTS = {client.NAME: client for client in (CopilotCli, OpenCode)}


@scenario(**CLIENTS)
def whoever_has_waypost_takes_part_in_a_clone(t, client):
    cloned(t, client)
    with t.start(client) as agent:
        agent.turn("Add a file.",
                   write("new.txt", "new\n"),
                   say("Done.").held(MESSAGE, NEXT_STEP),
                   bash("./check.sh").works("3 checks passed"),
                   say("Done."))


@scenario(**CLIENTS)
def whoever_has_it_not_works_on_in_a_clone(t, client):
    cloned(t, client)
    waypost, _, others = t.shared_env["PATH"].partition(":")
    assert waypost.endswith("/bin"), waypost
    t.shared_env["PATH"] = others
    with t.start(client) as agent:
        agent.turn("Change some files.",
                   read("app.txt").works("one"),
                   edit("app.txt", "one", "two"),
                   write("new.txt", "new\n"),
                   bash("ls"),
                   say("Done."))


def cloned(t, client):
    """The project with hooks for everyone, as somebody else has it who knows nothing of Waypost."""
    t.project.waypost("init", "--shared", "--harness", client.NAME)
    t.project.write("waypost.toml", GATE)
    t.project.commit_all("Configure Waypost")
    clone = t.out / "clone"
    t.project.git("clone", "--quiet", ".", str(clone))
    t.project = Project(clone, t.env)
    client.prepare(t)
