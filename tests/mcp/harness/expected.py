"""Which scenarios do not apply, and whether that is still so."""

import tomllib
from dataclasses import dataclass


@dataclass
class Expected:
    """The reasons for one revision, by scenario."""

    reasons: dict[str, str]

    @classmethod
    def read(cls, path, revision):
        """Reads `[revision]` tables of `scenario = "reason"`; `[all]` holds for every revision."""
        listed = tomllib.loads(path.read_text())
        return cls({**listed.get("all", {}), **listed.get(revision, {})})

    def problems(self, results):
        """A line for every failure that is not listed, and for every entry that is not needed any more."""
        return list(self._problems({result.name: result for result in results}))

    def _problems(self, played):
        for name, result in played.items():
            if not result.passed and name not in self.reasons:
                yield f"{name} fails: {'; '.join(result.failures)}"
            if result.passed and name in self.reasons:
                yield f"{name} passes: take it out of not-applicable.toml"
        for name in self.reasons.keys() - played.keys():
            yield f"{name} was not played: take it out of not-applicable.toml"
