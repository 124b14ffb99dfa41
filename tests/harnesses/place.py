"""What a scenario gets: a home, a project, a scripted model that speaks every dialect, and clients of all kinds."""

import json
from pathlib import Path

from dialects import ALL
from harness.project import GATE, snapshot
from harness.world import World

BRIEF = "Waypost keeps this session"
OF_CLAUDE_CODE = ("CLAUDE_", "ANTHROPIC_")


class Place(World):
    """One scenario's surroundings; the clients of a scenario share its home, as those of one user do."""

    def __init__(self, out, claude, programs, path):
        """`programs` is the folder in which each client is installed."""
        super().__init__(out, claude, programs, path, ALL)
        self.programs = Path(programs)
        # Of their own in the repository: some clients keep git from its other settings.
        self.project.git("config", "user.name", "Tester")
        self.project.git("config", "user.email", "tester@example.invalid")
        # Where a login shell of the user finds programs, too: some clients run every command in one.
        (self.home / ".profile").write_text(f"export PATH={path}\n")
        self.shared_env = {name: value for name, value in self.env.items() if not name.startswith(OF_CLAUDE_CODE)}

    @property
    def home(self):
        """The user's home folder."""
        return Path(self.env["HOME"])

    def start(self, client, folder=None, resume=None):
        """A conversation with a client in the project, or in another folder."""
        return client(self, folder, resume)

    def initialise(self, client, config=GATE, others=()):
        """`waypost init` for a client and others, what their users confirm, and the scenario's own gates, committed."""
        clients = (client, *others)
        for one in clients:
            one.prepare(self)
        self.project.initialise(config, [one.NAME for one in clients])
        for one in clients:
            one.approve(self)

    def scratch(self, name, text):
        """A file of somebody's outside the project."""
        file = Path(self.env["TMPDIR"], name)
        file.write_text(text)
        return file

    def runs(self):
        """(provenance, exit status) of every run that is evidence, oldest first."""
        return [(run["provenance"], run["status"]) for run in self.project.events("command_ran")]

    def attached(self):
        """(harness, conversation) of everyone who joined the session, oldest first."""
        return [(event["harness"], event["conversation"]) for event in self.project.events("conversation_attached")]

    def actors(self, kind):
        """Whose events of a type there are: the conversations of their actors, oldest first."""
        records = json.loads(self.project.waypost("history", "--json").stdout)["events"]
        return [record["actor"].get("conversation") for record in records if record["event"]["type"] == kind]

    def restorable(self):
        """What `init --remove` promises to restore, in the project and in the user's home."""
        return {name: file for name, file in {**self.project.snapshot(), **self._of_the_home()}.items()
                if name.startswith(".git/info/") or not name.startswith(".git/")}

    def _of_the_home(self):
        return {f"~/{name}": file for name, file in snapshot(self.home).items() if not name.startswith(".xdg/")}
