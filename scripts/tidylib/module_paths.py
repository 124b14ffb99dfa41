"""Which modules a crate has, and which of them a source file names.

Paths that begin with `crate`, `self`, `super`, a child module or an imported name are followed, also through
re-exports, to the module in which what they name is defined. What is imported with `*` is not taken apart.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from .repository import Repository
from .test_code import product_code, source_files

Module = tuple[str, ...]
_TOKEN = re.compile(r"\s*(::|[{},*]|r#\w+|\w+)")
_START = re.compile(r"(?<![\w:])(?:(?P<use>use)\s+(?:::)?(?=\w|\{)|(?=(?:crate|super|self)\s*::))")
_MAX_HOPS = 20


@dataclass(frozen=True)
class Reference:
    """A path that is written in a file, as it stands there."""

    line: int
    segments: tuple[str, ...]


@dataclass
class Source:
    """One file of a crate: its module, what it imports under which name, and every path in it."""

    path: str
    imports: dict[str, tuple[str, ...]] = field(default_factory=dict)
    references: list[Reference] = field(default_factory=list)


class ModuleTree:
    """The modules of one crate."""

    def __init__(self, sources: dict[Module, Source]):
        self.sources = sources

    def references(self) -> Iterator[tuple[Module, Module, str, int]]:
        """Who names whom, and where: module, module, file and line."""
        for module, source in self.sources.items():
            for reference in source.references:
                target = self._resolve(module, reference.segments)
                if target is not None:
                    yield module, target, source.path, reference.line

    def _resolve(self, module: Module, segments: tuple[str, ...], hops: int = 0) -> Module | None:
        """The module in which the path ends; none where it leads out of the crate."""
        if hops > _MAX_HOPS or not segments:
            return None
        first, rest = segments[0], segments[1:]
        if first == "crate":
            return self._walk((), rest, hops)
        if first == "self":
            return self._walk(module, rest, hops)
        if first == "super":
            return self._resolve(module[:-1], ("self", *rest), hops)
        if (*module, first) in self.sources:
            return self._walk((*module, first), rest, hops)
        imported = self.sources[module].imports.get(first)
        if imported and imported[0] != first:
            return self._resolve(module, (*imported, *rest), hops + 1)
        return None

    def _walk(self, module: Module, segments: tuple[str, ...], hops: int) -> Module | None:
        for number, segment in enumerate(segments):
            if segment == "super":
                module = module[:-1]
            elif (*module, segment) in self.sources:
                module = (*module, segment)
            else:
                imported = self.sources[module].imports.get(segment) if module in self.sources else None
                through = imported and self._resolve(module, (*imported, *segments[number + 1 :]), hops + 1)
                return through or module
        return module


def module_trees(repository: Repository) -> dict[str, ModuleTree]:
    """By the name of the crate's folder. Code of tests is left out."""
    trees: dict[str, dict[Module, Source]] = {}
    for path in source_files(repository):
        parts = PurePosixPath(path).parts
        if path.endswith(".rs") and parts[0] == "crates" and parts[2] == "src" and parts[-1] != "tests.rs":
            source = trees.setdefault(parts[1], {}).setdefault(_module(parts[3:]), Source(path))
            _read("\n".join(product_code(repository, path)), source)
    return {crate: ModuleTree(sources) for crate, sources in trees.items()}


def _module(parts: tuple[str, ...]) -> Module:
    if len(parts) == 1 and parts[0] in ("lib.rs", "main.rs"):
        return ()
    return parts[:-1] if parts[-1] == "mod.rs" else (*parts[:-1], parts[-1].removesuffix(".rs"))


def _read(text: str, source: Source) -> None:
    position = 0
    while found := _START.search(text, position):
        line = text.count("\n", 0, found.start()) + 1
        paths, position = _paths(text, found.end())
        position = max(position, found.end() + 1)
        for segments, name in paths:
            source.references.append(Reference(line, segments))
            if found.group("use") and name:
                source.imports[name] = segments


def _paths(text: str, position: int) -> tuple[list[tuple[tuple[str, ...], str]], int]:
    """Every path of a tree of paths such as `a::{b, c::d as e}`, with the name that it gives; and where it ends."""
    segments: list[str] = []
    while found := _TOKEN.match(text, position):
        token = found.group(1)
        if token == "{":
            return _group(tuple(segments), text, found.end())
        if token in "},":
            break
        position = found.end()
        if token != "::" and token != "*":
            segments.append(token.removeprefix("r#"))
        following = _TOKEN.match(text, position)
        if token != "::" and not (following and following.group(1) == "::"):
            break
    name, position = _alias(segments, text, position)
    if segments and segments[-1] == "self" and len(segments) > 1:
        segments.pop()
        name = segments[-1] if name == "self" else name
    return [(tuple(segments), name)], position


def _group(prefix: tuple[str, ...], text: str, position: int) -> tuple[list[tuple[tuple[str, ...], str]], int]:
    paths = []
    while (found := _TOKEN.match(text, position)) and found.group(1) != "}":
        if found.group(1) == ",":
            position = found.end()
            continue
        inner, position = _paths(text, position)
        for segments, name in inner:
            if segments == ("self",):
                segments, name = (), name if name != "self" else (prefix or ("",))[-1]
            paths.append(((*prefix, *segments), name))
    return paths, found.end() if found else position


def _alias(segments: list[str], text: str, position: int) -> tuple[str, int]:
    found = re.compile(r"\s+as\s+(\w+)").match(text, position)
    if found:
        return found.group(1), found.end()
    return (segments[-1] if segments else ""), position
