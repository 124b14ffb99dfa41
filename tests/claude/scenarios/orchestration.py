"""Agents that work for each other: who did what, whose verdict counts, and what is handed over."""

import json

from harness.anthropic import USAGE
from harness.protocol import waypost
from harness.registry import scenario
from harness.steps import background_subagent, bash, edit, isolated_subagent, read, say, subagent, write

REVIEWED = """[project]

[[gate]]
id = "reviewed"
level = "must"
before = ["commit"]
proof = { verdict = "approve", agent = "security", min_confidence = 0.8, fresh = "tree" }
message = "Have security look at it."
"""
ACCEPTED = """[project]

[[gate]]
id = "taken-over"
before = ["edit"]
proof = { handoff = "accepted" }
message = "Go through what was handed over first."
"""
COMMIT = "git add . && git commit -qm"
APPROVES = {"agent": "security", "decision": "approve", "confidence": 0.9, "reasoning": "No new inputs."}


def agents(t, *names):
    """Agent types of the project's own."""
    for name in names:
        t.project.write(f".claude/agents/{name}.md", f"---\nname: {name}\ndescription: The {name} agent.\n---\nLook.\n")


def verdict(**changed):
    return waypost("verdict_record", **{**APPROVES, **changed})


def used_by(answers):
    """The tokens that so many answers of the model take. The client has written all of them down when it is over."""
    return answers * sum(USAGE.values())


@scenario
def the_verdict_of_another_agent_on_this_very_content_frees_a_commit(t):
    agents(t, "security")
    t.project.initialise(REVIEWED)
    with t.claude() as claude:
        claude.turn("Add a file.",
                    write("new.txt", "new\n"),
                    bash(f"{COMMIT} One").denied("security has given no verdict", "verdict_record"),
                    verdict().works('"provenance":"claimed"', '"counts":false'),
                    bash("waypost verdict record security --decision approve --confidence 0.9 --reasoning Fine")
                    .works("claimed"),
                    bash(f"{COMMIT} One").denied("was not seen to be security"),
                    subagent(verdict().works('"provenance":"claimed"', "came from general-purpose"), say("Recorded.")),
                    bash(f"{COMMIT} One").denied("still holds this commit"),
                    subagent(read("new.txt"),
                             verdict(decision="conditional", conditions=["Say what new.txt is for"])
                             .works('"provenance":"observed"', '"counts":true'),
                             say("Nearly."), kind="security"),
                    bash(f"{COMMIT} One").denied("security said `conditional`, with a condition or blocker that is open"),
                    bash("waypost status").works("Say what new.txt is for"),
                    subagent(verdict(confidence=0.5).works('"provenance":"observed"'), say("Perhaps."), kind="security"),
                    bash(f"{COMMIT} One").denied("with a confidence of 0.5, below 0.8"),
                    subagent(verdict().works('"provenance":"observed"'), say("Fine."), kind="security"),
                    bash("waypost status").works(lacks="Say what new.txt is for"),
                    bash(f"{COMMIT} One"),
                    write("other.txt", "other\n"),
                    bash(f"{COMMIT} Two").denied("other.txt changed since security gave its verdict"),
                    subagent(write("third.txt", "third\n"),
                             verdict().works("changed third.txt itself, and cannot judge it"),
                             say("Fine."), kind="security"),
                    bash(f"{COMMIT} Two").denied("judged its own work (it changed third.txt)"),
                    subagent(bash("python3 -c \"open('fourth.txt', 'w')\""),
                             verdict().works("changed fourth.txt itself, and cannot judge it"),
                             say("Fine."), kind="security"),
                    say("It waits for somebody else."))
    assert t.project.commits()[0] == "One", t.project.commits()


