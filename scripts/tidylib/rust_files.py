"""Rust files: their length, their opening, and what should not be left in them."""

import re
from collections.abc import Iterator

from . import rust_source
from .repository import Problem, Repository

LINES_AIM = 400
LINES_LIMIT = 500

_MACRO_LEFT = re.compile(r"\b(todo|unimplemented|dbg)!\s*[(\[{]")
_IGNORED_TEST = re.compile(r"#\[\s*ignore\b")
_ALLOW = re.compile(r"#!?\[\s*allow\s*\(")
_WORD_LEFT = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"")
_CODE_IN_COMMENT = re.compile(
    r"""^//(?![/!])\s*(
        let\s+(mut\s+)?\w+.*=.*;
      | use\s+\w+(::\S+)+;
      | (pub\s+)?fn\s+\w+\s*[<(].*\{
      | [\w.:]+\(.*\)\??;
      | \#\[\w+.*\]
      | \}
    )\s*$""",
    re.VERBOSE,
)


def check_length(repository: Repository) -> Iterator[Problem]:
    for path in repository.rust_files:
        count = len(repository.lines(path))
        if count > LINES_LIMIT:
            yield Problem(path, count, f"{count} lines, at most {LINES_LIMIT}: split it by subject")


def notes_on_length(repository: Repository) -> Iterator[Problem]:
    """Files over the aim, tests at their end not counted. Said, never held against anyone."""
    for path in repository.rust_files:
        count = next(
            (number - 1 for number, line in repository.lines(path) if line == "#[cfg(test)]"),
            len(repository.lines(path)),
        )
        if LINES_AIM < count <= LINES_LIMIT and "/tests/" not in path:
            yield Problem(path, count, f"note: {count} lines without tests, the aim is {LINES_AIM}")


def check_module_docs(repository: Repository) -> Iterator[Problem]:
    for path in repository.rust_files:
        if not re.match(r"crates/[^/]+/src/", path):
            continue
        opening = next((line for _, line in repository.lines(path) if line.strip()), "")
        if not opening.startswith("//!"):
            yield Problem(path, 1, "open the module with //!: what it is for and what it never does")


def check_leftovers(repository: Repository) -> Iterator[Problem]:
    for path in repository.rust_files:
        source = rust_source.split(repository.text(path) or "")
        pairs = zip(source.code, source.comments, strict=True)
        for number, (code, comment) in enumerate(pairs, start=1):
            for message in _leftovers(code, comment):
                yield Problem(path, number, message)


def _leftovers(code: str, comment: str) -> Iterator[str]:
    if left := _MACRO_LEFT.search(code):
        yield f"{left.group(1)}! is left over: finish it"
    if _IGNORED_TEST.search(code):
        yield "an ignored test tests nothing: make it run or take it out"
    if _ALLOW.search(code):
        yield "use #[expect(…, reason = …)] instead of allow"
    if left := _WORD_LEFT.search(_QUOTED.sub("", comment)):
        yield f"{left.group(1)} is left over: do it, or say it where work is planned"
    if _CODE_IN_COMMENT.match(comment.strip()):
        yield "commented-out code: take it out"
