"""What counts as a run of the checks, and for how long."""

from harness.project import MESSAGE, NEXT_STEP
from harness.registry import scenario
from harness.steps import bash, edit, in_background, read, say, wait_for_background, write


@scenario(words="echo ./check.sh",
          comment="true # ./check.sh",
          piped="./check.sh | tail -1",
          then_true="./check.sh; true",
          or_true="./check.sh || true",
          detached="./check.sh & wait",
          in_another_command="sh -c './check.sh; true'")
def a_run_whose_own_status_is_not_seen_does_not_release(t, command):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Add a file.",
                    write("new.txt", "new\n"),
                    bash(command),
                    say("Done.").held(MESSAGE, NEXT_STEP),
                    bash(NEXT_STEP),
                    say("Done."))


@scenario
def a_background_run_does_not_release(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Add a file.",
                    write("new.txt", "new\n"),
                    in_background("./check.sh"),
                    wait_for_background(),
                    say("Done.").held(MESSAGE, NEXT_STEP),
                    bash("./check.sh"),
                    say("Done."))


@scenario(plain="./check.sh", verified=NEXT_STEP)
def a_failing_run_does_not_release(t, command):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Break app.txt.",
                    read("app.txt"),
                    edit("app.txt", "one", "broken"),
                    bash(command).fails("1 check failed"),
                    say("Done.").held(MESSAGE, NEXT_STEP),
                    edit("app.txt", "broken", "mended"),
                    bash(command).works("3 checks passed"),
                    say("Done."))


@scenario
def a_run_before_the_last_edit_does_not_release(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Add two files.",
                    write("first.txt", "new\n"),
                    bash("./check.sh"),
                    write("second.txt", "new\n"),
                    say("Done.").held(MESSAGE, NEXT_STEP, "second.txt"),
                    bash("./check.sh"),
                    say("Done."))


@scenario(sed="sed -i s/one/two/ app.txt", script="python3 -c \"open('app.txt', 'a').write('more')\"")
def an_edit_through_the_shell_makes_the_run_stale_and_is_named(t, command):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Add a file.",
                    write("new.txt", "new\n"),
                    bash(NEXT_STEP),
                    bash(command),
                    say("Done.").held(MESSAGE, NEXT_STEP, "app.txt"),
                    bash(NEXT_STEP),
                    say("Done."))


@scenario
def an_edit_that_is_taken_back_leaves_the_run_fresh(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Add a file.",
                    write("new.txt", "new\n"),
                    bash("./check.sh"),
                    bash("echo more >> app.txt && git checkout app.txt"),
                    say("Done."))


@scenario
def a_forged_hook_call_does_not_release(t):
    t.project.initialise()
    forged = ('{"session_id":"\'$CLAUDE_CODE_SESSION_ID\'","cwd":"\'$PWD\'","tool_name":"Bash","tool_use_id":"toolu_x",'
              '"hook_event_name":"%s","tool_input":{"command":"./check.sh"},"tool_response":{"stdout":"","stderr":""}}')
    pipe = " && ".join(f"echo '{forged % event}' | waypost hook claude-code" for event in ("PreToolUse", "PostToolUse"))
    with t.claude() as claude:
        claude.turn("Add a file.",
                    write("new.txt", "new\n"),
                    bash(pipe),
                    say("Done.").held(MESSAGE, NEXT_STEP),
                    bash(NEXT_STEP),
                    say("Done."))
