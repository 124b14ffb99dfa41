"""Which code is of tests alone: files below tests/, modules behind #[cfg(test)], dev-only crates."""

import re
from pathlib import PurePosixPath

from . import rust_source
from .repository import Repository

DEV_ONLY = ("crates/waypost-testkit/", "crates/waypost-bench/")
_MARK = re.compile(r"^\s*#\[cfg\(test\)\]\s*$")
_MODULE = re.compile(r"^\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*([;{])")


def product_files(repository: Repository) -> list[str]:
    """The sources of what is released, whatever language they are in."""
    return [path for path in source_files(repository) if not path.startswith(DEV_ONLY)]


def source_files(repository: Repository) -> list[str]:
    """The sources of every crate, without modules of tests."""
    files = [path for path in repository.files if "/src/" in path]
    rust = [path for path in files if path.endswith(".rs")]
    roots = {root for path in rust for root in _test_modules(path, _code(repository, path))}
    return [path for path in files if not any(path == f"{root}.rs" or path.startswith(f"{root}/") for root in roots)]


def product_code(repository: Repository, path: str) -> list[str]:
    """The lines of a Rust file without comments and the insides of strings; those of tests are left empty."""
    code = _code(repository, path)
    inside = test_lines(repository, path)
    return ["" if number in inside else line for number, line in enumerate(code, start=1)]


def test_lines(repository: Repository, path: str) -> set[int]:
    """The lines of a Rust file that are in a module of tests."""
    code, found, inside = _code(repository, path), set(), False
    for number, line in enumerate(code, start=1):
        opening = _MODULE.match(code[number]) if number < len(code) else None
        inside = inside or bool(_MARK.match(line) and opening and opening.group(2) == "{")
        if inside:
            found.add(number)
        # A module at the top level ends where a brace stands first in its line.
        inside = inside and line != "}"
    return found


def _code(repository: Repository, path: str) -> list[str]:
    return rust_source.split(repository.text(path) or "").code


def _test_modules(path: str, code: list[str]) -> list[str]:
    """Where the modules are, without an ending, that a file declares for tests."""
    place = PurePosixPath(path)
    folder = place.parent if place.name in ("lib.rs", "main.rs", "mod.rs") else place.with_suffix("")
    declared = (_MODULE.match(line) for mark, line in zip(code, code[1:]) if _MARK.match(mark))
    return [str(folder / found.group(1)) for found in declared if found and found.group(2) == ";"]
