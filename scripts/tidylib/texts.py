"""Committed text names no machine: no paths of someone's computer, no registry but the usual one."""

import re
from collections.abc import Iterator

from .repository import Problem, Repository

# Names that nobody takes for a real account.
FICTIONAL_USERS = "alice|bob|dev|me|user|you"
_MACHINE_PATH = re.compile(
    rf"(?<![\w.~$}}*-])/(?:(?:work|root)/|(?:home|Users)/(?!(?:{FICTIONAL_USERS})\b)[a-z_][\w.-]*)"
)
_REGISTRY_SETTING = re.compile(
    r"(?:index-url|registry|replace-with|find-links|\"resolved\":?)[\"']?\s*[:= ]\s*[\"']?(?:sparse\+)?https?://",
    re.IGNORECASE,
)
_REGISTRY_HOST = re.compile(
    r"https?://[\w.:@-]*(?:artifactory|nexus|verdaccio|jfrog|codeartifact|\.internal\b|\.corp\b|\.lan\b)", re.IGNORECASE
)
_CARGO_SOURCE = re.compile(r'^source = "(?!registry\+https://github\.com/rust-lang/crates\.io-index")')


def check_machine_paths(repository: Repository) -> Iterator[Problem]:
    for path in repository.files:
        for number, line in repository.lines(path):
            if found := _MACHINE_PATH.search(line):
                yield Problem(path, number, f"{found.group()} is a path of one machine; use a relative or made-up one")


def check_registries(repository: Repository) -> Iterator[Problem]:
    for path in repository.files:
        rule = _CARGO_SOURCE if path.endswith("Cargo.lock") else None
        for number, line in repository.lines(path):
            if rule and rule.search(line):
                yield Problem(path, number, "a dependency from elsewhere than crates.io")
            elif _REGISTRY_SETTING.search(line) or _REGISTRY_HOST.search(line):
                yield Problem(path, number, "names a package registry; leave that to the machine's own configuration")
