"""A session goes from one client to another and back."""

from clients import ALL
from harness.project import MESSAGE, NEXT_STEP
from harness.registry import scenario
from harness.steps import bash, mcp, say, write
from place import BRIEF

CLAUDE_CODE = ALL["claude-code"]
OTHERS = {name: client for name, client in ALL.items() if client is not CLAUDE_CODE}


@scenario(**OTHERS)
def a_session_begun_in_claude_code_is_released_by_a_run_in_another_client_and_goes_back(t, client):
    t.initialise(CLAUDE_CODE, others=[client])
    t.project.by_a_person("start", "--objective", "Add files")
    with t.start(CLAUDE_CODE) as first:
        first.turn("Add a file, and let somebody else go on.",
                   write("new.txt", "new\n"),
                   bash("git add -A && git commit -qm Add").denied(MESSAGE, NEXT_STEP),
                   mcp("waypost", "handoff_create", from_agent="one", to_agent="other", reason="the checks are yours",
                       context="new.txt is there, and not checked"),
                   say("Over to you.").held(MESSAGE),
                   say("Over to you!").held(MESSAGE),
                   say("Over to you, really.").held(MESSAGE),
                   say("I stop here."))
    with t.start(client) as second:
        second.turn("Take it up.",
                    bash("git add -A && git commit -qm Add").denied(MESSAGE, NEXT_STEP),
                    bash("./check.sh"),
                    say("Checked."),
                    sees=[BRIEF, "Add files", "the checks are yours"])
    with t.start(CLAUDE_CODE) as third:
        third.turn("Commit it.",
                   bash("git add -A && git commit -qm Add"),
                   say("Done."),
                   sees=[BRIEF, "Add files"])
    assert t.project.commits()[0] == "Add", t.project.commits()
    attached = [(CLAUDE_CODE.NAME, first.session_id), (client.NAME, second.session_id),
                (CLAUDE_CODE.NAME, third.session_id)]
    assert t.attached() == attached, t.attached()
