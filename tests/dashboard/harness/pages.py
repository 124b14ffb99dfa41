"""The addresses of all pages, made of the description of the JSON API: a page that is added is looked at by itself."""

import re
from urllib.parse import quote, urlsplit

MOST = 14  # so many forms of one page, such as the phases and tabs of a session


class Pages:
    """What there is to look at in a world."""

    def __init__(self, world, server):
        self._world, self._server = world, server
        self.forms = [path.removeprefix("/api") or "/" for path, told in server.value("/api/openapi.json")["paths"].items()
                      if "get" in told]

    def session(self, name):
        """The address of a session's page."""
        part = next(part for part in self._parts() if name in part.sessions)
        return f"{part.project.address}/sessions/{quote(part.sessions[name])}"

    def all(self):
        """One address, or some, of every page."""
        return [address for form in self.forms for address in self.of(form)]

    def of(self, form):
        """The addresses that are looked at of one page."""
        names = re.findall(r"\{(\w+)\}", form)
        if not names:
            return [form, *QUERIES.get(form, ())]
        if names == ["project"]:
            return [form.replace("{project}", part.project.address.rpartition("/")[2]) for part in self._parts()]
        if names == ["project", "session"] and form == "/projects/{project}/sessions/{session}":
            return [self.session(name) for name in SESSIONS]
        if form == "/conversations/{id}":
            return [form.replace("{id}", client.conversation) for part in self._parts() for client in part.clients[:1]]
        raise AssertionError(f"say in {__file__} what is looked at of {form}")

    def _parts(self):
        return self._world.shop, self._world.billing, self._world.handbook


QUERIES = {"/search": ("/search?q=passkey", "/search?q=script", "/search?q=nothing-is-called-so"),
           "/cost": ("/cost?by=model", "/cost?by=session")}
SESSIONS = ("long", "hostile", "approval", "damaged", "unverified", "budget", "ordinary-2")


def variants(page, address):
    """The links of a page to other forms of itself, such as its tabs."""
    path = urlsplit(address).path
    found = page.eval_on_selector_all("a[href]", "links => links.map(link => link.getAttribute('href'))")
    wanted = [link for link in dict.fromkeys(found) if urlsplit(link).query and urlsplit(link).path in ("", path)]
    return [link if link.startswith("/") else path + link for link in wanted if link != address][:MOST]
