"""What a scenario gets: the world that all share, or a home of its own, a browser, and a folder for what it leaves."""

from pathlib import Path

from .place import Home
from .server import Server

# One gate that the agent's own run proves, and one that a person has to approve.
CONFIG = """[project]

[[gate]]
id = "tests-pass"
level = "must"
before = ["stop"]
proof = { ran = "./check.sh*", fresh = "tree" }
message = "Run the tests after your last change."

[[gate]]
id = "deploy"
level = "must"
before = ["bash:./deploy*"]
proof = { approval = "local", ttl = "1h" }
message = "A person says when."
"""


class Stage:
    """A scenario's surroundings."""

    def __init__(self, out, waypost, modules, browser, world=None, server=None):
        self.out, self.browser, self.world, self.server = Path(out), browser, world, server
        self._waypost, self._modules = waypost, modules

    def own(self, config=CONFIG):
        """A home of its own, with one project, a session in it and a server."""
        home = Home(self.out / "home", self._waypost)
        return Own(home, home.project("garden", config, {"deploy": "#!/bin/sh\necho deployed\n"}))

    def tab(self, **how):
        """A page of the shared server."""
        return self.browser.tab(self.server, **how)

    def axe(self):
        """The source of axe."""
        return (self._modules / "axe-core/axe.min.js").read_text()


class Own:
    """A home with one project, and a server."""

    def __init__(self, home, project):
        self.home, self.project = home, project
        self.session = project.start("Water the plants")
        self.home.run(home.binary, "onboard", str(project.root))
        self.server = Server(home)

    def __enter__(self):
        self.server.start()
        return self

    def __exit__(self, *_):
        self.server.end()

    @property
    def page(self):
        """The address of the session's page."""
        return f"{self.project.address}/sessions/{self.session}"
