"""server.json: what the registry of MCP servers is told.

It names no package: the registry knows none that holds a single binary without an address to download it from.
"""

from pluginslib.source import DESCRIPTION, NAME, TITLE, Source

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
# The registry lets only the owner of a namespace publish in it.
NAMESPACE = "io.github.waypost"
LONGEST = 100


def files(source: Source) -> dict[str, object]:
    if len(DESCRIPTION) > LONGEST:
        raise ValueError(f"the registry takes descriptions of at most {LONGEST} characters")
    about = {"$schema": SCHEMA, "name": f"{NAMESPACE}/{NAME}", "title": TITLE, "description": DESCRIPTION,
             "version": source.version}
    return {"server.json": about}
