"""Scripts: they parse, they say what they are for, and they can be run."""

import ast
import os
import subprocess
from collections.abc import Iterator

from .repository import Problem, Repository

SCRIPT_FOLDERS = ("scripts/", ".ci/", "tests/claude/", "tests/dashboard/", "tests/harnesses/")


def check_scripts(repository: Repository) -> Iterator[Problem]:
    for path in repository.files:
        lines = (repository.text(path) or "").splitlines()
        shebang = lines[0] if lines and lines[0].startswith("#!") else ""
        in_folder = path.startswith(SCRIPT_FOLDERS)
        if not shebang and not (in_folder and path.endswith((".sh", ".py"))):
            continue
        if path.endswith(".rs"):
            continue
        if shebang and in_folder and not os.access(repository.root / path, os.X_OK):
            yield Problem(path, 1, "starts with #! but is not executable: chmod +x")
        if "python" in shebang or path.endswith(".py"):
            yield from _check_python(path, repository.text(path) or "")
        elif "sh" in shebang.rpartition("/")[2] or path.endswith(".sh"):
            yield from _check_shell(repository, path, lines)


def _check_python(path: str, text: str) -> Iterator[Problem]:
    try:
        module = ast.parse(text)
    except SyntaxError as error:
        yield Problem(path, error.lineno or 1, f"does not parse: {error.msg}")
        return
    if not ast.get_docstring(module):
        yield Problem(path, 1, "open the script with a docstring that says what it is for")


def _check_shell(repository: Repository, path: str, lines: list[str]) -> Iterator[Problem]:
    checked = subprocess.run(["bash", "-n", path], cwd=repository.root, capture_output=True, text=True)
    if checked.returncode != 0:
        yield Problem(path, 1, f"bash -n: {checked.stderr.strip()}")
    if len(lines) < 2 or not lines[1].startswith("# "):
        yield Problem(path, 1, "say what the script is for in a comment under its first line")
