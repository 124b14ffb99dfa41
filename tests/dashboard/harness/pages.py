"""The addresses of all pages, made of the description of the JSON API: a page that is added is looked at by itself."""

import re
from urllib.parse import parse_qsl, quote, urlsplit

# The sessions that are looked at, and those of which every form is: the first of them has everything, the second would
# like to be more than text.
SESSIONS = ("long", "hostile", "approval", "damaged", "unverified", "budget", "ordinary-2")
THOROUGH = ("session-long", "session-hostile")
# Forms of a page that no link leads to.
FORMS = {"/search": ("?q=passkey", "?q=script", "?q=nothing-is-called-so")}
# What stands in a query for another view of the same, each of which is looked at. Of anything else, one is.
VIEWS = ("tab", "phase", "by")


class Pages:
    """What there is to look at in a world."""

    def __init__(self, world, server):
        self._server = server
        self._parts = (world.shop, world.billing, world.handbook)
        told = server.value("/api/openapi.json")["paths"]
        self._forms = [path.removeprefix("/api") or "/" for path, known in told.items() if "get" in known]

    def session(self, name):
        """The address of a session's page."""
        part = next(part for part in self._parts if name in part.sessions)
        return f"{part.project.address}/sessions/{quote(part.sessions[name])}"

    def all(self):
        """One address, or some, of every page, by what they are called here."""
        return {name: address for form in self._forms for name, address in self._of(form)}

    def everything(self, page):
        """The same, and other forms of these pages: all of those that are looked at thoroughly, one of each sort of the
        others. The page is left somewhere."""
        for name, address in self.all().items():
            yield name, address
            page.goto(self._server.url + address)
            for link in variants(page, address, name in THOROUGH or "-" not in name):
                yield "-".join([name, *called(link)]), link

    def _of(self, form):
        names = re.findall(r"\{(\w+)\}", form)
        if not names:
            return [(form.strip("/") or "inbox", form),
                    *(("-".join([form.strip("/"), query[3:]]), form + query) for query in FORMS.get(form, ()))]
        if names == ["project"]:
            return [(f"project-{part.project.root.name}", form.replace("{project}", part.project.address.split("/")[2]))
                    for part in self._parts]
        if form == "/projects/{project}/sessions/{session}":
            return [(f"session-{name}", self.session(name)) for name in SESSIONS]
        if form == "/conversations/{conversation}":
            known = [client for part in self._parts for client in part.known.items()]
            return [(f"conversation-{name}", form.replace("{conversation}", client)) for name, client in known]
        raise AssertionError(f"say in {__file__} what is looked at of {form}")


def called(link):
    """What is said of a link's query in names: values only of views, since others are different each time."""
    return [f"{name}={value}" if name in VIEWS else name for name, value in parse_qsl(urlsplit(link).query)]


def variants(page, address, thorough):
    """The links of a page to other forms of itself, such as its tabs."""
    path, seen = urlsplit(address).path, set()
    found = page.eval_on_selector_all("main a[href]", "links => links.map(link => link.getAttribute('href'))")
    for link in dict.fromkeys(found):
        query = urlsplit(link).query
        words = dict(parse_qsl(query))
        if not words or urlsplit(link).path not in ("", path) or link.endswith(address):
            continue
        sort = frozenset((name, words[name] if thorough and name in VIEWS else "") for name in words)
        if sort not in seen:
            seen.add(sort)
            yield path + "?" + query
