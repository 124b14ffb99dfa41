"""The built-in protocol, followed through Waypost's own MCP server beside its hooks, or without them."""

import hashlib
import json

from harness.protocol import (CONSTRAINTS, FURNITURE, HANDOFF, furnish, report, session_log, waypost,
                              what_comes_before_work)
from harness.registry import scenario
from harness.steps import bash, edit, say, write

BEFORE_WORK = ["SERENA_INIT", "SKILL_VALIDATION", "CONTEXT_RETRIEVAL", "SESSION_LOG"]
# The client shows the model what is structured of an answer.
HOLDS = '"status":"PASS"'
WORKS = ['"current_phase":"WORKING"', '"success":true']
LOG = "| MUST | Commit | [x] | |\n"


@scenario(on_2025_11_25="legacy", on_2026_07_28="auto")
def the_whole_protocol_is_followed_and_hooks_see_it(t, negotiation):
    furnish(t)
    t.env["MCP_PROTOCOL_NEGOTIATION"] = negotiation
    with t.claude() as claude:
        claude.turn("Add login.",
                    waypost("session_start", objective="Add login").works(*BEFORE_WORK),
                    write("login.rs", "new\n").denied("Next: ", "mcp__serena__activate_project"),
                    bash("echo new > login.rs").denied("mcp__serena__activate_project"),
                    waypost("advance_phase", target_phase="WORKING").works("SERENA_INIT"),
                    waypost("record_evidence", phase="SERENA_INIT", evidence_type="tool_output",
                            evidence="activate_project: active").works("proves nothing here"),
                    *what_comes_before_work(),
                    say("I am ready."))
        session = the_only_session(t, claude)
        claude.turn("Begin.",
                    write(session_log(session), LOG),
                    *(waypost("validate_gate", phase=gate).works(HOLDS, lacks="said so")
                      for gate in BEFORE_WORK),
                    waypost("advance_phase", target_phase="WORKING").works(*WORKS),
                    *work_and_end(session),
                    say("Done."))
    assert provenance(t, session) == {("called", "observed"), ("read", "observed")}, provenance(t, session)
    assert t.project.read("login.rs") == "new\n" and t.project.commits()[0] == "Add login"


@scenario
def without_hooks_what_was_said_is_taken_and_shown_as_said(t):
    furnish(t)
    t.project.write(".claude/settings.local.json", "{}")
    with t.claude() as claude:
        claude.turn("Add login.",
                    waypost("session_start", objective="Add login").works(*BEFORE_WORK),
                    *what_comes_before_work(),
                    waypost("advance_phase", target_phase="WORKING").works('"blocked_by":["SERENA_INIT"]'),
                    *(said("SERENA_INIT", f"{tool}: done") for tool in ("activate_project", "initial_instructions")),
                    said("SKILL_VALIDATION", "use the skills", step="read_skill_usage"),
                    said("CONTEXT_RETRIEVAL", "I read it", step="read_handoff"),
                    verified("CONTEXT_RETRIEVAL", CONSTRAINTS),
                    say("I am ready."))
        session = the_only_session(t, claude)
        assert not claude.hook_runs("PreToolUse"), "the hooks were to be gone"
        claude.turn("Begin.",
                    write(session_log(session), LOG),
                    *(waypost("validate_gate", phase=gate).works(HOLDS, "said so", lacks="observed")
                      for gate in BEFORE_WORK[:3]),
                    waypost("advance_phase", target_phase="WORKING").works(*WORKS),
                    *work_and_end(session),
                    say("Done."))
    assert provenance(t, session) == {("read", "verified")}, provenance(t, session)


@scenario
def a_log_in_json_and_a_plain_report_end_the_session_when_they_say_that_it_is_done(t):
    furnish(t)
    with t.claude() as claude:
        claude.turn("Add login.",
                    waypost("session_start", objective="Add login"),
                    *what_comes_before_work(),
                    say("I am ready."))
        session = the_only_session(t, claude)
        log, open_log, done = (f".agents/sessions/{session}-login.json", *(json_log(done) for done in (False, True)))
        plain = "# QA\n\n**Session**: {}\n\n## Verdict\n\n{}\n"
        claude.turn("Begin.",
                    write(log, open_log),
                    waypost("advance_phase", target_phase="WORKING").works(*WORKS),
                    write("login.rs", "new\n"),
                    edit(HANDOFF, "where it stands", "login is there"),
                    write(".agents/qa/login.md", plain.format(session, "[FAIL] it does not build")),
                    bash("git add . && git commit -qm 'Add login'"),
                    waypost("session_end", summary="done").works(
                        "INCOMPLETE", f"{log} leaves open: line 4: committed (not ticked)", "[FAIL] it does not build"),
                    edit(log, open_log, done),
                    write(".agents/qa/login-2.md", plain.format(session, "**PASS** it builds")),
                    bash("git add . && git commit -qm 'Look at it'"),
                    waypost("session_end", summary="done", next_session_notes="Add logout").works('"status":"COMPLETE"'),
                    say("Done."))
    [last, *_] = json.loads(t.project.waypost("list", "--history", "--json").stdout)
    told = (last["objective"], last["outcome"], last["next_session_notes"])
    assert told == ("Add login", "COMPLETE", "Add logout"), last
    assert t.project.commits()[0] == "Look at it" and len(last["commit_sha"]) == 40, last


