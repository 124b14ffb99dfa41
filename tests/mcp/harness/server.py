"""A server over HTTP with the suite's fixtures, for as long as it is needed."""

import subprocess

from .project import Project


class Server:
    """`waypost serve` in a project of its own. The suite sends no token, so it is asked for only where a test says so."""

    def __init__(self, waypost, *options):
        self._project = Project(waypost)
        self._options = options or ("--fixtures", "--no-token")

    def __enter__(self):
        self.project = self._project.__enter__()
        self._process = subprocess.Popen(
            [self.project.waypost, "serve", "--bind", "127.0.0.1:0", *self._options],
            cwd=self.project.root, env=self.project.env, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = self._process.stdout.readline().strip() + "/mcp"
        return self

    def __exit__(self, *_):
        self._process.terminate()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._project.__exit__()

    @property
    def token(self):
        """The token that the server asks for."""
        return (self.project.home / ".local/state/waypost/serve/token").read_text().strip()
