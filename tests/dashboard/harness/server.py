"""`waypost serve`, and questions to it without a browser."""

import http.client
import json
import re
import subprocess


def until(holds):
    """Asks until it holds, and gives the answer: a server looks in the background."""
    while not (answer := holds()):
        pass
    return answer


class Server:
    """A server that runs until it is left."""

    def __init__(self, home, port=0):
        self.home, self.port = home, port
        self._process = None

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.end()

    def start(self):
        """Starts it, and waits until it listens."""
        self._process = subprocess.Popen(
            [self.home.binary, "serve", "--bind", f"127.0.0.1:{self.port}"], cwd=self.home.folder,
            env=self.home.at(None), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said = ""
        for line in self._process.stdout:
            said += line
            found = re.search(r"http://([0-9.]+):([0-9]+)/\?token=(\S+)", line)
            if found:
                self.host, self.port, self.token = found[1], int(found[2]), found[3]
                return self
        raise AssertionError(f"the server prints no link: {said}")

    def end(self, kill=False):
        """Ends it, or kills it."""
        (self._process.kill if kill else self._process.terminate)()
        self._process.wait()
        self._process.stdout.close()

    @property
    def url(self):
        """Where it is."""
        return f"http://{self.host}:{self.port}"

    @property
    def link(self):
        """The link that it prints."""
        return f"{self.url}/?token={self.token}"

    @property
    def pid(self):
        """Its process."""
        return self._process.pid

    def memory(self):
        """How much it has in memory of its own, in bytes: without what is mapped from the binary's file."""
        with open(f"/proc/{self.pid}/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("RssAnon:"))

    def ask(self, path, method="GET", told=None, **headers):
        """A request of a program with the token, unless another is given. Gives status, headers and text."""
        connection = http.client.HTTPConnection(self.host, self.port)
        headers = {"Authorization": f"Bearer {self.token}", **{name.replace("_", "-"): value
                                                               for name, value in headers.items() if value is not None}}
        body = json.dumps(told).encode() if told is not None else None
        if body:
            headers["Content-Type"] = "application/json"
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response.status, response.headers, text

    def value(self, path):
        """What the JSON API tells, which has to work."""
        status, _, text = self.ask(path)
        assert status == 200, f"{path}: {status} {text[:500]}"
        return json.loads(text)
