"""What a scenario gets: a home, a project, a scripted model that speaks every dialect, and clients of all kinds."""

from pathlib import Path

from dialects import ALL
from harness.world import World


class Place(World):
    """One scenario's surroundings; the clients of a scenario share its home, as those of one user do."""

    def __init__(self, out, claude, programs, path):
        """`programs` is the folder in which each client is installed."""
        super().__init__(out, claude, programs, path, ALL)
        self.programs = Path(programs)

    def start(self, client, folder=None, resume=None):
        """A conversation with a client in the project, or in another folder."""
        return client(self, folder, resume)
