"""The official Python client: it checks every answer against the schemas that the server gave it."""

import asyncio

from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

from .project import Project
from .server import Server

LIMIT_SECONDS = 60
# "legacy" begins with a handshake; "auto" asks `server/discover` first.
MODES = {"legacy": "2025-11-25", "auto": "2026-07-28"}


def play(waypost):
    """Plays every way to connect; gives what did not hold."""
    return [problem for way in (over_pipes, over_http) for problem in way(waypost)]


def over_pipes(waypost):
    """A server that the client starts."""
    with Project(waypost) as project:
        server = StdioServerParameters(command=project.waypost, args=["mcp"], env=project.env, cwd=project.root)
        yield from each_mode("pipes", project, lambda: server)


def over_http(waypost):
    """A server that runs already and asks for its token."""
    with Server(waypost, "--toolsets", "session,requirements") as server:
        def connection():
            headers = {"Authorization": f"Bearer {server.token}"}
            return streamable_http_client(server.url, http_client=create_mcp_http_client(headers))
        yield from each_mode("HTTP", server.project, connection)


def each_mode(way, project, connection):
    """Plays the conversation on both revisions."""
    for mode, revision in MODES.items():
        try:
            asyncio.run(asyncio.wait_for(converse(connection(), project, mode, revision), LIMIT_SECONDS))
        except Exception as error:  # whatever goes wrong is told, not only what was foreseen
            yield f"over {way}, {revision}: {type(error).__name__}: {error}"


async def converse(connection, project, mode, revision):
    """What a client does with a server, from tools to completions."""
    async with Client(connection, mode=mode) as client:
        same(client.protocol_version, revision)
        same(client.server_info.name, "waypost")
        tools = {tool.name for tool in (await client.list_tools()).tools}
        same({"session_get_state", "requirement_status"} <= tools, True)

        state = await client.call_tool("session_get_state", {})
        same(state.structured_content["session_id"], project.session)
        version = state.structured_content["version"]
        noted = await client.call_tool("session_add_note", {"kind": "note", "text": mode, "expected_version": version})
        same(noted.structured_content["version"], version + 1)
        stale = await client.call_tool("session_add_note", {"kind": "note", "text": mode, "expected_version": version})
        same((stale.is_error, stale.structured_content["error"]["actual"]), (True, version + 1))
        wrong = await client.call_tool("session_pause", {"reason": 5})
        same(wrong.is_error, True)
        for name in ("session_list", "session_show", "session_brief", "requirement_status"):
            same((name, (await client.call_tool(name, {})).is_error), (name, False))

        for resource in (await client.list_resources()).resources:
            read = await client.read_resource(resource.uri)
            same(read.contents[0].mime_type, resource.mime_type)
        same(len((await client.list_resource_templates()).resource_templates), 6)
        prompt = await client.get_prompt("resume", {})
        same("Add login" in prompt.messages[0].content.text, True)
        try:
            await client.call_tool("no_such_tool", {})
        except MCPError:
            return
        raise AssertionError("a tool that is not there was called")


def same(found, expected):
    """Both are the same, or the conversation has failed."""
    if found != expected:
        raise AssertionError(f"found {found!r}, expected {expected!r}")
