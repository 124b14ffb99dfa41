"""The end of a turn: who is held, what releases, and that nobody is held for ever."""

from pathlib import Path

from harness.project import MESSAGE, NEXT_STEP
from harness.registry import scenario
from harness.steps import bash, edit, in_background, read, say, subagent, wait_for_background, write


@scenario
def an_edit_without_checks_is_held_with_the_reason_and_the_next_step(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Change app.txt.",
                    read("app.txt"),
                    edit("app.txt", "one", "two"),
                    say("Done.").held(MESSAGE, NEXT_STEP),
                    bash(NEXT_STEP).works("3 checks passed"),
                    say("Done."))


@scenario(verified=("waypost run -- ./check.sh", "verified"),
          alone=("./check.sh", "observed"),
          with_arguments=("./check.sh --quick", "observed"),
          in_a_chain=("./check.sh && echo ok", "observed"),
          verified_and_piped=("waypost run -- ./check.sh | tail -1", "verified"))
def a_passing_run_after_the_edit_releases(t, case):
    command, provenance = case
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Add a file.",
                    write("new.txt", "new\n"),
                    bash(command),
                    say("Done."))
    seen = [run["provenance"] for run in t.project.events("command_ran")]
    assert seen == [provenance], f"the evidence of {command!r} is {seen}"


@scenario
def a_turn_without_edits_is_never_held(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("What is in app.txt?", read("app.txt").works("one"), bash("ls"), say("One line."))
        claude.turn("And what else is there?", bash("git status --short"), say("Nothing."))


@scenario(sed="sed -i s/one/two/ app.txt",
          redirection="echo three >> app.txt",
          script="echo 'echo four > app.txt' > $TMPDIR/change.sh && sh $TMPDIR/change.sh",
          new_file="touch new.txt")
def an_edit_through_the_shell_alone_is_held(t, command):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Change it.",
                    bash(command),
                    say("Done.").held(MESSAGE, NEXT_STEP),
                    bash(NEXT_STEP),
                    say("Done."))


@scenario
def an_edit_by_a_subagent_is_held(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Let someone add a file.",
                    subagent(write("new.txt", "new\n"), say("The subagent is done.")),
                    say("Done.").held(MESSAGE, NEXT_STEP),
                    subagent(bash("./check.sh"), say("The checks pass.")),
                    say("Done."))


@scenario
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


@scenario
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
