"""A home, a project in it, and programs that run there."""

import os
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Done:
    """How a program ended."""

    status: int
    output: str

    def works(self) -> str:
        """What it printed, if it ended well."""
        assert self.status == 0, f"ended with {self.status}:\n{self.output}"
        return self.output

    def fails(self, with_text: str) -> None:
        """That it did not end well, and said this."""
        assert self.status != 0, f"ended well:\n{self.output}"
        assert with_text in self.output, f"{with_text!r} is not in:\n{self.output}"


@dataclass
class Place:
    """A home that knows nothing of this machine's configuration."""

    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="waypost-packages-")).resolve())
    programs: str = ""

    def __post_init__(self) -> None:
        (self.folder / "home").mkdir()
        (self.folder / "project").mkdir()
        (self.folder / "npmrc").touch()
        self.run("git", "init", "--quiet").works()

    def run(self, *command: str | Path, **variables: str) -> Done:
        """Runs a program in the project."""
        outside = {"PATH": f"{self.programs}:{os.environ['PATH']}", "HOME": str(self.folder / "home")}
        quiet = {"NPM_CONFIG_USERCONFIG": str(self.folder / "npmrc"), "NPM_CONFIG_UPDATE_NOTIFIER": "false",
                 "NPM_CONFIG_CACHE": str(self.folder / "npm-cache"), "PIP_CONFIG_FILE": os.devnull,
                 "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_CACHE_DIR": "1"}
        done = subprocess.run([str(part) for part in command], cwd=self.folder / "project", text=True,
                              env=outside | quiet | variables, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return Done(done.returncode, done.stdout)

    def files(self) -> dict[str, bytes]:
        """Every file of the project but git's own objects, and every one of the home, with its content."""
        found = {}
        for top in ("home", "project"):
            for path in (self.folder / top).rglob("*"):
                if path.is_file():
                    found[str(path.relative_to(self.folder))] = path.read_bytes()
        return found
