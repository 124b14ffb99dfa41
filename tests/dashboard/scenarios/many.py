"""Many who look at once."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

from harness.client import Client
from harness.registry import alone

LOOKING, CHANGES = 200, 12
MOST_MEMORY = 40 << 20  # leaves 20 MB of 60 for what a release has in its file; a debug build has more there
LIMIT = 600  # seconds, for what hangs
KEPT = 1 << 18  # of what a browser heard, in bytes: more than a page


@alone
def two_hundred_who_look_see_every_change_and_the_server_stays_small(t):
    with t.own() as own, Client(own.project, "many") as client:
        client.begin("Water them.")
        client.edit("src/water.txt", "watered\n")
        assert client.stop().held
        with ThreadPoolExecutor(1) as pool:  # what drives the browser has a loop of its own in this thread
            memory = pool.submit(asyncio.run, watched(own)).result(LIMIT)
    assert memory < MOST_MEMORY, f"the server has {memory >> 20} MB in memory"


async def watched(own):
    """Makes one change after another, each once all of those who look have seen the one before. Gives the server's memory
    in the end."""
    looking = await asyncio.gather(*(Looking.at(own.server, "/") for _ in range(LOOKING)))
    await asyncio.gather(*(one.sees("held by tests-pass") for one in looking))
    for number in range(CHANGES):
        await asyncio.to_thread(own.project.waypost, "handoff", "create", "--from", "gardener", "--to", f"helper-{number}",
                                "--reason", "Dry", "--context", "All", "--session", own.session)
        await asyncio.gather(*(one.sees(f"to helper-{number} waits") for one in looking))
    memory = own.server.memory()
    for one in looking:
        one.leave()
    return memory


class Looking:
    """Somebody who follows a page as a browser does."""

    def __init__(self, reader, writer):
        self._reader, self._writer, self._heard = reader, writer, b""

    @classmethod
    async def at(cls, server, address):
        """Begins to follow."""
        reader, writer = await asyncio.open_connection(server.host, server.port)
        writer.write(f"GET /live?at={quote(address, safe='')} HTTP/1.1\r\nHost: {server.host}:{server.port}\r\n"
                     f"Authorization: Bearer {server.token}\r\nAccept: text/event-stream\r\n\r\n".encode())
        return cls(reader, writer)

    async def sees(self, text):
        """Waits until the page tells this."""
        while text.encode() not in self._heard:
            part = await self._reader.read(KEPT)
            assert part, f"the server left somebody who waited for {text!r}"
            self._heard = (self._heard + part)[-KEPT:]

    def leave(self):
        """Does not follow any more."""
        self._writer.close()
