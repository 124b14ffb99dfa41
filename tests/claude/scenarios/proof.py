"""What counts as a run of the checks, and for how long."""

from harness.project import GATE, MESSAGE, NEXT_STEP
from harness.registry import scenario, way
from harness.steps import bash, edit, in_background, read, say, wait_for_background, write


@way
def a_run_whose_own_status_is_not_seen_does_not_release(t):
    t.project.initialise()
    with t.claude() as claude:
        for number, command in enumerate(("echo ./check.sh",
                                          "true # ./check.sh",
                                          "./check.sh | tail -1",
                                          "./check.sh; true",
                                          "./check.sh || true",
                                          "./check.sh & wait",
                                          "sh -c './check.sh; true'")):
            claude.turn("Add a file.",
                        write(f"{number}.txt", "new\n"),
                        bash(command),
                        say("Done.").held(MESSAGE, NEXT_STEP),
                        bash(NEXT_STEP),
                        say("Done."))


@way
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


@way
def a_failing_run_does_not_release(t):
    t.project.initialise()
    with t.claude() as claude:
        for command in ("./check.sh", NEXT_STEP):
            claude.turn("Break app.txt, then mend it.",
                        read("app.txt"),
                        edit("app.txt", "one", "broken"),
                        bash(command).fails("1 check failed"),
                        say("Done.").held(MESSAGE, NEXT_STEP),
                        edit("app.txt", "broken", "one"),
                        bash(command).works("3 checks passed"),
                        say("Done."))


@way
def a_run_before_the_last_edit_does_not_release(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Add two files.",
                    write("first.txt", "new\n"),
                    bash("./check.sh"),
                    write("second.txt", "new\n"),
                    say("Done.").held(MESSAGE, NEXT_STEP, "second.txt", lacks="first.txt"),
                    bash("./check.sh"),
                    say("Done."))


@scenario
def an_edit_through_the_shell_makes_the_run_stale_and_is_named(t):
    t.project.initialise()
    with t.claude() as claude:
        for command in ("sed -i s/one/two/ app.txt", "python3 -c \"open('app.txt', 'a').write('more')\""):
            claude.turn("Change it.",
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
def git_that_brings_the_content_back_leaves_the_run_fresh(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Add a file.",
                    write("new.txt", "new\n"),
                    bash("./check.sh"),
                    bash("git stash --quiet --include-untracked && git stash pop --quiet"),
                    bash("git switch --quiet --create topic && git add . && git commit --quiet -m Add"),
                    bash("git switch --quiet main && git merge --quiet --squash topic && git commit --quiet -m Squash"),
                    say("Done."))


@way
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


TESTS = """import unittest


class Test(unittest.TestCase):
    def test_that_it_holds(self):
        self.assertTrue(True)
"""


@way
def a_test_runner_counts_in_any_equal_spelling_and_only_whole(t):
    t.project.write("test_app.py", TESTS)
    t.project.write(".gitignore", "__pycache__/\n")
    t.project.initialise(GATE.replace("./check.sh*", "python -m unittest"))
    with t.claude() as claude:
        for number, honest in enumerate(("python3 -m unittest",
                                         "cd . && timeout 60 python3 -B -m unittest -v 2>&1",
                                         "set -o pipefail && python3 -m unittest 2>&1 | tail -3",
                                         "(python3 -m unittest discover) && git diff --stat",
                                         "bash -c 'python3 -m unittest'")):
            claude.turn("Add a file.", write(f"{number}.txt", "new\n"), bash(honest), say("Done."))
        for number, other in enumerate(("python3 -m unittest --help",
                                        "python3 -m unittest test_app.Test",
                                        "python3 -m unittest > /dev/null 2>&1",
                                        "git stash -qu && python3 -m unittest && git stash pop -q",
                                        "python3 -m unittest; true")):
            claude.turn("Add another.",
                        write(f"other-{number}.txt", "new\n"),
                        bash(other),
                        say("Done.").held(MESSAGE),
                        bash("python3 -m unittest"),
                        say("Done."))
