"""Copies are what they were made from: plugins for all clients, and files that the documentation quotes."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from pluginslib import generated

from .repository import Problem, Repository

# A comment that names a file beside the page, and the block of code behind it.
QUOTED = re.compile(r"<!-- (examples/\S+) -->\n+```\w*\n(.*?)^```", re.DOTALL | re.MULTILINE)


def check_plugins(repository: Repository) -> Iterator[Problem]:
    if any(path.startswith("plugins/waypost/") for path in repository.files):
        for path in generated.stale(repository.root, generated.files(repository.root)):
            yield Problem(path, 1, "is not what plugins/waypost makes of it: run scripts/plugins")


def check_quotes(repository: Repository) -> Iterator[Problem]:
    for page in repository.files:
        text = repository.text(page) if page.startswith("docs/") and page.endswith(".md") else None
        for quote in QUOTED.finditer(text or ""):
            file = str(PurePosixPath(page).parent / quote[1])
            if repository.text(file) != quote[2]:
                line = text.count("\n", 0, quote.start()) + 1
                yield Problem(page, line, f"does not say what {file} says: copy it")
