"""Workflows over days and agents: the brief alone is enough to go on."""

from harness.protocol import waypost
from harness.registry import scenario
from harness.steps import bash, say, write

CRASH = "kill -KILL $CLAUDE_PID; tail --pid=$CLAUDE_PID -f /dev/null"
WORKFLOW = """version = "v1"
first_phase = 0

[[phase]]
name = "Planning"
purpose = "understand what is wanted"

[[phase]]
name = "Implementation"
purpose = "make it work"

[[phase.gate]]
id = "coverage"
accept = "claimed"
proof = { fields = { coverage = { type = "number", check = "value >= 80" } } }
message = "Add more tests to reach 80% coverage."

[[phase]]
name = "Documentation"
"""
DAY = "2026-03-02T09:00:00.000Z"
LATER = "2026-03-05T09:00:00.000Z"
FAILED = ['"checkpoint_passed":false', "value >= 80"]
PASSED = ['"checkpoint_passed":true', '"next_phase":"Documentation"']


def prepare(t):
    t.project.initialise("[project]\n")
    t.project.write(".waypost/workflows/feature.toml", WORKFLOW)
    t.project.commit_all("Describe how features are made")
    t.env["WAYPOST_TEST_TIME"] = DAY


def begun(claude):
    """A conversation that comes as far as a checkpoint that fails."""
    claude.turn("Build the parser.",
                waypost("workflow_start", workflow="feature", target="specs/parser").works("Planning"),
                waypost("workflow_complete_phase", phase=0, evidence={"read": "specs/parser"}).works(
                    '"checkpoint_passed":true', '"next_phase":"Implementation"'),
                waypost("session_add_note", kind="decision", text="Tabs count as four columns"),
                write("parser.rs", "fn parse() {}\n"),
                waypost("workflow_complete_phase", phase="Implementation", evidence={"coverage": 65}).works(*FAILED),
                bash(CRASH).kills_the_client())


@scenario
def killed_and_three_days_later_another_agent_goes_on_from_the_brief(t):
    prepare(t)
    with t.claude() as first:
        begun(first)
    # What an agent began is nobody else's until a person says so.
    t.project.by_a_person("switch", next(s["session_id"] for s in t.project.sessions() if s["phase"]))
    t.env["WAYPOST_TEST_TIME"] = LATER
    with t.claude() as second:
        second.turn("Go on.",
                    waypost("workflow_complete_phase", phase="Implementation", evidence={"coverage": 85})
                    .works(*PASSED),
                    waypost("workflow_complete_phase", phase=2, evidence={}).works('"workflow_complete":true'),
                    say("Done."),
                    sees=["feature: specs/parser", "Progress: Phase 1 of 3 (33% complete)",
                          "Phase 0: Planning", "Checkpoint PASSED", "Checkpoint FAILED", "coverage=65",
                          "value >= 80", "Tabs count as four columns", "parser.rs",
                          "Current Status: checkpoint_failed",
                          "Next step: Add more tests to reach 80% coverage", "then retry Phase 1",
                          "Started: 3 days ago"])
    assert second.session_id != first.session_id
    joined = [event["conversation"] for event in t.project.events("conversation_attached")]
    assert joined == [first.session_id, second.session_id], joined
    track = t.project.status()["track"]
    assert track["lifecycle"]["completed"] and track["current_phase"] == 2, track
    timing = track["phase_timing"]["1"]
    assert timing["paused_seconds"] == 3 * 24 * 60 * 60, "nobody worked on it for three days"


@scenario
def why_it_was_paused_is_told_to_whoever_resumes_it(t):
    prepare(t)
    with t.claude() as first:
        first.turn("Begin, then rest.",
                   waypost("workflow_start", workflow="feature", target="specs/parser").works("Planning"),
                   waypost("session_pause", reason="waiting for the grammar", context="half of the plan is written"),
                   say("It rests."))
    session = next(s["session_id"] for s in t.project.sessions() if s["lifecycle"] == "paused")
    t.env["WAYPOST_TEST_TIME"] = LATER
    with t.claude() as second:
        second.turn("Go on with it.",
                    waypost("workflow_start", workflow="feature", target="specs/parser")
                    .fails("goes on already", session, "session_resume"),
                    waypost("session_resume", session_id=session).works(
                        "waiting for the grammar", "half of the plan is written", "work on phase Planning"),
                    waypost("workflow_complete_phase", phase="Planning", evidence={}).works(
                        '"next_phase":"Implementation"', session),
                    say("I know where I am."))
    assert t.project.status()["session_id"] == session


@scenario
def the_brief_with_its_phase_is_there_again_after_compaction(t):
    prepare(t)
    with t.claude() as claude:
        claude.turn("Begin.",
                    waypost("workflow_start", workflow="feature", target="specs/parser").works("Planning"),
                    say("Begun."))
        claude.command("/compact")
        claude.turn("Go on.", say("I know where I am."),
                    sees=["after compact", "Progress: Phase 0 of 3 (0% complete)",
                          "Next step: work on phase Planning"])
