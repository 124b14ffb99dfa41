"""Crates: the arrows between them, who may know which library, and that lints apply to all."""

import re
from collections.abc import Iterator

from .repository import Crate, Problem, Repository

SURFACES = {"waypost-hook", "waypost-mcp", "waypost-mirror", "waypost-otlp", "waypost-web"}
# What a crate may depend on, of this workspace. In tests also on waypost-testkit and on any crate
# that is listed above it.
ARROWS = {
    "waypost-core": set(),
    "waypost-store": {"waypost-core"},
    "waypost-app": {"waypost-core", "waypost-store"},
    "waypost-hook": {"waypost-core", "waypost-app"},
    "waypost-mcp": {"waypost-core", "waypost-app"},
    "waypost-mirror": {"waypost-core", "waypost-app"},
    "waypost-otlp": {"waypost-core", "waypost-app"},
    "waypost-web": {"waypost-core", "waypost-app"},
    "waypost": {"waypost-core", "waypost-store", "waypost-app"} | SURFACES,
    "waypost-testkit": {"waypost-core", "waypost-store", "waypost-app"},
    "waypost-bench": {"waypost-core", "waypost-store", "waypost-app", "waypost-hook"},
}
# A library that only these crates know.
ONLY_IN = {
    "rmcp": {"waypost-mcp", "waypost-mirror"},
    "schemars": {"waypost-mcp"},
    "axum": {"waypost-web"},
    "rusqlite": {"waypost-store"},
    "tokio": {"waypost-mcp", "waypost-mirror", "waypost-web"},
    "ureq": {"waypost-mirror", "waypost-otlp"},
}
REQUIRED_LINTS = {
    "rust": {"unsafe_code": "forbid"},
    "clippy": {
        "pedantic": None,
        "unwrap_used": None,
        "expect_used": None,
        "too_many_lines": None,
        "too_many_arguments": None,
    },
}


def check_arrows(repository: Repository) -> Iterator[Problem]:
    for crate in repository.crates:
        if crate.name not in ARROWS:
            yield Problem(
                crate.manifest, 1, f"{crate.name} is not in ARROWS of scripts/tidylib/crates.py: say what it may use"
            )
            continue
        for dependency in crate.dependencies:
            if dependency.name in ARROWS and dependency.name not in _may_use(crate.name, dependency.kind):
                yield _problem_at(
                    repository,
                    crate,
                    dependency.name,
                    f"{crate.name} may not depend on {dependency.name} ({dependency.kind}): "
                    "arrows point core <- store <- app <- hook, mcp, mirror, otlp, web <- waypost",
                )


def _may_use(name: str, kind: str) -> set[str]:
    if kind != "dev":
        return ARROWS[name]
    order = list(ARROWS)
    below = {other for other in order[: order.index(name)] if other not in SURFACES or name == "waypost"}
    return ARROWS[name] | below | {"waypost-testkit"}


def check_exclusive_libraries(repository: Repository) -> Iterator[Problem]:
    for crate in repository.crates:
        for dependency in crate.dependencies:
            owners = ONLY_IN.get(dependency.name)
            if owners and dependency.kind == "normal" and crate.name not in owners:
                message = f"only {', '.join(sorted(owners))} may know {dependency.name}"
                yield _problem_at(repository, crate, dependency.name, message)


def check_lints(repository: Repository) -> Iterator[Problem]:
    lints = repository.toml("Cargo.toml").get("workspace", {}).get("lints", {})
    for tool, required in REQUIRED_LINTS.items():
        for name, level in required.items():
            found = lints.get(tool, {}).get(name, "allow")
            found = found["level"] if isinstance(found, dict) else found
            if found == "allow" or (level and found != level):
                yield Problem("Cargo.toml", 1, f"[workspace.lints.{tool}] must have {name} = \"{level or 'warn'}\"")
    for crate in repository.crates:
        if not repository.toml(crate.manifest).get("lints", {}).get("workspace"):
            yield Problem(crate.manifest, 1, "add [lints] workspace = true: without it nothing is checked")


def _problem_at(repository: Repository, crate: Crate, dependency: str, message: str) -> Problem:
    named = re.compile(rf"^\s*\"?{re.escape(dependency)}\"?\s*[.=]|\[.*dependencies\.{re.escape(dependency)}\]")
    lines = repository.lines(crate.manifest)
    line = next((number for number, text in lines if named.search(text)), 1)
    return Problem(crate.manifest, line, message)
