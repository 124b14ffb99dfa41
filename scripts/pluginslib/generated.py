"""What is made of the source: path -> (content, executable), for all clients."""

import json
import shutil
import tomllib
from pathlib import Path

from pluginslib import claude_code, codex, gemini, registry
from pluginslib.source import Source

# Folders that hold nothing but what is generated.
OWN = ("plugins/codex", "plugins/gemini")
SINGLE = (
    ".agents/plugins/marketplace.json",
    ".claude-plugin/marketplace.json",
    "plugins/waypost/.claude-plugin/plugin.json",
    "plugins/waypost/.mcp.json",
    "server.json",
)


def files(root: Path) -> dict[str, tuple[str, bool]]:
    """Everything that is generated."""
    version = tomllib.loads((root / "Cargo.toml").read_text())["workspace"].get("package", {}).get("version", "0.0.0")
    source = Source(root / "plugins/waypost", version)
    parts = (claude_code.files(source), codex.files(source), gemini.files(source), registry.files(source))
    return {path: _content(value) for part in parts for path, value in part.items()}


def stale(root: Path, wanted: dict[str, tuple[str, bool]]) -> list[str]:
    """The paths of files that are missing, differ, or are there and should not be."""
    there = {str(file.relative_to(root)) for folder in OWN for file in (root / folder).rglob("*") if file.is_file()}
    there |= {path for path in SINGLE if (root / path).is_file()}
    return sorted(path for path in there | set(wanted) if _now(root / path) != wanted.get(path))


def write(root: Path, wanted: dict[str, tuple[str, bool]]) -> None:
    """Writes all of it, in the place of what was generated before."""
    for folder in OWN:
        shutil.rmtree(root / folder, ignore_errors=True)
    for path, (text, is_executable) in wanted.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o755 if is_executable else 0o644)


def _content(value: object) -> tuple[str, bool]:
    """Objects are JSON; texts that begin as scripts do are executable."""
    text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    return text, text.startswith("#!")


def _now(file: Path) -> tuple[str, bool] | None:
    return (file.read_text(), bool(file.stat().st_mode & 0o100)) if file.is_file() else None
