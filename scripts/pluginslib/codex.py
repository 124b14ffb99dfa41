"""Codex: a plugin with the same skills and the MCP server, and the list from which it is installed."""

from pluginslib.source import AUTHOR, DESCRIPTION, KEYWORDS, LICENSE, NAME, TITLE, Source

FOLDER = "plugins/codex"


def files(source: Source) -> dict[str, object]:
    look = {"displayName": TITLE, "shortDescription": "Gates and memory for agents' sessions",
            "longDescription": DESCRIPTION, "developerName": AUTHOR["name"], "category": "Developer Tools"}
    about = {"name": NAME, "version": source.version, "description": DESCRIPTION, "author": AUTHOR, "license": LICENSE,
             "keywords": KEYWORDS, "skills": "./skills/", "mcpServers": "./.mcp.json", "interface": look}
    # A path would be looked for in the folder of the session.
    server = {"command": "waypost", "args": ["mcp", "--plugin", "codex"]}
    listed = {"name": NAME, "source": {"source": "local", "path": f"./{FOLDER}"},
              "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"}, "category": "Developer Tools"}
    made = {
        f"{FOLDER}/.codex-plugin/plugin.json": about,
        f"{FOLDER}/.mcp.json": {"mcpServers": {NAME: server}},
        ".agents/plugins/marketplace.json": {"name": NAME, "interface": {"displayName": TITLE}, "plugins": [listed]},
    }
    return made | {f"{FOLDER}/{path}": text for path, text in source.skills().items()}
