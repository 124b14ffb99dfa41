"""What the checks look at: the files that are or would be committed, and the crates."""

import json
import os
import subprocess
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

SKIPPED_FOLDERS = {".git", "target", "node_modules", "__pycache__"}


@dataclass(frozen=True)
class Problem:
    """One violation: where, and what to do about it."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


@dataclass(frozen=True)
class Dependency:
    """One declared dependency; `kind` is normal, build or dev."""

    name: str
    kind: str


@dataclass(frozen=True)
class Crate:
    """One workspace member."""

    name: str
    manifest: str
    dependencies: tuple[Dependency, ...]


class CargoFailed(Exception):
    """Cargo could not read the workspace; says why."""


class Repository:
    """A work tree. Text is read once; files that are not UTF-8 are not text."""

    def __init__(self, root: Path):
        self.root = root
        self._texts: dict[str, str | None] = {}

    @cached_property
    def files(self) -> list[str]:
        """Paths from the root, of everything that git would commit."""
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=self.root,
            capture_output=True,
            text=True,
        )
        if listed.returncode == 0 and (self.root / ".git").exists():
            names = set(filter(None, listed.stdout.split("\0")))
            return sorted(name for name in names if (self.root / name).is_file())
        return sorted(self._walk())

    def _walk(self):
        for folder, folders, names in os.walk(self.root):
            folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS]
            for name in names:
                yield str((Path(folder) / name).relative_to(self.root))

    def text(self, path: str) -> str | None:
        if path not in self._texts:
            try:
                self._texts[path] = (self.root / path).read_text(encoding="utf-8")
            except (UnicodeDecodeError, OSError):
                self._texts[path] = None
        return self._texts[path]

    def lines(self, path: str) -> list[tuple[int, str]]:
        return list(enumerate((self.text(path) or "").splitlines(), start=1))

    def toml(self, path: str) -> dict:
        return tomllib.loads(self.text(path) or "")

    @cached_property
    def rust_files(self) -> list[str]:
        return [path for path in self.files if path.endswith(".rs")]

    @cached_property
    def crates(self) -> list[Crate]:
        metadata = json.loads(
            self.cargo("metadata", "--no-deps", "--offline", "--format-version", "1")
        )
        return [_crate(package, self.root.resolve()) for package in metadata["packages"]]

    def cargo(self, *arguments: str) -> str:
        done = subprocess.run(["cargo", *arguments], cwd=self.root, capture_output=True, text=True)
        if done.returncode != 0:
            raise CargoFailed(f"cargo {arguments[0]}: {done.stderr.strip()}")
        return done.stdout

    def summary(self) -> str:
        return f"{len(self.files)} files, {len(self.rust_files)} of Rust"


def _crate(package: dict, root: Path) -> Crate:
    return Crate(
        name=package["name"],
        manifest=str(Path(package["manifest_path"]).relative_to(root)),
        dependencies=tuple(
            Dependency(entry["name"], entry["kind"] or "normal") for entry in package["dependencies"]
        ),
    )
