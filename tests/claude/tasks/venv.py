"""A project with a virtual environment of its own: pytest is in `.venv/bin`, and on the PATH only once it is activated."""

from harness.python import python_project
from harness.steps import bash, edit, read, say, write
from harness.task import Kind, commit, commit_by_heredoc, task

SQUARE, CHECKED = "    return side * side\n", "    return side * abs(side)\n"
TEST_OF_NOTHING = "from area import square\n\n\ndef test_nothing():\n    assert square(0) == 0\n"


def set_up(t):
    """The environment is made with a tool that the project itself does not know."""
    python_project(t, str(t.tools / "bin/uv"), with_lock=False)


RULES = ("source:*", "pytest:*", ".venv/bin/python -m pytest:*", ".venv/bin/pytest:*", "tail:*", "echo:*")

KIND = Kind("venv project", set_up, RULES, (
    task("activates and tests", "Test what comes of nothing.",
         write("tests/test_nothing.py", TEST_OF_NOTHING),
         bash("source .venv/bin/activate && pytest").works("3 passed"),
         say("It is tested.")),
    task("asks for the exit status behind a pipe", "Test what comes of nothing, and commit.",
         write("tests/test_nothing.py", TEST_OF_NOTHING),
         bash('.venv/bin/python -m pytest -x -q 2>&1 | tail -30; echo "exit: $?"').works("3 passed", "exit: 0"),
         commit("Test what comes of nothing"),
         say("Committed.")),
    task("edits, tests, edits, tests", "Test what comes of nothing, then make negative sides negative areas.",
         write("tests/test_nothing.py", TEST_OF_NOTHING),
         bash(".venv/bin/pytest -q 2>&1 | tail -5").works("3 passed"),
         read("src/area.py"),
         edit("src/area.py", SQUARE, CHECKED),
         bash(".venv/bin/pytest -q 2>&1 | tail -5").works("3 passed"),
         say("Both are done.")),
    task("activates, looks at the tail and commits by heredoc", "Make negative sides negative areas, and commit.",
         read("src/area.py"),
         edit("src/area.py", SQUARE, CHECKED),
         bash("source .venv/bin/activate && pytest -q 2>&1 | tail -20").works("2 passed"),
         commit_by_heredoc("Make negative sides negative areas"),
         say("Committed."),
         needs_bypass=True),
    task("keeps the output in a file", "Make negative sides negative areas.",
         read("src/area.py"),
         edit("src/area.py", SQUARE, CHECKED),
         bash(".venv/bin/pytest -q > /tmp/out.txt 2>&1; tail -5 /tmp/out.txt").works("2 passed"),
         say("Done."),
         needs_bypass=True),
))
