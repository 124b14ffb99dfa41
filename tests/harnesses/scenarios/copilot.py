"""Copilot runs the hooks that are registered for Claude Code as well, without their arguments."""

from clients import ALL
from clients.copilot import CopilotCli
from harness.project import MESSAGE, NEXT_STEP
from harness.registry import scenario
from harness.steps import bash, edit, read, say, write


@scenario(copilot=CopilotCli)
def hooks_of_claude_code_alone_bind_it_too(t, client):
    t.initialise(ALL["claude-code"])
    with t.start(client) as agent:
        agent.turn("Change some files.",
                   bash("ls"),
                   read("app.txt").works("one"),
                   edit("app.txt", "one", "two"),
                   write("new.txt", "new\n"),
                   say("Done.").held(MESSAGE, NEXT_STEP),
                   bash("./check.sh").works("3 checks passed"),
                   say("Done."))


@scenario(copilot=CopilotCli)
def nothing_is_counted_twice_beside_the_hooks_of_claude_code(t, client):
    t.initialise(ALL["claude-code"], others=[client])
    with t.start(client) as agent:
        agent.turn("Add a file.",
                   write("new.txt", "new\n"),
                   *[say("Done.").held(MESSAGE, NEXT_STEP) for _ in range(3)],
                   say("I stop here."))
        agent.turn("Check it.", bash("./check.sh").works("3 checks passed"), say("It is fine."))
    joined = [(event["conversation"], event["source"]) for event in t.project.events("conversation_attached")]
    assert joined == [(agent.session_id, "new"), (agent.session_id, "resume")], joined
    assert len(t.project.events("violation_recorded")) == 1, t.project.events("violation_recorded")
    assert len(t.project.events("command_ran")) == 1, t.project.events("command_ran")
