"""What was seen of each client when its scenarios were last played, for the documentation."""

import json
from pathlib import Path

from clients import ALL

FILE = Path(__file__).parent / "seen.json"


def write(programs, played, known):
    """Writes down, for each client, its version and the scenarios that held; each name ends with the client's.

    `played` tells of each name whether it held; of what was not played now, what stood there stays, as long as such a
    scenario is `known`. Tells whether nothing of it is new.
    """
    before = json.loads(FILE.read_text()) if FILE.exists() else {}
    held = {f"{name}, {client}" for client, told in before.items() for name in told["seen"]}
    held = (held & set(known) | {name for name, is_held in played.items() if is_held}) - {
        name for name, is_held in played.items() if not is_held}
    now = {name: _of(client, programs, held, before) for name, client in ALL.items()}
    FILE.write_text(json.dumps(now, indent=2) + "\n")
    return now == before


def _of(client, programs, held, before):
    ending = f", {client.NAME}"
    seen = sorted(name.removesuffix(ending) for name in held if name.endswith(ending))
    try:
        version = client.version(programs)
    except FileNotFoundError:  # only those are installed whose scenarios are played
        version = before[client.NAME]["version"]
    return {"version": version, "seen": seen}
