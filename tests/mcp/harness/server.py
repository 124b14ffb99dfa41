"""A server over HTTP, for as long as it is needed."""

import subprocess


class Server:
    """`waypost serve` in a project."""

    def __init__(self, project, *options):
        self.project, self._options = project, options

    def __enter__(self):
        self._process = subprocess.Popen(
            [self.project.waypost, "serve", "--bind", "127.0.0.1:0", *self._options],
            cwd=self.project.root, env=self.project.env, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        # The line is the link that people open, with its token.
        self.url = self._process.stdout.readline().strip().split("/?")[0] + "/mcp"
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait()
        self._process.stdout.close()

    @property
    def token(self):
        """The token that the server asks for."""
        return (self.project.home / ".local/state/waypost/serve/token").read_text().strip()
