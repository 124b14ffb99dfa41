"""What was seen of each client when all scenarios were played, for the documentation."""

import json
from pathlib import Path

from clients import ALL

FILE = Path(__file__).parent / "seen.json"


def write(programs, names):
    """Writes down, for each client, its version and the scenarios that it played; each name ends with the client's.

    Tells whether that is what stood there.
    """
    before = FILE.read_text() if FILE.exists() else ""
    now = json.dumps({name: _of(client, programs, names) for name, client in ALL.items()}, indent=2) + "\n"
    FILE.write_text(now)
    return now == before


def _of(client, programs, names):
    ending = f", {client.NAME}"
    return {"version": client.version(programs),
            "seen": sorted(name.removesuffix(ending) for name in names if name.endswith(ending))}