@scenario
def a_parent_with_three_subagents_is_told_apart_from_them(t):
    agents(t, "implementer", "qa", "security")
    t.project.initialise("[project]\n")
    over = t.project.root / "over"
    with t.claude() as claude:
        claude.turn("Have it done.",
                    background_subagent(bash(f"until [ -e {over} ]; do sleep 0.1; done"), say("Looked."), kind="qa"),
                    isolated_subagent(bash("touch apart.txt"), say("Done apart."), kind="implementer"),
                    subagent(write("here.txt", "new\n"), say("Done here."), kind="security"),
                    bash("waypost status").works("qa at work"),
                    waypost("session_brief").works("here.txt"),
                    say("Waiting."))
        claude.woken(lambda: over.touch(), say("All is done."))
    invocations = json.loads(t.project.waypost("agent", "list", "--json").stdout)["invocations"]
    told = {one["agent"]: one for one in invocations}
    assert set(told) == {"qa", "implementer", "security"}, invocations
    for name, one in told.items():
        assert one["observed"] and one["status"] == "completed" and one["completed_at"], (name, one)
        assert one["usage"]["tokens"] == used_by(2), (name, one)
    assert told["security"]["files"] == ["here.txt"], told["security"]
    assert told["security"]["usage"]["duration_ms"] > 0, told["security"]
    assert not told["qa"].get("files"), told["qa"]
    shown = t.project.waypost("agent", "list").stdout
    assert "security completed" in shown and "1 file" in shown, shown


@scenario
def agents_of_agents_form_a_tree(t):
    agents(t, "implementer", "qa")
    t.project.initialise("[project]\n")
    with t.claude() as claude:
        claude.turn("Have it done.",
                    subagent(subagent(write("inner.txt", "new\n"), say("Inner."), kind="qa"),
                             write("outer.txt", "new\n"), say("Outer."), kind="implementer"),
                    say("Done."))
    outer, inner = json.loads(t.project.waypost("agent", "list", "--json").stdout)["invocations"]
    assert (outer["agent"], inner["agent"]) == ("implementer", "qa"), (outer, inner)
    assert inner["parent"] == outer["subagent"] and "parent" not in outer, (outer, inner)
    assert (outer["files"], inner["files"]) == (["outer.txt"], ["inner.txt"]), (outer, inner)
    assert (outer["usage"]["tokens"], inner["usage"]["tokens"]) == (used_by(3), used_by(2)), (outer, inner)
    [first, second] = [line for line in t.project.waypost("agent", "list").stdout.splitlines() if "completed" in line]
    assert "  implementer completed" in first and "    qa completed" in second, (first, second)


@scenario
def whoever_goes_on_has_to_go_through_the_checklist_of_what_was_handed_over(t):
    t.project.initialise(ACCEPTED)
    t.project.by_a_person("start", "--objective", "Parse tabs")
    handoff = {"from_agent": "implementer", "to_agent": "qa", "reason": "The parser is done",
               "context": "Errors carry line numbers now", "artifacts": ["app.txt"],
               "checklist": ["run: ./check.sh", "read: notes/todo.txt", "Which case is not tested?"]}
    with t.claude() as first:
        first.turn("Hand it over.",
                   write("parser.txt", "new\n"),
                   waypost("handoff_create", **handoff).works("handoff-", "Verify on resume", "Run `./check.sh`"),
                   write("parser.txt.bak", "one's own handoff holds nobody\n"),
                   say("Handed over."))
    [waiting] = t.project.status()["pending_handoffs"]
    name = waiting["handoff_id"]
    with t.claude() as second:
        second.turn("Go on.",
                    write("tests.txt", "new\n").denied("Go through what was handed over first",
                                                       f"waypost handoff accept {name}"),
                    waypost("handoff_accept", handoff_id=name).fails("checklist was not gone through", "./check.sh",
                                                                     "notes/todo.txt"),
                    bash("./check.sh"),
                    read("notes/todo.txt"),
                    waypost("handoff_accept", handoff_id=name).fails("asks for 1 answer", "Which case is not tested?"),
                    waypost("handoff_accept", handoff_id=name, checked=["The empty file"]).works(name),
                    write("tests.txt", "new\n"),
                    say("Done."),
                    sees=[name, "The parser is done", "Errors carry line numbers now", "run: ./check.sh"])
    assert not t.project.status().get("pending_handoffs")
    shown = t.project.waypost("handoff", "show", name).stdout
    assert "The empty file" in shown and "[x] Run `./check.sh`" in shown, shown


