"""What the model is told and what is recorded, event by event."""

import json

from harness.project import MESSAGE, NEXT_STEP
from harness.registry import scenario
from harness.steps import bash, read, say, write

OBJECTIVE = "Teach the parser about tabs"
BRIEF = [OBJECTIVE, "tests-pass (must) before stop, commit", f"How: {NEXT_STEP}"]


@scenario(compaction=("/compact", "after compact"), clearing=("/clear", "Waypost keeps this session"))
def the_brief_is_there_again_after(t, case):
    command, words = case
    t.project.initialise()
    t.project.waypost("start", "--objective", OBJECTIVE)
    with t.claude() as claude:
        claude.turn("Hello.", say("Hello."), sees=BRIEF)
        claude.command(command)
        claude.turn("Go on.", say("I know where I am."), sees=[*BRIEF, words])


@scenario
def a_commit_through_the_shell_is_recorded_with_its_subject(t):
    t.project.initialise("[project]\n")
    with t.claude() as claude:
        claude.turn("Commit a file.",
                    bash("echo new > new.txt && git add . && git commit -qm 'Add a file'"),
                    bash("git log --oneline").works("Add a file"),
                    say("Done."))
    commits = [commit["message"] for commit in t.project.events("commit_added")]
    assert commits == ["Add a file"], commits


@scenario
def a_slash_command_of_the_user_counts_as_its_skill(t):
    t.project.initialise('[[gate]]\nid = "review"\nbefore = ["edit"]\nproof = { skill = "review-it" }\n')
    t.project.write(".claude/commands/review-it.md", "Review the project.\n")
    with t.claude() as claude:
        claude.turn("Add a file.", write("new.txt", "new\n").denied("review-it"), say("I may not yet."))
        claude.turn("/review-it", say("Reviewed."))
        claude.turn("Add it now.", write("new.txt", "new\n"), say("Done."))
    seen = [evidence["provenance"] for evidence in t.project.events("evidence_recorded")]
    assert seen == ["observed"], seen


@scenario
def what_was_held_is_told_again_at_the_next_prompt_only_while_it_is_open(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Commit.", bash("git commit --allow-empty -qm x").denied(MESSAGE), say("It is held."))
        claude.turn("Go on.", bash("./check.sh"), say("Done."), sees=["tests-pass is still open", NEXT_STEP])
        claude.turn("Commit.", bash("git commit --allow-empty -qm x"), say("Done."))
    last = max(t.model.requests(), key=lambda path: path.name)
    assert json.dumps(json.loads(last.read_text())["messages"]).count("is still open") == 1


@scenario
def two_clients_in_a_session_are_told_of_each_other(t):
    t.project.initialise()
    t.project.by_a_person("start", "--objective", "Say hello")
    with t.claude() as one:
        one.turn("Hello.", say("Hello."))
        with t.claude() as other:
            other.turn("Hello.", read("app.txt"), say("Hello."),
                       sees=[f"Another conversation is working here too: claude-code {one.session_id}"])
            one.turn("Go on.", say("We are two."),
                     sees=[f"another conversation is working here now: claude-code {other.session_id}"])
    assert len({conversation["id"] for conversation in t.project.status()["conversations"]}) == 2


@scenario
def two_clients_in_sessions_of_their_own_are_told_of_each_other(t):
    t.project.initialise()
    with t.claude() as one:
        one.turn("Hello.", say("Hello."))
        with t.claude() as other:
            other.turn("Hello.", read("app.txt"), say("Hello."),
                       sees=[f"Working in it: claude-code {one.session_id}"])
            one.turn("Go on.", say("We are two."),
                     sees=[f"claude-code {other.session_id} works in this work tree too"])
    assert len(t.project.sessions()) == 2
