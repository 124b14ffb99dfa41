"""Makes packages: one module for each way of installing, each a function of a release and a folder."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from . import archive, debian, homebrew, installer, npm, wheel
from .refused import Refused
from .release import Release

__all__ = ["Refused", "everything"]

WAYS = (archive, debian, npm, wheel, homebrew, installer)


def everything(release: Release, out: Path) -> Iterator[Path]:
    """Makes every package, and the list of their digests at last."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise Refused(f"{out} is there and not an empty folder: name another one")
    out.mkdir(parents=True, exist_ok=True)
    made = []
    for way in WAYS:
        for path in way.make(release, out):
            made.append(path)
            yield path
    sums = out / "SHA256SUMS"
    sums.write_text("".join(f"{digest(path)}  {path.name}\n" for path in sorted(made)))
    yield sums


def digest(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
