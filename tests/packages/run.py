#!/usr/bin/env python3
"""Installs Waypost in every way that it is released in. Called by scripts/test-packages, with the folder of a stripped
binary named waypost and the words that select tests."""

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable
from pathlib import Path

sys.dont_write_bytecode = True

from place import Place
from served import Served

ROOT = Path(__file__).resolve().parents[2]
NEXT = "9.9.9"
TESTS: list[Callable[["World"], None]] = []


def test(function: Callable[["World"], None]) -> Callable[["World"], None]:
    """Something that must hold."""
    TESTS.append(function)
    return function


class World:
    """Two versions of every package, and a server of both."""

    def __init__(self, binary: Path) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="waypost-packages-"))
        self.binary = binary
        later = self.folder / "later"
        later.write_bytes(binary.read_bytes() + b"later")
        later.chmod(0o755)
        self.made = self.package("first", binary)
        self.later = self.package("second", later, "--version", NEXT)
        self.served = Served(self.made, self.later)
        self.version = next(self.made.glob("waypost-linux-*.tgz")).stem.rsplit("-", 1)[-1]

    def package(self, name: str, binary: Path, *options: str) -> Path:
        """Makes packages out of a binary."""
        out = self.folder / name
        hosted = ("--repository", "https://waypost.invalid/waypost")
        command = [ROOT / "scripts/package", out, f"{machine()}={binary}", *hosted, *options]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return out


def machine() -> str:
    """This machine's architecture."""
    return subprocess.run(["uname", "-m"], check=True, capture_output=True, text=True).stdout.strip()


def npm(place: Place, world: World, *arguments: str) -> str:
    """Has npm do something, with the registry on loopback."""
    prefix = place.folder / "npm"
    place.programs = str(prefix / "bin")
    registry = ("--registry", world.served.url, "--no-audit", "--no-fund", "--loglevel=error")
    return place.run("npm", *arguments, "--global", "--prefix", prefix, *registry).works()


def is_set_up(place: Place, program: str = "waypost") -> None:
    """That a project can be set up with what was installed, is well, and is left as it was."""
    before = place.files()
    place.run(program, "init").works()
    place.run(program, "doctor").works()
    place.run(program, "init", "--remove").works()
    after = place.files()
    left = {name for name in after if after[name] != before.get(name) and not is_kept(name)}
    gone = {name for name in before if name not in after}
    assert not left and not gone, f"left behind: {sorted(left)}; gone: {sorted(gone)}"


def is_kept(name: str) -> bool:
    """Whether it is what Waypost keeps for people: their records, their key, and the state beside them."""
    return name.startswith(("home/.config/waypost/", "home/.local/state/waypost/", "project/.git/"))


def hooked(place: Place) -> list[Path]:
    """The programs that Claude Code's hooks call in the project."""
    settings = json.loads((place.folder / "project/.claude/settings.local.json").read_text())
    groups = (group for groups in settings["hooks"].values() for group in groups)
    return sorted({Path(hook["command"]) for group in groups for hook in group["hooks"]})


def outlives_its_package(place: Place, install: Callable[[str], object], remove: Callable[[], object]) -> None:
    """That hooks go on when the package is switched and removed: they call a copy, which `init` brings up to date."""
    copy = place.folder / "home/.local/share/waypost/bin/waypost"
    place.run("waypost", "init").works()
    assert hooked(place) == [copy], f"the hooks call {hooked(place)}"
    install(NEXT)
    assert not copy.read_bytes().endswith(b"later"), "the copy changed by itself"
    place.run("waypost", "init").works()
    assert copy.read_bytes().endswith(b"later"), "init did not bring the copy up to date"
    remove()
    place.run(copy, "doctor").works()
    place.run(copy, "init", "--remove").works()
    left = [path for path in (place.folder / "home/.local/share").rglob("*")]
    assert not left, f"left behind: {left}"


@test
def the_same_binary_makes_the_same_packages(world: World) -> None:
    again = world.package("again", world.binary)
    names = sorted(path.name for path in world.made.iterdir())
    assert names == sorted(path.name for path in again.iterdir())
    for name in names:
        assert (world.made / name).read_bytes() == (again / name).read_bytes(), f"{name} came out differently"


@test
def digests_are_those_of_the_files(world: World) -> None:
    lines = (world.made / "SHA256SUMS").read_text().splitlines()
    named = {line.split("  ")[1]: line.split("  ")[0] for line in lines}
    assert set(named) == {path.name for path in world.made.iterdir()} - {"SHA256SUMS"}
    for name, digest in named.items():
        assert hashlib.sha256((world.made / name).read_bytes()).hexdigest() == digest, name


@test
def npm_installs_switches_and_removes_it(world: World) -> None:
    place = Place()
    npm(place, world, "install", f"waypost@{world.version}")
    assert place.run("waypost", "--version").works().startswith("waypost ")
    is_set_up(place)

    def remove() -> None:
        npm(place, world, "uninstall", "waypost")
        shutil.rmtree(place.folder / "npm-cache")

    outlives_its_package(place, lambda version: npm(place, world, "install", f"waypost@{version}"), remove)
    left = [path for path in (place.folder / "npm").rglob("*waypost*")]
    assert not left, f"left behind: {left}"


