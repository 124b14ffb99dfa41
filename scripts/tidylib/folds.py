"""Whatever is folded from events decides on every event: a new one does not compile until it did.

The compiler checks a match without a wildcard, and clippy's wildcard_enum_match_arm that there is none. Here it is
checked that the lint is on wherever events are told apart, and that nothing gets around it.
"""

import re
from collections.abc import Iterator

from .repository import Problem, Repository
from .test_code import product_code, product_files

LINT = re.compile(r"#!\[deny\(clippy::wildcard_enum_match_arm\b")
# They look for events of one sort and fold nothing: what a new event means makes no difference to them.
LOOKUPS = {
    "crates/waypost-app/src/cost/sessions.rs",
    "crates/waypost-app/src/enforce/ci.rs",
    "crates/waypost-app/src/view/definitions.rs",
    "crates/waypost-app/src/documents/dev_notes/from_records.rs",
    "crates/waypost-app/src/rulings/commit.rs",
    "crates/waypost-app/src/rulings/explain.rs",
    "crates/waypost-app/src/orchestration/agents.rs",
    "crates/waypost-app/src/orchestration/decisions.rs",
    "crates/waypost-app/src/sessions/switch.rs",
    "crates/waypost-app/src/documents/plan.rs",
    "crates/waypost-app/src/share/verify.rs",
    "crates/waypost-core/src/event/restored.rs",
    "crates/waypost-store/src/log.rs",
    "crates/waypost-store/src/log/repair.rs",
    "crates/waypost-store/src/log/verify.rs",
}
_ARM = re.compile(r"\bKnown::[A-Z]\w*[^;=]*=>")
_ONE = re.compile(r"\blet\s+[^=;]*\bKnown::[A-Z]|\bmatches!\s*\([^;]*\bKnown::[A-Z]")
_ANY = re.compile(r"\b(Event|Self)::Known\(\s*_\s*\)")


def check_folds(repository: Repository) -> Iterator[Problem]:
    for path in product_files(repository):
        if path in LOOKUPS or not path.endswith(".rs"):
            continue
        code = product_code(repository, path)
        text = "\n".join(code)
        arms = [number for number, line in enumerate(code, start=1) if _ARM.search(line)]
        if arms and not LINT.search(text):
            message = "tells events apart: put #![deny(clippy::wildcard_enum_match_arm)] at its top, with a reason"
            yield Problem(path, arms[0], message)
        for found in [*_ONE.finditer(text), *(_ANY.finditer(text) if arms else [])]:
            yield Problem(
                path,
                text.count("\n", 0, found.start()) + 1,
                "asks for one event and passes over all others: use a match that names them (scripts/tidylib/folds.py)",
            )
