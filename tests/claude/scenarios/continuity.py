"""Crashes, resumed and new conversations, subdirectories and second work trees: the state is right."""

from harness.project import MESSAGE, NEXT_STEP
from harness.registry import scenario
from harness.steps import bash, read, say, write

# The shell of a tool call is a child of the client, which tells it its pid.
CRASH = "kill -KILL $CLAUDE_PID; sleep 5"


@scenario(by_a_tool=write("new.txt", "new\n"), through_the_shell=bash("touch new.txt"))
def an_edit_before_a_crash_is_still_held_after_resuming(t, change):
    t.project.initialise()
    with t.claude() as first:
        first.turn("Add a file.", change, bash(CRASH).kills_the_client())
    with t.claude(resume=first.session_id) as second:
        second.turn("Go on.",
                    say("Done.").held(MESSAGE, NEXT_STEP),
                    bash(NEXT_STEP),
                    say("Done."))
    assert second.session_id == first.session_id
    assert [e["reason"] for e in t.project.events("conversation_detached")][:1] == ["crashed"]


@scenario
def a_run_that_the_crash_cut_off_does_not_release(t):
    t.project.initialise()
    with t.claude() as first:
        first.turn("Add a file.", write("new.txt", "new\n"), bash(f"./check.sh && {CRASH}").kills_the_client())
    with t.claude(resume=first.session_id) as second:
        second.turn("Go on.", say("Done.").held(MESSAGE), bash("./check.sh"), say("Done."))


@scenario
def a_run_before_a_crash_still_counts_after_resuming(t):
    t.project.initialise()
    with t.claude() as first:
        first.turn("Add a file.",
                   write("new.txt", "new\n"),
                   bash(NEXT_STEP),
                   bash(CRASH).kills_the_client())
    with t.claude(resume=first.session_id) as second:
        second.turn("Go on.", say("Done."))


@scenario
def a_new_conversation_after_a_crash_joins_the_session(t):
    t.project.initialise()
    with t.claude() as first:
        first.turn("Add a file.", write("new.txt", "new\n"), bash(CRASH).kills_the_client())
    with t.claude() as second:
        second.turn("What is there?", read("new.txt"), say("A file."))
        second.turn("Commit it.",
                    bash("git add . && git commit -qm Add").denied(MESSAGE, NEXT_STEP),
                    bash("./check.sh"),
                    bash("git add . && git commit -qm Add"),
                    say("Done."))
    joined = [e["conversation"] for e in t.project.events("conversation_attached")]
    assert joined == [first.session_id, second.session_id], joined


@scenario
def a_run_of_one_conversation_counts_for_the_next_one_of_the_session(t):
    t.project.initialise()
    with t.claude() as first:
        first.turn("Add a file.", write("new.txt", "new\n"), bash("./check.sh"), say("Done."))
    with t.claude() as second:
        second.turn("Commit it.", bash("git add . && git commit -qm Add"), say("Done."))


@scenario
def a_client_in_a_subdirectory_is_held_and_released(t):
    t.project.initialise()
    with t.claude(t.project.root / "notes") as claude:
        claude.turn("Add a note.",
                    write("note.txt", "new\n"),
                    say("Done.").held(MESSAGE, NEXT_STEP, "note.txt"),
                    bash("cd .. && ./check.sh"),
                    say("Done."))
        claude.turn("Commit it.", bash("git add . && git commit -qm Add"), say("Done."))


@scenario
def a_client_in_a_second_work_tree_is_held_and_released_by_a_run_there(t):
    t.project.initialise()
    second = t.project.worktree(t.out / "second")
    with t.claude() as main:
        main.turn("Add a file.", write("new.txt", "new\n"), bash("./check.sh"), say("Done."))
    with t.claude(second.root) as claude:
        claude.turn("Add a file here.",
                    write("here.txt", "new\n"),
                    say("Done.").held(MESSAGE, NEXT_STEP),
                    bash("git add . && git commit -qm Add").denied(MESSAGE),
                    bash("./check.sh"),
                    bash("git add . && git commit -qm Add"),
                    say("Done."))
    second.waypost("verify", "--all")
