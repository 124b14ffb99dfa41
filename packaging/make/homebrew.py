"""The Homebrew formula, for Linux."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from . import archive
from .release import Release

PLACES = {"x86_64": "on_intel", "aarch64": "on_arm"}


def make(release: Release, out: Path) -> Iterator[Path]:
    """The formula, if it is known where the archives are to be had."""
    if not release.repository:
        return
    blocks = "".join(block(release, out, index) for index in range(len(release.binaries)))
    path = out / "waypost.rb"
    path.write_text(release.template("templates/waypost.rb", REPOSITORY=release.repository, ARCHIVES=blocks))
    yield path


def block(release: Release, out: Path, index: int) -> str:
    """Where one archive is, and what it has to be."""
    binary = release.binaries[index]
    name = f"{archive.name(release, binary)}.tar.gz"
    digest = hashlib.sha256((out / name).read_bytes()).hexdigest()
    url = f"{release.repository}/releases/download/v{release.version}/{name}"
    return f'    {PLACES[binary.architecture]} do\n      url "{url}"\n      sha256 "{digest}"\n    end\n'