@test
def npx_runs_it_and_ends_as_it_ends(world: World) -> None:
    place = Place()
    npx = ("npx", "--yes", "--registry", world.served.url, "--", f"waypost@{world.version}")
    assert "waypost" in place.run(*npx, "--version").works()
    refused = place.run(*npx, "status", "--no-such-option")
    assert refused.status == 2, f"ended with {refused.status}:\n{refused.output}"


@test
def without_its_optional_package_the_one_of_npm_says_what_to_do(world: World) -> None:
    place = Place()
    # npm leaves optional packages out of a project only: not of what it installs for all.
    quiet = ("--registry", world.served.url, "--no-audit", "--no-fund", "--loglevel=error", "--omit=optional")
    place.run("npm", "install", f"waypost@{world.version}", *quiet).works()
    started = place.run("node_modules/.bin/waypost", "--version")
    started.fails("install again without --omit=optional")


@test
def pip_installs_switches_and_removes_the_wheel(world: World) -> None:
    place = Place()
    venv.create(place.folder / "venv", with_pip=True)
    place.programs = str(place.folder / "venv/bin")
    index = ("--quiet", "--no-deps", "--index-url", f"{world.served.url}/simple")
    place.run("pip", "install", *index, f"waypost=={world.version}").works()
    assert place.run("waypost", "--version").works().startswith("waypost ")
    is_set_up(place)
    outlives_its_package(
        place,
        lambda version: place.run("pip", "install", *index, f"waypost=={version}").works(),
        lambda: shutil.rmtree(place.folder / "venv"),
    )


@test
def dpkg_installs_switches_and_removes_the_debian_package(world: World) -> None:
    place = Place()
    root = place.folder / "root"
    for name in ("info", "updates", "triggers"):
        (root / "var/lib/dpkg" / name).mkdir(parents=True)
    for name in ("status", "available"):
        (root / "var/lib/dpkg" / name).touch()
    # What the package recommends is not in that root; nothing that it depends on is missing.
    dpkg = ("dpkg", f"--root={root}", "--force-not-root", "--force-bad-path", f"--log={place.folder / 'log'}")
    place.run(*dpkg, "--install", next(world.made.glob("*.deb"))).works()
    place.programs = str(root / "usr/bin")
    assert place.run("waypost", "--version").works().startswith("waypost ")
    is_set_up(place)
    place.run(*dpkg, "--install", next(world.later.glob("*.deb"))).works()
    assert (root / "usr/bin/waypost").read_bytes().endswith(b"later")
    assert not place.run(*dpkg, "--verify", "waypost").works(), "the package's list of digests is wrong"
    place.run(*dpkg, "--purge", "waypost").works()
    left = [path for path in (root / "usr").rglob("*") if path.is_file()] if (root / "usr").exists() else []
    assert not left, f"left behind: {left}"


@test
def the_installer_installs_what_was_released(world: World) -> None:
    place = Place()
    downloads = {"WAYPOST_DOWNLOADS": f"{world.served.url}/files"}
    place.run("sh", world.made / "install.sh", **downloads).works()
    place.programs = str(place.folder / "home/.local/bin")
    assert (place.folder / "home/.local/share/man/man1/waypost-status.1").is_file()
    is_set_up(place)
    place.run("sh", world.later / "install.sh", **downloads).works()
    assert (place.folder / "home/.local/bin/waypost").read_bytes().endswith(b"later")


@test
def the_installer_refuses_anything_else(world: World) -> None:
    place = Place()
    name = next(world.made.glob("waypost-*-musl.tar.gz")).name
    forged = place.folder / "forged"
    forged.mkdir()
    content = bytearray((world.made / name).read_bytes())
    content[len(content) // 2] ^= 1
    (forged / name).write_bytes(content)
    elsewhere = Served(forged)
    done = place.run("sh", world.made / "install.sh", WAYPOST_DOWNLOADS=f"{elsewhere.url}/files")
    done.fails("its digest is another one, and nothing was installed")
    assert not (place.folder / "home/.local").exists()
    nowhere = place.run("sh", world.made / "install.sh", WAYPOST_DOWNLOADS=f"{elsewhere.url}/nowhere")
    nowhere.fails("cannot be fetched")


@test
def what_is_no_binary_is_refused(world: World) -> None:
    place = Place()
    script = place.folder / "script"
    script.write_text("#!/bin/sh\n")
    call = (ROOT / "scripts/package", place.folder / "out")
    place.run(*call, f"{machine()}={script}").fails("is no program for Linux on")
    place.run(*call, f"{machine()}={place.folder / 'missing'}").fails("build it with scripts/build-release")
    place.run(*call, f"vax={world.binary}").fails("names no binary")
    other = "aarch64" if machine() == "x86_64" else "x86_64"
    place.run(*call, f"{other}={world.binary}").fails("is no program for Linux on")


def main(binary: Path, words: list[str]) -> int:
    chosen = [one for one in TESTS if all(word in one.__name__ for word in words)]
    if not chosen:
        print(f"test-packages: no test has {' and '.join(words)} in its name", file=sys.stderr)
        return 2
    world = World(binary)
    failed = 0
    for one in chosen:
        sentence = one.__name__.replace("_", " ")
        try:
            one(world)
            print(f"ok      {sentence}", flush=True)
        except AssertionError as error:
            failed += 1
            print(f"FAILED  {sentence}\n{error}", flush=True)
    print(f"test-packages: {len(chosen) - failed} of {len(chosen)} held")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