@scenario
def whoever_changes_what_another_agent_just_changed_is_told_once(t):
    t.project.initialise("[project]\n")
    with t.claude() as one, t.claude() as other:
        one.turn("Change it.", read("app.txt"), edit("app.txt", "one", "two"), say("Done."))
        changed = f"claude-code {one.session_id} changed app.txt"
        other.turn("Change it, too.",
                   read("app.txt"),
                   edit("app.txt", "two", "three").hears(changed, "Read it again"),
                   edit("app.txt", "three", "four").hears(lacks=changed),
                   write("own.txt", "new\n").hears(lacks="changed"),
                   subagent(write("own.txt", "newer\n").hears(lacks="changed"), say("Done.")),
                   say("Done."))
        one.turn("Go on.",
                 read("app.txt"),
                 edit("app.txt", "four", "five").hears(f"claude-code {other.session_id} changed app.txt"),
                 say("Done."))
    shown = json.dumps(t.project.status())
    assert '"app.txt"' not in shown, "both are over"


@scenario
def with_a_gate_an_edit_waits_for_whoever_is_at_that_file(t):
    t.project.initialise('[[gate]]\nid = "mine"\nbefore = ["edit"]\nproof = { alone = "paths" }\n')
    with t.claude() as one, t.claude() as other:
        one.turn("Change it.", read("app.txt"), edit("app.txt", "one", "two"), say("Done."))
        other.turn("Change it, too.",
                   read("app.txt"),
                   edit("app.txt", "two", "three").denied(f"claude-code {one.session_id} changed app.txt"),
                   bash("sed -i s/two/three/ app.txt").denied("still holds this edit"),
                   write("other.txt", "new\n"),
                   say("I work on another file."))
        one.close()
        other.turn("Go on.", edit("app.txt", "two", "three"), say("Done."))


@scenario
def a_day_of_several_agents_from_the_first_subagent_to_the_second_conversation(t):
    agents(t, "implementer", "qa", "security")
    t.project.initialise(REVIEWED + ACCEPTED.removeprefix("[project]\n"))
    t.project.by_a_person("start", "--objective", "Parse tabs")
    over = t.project.root.parent / "over"
    handoff = {"from_agent": "security", "to_agent": "qa", "reason": "It is reviewed", "context": "One file is new",
               "checklist": ["run: ./check.sh", "read: new.txt"]}
    with t.claude() as first:
        first.turn("Have it done.",
                   background_subagent(bash(f"until [ -e {over} ]; do sleep 0.1; done"), say("Looked."), kind="qa"),
                   isolated_subagent(bash("touch apart.txt"), say("Done apart."), kind="implementer"),
                   write("new.txt", "new\n"),
                   bash(f"{COMMIT} One").denied("security has given no verdict"),
                   subagent(read("new.txt"), verdict().works('"counts":true'), say("Fine."), kind="security"),
                   bash(f"{COMMIT} One"),
                   waypost("handoff_create", **handoff).works("handoff-"),
                   say("Handed over."))
        first.woken(lambda: over.touch(), say("All is done."))
    told = {one["agent"]: one for one in json.loads(t.project.waypost("agent", "list", "--json").stdout)["invocations"]}
    assert {name: one["status"] for name, one in told.items()} == dict.fromkeys(told, "completed"), told
    assert set(told) == {"qa", "implementer", "security"} and t.project.commits()[0] == "One", told
    with t.claude() as second:
        second.turn("Go on.",
                    write("tests.txt", "new\n").denied("is not accepted yet"),
                    bash("./check.sh"),
                    bash("waypost handoff accept").fails("new.txt"),
                    read("new.txt"),
                    bash("waypost handoff accept").works("accepted"),
                    write("tests.txt", "new\n"),
                    say("Done."),
                    sees=["It is reviewed", "One file is new"])
