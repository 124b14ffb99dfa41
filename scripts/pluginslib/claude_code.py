"""Claude Code: the manifest and the server beside the source, and the list from which it is installed."""

from pluginslib.source import AUTHOR, DESCRIPTION, KEYWORDS, LICENSE, NAME, Source


def files(source: Source) -> dict[str, object]:
    about = {"name": NAME, "version": source.version, "description": DESCRIPTION, "author": AUTHOR,
             "license": LICENSE, "keywords": KEYWORDS}
    server = {"command": "${CLAUDE_PLUGIN_ROOT}/launch", "args": ["mcp", "claude-code"]}
    listed = {"name": NAME, "source": "./plugins/waypost", "description": DESCRIPTION, "version": source.version,
              "category": "development", "keywords": KEYWORDS}
    marketplace = {"name": NAME, "owner": AUTHOR, "metadata": {"description": DESCRIPTION}, "plugins": [listed]}
    return {
        "plugins/waypost/.claude-plugin/plugin.json": about,
        "plugins/waypost/.mcp.json": {"mcpServers": {NAME: server}},
        ".claude-plugin/marketplace.json": marketplace,
    }
