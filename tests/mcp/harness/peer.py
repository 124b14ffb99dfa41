"""The official Python client as a conversation uses it. It checks every answer against the schema that it was given."""

import asyncio
import itertools
import json
import traceback
import warnings
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from mcp import Client, MCPDeprecationWarning, StdioServerParameters
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client
from mcp.types import ResourceUpdatedNotification

from .server import Server

HERE = Path(__file__).parent
LIMIT_SECONDS = 1200  # for what hangs, not for what is slow: machines are busy
OLDER, NEWER = "2025-11-25", "2026-07-28"
# "legacy" begins with a handshake; "auto" asks `server/discover` first.
MODES = {OLDER: "legacy", NEWER: "auto"}


def play(projects, converse):
    """Plays a conversation over every way and revision, each with a project of its own; gives what did not hold."""
    for (way, connect), revision in itertools.product(WAYS.items(), MODES):
        try:
            with projects() as project, connect(project) as connection:
                asyncio.run(asyncio.wait_for(talk(connection, revision, project, converse), LIMIT_SECONDS))
        except Exception as error:  # whatever goes wrong is told, not only what was foreseen
            yield f"{converse.__name__} over {way}, {revision}: {told_of(error)}"


def told_of(error):
    """What went wrong first, and where in the conversation."""
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    lines = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).parent == HERE]
    places = " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(lines[-3:]))
    return f"{type(error).__name__}: {error} ({places})"


@contextmanager
def pipes(project):
    """A server that the client starts."""
    yield StdioServerParameters(command=project.waypost, args=["mcp"], env=project.env, cwd=project.root)


@contextmanager
def http(project):
    """A server that runs already and asks for its token."""
    with Server(project) as server:
        headers = {"Authorization": f"Bearer {server.token}"}
        yield streamable_http_client(server.url, http_client=create_mcp_http_client(headers))


WAYS = {"pipes": pipes, "HTTP": http}


async def talk(connection, revision, project, converse):
    """Connects on a revision, and plays the conversation."""
    peer = Peer()
    async with Client(connection, mode=MODES[revision], message_handler=peer.hear) as peer.client:
        same(peer.client.protocol_version, revision)
        await converse(peer, project)


class Peer:
    """A client that is connected, and what it was told of."""

    client: Client

    def __init__(self):
        self._told = asyncio.Queue()

    async def works(self, tool, **arguments):
        """Calls a tool that has to work, and gives the structured content."""
        result = await self.client.call_tool(tool, arguments)
        same((tool, result.is_error, bool(result.content[0].text)), (tool, False, True))
        return result.structured_content

    async def refused(self, tool, **arguments):
        """Calls a tool that has to refuse, and gives the error. It fits the tool's schema too."""
        result = await self.client.call_tool(tool, arguments)
        same((tool, result.is_error, bool(result.content[0].text)), (tool, True, True))
        await self.client.session.validate_tool_result(tool, result)
        return result.structured_content["error"]

    async def resource(self, uri):
        """What a resource says now, whatever the client remembers of it."""
        read = await self.client.read_resource(uri, cache_mode="bypass")
        return json.loads(read.contents[0].text)

    @asynccontextmanager
    async def watching(self, uri):
        """Asks to be told of changes of a resource; gives a function that waits until that is done."""
        if self.client.protocol_version == NEWER:
            async with self.client.listen(resource_subscriptions=[uri]) as changes:
                yield lambda: heard(changes, uri)
            return
        self._told = asyncio.Queue()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MCPDeprecationWarning)
            await self.client.subscribe_resource(uri)
            yield lambda: heard(queued(self._told), uri)
            await self.client.unsubscribe_resource(uri)

    async def hear(self, message):
        """Keeps what an older server says without having been asked."""
        if isinstance(message, ResourceUpdatedNotification):
            await self._told.put(message.params)


async def heard(changes, uri):
    """Waits for a change of a resource."""
    async for change in changes:
        if str(change.uri) == uri:
            return
    raise AssertionError(f"nobody tells of {uri} any more")


async def queued(queue):
    """What comes into a queue, without an end."""
    while True:
        yield await queue.get()


def same(found, expected):
    """Both are the same, or the conversation has failed."""
    if found != expected:
        raise AssertionError(f"found {found!r}, expected {expected!r}")
