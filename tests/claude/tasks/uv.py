"""A uv project: pytest is in its lock file and its environment, and not on the PATH."""

from harness.python import python_project
from harness.steps import bash, edit, read, say, write
from harness.task import Kind, commit, commit_by_heredoc, task

CUBE = "\n\ndef cube(side):\n    return side ** 3\n"
TEST_OF_CUBE = "from area import cube\n\n\ndef test_cube():\n    assert cube(2) == 8\n"


def set_up(t):
    """uv on the PATH, and all it needs."""
    t.put_on_path(t.tools / "bin")
    python_project(t, "uv", with_lock=True)


KIND = Kind("uv project", set_up, ("uv run:*", "echo:*"), (
    task("looks at the tail", "Add cubes.",
         read("src/area.py"),
         edit("src/area.py", "    return side * side\n", f"    return side * side\n{CUBE}"),
         write("tests/test_cube.py", TEST_OF_CUBE),
         bash("uv run pytest 2>&1 | tail -5").works("3 passed"),
         say("Cubes are in, and the tests pass.")),
    task("commits by heredoc after a piped run", "Add a test for cubes, and cubes, and commit.",
         write("tests/test_cube.py", TEST_OF_CUBE),
         read("src/area.py"),
         edit("src/area.py", "    return side * side\n", f"    return side * side\n{CUBE}"),
         bash("uv run pytest -q | tail -20").works("3 passed"),
         commit_by_heredoc("Add cubes"),
         say("Committed.")),
    task("tests fail first and are fixed", "Add cubes with a test, and commit.",
         write("tests/test_cube.py", TEST_OF_CUBE),
         bash("uv run pytest -q 2>&1 | tail -20").works("1 error"),
         read("src/area.py"),
         edit("src/area.py", "    return side * side\n", f"    return side * side\n{CUBE.replace('side ** 3', 'side * side')}"),
         bash("uv run pytest -q 2>&1 | tail -20").works("1 failed, 2 passed"),
         edit("src/area.py", "def cube(side):\n    return side * side\n", CUBE.lstrip()),
         bash("uv run pytest -q 2>&1 | tail -20").works("3 passed"),
         commit("Add cubes"),
         say("Cubes are in.")),
    task("asks for the exit status", "Rename nothing, but document square.",
         read("src/area.py"),
         edit("src/area.py", "def square(side):\n", "def square(side):\n    \"\"\"The area of a square.\"\"\"\n"),
         bash('uv run python -m pytest -q; echo "exit: $?"').works("2 passed", "exit: 0"),
         say("It is documented.")),
    task("only answers a question", "How many tests are there, and do they pass?",
         bash("ls tests"),
         bash("uv run pytest --collect-only -q 2>&1 | tail -3").works("2 tests collected"),
         bash("uv run pytest -q 2>&1 | tail -3").works("2 passed"),
         say("Two, and they pass.")),
))