@scenario
def after_clear_the_server_acts_for_the_conversation_that_came(t):
    furnish(t)
    with t.claude() as claude:
        claude.turn("Add login.",
                    waypost("session_start", objective="Add login"),
                    *what_comes_before_work(),
                    waypost("validate_gate", phase="SERENA_INIT").works(HOLDS),
                    say("I am ready."))
        before = claude.session_id
        claude.command("/clear")
        claude.turn("Go on.",
                    waypost("validate_gate", phase="SERENA_INIT").works('"status":"FAIL"'),
                    waypost("session_start", objective="Add logout").works("SERENA_INIT"),
                    *what_comes_before_work(),
                    waypost("validate_gate", phase="SERENA_INIT").works(HOLDS, "observed"),
                    waypost("advance_phase").works('"current_phase":"SERENA_READY"'),
                    say("I am ready again."))
    after = claude.session_id
    assert before != after
    followed = [(following, session["objective"]) for session in t.project.sessions()
                for following in phases(t, session["session_id"])]
    assert followed == [((before, "INIT"), "Add login"), ((after, "SERENA_READY"), "Add logout")], followed
    lives = [session["lifecycle"] for session in t.project.sessions()]
    # What the conversation before began is its own, and waits; the one that came was opened one first.
    assert lives == ["completed", "active", "completed", "active"], lives


@scenario(on_2025_11_25=("legacy", "initialize"), on_2026_07_28=("auto", "server/discover"))
def the_server_speaks_the_revision_that_the_client_chose(t, case):
    negotiation, first = case
    furnish(t, waypost={"command": "sh", "args": ["-c", "tee $TMPDIR/asked | waypost mcp"]})
    t.env["MCP_PROTOCOL_NEGOTIATION"] = negotiation
    with t.claude() as claude:
        claude.turn("Begin.", waypost("session_start", objective="Add login").works(*BEFORE_WORK), say("Done."))
        the_only_session(t, claude)
    asked = [json.loads(line).get("method") for line in (t.out / "tmp/asked").read_text().splitlines()]
    assert asked[0] == first and "tools/call" in asked, asked
    assert ("initialize" in asked) == (first == "initialize"), asked


def said(gate, words, **step):
    """The agent says that it did something."""
    evidence = waypost("record_evidence", phase=gate, evidence_type="tool_output", evidence=words, **step)
    return evidence.works('"evidence_recorded":true', '"auto_validated":false', "nobody saw it")


def verified(gate, path):
    """The agent shows that it has read a file."""
    sha256 = hashlib.sha256(FURNITURE[path].encode()).hexdigest()
    evidence = waypost("record_evidence", phase=gate, evidence_type="content_hash", evidence=f"{path} {sha256}")
    return evidence.works('"auto_validated":true')


def json_log(done):
    """A session log as programs write it."""
    committed = {"level": "MUST", "Complete": done, "Evidence": ""}
    return json.dumps({"protocolCompliance": {"sessionEnd": {"committed": committed}}}, indent=2) + "\n"


def work_and_end(session):
    """The work, an end that comes too early, what was missing, and the end."""
    return (write("login.rs", "new\n"),
            waypost("session_end", summary="done", skip_qa=True).works("INCOMPLETE", HANDOFF, "qaVerdict"),
            edit(HANDOFF, "where it stands", "login is there"),
            write(".agents/qa/report.md", report(session)),
            bash("git add . && git commit -qm 'Add login'"),
            waypost("validate_gate", phase="ALL").works(HOLDS),
            waypost("session_end", summary="done").works('"status":"COMPLETE"'))


def the_only_session(t, claude):
    """The session at hand, which the client takes part in as one conversation and nobody else."""
    status = t.project.status()
    known = [(conversation["harness"], conversation["id"]) for conversation in status["conversations"]]
    assert known == [("claude-code", claude.session_id)], known
    return status["session_id"]


def phases(t, session):
    """Who follows the protocol in a session, and how far they are."""
    known = json.loads(t.project.waypost("show", session, "--json").stdout)["conversations"]
    return [(one["id"], one["protocol"]["phase"]) for one in known if "protocol" in one]


def provenance(t, session):
    """How well each sort of proof in a session is known."""
    listed = json.loads(t.project.waypost("evidence", "list", session, "--json").stdout)
    return {(known["evidence"]["sort"], known["evidence"]["provenance"]) for known in listed["evidence"]}
