"""The core is pure: no files, environment, clock, processes, network or threads, and no library that
brings them. Its clippy.toml forbids the calls; this checks that it does, and what it cannot see."""

import re
from collections.abc import Iterator

from . import rust_source
from .repository import CargoFailed, Problem, Repository

CORE = "waypost-core"
CLIPPY = f"crates/{CORE}/clippy.toml"
# One of each kind must be in the core's clippy.toml; scripts/tidy --self-test runs clippy with it.
FORBIDDEN_BY_CLIPPY = {
    "disallowed-methods": [
        "std::env::var",
        "std::fs::read_to_string",
        "std::fs::write",
        "std::process::exit",
        "std::thread::sleep",
        "std::thread::spawn",
        "std::time::Instant::now",
        "std::time::SystemTime::now",
    ],
    "disallowed-types": [
        "std::fs::File",
        "std::net::TcpStream",
        "std::process::Command",
    ],
}
# Adding one is a decision: it must do no IO, read no clock, have no runtime, and start fast.
ALLOWED_DEPENDENCIES = {
    "brush-parser",
    "cel",
    "hmac",
    "jiff",
    "regex-lite",
    "serde",
    "serde_json",
    "serde_json_canonicalizer",
    "sha2",
    "subtle",
    "thiserror",
}
FORBIDDEN_BELOW = {
    "async-io",
    "async-std",
    "dirs",
    "getrandom",
    "hyper",
    "iana-time-zone",
    "mio",
    "nix",
    "rand",
    "reqwest",
    "rustix",
    "smol",
    "socket2",
    "tempfile",
    "tokio",
    "ureq",
    "walkdir",
}
# Test libraries that a dependency names among its normal ones by mistake; nothing of them is linked.
MISPLACED_BELOW = {"insta"}
_IMPURE = re.compile(
    r"\bstd::(fs|env|process|net|thread|os)\b"
    r"|\bstd::\{[^}]*\b(fs|env|process|net|thread|os)\b"
    r"|\bstd::time::(\{[^}]*)?\b(SystemTime|Instant)\b"
    r"|\b(SystemTime|Instant|Timestamp|Zoned)::now\b"
    r"|\b(e?println|e?print)!|\basync\s+(fn|move|\{)|\.await\b"
)


def check_clippy_forbids(repository: Repository) -> Iterator[Problem]:
    if repository.text(CLIPPY) is None:
        yield Problem(CLIPPY, 1, "the core needs its own clippy.toml that forbids IO, clocks and the environment")
        return
    own = repository.toml(CLIPPY)
    for key, required in FORBIDDEN_BY_CLIPPY.items():
        present = {entry["path"] if isinstance(entry, dict) else entry for entry in own.get(key, [])}
        for path in sorted(set(required) - present):
            yield Problem(CLIPPY, 1, f"{key} must have {path}")
    for key, value in repository.toml("clippy.toml").items():
        if own.get(key) != value:
            yield Problem(CLIPPY, 1, f"must repeat {key} of the root's clippy.toml: clippy reads only the nearest one")


def check_source(repository: Repository) -> Iterator[Problem]:
    for path in repository.rust_files:
        if not path.startswith(f"crates/{CORE}/src/"):
            continue
        code = rust_source.split(repository.text(path) or "").code
        for number, line in enumerate(code, start=1):
            if found := _IMPURE.search(line):
                yield Problem(path, number, f"the core is pure: take the result of {found.group()} as an argument")


def check_dependencies(repository: Repository) -> Iterator[Problem]:
    core = next((crate for crate in repository.crates if crate.name == CORE), None)
    if core is None:
        yield Problem("Cargo.toml", 1, f"there is no crate {CORE}")
        return
    strangers = {
        dependency.name
        for dependency in core.dependencies
        if dependency.kind not in ("build", "dev") and dependency.name not in ALLOWED_DEPENDENCIES
    }
    for name in sorted(strangers):
        yield Problem(core.manifest, 1, f"{name} is not on the core's list (scripts/tidylib/core_purity.py)")
    if strangers:
        return
    try:
        below = _libraries_below(repository)
    except CargoFailed as failure:
        yield Problem(core.manifest, 1, str(failure))
        return
    for name in sorted(below & FORBIDDEN_BELOW):
        yield Problem(core.manifest, 1, f"brings in {name}; see `cargo tree -p {CORE} -e normal -i {name}`")


def _libraries_below(repository: Repository) -> set[str]:
    """Everything that is linked with the core: macros run at build time and are left out."""
    edges = ["--edges", "normal,no-proc-macro", "--no-dedupe", "--prefix", "depth"]
    tree = repository.cargo("tree", "--locked", "--offline", "--package", CORE, *edges)
    below, misplaced_depth = set(), None
    for depth, name in re.findall(r"^(\d+)(\S+)", tree, re.MULTILINE):
        if misplaced_depth is not None and int(depth) > misplaced_depth:
            continue
        misplaced_depth = int(depth) if name in MISPLACED_BELOW else None
        below.add(name)
    return below
