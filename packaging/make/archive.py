"""The archive that the installer, the formula and `cargo binstall` fetch."""

from collections.abc import Iterator
from pathlib import Path

from .release import Binary, Release
from .tars import tar_gz


def name(release: Release, binary: Binary) -> str:
    """What the archive of a binary is called, without an ending: also the folder in it."""
    return f"waypost-{release.version}-{binary.target}"


def make(release: Release, out: Path) -> Iterator[Path]:
    """One archive for each binary."""
    for binary in release.binaries:
        folder = name(release, binary)
        files = {f"{folder}/bin/waypost": (binary.content, 0o755)}
        files |= {f"{folder}/{path}": (content, 0o644) for path, content in release.shared.items()}
        files |= {f"{folder}/{path}": (content, 0o644) for path, content in release.licences.items()}
        path = out / f"{folder}.tar.gz"
        path.write_bytes(tar_gz(files))
        yield path
