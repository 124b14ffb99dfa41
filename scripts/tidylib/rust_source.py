"""A lexer just good enough to tell Rust code from its comments and strings."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
      (?P<line_comment>//[^\n]*)
    | (?P<block_comment>/\*)
    | (?P<raw_string>\b(?:b|c)?r(?P<hashes>\#*)")
    | (?P<string>\b(?:b|c)?"(?:\\.|[^"\\])*"|"(?:\\.|[^"\\])*")
    | (?P<char>b?'(?:\\(?:u\{[^}]*\}|x[0-9a-fA-F]{2}|.)|[^'\\\n])')
    """,
    re.VERBOSE | re.DOTALL,
)
_BLOCK_EDGE = re.compile(r"/\*|\*/")


@dataclass(frozen=True)
class RustSource:
    """The same text twice, line for line: the code without comments and what is in strings, and the
    comments alone."""

    code: list[str]
    comments: list[str]


def split(text: str) -> RustSource:
    code, comments = [], []
    position = 0
    while match := _TOKEN.search(text, position):
        code.append(text[position : match.start()])
        comments.append(_blank(text[position : match.start()]))
        position = _end_of(match, text)
        token = text[match.start() : position]
        is_comment = match.lastgroup in ("line_comment", "block_comment")
        code.append(_blank(token) if is_comment else '"' + "\n" * token.count("\n") + '"')
        comments.append(token if is_comment else _blank(token))
    code.append(text[position:])
    comments.append(_blank(text[position:]))
    return RustSource("".join(code).split("\n"), "".join(comments).split("\n"))


def strings(text: str) -> Iterator[tuple[int, str]]:
    """Every string with its quotes, and the line that it begins in."""
    position = 0
    while match := _TOKEN.search(text, position):
        position = _end_of(match, text)
        if match.group("string") or match.group("raw_string"):
            yield text.count("\n", 0, match.start()) + 1, text[match.start() : position]


def _end_of(match: re.Match, text: str) -> int:
    if match.group("block_comment"):
        return _end_of_block_comment(text, match.end())
    if match.group("raw_string"):
        closed = text.find('"' + match.group("hashes"), match.end())
        return len(text) if closed < 0 else closed + 1 + len(match.group("hashes"))
    return match.end()


def _end_of_block_comment(text: str, position: int) -> int:
    depth = 1
    while depth and (edge := _BLOCK_EDGE.search(text, position)):
        depth += 1 if edge.group() == "/*" else -1
        position = edge.end()
    return len(text) if depth else position


def _blank(text: str) -> str:
    return "\n" * text.count("\n")
