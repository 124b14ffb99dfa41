"""The npm packages: one for each binary, and one that depends on all of them where they fit.

npm installs only those of `optionalDependencies` whose `os` and `cpu` are the machine's: so nothing is fetched
by a script after the installation, and a cache or a mirror has everything."""

import json
from collections.abc import Iterator
from pathlib import Path

from .release import Binary, Release
from .tars import tar_gz

CPUS = {"x86_64": "x64", "aarch64": "arm64"}


def make(release: Release, out: Path) -> Iterator[Path]:
    """The packages of the binaries, then that which people name."""
    for binary in release.binaries:
        yield packed(release, out, for_one(release, binary), {"bin/waypost": (binary.content, 0o755)})
    launcher = (release.templates / "npm/waypost.js").read_bytes()
    yield packed(release, out, for_all(release), {"bin/waypost.js": (launcher, 0o755)})


def for_one(release: Release, binary: Binary) -> dict[str, object]:
    """The package of one binary."""
    cpu = CPUS[binary.architecture]
    return common(release) | {
        "name": f"waypost-linux-{cpu}",
        "description": f"The program of the package waypost, for Linux on {cpu}.",
        "os": ["linux"],
        "cpu": [cpu],
        "preferUnplugged": True,
    }


def for_all(release: Release) -> dict[str, object]:
    """The package that people name."""
    ones = (f"waypost-linux-{CPUS[binary.architecture]}" for binary in release.binaries)
    return common(release) | {
        "name": "waypost",
        "description": release.summary,
        "keywords": ["claude-code", "codex", "agents", "hooks", "mcp"],
        "bin": {"waypost": "bin/waypost.js"},
        "optionalDependencies": dict.fromkeys(ones, release.version),
        "engines": {"node": ">=18"},
    }


def common(release: Release) -> dict[str, object]:
    """What all of them say."""
    said: dict[str, object] = {"version": release.version, "license": release.licence, "author": release.authors}
    if release.repository:
        said["repository"] = {"type": "git", "url": f"git+{release.repository}.git"}
    return said


def packed(release: Release, out: Path, about: dict[str, object], files: dict[str, tuple[bytes, int]]) -> Path:
    """A package, as `npm pack` would name it."""
    texts = {"package.json": f"{json.dumps(about, indent=2)}\n".encode(), "README.md": release.readme.encode()}
    content = files | {name: (text, 0o644) for name, text in (texts | release.licences).items()}
    path = out / f"{about['name']}-{release.version}.tgz"
    path.write_bytes(tar_gz({f"package/{name}": file for name, file in content.items()}))
    return path
