"""Many who look at once."""

import asyncio
from urllib.parse import quote

from harness.client import Client
from harness.registry import alone

LOOKING, CHANGES = 200, 12
MOST_MEMORY = 60 * 1024 * 1024
LIMIT = 300  # seconds, for what hangs


@alone
def two_hundred_who_look_see_the_last_change_and_the_server_stays_small(t):
    with t.own() as own, Client(own.project, "many") as client:
        client.begin("Water them.")
        client.edit("src/water.txt", "watered\n")
        assert client.stop().held
        seen = asyncio.run(asyncio.wait_for(watched(own), LIMIT))
        memory = own.server.memory()
    assert seen == LOOKING, f"{seen} of {LOOKING} saw the last change"
    assert memory < MOST_MEMORY, f"the server has {memory >> 20} MB in memory"


async def watched(own):
    """How many of those who look have seen the last of the changes, which are made while they look."""
    pages = ("/", own.page, own.project.address)
    last = "to the-last-one"
    looking = [asyncio.create_task(look(own.server, pages[0], last)) for number in range(LOOKING)]
    for number in range(CHANGES):
        to = "the-last-one" if number == CHANGES - 1 else f"helper-{number}"
        await asyncio.to_thread(own.project.waypost, "handoff", "create", "--from", "gardener", "--to", to, "--reason", "Dry",
                                "--context", "All", "--session", own.session)
    return sum(await asyncio.gather(*looking))


async def look(server, address, last):
    """Follows a page as a browser does, until it tells of the last change."""
    reader, writer = await asyncio.open_connection(server.host, server.port)
    writer.write(f"GET /live?at={quote(address, safe='')} HTTP/1.1\r\nHost: {server.host}:{server.port}\r\n"
                 f"Authorization: Bearer {server.token}\r\nAccept: text/event-stream\r\n\r\n".encode())
    heard = b""
    while last.encode() not in heard:
        part = await reader.read(1 << 16)
        if not part:
            return False
        heard = heard[-(1 << 16):] + part
    writer.close()
    return True
