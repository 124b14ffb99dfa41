"""Projects in Python whose pytest lies in an environment of their own, made without a network."""

import os
import sys
from pathlib import Path

FILES = {
    ".gitignore": ".venv/\n__pycache__/\n.pytest_cache/\n",
    "src/area.py": "def square(side):\n    return side * side\n",
    "src/report.py": "from area import square\n\n\ndef line(side):\n    return f\"{side}: {square(side)}\"\n",
    "tests/test_area.py": "from area import square\n\n\ndef test_square():\n    assert square(3) == 9\n",
    "tests/test_report.py": "from report import line\n\n\ndef test_line():\n    assert line(2) == \"2: 4\"\n",
}
PYPROJECT = """[project]
name = "area"
version = "0.1.0"
requires-python = ">=3.11"

[dependency-groups]
dev = ["pytest"]

[tool.uv]
environments = ["sys_platform == 'linux'"]

[tool.pytest.ini_options]
pythonpath = ["src"]
testpaths = ["tests"]
"""
UV_CONFIG = """no-index = true
offline = true
find-links = ["{wheels}"]
python-downloads = "never"
"""


def python_project(t, uv, with_lock):
    """The files and the environment, which `uv` makes in a moment out of the wheels that are there."""
    t.project.replace({**FILES, "pyproject.toml": PYPROJECT})
    _take_off_the_path(t, "pytest")
    config = Path(t.env["XDG_CONFIG_HOME"], "uv/uv.toml")
    config.parent.mkdir(parents=True)
    config.write_text(UV_CONFIG.format(wheels=t.tools / "wheels"))
    t.project.run(uv, "venv", "--quiet", "--python", sys.executable)
    if with_lock:
        t.project.run(uv, "sync", "--quiet")
    else:
        t.project.run(uv, "pip", "install", "--quiet", "pytest")


def _take_off_the_path(t, program):
    """A folder that holds the program gives way to one with links to all that it holds beside it."""
    folders = t.env["PATH"].split(":")
    for place, folder in enumerate(folders):
        if os.path.exists(os.path.join(folder, program)):
            folders[place] = str(_copy_without(folder, program, t.out / f"path-{place}"))
    t.env["PATH"] = ":".join(folders)


def _copy_without(folder, program, copy):
    copy.mkdir()
    for file in Path(folder).iterdir():
        if file.name != program:
            (copy / file.name).symlink_to(file)
    return copy
