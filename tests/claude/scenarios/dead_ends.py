"""Where an honest agent cannot satisfy a gate: it is told what is wrong and who can help, and it is let go in the end."""

import subprocess

from harness.project import GATE, MESSAGE
from harness.registry import scenario
from harness.steps import bash, next_step, read, say, write

UNITTEST = "python3 -m unittest"
TESTS_PASS = GATE.replace("./check.sh*", UNITTEST)
APPROVE = ("gate", "approve", "tests-pass")
ASK = f"ask the user: waypost {' '.join(APPROVE)}"


def tests(name, *body):
    """A file of tests with one test in it."""
    lines = "".join(f"        {line}\n" for line in body)
    return f"import unittest\n\n\nclass Test(unittest.TestCase):\n    def {name}(self):\n{lines}"


def set_up(t, test_file):
    """A project with these tests and a gate that asks for them."""
    t.project.write("test_app.py", test_file)
    t.project.write(".gitignore", "__pycache__/\n")
    t.project.initialise(TESTS_PASS)


@scenario
def tests_that_stay_red_are_named_and_the_user_is_to_be_asked(t):
    set_up(t, tests("test_the_sum", "self.assertEqual(1 + 1, 3)"))
    with t.claude() as claude:
        claude.turn("Add a file.",
                    write("new.txt", "new\n"),
                    bash(UNITTEST).fails("FAILED (failures=1)"),
                    say("Done.").held(MESSAGE),
                    next_step().fails("FAILED (failures=1)"),
                    say("They were red before.").held("test_the_sum", ASK),
                    next_step().fails("FAILED (failures=1)"),  # the same content, red again: that is no progress
                    say("I cannot fix that.").held("test_the_sum", ASK),
                    say("What shall I do about test_the_sum?"))
    violations = t.project.events("violation_recorded")
    assert [violation["gate"] for violation in violations] == ["tests-pass"], violations


@scenario
def a_commit_with_tests_that_stay_red_ends_in_a_way_out_that_a_person_can_give(t):
    set_up(t, tests("test_the_sum", "self.assertEqual(1 + 1, 3)"))
    commit = bash("git add -A && git commit -qm 'Add a file'")
    with t.claude() as claude:
        claude.turn("Add a file, and commit it.",
                    write("new.txt", "new\n"),
                    bash(UNITTEST).fails("FAILED (failures=1)"),
                    commit.denied(MESSAGE),
                    next_step().fails("FAILED (failures=1)"),
                    commit.denied("test_the_sum", ASK),
                    bash("waypost gate approve tests-pass").denied("is for people"),
                    commit.meanwhile(lambda: t.project.by_a_person(*APPROVE)).works(),
                    say("It is committed."))


@scenario
def a_tracked_file_that_the_tests_rewrite_is_named(t):
    t.project.write("runs.txt", "")
    set_up(t, tests("test_that_counts_its_runs", "with open('runs.txt', 'a') as runs:", "    runs.write('run ')"))
    with t.claude() as claude:
        claude.turn("Add a file.",
                    write("new.txt", "new\n"),
                    bash(UNITTEST).works("OK"),
                    say("Done.").held("runs.txt", "ignore", "commit"),
                    bash("git rm -q --cached runs.txt && echo runs.txt >> .gitignore"),
                    bash(UNITTEST).works("OK"),
                    say("Done."))


@scenario
def a_project_without_any_tests_is_told_so(t):
    t.project.write("Cargo.toml", '[package]\nname = "empty"\nversion = "0.1.0"\nedition = "2021"\n')
    t.project.write("src/lib.rs", "pub fn one() -> u32 {\n    1\n}\n")
    t.project.write(".gitignore", "/target/\n")
    t.project.run("cargo", "generate-lockfile", "--offline")
    t.project.initialise(GATE.replace("./check.sh*", "cargo test"))
    with t.claude() as claude:
        claude.turn("Add a file.",
                    write("new.txt", "new\n"),
                    bash("cargo test").works("running 0 tests"),
                    say("Done.").held("executed no test", ASK),
                    write("tests/one.rs", "#[test]\nfn one_is_one() {\n    assert_eq!(empty::one(), 1);\n}\n"),
                    bash("cargo test").works("1 passed"),
                    say("Done."))


def gate_of(package):
    """A gate of one package: its tests after its changes."""
    return f"""
[[gate]]
id = "{package}-tests"
level = "must"
before = ["stop", "commit"]
folder = "{package}"
when = {{ paths = "{package}/**" }}
proof = {{ ran = "{UNITTEST}", fresh = "tree" }}
message = "Run the tests of {package} after your last change."
"""


@scenario
def in_a_monorepo_without_a_root_package_a_run_in_the_package_counts(t):
    for package in ("api", "web"):
        t.project.write(f"{package}/test_app.py", tests("test_that_it_holds", "self.assertTrue(True)"))
    t.project.write(".gitignore", "__pycache__/\n")
    t.project.initialise("[project]\n" + gate_of("api") + gate_of("web"))
    with t.claude() as claude:
        claude.turn("Add a file to api.",
                    write("api/new.txt", "new\n"),
                    bash(f"(cd api && {UNITTEST})").works("OK"),
                    say("Done."))
        claude.turn("Add a file to web.",
                    write("web/new.txt", "new\n"),
                    bash(f"(cd api && {UNITTEST})").works("OK"),
                    say("Done.").held("Run the tests of web", lacks="Run the tests of api"),
                    next_step().works("OK"),
                    say("Done."))
        claude.turn("Commit.", bash("git add -A && git commit -qm 'Add files'"), say("Done."))


@scenario
def in_a_read_only_checkout_the_file_system_is_named_and_nobody_is_held_for_ever(t):
    t.project.initialise()
    with t.claude() as claude:
        claude.turn("Add a file.",
                    write("new.txt", "new\n"),
                    read("app.txt").meanwhile(lambda: read_only(t.project.root)).works("one"),
                    say("Done.").held("Read-only file system"),
                    say("I cannot write here."))


@scenario
def in_a_read_only_checkout_a_question_can_be_answered(t):
    t.project.initialise()
    read_only(t.project.root)
    with t.claude() as claude:
        claude.turn("What is in app.txt?",
                    read("app.txt").works("one"),
                    bash("git log --oneline && cat app.txt").works("one"),
                    say("One line."))


def read_only(folder):
    """Nothing can be written below the folder any more, not even by root; the mount is gone with the scenario."""
    subprocess.run(["mount", "--bind", folder, folder], check=True)
    subprocess.run(["mount", "-o", "remount,bind,ro", folder], check=True)
