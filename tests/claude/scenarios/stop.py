"""The end of a turn: who is held, what releases, and that nobody is held for ever."""

from pathlib import Path

from harness.project import MESSAGE, NEXT_STEP
from harness.registry import scenario, way
from harness.steps import bash, edit, in_background, next_step, read, say, subagent, wait_for_background, write


@scenario
def an_edit_without_checks_is_held_with_the_reason_and_the_next_step(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Change app.txt.",
                    read("app.txt"),
                    edit("app.txt", "one", "two"),
                    say("Done.").held(MESSAGE, NEXT_STEP),
                    next_step().works("3 checks passed"),
                    say("Done."))


@scenario
def a_passing_run_after_the_edit_releases(t):
    runs = {"waypost run -- ./check.sh": "verified",
            "./check.sh": "observed",
            "./check.sh --quick": "observed",
            "./check.sh && echo ok": "observed",
            "waypost run -- ./check.sh | tail -1": "verified"}
    t.project.initialise()
    with t.claude() as claude:
        for number, command in enumerate(runs):
            claude.turn("Add a file.", write(f"{number}.txt", "new\n"), bash(command), say("Done."))
    seen = [run["provenance"] for run in t.project.events("command_ran")]
    assert seen == list(runs.values()), seen


@scenario
def a_turn_without_edits_is_never_held(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("What is in app.txt?",
                    read("app.txt").works("one"),
                    bash("ls"),
                    say("One line."),
                    sees=["Waypost keeps this session"])
        claude.turn("And what else is there?", bash("git status --short"), say("Nothing."))


@scenario
def what_the_user_changes_between_two_turns_does_not_hold_the_agent(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("What is in app.txt?", read("app.txt").works("one"), say("One line."))
        t.project.write("app.txt", "another\n")
        claude.turn("And now?", bash("cat app.txt").works("another"), say("Another line."))


@scenario
def an_edit_through_the_shell_alone_is_held(t):
    t.project.initialise()
    with t.claude() as claude:
        for command in ("sed -i s/one/two/ app.txt",
                        "echo three >> app.txt",
                        "echo 'echo four > app.txt' > $TMPDIR/change.sh && sh $TMPDIR/change.sh",
                        "touch new.txt"):
            claude.turn("Change it.",
                        bash(command),
                        say("Done.").held(MESSAGE, NEXT_STEP),
                        bash(NEXT_STEP),
                        say("Done."))


@way
def an_edit_by_a_subagent_is_held(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Let someone add a file.",
                    subagent(write("new.txt", "new\n"),
                             *[say("Done.").held(MESSAGE, NEXT_STEP) for _ in range(3)],
                             say("The subagent is done.")),
                    say("Done.").held(MESSAGE, NEXT_STEP),
                    subagent(bash("./check.sh"), say("The checks pass.")),
                    say("Done."))


@way
def after_three_blocks_without_progress_the_turn_ends_with_a_violation(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Add a file.",
                    write("new.txt", "new\n"),
                    say("Done.").held(MESSAGE),
                    say("Really done.").held(MESSAGE),
                    say("I am done.").held(MESSAGE),
                    say("I stop here."))
    violations = t.project.events("violation_recorded")
    assert [violation["gate"] for violation in violations] == ["tests-pass"], violations
    assert t.project.status()["violations"] == 1


@scenario
def a_stop_is_allowed_while_a_background_task_runs_and_held_after_it(t):
    t.project.initialise()
    over = Path(t.env["TMPDIR"], "over")
    with t.claude() as claude:
        claude.turn("Add a file.",
                    write("new.txt", "new\n"),
                    in_background(f"until [ -e {over} ]; do sleep 0.1; done"),
                    say("Something is running."))
        claude.woken(over.touch,
                     say("It is over.").held(MESSAGE, NEXT_STEP),
                     bash(NEXT_STEP),
                     say("Done."))


@way
def news_of_a_background_task_does_not_settle_an_edit_through_the_shell(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Add a file.",
                    bash("touch new.txt"),
                    in_background("true"),
                    wait_for_background(),  # its end comes as a UserPromptSubmit that no user made
                    say("Done.").held(MESSAGE, NEXT_STEP),
                    bash(NEXT_STEP),
                    say("Done."))


@scenario
def the_next_prompt_of_the_same_conversation_is_held_again_after_a_new_edit(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Add a file.", write("new.txt", "new\n"), bash("./check.sh"), say("Done."))
        claude.turn("Explain it.", say("It is a file."))
        claude.turn("Add another.",
                    write("other.txt", "new\n"),
                    say("Done.").held(MESSAGE, "other.txt"),
                    bash("./check.sh"),
                    say("Done."))


@way
def a_question_is_held_once_and_the_debt_stays(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Change app.txt.",
                    read("app.txt"),
                    edit("app.txt", "one", "two"),
                    say("Shall I write three instead?").held(MESSAGE, "ask again"),
                    say("I need to know first: shall I write three instead?"))
        claude.turn("No.",
                    bash("git commit -qam two").denied(MESSAGE),
                    say("Done.").held(MESSAGE),
                    next_step().works("3 checks passed"),
                    say("Done."))


@scenario
def an_edit_of_the_user_during_the_turn_does_not_hold_the_agent(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("What is in app.txt?",
                    bash("cat app.txt").works("one"),
                    read("app.txt").meanwhile(lambda: t.project.write("mine.txt", "mine\n")),
                    say("One line."))
        claude.turn("Commit it.",
                    bash("git add -A && git commit -qm mine").denied(MESSAGE),
                    next_step().works("3 checks passed"),
                    bash("git add -A && git commit -qm mine"),
                    say("Done."))
