"""A harness is named by its own module alone: its words, its files and its wire types are nobody else's business."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from .repository import Problem, Repository
from .test_code import product_files, test_lines

HOME = "crates/waypost-hook/src/harnesses"

# Modules there that are no harness.
BESIDE = {"facts", "shape"}
# Names that are words of the language too: what says that the harness is meant.
SPELT = {"codex": r"codex(?![-_]review)", "cursor": r"cursor-agent|\.cursor/|CURSOR_AGENT", "generic": r"hook generic"}


def check_names(repository: Repository) -> Iterator[Problem]:
    names = sorted({_name(path) for path in repository.rust_files if _is_module(path)} - BESIDE)
    if not names:
        yield Problem(f"{HOME}.rs", 1, f"there is no harness in {HOME}: say where they are in scripts/tidylib")
        return
    named = re.compile("|".join(SPELT.get(name, re.escape(name)) for name in names), re.IGNORECASE)
    for path in product_files(repository):
        if path == f"{HOME}.rs" or path.startswith(f"{HOME}/"):
            continue
        tests = test_lines(repository, path) if path.endswith(".rs") else set()
        for number, line in repository.lines(path):
            if number not in tests and (found := named.search(line)):
                yield Problem(path, number, f"names {found.group()}: ask the Harness that is at hand")


def _is_module(path: str) -> bool:
    return PurePosixPath(path).parent == PurePosixPath(HOME)


def _name(path: str) -> str:
    """What everything of a harness has in its name: the first word of its module."""
    return PurePosixPath(path).stem.split("_")[0]
