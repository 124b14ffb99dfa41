"""Crashes, resumed and new conversations, subdirectories and second work trees: the state is right."""

from harness.project import MESSAGE, NEXT_STEP
from harness.registry import scenario
from harness.steps import bash, next_step, read, say, write

# The shell of a tool call is a child of the client, which tells it its pid.
CRASH = "kill -KILL $CLAUDE_PID; tail --pid=$CLAUDE_PID -f /dev/null"


@scenario(by_a_tool=write("new.txt", "new\n"), through_the_shell=bash("touch new.txt"))
def an_edit_before_a_crash_is_still_held_after_resuming(t, change):
    t.project.initialise()
    with t.claude() as first:
        first.turn("Add a file.", change, bash(CRASH).kills_the_client())
    assert [conversation["running"] for conversation in t.project.status()["conversations"]] == [False]
    with t.claude(resume=first.session_id) as second:
        second.turn("Go on.",
                    say("Done.").held(MESSAGE, NEXT_STEP),
                    bash(NEXT_STEP),
                    say("Done."))
    assert second.session_id == first.session_id


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
def a_new_conversation_after_a_crash_joins_the_current_session(t):
    t.project.initialise()
    t.project.by_a_person("start", "--objective", "Add files")
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
    left = [(e["conversation"], e["reason"]) for e in t.project.events("conversation_detached")]
    assert left[0] == (first.session_id, "crashed"), left


@scenario
def a_run_of_one_conversation_counts_for_the_next_one_of_the_session(t):
    t.project.initialise()
    t.project.by_a_person("start", "--objective", "Add files")
    with t.claude() as first:
        first.turn("Add a file.", write("new.txt", "new\n"), bash("./check.sh"), say("Done."))
    with t.claude() as second:
        second.turn("Commit it.", bash("git add . && git commit -qm Add"), say("Done."))


@scenario
def two_conversations_at_once_share_a_session_and_each_is_held_for_its_own_edits(t):
    t.project.initialise()
    t.project.by_a_person("start", "--objective", "Add files")
    with t.claude() as one, t.claude() as other:
        one.turn("Add a file.", write("one.txt", "new\n"), bash("./check.sh"), say("Done."))
        other.turn("What is there?", read("one.txt"), say("A file."))
        other.turn("Add another.",
                   write("other.txt", "new\n"),
                   say("Done.").held("other.txt"),
                   bash("./check.sh"),
                   say("Done."))
        one.turn("What is there?", read("other.txt"), say("Another file."))


@scenario
def a_client_in_a_subdirectory_is_held_and_released(t):
    t.project.initialise()
    with t.claude(t.project.root / "notes") as claude:
        claude.turn("Add a note.",
                    write("note.txt", "new\n"),
                    say("Done.").held(MESSAGE),
                    next_step().works("3 checks passed"),
                    write("other.txt", "new\n"),
                    say("Done.").held(MESSAGE, "notes/other.txt"),
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
                    next_step().works("3 checks passed"),
                    bash("git add . && git commit -qm Add"),
                    say("Done."))
    second.waypost("verify", "--all")
