"""What is Codex's alone: hooks that somebody has to trust, patches through the shell, and its sandbox."""

from clients.codex import Codex
from harness.project import GATE, MESSAGE
from harness.registry import scenario
from harness.steps import bash, mcp, say, write

PATCH = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: new.txt\n+new\n*** End Patch\nEOF"
SANDBOX = 'sandbox_mode = "workspace-write"'


@scenario(codex=Codex)
def hooks_that_the_user_does_not_trust_are_named_by_doctor_and_its_conversation_is_unenforced(t, client):
    client.prepare(t)
    t.project.initialise(GATE, [client.NAME])
    told = t.project.waypost("doctor", status=2).stdout
    assert "nobody trusts its hooks" in told, told
    with t.start(client) as agent:
        agent.turn("Add a file.",
                   write("new.txt", "new\n"),
                   mcp("waypost", "session_start", objective="Add a file"),
                   say("Done."))
    told = t.project.waypost("status").stdout
    assert f"UNENFORCED: 1 conversation here never called Waypost's hooks: Codex {agent.session_id[:8]}" in told, told


@scenario(codex=Codex)
def a_patch_through_the_shell_is_an_edit(t, client):
    t.initialise(client)
    with t.start(client) as agent:
        agent.turn("Add a file.",
                   bash(PATCH),
                   say("Done.").held(MESSAGE),
                   bash("./check.sh"),
                   say("Done."))


@scenario(codex=Codex)
def a_run_in_the_sandbox_of_the_client_releases(t, client):
    t.initialise(client)
    config = t.home / ".codex" / "config.toml"
    config.write_text(config.read_text().replace('sandbox_mode = "danger-full-access"', SANDBOX))
    with t.start(client) as agent:
        agent.turn("Add a file.",
                   write("new.txt", "new\n"),
                   bash("touch .git/mine").fails("Read-only file system"),
                   say("Done.").held(MESSAGE),
                   bash("./check.sh").works("3 checks passed"),
                   say("Done."))
    assert t.runs() == [("observed", 0)], t.runs()
