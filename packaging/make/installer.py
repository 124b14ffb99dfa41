"""The installer for a shell: it fetches the archive of the machine, checks its digest, and installs by a rename."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from . import archive
from .release import Release


def make(release: Release, out: Path) -> Iterator[Path]:
    """The installer, if it is known where the archives are to be had. It carries their digests."""
    if not release.repository:
        return
    digests = "\n".join(
        f"{binary.architecture} {digest(out / f'{archive.name(release, binary)}.tar.gz')}" for binary in release.binaries
    )
    path = out / "install.sh"
    path.write_text(release.template("templates/install.sh", REPOSITORY=release.repository, DIGESTS=digests))
    path.chmod(0o755)
    yield path


def digest(path: Path) -> str:
    """The SHA-256 of an archive."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
