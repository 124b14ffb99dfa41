"""Codex: a plugin with hooks, the MCP server and the same skills, and the list from which it is installed."""

from pluginslib.source import AUTHOR, DESCRIPTION, KEYWORDS, LICENSE, NAME, TITLE, Source

FOLDER = "plugins/codex"
# A line of a shell, in which the plugin's folder is a variable.
CALL = '"${CLAUDE_PLUGIN_ROOT}/launch" hook codex'
# As `waypost init` registers them, in seconds.
EVENTS = {"SessionStart": 30, "UserPromptSubmit": 30, "PreToolUse": 30, "PostToolUse": 30, "Stop": 30,
          "SubagentStart": 30, "SubagentStop": 30, "PreCompact": 30, "SessionEnd": 3}
OF_TOOLS = ("PreToolUse", "PostToolUse")


def files(source: Source) -> dict[str, object]:
    look = {"displayName": TITLE, "shortDescription": "Gates and memory for agents' sessions",
            "longDescription": DESCRIPTION, "developerName": AUTHOR["name"], "category": "Developer Tools"}
    about = {"name": NAME, "version": source.version, "description": DESCRIPTION, "author": AUTHOR, "license": LICENSE,
             "keywords": KEYWORDS, "skills": "./skills/", "hooks": "./hooks/hooks.json", "mcpServers": "./.mcp.json",
             "interface": look}
    # A path would be looked for in the folder of the session.
    server = {"command": "waypost", "args": ["mcp", "--plugin", "codex"]}
    listed = {"name": NAME, "source": {"source": "local", "path": f"./{FOLDER}"},
              "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"}, "category": "Developer Tools"}
    made = {
        f"{FOLDER}/.codex-plugin/plugin.json": about,
        f"{FOLDER}/launch": source.launch(),
        f"{FOLDER}/hooks/hooks.json": {"hooks": {event: [_group(event)] for event in EVENTS}},
        f"{FOLDER}/.mcp.json": {"mcpServers": {NAME: server}},
        ".agents/plugins/marketplace.json": {"name": NAME, "interface": {"displayName": TITLE}, "plugins": [listed]},
    }
    return made | {f"{FOLDER}/{path}": text for path, text in source.skills().items()}


def _group(event: str) -> dict:
    matcher = {"matcher": "*"} if event in OF_TOOLS else {}
    return {**matcher, "hooks": [{"type": "command", "command": CALL, "timeout": EVENTS[event]}]}
