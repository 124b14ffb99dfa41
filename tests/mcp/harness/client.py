"""What any client does with a server, from tools to completions."""

from mcp import MCPError

from .peer import same
from .workflow import workflow


async def conversation(peer, project):
    """Goes through everything that the server offers."""
    client = peer.client
    same(client.server_info.name, "waypost")
    tools = {tool.name for tool in (await client.list_tools()).tools}
    same({"session_get_state", "requirement_status"} <= tools, True)

    state = await peer.works("session_get_state")
    same(state["session_id"], project.session)
    note = {"kind": "note", "text": "seen", "expected_version": state["version"]}
    noted = await peer.works("session_add_note", **note)
    same(noted["version"], state["version"] + 1)
    same((await peer.refused("session_add_note", **note))["actual"], noted["version"])
    await peer.refused("session_pause", reason=5)
    for name in ("session_list", "session_show", "session_brief", "requirement_status"):
        await peer.works(name)

    await workflow(peer, project)
    for resource in (await client.list_resources()).resources:
        read = await client.read_resource(resource.uri)
        same(read.contents[0].mime_type, resource.mime_type)
    same(len((await client.list_resource_templates()).resource_templates), 7)
    prompt = await client.get_prompt("resume", {})
    same("Add login" in prompt.messages[0].content.text, True)
    await fails(client, "no_such_tool", {})
    # What is too long is told at once, and whoever sent it is served on.
    await fails(client, "session_add_note", {"kind": "note", "text": "x" * (17 << 20)})
    await peer.works("session_get_state")


async def fails(client, tool, arguments):
    """Calls a tool in a way that the protocol itself answers with an error."""
    try:
        await client.call_tool(tool, arguments)
    except MCPError:
        return
    raise AssertionError(f"{tool} was called")
