"""A project that follows the built-in protocol, with what that asks about, and the servers it is followed through."""

import json
from pathlib import Path

from .steps import mcp, read

CONFIG = '[project]\nprotocol = "builtin"\n'
HANDOFF = ".agents/HANDOFF.md"
CONSTRAINTS = ".agents/governance/PROJECT-CONSTRAINTS.md"
MEMORY = "skill-usage-mandatory"
FURNITURE = {
    ".serena/project.yml": "project_name: test\n",
    f".serena/memories/{MEMORY}.md": "use the skills\n",
    ".claude/skills/github/scripts/new-pr.sh": "true\n",
    HANDOFF: "where it stands\n",
    CONSTRAINTS: "no shell\n",
}
SERENA = {"command": "python3", "args": ["-IB", str(Path(__file__).parent / "serena.py")]}


def furnish(t, **servers):
    """Sets the project up. Waypost's own server is registered and approved by `waypost init`, unless it is given."""
    for path, text in FURNITURE.items():
        t.project.write(path, text)
    register_servers(t.project, serena=SERENA, **servers)
    t.project.initialise(CONFIG)
    approved = {"enabledMcpjsonServers": ["serena", *servers]}
    (Path(t.env["CLAUDE_CONFIG_DIR"]) / "settings.json").write_text(json.dumps(approved))


def register_servers(project, **servers):
    """The project's `.mcp.json`."""
    project.write(".mcp.json", json.dumps({"mcpServers": servers}))


def waypost(tool, **arguments):
    """A call of one of Waypost's own tools."""
    return mcp("waypost", tool, **arguments)


def what_comes_before_work():
    """What the protocol asks an agent to call and to read."""
    return (mcp("serena", "activate_project", project="."),
            mcp("serena", "initial_instructions"),
            mcp("serena", "read_memory", memory_name=MEMORY).works("use the skills"),
            read(HANDOFF),
            read(CONSTRAINTS))


def session_log(session):
    """Where the log of a session is written."""
    return f".agents/sessions/{session}.md"


def report(session):
    """What somebody says who looked at the work of a session."""
    return f"---\nqaVerdict: PASS\nqaSessionLog: {session_log(session)}\n---\n"
