"""Which Rust code is of tests alone: files below tests/, modules behind #[cfg(test)], dev-only crates."""

import re
from pathlib import PurePosixPath

from . import rust_source
from .repository import Repository

DEV_ONLY = ("crates/waypost-testkit/", "crates/waypost-bench/")
_MARK = re.compile(r"^\s*#\[cfg\(test\)\]\s*$")
_MODULE = re.compile(r"^\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*([;{])")


def product_code(repository: Repository) -> dict[str, list[str]]:
    """The lines of each source file, without comments, the insides of strings, and tests; those are left empty."""
    sources = {
        path: rust_source.split(repository.text(path) or "").code
        for path in repository.rust_files
        if "/src/" in path and not path.startswith(DEV_ONLY)
    }
    roots = {root for path, code in sources.items() for root in _test_modules(path, code)}
    return {
        path: _without_inline_tests(code)
        for path, code in sources.items()
        if not any(path == f"{root}.rs" or path.startswith(f"{root}/") for root in roots)
    }


def _test_modules(path: str, code: list[str]) -> list[str]:
    """Where the modules are, without an ending, that a file declares for tests."""
    place = PurePosixPath(path)
    folder = place.parent if place.name in ("lib.rs", "main.rs", "mod.rs") else place.with_suffix("")
    declared = (_MODULE.match(line) for mark, line in zip(code, code[1:]) if _MARK.match(mark))
    return [str(folder / found.group(1)) for found in declared if found and found.group(2) == ";"]


def _without_inline_tests(code: list[str]) -> list[str]:
    kept, inside = [], False
    for number, line in enumerate(code):
        following = code[number + 1] if number + 1 < len(code) else ""
        opening = _MODULE.match(following)
        inside = inside or bool(_MARK.match(line) and opening and opening.group(2) == "{")
        kept.append("" if inside else line)
        # A module at the top level ends where a brace stands first in its line.
        inside = inside and line != "}"
    return kept
