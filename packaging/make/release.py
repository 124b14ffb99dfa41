"""What is released: a version, its binaries, and the words and pages that go with them."""

import subprocess
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

from .refused import Refused

# An ELF header names its machine in two bytes, the lower one first.
ELF_MACHINES = {"x86_64": 62, "aarch64": 183}
COMPLETIONS = {
    "bash": "share/bash-completion/completions/waypost",
    "zsh": "share/zsh/site-functions/_waypost",
    "fish": "share/fish/vendor_completions.d/waypost.fish",
}


@dataclass(frozen=True)
class Binary:
    """A static binary for Linux on one architecture, as Rust and uname call it."""

    architecture: str
    content: bytes

    @property
    def target(self) -> str:
        """The target, as Rust calls it."""
        return f"{self.architecture}-unknown-linux-musl"


@dataclass(frozen=True)
class Release:
    """Everything that packages are made of."""

    version: str
    summary: str
    licence: str
    authors: str
    repository: str | None
    binaries: tuple[Binary, ...]
    readme: str
    licences: dict[str, bytes]
    shared: dict[str, bytes]
    templates: Path

    @classmethod
    def of(cls, root: Path, binaries: list[str], version: str | None, repository: str | None) -> "Release":
        """The release of the repository in `root`, with binaries given as `architecture=path`."""
        workspace = tomllib.loads((root / "Cargo.toml").read_text())["workspace"]["package"]
        program = tomllib.loads((root / "crates/waypost/Cargo.toml").read_text())["package"]
        given = [read_binary(text) for text in binaries]
        architectures = [binary.architecture for binary, _ in given]
        if len(set(architectures)) != len(architectures):
            raise Refused("one architecture was given twice: name one binary for each")
        return cls(
            version=version or workspace["version"],
            summary=program["description"],
            licence=workspace["license"],
            authors=", ".join(workspace["authors"]),
            repository=repository.rstrip("/") if repository else None,
            binaries=tuple(binary for binary, _ in given),
            readme=(root / "README.md").read_text(),
            licences={name: (root / name).read_bytes() for name in ("LICENSE-APACHE", "LICENSE-MIT")},
            shared=shared_files([path for _, path in given]),
            templates=root / "packaging",
        )

    def template(self, name: str, **values: str) -> str:
        """A template's text with values in the places that it names as `@NAME@`."""
        text = (self.templates / name).read_text()
        for key, value in {"VERSION": self.version, "SUMMARY": self.summary, **values}.items():
            text = text.replace(f"@{key}@", value)
        return text


def read_binary(text: str) -> tuple[Binary, Path]:
    """The binary that `architecture=path` names, once it is seen to be one."""
    architecture, _, name = text.partition("=")
    if architecture not in ELF_MACHINES or not name:
        raise Refused(f"{text!r} names no binary: write {' or '.join(f'{a}=PATH' for a in ELF_MACHINES)}")
    path = Path(name).resolve()
    try:
        content = path.read_bytes()
    except OSError as error:
        raise Refused(f"{path} cannot be read ({error.strerror}): build it with scripts/build-release") from error
    if content[:4] != b"\x7fELF" or int.from_bytes(content[18:20], "little") != ELF_MACHINES[architecture]:
        raise Refused(f"{path} is no program for Linux on {architecture}")
    return Binary(architecture, content), path


def shared_files(programs: list[Path]) -> dict[str, bytes]:
    """The manual pages and completions, by their paths below a prefix such as /usr."""
    for program in programs:
        try:
            return written_by(program)
        except (OSError, subprocess.CalledProcessError):
            continue
    raise Refused("none of the binaries runs on this machine: give that of this machine's architecture as well")


def written_by(program: Path) -> dict[str, bytes]:
    """What a binary that runs here writes of manual pages and completions."""
    files = {}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "man", "--output", folder], check=True, capture_output=True)
        for page in sorted(Path(folder).iterdir()):
            files[f"share/man/man1/{page.name}"] = page.read_bytes()
    for shell, place in COMPLETIONS.items():
        done = subprocess.run([program, "completions", shell], check=True, capture_output=True)
        files[place] = done.stdout
    return files
