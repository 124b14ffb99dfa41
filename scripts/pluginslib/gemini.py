"""Gemini CLI: an extension with a context file, the MCP server, the same skills, and the commands in its own form."""

import json

from pluginslib.source import DESCRIPTION, NAME, Command, Source

FOLDER = "plugins/gemini"
CONTEXT = "WAYPOST.md"


def files(source: Source) -> dict[str, object]:
    server = {"command": "${extensionPath}${/}launch", "args": ["mcp", "gemini"]}
    about = {"name": NAME, "version": source.version, "description": DESCRIPTION, "contextFileName": CONTEXT,
             "mcpServers": {NAME: server}}
    made = {
        f"{FOLDER}/gemini-extension.json": about,
        f"{FOLDER}/{CONTEXT}": "Where a project has a `waypost.toml`, this holds for it.\n\n" + source.skill_text("gates"),
        f"{FOLDER}/launch": source.launch(),
    }
    commands = {f"{FOLDER}/commands/{NAME}/{command.name}.toml": _toml(command) for command in source.commands()}
    return made | commands | {f"{FOLDER}/{path}": text for path, text in source.skills().items()}


def _toml(command: Command) -> str:
    """`!{…}` runs a line and `{{args}}` is what the user wrote behind the command."""
    prompt = f"!{{{command.line}}}\n\n" + command.words.replace("$ARGUMENTS", "{{args}}")
    # A string of JSON is one of TOML, too.
    return f"description = {json.dumps(command.description)}\nprompt = {json.dumps(prompt)}\n"
