"""The Debian package. Its format is three files in an `ar` archive; no tool of Debian is needed to write it."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from .release import Binary, Release
from .tars import packed, tar_gz

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
COPYRIGHT = "usr/share/doc/waypost/copyright"


def make(release: Release, out: Path) -> Iterator[Path]:
    """One package for each binary."""
    for binary in release.binaries:
        architecture = ARCHITECTURES[binary.architecture]
        path = out / f"waypost_{release.version}_{architecture}.deb"
        path.write_bytes(package(release, binary, architecture))
        yield path


def package(release: Release, binary: Binary, architecture: str) -> bytes:
    """The whole package."""
    files = installed(release, binary)
    size = sum(-(-len(content) // 1024) for content, _ in files.values())
    control = release.template("templates/control", ARCHITECTURE=architecture, SIZE=str(size))
    digests = "".join(f"{hashlib.md5(c).hexdigest()}  {name}\n" for name, (c, _) in sorted(files.items()))
    about = {"control": (control.encode(), 0o644), "md5sums": (digests.encode(), 0o644)}
    members = {
        "debian-binary": b"2.0\n",
        "control.tar.gz": tar_gz(about, lead="./"),
        "data.tar.gz": tar_gz(files, folders=True, lead="./"),
    }
    return b"!<arch>\n" + b"".join(member(name, content) for name, content in members.items())


def installed(release: Release, binary: Binary) -> dict[str, tuple[bytes, int]]:
    """What the package puts where."""
    files = {"usr/bin/waypost": (binary.content, 0o755)}
    for path, content in release.shared.items():
        is_page = path.startswith("share/man/")
        name = path.replace("share/zsh/site-functions", "share/zsh/vendor-completions")
        files[f"usr/{name}.gz" if is_page else f"usr/{name}"] = (packed(content) if is_page else content, 0o644)
    texts = b"\n".join(text for _, text in sorted(release.licences.items()))
    files[COPYRIGHT] = (f"Waypost, {release.licence}\n\n".encode() + texts, 0o644)
    return files


def member(name: str, content: bytes) -> bytes:
    """One member of an `ar` archive: a header of 60 bytes, and content of an even length."""
    header = f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n"
    return header.encode() + content + b"\n" * (len(content) % 2)
