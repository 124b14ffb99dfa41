"""Copilot runs the hooks that are registered for Claude Code as well, without their arguments."""

from clients.copilot import CopilotCli
from harness.project import GATE, MESSAGE, NEXT_STEP
from harness.registry import scenario
from harness.steps import bash, edit, read, say, write


@scenario(copilot=CopilotCli)
def hooks_of_claude_code_do_not_stand_in_its_way(t, client):
    t.project.initialise()
    with t.start(client) as agent:
        agent.turn("Change some files.",
                   bash("ls"),
                   read("app.txt").works("one"),
                   edit("app.txt", "one", "two"),
                   write("new.txt", "new\n"),
                   say("Done."))


@scenario(copilot=CopilotCli)
def nothing_is_counted_twice_beside_the_hooks_of_claude_code(t, client):
    t.project.waypost("init", "--harness", "claude-code,copilot")
    t.project.write("waypost.toml", GATE)
    t.project.commit_all("Configure Waypost")
    with t.start(client) as agent:
        agent.turn("Add a file.",
                   write("new.txt", "new\n"),
                   *[say("Done.").held(MESSAGE, NEXT_STEP) for _ in range(3)],
                   say("I stop here."))
        agent.turn("Check it.", bash("./check.sh").works("3 checks passed"), say("It is fine."))
    joined = t.project.events("conversation_attached")
    assert [event["conversation"] for event in joined] == [agent.session_id], joined
    assert len(t.project.events("violation_recorded")) == 1, t.project.events("violation_recorded")
    assert len(t.project.events("command_ran")) == 1, t.project.events("command_ran")
