"""serena.py: a stand-in for Serena's MCP server over pipes, with the tools that the built-in protocol asks about.

It knows the handshake alone: a client that first asks `server/discover` falls back to it.
"""

import json
import sys
from pathlib import Path

TOOLS = {"activate_project": "project", "initial_instructions": None, "read_memory": "memory_name"}
NO_SUCH_METHOD = -32601


def main():
    """Answers one request per line until the client is gone."""
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer(request)}), flush=True)


def answer(request):
    """The answer to a request, without its envelope."""
    params = request.get("params") or {}
    match request["method"]:
        case "initialize":
            return {"result": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                               "serverInfo": {"name": "serena", "version": "1"}}}
        case "tools/list":
            return {"result": {"tools": [described(name, argument) for name, argument in TOOLS.items()]}}
        case "tools/call":
            return {"result": {"content": [{"type": "text", "text": said(params["name"], params["arguments"])}]}}
    return {"error": {"code": NO_SUCH_METHOD, "message": "method not found"}}


def described(name, argument):
    """A tool with at most one argument."""
    arguments = [argument] if argument else []
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in arguments}, "required": arguments}
    return {"name": name, "description": name, "inputSchema": schema}


def said(tool, arguments):
    """What a tool says."""
    if tool == "read_memory":
        return Path(f".serena/memories/{arguments['memory_name']}.md").read_text()
    return f"{tool} is done"


if __name__ == "__main__":
    main()
