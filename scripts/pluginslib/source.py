"""The source of all plugins: the files that people write, and what is said of Waypost everywhere."""

import re
from dataclasses import dataclass
from pathlib import Path

NAME = "waypost"
TITLE = "Waypost"
DESCRIPTION = "Keeps the state of your agent's sessions, and enforces gates: tests before it stops or commits"
KEYWORDS = ["gates", "hooks", "sessions", "workflow", "enforcement"]
AUTHOR = {"name": "The Waypost authors"}
LICENSE = "MIT OR Apache-2.0"


@dataclass(frozen=True)
class Command:
    """A command for people: `/waypost:NAME`."""

    name: str
    description: str
    line: str
    words: str


class Source:
    """The files below plugins/waypost."""

    def __init__(self, folder: Path, version: str):
        self.folder, self.version = folder, version

    def skills(self) -> dict[str, str]:
        """Path below the plugin -> text."""
        return {str(file.relative_to(self.folder)): file.read_text()
                for file in sorted((self.folder / "skills").rglob("*.md"))}

    def launch(self) -> str:
        return self._text("launch")

    def commands(self) -> list[Command]:
        return [_command(file) for file in sorted((self.folder / "commands").glob("*.md"))]

    def skill_text(self, name: str) -> str:
        """What a skill says, without its front matter."""
        text = self._text(f"skills/{name}/SKILL.md")
        return _parted(text)[1] if text else ""

    def _text(self, path: str) -> str:
        file = self.folder / path
        return file.read_text() if file.is_file() else ""


def _command(file: Path) -> Command:
    head, text = _parted(file.read_text())
    line, words = re.fullmatch(r"!`([^`]+)`\n\n(.*)", text, re.DOTALL).groups()
    return Command(file.stem, head["description"], line, words)


def _parted(text: str) -> tuple[dict[str, str], str]:
    """The front matter of a Markdown file, and what comes after it."""
    _, head, rest = text.split("---\n", 2)
    return dict(line.split(": ", 1) for line in head.splitlines()), rest.lstrip("\n")
