"""The Python wheel that carries the binary: pip, pipx and uv put it where programs are."""

import base64
import hashlib
from collections.abc import Iterator
from pathlib import Path

from .release import Binary, Release
from .tars import zipped


def make(release: Release, out: Path) -> Iterator[Path]:
    """One wheel for each binary."""
    for binary in release.binaries:
        tag = tag_of(binary)
        path = out / f"waypost-{release.version}-{tag}.whl"
        path.write_bytes(package(release, binary, tag))
        yield path


def tag_of(binary: Binary) -> str:
    """Where it can be installed: a static binary needs no particular C library."""
    return f"py3-none-manylinux2014_{binary.architecture}.musllinux_1_1_{binary.architecture}"


def package(release: Release, binary: Binary, tag: str) -> bytes:
    """The whole wheel."""
    about = f"waypost-{release.version}.dist-info"
    metadata = release.template("templates/METADATA", LICENCE=release.licence, AUTHORS=release.authors)
    files = {f"waypost-{release.version}.data/scripts/waypost": (binary.content, 0o755)}
    files |= {f"{about}/licenses/{name}": (text, 0o644) for name, text in release.licences.items()}
    files[f"{about}/METADATA"] = (f"{metadata}\n{release.readme}".encode(), 0o644)
    files[f"{about}/WHEEL"] = (wheel_file(tag).encode(), 0o644)
    record = f"{about}/RECORD"
    lines = [f"{name},sha256={digest(content)},{len(content)}\n" for name, (content, _) in files.items()]
    files[record] = ("".join([*lines, f"{record},,\n"]).encode(), 0o644)
    return zipped(files)


def wheel_file(tag: str) -> str:
    """What the format wants to be told of itself, with each tag that the name combines on a line."""
    python, abi, platforms = tag.split("-")
    tags = "".join(f"Tag: {python}-{abi}-{platform}\n" for platform in platforms.split("."))
    return f"Wheel-Version: 1.0\nGenerator: waypost\nRoot-Is-Purelib: false\n{tags}"


def digest(content: bytes) -> str:
    """As RECORD wants it."""
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
