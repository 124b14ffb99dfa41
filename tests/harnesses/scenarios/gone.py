"""Hooks whose program is not there any more."""

import shutil

from clients.copilot import CopilotCli
from clients.opencode import OpenCode
from harness.project import GATE
from harness.registry import scenario
from harness.steps import bash, say, write


@scenario(**{client.NAME: client for client in (CopilotCli, OpenCode)})
def nothing_is_changed_where_waypost_is_gone(t, client):
    client.prepare(t)
    program = t.out / "elsewhere" / "waypost"
    program.parent.mkdir()
    shutil.copy(shutil.which("waypost", path=t.env["PATH"]), program)
    t.project.run(str(program), "init", "--harness", client.NAME)
    t.project.write("waypost.toml", GATE)
    t.project.commit_all("Configure Waypost")
    program.unlink()
    with t.start(client) as agent:
        agent.turn("Add a file.",
                   write("new.txt", "new\n").denied(),
                   bash("echo new > new.txt").denied(),
                   say("I cannot."))
    assert not (t.project.root / "new.txt").exists()
